"""Solves the frames of a track again that ran out of iterations, because their targets jumped.

A pose that turns a part much more since the previous frame than both the tracked pose and the target is not used,
because it may bend a limb the other way. The joints with a speed limit, which carry no foot, then keep their tracked
angles, and the others are solved alone. If this turns a part even more, because the tracked pose is behind the targets,
the first pose is used after all, within `ALLOWED`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Rotations, Vector
from manikin.motion.frames import Flags
from manikin.motion.retarget.watch import turn_angles

if TYPE_CHECKING:
    from manikin.motion.retarget.solving import Tracker
    from manikin.solvers.native.solver import Solver

MOST_CHANGE = 0.05
"""A frame that is solved to the end may turn a part by this much more than the tracked frame and the targets, in
radians."""
ALLOWED = (0.1, 0.3)
"""Such a frame may turn a part by this much more than its target if the tracked pose is worse: an angle in radians, or
a fraction of the largest turn of a target, whichever is more. Chosen on the dab."""
Indices = NDArray[np.intp]


def finished(
    tracker: Tracker, tracked: Poses, late: Indices, rows: Matrix, weights: Matrix, first: int, before: Vector
) -> Poses:
    """The poses of a track from frame `first` on, with other poses in the frames `late`.

    Args:
        tracker: the goals.
        tracked: (frames, nq) the poses of the track.
        late: the frames that ran out of iterations.
        rows: (frames, k) the targets.
        weights: (frames, goals).
        first: index of the first frame in the clip.
        before: (nq,) the pose before the first frame.
    """
    if not len(late):
        return np.array(tracked)
    return _Late(tracker, tracked, late, rows, weights, first, before).poses()


class _Late:
    """Late frames with their tracked and solved poses. Frames are counted among the late ones, by k."""

    def __init__(
        self, tracker: Tracker, tracked: Poses, late: Indices, rows: Matrix, weights: Matrix, first: int, before: Vector
    ) -> None:
        self.tracker, self.tracked, self.late = tracker, tracked, late
        self.rows, self.weights = rows, weights
        self.more = self._solved_by(tracker.solver, late)
        """(late frames, nq) solved poses."""
        self.wanted = tracker.wanted_turns(late + first)
        self.allowed = np.maximum(ALLOWED[0], ALLOWED[1] * self.wanted.max(axis=1))
        """(late frames,) how much more than its target a part may turn, in radians."""
        frames = np.unique(np.concatenate([late[late > 0] - 1, late]))
        turned = self._turned(tracked[frames])
        at = np.searchsorted(frames, np.maximum(late[:, None] + [-1, 0], 0))
        self.R = np.concatenate([turned[at], self._turned(self.more)[:, None]], axis=1)
        """(late frames, 3, segments, 3, 3) rotations in the tracked pose before, the tracked and the solved pose."""
        if late[0] == 0:
            self.R[0, 0] = self._turned(before)
        self.after_tracked = turn_angles(self.R[:, :1], self.R[:, 1:])
        """(late frames, 2, segments) turns of tracked and solved pose since the tracked pose before."""
        self.legs: dict[int, tuple[Vector, Rotations]] = {}
        """Poses in which the joints with a speed limit keep their tracked angles, and the rotations in them."""

    def poses(self) -> Poses:
        """(frames, nq) the poses of the track, with those of late frames replaced where this is better."""
        poses, wanted = np.array(self.tracked), self.wanted
        replaced: dict[int, Rotations] = {}  # the rotations of the frames that have other poses now
        for k, frame in enumerate(self.late.tolist()):
            then = replaced.get(frame - 1)
            tracked, solved = self.after_tracked[k] if then is None else turn_angles(then, self.R[k, 1:])
            most = np.maximum(tracked, wanted[k]) + MOST_CHANGE
            if (solved < most).all():
                poses[frame], replaced[frame] = self.more[k], self.R[k, 2]
                continue
            pose, turned = self._with_legs(k)
            turns = turn_angles(self.R[k, 0] if then is None else then, turned)
            usable = turns.max() < most.max()
            otherwise = turns if usable else tracked
            if (solved - wanted[k]).max() < min((otherwise - wanted[k]).max(), self.allowed[k]):
                poses[frame], replaced[frame] = self.more[k], self.R[k, 2]
            elif usable:
                poses[frame], replaced[frame] = pose, turned
        return poses

    def _solved_by(self, solver: Solver, frames: Indices) -> Poses:
        """The poses that a solver finds from the tracked poses of some frames."""
        return self.tracker.solved(solver, self.tracked[frames], self.rows[frames], self.weights[frames])

    def _with_legs(self, k: int) -> tuple[Vector, Rotations]:
        """The pose of a frame that is solved with the other joints alone, and the rotations in it."""
        if k not in self.legs:  # with all later frames that may need it, because one call is faster than many
            doubtful = np.flatnonzero(_turns_more(self.after_tracked, self.wanted)).tolist()
            at = [k, *(j for j in doubtful if j > k and j not in self.legs)]
            found = self._solved_by(self.tracker.legs, self.late[at])
            self.legs.update(zip(at, zip(found, self._turned(found), strict=True), strict=True))
        return self.legs[k]

    def _turned(self, poses: Poses) -> Rotations:
        """(..., segments, 3, 3) rotations of the segments with goals in poses (..., nq)."""
        return self.tracker.figure.placements(poses, self.tracker.segments)[..., :3, :3]


def _turns_more(turns: Matrix, wanted: Matrix) -> Flags:
    """(frames,) whether solved poses turn a segment much more than both the tracked poses and the targets. `turns` are
    those of both, (frames, 2, segments)."""
    most = np.maximum(turns[:, 0], wanted) + MOST_CHANGE
    return np.asarray((turns[:, 1] >= most).any(axis=1))
