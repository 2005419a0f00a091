"""Inverse kinematics of markers by the native solver: single frames and whole clips, robust, with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.base.progress import Progress, goes_on
from manikin.figure import Figure
from manikin.goals import Goal, Position, Posture
from manikin.motion.marker_fit.model import Mask
from manikin.motion.smoothing import information_weights, least_frequency, smooth_poses
from manikin.solvers.native.information import native_information
from manikin.solvers.native.replaced import with_tolerance
from manikin.solvers.native.solver import Solver

TRACK_TOLERANCE = 0.02
"""A frame of the track is finished if every marker is within this distance, in sizes (30 mm)."""
TOLERANCE = 1e-6
"""Tolerance of the frames after the track, in sizes. It is so small that every frame uses all its iterations."""
LAST = 0.02
"""Scale c of the Geman–McClure loss, in sizes (30 mm)."""
ROUNDS = (0.066, 0.033, LAST, LAST)
"""Scales c of the rounds in frames with outliers, in sizes."""
ROUND_ITERATIONS = 4
CLEAN_ITERATIONS, LAST_ITERATIONS, PLAIN_ITERATIONS = 1, 3, 3
"""Iterations of the first and the last pass of a robust fit over all frames, and of a plain fit."""
OUTLIER = 0.75
"""A frame has outliers if an error is above this many c."""
LEAST_WEIGHT = 1e-6
REJECTED = 0.25
"""A sample is rejected if its robust weight is below this, that is, if its error is above c."""
ANGLE_LENGTH = 0.2
"""An error of one radian counts as much as one of this many sizes (`Solver(angle_length=)`)."""
FAR = 1e3
"""Tolerance of the posture in radians. It never decides whether a frame is finished."""
CHUNK = 1000
"""Number of frames between two calls of `progress`."""


class MarkerSolver:
    """The native solver of a marker set. Offsets and lengths change by `with_numbers` without compiling."""

    def __init__(
        self,
        figure: Figure,
        names: tuple[str, ...],
        segments: tuple[str, ...],
        offsets: Points,
        movable: tuple[str, ...],
        posture: Mapping[str, float] | None = None,
    ) -> None:
        """
        Args:
            figure: the figure with scale 1 and the limits of the fit.
            names: of the markers.
            segments: of the markers.
            offsets: (M, 3).
            movable: names of the joints that move markers.
            posture: how strongly joints stay at the rest pose: an angle of one radian counts as much as an error of
                this many sizes. None means not at all.
        """
        self.size = figure.size
        self._lengths: dict[str, float] = {}
        goals: list[Goal] = [
            Position(segment, (0.0, 0.0, 0.0), offset=tuple(place), name=name, tolerance=TOLERANCE * figure.size)
            for name, segment, place in zip(names, segments, offsets.tolist(), strict=True)
        ]
        self._rest: Vector = np.zeros(0)
        """(nq,) the posture, as a part of a row of targets; empty if there is none."""
        if posture is not None:
            self._rest = figure.rest
            unnamed = {s.joint.name: 0.0 for s in figure.segments if figure.step_of(s.joint.name) >= 0}
            stiffness = {name: (size / ANGLE_LENGTH) ** 2 for name, size in posture.items()}
            goals.append(Posture(tuple(figure.rest.tolist()), stiffness=unnamed | stiffness, tolerance=FAR))
        self.tight = Solver(figure, goals, only=movable)

    @cached_property
    def loose(self) -> Solver:
        """The same goals with the tolerance of the track."""
        return with_tolerance(self.tight, TRACK_TOLERANCE * self.size)

    def prepare_track(self) -> None:
        """Compiles the goals of the track now, instead of in its first call."""
        assert self.loose.width == self.tight.width

    def _with_posture(
        self, rows: Matrix, weights: Matrix, active: Mask, counts: bool = False
    ) -> tuple[Matrix, Matrix, Mask]:
        """Rows of targets (T, k), weights and active goals (T, goals), with the posture as the last goal if there is
        one."""
        if not len(self._rest):
            return rows, weights, active
        rest = np.broadcast_to(self._rest, (len(rows), len(self._rest)))
        weights = np.broadcast_to(weights, active.shape)
        one = np.ones((len(rows), 1))
        return np.hstack([rows, rest]), np.hstack([weights, one]), np.hstack([active, one == (1.0 if counts else 0.0)])

    def with_numbers(self, offsets: Points, lengths: Mapping[str, float]) -> MarkerSolver:
        """The solver with other attachments (M, 3) and other scales of segments."""
        out = object.__new__(MarkerSolver)
        out.size, out._lengths, out._rest = self.size, dict(lengths), self._rest
        factors = {name: factor / self._lengths.get(name, 1.0) for name, factor in lengths.items()}
        out.tight = self.tight.replaced(offsets=offsets, lengths=factors)
        return out

    def frames(
        self, start: Poses, rows: Matrix, weights: Matrix, active: Mask, iterations: int, posture: bool = False
    ) -> tuple[Poses, Matrix]:
        """Poses (N, nq) of single frames and their errors (N, M), from the start poses. With `posture`, joints that
        markers hardly determine stay near the rest pose."""
        count = active.shape[1]
        rows, weights, active = self._with_posture(rows, weights, active, posture)
        found = self.tight.solve_many(start, rows, weights=weights, active=active, restarts=0, iterations=iterations)
        return np.array(found.poses), np.array(found.errors)[:, :count]

    def track(
        self,
        start: Vector,
        rows: Matrix,
        times: Vector,
        weights: Vector,
        active: Mask,
        progress: Progress | None = None,
    ) -> tuple[Poses, Matrix]:
        """Poses (T, nq) of a clip within a loose tolerance, and their errors (T, M). `start` is the pose of the first
        frame, whose errors are not computed. `progress` may end the clip earlier."""
        count = active.shape[1]
        done: list[Poses] = [start[None]]
        errors: list[Matrix] = [np.zeros((1, count))]
        rows, _, active = self._with_posture(rows, weights, active)
        weights = np.append(weights, np.ones(active.shape[1] - count))
        for a in range(1, len(rows), CHUNK):
            b = min(a + CHUNK, len(rows))
            # A continued track does not solve its first frame as a single pose, which would take milliseconds.
            part = self.loose.track(
                done[-1][-1],
                rows[a:b],
                before=rows[a - 1],
                times=times[a - 1 : b],
                weights=weights,
                active=active[a:b],
                max_speed=np.inf,
            )
            done.append(np.array(part.poses))
            errors.append(np.array(part.errors)[:, :count])
            if not goes_on(progress, b, len(rows)):
                break
        return np.concatenate(done), np.concatenate(errors)

    def plain(self, poses: Poses, rows: Matrix, weights: Vector, active: Mask) -> Poses:
        """Poses (T, nq) at the least-squares minimum of the markers, from the track."""
        return self.frames(poses, rows, np.tile(weights, (len(rows), 1)), active, PLAIN_ITERATIONS)[0]

    def robust(self, poses: Poses, rows: Matrix, weights: Vector, active: Mask) -> tuple[Poses, Matrix]:
        """Poses (T, nq) near the robust minimum, from the track; and robust weights (T, M)."""
        share = np.ones(active.shape)
        poses, errors = self.frames(poses, rows, weights * share, active, CLEAN_ITERATIONS)
        errors[~active] = 0.0
        bad = np.flatnonzero(errors.max(axis=1) > OUTLIER * LAST * self.size)
        for c in ROUNDS if len(bad) else ():
            share[bad] = self.loss(errors[bad], c)
            poses[bad], errors[bad] = self.frames(
                poses[bad], rows[bad], weights * share[bad], active[bad], ROUND_ITERATIONS
            )
            errors[bad] = np.where(active[bad], errors[bad], 0.0)
        return poses, self.loss(errors, LAST)

    def settled(self, poses: Poses, rows: Matrix, weights: Matrix, active: Mask) -> tuple[Poses, Matrix]:
        """Poses (T, nq) at the minimum for these weights (T, M), with joints that markers hardly determine near the
        rest pose; and the errors (T, M)."""
        return self.frames(poses, rows, weights, active, LAST_ITERATIONS, posture=True)

    def loss(self, errors: Matrix, c: float) -> Matrix:
        """Weights of the Geman–McClure loss with scale c in sizes."""
        square = (c * self.size) ** 2
        return np.maximum((square / (square + errors**2)) ** 2, LEAST_WEIGHT)

    def smoothed(
        self, figure: Figure, poses: Poses, rows: Matrix, times: Vector, weights: Matrix, active: Mask, frequency: float
    ) -> Poses:
        """The poses without waves above a frequency in Hz. Joints without markers are carried through gaps."""
        if len(poses) < 3:
            return poses
        rows, weights, active = self._with_posture(rows, weights, active)
        # The posture does not count here, and the core computes positions without the goals in Python.
        counts = np.where(active, weights, 0.0)
        information = native_information(self.tight._query, figure.nv, np.ascontiguousarray(poses), rows, counts)
        frequency = max(frequency, least_frequency(times))
        held = information_weights(information)
        return smooth_poses(figure, poses, times, frequency, order=2, weights=held)
