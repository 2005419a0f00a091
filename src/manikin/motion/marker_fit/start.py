"""Starts: the rest pose, turned, moved and scaled so that the markers of the trunk fit (Procrustes)."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Rotations, Vector
from manikin.motion.marker_fit.body import MarkerBody

LEAST = 3
"""At least this many markers of the trunk must be seen in a frame."""


def crossed(points: Points, targets: Points, weights: Matrix) -> tuple[Rotations, Points, Points, Points]:
    """Σ w (y − ȳ)(p − p̄)ᵀ of each frame (N, 3, 3), the means p̄ and ȳ (N, 3), and p − p̄ (N, M, 3)."""
    total = np.maximum(weights.sum(axis=1), 1e-300)[:, None]
    here = (weights @ points) / total
    there = np.einsum("nm,nmi->ni", weights, targets) / total
    a, b = points[None] - here[:, None], targets - there[:, None]
    return np.asarray(np.einsum("nm,nmi,nmj->nij", weights, b, a)), here, there, a


def procrustes(points: Points, targets: Points, weights: Matrix) -> tuple[Rotations, Vector, Vector]:
    """The turns R (N, 3, 3), scales s (N,) and shifts t (N, 3) that minimise Σ w |s R p + t − y|² in each frame.

    Args:
        points: (M, 3) p.
        targets: (N, M, 3) y; any finite value where the weight is 0.
        weights: (N, M).
    """
    covariance, here, there, a = crossed(points, targets, weights)
    u, s, v = np.linalg.svd(covariance)
    sign = np.ones((len(targets), 3))
    sign[:, 2] = np.sign(np.linalg.det(u @ v))
    turns = (u * sign[:, None]) @ v
    spread = np.maximum(np.einsum("nm,nmi,nmi->n", weights, a, a), 1e-300)
    scales = (s * sign).sum(axis=1) / spread
    shifts = there - scales[:, None] * np.einsum("nij,nj->ni", turns, here)
    return turns, scales, shifts


def started(body: MarkerBody, points: Points, targets: Points, weights: Matrix) -> tuple[Poses, float, Rotations]:
    """Poses (N, nq) in which the trunk stands at its markers, the common scale, and the turns (N, 3, 3).

    Args:
        body: the figure.
        points: (M, 3) markers of the trunk in the rest pose.
        targets: (N, M, 3) measured.
        weights: (N, M), 0 where a marker is not seen.
    """
    turns, scales, _ = procrustes(points, targets, weights)
    enough = (weights > 0.0).sum(axis=1) >= LEAST
    common = float(np.median(scales[enough])) if enough.any() else 1.0
    # The middle of the trunk markers is in the right place for the common scale too.
    total = np.maximum(weights.sum(axis=1), 1e-300)[:, None]
    here = (weights @ points) / total
    there = np.einsum("nm,nmi->ni", weights, targets) / total
    root = body.figure.placements(body.figure.rest)[0, :3, 3]
    arm = np.einsum("nij,nj->ni", turns, common * (here - root))
    shifts = there - arm - np.einsum("nij,j->ni", turns, root)
    return body.with_root(body.figure.rest, turns, shifts), common, turns


def up_axis(turns: Rotations, up: str) -> str | None:
    """The axis of the laboratory that points up, from the turns of the body; None if the body is not upright."""
    mean = turns[:, :, "xyz".index(up)].mean(axis=0)
    best = int(np.argmax(np.abs(mean)))
    return "xyz"[best] if mean[best] > 0.7 else None
