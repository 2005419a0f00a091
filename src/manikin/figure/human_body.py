"""What the parts of the person share: its size, its girth, and limits given in degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.figure.anthropometry import STATURE
from manikin.figure.joint import Ball, Hinge, Numbers, Pair, SwingTwist, as_tuple
from manikin.figure.shapes import Capsule

REFERENCE_HEIGHT, REFERENCE_MASS = 1.75, 70.0
"""The person for whom the radii of the shapes were chosen, metres and kilograms."""


@dataclass(frozen=True)
class Body:
    """The size of one person."""

    height: float
    """Stature, metres."""
    mass: float
    """Kilograms."""

    @property
    def girth(self) -> float:
        """What radii of trunk and limbs are multiplied by, above being in proportion to the height: a body of height h
        and radii r weighs as h r², so r/h goes as √(mass / h³)."""
        return float(np.sqrt((self.mass / REFERENCE_MASS) * (REFERENCE_HEIGHT / self.height) ** 3))

    def length(self, name: str) -> float:
        """A length of the table of statures, metres."""
        return STATURE[name] * self.height

    def point(self, x: float, y: float, z: float) -> Numbers:
        """(3,) metres, from fractions of the stature."""
        return (x * self.height, y * self.height, z * self.height)

    def capsule(self, start: Sequence[float], end: Sequence[float], radius: float, soft: bool = True) -> Capsule:
        """A capsule from fractions of the stature; a soft one is as thick as the body is heavy."""
        r = radius * self.height * (self.girth if soft else 1.0)
        return Capsule(self.point(*start), self.point(*end), r)


def degrees(low: float, high: float) -> Pair:
    """A pair of limits in radians."""
    return (float(np.deg2rad(low)), float(np.deg2rad(high)))


def flexing(axis: Numbers, high: float, low: float = 0.0, bent: float = 0.0) -> Hinge:
    """A hinge with flexion positive, limits in degrees from the straight joint, `bent` degrees at rest (number 0)."""
    return Hinge(axis, degrees(low - bent, high - bent))


def cone(bone: Numbers, first: Numbers, one: Pair, two: Pair, twist: Pair) -> Ball:
    """A ball whose cone is centred in two ranges of turn, in degrees from the rest pose.

    Args:
        bone: (3,) the direction of the segment, in its own space.
        first: (3,) e₁, perpendicular to the bone; e₂ = bone × e₁.
        one: (lower, upper) of the turn about e₁.
        two: (lower, upper) of the turn about e₂.
        twist: (lower, upper) of the turn about the bone.
    """
    a, e1 = np.array(bone), np.array(first) / np.linalg.norm(first)
    center = np.deg2rad(0.5 * (one[0] + one[1])) * e1 + np.deg2rad(0.5 * (two[0] + two[1])) * np.cross(a, e1)
    return Ball(
        SwingTwist(
            axis=bone,
            swing=(float(np.deg2rad(0.5 * (one[1] - one[0]))), float(np.deg2rad(0.5 * (two[1] - two[0])))),
            twist=degrees(*twist),
            first=as_tuple(e1),
            reference=as_tuple(rotations.from_rotation_vector(center)),
        )
    )


def turned(axis: str, angle: float) -> Numbers:
    """The quaternion of a turn about x, y or z by an angle in degrees."""
    return as_tuple(rotations.from_axis_angle(rotations.AXES[axis], np.deg2rad(angle)))
