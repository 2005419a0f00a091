"""A shape fitted around the points of a mesh: the smallest capsule, or a ball where that has no length."""

from __future__ import annotations

from manikin.arrays import Points
from manikin.figure.joint import as_tuple
from manikin.figure.shapes import Capsule, Sphere
from manikin.kinematics.cover import covering_capsule


def fitted(points: Points) -> Capsule | Sphere | None:
    """A shape that holds all points (n, 3), in their space; None where they have no extent.

    So a clearance that is kept for the shape is kept for the mesh too, as far as its faces are flat.
    """
    found = covering_capsule(points)
    if found is None:
        return None
    start, end, radius = found
    if (start == end).all():
        return Sphere(as_tuple(start), radius)
    return Capsule(as_tuple(start + 0.0), as_tuple(end + 0.0), radius)
