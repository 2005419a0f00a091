"""Line: an effector on a straight line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.figure.joint import Numbers
from manikin.goals.effector import Effector
from manikin.goals.goal import Reading, set_field
from manikin.goals.native_terms import PartTerm
from manikin.goals.nearest import moved_past
from manikin.goals.robust_goal import RobustGoal


@dataclass(frozen=True, eq=False)
class Line(RobustGoal):
    """An effector anywhere on the infinite line through a point along a direction.

        error = (I − nnᵀ)(x − p),     derivative = [I − nnᵀ, 0]

    x is the world position of the effector. The rank is two, because sliding along the line changes nothing. The norm
    of the error is the distance from the line. Nothing is degenerate.

    Example:
        >>> Line("RightHand", (0, 1, 0), (1, 0, 0)).label
        'Line RightHand'
    """

    segment: str
    """Name of the segment."""
    point: Any
    """(3,) p, any point of the line, world, length."""
    direction: Any
    """(3,) n, along the line, world; scaled to length 1."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "offset", self.effectors[0].offset)
        set_field(self, "point", arrays.frozen(arrays.vector3(self.point, f"{self.label}: point")))
        set_field(self, "direction", arrays.frozen(arrays.direction(self.direction, f"{self.label}: direction")))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset),)

    @property
    def rows(self) -> int:
        return 3

    @property
    def target(self) -> Vector:
        return np.concatenate([self.point, self.direction])

    def with_target(self, target: ArrayLike) -> Line:
        six = arrays.numbers(target, f"{self.label}: target", (6,))
        return replace(self, point=six[:3], direction=six[3:])

    def error(self, reading: Reading) -> Vector:
        away, n = reading.position - self.point, self.direction
        error: Vector = away - n * (n @ away)
        return error

    def derivative(self, reading: Reading) -> Matrix:  # noqa: ARG002 (the same everywhere)
        out = np.zeros((3, 6))
        out[:, :3] = np.eye(3) - np.outer(self.direction, self.direction)
        return out

    # Capabilities

    @property
    def directions(self) -> tuple[int, ...]:
        return (3,)

    def distance_from(self, point: Vector) -> float:
        away = point - self.point
        return float(np.linalg.norm(away - self.direction * (self.direction @ away)))

    def met_by(self, reading: Reading, margin: float = 0.0) -> Line:
        point = moved_past(self.point, self.point + self.error(reading), margin)
        return self.with_target(np.concatenate([point, self.direction]))

    def native_terms(self) -> Sequence[PartTerm]:
        return (PartTerm("line", self.effectors[0], self.allowed),)
