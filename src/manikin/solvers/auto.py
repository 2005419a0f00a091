"""The production solver, `method="auto"`: all goals, exact limits, always an answer. See docs/design/solver.md.

Goals are compiled once for each figure and structure of goals. The structure is everything except targets and weights.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from manikin.arrays import frozen
from manikin.base.progress import Progress
from manikin.figure.figure import Figure
from manikin.figure.movable import Hold, movable_steps
from manikin.goals import Goal
from manikin.goals.loops import with_loops
from manikin.problem import settled
from manikin.solution import Solution
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.native.arguments import Stiffness, checked_pick, names, one_pose, preference_options
from manikin.solvers.native.block import shares_of
from manikin.solvers.native.compiled import Compiled
from manikin.solvers.native.natural import Start
from manikin.solvers.native.recent import recent
from manikin.solvers.native.watched import Watched

ITERATIONS = 1_000_000
"""Default limit of the iterations over all starts. It is more than the restarts can use."""


def solve(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    start: Start,
    freeze: Sequence[str],
    only: Sequence[str] | None,
    hold: Hold | None,
    loops: bool,
    iterations: int | None,
    budget: float | None,
    *,
    history: bool = False,
    progress: Progress | None = None,
    restarts: int | None = None,
    seed: int = 0,
    pick: str = "near",
    prefer: Start = None,
    stiffness: Stiffness = None,
    settle: bool = False,
) -> Solution:
    """
    Args:
        figure: the figure to pose.
        goals: one goal or several.
        start, freeze, only, hold, loops: as in `manikin.solve`.
        iterations: largest number of iterations over all starts; None means `ITERATIONS`.
        budget: time limit in seconds; None means no limit.
        history, progress: as in `manikin.solve`.
        restarts: largest number of further starts if the first ends in a local minimum; see `Solver.solve_many`.
        seed: seed of the random starts. The same seed gives the same bits.
        pick: the solution to return for an arm that has several: "near" is the one nearest to the start, "first" the
            first one found.
        prefer, stiffness, settle: the preferred pose, as in `Solver.solve_many`.
    """
    from manikin import _core

    began = time.perf_counter()
    options: dict[str, Any] = {
        "restarts": None if restarts is None else whole(restarts, "restarts"),
        "seed": whole(seed, "seed", largest=LARGEST_SEED),
        "pick": checked_pick(pick),
    }
    given = {"restarts": restarts, "seed": seed}
    compiled = _compiled(figure, goals, freeze, only, hold, loops)
    notes: tuple[str, ...] = ()
    if isinstance(start, str) or isinstance(prefer, str):
        wished = compiled._natural.wished(start, compiled.targets, compiled._weights, None, prefer, stiffness)
        start, prefer, stiffness, notes = wished.start, wished.prefer, wished.stiffness, wished.notes
    options |= preference_options(figure, 1, prefer, stiffness) | {"settle": bool(settle)}
    plain = type(start) is np.ndarray and start.dtype == np.float64 and start.shape == (figure.nq,)
    begin: Any = start if plain else one_pose(figure, start, "one solve needs")  # the core checks a plain array itself
    watched = Watched(compiled, history, progress) if history or progress is not None else None
    options |= {"weights": compiled._weights, "iterations": ITERATIONS if iterations is None else iterations}
    options |= {"budget": budget, "watch": watched}
    try:
        found: Solution = _core.solve(compiled, begin, compiled.targets, **options)
    except TypeError:  # a goal in Python raised it, or the core refused the start
        one_pose(figure, start, "one solve needs")
        raise
    extra: dict[str, Any] = {"start": frozen(found._start), "options": given}
    if history and watched is not None:
        extra["history"] = watched.history(found)
    extra["time"] = time.perf_counter() - began
    notes = (*notes, *(found._notes or ()))
    values = (found.code, found.iterations, found.start_violation, notes, found._chosen, compiled, extra)
    return Solution(frozen(found.pose), frozen(found.errors), *values)


def _compiled(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    freeze: Sequence[str],
    only: Sequence[str] | None,
    hold: Hold | None,
    loops: bool,
) -> Compiled:
    """These goals, compiled. They are found again by their identity."""
    given: Any = goals if type(goals) in (list, tuple) else None
    if given is None:
        given = (goals,) if isinstance(goals, Goal) else tuple(goals) if isinstance(goals, Iterable) else goals
        if given is goals:
            settled(figure, goals)  # raises the error that says what goals are

    def made() -> Compiled:
        wanted = with_loops(figure, given) if loops else given
        asked, movable = settled(figure, wanted), movable_steps(figure, freeze, only, hold)
        weights, shares = [g.weight for g in wanted], shares_of(wanted)
        return Compiled.of(figure, asked.goals, movable, weights=weights, shares=shares, notes=asked.notes, shared=True)

    words = names(freeze), None if only is None else names(only), repr(hold), loops
    return recent(("solve", id(figure), *map(id, given), *words), (figure, *given), made)
