"""Aim: an axis fixed on an effector points at a point or along a direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.joint import Numbers, as_tuple
from manikin.goals.effector import Effector
from manikin.goals.goal import Reading, set_field
from manikin.goals.native_terms import PartTerm
from manikin.goals.robust_goal import RobustGoal

BEHIND = 1e-6
"""If the angle between the axis and the target is within this of π (rad), rounding would decide the axis of the turn,
so a fixed axis is used."""
AT_EFFECTOR = 1e-12
"""A target nearer than this fraction of the coordinates is at the effector. It then has no direction. It has no fixed
length, so that the unit of length does not matter."""


@dataclass(frozen=True, eq=False)
class Aim(RobustGoal):
    """The ray from an effector along an axis fixed on it passes through a point, or has a given direction.

        Aim("Head", (2, 1.5, 1))                                    looks at a point
        Aim("Gripper", direction=(0, 0, -1), axis=(0, 0, 1))        points straight down, wherever it is

    With d the axis in the world, x the effector, y the point, and u = (y − x)/|y − x|, the angle from u to d is α =
    atan2(|u × d|, u·d). It is 0 if the effector aims at the point, and π if the point is exactly behind. Then

        error = φ = α (u × d)/|u × d|,       the rotation vector that turns u to d
        dφ = f dw − h w dc,                  w = u × d, c = u·d, f = α/sin α, h = (sin α − α cos α)/sin³α
        dd = ω × d,   du = −(I − uuᵀ) v / |y − x|

    with v, ω the velocities of the effector. The rank is two, because a rotation about d changes nothing. A direction
    is a point at infinity: u is the direction itself, and du = 0.

    Degenerate: if the point is exactly behind (α = π, within 1e-6), every axis of the turn is equally good. One axis is
    chosen, and the derivative is that of the angle α about this axis. If the point is at the effector, the error and
    the derivative are 0.
    """

    segment: str
    """Name of the segment."""
    point: Any = None
    """(3,) y, world, length; None if a direction is given."""
    axis: Numbers = (0.0, 0.0, 1.0)
    """(3,) the axis in the segment's space; scaled to length 1."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) start of the ray, in the segment's space, length; not allowed with a direction."""
    direction: Any = field(default=None, kw_only=True)
    """(3,) u, world, instead of a point; scaled to length 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "axis", as_tuple(arrays.direction(self.axis, f"{self.label}: axis")))
        set_field(self, "offset", self.effectors[0].offset)
        if (self.point is None) == (self.direction is None):
            both = "both a point and a direction" if self.direction is not None else "neither a point nor a direction"
            raise BadValue(f"{self.label} has {both}; it needs one of them, as in Aim({self.segment!r}, (x, y, z))")
        if self.direction is None:
            set_field(self, "point", arrays.frozen(arrays.vector3(self.point, f"{self.label}: target")))
        else:
            set_field(self, "direction", arrays.frozen(arrays.direction(self.direction, f"{self.label}: direction")))
            if any(self.offset):
                raise BadValue(
                    f"{self.label}: offset is {self.offset}, but a direction is the same wherever the ray starts; "
                    "leave the offset out, or aim at a point"
                )

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset),)

    @property
    def aimed_axis(self) -> Vector:
        return np.array(self.axis)

    @property
    def rows(self) -> int:
        return 3

    @property
    def angular(self) -> tuple[bool, ...]:
        return (True, True, True)

    @property
    def target(self) -> Vector:
        return np.array(self.point if self.direction is None else self.direction)

    def with_target(self, target: ArrayLike) -> Aim:
        return replace(self, point=target) if self.direction is None else replace(self, direction=target)

    def error(self, reading: Reading) -> Vector:
        d, u, _ = self._directions(reading)
        if u is None:
            return np.zeros(3)
        return turn_of(u, d)

    def derivative(self, reading: Reading) -> Matrix:
        d, u, distance = self._directions(reading)
        if u is None:
            return np.zeros((3, 6))
        w, sine, cosine = _between(u, d)
        across = (np.outer(u, u) - np.eye(3)) / distance  # du = across v
        cross_d, cross_u = rotations.cross_matrix(d), rotations.cross_matrix(u)
        if cosine < 0.0 and sine < BEHIND:
            k = _chosen_axis(w, sine, d)
            turning = np.hstack([-cross_u @ across, np.eye(3)])  # ω − ω_u, with ω_u = u × du
            out: Matrix = np.outer(k, k @ turning)
            return out
        dw = np.hstack([-cross_d @ across, -cross_u @ cross_d])  # du × d + u × (ω × d)
        dc = np.concatenate([d @ across, _cross(d, u)])  # d·du + u·(ω × d)
        return _ratio(sine, cosine) * dw - _ratio_slope(sine, cosine) * np.outer(w, dc)

    def _directions(self, reading: Reading) -> tuple[Vector, Vector | None, float]:
        """d, u and the distance |y − x|, which is infinite for a direction. u is None if the point is at the
        effector."""
        d: Vector = reading.rotation @ np.array(self.axis)
        if self.direction is not None:
            return d, self.direction, math.inf
        away: Vector = self.point - reading.position
        distance = float(np.linalg.norm(away))
        if distance <= AT_EFFECTOR * float(np.linalg.norm(self.point) + np.linalg.norm(reading.position)):
            return d, None, 0.0
        return d, away / distance, distance

    # Capabilities

    def met_by(self, reading: Reading, margin: float = 0.0) -> Aim:  # noqa: ARG002 (no length)
        d = reading.rotation @ np.array(self.axis)
        if self.direction is not None:
            return self.with_target(d)
        return self.with_target(reading.position + float(np.linalg.norm(self.point - reading.position)) * d)

    @property
    def directions(self) -> tuple[int, ...]:
        return () if self.direction is None else (0,)

    def native_terms(self) -> Sequence[PartTerm]:
        along = int(self.direction is not None)
        return (PartTerm("aim", self.effectors[0], self.allowed, flags=along, axis=self.axis),)


