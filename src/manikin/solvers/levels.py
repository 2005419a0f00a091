"""Strict priorities for the native solver: weights in stages, and level after level where that is not enough.

How heavy a level is as a whole makes no difference to where it should end, so that one whose goals are heavy or far
away is made lighter. A level then weighs a hundred times the next until nearly converged, after that ten thousand
times; a million times only where a goal above the lowest level still misses. If it misses even then, it was caught in
a local minimum that all goals made together, and level after level is solved instead, the first with restarts. Where
the levels below still pull too hard, the pose that was found is brought to where the levels above are met, from where
it is; and if that is nowhere near, what these found by themselves is taken.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.problem import ANGLE_LENGTH, level_factors
from manikin.solvers.native import Answers, Compiled

STAGES = (1e2, 1e4)
"""Weight of a priority level against the next."""
USABLE = (5000, 200)
"""No solve can use more iterations than these, the second for each restart: forty a start, 160 a polish."""
SPARE_STAGE = 1e6
"""The same where two stages were not enough."""


def staged(weights: Matrix, levels: NDArray[np.int64], factor: float) -> Matrix:
    """The weights (..., goals) with every level `factor` times the next."""
    out: Matrix = weights * level_factors(levels, factor)
    return out


def solve_each(
    compiled: Compiled,
    starts: Matrix,
    targets: Matrix,
    weights: Matrix,
    *,
    most: NDArray[np.int64],
    budget: float,
    restarts: int,
    **options: Any,
) -> Answers:
    """As `Compiled.solve`, where each row may have another number of iterations left, `most` (B,).

    Rows with the same number are solved together; numbers that are more than can be used are the same.
    """
    until = time.perf_counter() + budget
    allowed = np.minimum(most, USABLE[0] + USABLE[1] * restarts)
    numbers = np.unique(allowed)
    if len(numbers) <= 1:
        some = int(numbers[0]) if len(numbers) else 0
        return compiled.solve(starts, targets, weights, most=some, budget=budget, restarts=restarts, **options)
    out: Answers | None = None
    for number in numbers:
        at = np.flatnonzero(allowed == number)
        left = max(until - time.perf_counter(), 0.0)
        found = compiled.solve(
            starts[at], targets[at], weights[at], most=int(number), budget=left, restarts=restarts, **options
        )
        if out is None:
            out = found.room(len(starts))
        out.put(at, found)
        out.iterations[at], out.starts[at] = found.iterations, found.starts
    assert out is not None
    return out


def solve_levels(
    compiled: Compiled,
    starts: Matrix,
    targets: Matrix,
    weights: Matrix,
    *,
    restarts: int,
    most: int | NDArray[np.int64],
    budget: float,
    seed: int = 0,
    threads: int = 1,
) -> Answers:
    """As `Compiled.solve`, with the goals' priorities kept strictly.

    Args:
        compiled: the problem; `compiled.levels` are its goals' priorities.
        starts, targets, weights: (B, nq), (B, k), (goals,) or (B, goals).
        restarts, most, budget, seed, threads: as for `Compiled.solve`; `most` and `budget` for all stages together.
            `most` is one for all, or (B,).
    """
    levels, count = compiled.levels, len(starts)
    began = time.perf_counter()
    common: dict[str, Any] = {"seed": seed, "threads": threads}

    def left() -> float:
        return max(budget - (time.perf_counter() - began), 0.0)

    if levels.max(initial=0) == levels.min(initial=0) and isinstance(most, int):
        return compiled.solve(starts, targets, weights, restarts=restarts, most=most, budget=budget, **common)
    every = np.broadcast_to(weights, (count, len(levels)))
    each = np.broadcast_to(np.asarray(most, dtype=np.int64), count)
    if levels.max(initial=0) == levels.min(initial=0):
        return solve_each(compiled, starts, targets, every, restarts=restarts, most=each, budget=budget, **common)
    upper = levels < levels.max()
    every = every * _calmed(compiled, starts, targets, every, np.unique(levels)[1:])

    def again(rows: NDArray[np.int64], poses: Matrix, stage: Matrix, first: bool = False) -> Answers:
        """Some rows once more, each with what iterations it has left; from the poses as they are unless `first`."""
        answer = solve_each(
            compiled,
            poses,
            targets[rows],
            stage[rows],
            restarts=restarts if first else 0,
            near=not first,
            most=np.maximum(each[rows] - best.iterations[rows], 0),
            budget=left(),
            **common,
        )
        best.iterations[rows] += answer.iterations
        return answer

    def missing() -> NDArray[np.int64]:
        """Rows in which a goal above the lowest level misses."""
        wanted = upper & (every > 0.0)
        return np.flatnonzero(((best.errors > compiled.tolerances) & wanted).any(axis=1))

    first_stage = staged(every, levels, STAGES[0])
    best = solve_each(compiled, starts, targets, first_stage, restarts=restarts, most=each, budget=budget, **common)
    rows = np.flatnonzero(best.status != 0)
    best.put(rows, again(rows, best.pose[rows], staged(every, levels, STAGES[1])))
    rows = missing()
    best.put(rows, again(rows, best.pose[rows], staged(every, levels, SPARE_STAGE)))
    rows = missing()
    if len(rows):
        calm = np.array(every)
        poses: Matrix = starts[rows]
        met = np.zeros(len(rows), dtype=bool)
        for level in np.unique(levels):
            if level > levels.min():
                calm[rows] *= _calmed(compiled, poses, targets[rows], calm[rows], [level])
            ranked = calm * level_factors(np.minimum(levels, level), STAGES[1])
            found = again(rows, poses, np.where(levels <= level, ranked, 0.0), first=level == levels.min())
            poses = found.pose
            if level < levels.max():
                met = _kept(found.errors, compiled.tolerances, every[rows] > 0.0, levels <= level)
                alone = found
        other = again(rows, poses, staged(calm, levels, SPARE_STAGE))
        kept = _kept(other.errors, compiled.tolerances, every[rows] > 0.0, upper)
        best.put(rows[kept], other.taken(kept))
        hold(compiled, best, targets, every, most=each, budget=left(), **common)
        lost = met & np.isin(rows, missing())
        if lost.any():  # what the levels above found by themselves
            asked = targets[rows[lost]], every[rows[lost]]
            best.put(rows[lost], compiled.solve(alone.pose[lost], *asked, most=0, restarts=0, near=True))
    return best


def _kept(errors: Matrix, tolerances: Vector, counts: NDArray[np.bool_], above: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(B,) whether the goals `above` (goals,) are met, as far as they count (B, goals)."""
    return np.asarray(((errors <= tolerances) | ~above | ~counts).all(axis=1))


