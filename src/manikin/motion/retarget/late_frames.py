"""Solves the frames of a track again that ran out of iterations, because their targets jumped.

A pose that turns a part much more since the previous frame than both the tracked pose and the target is not used,
because it may bend a limb the other way. The joints with a speed limit, which carry no foot, then keep their tracked
angles, and the others are solved alone. If this turns a part even more, because the tracked pose is behind the targets,
the first pose is used after all, within `ALLOWED`.

Poses that are not used come in long runs, and they take the most iterations. So some frames of a run are solved first.
Frames between two whose poses cannot be used are solved only if the pose of the frame before them is used.
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
STRIDE = 8
"""One of so many frames of a run is solved first."""

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
        self.more = np.empty((len(late), tracked.shape[1]))
        """(late frames, nq) solved poses."""
        self.solved = np.zeros(len(late), dtype=bool)
        """(late frames,) whether `more` has been solved."""
        self.wanted = tracker.wanted_turns(late + first)
        self.allowed = np.maximum(ALLOWED[0], ALLOWED[1] * self.wanted.max(axis=1))
        """(late frames,) how much more than its target a part may turn, in radians."""
        frames = np.unique(np.concatenate([late[late > 0] - 1, late]))
        turned = self._turned(tracked[frames])
        self.R = turned[np.searchsorted(frames, np.maximum(late[:, None] + [-1, 0, 0], 0))]
        """(late frames, 3, segments, 3, 3) rotations in the tracked pose before, the tracked and the solved pose."""
        if late[0] == 0:
            self.R[0, 0] = self._turned(before)
        self.after_tracked = turn_angles(self.R[:, :1], self.R[:, 1:])
        """(late frames, 2, segments) turns of tracked and solved pose since the tracked pose before."""
        self.legs: dict[int, tuple[Vector, Rotations]] = {}
        """Poses in which the joints with a speed limit keep their tracked angles, and the rotations in them."""

    def poses(self) -> Poses:
        """(frames, nq) the poses of the track, with those of late frames replaced where this is better."""
        self._solve_first()
        poses, wanted = np.array(self.tracked), self.wanted
        replaced: dict[int, Rotations] = {}  # the rotations of the frames that have other poses now
        solved_before = rejected_before = -1  # the last frames whose solved pose is used, and is not used
        after_solved = self._after_solved()
        for k, frame in enumerate(self.late.tolist()):
            if not self.solved[k] and frame - 1 != rejected_before:
                self._solve(self._unsolved_from(k))
                after_solved = self._after_solved()
            then = replaced.get(frame - 1, self.R[k, 0])
            if frame - 1 == solved_before:
                tracked, solved = after_solved[k]
            elif frame - 1 in replaced:
                tracked, solved = turn_angles(then, self.R[k, 1:])
            else:
                tracked, solved = self.after_tracked[k]
            most = np.maximum(tracked, wanted[k]) + MOST_CHANGE
            if self.solved[k] and (solved < most).all():
                poses[frame], replaced[frame], solved_before = self.more[k], self.R[k, 2], frame
                continue
            pose, turned = self._with_legs(k)
            turns = turn_angles(then, turned)
            usable = turns.max() < most.max()
            otherwise = turns if usable else tracked
            best = min((otherwise - wanted[k]).max(), self.allowed[k])
            if self.solved[k] and (solved - wanted[k]).max() < best:
                poses[frame], replaced[frame], solved_before = self.more[k], self.R[k, 2], frame
                continue
            rejected_before = frame
            if usable:
                poses[frame], replaced[frame] = pose, turned
        return poses

    def _solve_first(self) -> None:
        """Solves all frames but those between two of one run whose solved poses cannot be used."""
        hopeless = np.zeros(len(self.late), dtype=bool)
        ask = first_asked(self.late)
        while len(ask):
            self._solve(ask)
            hopeless[ask] = self._hopeless(ask)
            ask = next_asked(self.solved, hopeless)

    def _solve(self, at: Indices) -> None:
        """Solves some frames to the end from where they are."""
        self.more[at] = self._solved_by(self.tracker.solver, at)
        self.solved[at] = True
        self.R[at, 2] = self._turned(self.more[at])
        self.after_tracked[at, 1] = turn_angles(self.R[at, 0], self.R[at, 2])

    def _solved_by(self, solver: Solver, at: Indices | list[int]) -> Poses:
        """The poses of some frames that a solver finds from the tracked poses."""
        frames = self.late[at]
        return self.tracker.solved(solver, self.tracked[frames], self.rows[frames], self.weights[frames])

    def _unsolved_from(self, k: int) -> Indices:
        """The frames from k on, up to the next one that is solved."""
        return np.arange(k, k + int(np.argmax([*self.solved[k:], True])))

    def _hopeless(self, at: Indices) -> Flags:
        """Whether the solved poses of some frames turn a part so much that they cannot be used after the tracked pose
        before."""
        beyond = (self.after_tracked[at, 1] - self.wanted[at]).max(axis=1)
        return np.asarray(_turns_more(self.after_tracked[at], self.wanted[at]) & (beyond >= self.allowed[at]))

    def _after_solved(self) -> NDArray[np.float64]:
        """(late frames, 2, segments) turns of tracked and solved poses since the solved pose of the late frame
        before."""
        return turn_angles(np.roll(self.R[:, 2:], 1, axis=0), self.R[:, 1:])

    def _with_legs(self, k: int) -> tuple[Vector, Rotations]:
        """The pose of a frame that is solved with the other joints alone, and the rotations in it."""
        if k not in self.legs:  # with all later frames that may need it, because one call is faster than many
            doubtful = np.flatnonzero(~self.solved | _turns_more(self.after_tracked, self.wanted)).tolist()
            at = [k, *(j for j in doubtful if j > k and j not in self.legs)]
            found = self._solved_by(self.tracker.legs, at)
            self.legs.update(zip(at, zip(found, self._turned(found), strict=True), strict=True))
        return self.legs[k]

    def _turned(self, poses: Poses) -> Rotations:
        """(..., segments, 3, 3) rotations of the segments with goals in poses (..., nq)."""
        return self.tracker.figure.placements(poses, self.tracker.segments)[..., :3, :3]


def first_asked(late: Indices) -> Indices:
    """The late frames that are solved first: the ends of each run of frames, and one of `STRIDE` between."""
    starts = np.concatenate([[True], np.diff(late) > 1])
    ends = np.concatenate([starts[1:], [True]])
    places = np.arange(len(late))
    since = places - np.maximum.accumulate(np.where(starts, places, 0))
    return np.flatnonzero(ends | (since % STRIDE == 0))


def next_asked(solved: Flags, hopeless: Flags) -> Indices:
    """The late frames that are solved next: all between two that are not hopeless, and the middle one between two of
    which one is."""
    known = np.flatnonzero(solved)
    out: list[int] = []
    for a, b in zip(known[:-1].tolist(), known[1:].tolist(), strict=True):
        if b - a > 1 and not (hopeless[a] and hopeless[b]):
            out += [(a + b) // 2] if hopeless[a] or hopeless[b] else range(a + 1, b)
    return np.array(out, dtype=np.intp)


def _turns_more(turns: Matrix, wanted: Matrix) -> Flags:
    """(frames,) whether solved poses turn a segment much more than both the tracked poses and the targets. `turns` are
    those of both, (frames, 2, segments)."""
    most = np.maximum(turns[:, 0], wanted) + MOST_CHANGE
    return np.asarray((turns[:, 1] >= most).any(axis=1))
