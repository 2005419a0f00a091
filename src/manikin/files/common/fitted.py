"""A shape around the points of a mesh: the smallest capsule, or a sphere if the capsule has no length."""

from __future__ import annotations

from manikin.arrays import Points
from manikin.figure.joint import as_tuple
from manikin.figure.shapes import Capsule, Sphere
from manikin.kinematics.cover import covering_capsule


def fitted(points: Points) -> Capsule | Sphere | None:
    """A shape that contains all points (n, 3). None if the points have no extent.

    The shape is convex, so it also contains the flat faces between the points.
    """
    found = covering_capsule(points)
    if found is None:
        return None
    start, end, radius = found
    if (start == end).all():
        return Sphere(as_tuple(start), radius)
    return Capsule(as_tuple(start + 0.0), as_tuple(end + 0.0), radius)
