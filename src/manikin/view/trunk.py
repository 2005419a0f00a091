"""The trunk of a figure: segments made of capsules that lie across the direction to the next segment.

Drawn one by one, such capsules look like a stack of rings. So each of these segments is drawn as one hull: its own
capsules, together with the first capsules of the next segment at rest.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Vector
from manikin.figure import Capsule, Figure, Segment
from manikin.view.hull import Hull, hull

ACROSS = 0.25
"""A capsule lies across a direction if the cosine of the angle between them is below this."""
SLACK = 0.98
"""Capsules of the next segment are smaller by this factor in the hull, so that the surface of that segment covers
them."""
LOW = 0.35
"""Capsules of the next segment belong to the hull if they are at most this far above the lowest of them, in radii."""


@lru_cache(maxsize=8)
def trunk(figure: Figure, latitudes: int = 25, longitudes: int = 40) -> dict[int, Hull]:
    """The hulls of the trunk, by the index of the segment.

    Args:
        figure: the figure.
        latitudes, longitudes: size of the grid of a hull.
    """
    index = {s.name: k for k, s in enumerate(figure.segments)}
    ways: dict[int, tuple[Vector, Segment | None]] = {}
    for child in figure.segments:
        way = np.array(child.joint.offset)
        length = float(np.linalg.norm(way))
        if child.parent is None or length < 1e-6 * figure.size:
            continue
        parent = figure.segment(child.parent)
        turn = np.array(child.joint.rotation)
        way = way / length
        above = rotations.rotate(rotations.inverse(turn), way)
        if _lies_across(parent, way) and _lies_across(child, above) and _on_top(parent, child):
            ways[index[parent.name]] = (way, child)
            ways.setdefault(index[child.name], (above, None))
    return {k: _hull(figure.segments[k], way, child, latitudes, longitudes) for k, (way, child) in ways.items()}


def _lies_across(segment: Segment, way: Vector) -> bool:
    """Whether a segment consists of capsules that lie across a direction."""
    if not segment.shapes:
        return False
    for shape in segment.shapes:
        if not isinstance(shape, Capsule):
            return False
        line = np.subtract(shape.end, shape.start)
        length = float(np.linalg.norm(line))
        if length == 0.0 or abs(float(line @ way)) > ACROSS * length:
            return False
    return True


def _on_top(parent: Segment, child: Segment) -> bool:
    """Whether the capsules of a child are in the middle of those of its parent, and not beside it like a shoulder."""
    (below, _), (above, sizes) = _balls(parent), _balls(child)
    above = np.array(child.joint.offset) + rotations.rotate(np.array(child.joint.rotation), above)
    line = below[1] - below[0]
    aside = (above.mean(axis=0) - below.mean(axis=0)) @ line / np.linalg.norm(line)
    return bool(abs(aside) < 0.2 * sizes.max())


def _hull(segment: Segment, way: Vector, child: Segment | None, latitudes: int, longitudes: int) -> Hull:
    centers, radii = _balls(segment)
    if child is not None:
        turn, offset = np.array(child.joint.rotation), np.array(child.joint.offset)
        others, sizes = _balls(child)
        others = offset + rotations.rotate(turn, others)
        heights = others @ way
        low = heights - heights.min() <= LOW * sizes
        centers, radii = np.concatenate([centers, others[low]]), np.concatenate([radii, SLACK * sizes[low]])
    first = segment.shapes[0]
    assert isinstance(first, Capsule)
    side = np.subtract(first.end, first.start)
    return hull(centers, radii, side / np.linalg.norm(side), latitudes, longitudes)


def _balls(segment: Segment) -> tuple[Points, Vector]:
    """The ends of the capsules: centres (n, 3) and radii (n,)."""
    capsules = [s for s in segment.shapes if isinstance(s, Capsule)]
    centers = np.array([end for c in capsules for end in (c.start, c.end)])
    return centers, np.repeat([c.radius for c in capsules], 2)
