"""Rotations as matrices, quaternions (wxyz) and rotation vectors, in plain NumPy, for the checker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""A NumPy array of floats. The docstrings state the shapes."""


def from_rpy(rpy: Sequence[float]) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in rpy)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def to_rpy(R: Array) -> tuple[float, float, float]:
    """Inverse of `from_rpy`. If pitch is a right angle, the yaw is 0."""
    flat = np.hypot(R[0, 0], R[1, 0])
    pitch = float(np.arctan2(-R[2, 0], flat))
    if flat < 1e-9:
        return float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0
    return float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))


def rotation_vectors(v: Array) -> Array:
    """(B, 3) -> (B, 3, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    K = np.zeros((*v.shape[:-1], 3, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    K -= np.swapaxes(K, -1, -2)
    s = np.sinc(angle / np.pi)  # sin x / x
    c = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # (1 - cos x) / x^2
    return np.eye(3) + s * K + c * (K @ K)


def matrix(quaternions: Array) -> Array:
    """wxyz, (..., 4) -> (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternions(R: Array) -> Array:
    """(..., 3, 3) -> (..., 4) wxyz, w >= 0, from the eigenvector of the largest eigenvalue."""
    K = np.empty((*R.shape[:-2], 4, 4))
    trace = np.trace(R, axis1=-2, axis2=-1)
    K[..., 0, 0] = trace
    off = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    K[..., 0, 1:], K[..., 1:, 0] = off, off
    K[..., 1:, 1:] = R + np.swapaxes(R, -1, -2) - trace[..., None, None] * np.eye(3)
    v = np.linalg.eigh(K)[1][..., -1]
    return v * np.where(v[..., :1] < 0.0, -1.0, 1.0)


def angle_between(A: Array, B: Array) -> Array:
    """(..., 3, 3), (..., 3, 3) -> (...) the angle of A B^T, exact near 0."""
    R = A @ np.swapaxes(B, -1, -2)
    skew = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    return np.arctan2(0.5 * np.linalg.norm(skew, axis=-1), 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0))
