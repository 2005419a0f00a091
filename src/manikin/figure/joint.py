"""Joints: how a segment can move relative to its parent.

A joint has a fixed place in its parent's space (`offset`, `rotation`) and a sequence of motions: any number of sliders,
then at most one rotation (hinge, Euler or ball). Or it is free, or fixed (without motions).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from manikin import arrays, rotations
from manikin.errors import BadValue

Thing = TypeVar("Thing")
Numbers: TypeAlias = tuple[float, ...]
"""A few numbers, stored as a tuple so that joints can be compared and hashed."""
Pair: TypeAlias = tuple[float, float]
"""(lower, upper)."""


def changed(thing: Thing, **fields: Any) -> Thing:
    """A copy of an immutable thing with some fields changed. Nothing is checked, unlike in `dataclasses.replace`."""
    out: Thing = object.__new__(type(thing))
    out.__dict__.update(thing.__dict__, **fields)
    return out


def as_tuple(values: Any) -> Numbers:
    if type(values) is np.ndarray and values.dtype == np.float64:
        return tuple(values.tolist())
    return tuple(float(x) for x in values)


@dataclass(frozen=True)
class Slider:
    """Moves along an axis: one number, a length."""

    axis: Numbers = (1.0, 0.0, 0.0)
    """(3,) in the joint's own space; scaled to length 1."""
    limits: Pair = (-np.inf, np.inf)
    """(lower, upper), length."""
    speed: float = np.inf
    """Largest speed, length per second; infinite if unknown."""
    held: bool = False
    """Whether solving leaves the slider unchanged, unless `only` names its number. Clips of a rig displace its bones,
    and rig files have such sliders (BVH, glTF, VRM, USD, FBX). A solver that moved them would pull the body apart."""

    def __post_init__(self) -> None:
        if not isinstance(self.held, (bool, np.bool_)):
            raise BadValue(f"slider: held is {self.held!r}; it needs True or False")
        object.__setattr__(self, "held", bool(self.held))
        object.__setattr__(self, "axis", as_tuple(arrays.direction(self.axis, "slider axis")))
        object.__setattr__(self, "limits", arrays.limits(self.limits, "slider"))
        object.__setattr__(self, "speed", _speed(self.speed, "slider"))


