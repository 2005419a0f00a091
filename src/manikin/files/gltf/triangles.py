"""Solid shapes as triangles: points, normals and indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Points, Vector
from manikin.figure import Box, Capsule, Sphere
from manikin.figure.shapes import Shape

AROUND = 20
"""Number of edges around a capsule."""
RINGS = 5
"""Number of rings from the rim of a cap to its pole."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """A closed surface. Triangles are counterclockwise when seen from outside."""

    points: Points
    """(n, 3), length."""
    normals: Points
    """(n, 3), length 1, outward."""
    indices: NDArray[np.int64]
    """(3 t,) three for each triangle."""


def triangles(shapes: tuple[Shape, ...]) -> Triangles:
    """All shapes of a segment as one surface, in the segment's space."""
    parts = [_box(s) if isinstance(s, Box) else _capsule(s) for s in shapes]
    starts = np.cumsum([0, *(len(p.points) for p in parts)])
    return Triangles(
        np.concatenate([p.points for p in parts]),
        np.concatenate([p.normals for p in parts]),
        np.concatenate([p.indices + start for p, start in zip(parts, starts, strict=False)]),
    )


def _capsule(shape: Capsule | Sphere) -> Triangles:
    """Rings from one pole to the other. A sphere is a capsule of length zero, with one ring at its equator instead of
    two.

    On each half, the rings are circles about that end, so the normal of a point is its direction from the end.
    """
    ends = (shape.start, shape.end) if isinstance(shape, Capsule) else (shape.center, shape.center)
    start, end = np.array(ends)
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    across = rotations.perpendicular(along)
    aside = np.cross(along, across)
    half = np.linspace(0.0, 0.5 * np.pi, RINGS + 1)
    latitude = np.concatenate([-half[::-1], half if length > 0.0 else half[1:]])
    longitude = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    circle = np.cos(longitude)[:, None] * across + np.sin(longitude)[:, None] * aside
    normals = np.cos(latitude)[:, None, None] * circle + np.sin(latitude)[:, None, None] * along
    centers = np.where(np.arange(len(latitude))[:, None] <= RINGS, start, end)
    points = centers[:, None, :] + shape.radius * normals
    return Triangles(points.reshape(-1, 3), normals.reshape(-1, 3), _between_rings(len(latitude)))


def _between_rings(rings: int) -> NDArray[np.int64]:
    """Two triangles between neighbours on adjacent rings; only one at the poles, where a ring is a single point."""
    k = np.arange(AROUND)
    after = (k + 1) % AROUND
    faces: list[NDArray[Any]] = []
    for ring in range(rings - 1):
        a, b = ring * AROUND, (ring + 1) * AROUND
        if ring > 0:
            faces.append(np.stack([a + k, a + after, b + after], axis=1))
        if ring < rings - 2:
            faces.append(np.stack([a + k, b + after, b + k], axis=1))
    return np.concatenate(faces).reshape(-1)


def _box(shape: Box) -> Triangles:
    """Six faces with four points each, so that edges are sharp."""
    points: list[Vector] = []
    normals: list[Vector] = []
    indices: list[int] = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal: Vector = sign * np.eye(3)[axis]
            u = np.eye(3)[(axis + 1) % 3]
            v = np.cross(normal, u)
            first = len(points)
            points += [normal + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [normal] * 4
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    q = np.array(shape.rotation)
    placed = np.array(shape.center) + rotations.rotate(q, np.array(points) * np.array(shape.half))
    return Triangles(placed, rotations.rotate(q, np.array(normals)), np.array(indices))


def stand_in(origin_to: list[Vector], size: float) -> tuple[Shape, ...]:
    """Thin capsules from a segment's origin to its children, for a figure without any shapes.

    A child nearer than a thousandth of the figure's size gets none.
    """
    shapes: list[Shape] = []
    for point in origin_to:
        length = float(np.linalg.norm(point))
        if length > 1e-3 * size:
            shapes.append(Capsule((0.0, 0.0, 0.0), tuple(point), min(0.1 * length, 0.02 * size)))
    return tuple(shapes)
