"""Frees arms that a track left behind a joint limit.

An arm that meets a joint limit can go on along the limit or turn to the other side of it. A track follows the first way
as long as it can, also when the other side becomes much better. Here such frames are found by the directions of the
arms. They are solved from the rest pose of the arms and tracked from there in both directions of time. The result is
used in the frames in which it is better, and the arms turn from one to the other no faster than the targets do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Poses, Vector
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration
from manikin.goals import Orientation
from manikin.motion.frames import runs
from manikin.motion.retarget.goals import Wish
from manikin.motion.retarget.planting import smooth
from manikin.motion.retarget.watch import angles_between, turn_angles

if TYPE_CHECKING:
    from manikin.motion.retarget.solving import Tracker

CAUGHT = np.deg2rad(20.0)
"""An arm may be caught if the direction of a bone is off by more than this, in radians."""
OFF = np.deg2rad(5.0)
"""The frames around such a frame belong to it as long as the arm is off by more than this, in radians."""
GAIN = np.deg2rad(10.0)
"""The other pose of an arm must be better by this in the frame where the arm is off most, in radians."""
TURNING = 0.3
"""The arms may begin to turn to the other pose this long before it is better, in seconds."""
LEAST = 0.6
"""The arms stay in the other pose for at least this time, in seconds, because they turn twice."""
LONGER = 1.2
"""If the arms would turn too fast within some frames, they turn within this many times as many."""
ARM = ("upper arm", "forearm", "hand")


@dataclass(frozen=True)
class Arm:
    """An arm that carries no weight."""

    numbers: tuple[int, ...]
    """Indices of its joints in q."""
    directions: tuple[tuple[int, Orientation], ...]
    """The goals that direct its bones, with their indices among the wishes."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Frames of a track."""

    rows: Matrix
    weights: Matrix
    times: Vector
    """(frames,) seconds."""
    first: int
    """Index of the first frame in the clip."""

    def part(self, first: int, last: int) -> Piece:
        """The frames from `first` to `last`."""
        here = slice(first, last + 1)
        return Piece(self.rows[here], self.weights[here], self.times[here], self.first + first)


def arms_among(calibration: Calibration, wishes: Sequence[Wish], speeds: Mapping[str, float] | None) -> list[Arm]:
    """The arms whose joints have a speed limit, which are those that carry no foot."""
    figure, out = calibration.figure, []
    names = {wish.goal.name: k for k, wish in enumerate(wishes)}
    for side in SIDES:
        parts = [part for limb in ARM if (part := f"{side} {limb}") in calibration.axes]
        joints = [figure.segment(name).joint for part in parts for name in calibration.bones[part]]
        moving = [joint for joint in joints if joint.name in (speeds or {})]
        numbers = [k for j in moving for k in range(figure.index_of(j.name), figure.index_of(j.name) + j.nq)]
        turns = [(k, wishes[k].goal) for part in parts if (k := names.get(f"{part} turn")) is not None]
        directions = [(k, goal) for k, goal in turns if isinstance(goal, Orientation) and goal.axis is not None]
        if numbers and directions:
            out.append(Arm(tuple(numbers), tuple(directions)))
    return out


def with_free_arms(tracker: Tracker, poses: Poses, piece: Piece, wishes: Sequence[Wish]) -> Poses:
    """The poses of a piece, with other poses where an arm was caught behind a joint limit."""
    errors = _all_errors(tracker, poses, wishes, piece.first)
    tried = np.zeros(len(poses), dtype=bool)
    while (seeds := np.flatnonzero((errors.max(axis=0) > CAUGHT) & ~tried)).size:
        first, last = next((a, b) for a, b in runs(errors.max(axis=0) > OFF) if a <= seeds[0] <= b)
        here = np.where(tried[first : last + 1], 0.0, errors[:, first : last + 1].max(axis=0))
        freed = _freed(tracker, poses, piece, wishes, errors, (first, last + 1), first + int(here.argmax()))
        if freed is None:
            tried[first : last + 1] = True
            continue
        poses, (a, b) = freed
        tried[a : b + 1] = True
        errors = _all_errors(tracker, poses, wishes, piece.first)
    return poses


