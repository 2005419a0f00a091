"""What a clip shows of a body: the canonical orientation of each part in each frame, and where the hips are.

Everything here is in canonical axes of the world (x left, y up, z forward of the figure) and in the unit of the figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Points, Poses, Rotations, Vector
from manikin.figure.parts.calibration import Calibration

POSE_SPAN = 1.0 / 30.0
"""Turns around the first frame are measured over this time, so that the frame rate does not matter, in seconds."""
POSE_TURN = np.deg2rad(20.0)
"""The first frame may be a separate pose if a part turns by more than this within `POSE_SPAN`, in radians."""
POSE_STEP = 1.7
"""The first frame is a separate pose if this turn is larger than this many times the 95th percentile of all such turns.
In 49 clips of CMU's library, which begin with a T-pose, it is at least 2.1 times as large at 24 to 120 frames per
second, and without the T-pose at most 1.3 times."""

POSE_PARTS, POSE_LEAP, POSE_CALM, POSE_AFTER = 4, np.deg2rad(45.0), 4.0, 0.1
"""The first frame is a separate pose also if `POSE_PARTS` parts turn by more than `POSE_LEAP`, in radians, and by
`POSE_CALM` times as much as in the `POSE_AFTER` seconds after it. No body stops as suddenly."""
POSE_FIRST = 0.2
"""The turn after a separate pose is at least this fraction of the largest within `POSE_SPAN`. In a clip with a broken
frame soon after the first it is smaller."""
POSE_STILL = 1e-3
"""A pose is held if no part turns by more than this from one frame to the next, in radians. Recordings are seldom as
still."""
POSE_MOVES = 0.5
"""A pose that is held is separate only if `POSE_PARTS` parts turn by more than `POSE_LEAP` after it, and if parts move
in more than this fraction of all frames. In other clips it may be their beginning."""


@dataclass(frozen=True, eq=False)
class Observed:
    """Canonical orientations and positions of the parts of a body over the frames of a clip."""

    calibration: Calibration
    turns: Mapping[str, Rotations]
    """(frames, 3, 3) C of each part."""
    hips: Points
    """(frames, 3) the point midway between the hip joints."""
    centers: Mapping[str, Points]
    """(frames, 3) the joint at which each part begins."""

    def __len__(self) -> int:
        return len(self.hips)

    @cached_property
    def steps(self) -> dict[str, Vector]:
        """(frames − 1,) the turn of each part from each frame to the next, in radians."""
        return {part: turn_angles(R[:-1], R[1:]) for part, R in self.turns.items()}

    def largest_turns(self) -> Vector:
        """(frames − 1,) the largest turn of a part from each frame to the next, in radians."""
        return np.asarray(np.max(list(self.steps.values()), axis=0)) if self.steps else np.zeros(0)

    def part_from(self, first: int) -> Observed:
        """The frames from `first` on."""
        if not first:
            return self
        out = Observed(
            self.calibration,
            {part: turns[first:] for part, turns in self.turns.items()},
            self.hips[first:],
            {part: centers[first:] for part, centers in self.centers.items()},
        )
        vars(out)["steps"] = {part: steps[first:] for part, steps in self.steps.items()}
        return out


def watch(calibration: Calibration, poses: Poses) -> Observed:
    """Observes the parts of a figure in poses (frames, nq)."""
    return observed(calibration, calibration.figure.placements(poses, calibration.mains()))


def observed(calibration: Calibration, placements: Placements) -> Observed:
    """Observes the parts of a figure by the placements (frames, parts, 4, 4) of their main segments."""
    W = calibration.world
    R = W.T @ placements[..., :3, :3]  # (frames, parts, 3, 3)
    p = placements[..., :3, 3] @ W
    where = {part: k for k, part in enumerate(calibration.axes)}
    turns = {part: rotations.each_times(R[:, k], calibration.axes[part]) for part, k in where.items()}
    pelvis = where["pelvis"]
    centers = {"pelvis": p[:, pelvis]}
    for part, link in calibration.links.items():
        whole = link.hangs and len(calibration.bones[part]) > 1  # a stack of hinges has its centre in the part above
        k, offset = (where[link.parent], link.at_parent) if whole else (where[part], link.at_own)
        centers[part] = p[:, k] + rotations.each_times(R[:, k], offset)
    return Observed(calibration, turns, p[:, pelvis] + R[:, pelvis] @ calibration.hips, centers)


def turn_angles(a: Rotations, b: Rotations) -> Vector:
    """(...,) the angle between two rotations (..., 3, 3), in radians; exact for small angles."""
    # |a − b|² is 8 sin²(θ/2)
    squares = a - b
    squares *= squares
    half = np.sqrt(squares.sum(axis=(-2, -1))) / np.sqrt(8.0)
    return np.asarray(2.0 * np.arcsin(np.minimum(half, 1.0)))


def angles_between(a: Points, b: Points) -> Vector:
    """(...,) the angle between two vectors (..., 3), in radians."""
    across = np.linalg.norm(rotations.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(across, np.einsum("...i,...i->...", a, b)))


def frames_apart(watched: Observed, times: Vector) -> int:
    """The number of frames at the beginning that are a separate pose, such as a T-pose that a program added before the
    clip: usually 0 or 1, and more if the pose is held, or if the clip was slowed down or resampled to a higher rate."""
    if len(watched) < 3:
        return 0
    seconds = (times[-1] - times[0]) / (len(times) - 1)
    span = max(1, round(POSE_SPAN / seconds))
    if len(watched) < 2 * span + 2:
        span = 1
    each = np.sort([turn_angles(R[:-span], R[span:]) for R in watched.turns.values()], axis=0)
    turns, of_several = each[-1], each[-min(POSE_PARTS, len(each))]
    usual = POSE_STEP * float(np.percentile(turns[span:], 95.0))
    after = max(1, round(POSE_AFTER / seconds))
    steps = watched.largest_turns()

    def apart(last: int) -> bool:
        """Whether the frames up to `last` are apart from those after it."""
        if steps[last] < POSE_FIRST * steps[last : last + span].max():
            return False
        calm = of_several[last + 1 : last + 1 + after]
        leaps = len(calm) > 0 and of_several[last] > max(POSE_LEAP, POSE_CALM * float(calm.max()))
        return bool(leaps or turns[last] > max(POSE_TURN, usual))

    moves = steps > POSE_STILL
    moves[0] &= moves[1]  # another pose may come before the one that is held
    held = int(np.argmax([*moves, True]))
    ends = 0 < held < len(turns) and moves.mean() > POSE_MOVES and of_several[held] > POSE_LEAP
    for last in (held, 0) if ends else (0,):
        if apart(last):
            leap = steps[last : last + span].max()
            large = steps[last + 1 :] > 0.5 * leap  # between the pose and the clip, if it was slowed down
            return last + 1 + int(np.argmin([*large, False]))
    return 0
