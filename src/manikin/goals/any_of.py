"""AnyOf: one of several goals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading


@dataclass(frozen=True, eq=False, init=False)
class AnyOf(Goal):
    """Reached when any one of its members is reached.

    A solve uses one member at a time. `solve` tries the nearest member first, then the others. It keeps the first that
    reaches everything, otherwise the best. The error is that of the member nearest to its tolerance.

    The weight of the AnyOf multiplies the weights of its members, of which all or none are 0. Its priority replaces
    theirs. If its tolerance is given, it replaces theirs too.

    Degenerate: where two members are equally near, the error jumps from one to the other; the first one is used.

    Example:
        >>> from manikin.goals import Position
        >>> AnyOf(Position("Hips", (0, 1, 0)), Position("Hips", (1, 1, 0))).label
        'Position Hips or Position Hips'
    """

    members: tuple[Goal, ...] = field(default=())
    """The goals to choose from. Members that are themselves AnyOf are replaced by their members."""

    def __init__(
        self,
        *members: Goal,
        weight: float = 1.0,
        priority: int = 0,
        tolerance: Any = None,
        name: str | None = None,
    ) -> None:
        flat: list[Goal] = []
        for member in members:
            if not isinstance(member, Goal):
                raise BadValue(f"AnyOf: member {member!r} is not a goal")
            flat.extend(member.alternatives)
        if not flat:
            raise BadValue("AnyOf has no members; it needs at least one goal")
        silent = [m for m in flat if m.weight == 0.0]
        if 0 < len(silent) < len(flat):
            raise BadValue(
                f"AnyOf: member {silent[0].label!r} has weight 0, so it would count as reached anywhere; it needs a "
                "weight above 0 like the others"
            )
        values = {"members": tuple(flat), "weight": weight, "priority": priority, "tolerance": tolerance, "name": name}
        for key, value in values.items():
            object.__setattr__(self, key, value)
        super().__post_init__()

    @property
    def alternatives(self) -> tuple[Goal, ...]:
        """The members with this goal's weight, priority, tolerance and name."""
        return tuple(
            replace(
                m.weighed(),
                weight=self.weight * m.weight,
                priority=self.priority,
                tolerance=m.tolerance if self.tolerance is None else self.tolerance,
                name=m.name if self.name is None else self.name,
            )
            for m in self.members
        )

    @property
    def label(self) -> str:
        return self.name if self.name is not None else " or ".join(m.label for m in self.members)

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return tuple(e for m in self.members for e in m.effectors)

    @property
    def reads_mass(self) -> bool:
        return any(m.reads_mass for m in self.members)

    @property
    def reads_pose(self) -> bool:
        return any(m.reads_pose for m in self.members)

    @property
    def rows(self) -> int:
        return max(m.rows for m in self.members)

    @property
    def angular(self) -> tuple[bool, ...]:
        raise BadValue(f"{self.label}: an AnyOf has the rows of the chosen member; use that member")

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(note for m in self.members for note in m.notes))

    @property
    def target(self) -> Vector:
        return np.concatenate([m.target for m in self.members])

    def with_target(self, target: ArrayLike) -> AnyOf:
        widths = [len(m.target) for m in self.members]
        row = arrays.numbers(target, f"{self.label}: target", (sum(widths),))
        parts = np.split(row, np.cumsum(widths)[:-1])
        members = (m.with_target(part) for m, part in zip(self.members, parts, strict=True))
        return self._with(tuple(members))

    def on(self, figure: Figure) -> AnyOf:
        return self._with(tuple(m.on(figure) for m in self.alternatives), settled=True)

    def clipped(self, figure: Figure) -> AnyOf:
        members = tuple(member.clipped(figure) for member in self.members)
        kept = all(a is b for a, b in zip(members, self.members, strict=True))
        return self if kept else self._with(members, settled=True)

    def nearest(self, reading: Reading) -> int:
        """The index of the member with the smallest error, in units of its tolerance.

        Args:
            reading: the placements of its effectors, as `Reading` describes.
        """
        ratios = []
        for member, part in zip(self.members, self._parts(reading), strict=True):
            error = member.error(part)
            ratios.append(member.measure(np.maximum(error, 0.0) if member.one_sided else error) / member.allowed)
        return int(np.argmin(ratios))

    def error(self, reading: Reading) -> Vector:
        chosen = self.nearest(reading)
        return self.members[chosen].error(self._parts(reading)[chosen])

    def derivative(self, reading: Reading) -> Matrix:
        """The derivative of the nearest member, with zero columns for readings of other members."""
        chosen = self.nearest(reading)
        member = self.members[chosen]
        inner = member.derivative(self._parts(reading)[chosen])
        before, k = sum(len(m.effectors) for m in self.members[:chosen]), len(member.effectors)
        placed, others = np.split(inner, [6 * k], axis=1)
        blocks = [np.zeros((len(inner), 6 * before)), placed]
        blocks.append(np.zeros((len(inner), 6 * (len(self.effectors) - before - k))))
        if self.reads_mass and not member.reads_mass:
            blocks.append(np.zeros((len(inner), 3)))
        return np.hstack([*blocks, others])

    def _parts(self, reading: Reading) -> list[Reading]:
        """The reading of each member."""
        ends = np.cumsum([len(m.effectors) for m in self.members])[:-1]
        return [Reading(p, reading.center_of_mass, reading.pose) for p in np.split(reading.placements, ends)]

    def _with(self, members: tuple[Goal, ...], settled: bool = False) -> AnyOf:
        """A copy with other members. `settled` says that they already carry this goal's weight and priority."""
        weight = 1.0 if settled else self.weight
        return AnyOf(*members, weight=weight, priority=self.priority, tolerance=self.tolerance, name=self.name)
