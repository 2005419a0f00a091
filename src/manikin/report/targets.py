"""Moves targets to a place that an effector reached: the change that always helps."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.goals import Goal
from manikin.report.data import Unit

WELL_INSIDE, INSIDE = 5.0, 0.5
"""A position is moved by WELL_INSIDE tolerances more than needed, because solvers are slow exactly at the edge of
reach. INSIDE is used if that is too much. With half a tolerance the pose still meets the goal."""
FAR_INSIDE = 30.0
"""If neither is enough, a position is moved by this many tolerances more than needed, provided that the goal is missed
by more than that. Distances converge slowly at the edge of reach."""


def sizes(goal: Goal, error: Vector) -> list[tuple[float, Unit]]:
    """The parts of an error that are above tolerance, with lengths and angles separate; the whole length if none is.

    A goal with both a position and an orientation has a single error number, which tells a reader little.
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
