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
from manikin.goals.native_terms import PartTerm
from manikin.goals.nearest import moved_past
from manikin.goals.robust import Robust
from manikin.goals.robust_goal import RobustGoal

SIDES = (None, "above", "below")


@dataclass(frozen=True, eq=False, init=False)
class Plane(RobustGoal):
    """An effector on the plane through a point with a normal, or on one side of it.

        error = n·(x − p),  derivative = [nᵀ, 0];     side="above": max(0, −n·(x − p)),  side="below": max(0, n·(x − p))

    The normal points to the side above. Nothing is degenerate.

        Plane("LeftFoot")                       on the floor y = 0
        Plane("LeftFoot", above=True)           on the floor or above it: an effector above it has no error

    A goal with a side has no row in the solver's step while the effector is on that side. So it moves nothing there.
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

    def __init__(
        self,
        segment: str,
        point: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 1.0, 0.0),
        *,
        above: bool = False,
        side: str | None = None,
        offset: Any = (0.0, 0.0, 0.0),
        weight: float = 1.0,
        priority: int = 0,
        tolerance: float | None = None,
        name: str | None = None,
        robust: Robust | None = None,
    ) -> None:
        """
        Args:
            segment: name of the segment.
            point: (3,) any point of the plane, world, length.
            normal: (3,) of any length above 0, world. It points to the side above.
            above: whether the effector may be above the plane too; the same as side="above".
            side: None: on the plane. "above" or "below": on that side or on the plane.
            offset: (3,) the effector in the segment's space, length.
            weight, priority, tolerance, name: as for every goal.
            robust: the loss of the error; None means its square.
        """
        if not isinstance(above, (bool, np.bool_)):
            raise BadValue(f"Plane {segment}: above is {above!r}; it must be True or False")
        if above and side not in (None, "above"):
            raise BadValue(f"Plane {segment}: above is True and side is {side!r}; give one of them")
        fields: dict[str, Any] = {
            "segment": segment,
            "point": point,
            "normal": normal,
            "side": "above" if above else side,
        }
        fields |= {"offset": offset, "weight": weight, "priority": priority, "tolerance": tolerance, "name": name}
        fields["robust"] = robust
        for field_name, value in fields.items():
            set_field(self, field_name, value)
        self.__post_init__()

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
    def above(self) -> bool:
        """Whether the effector must be on the plane or above it."""
        return self.side == "above"

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
        return (PartTerm("plane", self.effectors[0], self.allowed, flags=SIDES.index(self.side)),)
