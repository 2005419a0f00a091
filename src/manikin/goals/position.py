"""Position: an effector at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.joint import Numbers
from manikin.goals.effector import Effector
from manikin.goals.goal import Reading, set_field
from manikin.goals.native_terms import PartTerm
from manikin.goals.nearest import moved_past
from manikin.goals.robust_goal import RobustGoal


@dataclass(frozen=True, eq=False)
class Position(RobustGoal):
    """An effector at a point, or with the coordinates of the point along some axes only.

        error = x − x*   (the chosen components),     derivative = [I, 0]

    x is the world position of the effector, x* the target. Nothing is degenerate.

    Example:
        >>> Position("RightHand", (-0.4, 1.2, 0.3), offset=(0, -0.08, 0)).label
        'Position RightHand'
        >>> Position("Tip", (1.5, 0.5), axes="xy").rows
        2
    """

    segment: str
    """Name of the segment."""
    point: Any
    """(3,) x*, world, length; or as many numbers as there are `axes`."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""
    axes: str = field(default="xyz", kw_only=True)
    """The components that count: "xy" for a planar figure, so that its Jacobians keep full rank."""

    def __post_init__(self) -> None:
        super().__post_init__()
        axes = str(self.axes).lower()
        if not axes or set(axes) - set("xyz") or len(set(axes)) < len(axes):
            raise BadValue(
                f"Position {self.segment}: axes is {self.axes!r}; it needs some of x, y, z, each at most once"
            )
        set_field(self, "axes", axes)
        set_field(self, "offset", self.effectors[0].offset)
        point = arrays.numbers(self.point, f"{self.label}: target", (None,))
        if len(point) == 3 and len(axes) < 3:
            point = point[self._kept]
        set_field(self, "point", arrays.frozen(arrays.numbers(point, f"{self.label}: target", (len(axes),))))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset),)

    @property
    def rows(self) -> int:
        return len(self.axes)

    @property
    def target(self) -> Vector:
        return np.array(self.point)

    def with_target(self, target: ArrayLike) -> Position:
        return replace(self, point=target)

    @property
    def _kept(self) -> list[int]:
        return ["xyz".index(a) for a in self.axes]

    def error(self, reading: Reading) -> Vector:
        error: Vector = reading.position[self._kept] - self.point
        return error

    def derivative(self, reading: Reading) -> Matrix:  # noqa: ARG002 (the same everywhere)
        return np.eye(6)[self._kept]

    # Capabilities

    @property
    def point_slot(self) -> int | None:
        return 0 if self.axes == "xyz" else None

    @property
    def wanted_point(self) -> tuple[Vector, NDArray[np.bool_]]:
        target, counts = np.zeros(3), np.zeros(3, dtype=bool)
        target[self._kept], counts[self._kept] = self.point, True
        return target, counts

    @property
    def traced(self) -> bool:
        return True

    def met_by(self, reading: Reading, margin: float = 0.0) -> Position:
        return self.with_target(moved_past(self.point, reading.position[self._kept], margin))

    @property
    def evaluated_in_python(self) -> bool:
        return list(self.axes) != sorted(self.axes) or super().evaluated_in_python

    def native_terms(self) -> Sequence[PartTerm]:
        flags = sum(1 << axis for axis in self._kept)
        return (PartTerm("position", self.effectors[0], self.allowed, flags=flags),)
