"""Effectors: points with axes on segments, to which goals refer."""

from __future__ import annotations

from dataclasses import dataclass

from manikin import arrays, rotations
from manikin.errors import BadValue
from manikin.figure.joint import Numbers, as_tuple


@dataclass(frozen=True)
class Effector:
    """A point fixed on a segment, with its own axes. It may be on any segment, not only on the last of a chain."""

    segment: str
    """Name of the segment."""
    offset: Numbers = (0.0, 0.0, 0.0)
    """(3,) the point in the segment's space, length."""
    rotation: Numbers = rotations.IDENTITY
    """(4,) quaternion wxyz: rotation of its axes in the segment's space, to segment from effector."""

    def __post_init__(self) -> None:
        if not isinstance(self.segment, str) or not self.segment:
            raise BadValue(f"effector: segment is {self.segment!r}; it needs the name of a segment")
        object.__setattr__(self, "offset", arrays.few(self.offset, f"effector on {self.segment!r}: offset", 3))
        if self.rotation is not rotations.IDENTITY:
            quaternion = arrays.quaternion(self.rotation, f"effector on {self.segment!r}: rotation")
            object.__setattr__(self, "rotation", as_tuple(quaternion))

    @property
    def turned(self) -> bool:
        """Whether its axes differ from those of the segment."""
        return self.rotation != rotations.IDENTITY
