"""The input of the native solver for a goal: terms of three kinds (cpp/model/goals.h).

A *part* is an error of one effector (position, orientation, aim, plane, line, swing, twist). A *link* depends on
several branches of the figure (relative placements, distances, poles, balance, clearance). A *pose* term depends on
every joint (posture). Lengths are in the figure's unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from manikin.arrays import Points, Vector
from manikin.goals.effector import Effector

if TYPE_CHECKING:
    from manikin.goals.solids import Pairs

MAX_CONTACTS = 64
"""Largest number of contact points of a balance."""


@dataclass(frozen=True, eq=False)
class PartTerm:
    """An error of one effector."""

    kind: str
    """A name of `kParts` in cpp/model/goals.h."""
    effector: Effector
    tolerance: float
    """Length or radians."""
    target: int = 0
    """Index of its numbers in the goal's target."""
    flags: int = 0
    """Position: bits of the axes that count. Aim: 0 at a point, 1 along a direction. Plane: 0 on it, 1 above, 2
    below."""
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    """(3,) axis of an aim, a swing or a twist, in the segment's space."""
    share: float = 1.0
    """Factor of the goal's weight."""


@dataclass(frozen=True, eq=False)
class LinkTerm:
    """An error that depends on several branches of the figure."""

    kind: str
    """A name of `kLinks` in cpp/model/goals.h."""
    effectors: Sequence[Effector]
    """At most three effectors."""
    tolerance: float
    """Length or radians."""
    target: int = 0
    """Index of its numbers in the goal's target."""
    flags: int = 0
    """Distance: 0 equal, 1 at least, 2 at most. Balance: index of the up axis."""
    margin: float = 0.0
    """Margin of a balance, length."""
    point: Sequence[float] | None = None
    """(3,) the second end of a distance, if it is fixed in the world."""
    contacts: Mapping[str, Points] = field(default_factory=dict)
    """Contact points of a balance by segment, (k, 3) each, in the segment's space."""
    pairs: Pairs | None = None
    """The pairs of shapes that a clearance keeps apart."""


@dataclass(frozen=True, eq=False)
class PoseTerm:
    """A pull of every joint toward a pose."""

    stiffness: Vector
    """(nv,) factors of the squared steps."""
    tolerance: float
    """Radians."""


Term: TypeAlias = PartTerm | LinkTerm | PoseTerm