@dataclass(frozen=True)
class Hinge:
    """Turns about an axis: one number, an angle."""

    axis: Numbers = (0.0, 0.0, 1.0)
    """(3,) in the joint's own space; scaled to length 1."""
    limits: Pair = (-np.inf, np.inf)
    """(lower, upper), radians; infinite for a continuous joint."""
    speed: float = np.inf
    """Largest speed, radians per second; infinite if unknown."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", as_tuple(arrays.direction(self.axis, "hinge axis")))
        object.__setattr__(self, "limits", arrays.limits(self.limits, "hinge"))
        object.__setattr__(self, "speed", _speed(self.speed, "hinge"))


@dataclass(frozen=True)
class Euler:
    """Turns about two or three named axes in a given order: R = R_first R_second R_third."""

    order: str = "XYZ"
    """Letters X, Y, Z, with no letter twice in a row: "ZXY" is Rz Rx Ry, and its numbers are in q in that order."""
    limits: tuple[Pair, ...] = ()
    """One (lower, upper) for each angle, radians; empty if all are unlimited."""

    def __post_init__(self) -> None:
        order = str(self.order).upper()
        twice = any(a == b for a, b in itertools.pairwise(order))
        if len(order) not in (2, 3) or set(order) - set("XYZ") or twice:
            raise BadValue(
                f"Euler order is {self.order!r}; it needs two or three of X, Y, Z, without the same "
                "letter twice in a row"
            )
        try:
            pairs = tuple(self.limits) or ((-np.inf, np.inf),) * len(order)
        except TypeError as error:
            raise BadValue(
                f"Euler joint {order}: limits are {self.limits!r}; they must be a pair (lower, upper) for each angle"
            ) from error
        if len(pairs) != len(order):
            raise BadValue(f"Euler joint {order} has {len(pairs)} limits; it needs {len(order)}, one for each angle")
        object.__setattr__(self, "order", order)
        object.__setattr__(
            self, "limits", tuple(arrays.limits(p, f"Euler angle {a}") for a, p in zip(order, pairs, strict=True))
        )


@dataclass(frozen=True)
class SwingTwist:
    """Limits of a ball: an elliptic cone for the direction of the bone, a range for the twist about it.

    The rotation is L = Q S T (see `kinematics.swing_twist`). It is allowed if (σ₁/r₁)² + (σ₂/r₂)² ≤ 1 and lower ≤ τ ≤
    upper.
    """

    axis: Numbers = (0.0, 1.0, 0.0)
    """(3,) a, the bone, in the moved segment's space; scaled to length 1."""
    swing: Pair = (np.pi, np.pi)
    """(r₁, r₂) half angles of the cone for rotations about e₁ and e₂, radians, above 0 and at most π."""
    twist: Pair = (-np.pi, np.pi)
    """(lower, upper) of the twist about the bone, radians, within ±π."""
    first: Numbers = ()
    """(3,) e₁, made perpendicular to the bone; e₂ = a × e₁. If empty, any vector perpendicular to the bone."""
    reference: Numbers = rotations.IDENTITY
    """(4,) Q, the rotation at the centre of the cone, wxyz."""

    def __post_init__(self) -> None:
        axis = arrays.direction(self.axis, "twist axis")
        none = isinstance(self.first, (tuple, list)) and not self.first
        e1 = rotations.perpendicular(axis) if none else arrays.vector3(self.first, "first swing axis")
        across = e1 - axis * (axis @ e1)
        if np.linalg.norm(across) < 1e-6 * np.linalg.norm(e1) or not np.any(e1):
            raise BadValue(
                f"first swing axis {as_tuple(e1)} is parallel to the twist axis {as_tuple(axis)}; it must not be"
            )
        if abs(float(axis @ e1)) >= 1e-15 or abs(np.linalg.norm(e1) - 1) >= 1e-15:
            e1 = arrays.direction(across, "first swing axis")
            e1 = e1 - axis * (axis @ e1)  # again, because of rounding if e₁ was almost along the axis
        arrays.require_plain(self.swing, "swing")
        try:
            r1, r2 = (float(r) for r in self.swing)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadValue(f"swing is {self.swing!r}; it needs two half angles in radians") from error
        if not (0.0 < r1 <= np.pi and 0.0 < r2 <= np.pi):
            raise BadValue(
                f"swing is ({r1:g}, {r2:g}); each half angle must be above 0 and at most π (use a Hinge for a "
                "joint without swing)"
            )
        twist = arrays.limits(self.twist, "twist")
        twist = (max(twist[0], -np.pi), min(twist[1], np.pi))
        if twist[0] > twist[1]:
            raise BadValue(f"twist limits {self.twist!r} are outside ±π")
        object.__setattr__(self, "axis", as_tuple(axis))
        object.__setattr__(self, "first", as_tuple(arrays.direction(e1, "first swing axis")))
        object.__setattr__(self, "swing", (r1, r2))
        object.__setattr__(self, "twist", twist)
        object.__setattr__(self, "reference", as_tuple(arrays.quaternion(self.reference, "cone reference")))

    @property
    def basis(self) -> arrays.Rotations:
        """(3, 3) rows e₁, e₂, a."""
        first, axis = np.array(self.first), np.array(self.axis)
        return np.array([first, rotations.cross(axis, first), axis])


@dataclass(frozen=True)
class Ball:
    """Turns about every axis: four numbers, a quaternion; three steps."""

    limits: SwingTwist | None = None
    """The cone and twist range; None if it may turn freely."""

    def __post_init__(self) -> None:
        if self.limits is not None and not isinstance(self.limits, SwingTwist):
            raise BadValue(f"ball limits are {self.limits!r}; they must be a SwingTwist(...), or None for no limits")


@dataclass(frozen=True)
class Free:
    """Moves and turns freely: three translations along the joint's axes, then a quaternion; six steps."""


Motion: TypeAlias = Slider | Hinge | Euler | Ball | Free


@dataclass(frozen=True)
class Coupling:
    """Couples a joint with one number to another joint with one number (mimic): q = ratio · q_source + offset."""

    source: str
    """Name of the joint to follow."""
    ratio: float = 1.0
    """Factor of the number that is followed."""
    offset: float = 0.0
    """Added to it, radians or length."""

    def __post_init__(self) -> None:
        if not isinstance(self.source, str) or not self.source:
            raise BadValue(f"coupling source is {self.source!r}; it needs the name of the joint to follow")
        object.__setattr__(self, "ratio", arrays.scalar(self.ratio, f"coupling to {self.source!r}: ratio"))
        object.__setattr__(self, "offset", arrays.scalar(self.offset, f"coupling to {self.source!r}: offset"))