def _calmed(compiled: Compiled, poses: Matrix, targets: Matrix, weights: Matrix, levels: Iterable[int]) -> Matrix:
    """(B, goals) factors by which goals of these levels pull no harder than one of weight 1 that is a size away.

    Goals of one level stay to each other as they are. Heavy ones, or those with targets far away, tear those above off.
    """
    errors = compiled.solve(poses, targets, weights, most=0, restarts=0, near=True).errors
    sizes = [ANGLE_LENGTH if all(goal.angular) else 1.0 / compiled.figure.size for goal in compiled.goals]
    pulls, out = weights * errors * sizes, np.ones_like(weights)
    for level in levels:
        of = compiled.levels == level
        out[:, of] /= np.maximum(pulls[:, of].max(axis=1, keepdims=True), 1.0)
    return out


def hold(
    compiled: Compiled,
    best: Answers,
    targets: Matrix,
    weights: Matrix,
    *,
    most: int | NDArray[np.int64],
    budget: float,
    **common: Any,
) -> None:
    """Brings poses in which an upper level misses to where it is met, from where they are, the levels below let go.

    As many levels as can be met; the first at least, where that is possible at all.

    Args:
        compiled, targets, weights: as for `solve_levels`; the weights (B, goals).
        best: what was found, (B); poses, errors and iterations are changed where that helps.
        most: most iterations of one row, with those that it has used; one for all, or (B,).
        budget: seconds.
        common: seed, threads as for `Compiled.solve`.
    """
    levels, limits = compiled.levels, compiled.tolerances
    for cut in np.unique(levels)[-2::-1]:
        above = levels <= cut
        rows = np.flatnonzero(((best.errors > limits) & above & (weights > 0.0)).any(axis=1))
        if not len(rows):
            return
        alone = np.where(above, staged(weights, levels, STAGES[1]), 0.0)[rows]
        rest = np.maximum(np.broadcast_to(most, len(best.pose))[rows] - best.iterations[rows], 0).astype(np.int64)
        options: dict[str, Any] = {"restarts": 0, "near": True, "budget": budget, **common}
        found = solve_each(compiled, best.pose[rows], targets[rows], alone, most=rest, **options)
        best.iterations[rows] += found.iterations
        met = (found.errors <= limits).all(axis=1)  # goals that do not count have no error
        rows = rows[met]
        measured = compiled.solve(found.pose[met], targets[rows], weights[rows], most=0, **options)
        best.pose[rows], best.errors[rows] = measured.pose, measured.errors
        best.status[rows] = np.where(measured.status == 0, 0, best.status[rows])


def level_weights(compiled: Compiled, weights: Vector | Matrix) -> Matrix:
    """Weights for one stage only, as in a track: every level ten thousand times the next."""
    return staged(np.asarray(weights), compiled.levels, STAGES[1]) if compiled.levels.any() else np.asarray(weights)
