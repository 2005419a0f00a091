"""Which goals of a scene are met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.solvers.native.solver import Solver
from manikin.studio.goals import SceneGoal


def tolerances(goals: Sequence[Goal]) -> list[dict[str, Any]]:
    """The name of each goal, and the error up to which it is met."""
    return [{"id": str(goal.name), "allowed": float(goal.allowed)} for goal in goals]


def errors_at(figure: Figure, pose: Vector, goals: Sequence[SceneGoal]) -> list[dict[str, Any]]:
    """The error of each goal that counts, in lengths or radians, and the error up to which it is met."""
    counting = [goal.goal(figure) for goal in goals if goal.on]
    if not counting:
        return []
    solver = Solver(figure, counting)
    errors = solver.solve(pose, restarts=0, iterations=0).errors
    return [{**row, "error": float(error)} for row, error in zip(tolerances(solver.goals), errors, strict=True)]
