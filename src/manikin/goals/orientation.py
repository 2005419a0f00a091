"""Orientation: a segment with a given rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.joint import as_tuple
from manikin.goals.effector import Effector
from manikin.goals.goal import LARGEST_WEIGHT, Reading, set_field
from manikin.goals.native_terms import PartTerm
from manikin.goals.robust_goal import RobustGoal
from manikin.goals.swing_and_twist import swing_and_twist, swing_and_twist_derivative

MATRIX_TOLERANCE = 1e-6
"""A matrix is a rotation if each entry of RᵀR differs from I by at most this."""


@dataclass(frozen=True, eq=False)
class Orientation(RobustGoal):
    """A segment with a given rotation: a quaternion (or a 3×3 matrix), to world from local.

        error = φ = log(R R*ᵀ)      the rotation vector from the target to where the segment is; |φ| ≤ π
        dφ = L(φ) ω,                L = I − ½[φ]× + c [φ]×²,   c = (1 − (θ/2) cot(θ/2)) / θ²,   θ = |φ|

    L is the inverse of the left Jacobian of the rotation vector. Lᵀφ = φ, so the gradient of ½|φ|² is φ itself.

    Degenerate: at half a turn (θ = π), φ and −φ are the same rotation, and the error jumps from one to the other.
    Either one leads to the target.

    With an `axis`, such as that of a bone, the rotation counts in two parts with separate weights: where the axis
    points (swing), and how the segment turns about it (twist).

        Orientation("LeftArm", target, axis=(0, 1, 0), swing=1.0, twist=0.03)      the direction of the bone first
        Orientation("LeftArm", target, axis=(0, 1, 0), twist=0.0)                  the direction only

        error = (σ, τ)      σ: the rotation vector that turns the axis of the target to that of the segment
                            τ: the angle about the axis that is left when the swing is undone, −π < τ ≤ π
        cost = ½ w (swing |σ|² + twist τ²)

    The weights change the cost only. The reported error is the larger of |σ| and |τ|, so the goal is reached if both
    angles are within the tolerance. A part with weight 0 does not count: it is in neither the cost nor the error. See
    `goals/swing_and_twist.py` for the derivatives and the degenerate cases.
    """

    segment: str
    """Name of the segment."""
    rotation: Any
    """(4,) quaternion wxyz, or (3, 3); kept as the quaternion."""
    axis: Any = field(default=None, kw_only=True)
    """(3,) axis of swing and twist, in the segment's space; scaled to length 1. None: the rotation counts as one."""
    swing: float = field(default=1.0, kw_only=True)
    """Factor of the weight for the direction of the axis, at least 0. It needs an `axis`."""
    twist: float = field(default=1.0, kw_only=True)
    """Factor of the weight for the turn about the axis, at least 0. It needs an `axis`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_weights()
        set_field(self, "rotation", arrays.frozen(as_quaternion(self.rotation, f"{self.label}: target")))

    def _check_weights(self) -> None:
        for name in ("swing", "twist"):
            weight = arrays.non_negative(getattr(self, name), f"{self.label}: {name}")
            if weight > LARGEST_WEIGHT:
                raise BadValue(f"{self.label}: {name} is {weight:g}; it must be at most {LARGEST_WEIGHT:g}")
            set_field(self, name, weight)
        if self.axis is not None:
            set_field(self, "axis", as_tuple(arrays.direction(self.axis, f"{self.label}: axis")))
            if self.robust is not None:
                raise BadValue(f"{self.label} has an axis and a robust loss; a loss needs the rotation as one error")
            if self.swing == 0.0 and self.twist == 0.0:
                raise BadValue(f"{self.label}: swing and twist are both 0; one of them must be above 0")
        elif self.swing != 1.0 or self.twist != 1.0:
            raise BadValue(
                f"{self.label}: swing is {self.swing:g} and twist is {self.twist:g}, but there is no axis; give the "
                "axis of the segment, as in axis=(0, 1, 0)"
            )

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment),)

    @property
    def rows(self) -> int:
        return 3 if self.axis is None else len(self._counting)

    @property
    def angular(self) -> tuple[bool, ...]:
        return (True,) * self.rows

    @property
    def row_weights(self) -> tuple[float, ...]:
        if self.axis is None:
            return super().row_weights
        weights = (self.swing, self.swing, self.swing, self.twist)
        return tuple(weights[k] for k in self._counting)

    @property
    def _counting(self) -> list[int]:
        """Rows of (σ, τ) whose weight is above 0."""
        return [0, 1, 2] * (self.swing > 0.0) + [3] * (self.twist > 0.0)

    @property
    def target(self) -> Vector:
        return np.array(self.rotation)

    def with_target(self, target: ArrayLike) -> Orientation:
        return replace(self, rotation=target)

    def error(self, reading: Reading) -> Vector:
        if self.axis is None:
            return turn_between(reading.rotation, self.rotation)
        parts: Vector = swing_and_twist(reading.rotation, self.rotation, self.axis)[self._counting]
        return parts

    def derivative(self, reading: Reading) -> Matrix:
        if self.axis is None:
            turning = turn_derivative(self.error(reading))
        else:
            turning = swing_and_twist_derivative(reading.rotation, self.rotation, self.axis)[self._counting]
        return np.hstack([np.zeros_like(turning), turning])

    def measure(self, error: Vector) -> float:
        if self.axis is None:
            return super().measure(error)
        swing = float(np.linalg.norm(error[:3])) if self.swing > 0.0 else 0.0
        return max(swing, abs(float(error[-1])) if self.twist > 0.0 else 0.0)

    # Capabilities

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (0,)

    @property
    def wanted_rotation(self) -> Vector | None:
        return np.array(self.rotation) if self.swing > 0.0 and self.twist > 0.0 else None

    def met_by(self, reading: Reading, margin: float = 0.0) -> Orientation:  # noqa: ARG002 (no length)
        return self.with_target(rotations.from_matrix(reading.rotation))

    def native_terms(self) -> Sequence[PartTerm]:
        if self.axis is None:
            return (PartTerm("orientation", self.effectors[0], self.allowed),)
        parts = (("swing", self.swing), ("twist", self.twist))
        return tuple(
            PartTerm(kind, self.effectors[0], self.allowed, axis=self.axis, share=weight)
            for kind, weight in parts
            if weight > 0.0
        )


def turn_between(rotation: Matrix, target: Vector) -> Vector:
    """φ = log(R R*ᵀ), (3,), from a matrix R and a quaternion R*."""
    turn: Vector = rotations.to_rotation_vector(rotations.from_matrix(rotation @ rotations.to_matrix(target).T))
    return turn


def turn_derivative(turn: Vector) -> Matrix:
    """L(φ), (3, 3), of the formula in `Orientation`."""
    square = float(turn @ turn)
    angle = np.sqrt(square)
    if angle < 1e-2:
        c = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    else:
        c = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / square
    cross = rotations.cross_matrix(turn)
    derivative: Matrix = np.eye(3) - 0.5 * cross + c * (cross @ cross)
    return derivative


def as_quaternion(values: ArrayLike, label: str) -> Vector:
    """A quaternion (4,) from four numbers wxyz or from a rotation matrix (3, 3)."""
    array = arrays.numbers(values, label, (-1,))
    if array.shape == (4,):
        return arrays.quaternion(array, label)
    if array.shape != (3, 3):
        raise BadShape(
            f"{label} has shape {array.shape}; it needs (4,), a quaternion wxyz, or (3, 3), a rotation matrix"
        )
    if np.abs(array.T @ array - np.eye(3)).max() > MATRIX_TOLERANCE or np.linalg.det(array) < 0.0:
        raise BadValue(f"{label}: the 3×3 matrix is not a rotation; its columns must be orthonormal and right-handed")
    return rotations.from_matrix(array)
