"""Half-spaces: a floor, a wall, an infinite table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from manikin import arrays
from manikin.figure.joint import Numbers, as_tuple
from manikin.figure.shapes import Shape


@dataclass(frozen=True)
class HalfSpace:
    """All points behind a plane, in the world. The normal points out of the solid.

    Example:
        >>> HalfSpace((0, 0.8, 0), (0, 2, 0))
        HalfSpace(point=(0.0, 0.8, 0.0), normal=(0.0, 1.0, 0.0))
    """

    point: Numbers = (0.0, 0.0, 0.0)
    """(3,) any point of the plane, world, length."""
    normal: Numbers = (0.0, 1.0, 0.0)
    """(3,) unit vector out of the solid; scaled to length 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_tuple(arrays.vector3(self.point, "half-space point")))
        object.__setattr__(self, "normal", as_tuple(arrays.direction(self.normal, "half-space normal")))


Obstacle: TypeAlias = Shape | HalfSpace
"""Anything that a figure can be kept clear of."""
