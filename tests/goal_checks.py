"""Common code of the tests of goals: readings to try goals on, and the derivative of a goal in space."""

from __future__ import annotations

from typing import Any

import numpy as np
from checks import assert_derivative
from strategies import random_quaternion

from manikin import rotations
from manikin.goals import Goal, Reading


def placed(position: Any = (0.0, 0.0, 0.0), quaternion: Any = rotations.IDENTITY) -> Reading:
    """What a goal with one effector reads."""
    return Reading(rotations.placement(np.array(quaternion), np.array(position, dtype=float))[None])


def random_reading(rng: np.random.Generator, effectors: int = 1, mass: bool = False, size: float = 1.0) -> Reading:
    """Effectors anywhere, often turned to a bad place."""
    turns = np.array([random_quaternion(rng) for _ in range(effectors)])
    placements = rotations.placement(turns, size * rng.normal(size=(effectors, 3)))
    return Reading(placements, size * rng.normal(size=3) if mass else None)


def moved(reading: Reading, v: Any) -> Reading:
    """The reading after every effector moved by a linear and an angular step, and the centre of mass by its own."""
    k = len(reading.placements)
    placements = reading.placements.copy()
    for i in range(k):
        linear, angular = v[6 * i : 6 * i + 3], v[6 * i + 3 : 6 * i + 6]
        placements[i, :3, 3] += linear
        placements[i, :3, :3] = rotations.to_matrix(rotations.from_rotation_vector(angular)) @ placements[i, :3, :3]
    center = None if reading.center_of_mass is None else reading.center_of_mass + v[6 * k : 6 * k + 3]
    return Reading(placements, center)


def assert_goal_derivative(goal: Goal, reading: Reading, step: float = 0.02, tol: float = 1e-8) -> None:
    """The goal's derivative is that of its error, by the velocities of what it reads."""
    n = 6 * len(goal.effectors) + 3 * goal.reads_mass
    assert_derivative(
        lambda v: goal.error(moved(reading, v)), goal.derivative(reading), np.zeros(n), step=step, tol=tol
    )
