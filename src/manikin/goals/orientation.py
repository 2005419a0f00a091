"""Orientation: a segment with a given rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.goals.effector import Effector
from manikin.goals.goal import Reading, set_field
from manikin.goals.native_terms import ORIENTATION, PartTerm
from manikin.goals.robust_goal import RobustGoal

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
    """

    segment: str
    """Name of the segment."""
    rotation: Any
    """(4,) quaternion wxyz, or (3, 3); kept as the quaternion."""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "rotation", arrays.frozen(as_quaternion(self.rotation, f"{self.label}: target")))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment),)

    @property
    def rows(self) -> int:
        return 3

    @property
    def angular(self) -> tuple[bool, ...]:
        return (True, True, True)

    @property
    def target(self) -> Vector:
        return np.array(self.rotation)

    def with_target(self, target: ArrayLike) -> Orientation:
        return replace(self, rotation=target)

    def error(self, reading: Reading) -> Vector:
        return turn_between(reading.rotation, self.rotation)

    def derivative(self, reading: Reading) -> Matrix:
        return np.hstack([np.zeros((3, 3)), turn_derivative(self.error(reading))])

    # Capabilities

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (0,)

    @property
    def wanted_rotation(self) -> Vector:
        return np.array(self.rotation)

    def met_by(self, reading: Reading, margin: float = 0.0) -> Orientation:  # noqa: ARG002 (no length)
        return self.with_target(rotations.from_matrix(reading.rotation))

    def native_terms(self) -> Sequence[PartTerm]:
        return (PartTerm(ORIENTATION, self.effectors[0], self.allowed),)


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
