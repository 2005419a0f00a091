"""Solves the goals of all frames with one track."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Poses, Vector
from manikin.figure import Figure
from manikin.goals import Orientation
from manikin.motion.retarget.goals import Wish
from manikin.motion.retarget.watch import turn_angles
from manikin.solution import Solutions, Status
from manikin.solvers.native.solver import Solver

LEAD = 20
"""The first frame is repeated this many times before the clip, so that the first pose has converged."""
ITERATIONS = 8
"""Most iterations of a frame. Goals compete, so none is ever reached exactly. With 12 instead of 8, the error of limbs
changes by less than 0.01° in clips with 100 or more frames per second. Frames with faster motion are finished later."""
MORE_ITERATIONS = 100
"""Most iterations of a frame that `ITERATIONS` did not finish."""
MOST_CHANGE = 0.05
"""A frame that is solved to the end may turn a part by this much more than the tracked frame and the targets, in
radians."""
PIECE = 500
"""Number of frames after which progress is reported."""

Progress = Callable[[int, int], object]


class Tracker:
    """Goals on a figure, compiled once and tracked over the frames of a clip."""

    def __init__(
        self,
        figure: Figure,
        wishes: Sequence[Wish],
        only: Sequence[str],
        times: Vector,
        start: Vector | None,
        speeds: Mapping[str, float] | None,
    ) -> None:
        self.figure, self.times, self.start = figure, times, start
        self.speeds = None if speeds is None else dict(speeds)
        self.segments = sorted({effector.segment for wish in wishes for effector in wish.goal.effectors})
        self.goals, self.only = [wish.goal for wish in wishes], list(only)
        self.solver = Solver(figure, self.goals, only=self.only)

    @cached_property
    def _legs(self) -> Solver:
        """A solver that leaves the joints with a speed limit alone. They carry no foot."""
        return Solver(self.figure, self.goals, only=[name for name in self.only if name not in (self.speeds or {})])

    def track(self, wishes: Sequence[Wish], progress: Progress | None = None) -> Poses:
        """(frames, nq) poses for targets and weights. There are fewer frames if `progress` returns False."""
        rows = np.ascontiguousarray(np.concatenate([wish.rows for wish in wishes], axis=1))
        weights = np.ascontiguousarray(np.stack([wish.weights for wish in wishes], axis=1))
        step = self.times[1] - self.times[0] if len(self.times) > 1 else 1.0 / 30.0
        pose = self.solver.solve(self.start, rows[0], weights=weights[0]).pose
        lead = [np.repeat(table[:1], LEAD, axis=0) for table in (rows, weights)]
        pose = self.solver.track(pose, lead[0], dt=step, weights=lead[1], iterations=ITERATIONS).poses[-1]
        before, done = rows[0], []
        times = np.concatenate([[self.times[0] - step], self.times])
        for first in range(0, len(rows), PIECE):
            last = min(first + PIECE, len(rows))
            found = self.solver.track(
                pose,
                rows[first:last],
                before=before,
                times=times[first : last + 1],
                weights=weights[first:last],
                max_speed=self.speeds,
                iterations=ITERATIONS,
            )
            done.append(self._finished(found, rows[first:last], weights[first:last], wishes, first, pose))
            pose, before = found.poses[-1], rows[last - 1]
            if progress is not None and progress(last, len(rows)) is False:
                break
        return np.concatenate(done)

    def _finished(
        self, found: Solutions, rows: Matrix, weights: Matrix, wishes: Sequence[Wish], first: int, before: Vector
    ) -> Poses:
        """The poses of a track from frame `first` on.

        Frames that ran out of iterations, because the targets jumped, are solved again with more iterations.

        A pose that turns a part much more since the previous frame than both the tracked pose and the target is not
        used, because it may bend a limb the other way. The joints with a speed limit, which carry no foot, then keep
        their tracked angles, and the others are solved alone.
        """
        poses = np.array(found.poses)
        late = np.flatnonzero(np.array(found.status) == Status.OUT_OF_ITERATIONS)
        if not len(late):
            return poses
        more = self.solver.solve_many(
            poses[late], rows[late], weights=weights[late], restarts=0, iterations=MORE_ITERATIONS
        ).poses
        mixed = self._legs.solve_many(
            poses[late], rows[late], weights=weights[late], restarts=0, iterations=MORE_ITERATIONS
        ).poses
        wanted = _wanted_turns(wishes, self.segments, late + first)
        previous = np.where((late > 0)[:, None], poses[late - 1], before)
        four = np.stack([previous, poses[late], more, mixed], axis=1)
        R = self.figure.placements(four, self.segments)[..., :3, :3]  # (late frames, 4, segments, 3, 3)
        used: dict[int, int] = {}  # the replaced frames, and which of the four poses they have
        for k, frame in enumerate(late.tolist()):
            then = R[k - 1, used[frame - 1]] if frame - 1 in used else R[k, 0]
            tracked, *solved = turn_angles(then, R[k, 1:])
            most = np.maximum(tracked, wanted[k]) + MOST_CHANGE
            if (solved[0] < most).all():
                used[frame] = 2
            elif solved[1].max() < most.max():
                used[frame] = 3
            if frame in used:
                poses[frame] = four[k, used[frame]]
        return poses


def _wanted_turns(wishes: Sequence[Wish], segments: Sequence[str], frames: NDArray[np.intp]) -> Matrix:
    """(len(frames), segments) the turn of the target orientation of each segment since the previous frame, in radians.
    It is 0 for a segment without such a target, and in frame 0."""
    out = np.zeros((len(frames), len(segments)))
    before = np.maximum(frames - 1, 0)
    for wish in wishes:
        if isinstance(wish.goal, Orientation):
            now, then = (rotations.to_matrix(wish.rows[k]) for k in (frames, before))
            out[:, segments.index(wish.goal.segment)] = turn_angles(then, now)
    return out
