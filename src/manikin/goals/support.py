"""Support polygons: the convex hull of contact points seen from above, and the distance of a point beyond each edge."""

from __future__ import annotations

import itertools

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.figure.figure import Figure
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule

FLAT = 1e-12
"""If the area at a corner is at most this fraction of the squared extent, it is not a corner: the points are on a
line."""


def contact_points(figure: Figure, segment: str) -> Points:
    """Points where a segment may touch the ground, in its own space: (k, 3), empty if it has no shapes.

    These are the ends of its capsules, the centres of its spheres, and the four corners of each box that are lowest in
    the rest pose.
    """
    index = figure.segment_index(segment)
    up_local = figure.placements(figure.rest)[index, :3, :3].T @ np.array(rotations.AXES[figure.up])
    return _points_of(figure.segments[index], up_local)


def _points_of(segment: Segment, up_local: Vector) -> Points:
    points: list[Vector] = []
    for shape in segment.shapes:
        if isinstance(shape, Box):
            signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
            R = rotations.to_matrix(np.array(shape.rotation))
            corners = np.array(shape.center) + (signs * np.array(shape.half)) @ R.T
            points.extend(corners[np.argsort(corners @ up_local, kind="stable")[:4]])
        elif isinstance(shape, Capsule):
            ends = [np.array(shape.start), np.array(shape.end)]
            points.extend(ends if shape.start != shape.end else ends[:1])
        else:
            points.append(np.array(shape.center))
    return np.array(points).reshape(-1, 3)


def ground_axes(up: str) -> Matrix:
    """(2, 3) two unit vectors that span the ground, counter-clockwise seen from above."""
    k = "xyz".index(up)
    return np.eye(3)[[(k + 1) % 3, (k + 2) % 3]]


def hull(points: Matrix) -> list[int]:
    """Corners of the convex hull of points (k, 2), counter-clockwise, as indices.

    Returns two indices if the points are on a line, one if they are a single point. (Andrew's monotone chain.)
    """
    order = sorted(range(len(points)), key=lambda i: (points[i, 0], points[i, 1]))
    extent = float(np.ptp(points, axis=0).max(initial=0.0))
    if extent == 0.0:
        return order[:1]
    least = FLAT * extent * extent

    def half(indices: list[int]) -> list[int]:
        out: list[int] = []
        for i in indices:
            while len(out) >= 2 and _area(points[out[-2]], points[out[-1]], points[i]) <= least:
                out.pop()
            out.append(i)
        return out[:-1]

    return half(order) + half(order[::-1])


def _area(a: Vector, b: Vector, c: Vector) -> float:
    """Twice the area of a triangle, positive when it is counter-clockwise."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def edges(points: Matrix, center: Vector) -> tuple[Vector, Matrix, Points]:
    """The distance of a point beyond each edge of the hull, and its derivative.

    Take the edge from corner p to corner r of length L, with t = (r − p)/L, the outward normal n (t turned clockwise)
    and s = t·(c − p)/L. The distance and its derivative are

        ρ = n·(c − p),      dρ = n·(dc − (1 − s) dp − s dr).

    If the points are on a line, its two edges leave the ends open, so each end gets a cap:

        ρ = t·(c − r),      dρ = t·(dc − dr) + g n·(dr − dp),   g = n·(c − r)/L.

    A single point gets four edges, along the axes. The point c is inside if no ρ is above 0.

    Args:
        points: (k, 2) on the ground, length.
        center: c, (2,).

    Returns:
        ρ, (e,); its derivative with respect to c, (e, 2), and with respect to the points, (e, k, 2); e = max(k, 4). The
        edge that starts at point i is row i. Rows without an edge repeat the smallest one, which has no effect.
    """
    corners, k = hull(points), len(points)
    count = max(k, 4)
    value, by_center, by_points = np.full(count, np.nan), np.zeros((count, 2)), np.zeros((count, k, 2))
    if len(corners) == 1:
        value[:4], by_center[:4], by_points[:4, corners[0]] = _AXES @ (center - points[corners[0]]), _AXES, -_AXES
    else:
        line = len(corners) == 2
        spare = iter([row for row in range(count) if row not in corners])
        for i, j in zip(corners, corners[1:] + corners[:1], strict=True):
            along = points[j] - points[i]
            length = float(np.hypot(along[0], along[1]))
            t = along / length
            n = np.array([t[1], -t[0]])
            s = float(t @ (center - points[i])) / length
            value[i], by_center[i] = n @ (center - points[i]), n
            by_points[i, i], by_points[i, j] = (s - 1.0) * n, -s * n
            if line:
                row, g = next(spare), float(n @ (center - points[j])) / length
                value[row], by_center[row] = t @ (center - points[j]), t
                by_points[row, j], by_points[row, i] = g * n - t, -g * n
    least, spare_rows = int(np.nanargmin(value)), np.isnan(value)
    value[spare_rows], by_center[spare_rows], by_points[spare_rows] = value[least], by_center[least], by_points[least]
    return value, by_center, by_points


_AXES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
