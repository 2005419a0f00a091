"""Inverse kinematics of markers by the native solver: single frames and whole clips, robust, with gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.figure import Figure
from manikin.goals import Position
from manikin.motion.marker_fit.model import Mask
from manikin.motion.smoothing import information_weights, least_frequency, smooth_poses
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
CLEAN_ITERATIONS, PLAIN_ITERATIONS = 2, 3
"""Iterations of each pass over all frames, robust and plain."""
OUTLIER = 0.75
"""A frame has outliers if an error is above this many c."""
LEAST_WEIGHT = 1e-6
REJECTED = 0.25
"""A sample is rejected if its robust weight is below this, that is, if its error is above c."""
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
    ) -> None:
        """
        Args:
            figure: the figure with scale 1 and the limits of the fit.
            names: of the markers.
            segments: of the markers.
            offsets: (M, 3).
            movable: names of the joints that move markers.
        """
        self.size = figure.size
        self._lengths: dict[str, float] = {}

        def made(tolerance: float) -> Solver:
            goals = [
                Position(segment, (0.0, 0.0, 0.0), offset=tuple(place), name=name, tolerance=tolerance * figure.size)
                for name, segment, place in zip(names, segments, offsets.tolist(), strict=True)
            ]
            return Solver(figure, goals, only=movable)

        self.tight, self.loose = made(TOLERANCE), made(TRACK_TOLERANCE)

    def with_numbers(self, offsets: Points, lengths: Mapping[str, float]) -> MarkerSolver:
        """The solver with other attachments (M, 3) and other scales of segments."""
        out = object.__new__(MarkerSolver)
        out.size, out._lengths = self.size, dict(lengths)
        factors = {name: factor / self._lengths.get(name, 1.0) for name, factor in lengths.items()}
        out.tight = self.tight.replaced(offsets=offsets, lengths=factors)
        out.loose = self.loose.replaced(offsets=offsets, lengths=factors)
        return out

    def frames(
        self, start: Poses, rows: Matrix, weights: Matrix, active: Mask, iterations: int
    ) -> tuple[Poses, Matrix]:
        """Poses (N, nq) of single frames and their errors (N, M), from the start poses."""
        found = self.tight.solve_many(start, rows, weights=weights, active=active, restarts=0, iterations=iterations)
        return np.array(found.poses), np.array(found.errors)

    def track(
        self,
        start: Vector,
        rows: Matrix,
        times: Vector,
        weights: Vector,
        active: Mask,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[Poses, Matrix]:
        """Poses (T, nq) of a clip within a loose tolerance, and their errors (T, M). `start` is the pose of the first
        frame, whose errors are not computed. `progress` may end the clip earlier."""
        done: list[Poses] = [start[None]]
        errors: list[Matrix] = [np.zeros((1, active.shape[1]))]
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
            errors.append(np.array(part.errors))
            if progress is not None and progress(b, len(rows)) is False:
                break
        return np.concatenate(done), np.concatenate(errors)

    def fitted(self, poses: Poses, rows: Matrix, weights: Vector, active: Mask, robust: bool) -> tuple[Poses, Matrix]:
        """Poses (T, nq) at the least-squares or the robust minimum, from the track; and robust weights (T, M)."""
        share = np.ones(active.shape)
        if not robust:
            return self.frames(poses, rows, weights * share, active, PLAIN_ITERATIONS)[0], share
        poses, errors = self.frames(poses, rows, weights * share, active, CLEAN_ITERATIONS)
        errors[~active] = 0.0
        bad = np.flatnonzero(errors.max(axis=1) > OUTLIER * LAST * self.size)
        for c in ROUNDS if len(bad) else ():
            share[bad] = self.loss(errors[bad], c)
            poses[bad], errors[bad] = self.frames(
                poses[bad], rows[bad], weights * share[bad], active[bad], ROUND_ITERATIONS
            )
            errors[bad] = np.where(active[bad], errors[bad], 0.0)
        for _ in range(2):
            share = self.loss(errors, LAST)
            poses, errors = self.frames(poses, rows, weights * share, active, CLEAN_ITERATIONS)
            errors[~active] = 0.0
        return poses, self.loss(errors, LAST)

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
        information = self.tight.information(poses, rows, weights=weights, active=active)
        frequency = max(frequency, least_frequency(times))
        held = information_weights(information)
        return smooth_poses(figure, poses, times, frequency, order=2, weights=held)
