"""Finds single wild samples of markers, from the positions alone.

A sample is compared with the line between the samples before and after it. At a distance of `OFF`, plus what an
acceleration of `FASTEST` explains, it is a spike. Up to `LONGEST` spikes may follow each other. The samples around
them must agree with each other, so that the ends of a longer error, such as a ghost or a swap, are left to the robust
fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points, Vector
from manikin.motion.marker_fit.model import Mask

Numbers = NDArray[np.signedinteger[Any]]

OFF = 0.026
"""Least distance of a spike from the line, in sizes of the figure (40 mm)."""
FASTEST = 100.0
"""Largest acceleration of a marker, in metres per second squared."""
LONGEST = 3
"""Largest number of spikes in a row."""
MEMORY = 0.25
"""The samples before and after a spike are at most this far apart, in seconds."""
ROUNDS = 5


def spikes(positions: Points, times: Vector, size: float) -> Mask:
    """(T, M) the spikes of markers.

    Args:
        positions: (T, M, 3) in metres, NaN in gaps.
        times: (T,) seconds.
        size: of the figure, in metres.
    """
    known = ~np.isnan(positions[..., 0])
    out = np.zeros(known.shape, dtype=bool)
    for m in _uneven(positions, known, OFF * size):
        left = np.flatnonzero(known[:, m])
        for _ in range(ROUNDS):
            found = _in_one(positions[left, m], times[left], OFF * size)
            if not len(found):
                break
            out[left[found], m] = True
            left = np.delete(left, found)
    return out


def _uneven(positions: Points, known: Mask, off: float) -> Numbers:
    """The markers with a sample away from its neighbours. Others have no spike. Gaps are filled with the sample before
    them, which halves the distance of a spike at a gap."""
    frames = np.where(known, np.arange(len(known))[:, None], 0)
    held = positions[np.maximum.accumulate(frames, axis=0), np.arange(known.shape[1])]
    with np.errstate(invalid="ignore"):
        far = ((held[1:-1] - 0.5 * (held[:-2] + held[2:])) ** 2).sum(axis=2) > (0.5 * off) ** 2
    return np.flatnonzero(far.any(axis=0))


def _in_one(x: Points, t: Vector, off: float) -> Numbers:
    """The spikes among the samples (n, 3) of one marker at times (n,)."""
    for length in range(1, LONGEST + 1):
        first = np.arange(1, len(t) - length)
        before, after = first - 1, first + length
        bad = t[after] - t[before] <= MEMORY
        for k in range(length):
            bad &= _excess(x, t, before, first + k, after, off) > 1.0
        agree = np.zeros(len(first), dtype=bool)
        inner = before > 0
        agree[inner] = _excess(x, t, before[inner] - 1, before[inner], after[inner], off) < 0.5
        inner = after < len(t) - 1
        agree[inner] |= _excess(x, t, before[inner], after[inner], after[inner] + 1, off) < 0.5
        starts = first[bad & agree]
        if len(starts):
            return np.unique(starts[:, None] + np.arange(length))
    return np.zeros(0, dtype=np.int64)


def _excess(x: Points, t: Vector, a: Numbers, b: Numbers, c: Numbers, off: float) -> Vector:
    """Distance of the samples b from the lines between a and c, as a share of the largest one that is plausible."""
    share = (t[b] - t[a]) / (t[c] - t[a])
    away = np.linalg.norm(x[b] - x[a] - share[:, None] * (x[c] - x[a]), axis=1)
    return np.asarray(away / (off + 0.5 * FASTEST * (t[b] - t[a]) * (t[c] - t[b])))
