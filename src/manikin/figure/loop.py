"""Closed loops: two segments that must stay together although neither is an ancestor of the other.

A figure is a tree. A mechanism with closed loops is a tree plus some loops. The joints do not know about loops:
`manikin.solve` and `manikin.Solver` turn each loop into a `Relative` goal with priority over all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manikin import arrays
from manikin.errors import BadValue, unknown_name
from manikin.figure.joint import Numbers, as_tuple


@dataclass(frozen=True)
class Loop:
    """A point of one segment that must coincide with a point of another. With `rotation`, their relative rotation is
    fixed too.

    Example:
        >>> Loop("rod", "Rod", "Foot", offset=(0.35, 0, 0), to_offset=(0.01, 0.05, 0)).holds_turn
        False
    """

    name: str
    """Unique among the loops of a figure. The goal that closes the loop has the same name."""
    segment: str
    """Name of the first segment."""
    to: str
    """Name of the second."""
    offset: Numbers = (0.0, 0.0, 0.0)
    """(3,) the point, in the first segment's space, length."""
    to_offset: Numbers = (0.0, 0.0, 0.0)
    """(3,) the same point in the second segment's space, length."""
    rotation: Numbers = ()
    """(4,) to the second segment's space from the first's, wxyz; empty if they may rotate (as in a ball)."""

    def __post_init__(self) -> None:
        for key in ("name", "segment", "to"):
            value = getattr(self, key)
            if not isinstance(value, str) or not value:
                raise BadValue(f"loop: {key} is {value!r}; it needs a string of at least one character")
        label = f"loop {self.name!r}"
        if self.segment == self.to:
            raise BadValue(
                f"{label}: segment and `to` are both {self.segment!r}; a segment does not move relative to itself"
            )
        for key in ("offset", "to_offset"):
            object.__setattr__(self, key, as_tuple(arrays.vector3(getattr(self, key), f"{label}: {key}")))
        if isinstance(self.rotation, (tuple, list)) and not self.rotation:
            object.__setattr__(self, "rotation", ())
        else:
            object.__setattr__(self, "rotation", as_tuple(arrays.quaternion(self.rotation, f"{label}: rotation")))

    @property
    def holds_turn(self) -> bool:
        """Whether the relative rotation of the two segments is fixed."""
        return bool(self.rotation)

    def scaled(self, factor: float, to_factor: float) -> Loop:
        """The loop after the lengths of the two segments are multiplied by factors.

        Args:
            factor: factor of the lengths of `segment`.
            to_factor: factor of the lengths of `to`.
        """
        return replace(
            self,
            offset=tuple(factor * x for x in self.offset),
            to_offset=tuple(to_factor * x for x in self.to_offset),
        )


def check_loops(owner: str, loops: Any, segments: Sequence[str]) -> tuple[Loop, ...]:
    """The checked loops of a figure: each is a Loop, names are unique, segments exist."""
    if not isinstance(loops, Iterable):
        raise BadValue(f"{owner}: loops are {loops!r}; they must be a list of Loop(...)")
    made: dict[str, Loop] = {}
    known = set(segments)
    for loop in loops:
        if not isinstance(loop, Loop):
            raise BadValue(f"{owner}: {loop!r} is not a Loop")
        if loop.name in made:
            raise BadValue(f"{owner} has two loops named {loop.name!r}; names must differ")
        for end in (loop.segment, loop.to):
            if end not in known:
                raise unknown_name(
                    f"{owner}: loop {loop.name!r} is at {end!r}, but the figure", "segment", end, segments
                )
        made[loop.name] = loop
    return tuple(made.values())
