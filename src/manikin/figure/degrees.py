"""Joints of animals, from ranges of motion in degrees as anatomists give them, measured from the rest pose."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.figure.joint import Ball, Hinge, Numbers, Pair, SwingTwist, as_tuple


def degrees(low: float, high: float) -> Pair:
    """A pair of limits in radians."""
    return (float(np.deg2rad(low)), float(np.deg2rad(high)))


def flexing(axis: Numbers, high: float, low: float = 0.0, bent: float = 0.0) -> Hinge:
    """A hinge with flexion positive, limits in degrees from the straight joint, `bent` degrees at rest (number 0)."""
    return Hinge(axis, degrees(low - bent, high - bent))


def cone(bone: Numbers, first: Numbers, one: Pair, two: Pair, twist: Pair) -> Ball:
    """A ball whose elliptic cone goes through the ends of two ranges of turn, in degrees from the rest pose.

    With c the middle of the ranges and h half their widths, the centre of the ellipse is at c, and its radii r are
    those for which, from the rest pose at 0, a turn about e₁ alone meets the rim at both ends of `one`, and so for e₂:

        (h₁/r₁)² + (c₂/r₂)² = 1,   (c₁/r₁)² + (h₂/r₂)² = 1,

    exact where c₂ = 0 or c₁ = 0, and nearly so otherwise, since turns about different axes do not quite add. So the
    published ranges, which are measured one at a time from a neutral pose, are reached from it one at a time; several
    together are held to the ellipse.

    Args:
        bone: (3,) the direction of the segment, in its own space.
        first: (3,) e₁, perpendicular to the bone; e₂ = bone × e₁.
        one: (lower, upper) of the turn about e₁, on both sides of 0.
        two: (lower, upper) of the turn about e₂, on both sides of 0.
        twist: (lower, upper) of the turn about the bone.
    """
    e1 = np.array(first) / np.linalg.norm(first)
    e2 = np.cross(bone, e1)
    (c1, c2), (h1, h2) = (np.deg2rad([0.5 * (r[1] + s * r[0]) for r in (one, two)]) for s in (1.0, -1.0))
    # Two linear equations for 1/r₁² and 1/r₂²; h > |c| since 0 is inside both ranges.
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
    """The quaternion of a turn about x, y or z by an angle in degrees."""
    return as_tuple(rotations.from_axis_angle(rotations.AXES[axis], np.deg2rad(angle)))
