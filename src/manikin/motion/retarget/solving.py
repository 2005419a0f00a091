"""Solves the goals of all frames with one track."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from manikin.arrays import Poses, Vector
from manikin.figure import Figure
from manikin.motion.retarget.goals import Wish
from manikin.solvers.native.solver import Solver

LEAD = 20
"""The first frame is repeated this many times before the clip, so that the first pose has converged."""
ITERATIONS = 12
"""Most iterations of a frame. Goals compete, so none is ever reached exactly; more iterations change the poses by less
than a tolerance."""
PIECE = 500
"""Number of frames after which progress is reported."""

Progress = Callable[[int, int], object]


class Tracker:
    """Goals on a figure, compiled once and tracked over the frames of a clip."""

    def __init__(
        self, figure: Figure, wishes: Sequence[Wish], only: Sequence[str], times: Vector, start: Vector | None
    ) -> None:
        self.figure, self.times, self.start = figure, times, start
        self.solver = Solver(figure, [wish.goal for wish in wishes], only=list(only))

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
                iterations=ITERATIONS,
            )
            done.append(np.array(found.poses))
            pose, before = done[-1][-1], rows[last - 1]
            if progress is not None and progress(last, len(rows)) is False:
                break
        return np.concatenate(done)
