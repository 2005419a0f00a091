"""Distances between boxes, and between boxes and capsules. Arrays only, many pairs at once; see `kinematics.capsules`.

A box is its centre and three half edges, perpendicular vectors from the centre to the middles of three faces.

If the shapes are apart, the nearest points are exact. For a line and a box, one minimisation along the line finds them.
For two boxes, every edge of one box is compared with the whole of the other.

If the shapes intersect, the signed distance is minus the shortest translation that separates them. It is the smallest
overlap over all directions that can be normals of the Minkowski difference: faces of either shape, and cross products
of edges (the separating-axis test). This is exact too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points, Vector
from manikin.kinematics.capsules import TOUCH, Nearest, dot
from manikin.rotations import cross

SLANTED = 1e-12
"""Two edges are parallel if the squared sine of the angle between them is at most this. Their cross product is then
skipped, and the faces are enough."""
EQUAL = 1e-12
"""Distances that differ by at most this fraction of the extent are equal."""
PREFER_FACES = 1e-9
"""A cross product of edges must be better than the faces by this fraction of the extent, because faces give steadier
directions."""
THIN = 1e-12
"""Remaining overlap, as a fraction of the extent, while the point of contact is computed."""
_SIGNS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
_PAIRS = np.array([(i, j) for i in range(3) for j in range(3)])


def capsule_box(c: Points, u: Points, r: Vector, center: Points, edges: Points) -> Nearest:
    """Signed distance between a capsule a (c, u, r) and a box b. It is exact.

    Degenerate: if the capsule is parallel to a face, a whole interval of points is nearest; its middle is used.

    Args:
        c, u, r: (n, 3) middle of the line, (n, 3) vector from there to its end, (n,) radius.
        center, edges: (n, 3) centre of the box, (n, 3, 3) its half edges; edges[:, k] is the k-th.
    """
    none = np.zeros_like(c)
    line = np.stack([u, none, none], axis=1)
    found = _signed(lambda x, at: nearest_to_box(x, u[at], center[at], edges[at]), c, line, center, edges)
    return Nearest(found.distance - r, found.normal, found.on_a + r[:, None] * found.normal, found.on_b)


def box_box(center: Points, edges: Points, other_center: Points, other_edges: Points) -> Nearest:
    """Signed distance between boxes a (center, edges) and b. It is exact. (n, 3), (n, 3, 3) each.

    Degenerate: if edges or faces are parallel, the middle of the equally near points is used.
    """
    return _signed(
        lambda x, at: nearest_of_boxes(x, edges[at], other_center[at], other_edges[at]),
        center,
        edges,
        other_center,
        other_edges,
    )


def nearest_of_boxes(center: Points, edges: Points, other_center: Points, other_edges: Points) -> tuple[Points, Points]:
    """The nearest points of two boxes, (n, 3) each; a common point if the boxes intersect.

    One of the points is on an edge, so every edge of each box is compared with the whole of the other box.
    """
    n = len(center)
    ends = []
    for (c, e), (other_c, other_e) in (
        ((center, edges), (other_center, other_edges)),
        ((other_center, other_edges), (center, edges)),
    ):
        start, along = _edges_of(c, e)  # (n, 12, 3)
        x, y = nearest_to_box(
            start.reshape(-1, 3), along.reshape(-1, 3), np.repeat(other_c, 12, axis=0), np.repeat(other_e, 12, axis=0)
        )
        ends.append((x.reshape(n, 12, 3), y.reshape(n, 12, 3)))
    on_a = np.concatenate([ends[0][0], ends[1][1]], axis=1)  # (n, 24, 3)
    on_b = np.concatenate([ends[0][1], ends[1][0]], axis=1)
    away = on_b - on_a
    apart = np.sqrt(dot(away, away))
    # The mean of equally near pairs of points is also a nearest pair, because both boxes are convex.
    equal = EQUAL * (_extent(edges) + _extent(other_edges))[:, None]
    tied = (apart <= apart.min(axis=1, keepdims=True) + equal).astype(np.float64)
    tied /= tied.sum(axis=1, keepdims=True)
    return np.einsum("ij,ijk->ik", tied, on_a), np.einsum("ij,ijk->ik", tied, on_b)


def nearest_to_box(c: Points, u: Points, center: Points, edges: Points) -> tuple[Points, Points]:
    """The nearest points of a line (c − u to c + u) and a box, (n, 3) each.

    In the axes of the box, with half edges h, the squared distance at p + t d is Σ max(|p_k + t d_k| − h_k, 0)². It is
    convex. Its slope is linear between the six t at which the line crosses the planes of the faces. So the zero of the
    slope is found exactly between two of them. If the slope is 0 on a whole interval, its middle is used.
    """
    h = np.sqrt(dot(edges, edges))  # (n, 3)
    axes = edges / h[..., None]
    p, d = (np.einsum("nki,ni->nk", axes, x) for x in (c - center, u))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.concatenate([(h - p) / d, (-h - p) / d], axis=1)
    crossings = np.clip(np.nan_to_num(crossings, nan=1.0), -1.0, 1.0)
    one = np.ones((len(c), 1))
    t = np.sort(np.concatenate([-one, crossings, one], axis=1), axis=1)  # (n, 8)
    slope = _slope(p[:, None] + t[..., None] * d[:, None], d[:, None], h[:, None])
    low, high = _zero(t, slope), -_zero(-t[:, ::-1], -slope[:, ::-1])
    x = p + (0.5 * (low + high))[:, None] * d
    return (
        center + np.einsum("nki,nk->ni", axes, x),
        center + np.einsum("nki,nk->ni", axes, np.clip(x, -h, h)),
    )


def _slope(x: Points, d: Points, h: Points) -> Vector:
    """Half the slope of the squared distance, at points x of lines along d."""
    return dot(x - np.clip(x, -h, h), d)


def _zero(t: Vector, slope: Vector) -> Vector:
    """The least t at which a rising, piecewise linear slope is at least 0. If there is none, the last t. (n, k)."""
    reached = slope >= 0.0
    k = np.where(reached.any(axis=1), np.argmax(reached, axis=1), t.shape[1] - 1)
    at = np.arange(len(t))
    before = np.maximum(k - 1, 0)
    s0, s1, t0, t1 = slope[at, before], slope[at, k], t[at, before], t[at, k]
    rising = (s0 < 0.0) & (s1 > 0.0)
    part = -s0 / np.where(rising, s1 - s0, 1.0)
    zero: Vector = np.where(rising, t0 + part * (t1 - t0), t1)
    return zero


def _edges_of(center: Points, edges: Points) -> tuple[Points, Points]:
    """Midpoints and half vectors of the twelve edges of boxes, (n, 12, 3) each."""
    middles, along = [], []
    for k in range(3):
        across = _SIGNS @ edges[:, [(k + 1) % 3, (k + 2) % 3]]  # (n, 4, 3)
        middles.append(center[:, None] + across)
        along.append(np.repeat(edges[:, k][:, None], 4, axis=1))
    return np.concatenate(middles, axis=1), np.concatenate(along, axis=1)


def _signed(
    nearest: Callable[[Points, NDArray[np.intp]], tuple[Points, Points]],
    center: Points,
    edges: Points,
    other_center: Points,
    other_edges: Points,
) -> Nearest:
    """Signed distances of pairs (a, b). `nearest` gives the nearest points of some pairs, with a moved to given
    centres."""
    on_a, on_b = nearest(center, np.arange(len(center)))
    away = on_b - on_a
    distance = np.sqrt(dot(away, away))
    extent = _extent(edges) + _extent(other_edges)
    meeting = distance <= TOUCH * extent
    normal = away / np.where(meeting, 1.0, distance)[:, None]
    at = np.flatnonzero(meeting)
    if len(at):
        distance[at], normal[at] = overlap(center[at], edges[at], other_center[at], other_edges[at])
        # After the shift only a thin overlap is left. The shapes then share the points where they touch last.
        shift = (distance[at] + THIN * extent[at])[:, None] * normal[at]
        on_a[at] = nearest(center[at] + shift, at)[0] - shift
        on_b[at] = on_a[at] + distance[at][:, None] * normal[at]
    return Nearest(distance, normal, on_a, on_b)


def overlap(center: Points, edges: Points, other_center: Points, other_edges: Points) -> tuple[Vector, Points]:
    """The shortest translation that separates two intersecting boxes a and b. Edges of a may be 0, so that a is a line
    or a point.

    Along a direction n they overlap by Σ|n·edges| + Σ|n·other_edges| − |n·w|, with w from centre to centre.

    Returns:
        minus the least overlap, (n,), and its direction from a to b, (n, 3).
    """
    w = other_center - center
    crossed = cross(edges[:, _PAIRS[:, 0]], other_edges[:, _PAIRS[:, 1]])  # (n, 9, 3)
    directions = np.concatenate([edges, other_edges, crossed], axis=1)  # (n, 15, 3)
    length = np.sqrt(dot(directions, directions))
    a, b = np.sqrt(dot(edges, edges)), np.sqrt(dot(other_edges, other_edges))  # (n, 3)
    parallel = np.sqrt(SLANTED) * a[:, _PAIRS[:, 0]] * b[:, _PAIRS[:, 1]]
    known = length > np.concatenate([np.zeros_like(a), np.zeros_like(b), parallel], axis=1)
    normals = directions / np.where(known, length, 1.0)[..., None]
    along = dot(normals, w[:, None])
    reach = np.abs(np.einsum("nki,nji->nkj", normals, np.concatenate([edges, other_edges], axis=1))).sum(axis=2)
    gap = np.where(known, np.abs(along) - reach, -np.inf)  # (n, 15)
    ranked = gap.copy()
    ranked[:, 6:] -= PREFER_FACES * (_extent(edges) + _extent(other_edges))[:, None]
    best, at = np.argmax(ranked, axis=1), np.arange(len(w))
    sign = np.where(along[at, best] < 0.0, -1.0, 1.0)
    return gap[at, best], normals[at, best] * sign[:, None]


def _extent(edges: Points) -> Vector:
    """(n,) sum of the half edges."""
    out: Vector = np.sqrt(dot(edges, edges)).sum(axis=1)
    return out
