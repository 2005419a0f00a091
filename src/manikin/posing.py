"""The main path: goals on a figure become a problem, and a solver finds a solution. Read this file first.

    figure + goals + start  ->  Problem   (problem/: errors and Jacobians)
    Problem                 ->  Outcome   (solvers/: one file for each method)
    Outcome                 ->  Solution  (solution/: one record for all methods)

A new goal is one file in goals/. A new method is one file in solvers/. Neither needs a change here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import frozen
from manikin.base.progress import Progress, require_progress
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.movable import Hold
from manikin.goals import Goal
from manikin.goals.loops import with_loops
from manikin.problem import Problem
from manikin.solution import Question, Solution
from manikin.solvers import check_options, default_iterations, solver, whole
from manikin.solvers.methods.run import Outcome, Run

HOLDS = ("auto", "lbfgsb", "bounded-dls")
"""Methods that support `hold`. They move balls in coordinates of swing and twist."""


def solve(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    start: ArrayLike | str | None = None,
    method: str = "auto",
    *,
    freeze: Sequence[str] = (),
    only: Sequence[str] | None = None,
    hold: Hold | None = None,
    loops: bool = True,
    iterations: int | None = None,
    budget: float | None = None,
    history: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Solution:
    """Finds a pose of the figure that reaches the goals, or comes as close to them as the method can.

    A goal that is not reached does not raise an exception: see `solution.reached` and `solution.status`.

    Args:
        figure: the figure to pose.
        goals: one goal or several. Pass [] to close only the loops of the figure.
        start: pose (nq,) to start from. A start outside the joint limits is moved inside them; `notes` reports this,
            and `start_violation` is the distance. None means the rest pose. If the root is free, the rest pose is first
            turned about `figure.up` and moved to the targets. This happens only if at least three effectors have target
            positions (Position, Placement) and are not all on one vertical line. The answer then does not depend on
            where the targets are and which way they face. Target orientations also count for the turn. "natural" starts
            from a pose that a person would take (see `manikin.natural_pose`); it needs method "auto". If the figure is
            not a person, "natural" means None, and `notes` says so. `solution.start` is the start that was used.
        method: "auto" (the production solver); "lbfgsb", "pinv", "stacked", "dls" and "bounded-dls" (docs/theory); or,
            for comparison, "transpose", "sdls", "ccd" and "fabrik".
        freeze: names of joints, or of single numbers ("Spine.x", see `figure.number_names`), that must not move.
        only: names of the joints, or of the single numbers, that may move; None means all except held sliders. The
            sliders of a rig are held (`Slider.held`), except those that carry the whole body. A held slider stays as in
            the start unless it is named here ("Shoulder.tx").
        hold: parts of balls that stay as in the start: {"LeftFoot": "twist"} keeps the turn of the foot about its long
            axis (`SwingTwist.axis`), {"LeftFoot": "swing"} keeps the direction of that axis. The rest of the joint
            moves. It needs a ball with limits, and method "auto", "lbfgsb" or "bounded-dls".
        loops: whether to keep the loops of the figure (`figure.loops`) closed. Each loop becomes a `Relative` goal with
            the name of the loop, after the other goals. Loops have a higher priority than all other goals, so no goal
            breaks them; the priorities of the other goals then count from 1. If the start does not close the loops, the
            solver closes them.
        iterations: largest number of iterations; None means the default of the method.
        budget: time limit in seconds; None means no limit.
        history: whether to record each iteration (`solution.history`).
        progress: called with (iterations done, None). If it returns False, the solve ends with the best pose so far.
        options: options of the method: `restarts`, `seed`, `pick`, `prefer`, `stiffness`, `settle` (auto, see
            `Solver.solve_many`); `damping` (dls, bounded-dls); `preference` (pinv, stacked, dls, bounded-dls); `alpha`,
            `reference` (lbfgsb); see `manikin.solvers`.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> mk.solve(arm, mk.Position("Tip", (1.0, 1.5), axes="xy")).reached
        True
    """
    # Check the options of all methods.
    began = time.perf_counter()
    function = solver(method)
    check_options(method, function, options)
    allowed = None if iterations is None else whole(iterations, "iterations")
    budget = None if budget is None else arrays.non_negative(budget, "budget")
    require_progress(progress)
    # The production solver.
    if method == "auto":
        given = (figure, goals, start, freeze, only, hold, loops, allowed, budget)
        answer: Solution = function(*given, history=history, progress=progress, **options)
        return answer
    # The methods of the theory pages: one problem for each choice of members of AnyOf goals.
    if hold and method not in HOLDS:
        raise BadValue(
            f"hold is {hold!r}; method {method!r} cannot keep a part of a joint, only {', '.join(HOLDS)} can"
        )
    if isinstance(start, str):
        raise BadValue(
            f"start is {start!r}; method {method!r} needs a pose or None; mk.natural_pose(figure, goals) returns a pose"
        )
    from manikin.base.blas import one_thread  # takes 2 ms, so not on `import manikin`

    wanted = with_loops(figure, goals) if loops else goals
    problem = Problem(figure, wanted, start, freeze=freeze, only=only, hold=hold)
    robust = next((g.label for g in problem.goals if g.robust is not None), None)
    if robust is not None:
        raise Unsupported(f"method {method!r} does not support {robust}: only method 'auto' supports robust losses")

    # solve for each choice of members, and keep the best
    best: Outcome | None = None
    used = 0
    for choice in problem.choices():  # there is one choice, unless there are AnyOf goals
        left = None if budget is None else max(0.0, budget - (time.perf_counter() - began))
        most = default_iterations(method) if allowed is None else max(0, allowed - used)
        run = Run(choice, iterations=most, budget=left, keep_history=history, progress=progress)
        outcome: Outcome = one_thread(function)(choice, run, **options)
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
