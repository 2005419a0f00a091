"""Solves the goals of all frames with one track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from manikin import _core
from manikin.arrays import Matrix, Poses, Quaternions, Vector
from manikin.base.progress import Progress, goes_on
from manikin.figure import Figure
from manikin.goals import Orientation
from manikin.motion.frames import Flags
from manikin.motion.retarget.caught_arms import ARM, Arm, Piece, with_free_arms
from manikin.motion.retarget.goals import Wish
from manikin.motion.retarget.last_solvers import solver_for
from manikin.motion.retarget.late_frames import finished
from manikin.solution import Solutions, Status
from manikin.solvers.native.solver import Solver
from manikin.solvers.native.speeds import frame_times, number_speeds

RESTARTS = 4
"""Most restarts for the first frame. No pose reaches all goals, so a search always uses them all. In 69 of 70 pairs of
a clip and a figure, four find the same pose as the default number, which takes four to eight milliseconds."""
ITERATIONS = 12
"""Most iterations of a frame. Goals compete, so none is ever reached exactly, but most frames need only four. Frames
with faster motion are finished later. With 8, twice as many are. With 16, one arm of the benchmark stays behind its
joint limit."""
MORE_ITERATIONS = 80
"""Most iterations of a frame that `ITERATIONS` did not finish. With 60, the slide of one clip grows from 0.01 to
0.06 mm; with 100 it is the same."""
CUT = np.deg2rad(60.0)
"""If the pelvis turns by more than this from one frame to the next, the next pose is searched as in the first frame. In
the ten clips of the benchmark it turns by at most 24°."""
SHORT = 0.5
"""For speed limits, the time between two frames is at least this fraction of the usual one (the 75th percentile)."""
PIECE = 500
"""Progress is reported after so many frames, and at cuts."""


class Tracker:
    """Goals on a figure, compiled once and tracked over the frames of a clip."""

    def __init__(
        self,
        figure: Figure,
        wishes: Sequence[Wish],
        only: Sequence[str],
        times: Vector,
        near: Poses | None,
        speeds: Mapping[str, float] | None,
        arms: Sequence[Arm] = (),
    ) -> None:
        self.figure, self.times, self.near = figure, times, near
        self.speeds = None if speeds is None else dict(speeds)
        self.arms = tuple(arms)
        self.segments = sorted({effector.segment for wish in wishes for effector in wish.goal.effectors})
        self.goals, self.only = [wish.goal for wish in wishes], list(only)
        self.turning = [wish for wish in wishes if isinstance(wish.goal, Orientation)]
        self.solver = solver_for(figure, self.goals, self.only)

    @cached_property
    def legs(self) -> Solver:
        """A solver that leaves the joints with a speed limit alone. They carry no foot."""
        return solver_for(self.figure, self.goals, [name for name in self.only if name not in (self.speeds or {})])

    def track(self, wishes: Sequence[Wish], progress: Progress | None = None) -> Poses:
        """(frames, nq) poses for targets and weights. There are fewer frames if `progress` returns False."""
        rows = np.ascontiguousarray(np.concatenate([wish.rows for wish in wishes], axis=1))
        weights = np.ascontiguousarray(np.stack([wish.weights for wish in wishes], axis=1))
        step = self.times[1] - self.times[0] if len(self.times) > 1 else 1.0 / 30.0
        times = np.concatenate([[self.times[0] - step], self.times])
        cuts, done = {0, *self._cuts}, []
        ends = sorted({*range(0, len(rows), PIECE), *cuts, len(rows)})
        for first, last in pairwise(ends):
            if first in cuts:
                start = None if self.near is None else self.near[first]
                pose = self.solver.solve(start, rows[first], weights=weights[first], restarts=RESTARTS).pose
                before = rows[first]
            found = self._track(pose, rows[first:last], weights[first:last], before, times[first : last + 1])
            late = np.flatnonzero(_ran_out(found))
            poses = finished(self, found.poses, late, rows[first:last], weights[first:last], first, pose)
            pose, before = found.poses[-1], rows[last - 1]
            if self.arms:
                piece = Piece(rows[first:last], weights[first:last], self.times[first:last], first)
                freed = with_free_arms(self, poses, piece, wishes)
                pose = pose if freed is poses else freed[-1]
                poses = freed
            done.append(poses)
            if not goes_on(progress, last, len(rows)):
                break
        return np.concatenate(done)

    def _track(self, start: Vector, rows: Matrix, weights: Matrix, before: Vector, times: Vector) -> Solutions:
        """A track that continues after the pose `start`. Times begin with that of the frame before."""
        return _core.track(
            self.solver,
            start,
            rows,
            before=before,
            dt=np.maximum(frame_times(len(times), None, times, True), self._least_seconds),
            weights=weights,
            max_speed=self._number_speeds,
            iterations=ITERATIONS,
            competing=True,
        )

    @cached_property
    def _least_seconds(self) -> float:
        """The least time between two frames for speed limits. If two frames are almost at the same time, joints need to
        move there as in other frames, because planted feet come first."""
        return SHORT * float(np.percentile(np.diff(self.times), 75.0)) if len(self.times) > 1 else 0.0

    @cached_property
    def _number_speeds(self) -> Vector:
        """(nq,) the largest speed of each number."""
        return number_speeds(self.figure, self.speeds)

    def alone(self, start: Vector, piece: Piece, frame: int) -> Vector:
        """The pose of one frame, solved from the pose `start`."""
        return self.solver.solve(
            start, piece.rows[frame], weights=piece.weights[frame], restarts=0, iterations=MORE_ITERATIONS
        ).pose

    def around(self, pose: Vector, piece: Piece, seed: int) -> Poses:
        """The poses of a piece, tracked in both directions of time from frame `seed`, which has the pose given."""
        found = [pose[None]]
        late = [np.zeros(1, dtype=bool)]
        for way, last in ((-1, None), (1, len(piece.rows))):
            here = slice(seed, last, way)
            rows, weights = np.ascontiguousarray(piece.rows[here]), np.ascontiguousarray(piece.weights[here])
            if len(rows) > 1:
                track = self._track(pose, rows[1:], weights[1:], rows[0], way * piece.times[here])
                found.insert(0, track.poses[::way]) if way < 0 else found.append(track.poses)
                out = _ran_out(track)
                late.insert(0, out[::way]) if way < 0 else late.append(out)
        poses = np.concatenate(found)
        frames = np.flatnonzero(np.concatenate(late))
        return finished(self, poses, frames, piece.rows, piece.weights, piece.first, poses[0])

    def without_arms(self, poses: Poses, rows: Matrix, weights: Matrix, wishes: Sequence[Wish]) -> Poses:
        """Poses that are solved again without the goals of the arms. Joints with a speed limit stay as they are."""
        light = np.array(weights)
        light[:, [k for k, wish in enumerate(wishes) if wish.kind in (*ARM, "elbow", "wrist", "shoulder")]] = 0.0
        return self.solved(self.legs, poses, rows, light)

    @cached_property
    def largest_turn(self) -> float:
        """The largest turn of a target orientation from one frame to the next, except at cuts, in radians."""
        return float(self.wanted_turns(np.delete(np.arange(len(self.times)), self._cuts)).max())

    @cached_property
    def _orientations(self) -> Quaternions:
        """(goals, frames, 4) the targets of the goals that have an orientation."""
        return np.stack([wish.rows for wish in self.turning]) if self.turning else np.zeros((0, len(self.times), 4))

    def wanted_turns(self, frames: NDArray[np.intp]) -> Matrix:
        """(len(frames), segments) the turn of the target orientation of each segment since the previous frame, in
        radians. It is 0 for a segment without such a target, and in frame 0."""
        out = np.zeros((len(frames), len(self.segments)))
        now, then = (self._orientations[:, k] for k in (frames, np.maximum(frames - 1, 0)))
        at = [self.segments.index(wish.goal.effectors[0].segment) for wish in self.turning]
        out[:, at] = _angles(then, now).T
        return out

    @cached_property
    def _cuts(self) -> list[int]:
        """The frames before which the pelvis turns by more than `CUT`."""
        body = [wish.rows for wish in self.turning if wish.kind == "pelvis"]
        return [k + 1 for rows in body for k in np.flatnonzero(_angles(rows[:-1], rows[1:]) > CUT).tolist()]

    def solved(self, solver: Solver, poses: Poses, rows: Matrix, weights: Matrix) -> Poses:
        """Poses that are solved to the end from where they are, without a search."""
        return _core.solve_many(solver, poses, rows, weights=weights, iterations=MORE_ITERATIONS, competing=True).poses


def _angles(a: Quaternions, b: Quaternions) -> NDArray[np.float64]:
    """Angles between rotations (..., 4), in radians."""
    apart = np.minimum(*(np.einsum("...i,...i->...", x, x) for x in (a - b, a + b)))
    return np.asarray(4.0 * np.arcsin(np.clip(0.5 * np.sqrt(apart), 0.0, 1.0)))  # |q − p| is 2 sin(θ/4)


def _ran_out(found: Solutions) -> Flags:
    """(frames,) whether a track ran out of iterations."""
    return np.asarray(np.array(found.status) == Status.OUT_OF_ITERATIONS)
