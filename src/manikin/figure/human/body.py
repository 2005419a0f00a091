"""The size and girth that the parts of the person share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.figure.human.anthropometry import STATURE
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Capsule

REFERENCE_HEIGHT, REFERENCE_MASS = 1.75, 70.0
"""Height in metres and mass in kilograms of the person for whom the radii of the shapes were chosen."""


@dataclass(frozen=True)
class Body:
    """The size of one person."""

    height: float
    """Stature, metres."""
    mass: float
    """Kilograms."""

    @property
    def girth(self) -> float:
        """Factor of the radii of trunk and limbs, in addition to the proportion to the height. A body of height h and
        radius r has a mass proportional to h r², so r/h is proportional to √(mass / h³)."""
        return float(np.sqrt((self.mass / REFERENCE_MASS) * (REFERENCE_HEIGHT / self.height) ** 3))

    def length(self, name: str) -> float:
        """A length of the table `STATURE`, metres."""
        return STATURE[name] * self.height

    def point(self, x: float, y: float, z: float) -> Numbers:
        """(3,) metres, from fractions of the stature."""
        return (x * self.height, y * self.height, z * self.height)

    def capsule(self, start: Sequence[float], end: Sequence[float], radius: float, soft: bool = True) -> Capsule:
        """A capsule from fractions of the stature. The radius of a soft capsule depends on the mass of the body."""
        r = radius * self.height * (self.girth if soft else 1.0)
        return Capsule(self.point(*start), self.point(*end), r)
