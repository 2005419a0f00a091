"""Which of two poses misses less, where both miss: goals of a higher priority first.

    S_l = Σ wᵢ (|eᵢ| / toleranceᵢ)²   over the goals of level l that are not within their tolerance

Two poses are compared level by level, the first level first; what differs by less than a thousandth is the same there.

This is for the methods in NumPy (`methods/run.py`), which compare whole batches. The native solver has the same rule in
cpp/solve/shortfall.cpp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector

SAME = 1e-3
"""Part by which two shortfalls may differ and be the same."""


def shortfalls(errors: Matrix, tolerances: Vector, weights: Matrix, priorities: NDArray[np.int64]) -> Matrix:
    """(B, levels) S, all 0 where every goal that counts is reached.

    Args:
        errors: (B, goals).
        tolerances: (goals,) the largest error that counts as reached.
        weights: (goals,) or (B, goals); 0 where a goal does not count.
        priorities: (goals,)
    """
    ratios = np.minimum(errors / tolerances, 1e100)  # whose square is finite
    missed = np.where(ratios > 1.0, weights * ratios**2, 0.0)
    return np.stack([missed[:, priorities == level].sum(axis=1) for level in np.unique(priorities)], axis=1)


def misses_less(one: Matrix, other: Matrix) -> NDArray[np.bool_]:
    """(B,) whether `other` misses less than `one`, both (B, levels)."""
    less = np.zeros(len(one), dtype=bool)
    open_yet = np.ones(len(one), dtype=bool)
    for a, b in zip(one.T, other.T, strict=True):
        margin = SAME * np.maximum(a, b)
        less |= open_yet & (b < a - margin)
        open_yet &= np.abs(a - b) <= margin
    return less
