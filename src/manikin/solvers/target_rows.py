"""Rows of targets for a compiled solver: which of their numbers are quaternions or directions, and checks of them.

A goal checks its own target when it is made; a row of numbers given to `Solver` never was a goal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import LEAST_DIRECTION, UNIT_TOLERANCE, Matrix
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import AnyOf, Goal, Line, Orientation, Placement, Plane, Posture, Relative

QUATERNIONS: dict[type[Goal], int] = {Orientation: 0, Placement: 3, Relative: 3}
"""Where the quaternion of a target starts."""
DIRECTIONS: dict[type[Goal], int] = {Plane: 3, Line: 3}
"""Where the normal or direction of a target starts."""


class TargetRows:
    """What the numbers in a row of targets are, for goals in order."""

    def __init__(self, figure: Figure, goals: Sequence[Goal]) -> None:
        self._names = [goal.label for goal in goals]
        self._slices: list[slice] = []
        quaternions: list[tuple[int, int]] = []
        directions: list[tuple[int, int]] = []
        at = 0
        for k, goal in enumerate(goals):
            first = at
            for part in goal.members if isinstance(goal, AnyOf) else (goal,):
                kind = type(part)
                if kind in QUATERNIONS:
                    quaternions.append((k, at + QUATERNIONS[kind]))
                elif kind in DIRECTIONS:
                    directions.append((k, at + DIRECTIONS[kind]))
                elif isinstance(part, Posture):
                    quaternions.extend((k, at + int(n)) for n in figure._layout.balls)
                at += len(part.target)
            self._slices.append(slice(first, at))
        self._quaternions = np.array(quaternions, dtype=np.int64).reshape(-1, 2)
        self._directions = np.array(directions, dtype=np.int64).reshape(-1, 2)

    @property
    def quaternions(self) -> list[int]:
        """Where they start in a row."""
        return [int(at) for _, at in self._quaternions]

    @property
    def directions(self) -> list[int]:
        """Where they start in a row."""
        return [int(at) for _, at in self._directions]

    def check(self, rows: Matrix, on: NDArray[np.bool_]) -> None:
        """Raise BadValue where a target that counts is not finite, has a quaternion not of length 1 or no direction.

        Args:
            rows: (B, k).
            on: (goals,) or (B, goals), which goals count.
        """
        if not np.isfinite(rows).all():
            for k, (name, at) in enumerate(zip(self._names, self._slices, strict=True)):
                bad = ~np.isfinite(rows[:, at]).all(axis=1) & on[..., k]
                if bad.any():
                    row = int(np.argmax(bad))
                    raise BadValue(f"targets of {name!r}, row {row}: {rows[row, at]} is not finite")
        if len(self._quaternions):
            lengths = self._lengths(rows, self._quaternions, 4)
            bad = ~(np.abs(lengths - 1.0) <= UNIT_TOLERANCE)
            self._raise(rows, on, bad, self._quaternions, 4, "quaternion", "it needs length 1, in the order w, x, y, z")
        if len(self._directions):
            bad = ~(np.abs(rows[:, self._directions[:, 1:] + np.arange(3)]).max(axis=-1) > LEAST_DIRECTION)
            self._raise(rows, on, bad, self._directions, 3, "direction", "it needs a vector of length above 0")

    @staticmethod
    def _lengths(rows: Matrix, parts: NDArray[np.int64], width: int) -> Matrix:
        """(B, parts)"""
        lengths: Matrix = np.linalg.norm(rows[:, parts[:, 1:] + np.arange(width)], axis=-1)
        return lengths

    def _raise(
        self,
        rows: Matrix,
        on: NDArray[np.bool_],
        bad: NDArray[np.bool_],
        parts: NDArray[np.int64],
        width: int,
        what: str,
        right: str,
    ) -> None:
        bad &= on[..., parts[:, 0]]
        if bad.any():
            row, part = (int(i) for i in np.argwhere(bad)[0])
            goal, at = parts[part]
            values = ", ".join(f"{x:g}" for x in rows[row, at : at + width])
            raise BadValue(f"targets of {self._names[goal]!r}, row {row}: {what} ({values}); {right}")
