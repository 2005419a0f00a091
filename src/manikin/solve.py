"""The main path: goals on a figure become a problem, a solver gives a solution. Read this file first.

    figure + goals + start  ->  Problem   (problem.py: errors and Jacobians)
    Problem                 ->  Outcome   (solvers/: one file a method)
    Outcome                 ->  Solution  (solution.py: one record for all methods)

A new goal is one file in goals/, a new method one file in solvers/; neither needs a change here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import frozen
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.goals.loops import with_loops
from manikin.problem import Problem
from manikin.solution import Question, Solution
from manikin.solvers import check_options, default_iterations, solver, whole
from manikin.solvers.methods.run import Outcome, Progress, Run


def solve(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    start: ArrayLike | str | None = None,
    method: str = "auto",
    *,
    freeze: Sequence[str] = (),
    only: Sequence[str] | None = None,
    loops: bool = True,
    iterations: int | None = None,
    budget: float | None = None,
    history: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Solution:
    """A pose of the figure that reaches the goals, or comes as near as the method can bring it.

    Not reaching is an answer (`solution.reached`, `solution.status`), never an exception.

    Args:
        figure: what is posed.
        goals: what is wanted; one goal or several. None ([]) where only the closed loops of the figure are to close.
        start: pose (nq,) to start from. Outside its limits it is brought in, and `notes` says so (`start_violation` is
            by how much). None is the rest pose. Where the root is free and at least three effectors that do not stand
            above each other have positions (Position, Placement), the rest pose is first turned about `figure.up` and
            moved to the targets, so that the answer does not depend on where the targets are and which way they face;
            orientations count for the turn. "natural" is as a person would stand (see `manikin.natural`), for method
            "auto"; where the figure is no person, it is None, and `notes` says so. `solution.start` is the start that
            was taken.
        method: "auto" (the production solver); the chapter's "lbfgsb", "pinv", "stacked", "dls", "bounded-dls"; for
            comparison "transpose", "sdls", "ccd", "fabrik".
        freeze: joints, or single numbers ("Spine.x", see `figure.number_names`), that must not move.
        only: the joints, or the single numbers, that may move; None is all. The sliders of a rig are held, those aside
            that carry the whole body (`Slider.held`): they stay as in the start unless named here ("Shoulder.tx").
        loops: keep the closed loops of the figure (`figure.loops`): each is a `Relative` goal of the loop's name after
            the others, in a priority before theirs (theirs count from 1 then), so that no goal breaks it; a start that
            does not close them is brought together. False leaves them out.
        iterations: most iterations; None is the method's own.
        budget: most seconds; None is without end.
        history: keep what happened in each iteration (`solution.history`).
        progress: called with (iteration, cost); returning False ends the solve with the best pose so far.
        options: of the method: `restarts`, `seed`, `pick`, `prefer`, `stiffness`, `settle` (auto, see
            `Solver.solve_many`); `damping` (dls, bounded-dls); `preference` (pinv, stacked, dls, bounded-dls); `alpha`,
            `reference` (lbfgsb); see `manikin.solvers`.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> mk.solve(arm, mk.Position("Tip", (1.0, 1.5), axes="xy")).reached
        True
    """
    began = time.perf_counter()
    function = solver(method)
    check_options(method, function, options)
    wanted = with_loops(figure, goals) if loops else goals
    allowed = None if iterations is None else whole(iterations, "iterations")
    budget = None if budget is None else arrays.non_negative(budget, "budget")
    if progress is not None and not callable(progress):
        raise BadValue(f"progress is {progress!r}; it needs a function of the iteration and the cost")
    if method == "auto":
        answer: Solution = function(
            figure, wanted, start, freeze, only, allowed, budget, history=history, progress=progress, **options
        )
        return answer
    if isinstance(start, str):
        raise BadValue(f"start is {start!r}; method {method!r} needs a pose, or None: mk.natural(figure, goals) is one")
    problem = Problem(figure, wanted, start, freeze=freeze, only=only)

    best: Outcome | None = None
    used = 0
    for choice in problem.choices():  # one, unless there are AnyOf goals
        left = None if budget is None else max(0.0, budget - (time.perf_counter() - began))
        most = default_iterations(method) if allowed is None else max(0, allowed - used)
        run = Run(choice, iterations=most, budget=left, keep_history=history, progress=progress)
        outcome: Outcome = function(choice, run, **options)
        used += outcome.iterations
        best = outcome if best is None else best.better(outcome)
        if best.final or (left is not None and left <= 0.0) or (allowed is not None and used >= allowed):
            break
    assert best is not None
    return _solution(best, method, used, time.perf_counter() - began, options)


def _solution(outcome: Outcome, method: str, iterations: int, seconds: float, options: dict[str, Any]) -> Solution:
    problem = outcome.problem
    question = Question(problem.figure, problem.goals, method, frozen(problem.movable, bool), problem.notes)
    return Solution.of(
        question,
        outcome.pose,
        problem.at(outcome.pose).errors,
        outcome.status,
        iterations,
        problem.start_violation,
        outcome.notes,
        problem.chosen,
        start=problem.start,
        time=seconds,
        history=outcome.history,
        options=options,
    )
