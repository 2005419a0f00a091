"""Goals that the native solver evaluates in Python: `Custom`, and other subclasses of `Goal` that it does not know."""

from __future__ import annotations

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Placements, Vector
from manikin.errors import BadShape
from manikin.goals import Goal, Reading
from manikin.goals.goal import require_usable

ANGULAR, ONE_SIDED = 1, 2
"""Bits of a row (`RowFlag` in cpp/model/goals.h)."""
ALL_ANGULAR, READS_MASS, READS_POSE = 1, 2, 4
"""Bits of a goal (`CallbackFlag` in cpp/model/goals.h)."""


class GoalCallback:
    """A goal, settled on a figure, in the form that the native solver calls."""

    def __init__(self, goal: Goal, steps: int) -> None:
        """
        Args:
            goal: settled on the figure (`goal.on`).
            steps: `figure.nv`.
        """
        self.goal = goal
        self._columns = 6 * len(goal.effectors) + 3 * goal.reads_mass + steps * goal.reads_pose
        self._last = (goal.target.tobytes(), goal)

    @property
    def flags(self) -> int:
        """The properties of the goal, as bits."""
        goal = self.goal
        return ALL_ANGULAR * all(goal.angular) | READS_MASS * goal.reads_mass | READS_POSE * goal.reads_pose

    @property
    def row_flags(self) -> list[int]:
        """(m,) the properties of each row, as bits."""
        return [ANGULAR * bool(angular) | ONE_SIDED * bool(self.goal.one_sided) for angular in self.goal.angular]

    def __call__(
        self,
        placements: Placements,
        center_of_mass: Vector | None,
        pose: Vector | None,
        target: Vector,
        needs_error: bool,
        needs_derivative: bool,
    ) -> tuple[Vector | None, float, Matrix | None]:
        """The goal's error (m,), its measure, and its derivative at the reading; None for those that are not needed."""
        goal, reading = self._with_target(target), Reading(placements, center_of_mass, pose)
        error, measure, derivative = None, 0.0, None
        if needs_error:
            error = self._checked(goal.error(reading), "error", (goal.rows,))
            measure = float(goal.measure(np.maximum(error, 0.0) if goal.one_sided else error))
        if needs_derivative:
            derivative = self._checked(goal.derivative(reading), "derivative", (goal.rows, self._columns))
        return error, measure, derivative

    def _with_target(self, target: Vector) -> Goal:
        """The goal with this target. The last one is cached, because a solve uses the same target many times."""
        key = target.tobytes()
        known, goal = self._last
        if key != known:
            goal = self.goal.with_target(target)
            self._last = (key, goal)
        return goal

    def _checked(self, value: Vector, what: str, shape: tuple[int, ...]) -> Vector:
        name = f"{self.goal.label}: {what}"
        array = np.ascontiguousarray(arrays.real(value, name))
        if array.shape != shape:
            raise BadShape(f"{name} has shape {array.shape}; it must have {shape}")
        require_usable(array, name)
        return array
