"""Goals that follow one another on one effector: a hand at A during one interval, and at B during the next.

If the intervals are less than two ramps apart, the ramps of the two goals would overlap and pull the effector to two
places at once. Instead, the first goal leads the effector from its last target to the first target of the next goal. A
goal has no ramp in frames in which another goal has the effector. Goals that always count are left out: the ramps of
other goals start where they hold the effector.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.goals import Goal, Orientation, Placement, Position
from manikin.motion import ease

Mask = NDArray[np.bool_]


def hand_over(
    goals: Sequence[Goal],
    times: Vector,
    seconds: float,
    rows: Sequence[Matrix],
    counts: Sequence[Mask],
    active: Sequence[Mask],
    parts: Sequence[Vector],
) -> None:
    """Changes the targets `rows`, `active` and the ramps `parts` of goals that share an effector, in place.

    Args:
        goals: the goals.
        times: (T,) seconds.
        seconds: length of a ramp.
        rows: (T, k) of each goal, without NaN.
        counts: (T,) of each goal: the frames in which it is met in full.
        active: (T,) of each goal: those frames, and its ramps.
        parts: (T,) of each goal: u, see `ease.ramps`.
    """
    for i, goal in enumerate(goals):
        others = [j for j, b in enumerate(goals) if j != i and not counts[j].all() and _same_effector(goal, b)]
        taken = np.any([counts[j] for j in others], axis=0) if others else np.zeros(len(times), dtype=bool)
        if not taken.any():
            continue
        for a, b in ease.stretches(counts[i]):
            before, after = np.flatnonzero(taken[: a + 1]), b - 1 + np.flatnonzero(taken[b - 1 :])
            if len(before) and times[a] - times[before[-1]] < 2.0 * seconds:
                _release(times > times[a] - seconds, slice(0, a), counts[i], active[i], parts[i])
            if not len(after) or times[after[0]] - times[b - 1] >= 2.0 * seconds:
                continue
            _release(times < times[b - 1] + seconds, slice(b, None), counts[i], active[i], parts[i])
            to = int(after[0])
            if to > b and not counts[i][b:to].any():
                last = rows[i][b - 1]
                next_rows = next(_as_target(goal, goals[j], rows[j][to], last) for j in others if counts[j][to])
                x = ease.eased((times[b:to] - times[b - 1]) / (times[to] - times[b - 1]))
                rows[i][b:to] = ease.toward(goal, rows[i][b - 1][None], next_rows[None], x)
                active[i][b:to] = True
                parts[i][b:to] = 1.0


def _same_effector(a: Goal, b: Goal) -> bool:
    """Whether two goals place the same point or turn the same segment. A Placement places the point too."""
    kinds = (Position, Orientation, Placement)
    if not isinstance(a, kinds) or not isinstance(b, kinds):
        return False
    if type(a) is not type(b):
        whole = all(isinstance(g, Placement) or getattr(g, "axes", "") == "xyz" for g in (a, b))
        return whole and a.effectors == b.effectors
    return a.effectors == b.effectors and getattr(a, "axes", None) == getattr(b, "axes", None)


def _as_target(goal: Goal, other: Goal, row: Vector, last: Vector) -> Vector:
    """A target of another goal as a target of this goal. A Position takes the position of a Placement. A Placement
    takes the position of a Position, and keeps its last rotation."""
    if type(goal) is type(other):
        return row
    return row[:3] if isinstance(goal, Position) else np.concatenate([row, last[3:]])


def _release(near: Mask, side: slice, counts: Mask, active: Mask, parts: Vector) -> None:
    """Removes a ramp: the frames on one side of a stretch that are near it, except those in which the goal counts."""
    off = near[side] & ~counts[side]
    active[side][off] = False
    parts[side][off] = 0.0