def turn_of(u: Vector, d: Vector) -> Vector:
    """φ, (3,), the rotation vector that turns the unit vector u to the unit vector d."""
    w, sine, cosine = _between(u, d)
    if cosine < 0.0 and sine < BEHIND:
        return math.atan2(sine, cosine) * _chosen_axis(w, sine, d)
    return _ratio(sine, cosine) * w


def turn_of_derivative(u: Vector, d: Vector) -> Matrix:
    """(3, 3) dφ/dω if d turns with the angular velocity ω and u is fixed."""
    w, sine, cosine = _between(u, d)
    if cosine < 0.0 and sine < BEHIND:
        k = _chosen_axis(w, sine, d)
        return np.outer(k, k)
    dw = -rotations.cross_matrix(u) @ rotations.cross_matrix(d)  # u × (ω × d)
    return _ratio(sine, cosine) * dw - _ratio_slope(sine, cosine) * np.outer(w, _cross(d, u))


def _cross(a: Vector, b: Vector) -> Vector:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _between(u: Vector, d: Vector) -> tuple[Vector, float, float]:
    """w = u × d, its length, and u·d."""
    w = _cross(u, d)
    return w, float(np.sqrt(w @ w)), float(u @ d)


def _chosen_axis(w: Vector, sine: float, d: Vector) -> Vector:
    """The axis of the turn if the point is behind: along w if w is long enough, otherwise a fixed one."""
    if sine > 1e-14:
        return w / sine
    return rotations.perpendicular(d)


def _ratio(sine: float, cosine: float) -> float:
    """f = α / sin α."""
    if cosine > 0.0 and sine < 1e-3:
        return 1.0 + sine * sine / 6.0 + 3.0 * sine**4 / 40.0  # arcsin s / s
    return math.atan2(sine, cosine) / sine


def _ratio_slope(sine: float, cosine: float) -> float:
    """h = (sin α − α cos α) / sin³α: minus the derivative of f with respect to cos α."""
    angle = math.atan2(sine, cosine)
    if cosine > 0.0 and angle < 1e-2:
        return 1.0 / 3.0 + 2.0 * angle * angle / 15.0 + 17.0 * angle**4 / 420.0
    return (sine - angle * cosine) / sine**3
