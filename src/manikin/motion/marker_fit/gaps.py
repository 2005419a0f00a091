"""Markers that are missing or rejected for a while keep the pull that they had before and after.

A marker differs from its place on the body by a residual that changes slowly: the place is not exact, and skin moves
with the step. If the marker disappears, the pose would move by a part of this residual. So the residual is carried
through the gap: it is taken in the space of the segment at both ends, interpolated, and made smaller with the distance
from the ends. In the gap, a substitute is placed at this distance from the model, and the frame is fitted with it. The
substitute follows the model, so it tells nothing about the pose except the pull that the marker would have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points, Poses, Rotations, Vector
from manikin.motion.marker_fit.model import MarkerModel, Mask

FADING = 0.5
"""A carried residual falls by the factor e in this time from the nearer end of the gap, in seconds."""
LEAST = 0.1
"""A residual that has fallen to this share is not carried."""
SOFT = 0.3
"""Weight of a substitute, as a share of the weight of its marker. Its distance from the model is larger by the inverse,
so that the pull is the same. A soft substitute hardly holds the pose."""


def carried(residuals: Points, counted: Mask, times: Vector) -> tuple[Points, Matrix]:
    """The residuals (T, M, 3) of samples that do not count, from the samples before and after; and the share (T, M)
    that is left of them: 1 for samples that count, 0 if a marker is never seen.

    Args:
        residuals: (T, M, 3) in the space of the segment; any finite value for samples that do not count.
        counted: (T, M).
        times: (T,) seconds.
    """
    last = len(times) - 1
    frames = np.arange(last + 1)[:, None]
    before = np.maximum.accumulate(np.where(counted, frames, -1), axis=0)
    after = np.minimum.accumulate(np.where(counted, frames, last + 1)[::-1], axis=0)[::-1]
    since = np.where(before >= 0, times[:, None] - times[np.maximum(before, 0)], np.inf)
    until = np.where(after <= last, times[np.minimum(after, last)] - times[:, None], np.inf)
    nearer = np.minimum(since, until)
    left = np.exp(-nearer / FADING)
    inside = np.isfinite(since) & np.isfinite(until) & (since + until > 0.0)
    share = np.where(since > until, 1.0, 0.0)  # only one end is known
    share[inside] = since[inside] / (since + until)[inside]
    columns = np.arange(counted.shape[1])
    first, second = residuals[np.maximum(before, 0), columns], residuals[np.minimum(after, last), columns]
    return left[..., None] * (first + share[..., None] * (second - first)), left


class Substitutes(NamedTuple):
    """Targets of a pass in which markers that do not count keep their pull."""

    measured: Points
    """(T, M, 3) the samples that count, and the substitutes."""
    weights: Matrix
    """(T, M) factors on the weights of markers."""
    active: Mask
    """(T, M) samples that count, and substitutes."""


def substitutes(
    model: MarkerModel, offsets: Points, poses: Poses, measured: Points, times: Vector, counted: Mask
) -> Substitutes:
    """Substitutes for the samples that do not count.

    Args:
        model: the markers on the figure.
        offsets: (M, 3) their places.
        poses: (T, nq) fitted to the samples that count.
        measured: (T, M, 3), any finite value for samples that do not count.
        times: (T,) seconds.
        counted: (T, M) the samples that count.
    """
    weights = np.ones(counted.shape)
    some = np.flatnonzero(~counted.all(axis=0))  # the markers that need a substitute
    if not len(some):
        return Substitutes(measured, weights, counted)
    turns, points = _placed(model, poses, offsets, some)
    residuals = np.einsum("nmji,nmj->nmi", turns, measured[:, some] - points)
    pulls, left = carried(residuals, counted[:, some], times)
    frames, columns = np.nonzero(~counted[:, some] & (left > LEAST))
    measured, active = np.array(measured), np.array(counted)
    places = points + np.einsum("nmij,nmj->nmi", turns, pulls) / SOFT
    measured[frames, some[columns]] = places[frames, columns]
    weights[frames, some[columns]], active[frames, some[columns]] = SOFT, True
    return Substitutes(measured, weights, active)


def _placed(model: MarkerModel, poses: Poses, offsets: Points, some: NDArray[np.intp]) -> tuple[Rotations, Points]:
    """The turns (T, K, 3, 3) of the segments of some markers (K,), and these markers (T, K, 3)."""
    placed = model.scaled(np.ones(model.count)).placements(poses, model.segments[some])
    turns = placed[..., :3, :3]
    return turns, np.asarray(np.einsum("nmij,mj->nmi", turns, offsets[some]) + placed[..., :3, 3])
