"""Converts colliding geoms of an MJCF file (contype or conaffinity is set) to shapes.

A sphere, a capsule and a box keep their kind. A cylinder becomes the capsule with the same axis, radius and length,
which contains it, as in `urdf.shapes`. A mesh becomes the smallest capsule or sphere around it. Planes, ellipsoids and
height fields have no equivalent shape.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Box, Capsule, Shape, Sphere
from manikin.files.common.fitted import fitted
from manikin.files.mjcf.model import GeomRecord


def shape_of(geom: GeomRecord) -> Shape | None:
    """The shape of a geom in its body's space; None if there is no equivalent."""
    center = numbers(geom.pos)
    if geom.kind == "sphere":
        return Sphere(center, float(geom.size[0]))
    if geom.kind == "box":
        return Box(numbers(geom.size), center, numbers(geom.quat))
    if geom.kind in ("capsule", "cylinder"):
        half = geom.size[1] * rotations.rotate(geom.quat, np.array([0.0, 0.0, 1.0]))
        return Capsule(numbers(geom.pos - half), numbers(geom.pos + half), float(geom.size[0]))
    if geom.kind == "mesh":
        return fitted(rotations.rotate(geom.quat, geom.points) + geom.pos)
    return None


def numbers(values: Vector) -> Numbers:
    """The values as a tuple, with 0 for −0."""
    return tuple(float(x) + 0.0 for x in values)
