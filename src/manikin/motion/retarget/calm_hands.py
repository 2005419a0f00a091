"""Hands that do not snap where they meet a joint limit.

A hand whose orientation is beyond the limits of the wrist takes the nearest pose that is possible. This pose may change
from one side of a limit to the other within a frame. The speed limit of its joints does not prevent it, because it is
that of the fastest frame of the clip. Here the part of a step that is faster than the source around that time is spread
over the frames before and after it.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Poses, Rotations, Vector
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration
from manikin.motion.frames import Flags
from manikin.motion.retarget.follow_ideal import SLOWEST
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.part_joints import segments_of
from manikin.motion.retarget.watch import turn_angles

AROUND = 0.05
"""A hand may turn as fast as the fastest hand of the source within this time before and after, in seconds."""
ROUNDS = 20
"""Most times that steps are spread. Steps that are spread may add up."""


def with_calm_hands(ideal: Ideal, poses: Poses, times: Vector) -> Poses:
    """Poses (frames, nq) whose hands turn no faster than those of the source, or `SLOWEST`.

    Only joints with limits are changed. Nothing hangs on them but fingers.
    """
    target, out = ideal.calibration, poses
    for part in (f"{side} hand" for side in SIDES):
        numbers = _limited(target, part) if part in target.links else []
        if not numbers or len(poses) < 3:
            continue
        seconds = np.diff(times[: len(poses)])
        parent = target.links[part].parent
        most, seen = (
            np.maximum(fastest(turns, times)[: len(seconds)], SLOWEST) * seconds
            for turns in (np.swapaxes(ideal.turns[parent], 1, 2) @ ideal.turns[part], ideal.turns[part])
        )
        R = target.figure.placements(poses, [target.bones.main(part)])[:, 0, :3, :3]
        steps = np.diff(poses[:, numbers], axis=0)
        calm = spread(steps, np.where(turn_angles(R[:-1], R[1:]) > seen, most, np.inf), most)
        if calm is not steps:
            out = np.array(out)
            q = poses[0, numbers] + np.concatenate([np.zeros((1, len(numbers))), np.cumsum(calm, axis=0)])
            moved = (calm != steps).any(axis=1)
            changed = np.concatenate([moved, [False]]) | np.concatenate([[False], moved])
            low, high = target.figure.lower[numbers], target.figure.upper[numbers]
            out[np.ix_(changed, numbers)] = np.clip(q, low, high)[changed]
    return out


def spread(steps: Matrix, snaps: Vector, most: Vector) -> Matrix:
    """(frames − 1, n) steps with the same sum, of which those longer than `snaps` (frames − 1,) are spread over
    the steps around them until none is longer than `most` (frames − 1,). It is the same array if none is too long."""
    count, least, limits = len(steps), float(most.min()), snaps
    for _ in range(ROUNDS):
        sizes = np.linalg.norm(steps, axis=1)
        late = np.flatnonzero(sizes > limits * (1.0 + 1e-9))
        if not len(late):
            break
        before, steps = sizes, np.array(steps)
        for t in late.tolist():
            rest = steps[t] * (1.0 - limits[t] / sizes[t])
            half = int(np.ceil(np.linalg.norm(rest) / least))
            here = slice(max(t - half, 0), min(t + half + 1, count))
            steps[t] -= rest
            steps[here] += rest / (here.stop - here.start)
        limits = np.where(np.isfinite(limits), limits, np.maximum(before, most))
    return steps


def _limited(target: Calibration, part: str) -> list[int]:
    """Indices in q of the angles of a part, if all of them have limits."""
    figure, out = target.figure, []
    for name in segments_of(target, part):
        joint = figure.segment(name).joint
        if joint.coupling is None:
            first = figure.index_of(joint.name)
            out += list(range(first, first + joint.nq))
    bounded: Flags = np.isfinite(figure.lower[out]) & np.isfinite(figure.upper[out])
    return out if bounded.all() else []


def fastest(turns: Rotations, times: Vector) -> Vector:
    """(frames − 1,) the largest speed of rotations (frames, 3, 3) within `AROUND` seconds, in rad/s."""
    speeds = turn_angles(turns[:-1], turns[1:]) / np.diff(times)
    middles = 0.5 * (times[1:] + times[:-1])
    first, last = (np.searchsorted(middles, middles + way, "right") for way in (-AROUND, AROUND))
    ends = np.stack([first, last], axis=1).ravel()
    return np.asarray(np.maximum.reduceat(np.append(speeds, 0.0), ends)[::2])
