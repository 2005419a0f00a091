"""Watches the iterations of a native solve, for the history of a solution and for the caller's `progress`."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector, frozen
from manikin.base.progress import Progress, goes_on
from manikin.problem import Problem
from manikin.solution import History, Solution
from manikin.solvers.methods.run import condition_number
from manikin.solvers.native.compiled import Compiled


class Watched:
    """Called once in each iteration, with the pose before the step. It may cancel a solve, but does not change it
    otherwise."""

    def __init__(self, compiled: Compiled, history: bool, progress: Progress | None) -> None:
        self._compiled, self._keeps, self._progress = compiled, history, progress
        self._rows: list[tuple[Vector, float, float]] = []

    def __call__(self, pose: Vector, _: float, damping: float, step: float, iteration: int, moved: bool) -> bool:
        """Records the iteration. Returns False if the caller cancels. The arguments are those of `answers.Watch`."""
        if self._keeps:
            self._rows.append((pose, step if moved else 0.0, damping))
        return goes_on(self._progress, iteration - 1)

    def history(self, found: Solution) -> History:
        """The recorded history. Its last row is the pose that was found."""
        problem = Problem(found.figure, self._compiled.goals_of(found), found.start)
        problem = problem.variant(movable=self._compiled.movable)
        rows = [*self._rows, (found.pose, 0.0, 0.0)]
        at = [problem.at(pose) for pose, _, _ in rows]
        conditions = [
            condition_number(here.jacobian * problem.step_unit, damping)
            for here, (_, _, damping) in zip(at, rows, strict=True)
        ]
        return History(
            frozen(np.array([here.errors for here in at])),
            frozen(np.array([step for _, step, _ in rows])),
            frozen(np.array([damping for _, _, damping in rows])),
            frozen(np.array(conditions)),
            tuple(problem.limits_at(pose) for pose, _, _ in rows),
        )
