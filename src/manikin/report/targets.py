"""Targets moved to where an effector got: the change that always helps."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.goals import Goal
from manikin.report.data import Unit

WELL_INSIDE, INSIDE = 5.0, 0.5
"""A position is moved by this many tolerances more than needed, so that it does not lie on the very edge of reach,
where solvers are slow; by the second where the first is too much. With half a tolerance the reading still meets it."""
FAR_INSIDE = 30.0
"""By this many where neither does and the goal is missed by more: distances are met slowly at the edge of reach."""


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