def _freed(
    tracker: Tracker,
    poses: Poses,
    piece: Piece,
    wishes: Sequence[Wish],
    errors: Matrix,
    span: tuple[int, int],
    seed: int,
) -> tuple[Poses, tuple[int, int]] | None:
    """The poses of a piece with other ones around the frame `seed`, and the frames that have them; None if no other
    poses are better. The arms are off in the frames from span[0] to span[1] - 1."""
    caught = [arm for arm, angles in zip(tracker.arms, errors[:, slice(*span)], strict=True) if angles.max() > CAUGHT]
    start = np.array(poses[seed])
    for arm in caught:
        start[list(arm.numbers)] = tracker.figure.rest[list(arm.numbers)]
    pose = tracker.alone(start, piece, seed)
    if errors[:, seed].max() - _all_errors(tracker, pose[None], wishes, piece.first + seed).max() < GAIN:
        return None
    first = int(np.searchsorted(piece.times, piece.times[span[0]] - TURNING))
    last = int(np.searchsorted(piece.times, piece.times[span[1] - 1] + TURNING, "right")) - 1
    other = tracker.around(pose, piece.part(first, last), seed - first)
    before = errors[:, first : last + 1].max(axis=0)
    after = _all_errors(tracker, other, wishes, piece.first + first).max(axis=0)
    if after[seed - first] >= before[seed - first]:
        return None
    a, b = next((a, b) for a, b in runs(after < before) if a <= seed - first <= b)
    if piece.times[first + b] - piece.times[first + a] < LEAST and first + b < len(poses) - 1:
        return None
    mixed = _mixed(tracker, poses, piece, wishes, other, first, (first + a, first + b))
    return None if mixed is None else (mixed, (first + a, first + b))


def _mixed(
    tracker: Tracker,
    poses: Poses,
    piece: Piece,
    wishes: Sequence[Wish],
    other: Poses,
    start: int,
    span: tuple[int, int],
) -> Poses | None:
    """The poses of a piece with other ones in the frames `span`; None if the frames are too few for the arms to turn.

    At both ends of the span the arms turn from one pose to the other, half of the time inside of the span, unless the
    piece ends there. They turn no faster than the fastest target. These frames are solved again without the goals of
    the arms, so that planted feet stay.

    Args:
        other: the other poses, from frame `start` on.
    """
    figure, most = tracker.figure, tracker.largest_turn
    low, high = start, start + len(other) - 1
    ways = figure.difference(poses[low : high + 1], other)
    length = 0
    while True:
        length = max(length + 1, int(LONGER * length))
        first, last = max(span[0] - length // 2, low), min(span[1] + length // 2, high)
        if 2 * length > last - first + 1:
            return None
        here, around = slice(first, last + 1), slice(max(first - 1, 0), last + 2)
        share = np.ones(last - first + 1)
        share[:length] = smooth(np.linspace(0.0, 1.0, length + 2)[1:-1])
        if last < len(poses) - 1:
            share[-length:] = share[:length][::-1]
        between = first + np.flatnonzero(share < 1.0)
        out = np.array(poses)
        out[here] = other[first - low : last - low + 1]
        out[between] = figure.integrate(poses[between], share[between - first, None] * ways[between - low])
        if _largest_turn(tracker, out[around]) > most:
            continue
        out[between] = tracker.without_arms(out[between], piece.rows[between], piece.weights[between], wishes)
        if _largest_turn(tracker, out[around]) <= most and not np.any(figure.violation(out[here])):
            return out


def _all_errors(tracker: Tracker, poses: Poses, wishes: Sequence[Wish], first: int) -> Matrix:
    """(arms, frames) the largest angle between the bones of each arm and their directions, in radians."""
    bones = [(k, goal) for arm in tracker.arms for k, goal in arm.directions]
    R = tracker.figure.placements(poses, [goal.segment for _, goal in bones])[..., :3, :3]
    found = [R[:, at] @ np.array(goal.axis) for at, (_, goal) in enumerate(bones)]
    wanted = [
        rotations.to_matrix(wishes[k].rows[first : first + len(poses)]) @ np.array(goal.axis) for k, goal in bones
    ]
    angles = iter(angles_between(np.stack(wanted), np.stack(found)))
    return np.stack([np.max([next(angles) for _ in arm.directions], axis=0) for arm in tracker.arms])


def _largest_turn(tracker: Tracker, poses: Poses) -> float:
    """The largest turn of a segment from one pose to the next, in radians."""
    R = tracker.figure.placements(poses, tracker.segments)[..., :3, :3]
    return float(turn_angles(R[:-1], R[1:]).max()) if len(poses) > 1 else 0.0
