"""Distance: the distance of an effector from a point or from another effector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.joint import Numbers
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, set_field
from manikin.goals.native_terms import LinkTerm
from manikin.goals.nearest import moved_past

KINDS = ("equal", "at_least", "at_most")
TOGETHER = 1e-12
"""Two points nearer than this fraction of their coordinates are one point. They have no direction between them."""
CHOSEN = np.full(3, 1.0 / np.sqrt(3.0))
"""The direction that is used if there is none. It is along no axis, so that almost every joint can follow it."""


@dataclass(frozen=True, eq=False)
class Distance(Goal):
    """An effector at the distance d from a point of the world or from another effector: equal, at least, or at most.

        error = |x − y| − d  ("equal", "at_most"),   d − |x − y|  ("at_least");      one-sided unless "equal"
        derivative = ± [uᵀ, 0; −uᵀ, 0],   u = (x − y)/|x − y|

    x is the world position of the effector. y is the world position of the other effector, or the fixed point.

    Degenerate: if x = y, every direction leads away. (1, 1, 1)/√3 is used, so that "at_least" and "equal" can leave the
    point.

    Example:
        >>> Distance("RightHand", "LeftHand", 0.4, kind="at_most").label
        'Distance RightHand LeftHand'
    """

    segment: str
    """Name of the segment."""
    to: Any
    """(3,) y, world, length; or the name of another segment."""
    distance: float
    """d ≥ 0, length."""
    kind: str = field(default="equal", kw_only=True)
    """"equal", "at_least" or "at_most"."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""
    to_offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the other effector in the space of the segment `to`, length; not allowed with a point."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.to, str):
            set_field(self, "to", arrays.frozen(arrays.vector3(self.to, f"Distance {self.segment}: to")))
            if np.any(np.asarray(self.to_offset) != 0.0):
                raise BadValue(
                    f"Distance {self.segment}: to_offset is {self.to_offset!r}, but `to` is a point of the world; "
                    "add it to the point"
                )
        ends = self.effectors
        set_field(self, "offset", ends[0].offset)
        set_field(self, "to_offset", ends[-1].offset if len(ends) == 2 else (0.0, 0.0, 0.0))
        if len(ends) == 2 and ends[0] == ends[1]:
            raise BadValue(f"{self.label}: both ends are the same effector; its distance is always 0")
        set_field(self, "distance", arrays.non_negative(self.distance, f"{self.label}: distance"))
        if self.kind not in KINDS:
            raise BadValue(f"{self.label}: kind is {self.kind!r}; it must be 'equal', 'at_least' or 'at_most'")

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        own = Effector(self.segment, self.offset)
        return (own, Effector(self.to, self.to_offset)) if isinstance(self.to, str) else (own,)

    @property
    def rows(self) -> int:
        return 1

    @property
    def one_sided(self) -> bool:
        return self.kind != "equal"

    @property
    def target(self) -> Vector:
        return np.array([self.distance])

    def with_target(self, target: ArrayLike) -> Distance:
        return replace(self, distance=arrays.numbers(target, f"{self.label}: target", (1,))[0])

    def error(self, reading: Reading) -> Vector:
        length, _ = self._between(reading)
        return np.array([self._sign * (length - self.distance)])

    def derivative(self, reading: Reading) -> Matrix:
        _, u = self._between(reading)
        row = np.concatenate([u, np.zeros(3), -u, np.zeros(3)])[: 6 * len(reading.placements)]
        out: Matrix = self._sign * row[None, :]
        return out

    @property
    def _sign(self) -> float:
        return -1.0 if self.kind == "at_least" else 1.0

    def _between(self, reading: Reading) -> tuple[float, Vector]:
        """|x − y| and u."""
        other = reading.placements[1, :3, 3] if isinstance(self.to, str) else self.to
        away: Vector = reading.position - other
        length = float(np.sqrt(away @ away))
        if length <= TOGETHER * float(np.abs(other).max() + np.abs(reading.position).max()):
            return length, CHOSEN
        return length, away / length

    # Capabilities

    @property
    def span(self) -> float | None:
        return self.distance if isinstance(self.to, str) and self.kind != "at_most" else None

    def distance_from(self, point: Vector) -> float | None:
        if isinstance(self.to, str):
            return None
        away = float(np.linalg.norm(point - self.to))
        far, near = self.distance - away, away - self.distance
        return max(0.0, {"equal": max(far, near), "at_least": far, "at_most": near}[self.kind])

    def met_by(self, reading: Reading, margin: float = 0.0) -> Distance:
        other = reading.placements[1, :3, 3] if isinstance(self.to, str) else self.to
        between = np.array([np.linalg.norm(reading.position - other)])
        return self.with_target(np.maximum(moved_past(self.target, between, margin), 0.0))

    def native_terms(self) -> Sequence[LinkTerm]:
        point = None if isinstance(self.to, str) else self.to
        return (LinkTerm("pair_distance", self.effectors, self.allowed, flags=KINDS.index(self.kind), point=point),)

    def _clipped_fields(self, far: float) -> dict[str, Any]:
        changes = super()._clipped_fields(far)
        if not isinstance(self.to, str) and np.abs(self.to).max() > far:
            changes["to"] = np.clip(self.to, -far, far)
        return changes
