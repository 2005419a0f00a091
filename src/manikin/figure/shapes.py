"""Solid shapes of a segment, for pictures and for collisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from manikin import arrays, rotations
from manikin.figure.joint import Numbers, as_tuple


@dataclass(frozen=True)
class Sphere:
    """All points within `radius` of a point."""

    center: Numbers = (0.0, 0.0, 0.0)
    """(3,) in the segment's space, length."""
    radius: float = 0.05
    """Length, above 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", arrays.few(self.center, "sphere center", 3))
        object.__setattr__(self, "radius", arrays.positive(self.radius, "sphere radius"))

    def scaled(self, factor: float) -> Sphere:
        """The shape with all lengths multiplied.

        Args:
            factor: the factor, above 0.
        """
        return Sphere(tuple(factor * x for x in self.center), factor * self.radius)


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of the line from `start` to `end`."""

    start: Numbers = (0.0, 0.0, 0.0)
    """(3,) in the segment's space, length."""
    end: Numbers = (0.0, 0.0, 0.0)
    """(3,) in the segment's space, length; may equal `start`."""
    radius: float = 0.05
    """Length, above 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", arrays.few(self.start, "capsule start", 3))
        object.__setattr__(self, "end", arrays.few(self.end, "capsule end", 3))
        object.__setattr__(self, "radius", arrays.positive(self.radius, "capsule radius"))

    def scaled(self, factor: float) -> Capsule:
        """The shape with all lengths multiplied.

        Args:
            factor: the factor, above 0.
        """
        start, end = (tuple(factor * x for x in point) for point in (self.start, self.end))
        return Capsule(start, end, factor * self.radius)


@dataclass(frozen=True)
class Box:
    """A box with half edges `half` along its own axes."""

    half: Numbers = (0.05, 0.05, 0.05)
    """(3,) half the length of each edge."""
    center: Numbers = (0.0, 0.0, 0.0)
    """(3,) in the segment's space, length."""
    rotation: Numbers = rotations.IDENTITY
    """(4,) to the segment's space from the box's, wxyz."""

    def __post_init__(self) -> None:
        half = tuple(arrays.positive(x, "half edge of a box") for x in arrays.vector3(self.half, "box half edges"))
        object.__setattr__(self, "half", half)
        object.__setattr__(self, "center", arrays.few(self.center, "box center", 3))
        object.__setattr__(self, "rotation", as_tuple(arrays.quaternion(self.rotation, "box rotation")))

    def scaled(self, factor: float) -> Box:
        """The shape with all lengths multiplied.

        Args:
            factor: the factor, above 0.
        """
        return replace(self, half=tuple(factor * x for x in self.half), center=tuple(factor * x for x in self.center))


Shape: TypeAlias = Sphere | Capsule | Box