@dataclass(frozen=True)
class Joint:
    """The place where a segment is attached to its parent, and the motions that it allows."""

    name: str = ""
    """Empty until the joint is assigned to a segment. It then gets the segment's name, unless a name is given."""
    motions: tuple[Motion, ...] = ()
    """Sliders, then at most one rotation; or one Free; empty for a fixed joint."""
    offset: Numbers = (0.0, 0.0, 0.0)
    """(3,) position of the joint, in the parent segment's space, length."""
    rotation: Numbers = rotations.IDENTITY
    """(4,) rotation of its axes in the parent segment's space, wxyz."""
    rest: Numbers = field(default=())
    """The joint's numbers in the rest pose. If empty: zero, or mid-range if zero is outside the limits."""
    coupling: Coupling | None = None
    """The joint that this one follows, if any."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise BadValue(f"joint name is {self.name!r}; it needs a string")
        label = f"joint {self.name!r}"
        motions = tuple(self.motions) if isinstance(self.motions, (tuple, list)) else (self.motions,)
        _check_motions(motions, label)
        object.__setattr__(self, "motions", motions)
        object.__setattr__(self, "rotation", as_tuple(arrays.quaternion(self.rotation, f"{label}: rotation")))
        self._check_numbers(label)
        if self.coupling is not None and not isinstance(self.coupling, Coupling):
            raise BadValue(f"{label}: coupling is {self.coupling!r}; it needs a Coupling(...), or None")
        if self.coupling is not None and self.nq != 1:
            raise BadValue(f"{label} has {self.nq} numbers; only a hinge or a slider can be coupled to another joint")
        if self.coupling is not None and any(isinstance(m, Slider) and m.held for m in motions):
            raise BadValue(f"{label} follows {self.coupling.source!r}, so it cannot be held; hold that joint instead")

    def _check_numbers(self, label: str) -> None:
        """Checks the offset and the rest pose."""
        object.__setattr__(self, "offset", arrays.few(self.offset, f"{label}: offset", 3))
        object.__setattr__(self, "rest", arrays.few(self.rest, f"{label}: rest"))
        if self.rest and len(self.rest) != self.nq:
            raise BadValue(f"{label}: rest has {len(self.rest)} numbers; it needs {self.nq}")

    def placed(self, offset: Numbers, rest: Numbers) -> Joint:
        """The same joint with another offset and other numbers of the rest pose. Only these are checked.

        Args:
            offset: position in the space of the parent, (3,), length.
            rest: numbers of the rest pose, radians or length.
        """
        out = changed(self, offset=offset, rest=rest)
        out._check_numbers(f"joint {self.name!r}")
        return out

    @property
    def nq(self) -> int:
        """Number of numbers in a pose."""
        return sum(number_count(m) for m in self.motions)

    @property
    def kind(self) -> str:
        """ "fixed", "hinge", "slider", "euler", "ball", "free", or several of these joined by +."""
        names = [type(m).__name__.lower() for m in self.motions]
        return "+".join(names) if names else "fixed"

    def renamed(self, name: str) -> Joint:
        """The same joint under another name.

        Args:
            name: the new name.
        """
        return replace(self, name=name)


def number_count(motion: Motion) -> int:
    """Number of numbers of a motion in a pose."""
    if isinstance(motion, Euler):
        return len(motion.order)
    return _COUNTS[type(motion)]


_COUNTS: dict[type, int] = {Slider: 1, Hinge: 1, Ball: 4, Free: 7}


def _check_motions(motions: tuple[Any, ...], label: str) -> None:
    for m in motions:
        if not isinstance(m, (Slider, Hinge, Euler, Ball, Free)):
            raise BadValue(f"{label}: motion {m!r} is not one of Slider, Hinge, Euler, Ball, Free")
    rotating = [m for m in motions if not isinstance(m, Slider)]
    if len(rotating) > 1 or (rotating and motions[-1] is not rotating[0]):
        kinds = ", ".join(type(m).__name__ for m in motions)
        raise BadValue(f"{label} has motions {kinds}; it needs sliders first, then at most one rotation")
    if len(motions) > 1 and isinstance(motions[-1], Free):
        raise BadValue(f"{label}: a Free motion cannot be combined with others")


def _speed(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadValue(f"{name}: speed {value!r} is not a number") from error
    if not number > 0.0:
        raise BadValue(f"{name}: speed is {number:g}; it must be above 0")
    return number
