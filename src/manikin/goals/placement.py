"""Placement: position and orientation of an effector together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Numbers
from manikin.goals.effector import Effector
from manikin.goals.goal import ANGLE_TOLERANCE, LENGTH_TOLERANCE, Goal, Reading, Tolerance, set_field
from manikin.goals.orientation import as_quaternion, turn_between, turn_derivative


@dataclass(frozen=True, eq=False)
class Placement(Goal):
    """An effector at a point and turned in a given way: `Position` and `Orientation` in one.

        error = (x − x*, φ),  φ = log(R R*ᵀ),     derivative = [[I, 0], [0, L(φ)]]

    Reported is one length: the larger of |x − x*| and |φ| · (tolerance of lengths / tolerance of angles), so that it is
    within the first tolerance just when both parts are within theirs. Degenerate: half a turn, as in `Orientation`.
    """

    segment: str
    """Name of the segment."""
    placement: Any
    """(4, 4) to world from local, or (7,) position then quaternion wxyz; kept as the seven numbers. A moved effector
    (`offset`) is at that position; the rotation is the segment's."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) the effector in the segment's space, length."""
    # `tolerance` may be a pair (length, radians), or one length; the angle's is then 1e-3.

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "offset", self.effectors[0].offset)
        set_field(self, "placement", arrays.frozen(seven_numbers(self.placement, f"{self.label}: target")))

    @property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset),)

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


def tolerance_pair(tolerance: Any, label: str) -> tuple[float, float]:
    """(length, radians) from such a pair or from one length; the angle's is then 1e-3."""
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
