"""All frames of a trial with a finished calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.motion.marker_fit.fitter import START_ITERATIONS, Fitter
from manikin.motion.marker_fit.inverse import REJECTED
from manikin.motion.marker_fit.model import Mask

SEEDS = 8
"""Number of frames from which the track may start. The best one is taken."""
LOST = 0.04
"""A frame whose RMS is above this, in sizes (60 mm), is also tried from the markers of its trunk."""
LEAST = 4
"""A frame with fewer markers is not tried again."""


@dataclass(frozen=True, eq=False)
class FittedClip:
    """Frames that were fitted."""

    poses: Poses
    """(n, nq), n ≤ T if the work was ended earlier."""
    residuals: Matrix
    """(n, M), NaN in gaps."""
    rejected: Mask
    """(n, M)."""


def solved(
    fitter: Fitter,
    positions: Points,
    times: Vector,
    robust: bool,
    smooth: float | None,
    progress: Callable[[int, int], object] | None = None,
) -> FittedClip:
    """Tracks all frames, solves frames with outliers robustly, and bridges gaps.

    Args:
        fitter: the person with its final lengths and places.
        positions: (T, M, 3), NaN in gaps.
        times: (T,) seconds.
        robust: whether outliers lose their pull.
        smooth: Hz, or None.
        progress: called with (frames tracked, T). If it returns False, the frames so far are finished.
    """
    seen = ~np.isnan(positions[..., 0])
    measured = np.where(seen[..., None], positions, 0.0)
    rows = measured.reshape(len(measured), -1)
    solver, weights = fitter.solver, fitter.weights
    seed, pose = _seed(fitter, measured, rows, seen)
    poses = solver.track(pose, rows[seed:], times[seed:], weights, seen[seed:], _after(progress, seed, len(rows)))
    last = seed + len(poses)
    if seed:
        back = slice(seed, None, -1)
        earlier = solver.track(pose, np.ascontiguousarray(rows[back]), -times[back], weights, seen[back].copy())
        poses = np.concatenate([earlier[:0:-1], poses])
    rows, seen, measured, times = rows[:last], seen[:last], measured[:last], times[:last]
    poses = _found_again(fitter, poses, measured, rows, seen)
    poses, share = solver.fitted(poses, rows, weights, seen, robust)
    if smooth is not None:
        poses = solver.smoothed(fitter.work, poses, rows, times, weights * share, seen, smooth)
    points = fitter.model.positions(poses, np.ones(len(fitter.groups)), fitter.offsets)
    residuals = np.where(seen, np.linalg.norm(points - measured, axis=-1), np.nan)
    return FittedClip(poses, residuals, seen & (share < REJECTED))


def _seed(fitter: Fitter, measured: Points, rows: Matrix, seen: Mask) -> tuple[int, Vector]:
    """The frame from which the track starts, and its pose."""
    trunk = seen[:, fitter.trunk].sum(axis=1)
    good = np.flatnonzero(seen.sum(axis=1) + trunk >= np.quantile(seen.sum(axis=1) + trunk, 0.75))
    tried = np.unique(good[np.linspace(0, len(good) - 1, SEEDS).round().astype(int)])
    start, _, _ = fitter.start(measured[tried], seen[tried])
    weights = np.tile(fitter.weights, (len(tried), 1))
    poses, errors = fitter.solver.frames(start, rows[tried], weights, seen[tried], START_ITERATIONS)
    best = int(np.argmin(_rms(errors, seen[tried])))
    return int(tried[best]), poses[best]


def _found_again(fitter: Fitter, poses: Poses, measured: Points, rows: Matrix, seen: Mask) -> Poses:
    """Poses in which frames that the track lost are solved from the markers of the trunk, if that is better."""
    points = fitter.model.positions(poses, np.ones(len(fitter.groups)), fitter.offsets)
    size = fitter.body.figure.size
    before = _rms(np.linalg.norm(points - measured, axis=-1), seen)
    lost = np.flatnonzero((before > LOST * size) & (seen[:, fitter.trunk].sum(axis=1) >= LEAST))
    if not len(lost):
        return poses
    start, _, _ = fitter.start(measured[lost], seen[lost])
    weights = np.tile(fitter.weights, (len(lost), 1))
    again, errors = fitter.solver.frames(start, rows[lost], weights, seen[lost], START_ITERATIONS)
    better = _rms(errors, seen[lost]) < 0.5 * before[lost]
    poses[lost[better]] = again[better]
    return poses


def _rms(errors: Matrix, seen: Mask) -> Vector:
    """(N,) the RMS of each frame; 0 if it has no markers."""
    square = np.where(seen, errors, 0.0) ** 2
    return np.asarray(np.sqrt(square.sum(axis=1) / np.maximum(seen.sum(axis=1), 1)))


def _after(
    progress: Callable[[int, int], object] | None, before: int, count: int
) -> Callable[[int, int], object] | None:
    return None if progress is None else lambda done, _: progress(before + done, count)
