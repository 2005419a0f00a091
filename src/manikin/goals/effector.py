"""Effectors: points on segments that goals speak of."""

from __future__ import annotations

from dataclasses import dataclass

from manikin import arrays
from manikin.errors import BadValue
from manikin.figure.joint import Numbers, as_tuple


@dataclass(frozen=True)
class Effector:
    """A point fixed on a segment. Any segment will do, not only the last of a chain."""

    segment: str
    """Name of the segment."""
    offset: Numbers = (0.0, 0.0, 0.0)
    """(3,) the point in the segment's space, length."""

    def __post_init__(self) -> None:
        if not isinstance(self.segment, str) or not self.segment:
            raise BadValue(f"effector: segment is {self.segment!r}; it needs the name of a segment")
        object.__setattr__(
            self, "offset", as_tuple(arrays.vector3(self.offset, f"effector on {self.segment!r}: offset"))
        )
