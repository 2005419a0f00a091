"""Finds two markers whose names are exchanged in most of a trial, from the fitted body.

`untangle` finds names that change during a trial. If they are exchanged from the first frame on, no marker jumps. But
both markers are then far from their places on the body, and each is nearer to the place of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from manikin.arrays import Points, Vector
from manikin.motion.marker_fit.model import Mask
from manikin.motion.marker_fit.untangle import Swap
from manikin.motion.markers import Markers

MOST = 0.5
"""A marker is wrong if a larger share of its samples is rejected."""
NEAR = 0.04
"""A marker is at a place if its median distance is below this, in sizes (60 mm). A calibration with exchanged names
moves places by up to this much."""
NEARER = 0.5
"""The distance from the other place is below this share of the distance from its own."""
LEAST_FRAMES = 3
"""Both markers are seen in at least this many frames."""


def exchanged(places: Points, measured: Points, present: Mask, wrong: Mask, near: float) -> list[tuple[int, int]]:
    """Pairs of markers that are at each other's place. Each marker is in one pair at most.

    Args:
        places: (T, M, 3) of the markers on the fitted body.
        measured: (T, M, 3), any finite value in gaps.
        present: (T, M) whether a marker is seen.
        wrong: (M,) the markers that may be exchanged.
        near: the largest median distance from the place of the other marker.
    """
    out: list[tuple[int, int]] = []
    for a, b in combinations(np.flatnonzero(wrong).tolist(), 2):
        both = present[:, a] & present[:, b]
        if any({a, b} & set(pair) for pair in out) or both.sum() < LEAST_FRAMES:
            continue
        own = min(_apart(places[both, i], measured[both, i]) for i in (a, b))
        other = max(_apart(places[both, i], measured[both, j]) for i, j in ((a, b), (b, a)))
        if other < min(near, NEARER * own):
            out.append((a, b))
    return out


def _apart(a: Points, b: Points) -> float:
    """The median distance of points (T, 3)."""
    distances: Vector = np.linalg.norm(a - b, axis=1)
    return float(np.median(distances))


def with_exchanged_names(markers: Markers, pairs: Sequence[tuple[str, str]]) -> Markers:
    """The markers with the names of some pairs exchanged in all frames."""
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return markers.replaced(names=[other.get(name, name) for name in markers.names])


def exchanged_swaps(swaps: Sequence[Swap], pairs: Sequence[tuple[str, str]], count: int) -> list[Swap]:
    """The swaps of the recording, if `swaps` were found after the names of pairs were exchanged in all `count` frames:
    a pair was swapped in the other frames."""
    out = [swap for swap in swaps if not any(set(swap.names) == set(pair) for pair in pairs)]
    for pair in pairs:
        own = np.ones(count + 1, dtype=bool)
        own[count] = False
        for swap in swaps:
            if set(swap.names) == set(pair):
                own[swap.first : swap.last + 1] = False
        edges = np.flatnonzero(np.diff(own, prepend=False))
        out += [Swap(pair, int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
    return sorted(out, key=lambda swap: swap.first)
