"""Relative: an effector placed in the space of another. It closes loops, such as two hands on one bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Numbers
from manikin.goals.effector import Effector
from manikin.goals.goal import ANGLE_TOLERANCE, LENGTH_TOLERANCE, Goal, Reading, Tolerance, set_field
from manikin.goals.native_terms import LinkTerm
from manikin.goals.nearest import moved_past
from manikin.goals.orientation import as_quaternion, turn_between, turn_derivative
from manikin.goals.placement import seven_numbers, tolerance_pair


@dataclass(frozen=True, eq=False)
class Relative(Goal):
    """An effector f at a point and with a rotation in the space of another effector e.

        error = (x_f − (x_e + R_e t), φ),   φ = log(R_f (R_e R*)ᵀ)           both in world axes
        d(position) = v_f − v_e − ω_e × (R_e t)
        dφ = L(φ) ω_f − L(φ)ᵀ ω_e                                          L as in `Orientation`

    t and R* are the target: the position of f and the rotation of its segment, seen from e. `position=False` or
    `orientation=False` leaves one of them out. If both are on, the reported error is as in `Placement`.

    Degenerate: half a turn, as in `Orientation`.

    Example:
        >>> Relative("RightHand", "LeftHand", (0.4, 0, 0), orientation=False).label
        'Relative RightHand LeftHand'
    """

    segment: str
    """Name of the segment of f."""
    to: str
    """Name of the segment of e."""
    placement: Any
    """(4, 4) to the space of e from that of f, or (7,) t then R* as a quaternion wxyz; stored as the seven numbers.
    Also (3,) t if `orientation` is off; (4,) or (3, 3) R* if `position` is off."""
    position: bool = field(default=True, kw_only=True)
    """Whether the position counts."""
    orientation: bool = field(default=True, kw_only=True)
    """Whether the orientation counts."""
    offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) f in its segment's space, length; not allowed if `position` is off."""
    to_offset: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """(3,) e in its segment's space, length; not allowed if `position` is off."""
    # If both parts count, `tolerance` may be a pair (length, radians) or one length. Otherwise it is one number, for
    # that part.

    def __post_init__(self) -> None:
        for part in ("position", "orientation"):
            if not isinstance(getattr(self, part), (bool, np.bool_)):
                raise BadValue(f"Relative {self.segment}: {part} is {getattr(self, part)!r}; it must be True or False")
            set_field(self, part, bool(getattr(self, part)))
        if not (self.position or self.orientation):
            raise BadValue(
                f"Relative {self.segment}: position and orientation are both False; one of them must be True"
            )
        super().__post_init__()
        f, e = self.effectors
        set_field(self, "offset", f.offset)
        set_field(self, "to_offset", e.offset)
        if f.segment == e.segment:
            raise BadValue(
                f"{self.label}: segment and `to` are both {f.segment!r}; a segment does not move relative to itself"
            )
        for name in ("offset", "to_offset"):
            if not self.position and any(getattr(self, name)):
                raise BadValue(
                    f"{self.label}: {name} is {getattr(self, name)}, but position is False; an orientation has none"
                )
        set_field(self, "placement", arrays.frozen(self._seven_numbers(f"{self.label}: target")))

    @classmethod
    def as_now(
        cls,
        figure: Figure,
        pose: ArrayLike,
        segment: str,
        to: str,
        *,
        offset: ArrayLike = (0.0, 0.0, 0.0),
        to_offset: ArrayLike = (0.0, 0.0, 0.0),
        **options: Any,
    ) -> Relative:
        """Makes a goal that keeps the placement of one segment relative to another as it is in a pose (nq,).

        Args:
            figure: the figure.
            pose: the pose, shape (nq,), that shows the relation.
            segment: name of the effector.
            to: name of the segment that it is relative to.
            offset: point on the effector, shape (3,), length.
            to_offset: point on the other segment, shape (3,), length.
            options: `weight`, `priority` and the other fields of a goal.

        Example:
            >>> import manikin as mk
            >>> human = mk.human()
            >>> goal = Relative.as_now(human, human.rest, "RightHand", "LeftHand")
            >>> mk.solve(human, [goal, mk.Position("LeftHand", (0.5, 1.3, 0.2))]).reached
            True
        """
        at = figure.placements(pose, [segment, to])
        for placement, point in zip(at, (offset, to_offset), strict=True):
            placement[:3, 3] += placement[:3, :3] @ arrays.vector3(point, f"Relative {segment} {to}: offset")
        R = at[1, :3, :3].T
        seen = np.eye(4)
        seen[:3, :3], seen[:3, 3] = R @ at[0, :3, :3], R @ (at[0, :3, 3] - at[1, :3, 3])
        return cls(segment, to, seen, offset=offset, to_offset=to_offset, **options)  # type: ignore[arg-type]

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return (Effector(self.segment, self.offset), Effector(self.to, self.to_offset))

    @property
    def rows(self) -> int:
        return 3 * (self.position + self.orientation)

    @property
    def angular(self) -> tuple[bool, ...]:
        return (False,) * 3 * self.position + (True,) * 3 * self.orientation

    @property
    def target(self) -> Vector:
        return np.array(self.placement)

    def with_target(self, target: ArrayLike) -> Relative:
        return replace(self, placement=arrays.numbers(target, f"{self.label}: target", (7,)))

    def error(self, reading: Reading) -> Vector:
        parts = []
        if self.position:
            parts.append(reading.position - (reading.placements[1, :3, 3] + self._arm(reading)))
        if self.orientation:
            parts.append(self._turn(reading))
        return np.concatenate(parts)

    def derivative(self, reading: Reading) -> Matrix:
        blocks = []
        if self.position:
            moving = np.zeros((3, 12))
            moving[:, :3], moving[:, 6:9] = np.eye(3), -np.eye(3)
            moving[:, 9:] = rotations.cross_matrix(self._arm(reading))
            blocks.append(moving)
        if self.orientation:
            turning, L = np.zeros((3, 12)), turn_derivative(self._turn(reading))
            turning[:, 3:6], turning[:, 9:] = L, -L.T
            blocks.append(turning)
        return np.concatenate(blocks)

    def measure(self, error: Vector) -> float:
        if not (self.position and self.orientation):
            return super().measure(error)
        length, angle = self.tolerance
        return float(max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:]) * length / angle))

    @property
    def allowed(self) -> float:
        if self.tolerance is None or not (self.position and self.orientation):
            return super().allowed
        return float(self.tolerance[0])

    def _arm(self, reading: Reading) -> Vector:
        """R_e t, (3,)."""
        arm: Vector = reading.placements[1, :3, :3] @ self.placement[:3]
        return arm

    def _turn(self, reading: Reading) -> Vector:
        """φ, (3,): R_e log(R_eᵀ R_f R*ᵀ), the same as log(R_f (R_e R*)ᵀ)."""
        R = reading.placements[1, :3, :3]
        turn: Vector = R @ turn_between(R.T @ reading.rotation, self.placement[3:])
        return turn

    def _default_tolerance(self, figure: Figure) -> Tolerance:
        if self.position and self.orientation:
            return (LENGTH_TOLERANCE * figure.size, ANGLE_TOLERANCE)
        return super()._default_tolerance(figure)

    def _checked_tolerance(self, tolerance: Any, label: str) -> Tolerance:
        if self.position and self.orientation:
            return tolerance_pair(tolerance, label)
        return super()._checked_tolerance(tolerance, label)

    def _seven_numbers(self, label: str) -> Vector:
        arrays.require_plain(self.placement, label)
        shape = np.shape(self.placement)
        if shape == (3,) and not self.orientation:
            return np.concatenate([arrays.vector3(self.placement, label), rotations.IDENTITY])
        if shape in ((4,), (3, 3)) and not self.position:
            return np.concatenate([np.zeros(3), as_quaternion(self.placement, label)])
        return seven_numbers(self.placement, label)

    # Capabilities

    @property
    def quaternions(self) -> tuple[int, ...]:
        return (3,)

    def met_by(self, reading: Reading, margin: float = 0.0) -> Relative:
        f, e = reading.placements
        point = moved_past(self.placement[:3], e[:3, :3].T @ (f[:3, 3] - e[:3, 3]), margin)
        return self.with_target(np.concatenate([point, rotations.from_matrix(e[:3, :3].T @ f[:3, :3])]))

    def native_terms(self) -> Sequence[LinkTerm]:
        both = self.position and self.orientation
        length, angle = self.tolerance if both else (self.tolerance, self.tolerance)
        position = LinkTerm("relative_position", self.effectors, length)
        orientation = LinkTerm("relative_orientation", self.effectors, angle, target=3)
        return (position,) * self.position + (orientation,) * self.orientation
