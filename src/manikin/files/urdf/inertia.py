"""Estimates the inertia of a segment whose inertia is unknown, for programs that require one.

The mass is spread evenly over the shapes of the segment, as if they did not overlap, or over a ball of water if there
are none. The inertia is taken about the segment's centre of mass. It comes from a real mass distribution, so it is
positive and satisfies the triangle inequalities. Its accuracy depends on the shapes.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure.joint import Numbers
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule, Shape, Sphere

WATER = 1000.0
"""Density of water in kg/m³, close to that of a human body."""


def estimated_inertia(s: Segment) -> Numbers:
    """xx, xy, xz, yy, yz, zz about `s.center` in the segment's axes, kg m²; zeros if the mass is 0."""
    shapes: tuple[Shape, ...] = s.shapes or (Sphere(s.center, _water_ball(s.mass)),)
    volumes = np.array([_volume(shape) for shape in shapes])
    total = np.zeros((3, 3))
    for shape, volume in zip(shapes, volumes, strict=True):
        mass = s.mass * (float(volume / volumes.sum()) if volumes.sum() > 0.0 else 1.0 / len(shapes))
        own, center = _solid(shape)
        d: Vector = center - np.array(s.center)
        total += mass * (own + (d @ d) * np.eye(3) - np.outer(d, d))
    return tuple(float(total[a, b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def _water_ball(mass: float) -> float:
    """Radius of a ball of water with this mass. Returns 1 for mass 0, for which the radius does not matter."""
    return float((3.0 * mass / (4.0 * np.pi * WATER)) ** (1.0 / 3.0)) if mass > 0.0 else 1.0


def _volume(shape: Shape) -> float:
    if isinstance(shape, Box):
        return float(8.0 * np.prod(shape.half))
    ball = 4.0 / 3.0 * np.pi * shape.radius**3
    return ball if isinstance(shape, Sphere) else ball + np.pi * shape.radius**2 * _length(shape)


def _solid(shape: Shape) -> tuple[Matrix, Vector]:
    """Inertia of a solid shape of unit mass about its centre, in the segment's axes, and the centre."""
    if isinstance(shape, Box):
        a, b, c = np.square(shape.half) / 3.0
        R = rotations.to_matrix(np.array(shape.rotation))
        turned: Matrix = R @ np.diag([b + c, a + c, a + b]) @ R.T
        return turned, np.array(shape.center)
    r = shape.radius
    if isinstance(shape, Sphere):
        return 0.4 * r**2 * np.eye(3), np.array(shape.center)
    # A capsule is a cylinder and two half balls with these fractions of the mass.
    length = _length(shape)
    share = length / (length + 4.0 / 3.0 * r)
    along = share * 0.5 * r**2 + (1.0 - share) * 0.4 * r**2
    across = share * (length**2 / 12.0 + r**2 / 4.0) + (1.0 - share) * (
        0.4 * r**2 + length**2 / 4.0 + 0.375 * length * r
    )
    start, end = np.array(shape.start), np.array(shape.end)
    axis = (end - start) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    return across * np.eye(3) + (along - across) * np.outer(axis, axis), 0.5 * (start + end)


def _length(capsule: Capsule) -> float:
    return float(np.linalg.norm(np.subtract(capsule.end, capsule.start)))
