"""Divides a limb into its parts by the positions and axes of its joints."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Vector
from manikin.figure.parts.skeleton import Skeleton

SAME = 1e-3
"""Joints of both sides that are closer than this, in lengths of the limb, coincide. They are not hips or shoulders."""
UNEVEN = 0.3
"""Weight of the difference between the two long bones, relative to their length."""
CROOKED = 3.0
"""Weight of a detour between two joints, relative to the length of the bone between them. Bones are straight."""
ANKLE_TURN = np.cos(np.deg2rad(35.0))
"""A leg that turns by more than 35° at a joint is likely to have its ankle there."""
ANKLE_BONUS = 0.1
"""Bonus of such a turn, in lengths of the limb."""
FAR_FINGERS = 0.25
"""A fork is a wrist only if its branches begin nearer than this, in lengths of the limb."""


@dataclass(frozen=True)
class Limb:
    """An arm or a leg: three compound joints and the segments around them."""

    before: list[int]
    """Moving segments between the trunk and the first joint: the clavicle of an arm."""
    joints: tuple[int, ...]
    """The first segment of upper bone, lower bone and hand or foot. The last may be missing."""
    end: list[int]
    """The segments of the last compound joint, wrist or ankle; empty if it is missing."""
    toes: int | None
    """The moving segment after the ankle."""
    points: tuple[Vector, ...]
    """Centres of the joints, then the tip of the limb."""


def cut_limb(skeleton: Skeleton, branch: int, other: int, arm: bool) -> Limb | None:
    """The joints of a limb; None if it has fewer than two.

    Of all choices of three joints, the one with long, straight and nearly equal bones is used: the largest min(a, b) −
    0.3 |a − b| minus the detours. A fork with fingers is the wrist.

    Args:
        skeleton: the skeleton of the figure.
        branch: the first segment of the limb.
        other: the first segment of the same limb of the other side.
        arm: whether it is an arm.
    """
    path = skeleton.longest(branch)
    length = float(skeleton.reach[branch]) or 1.0
    if arm:
        path = _to_wrist(skeleton, path, length)
    stages = [s for s in skeleton.stages(path, length) if skeleton.moves[s[0]]]
    opposite = [skeleton.center(s) for s in skeleton.stages(skeleton.longest(other), length) if skeleton.moves[s[0]]]
    points = [skeleton.center(s) for s in stages]
    free = [k for k, p in enumerate(points) if k >= len(opposite) or np.linalg.norm(p - opposite[k]) > SAME * length]
    tip = skeleton.at[path[-1]]
    chosen = _best(free, points, tip, length, arm, skeleton.children[path[-1]] != [])
    if chosen is None:
        return None
    if arm and len(chosen) == 3 and _finger(skeleton, stages[chosen[2]][0]):
        chosen = chosen[:2]
    before = [i for stage in stages[: chosen[0]] for i in stage]
    after = [k for k in range(chosen[-1] + 1, len(stages)) if len(chosen) == 3]
    toes = next((stages[k][0] for k in after if np.linalg.norm(points[k] - points[chosen[2]]) > SAME * length), None)
    end = skeleton.solid(stages[chosen[2]]) if len(chosen) == 3 else []
    if arm and end:
        end = [i for k in range(chosen[2], len(stages)) for i in stages[k] if skeleton.hinge[i]] or end
    return Limb(before, tuple(stages[k][0] for k in chosen), end, toes, (*(points[k] for k in chosen), tip))


def _to_wrist(skeleton: Skeleton, path: Sequence[int], length: float) -> list[int]:
    """The path of an arm up to the segment from which fingers branch off; the whole path if there are no fingers."""
    for k, i in enumerate(path):
        branches = [c for c in skeleton.children[i] if skeleton.count[c]]
        near = [c for c in branches if skeleton.apart(i, c) < FAR_FINGERS * length]
        if k >= 2 and len(branches) >= 2 and len(near) == len(branches):
            return list(path[: k + 1])
    return list(path)


def _finger(skeleton: Skeleton, index: int) -> bool:
    """Whether a segment is one of at least three moving branches of its parent: claws on a forearm without a hand."""
    return sum(skeleton.count[c] > 0 for c in skeleton.children[skeleton.parents[index]]) > 2


def _best(
    free: Sequence[int], points: Sequence[Vector], tip: Vector, length: float, arm: bool, forked: bool
) -> tuple[int, ...] | None:
    """The indices of the three joints among the points; two if there are no more."""
    if len(free) < 3:
        return tuple(free) if len(free) == 2 else None
    best, chosen = -np.inf, None
    for h, k, a in itertools.combinations(free, 3):
        if arm and forked and a != free[-1]:
            continue
        upper, lower = np.linalg.norm(points[k] - points[h]), np.linalg.norm(points[a] - points[k])
        score = min(upper, lower) - UNEVEN * abs(upper - lower)
        score -= CROOKED * (_way(points[h : k + 1]) - upper + _way(points[k : a + 1]) - lower)
        onward = next((p for p in (*points[a + 1 :], tip) if np.linalg.norm(p - points[a]) > SAME * length), None)
        if not arm and onward is not None and lower > 0.0:
            shin, foot = (points[a] - points[k]) / lower, onward - points[a]
            score += ANKLE_BONUS * length * bool(shin @ foot < ANKLE_TURN * np.linalg.norm(foot))
        if score > best:
            best, chosen = float(score), (h, k, a)
    return chosen


def _way(points: Sequence[Vector]) -> float:
    """The length of a path through points."""
    return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(points)))
