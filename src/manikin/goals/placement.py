"""Placement: position and orientation of an effector together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Numbers, as_tuple
from manikin.goals.effector import Effector
from manikin.goals.goal import ANGLE_TOLERANCE, LENGTH_TOLERANCE, Goal, Reading, Tolerance, set_field
from manikin.goals.native_terms import PartTerm
from manikin.goals.nearest import moved_past
from manikin.goals.orientation import Orientation, as_quaternion, turn_between, turn_derivative
from manikin.goals.position import Position


@dataclass(frozen=True, eq=False)
class Placement(Goal):
    """An effector at a point with a given rotation: `Position` and `Orientation` in one.

        error = (x − x*, φ),  φ = log(R R*ᵀ),     derivative = [[I, 0], [0, L(φ)]]

    The reported error is one length: the larger of |x − x*| and |φ| · (tolerance of lengths / tolerance of angles). So
    it is within the first tolerance exactly if both parts are within theirs. Degenerate: half a turn, as in
    `Orientation`.
    """

    segment: str
    """Name of the segment."""
    placement: Any
    """(4, 4) to world from local, or (7,) position then quaternion wxyz; stored as the seven numbers. It is the
    placement of the effector: the segment itself, or the tool that `offset` and `rotation` describe."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""
    rotation: Any = field(default=rotations.IDENTITY, kw_only=True)
    """(4,) quaternion wxyz, or (3, 3): rotation of the effector's axes in the segment's space, for example of a tool on
    a robot's flange. Stored as the quaternion."""
    # `tolerance` may be a pair (length, radians), or one length. The tolerance of the angle is then 1e-3 rad.

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rotation is not rotations.IDENTITY:
            label = self.name or f"Placement {self.segment}"  # not `self.label`, which needs `effectors`
            set_field(self, "rotation", as_tuple(as_quaternion(self.rotation, f"{label}: rotation of the tool")))
        set_field(self, "offset", self.effectors[0].offset)
        set_field(self, "placement", arrays.frozen(seven_numbers(self.placement, f"{self.label}: target")))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset, self.rotation),)

    @property
    def rows(self) -> int:
        return 6

    @property
    def angular(self) -> tuple[bool, ...]:
        return (False, False, False, True, True, True)

    @property
    def target(self) -> Vector:
        return np.array(self.placement)

    def with_target(self, target: ArrayLike) -> Placement:
        return replace(self, placement=target)

    def error(self, reading: Reading) -> Vector:
        turn = turn_between(reading.rotation, self.placement[3:])
        return np.concatenate([reading.position - self.placement[:3], turn])

    def derivative(self, reading: Reading) -> Matrix:
        out = np.eye(6)
        out[3:, 3:] = turn_derivative(turn_between(reading.rotation, self.placement[3:]))
        return out

    def measure(self, error: Vector) -> float:
        length, angle = self.allowed, self.tolerance[1]
        return float(max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:]) * length / angle))

    @property
    def allowed(self) -> float:
        if self.tolerance is None:
            return super().allowed
        return float(self.tolerance[0])

    def _default_tolerance(self, figure: Figure) -> Tolerance:
        return (LENGTH_TOLERANCE * figure.size, ANGLE_TOLERANCE)

    def _checked_tolerance(self, tolerance: Any, label: str) -> Tolerance:
        return tolerance_pair(tolerance, label)

    # Capabilities

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (3,)

    @property
    def point_slot(self) -> int | None:
        return 0

    @property
    def wanted_point(self) -> tuple[Vector, NDArray[np.bool_]]:
        return np.array(self.placement[:3]), np.ones(3, dtype=bool)

    @property
    def wanted_rotation(self) -> Vector:
        back = rotations.inverse(np.array(self.rotation))
        return rotations.multiply(self.placement[3:], back)

    @property
    def halves(self) -> tuple[Position, Orientation]:
        length, angle = self.tolerance
        shared: dict[str, Any] = {"weight": self.weight, "priority": self.priority}
        point, turn = self.placement[:3], self.wanted_rotation
        place = Position(self.segment, point, offset=self.offset, tolerance=length, name=self.name, **shared)
        return place, Orientation(self.segment, turn, tolerance=angle, **shared)

    @property
    def traced(self) -> bool:
        return True

    def met_by(self, reading: Reading, margin: float = 0.0) -> Placement:
        point = moved_past(self.placement[:3], reading.position, margin)
        return self.with_target(np.concatenate([point, rotations.from_matrix(reading.rotation)]))

    def native_terms(self) -> Sequence[PartTerm]:
        length, angle = self.tolerance
        effector = self.effectors[0]
        return (
            PartTerm("position", effector, length, flags=0b111),
            PartTerm("orientation", effector, angle, target=3),
        )


def tolerance_pair(tolerance: Any, label: str) -> tuple[float, float]:
    """(length, radians) from such a pair or from one length. The tolerance of the angle is then 1e-3 rad."""
    arrays.require_plain(tolerance, label)
    if np.ndim(tolerance) == 0:
        return (arrays.positive(tolerance, label), ANGLE_TOLERANCE)
    pair = tuple(tolerance)
    if len(pair) != 2:
        raise BadValue(f"{label} is {tolerance!r}; it needs a pair (length, radians), or one length")
    return (arrays.positive(pair[0], f"{label} of lengths"), arrays.positive(pair[1], f"{label} of angles"))


def seven_numbers(values: ArrayLike, label: str) -> Vector:
    """Position and quaternion (7,) from seven numbers or a 4×4 placement."""
    array = arrays.numbers(values, label, (-1,))
    if array.shape == (7,):
        return np.concatenate([array[:3], arrays.quaternion(array[3:], label)])
    if array.shape != (4, 4):
        raise BadShape(
            f"{label} has shape {array.shape}; it needs (4, 4), a placement, or (7,), a position and a quaternion wxyz"
        )
    if np.abs(array[3] - (0.0, 0.0, 0.0, 1.0)).max() > arrays.UNIT_TOLERANCE:
        raise BadValue(f"{label}: the last row of a 4×4 placement is {array[3].tolist()}; it must be 0, 0, 0, 1")
    return np.concatenate([array[:3, 3], as_quaternion(array[:3, :3], label)])
