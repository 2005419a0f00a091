"""All frames of a trial with a finished calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.base.progress import Progress
from manikin.motion.marker_fit.fitter import START_ITERATIONS, Fitter
from manikin.motion.marker_fit.gaps import substitutes
from manikin.motion.marker_fit.inverse import LAST, REJECTED
from manikin.motion.marker_fit.model import Mask
from manikin.motion.marker_fit.plausible import check_size
from manikin.motion.marker_fit.trial import Trial

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
    trial: Trial,
    robust: bool,
    smooth: float | None,
    progress: Progress | None = None,
) -> FittedClip:
    """Tracks all frames, solves frames with outliers robustly, and bridges gaps.

    Args:
        fitter: the person with its final lengths and places.
        trial: the markers.
        robust: whether outliers lose their pull, and spikes do not count.
        smooth: Hz, or None.
        progress: called with (frames tracked, T). If it returns False, the frames so far are finished.
    """
    present = ~np.isnan(trial.positions[..., 0])
    wild = trial.spikes[:, list(trial.columns)] & robust
    seen = present & ~wild
    measured = np.where(present[..., None], trial.positions, 0.0)
    rows, times = measured.reshape(len(measured), -1), trial.markers.times
    solver, weights = fitter.solver, fitter.weights
    seed, pose = _seed(fitter, trial, measured, rows, seen)
    after = _after(progress, seed, len(rows))
    poses, errors = solver.track(pose, rows[seed:], times[seed:], weights, seen[seed:], after)
    last = seed + len(poses)
    if seed:
        back = slice(seed, None, -1)
        earlier = solver.track(pose, np.ascontiguousarray(rows[back]), -times[back], weights, seen[back].copy())
        poses = np.concatenate([earlier[0][:0:-1], poses])
        errors = np.concatenate([earlier[1][:0:-1], errors])
    rows, times, measured = rows[:last], times[:last], measured[:last]
    seen, present, wild = seen[:last], present[:last], wild[:last]
    poses = _found_again(fitter, poses, errors, measured, rows, seen)
    share = np.ones(seen.shape)
    if robust:
        poses, share = _robust(fitter, poses, measured, rows, times, seen)
    else:
        poses = solver.plain(poses, rows, weights, seen)
    if smooth is not None:
        poses = solver.smoothed(fitter.work, poses, rows, times, weights * share, seen, smooth)
    points = fitter.model.positions(poses, np.ones(len(fitter.groups)), fitter.offsets)
    residuals = np.where(present, np.linalg.norm(points - measured, axis=-1), np.nan)
    far = (share < REJECTED) & (np.where(present, residuals, 0.0) > LAST * solver.size)
    return FittedClip(poses, residuals, present & (far | wild))


def _robust(
    fitter: Fitter, poses: Poses, measured: Points, rows: Matrix, times: Vector, seen: Mask
) -> tuple[Poses, Matrix]:
    """Poses (T, nq) of the robust fit, and the robust weights (T, M). Markers that are missing or rejected keep the
    pull that they had before and after."""
    solver, weights = fitter.solver, fitter.weights
    poses, share = solver.robust(poses, rows, weights, seen)
    counted = seen & (share >= REJECTED)
    filled = substitutes(fitter.model, fitter.offsets, poses, measured, times, counted)
    factor = np.where(counted, share, 1.0) * filled.weights
    poses, errors = solver.settled(poses, filled.measured.reshape(len(rows), -1), weights * factor, filled.active)
    return poses, np.where(counted, solver.loss(np.where(counted, errors, 0.0), LAST), share)


def _seed(fitter: Fitter, trial: Trial, measured: Points, rows: Matrix, seen: Mask) -> tuple[int, Vector]:
    """The frame from which the track starts, and its pose."""
    trunk = seen[:, fitter.trunk].sum(axis=1)
    good = np.flatnonzero(seen.sum(axis=1) + trunk >= np.quantile(seen.sum(axis=1) + trunk, 0.75))
    tried = np.unique(good[np.linspace(0, len(good) - 1, SEEDS).round().astype(int)])
    start, common, _ = fitter.start(measured[tried], seen[tried])
    check_size(trial.markers.name, common, trial.unit)
    weights = np.tile(fitter.weights, (len(tried), 1))
    poses, errors = fitter.solver.frames(start, rows[tried], weights, seen[tried], START_ITERATIONS)
    best = int(np.argmin(_rms(errors, seen[tried])))
    return int(tried[best]), poses[best]


def _found_again(fitter: Fitter, poses: Poses, errors: Matrix, measured: Points, rows: Matrix, seen: Mask) -> Poses:
    """Poses in which frames that the track lost are solved from the markers of the trunk, if that is better. `errors`
    (T, M) are those of the track."""
    size = fitter.body.figure.size
    before = _rms(errors, seen)
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


def _after(progress: Progress | None, before: int, count: int) -> Progress | None:
    return None if progress is None else lambda done, _: progress(before + done, count)
