"""Targets moved to where an effector got: the change that always helps."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.goals import Aim, Distance, Goal, Line, Orientation, Placement, Plane, Position, Reading, Relative
from manikin.report.data import Unit

WELL_INSIDE, INSIDE = 5.0, 0.5
"""A position is moved by this many tolerances more than needed, so that it does not lie on the very edge of reach,
where solvers are slow; by the second where the first is too much. With half a tolerance the reading still meets it."""
FAR_INSIDE = 30.0
"""By this many where neither does and the goal is missed by more: distances are met slowly at the edge of reach."""


def met_at(goal: Goal, reading: Reading, inside: float = INSIDE) -> Goal | None:
    """The goal with the nearest target that this reading meets; None for goals whose target is nothing to move."""
    if isinstance(goal, Position):
        return goal.with_target(_inside(reading.position[goal._kept], goal.point, inside * goal.allowed))
    if isinstance(goal, Placement):
        point = _inside(reading.position, goal.placement[:3], inside * goal.allowed)
        return goal.with_target(np.concatenate([point, rotations.from_matrix(reading.rotation)]))
    if isinstance(goal, Orientation):
        return goal.with_target(rotations.from_matrix(reading.rotation))
    if isinstance(goal, Plane):
        normal: Vector = goal.normal
        on_it = goal.point + normal * float(normal @ (reading.position - goal.point))
        point = _inside(on_it, goal.point, inside * goal.allowed)
        return goal.with_target(np.concatenate([point, normal]))
    if isinstance(goal, Line):
        point = _inside(goal.point + goal.error(reading), goal.point, inside * goal.allowed)
        return goal.with_target(np.concatenate([point, goal.direction]))
    if isinstance(goal, Distance):
        other = reading.placements[1, :3, 3] if isinstance(goal.to, str) else goal.to
        between = np.array([np.linalg.norm(reading.position - other)])
        return goal.with_target(np.maximum(_inside(between, goal.target, inside * goal.allowed), 0.0))
    if isinstance(goal, Aim):
        away = float(np.linalg.norm(goal.point - reading.position))
        return goal.with_target(reading.position + away * (reading.rotation @ np.array(goal.axis)))
    if isinstance(goal, Relative):
        f, e = reading.placements
        point = _inside(e[:3, :3].T @ (f[:3, 3] - e[:3, 3]), goal.placement[:3], inside * goal.allowed)
        return goal.with_target(np.concatenate([point, rotations.from_matrix(e[:3, :3].T @ f[:3, :3])]))
    return None


def sizes(goal: Goal, error: Vector) -> list[tuple[float, Unit]]:
    """The parts of an error that are above tolerance, lengths and angles apart; the whole of it if none is.

    A goal that asks for a position and an orientation at once reports one number, which says little to a reader.
    """
    angular = np.array(goal.angular)
    if isinstance(goal.tolerance, tuple):
        allowed = dict(zip((False, True), goal.tolerance, strict=True))
    else:
        allowed = dict.fromkeys((False, True), goal.allowed)
    if angular.all() or not angular.any():
        return [(goal.measure(error), "rad" if angular.all() else "length")]
    parts: list[tuple[float, Unit]] = []
    for turns in (False, True):
        size = float(np.linalg.norm(error[angular == turns]))
        if size > allowed[turns]:
            parts.append((size, "rad" if turns else "length"))
    return parts or [(float(np.linalg.norm(error[~angular])), "length")]


def _inside(reached: Vector, wanted: Vector, by: float) -> Vector:
    """The point reached, a little further away from the one wanted."""
    away = reached - wanted
    length = float(np.linalg.norm(away))
    moved: Vector = reached + away * (by / length) if length > 0.0 else reached
    return moved
