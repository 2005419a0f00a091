"""Finds single wild samples in noisy targets, so that smoothing does not spread them over their neighbours.

Let d be the distance of each sample from the straight line between the samples before and after it. A sample that is
wrong by a large s has d ≈ s, and its neighbours have d ≈ s/2. A bounce also has a large d, but its neighbours have a
small one; a step has two equal d, and the samples around it differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector

LARGE = 10.0
"""A spike has at least this many times the median d of the samples around it."""
AROUND = 10
"""Number of samples on either side for this median."""
SHARE = (0.35, 0.65)
"""The d of both neighbours of a spike, as a fraction of its own."""
AGREE = 0.2
"""The samples before and after a spike are at most this far apart, as a fraction of its d."""


def spikes(values: Matrix, times: Vector, groups: Sequence[slice]) -> NDArray[np.bool_]:
    """(T,) whether each row of values (T, n) is a single wild sample in one of the groups of columns. Rows with NaN are
    gaps; quaternions must have continuous signs."""
    out = np.zeros(len(values), dtype=bool)
    known = np.flatnonzero(np.isfinite(values).all(axis=1))
    if len(known) < 2 * AROUND:
        return out
    for group in groups:
        out[known[_single(values[known, group], times[known])]] = True
    return out


def _single(x: Matrix, times: Vector) -> NDArray[np.intp]:
    """The numbers of the wild rows of x (n, k) without gaps."""
    part = ((times[1:-1] - times[:-2]) / (times[2:] - times[:-2]))[:, None]
    d = np.zeros(len(x))
    d[1:-1] = np.linalg.norm(x[1:-1] - (x[:-2] + part * (x[2:] - x[:-2])), axis=1)
    apart = np.linalg.norm(x[2:] - x[:-2], axis=1)
    own, low, high = d[1:-1], np.minimum(d[:-2], d[2:]), np.maximum(d[:-2], d[2:])
    inner = slice(1, -1)  # the first and the last row have no d, so their neighbours cannot be judged
    shaped = (low > SHARE[0] * own) & (high < SHARE[1] * own) & (apart < AGREE * own)
    found = []
    for i in np.flatnonzero(shaped[inner]) + 2:
        near = np.r_[d[max(i - AROUND, 1) : i - 1], d[i + 2 : min(i + AROUND + 1, len(x) - 1)]]
        if d[i] > LARGE * np.median(near):
            found.append(i)
    return np.array(found, dtype=np.intp)
