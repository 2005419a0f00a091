"""Joints of animals, from anatomical ranges of motion in degrees, measured from the rest pose."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.figure.joint import Ball, Hinge, Numbers, Pair, SwingTwist, as_tuple


def degrees(low: float, high: float) -> Pair:
    """A pair of limits in radians."""
    return (float(np.deg2rad(low)), float(np.deg2rad(high)))


def flexing(axis: Numbers, high: float, low: float = 0.0, bent: float = 0.0) -> Hinge:
    """A hinge with positive flexion. Limits are in degrees from the straight joint; at rest (number 0) it is bent by
    `bent`."""
    return Hinge(axis, degrees(low - bent, high - bent))


def cone(bone: Numbers, first: Numbers, one: Pair, two: Pair, twist: Pair) -> Ball:
    """A ball whose elliptic cone goes through the ends of two rotation ranges, in degrees from the rest pose.

    Let c be the middles of the ranges and h half their widths. The ellipse has its centre at c. Its radii r are chosen
    so that, from the rest pose at 0, a rotation about e₁ alone meets the rim at both ends of `one`, and a rotation
    about e₂ alone at both ends of `two`:

        (h₁/r₁)² + (c₂/r₂)² = 1,   (c₁/r₁)² + (h₂/r₂)² = 1.

    This is exact if c₁ = 0 or c₂ = 0. Otherwise it is approximate, because rotations about different axes do not add.
    Published ranges are measured with one rotation at a time, and from the neutral pose a single rotation reaches them.
    The ellipse limits combined rotations.

    Args:
        bone: (3,) the direction of the segment, in its own space.
        first: (3,) e₁, perpendicular to the bone; e₂ = bone × e₁.
        one: (lower, upper) of the rotation about e₁, on both sides of 0.
        two: (lower, upper) of the rotation about e₂, on both sides of 0.
        twist: (lower, upper) of the rotation about the bone.
    """
    e1 = np.array(first) / np.linalg.norm(first)
    e2 = np.cross(bone, e1)
    (c1, c2), (h1, h2) = (np.deg2rad([0.5 * (r[1] + s * r[0]) for r in (one, two)]) for s in (1.0, -1.0))
    # Two linear equations for 1/r₁² and 1/r₂². h > |c|, because 0 is inside both ranges.
    determinant = (h1 * h2) ** 2 - (c1 * c2) ** 2
    swing = (np.sqrt(determinant / (h2**2 - c2**2)), np.sqrt(determinant / (h1**2 - c1**2)))
    return Ball(
        SwingTwist(
            axis=bone,
            swing=(float(swing[0]), float(swing[1])),
            twist=degrees(*twist),
            first=as_tuple(e1),
            reference=as_tuple(rotations.from_rotation_vector(c1 * e1 + c2 * e2)),
        )
    )


def turned(axis: str, angle: float) -> Numbers:
    """The quaternion of a rotation about x, y or z by an angle in degrees."""
    return as_tuple(rotations.from_axis_angle(rotations.AXES[axis], np.deg2rad(angle)))
