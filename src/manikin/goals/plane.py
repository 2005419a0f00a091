"""Plane: an effector on a plane, or on one side of it."""

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
from manikin.goals.goal import Reading, set_field
from manikin.goals.native_terms import PLANE, PartTerm
from manikin.goals.nearest import moved_past
from manikin.goals.robust_goal import RobustGoal

SIDES = (None, "above", "below")


@dataclass(frozen=True, eq=False)
class Plane(RobustGoal):
    """An effector on the plane through a point with a normal, or on one side of it.

        error = n·(x − p),  derivative = [nᵀ, 0];     side="above": max(0, −n·(x − p)),  side="below": max(0, n·(x − p))

    The normal points to the side above. Nothing is degenerate.
    """

    segment: str
    """Name of the segment."""
    point: Any = (0.0, 0.0, 0.0)
    """(3,) p, any point of the plane, world, length."""
    normal: Any = (0.0, 1.0, 0.0)
    """(3,) n, world; scaled to length 1."""
    side: str | None = field(default=None, kw_only=True)
    """None: on the plane. "above" or "below": on that side or on the plane."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side not in SIDES:
            raise BadValue(f"{self.label}: side is {self.side!r}; it must be None, 'above' or 'below'")
        set_field(self, "offset", self.effectors[0].offset)
        set_field(self, "point", arrays.frozen(arrays.vector3(self.point, f"{self.label}: point")))
        set_field(self, "normal", arrays.frozen(arrays.direction(self.normal, f"{self.label}: normal")))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset),)

    @property
    def rows(self) -> int:
        return 1

    @property
    def one_sided(self) -> bool:
        return self.side is not None

    @property
    def target(self) -> Vector:
        return np.concatenate([self.point, self.normal])

    def with_target(self, target: ArrayLike) -> Plane:
        six = arrays.numbers(target, f"{self.label}: target", (6,))
        return replace(self, point=six[:3], normal=six[3:])

    @property
    def _outward(self) -> Vector:
        """The normal toward the side where the error grows."""
        outward: Vector = -self.normal if self.side == "above" else self.normal
        return outward

    def error(self, reading: Reading) -> Vector:
        return np.array([self._outward @ (reading.position - self.point)])

    def derivative(self, reading: Reading) -> Matrix:  # noqa: ARG002 (the same everywhere)
        return np.concatenate([self._outward, np.zeros(3)])[None, :]

    # Capabilities

    @property
    def directions(self) -> tuple[int, ...]:
        return (3,)

    @property
    def traced(self) -> bool:
        return True

    def distance_from(self, point: Vector) -> float:
        height = float(self.normal @ (point - self.point))
        return abs(height) if self.side is None else max(0.0, -height if self.side == "above" else height)

    def met_by(self, reading: Reading, margin: float = 0.0) -> Plane:
        reached = self.point + self.normal * float(self.normal @ (reading.position - self.point))
        return self.with_target(np.concatenate([moved_past(self.point, reached, margin), self.normal]))

    def native_terms(self) -> Sequence[PartTerm]:
        return (PartTerm(PLANE, self.effectors[0], self.allowed, flags=SIDES.index(self.side)),)
