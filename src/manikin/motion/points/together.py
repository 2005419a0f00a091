"""Poses of all frames at once: near the points, near the rest pose, inside the limits, and smooth over time.

The cost is

    ½ Σ w |p − y|² + pulls + ½ λ Σ_j M_j |D_3 q_j|²,        λ = (2 sin(π f / rate))^(−6),

where M_j is the median of the diagonal of JᵀWJ for step j, over the frames that have points. So the frequency f has the
same meaning for every joint. Frames without points stay near the start, which bridges gaps. The system of a
Gauss–Newton step is banded, because D_3 couples four neighbouring frames. Long clips are solved in windows that
overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Indices, Matrix, Poses, Vector
from manikin.base.blas import solveh_banded
from manikin.base.progress import Progress, goes_on
from manikin.motion.points.model import PointModel
from manikin.motion.points.pulls import PosturePulls
from manikin.motion.points.seen import SeenPoints
from manikin.motion.smoothing import ORDER
from manikin.reference import smooth

ITERATIONS = 8
"""Largest number of Gauss–Newton steps of a window."""
ENOUGH = 1e-3
"""A window is done if a step lowers the cost by less than this fraction."""
LARGEST_STEP = 0.5
"""Largest change of one degree of freedom in one iteration, in radians."""
WINDOW = 400
"""Frames of a window that are kept."""
AT_LIMIT = 0.01
"""A joint is pushed against its limit if the points pull it this far beyond the limit, in radians."""
EMPTY = 1e-3
"""Strength of the pull of a frame without points to its start, as a share of M. Without it, a long gap would be a
parabola."""
MARGIN = 1.0
"""Seconds on each side of a window that are solved but not kept. The effect of a cut dies out within this time."""


@dataclass(frozen=True, eq=False)
class Bending:
    """The rows of the third differences of some frames, with √λ."""

    rows: Matrix
    first: Indices

    @staticmethod
    def of(times: Vector, frequency: float) -> Bending:
        order = min(ORDER, len(times) - 1)
        if order < 1:
            return Bending(np.zeros((0, 1)), np.zeros(0, dtype=np.int32))
        rate = (len(times) - 1) / (times[-1] - times[0])
        rows = np.sqrt(smooth.strength(rate, frequency, order)) * smooth.difference_rows(times, order)
        return Bending(rows, np.arange(len(rows), dtype=np.int32))

    def bent(self, model: PointModel, poses: Poses) -> Matrix:
        """(M, n) the rows applied to the moving steps."""
        if not len(self.rows):
            return np.zeros((0, len(model.columns)))
        steps = model.base.difference(poses[:-1], poses[1:])[:, model.columns]
        return smooth.bend_steps(self.rows, self.first, steps)


def fit_poses(
    model: PointModel,
    seen: SeenPoints,
    poses: Poses,
    pulls: PosturePulls,
    frequency: float,
    robust: bool = True,
    progress: Progress | None = None,
) -> tuple[Poses, NDArray[np.bool_]]:
    """The poses (T, nq) of all frames, within the limits; and (T, n) whether the points push a step over a limit.

    Args:
        model: the figure and its points.
        seen: the points.
        poses: (T, nq) the start.
        pulls: the pulls on the joints.
        frequency: f in Hz, where smoothing halves a wave.
        robust: whether outliers lose their pull.
        progress: called with (frames done, frames) after each window. If it returns False, the rest is left out.
    """
    count = len(poses)
    rate = (count - 1) / (seen.times[-1] - seen.times[0]) if count > 1 else 1.0
    margin = int(np.ceil(MARGIN * rate))
    out = []
    for begin in range(0, count, WINDOW):
        end = min(begin + WINDOW, count)
        if count - end < WINDOW // 4:  # a short remainder belongs to this window
            end = count
        frames = slice(max(begin - margin, 0), min(end + margin, count))
        found = _window(model, seen.part(frames), poses[frames], pulls, frequency, robust)
        out.append(found[begin - frames.start : end - frames.start])
        if not goes_on(progress, end, count) or end == count:
            break
    free = np.concatenate(out)
    inside = model.figure.clamp(free)
    over = np.abs(model.figure.difference(inside, free)[:, model.columns]) > AT_LIMIT
    return inside, over


def _window(
    model: PointModel, seen: SeenPoints, poses: Poses, pulls: PosturePulls, frequency: float, robust: bool
) -> Poses:
    figure, columns = model.base, model.columns  # steps do not depend on lengths
    # Start.
    bending = Bending.of(seen.times, frequency)
    damping, now = 1e-3, np.array(poses)
    step = np.zeros((len(poses), figure.nv))
    held: Vector | None = None
    for _ in range(ITERATIONS):
        # Normal equations of each frame, with the pulls on its joints.
        away = model.points(now) - seen.points
        weights = seen.pulls(np.linalg.norm(away, axis=-1), robust)
        J = model.jacobian(now)
        WJ = np.repeat(weights, 3, axis=1)[..., None] * J
        A = J.transpose(0, 2, 1) @ WJ
        gradient = np.einsum("tmn,tm->tn", WJ, away.reshape(len(now), -1))
        pull_cost, pull_gradient, pull_hessian = pulls.on(now)
        # Frames without points are held near the start.
        known = np.diagonal(A, axis1=1, axis2=2)
        empty = np.asarray(~known.any(axis=1))
        if held is None:
            if empty.all():
                return now
            told = np.median(known[~empty], axis=0)
            held = told + pulls.typical() + 1e-6 * told.max()
        A += pull_hessian
        A[empty] += EMPTY * np.diag(held)
        gap, gap_cost = _from_start(model, poses, now, empty, held)
        # Differences between frames.
        bent = bending.bent(model, now)
        gradient = gradient + pull_gradient + gap + held * _spread(bending, bent, len(now))
        cost = gap_cost + _cost(away, weights, pull_cost, held, bent)
        # Raise the damping until a step lowers the cost.
        lowered = False
        while damping < 1e6:
            change = -_solved(A, bending, held, gradient, damping)
            change = np.clip(change, -LARGEST_STEP, LARGEST_STEP)
            step[:, columns] = change
            trial = figure.integrate(now, step)
            trial_cost = _from_start(model, poses, trial, empty, held)[1] + _cost(
                model.points(trial) - seen.points, weights, pulls.cost(trial), held, bending.bent(model, trial)
            )
            if trial_cost < cost:
                damping = max(damping / 8.0, 1e-9)
                lowered = True
                break
            damping *= 8.0
        if not lowered:
            break
        now = trial
        if cost - trial_cost < ENOUGH * cost:
            break
    return now


def _cost(away: Matrix, weights: Matrix, pull_cost: Vector, held: Vector, bent: Matrix) -> float:
    near = 0.5 * (weights * (away**2).sum(axis=-1)).sum()
    return float(near + pull_cost.sum() + 0.5 * (held * bent**2).sum())


def _from_start(
    model: PointModel, start: Poses, now: Poses, empty: NDArray[np.bool_], held: Vector
) -> tuple[Matrix, float]:
    """The gradient (T, n) and the cost of the pull of frames without points to the start."""
    gradient = np.zeros((len(now), len(held)))
    if not empty.any():
        return gradient, 0.0
    away = model.base.difference(start[empty], now[empty])[:, model.columns]
    gradient[empty] = EMPTY * held * away
    return gradient, float(0.5 * (gradient[empty] * away).sum())


def _spread(bending: Bending, bent: Matrix, frames: int) -> Matrix:
    """(T, n) the transpose of the rows, applied to the differences `bent`."""
    out = np.zeros((frames, bent.shape[1]))
    for j in range(bending.rows.shape[1] if len(bending.rows) else 0):
        out[bending.first + j] += bending.rows[:, j, None] * bent
    return out


def _solved(A: Matrix, bending: Bending, held: Vector, gradient: Matrix, damping: float) -> Matrix:
    """(T, n) the solution of (A + damping diag A + λ M D'D) x = gradient, by a banded Cholesky factorisation."""

    frames, n = gradient.shape
    width = bending.rows.shape[1] if len(bending.rows) else 1
    band = np.zeros((max(width * n - n + 1, n), frames, n))  # band[d, t, j] couples (t, j) with the entry d later
    for d in range(n):
        band[d, :, : n - d] = A[:, np.arange(d, n), np.arange(n - d)]
    band[0] *= 1.0 + damping
    for j in range(width if len(bending.rows) else 0):
        for i in range(j, width):
            band[(i - j) * n, bending.first + j] += (bending.rows[:, j] * bending.rows[:, i])[:, None] * held
    solved = solveh_banded(band.reshape(len(band), -1), gradient.ravel(), lower=True, check_finite=False)
    return np.asarray(solved.reshape(frames, n))
