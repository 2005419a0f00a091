"""Easing: if a goal begins or ends inside a clip, its target moves gradually from the effector, and back.

Fading in the weight of the goal does not have this effect. If no other goal holds a hand, any positive weight pulls it
all the way to its target.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.goals import Goal
from manikin.goals.capabilities import Capabilities

Mask = NDArray[np.bool_]
BRIDGED = 0.15
"""Within a gap, a goal counts only up to this time from a sample, in seconds. It does not count in the middle of longer
gaps."""


def eased(x: Vector) -> Vector:
    """From 0 at x = 0 to 1 at x = 1 with speed and acceleration 0 at both ends: 10x³ − 15x⁴ + 6x⁵."""
    x = np.clip(x, 0.0, 1.0)
    result: Vector = x**3 * (10.0 + x * (-15.0 + 6.0 * x))
    return result


def toward(goal: Goal, start: Matrix, end: Matrix, part: Vector) -> Matrix:
    """Targets (n, k) of a goal from `start` (part 0) to `end` (part 1): numbers linearly, quaternions by slerp,
    directions linearly and then scaled to length 1."""
    out: Matrix = start + part[:, None] * (end - start)
    for at in goal.quaternions:
        q = slice(at, at + 4)
        out[:, q] = rotations.slerp(rotations.normalized(start[:, q]), rotations.normalized(end[:, q]), part)
    for at in goal.directions:
        d = slice(at, at + 3)
        length = np.linalg.norm(out[:, d], axis=1, keepdims=True)
        out[:, d] = np.where(length > 1e-9, out[:, d] / np.maximum(length, 1e-9), end[:, d])
    return out


def bridge(known: Mask, times: Vector) -> Mask:
    """(T,) whether a goal counts: in frames with a known target, and in gaps with a near sample on both sides.

    A goal never counts before the first or after the last sample.
    """
    counts = np.array(known)
    for a, b in stretches(~known):
        if a > 0 and b < len(known):
            near = BRIDGED + 1e-9  # rounding of times
            counts[a:b] = (times[a:b] - times[a - 1] <= near) | (times[b] - times[a:b] <= near)
    return counts


def stretches(mask: Mask) -> list[tuple[int, int]]:
    """(first, last + 1) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def ramps(counts: Mask, times: Vector, seconds: float, stops: Sequence[float] = ()) -> Vector:
    """(T,) u from 0 to 1: the fraction by which the target has moved to the goal's own; 1 where the goal counts, 0
    where it is off. A ramp lasts `seconds`, or half the time between two stretches. It does not pass the times `stops`.
    The ends of the clip need no ramp."""
    u = np.where(counts, 1.0, 0.0)
    if seconds <= 0.0:
        return u
    found = stretches(counts)
    for k, (a, b) in enumerate(found):
        if a > 0:
            room = seconds if k == 0 else min(seconds, 0.5 * (times[a] - times[found[k - 1][1] - 1]))
            room = min([room, *(times[a] - s for s in stops if s <= times[a])])
            before = np.flatnonzero((times < times[a]) & (times > times[a] - room))
            u[before] = np.maximum(u[before], eased(1.0 - (times[a] - times[before]) / room))
        if b < len(counts):
            room = seconds if k + 1 == len(found) else min(seconds, 0.5 * (times[found[k + 1][0]] - times[b - 1]))
            room = min([room, *(s - times[b - 1] for s in stops if s >= times[b - 1])])
            after = np.flatnonzero((times > times[b - 1]) & (times < times[b - 1] + room))
            u[after] = np.maximum(u[after], eased(1.0 - (times[after] - times[b - 1]) / room))
    return u


def held(rows: Matrix) -> Matrix:
    """Targets (T, k) with gaps filled by the nearest known row. At least one row must be known."""
    known = np.flatnonzero(np.isfinite(rows).all(axis=1))
    t = np.arange(len(rows))
    after = known[np.clip(np.searchsorted(known, t), 0, len(known) - 1)]
    before = known[np.clip(np.searchsorted(known, t, side="right") - 1, 0, len(known) - 1)]
    return np.asarray(rows[np.where(np.abs(t - before) <= np.abs(after - t), before, after)])


def can_lead(goal: Goal) -> bool:
    """Whether a target that a pose meets exists for the goal. Easing starts from such a target."""
    return len(goal.target) > 0 and type(goal).met_by is not Capabilities.met_by
