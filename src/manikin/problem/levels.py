"""Levels of priority, and the weight factors that express them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector

WIDEST = 1e60
"""Largest ratio between the weight factors of the first and the last priority level."""


def levels_of(priorities: Sequence[int]) -> NDArray[np.int64]:
    """The levels 0, 1, … of priorities. Priorities may have gaps: (0, 5, 5, 9) become (0, 1, 1, 2)."""
    levels: NDArray[np.int64] = np.unique(priorities, return_inverse=True)[1].astype(np.int64)
    return levels


def level_factors(levels: NDArray[np.int64], factor: float) -> Vector:
    """The factors of weights that make every level count `factor` times as much as the next.

    The factors differ by at most `WIDEST`. The levels below that share one factor.
    """
    most = min(int(levels.max(initial=0)), int(np.log(WIDEST) / np.log(factor)))
    out: Vector = factor ** np.maximum(most - levels, 0).astype(np.float64)
    return out
