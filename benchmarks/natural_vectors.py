"""Vectors and matrices with their components first, (3, ...) and (3, 3, ...): NumPy is then fast on many of them."""

from __future__ import annotations

import numpy as np

from benchmarks.turns import Array

SMALL = 1e-6
"""Smallest squared angle and smallest length, to avoid divisions by zero."""


def product(A: Array, B: Array) -> Array:
    """(3, 3, ...) the products of matrices, components first."""
    return A[:, 0, None] * B[None, 0] + A[:, 1, None] * B[None, 1] + A[:, 2, None] * B[None, 2]


def applied(A: Array, v: Array) -> Array:
    return A[:, 0] * v[0] + A[:, 1] * v[1] + A[:, 2] * v[2]


def back_applied(A: Array, v: Array) -> Array:
    return A[0] * v[0] + A[1] * v[1] + A[2] * v[2]


def cross(a: Array, b: Array) -> Array:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def exponential(w: Array) -> tuple[Array, Array, Array]:
    """(3, 3, ...) the rotations of rotation vectors (3, ...), and the factors of w× and (w×)² in the left Jacobian."""
    square = np.maximum(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], w.dtype.type(SMALL))
    angle = np.sqrt(square)
    sine, cosine = np.sin(angle), np.cos(angle)
    one, two = (1 - cosine) / square, np.where(square < 1e-3, w.dtype.type(1 / 6), (angle - sine) / (angle * square))
    a, b = w * (sine / angle), w * one
    E = np.empty((3, *w.shape), w.dtype)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        E[i, i] = cosine + b[i] * w[i]
        E[i, j] = b[i] * w[j] - a[k]
        E[j, i] = b[i] * w[j] + a[k]
    return E, one, two
