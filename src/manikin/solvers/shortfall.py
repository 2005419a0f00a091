"""Decides which of two poses misses its goals by less. Goals of a higher priority count first.

    S_l = Σ wᵢ (|eᵢ| / toleranceᵢ)²   over the goals of level l that are not within their tolerance

Two poses are compared level by level, from the highest priority. Values that differ by less than a thousandth are
equal.

The NumPy methods use this file (`methods/run.py`). The native solver has the same rule in
cpp/solve/query/shortfall.cpp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector

SAME = 1e-3
"""Two shortfalls are equal if they differ by less than this fraction."""


def shortfalls(errors: Matrix, tolerances: Vector, weights: Matrix, priorities: NDArray[np.int64]) -> Matrix:
    """(B, levels) S. A row is 0 if every goal that counts is reached.

    Args:
        errors: (B, goals).
        tolerances: (goals,) the largest error that counts as reached.
        weights: (goals,) or (B, goals); 0 for goals that do not count.
        priorities: (goals,)
    """
    ratios = np.minimum(errors / tolerances, 1e100)  # the square stays finite
    missed = np.where(ratios > 1.0, weights * ratios**2, 0.0)
    return np.stack([missed[:, priorities == level].sum(axis=1) for level in np.unique(priorities)], axis=1)


def misses_less(one: Matrix, other: Matrix) -> NDArray[np.bool_]:
    """(B,) whether `other` misses by less than `one`; both are (B, levels)."""
    less = np.zeros(len(one), dtype=bool)
    open_yet = np.ones(len(one), dtype=bool)
    for a, b in zip(one.T, other.T, strict=True):
        margin = SAME * np.maximum(a, b)
        less |= open_yet & (b < a - margin)
        open_yet &= np.abs(a - b) <= margin
    return less
