"""The loop of the classical methods: repeated linear steps with limited displacements.

In each iteration every goal requests the displacement dX = −r, shortened to at most `largest`, because a linear step is
accurate only for short displacements. The method converts dX to a step dθ. No joint turns by more than half a turn.
These methods ignore limits. Their pose may be outside, and the solution reports by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.linalg import pinv_step
from manikin.preferences import Preference
from manikin.problem import Evaluation, Problem
from manikin.solvers.methods.run import Outcome, Run

LARGEST = 0.2
"""Default of the longest displacement of a goal in one iteration, in sizes of the figure."""
LARGEST_TURN = np.pi
"""Largest turn of a joint in one step, in radians. A turn of more than half a turn ends on the other side."""
PATIENCE = 40
"""The run stalls after this many iterations without a new lowest cost."""
STILL = 1e-12
"""Steps shorter than this (radians) do not move the figure."""
SETTLED = 1e-4
"""A run with a preference ends if all goals are reached and the step is shorter than this (radians)."""


@dataclass(frozen=True, eq=False)
class StepRequest:
    """The input of a method in one iteration."""

    at: Evaluation
    J: Matrix
    """(m, n) Jacobian of the residual, lengths per radian (slides: per size of the figure)."""
    dX: Vector
    """(m,) requested displacement in lengths, shortened goal by goal to the largest allowed length."""
    Z: Vector | None
    """(n,) step of the preference, in radians; None without a preference."""


Rule = Callable[[StepRequest], tuple[Vector, float]]
"""A method: a function from a request to its step dθ, (n,), and the damping λ that it used."""


def iterate(
    problem: Problem, run: Run, rule: Rule, largest: float | None = None, preference: Preference | None = None
) -> Outcome:
    """Takes steps by a rule until every goal is reached, or the cost does not fall for `PATIENCE` iterations."""
    check_preference(preference)
    cap = largest_displacement(problem, largest)
    run.follows_preference = preference is not None
    at, lowest, waited, length = problem.at(problem.start), np.inf, 0, np.inf
    while run.tick(at, settled=preference is None or length < SETTLED):
        local = look(at, cap, preference)
        step, damping = rule(local)
        step = shortened(step) * problem.movable
        length = float(np.linalg.norm(step))
        run.record(at, length, damping, local.J)
        moved = problem.at(problem.figure.integrate(at.pose, problem.step_unit * step))
        waited = 0 if moved.cost < (1.0 - 1e-6) * lowest or moved.reached else waited + 1
        lowest = min(lowest, moved.cost)
        at = moved
        if length < STILL or waited > PATIENCE:
            run.stalled(at)
            break
    return run.outcome()


def shortened(step: Vector) -> Vector:
    """The step, shortened so that no joint turns by more than half a turn."""
    return step * min(1.0, LARGEST_TURN / max(float(np.abs(step).max(initial=0.0)), 1e-300))


def look(at: Evaluation, cap: float, preference: Preference | None = None) -> StepRequest:
    """The request of a method at a pose."""
    problem = at.problem
    Z = None
    if preference is not None:
        Z = preference.wish(problem.figure, at.pose, problem.step_unit) * problem.movable
    return StepRequest(at, at.jacobian * problem.step_unit, -at.residual * shortening(at, cap), Z)


def shortening(at: Evaluation, cap: float) -> Vector:
    """(m,) the factor that shortens each goal's residual to at most `cap`."""
    factor = np.ones(at.problem.rows)
    for rows in at.problem.slices:
        length = float(np.linalg.norm(at.residual[rows]))
        if length > cap:
            factor[rows] = cap / length
    return factor


def in_null_space(J: Matrix, Z: Vector | None) -> Vector:
    """(I − J⁺J) Z, (n,): the part of a preferred step that moves no goal; 0 without a preference."""
    return np.zeros(J.shape[1]) if Z is None else pinv_step(J, np.zeros(len(J)), Z)


def largest_displacement(problem: Problem, largest: float | None) -> float:
    """The limit of displacements, as a length; infinite if the caller gave infinity."""
    if largest is None:
        return LARGEST * problem.figure.size
    return float("inf") if largest == np.inf else arrays.positive(largest, "largest")


def check_preference(preference: Any) -> None:
    if preference is not None and not isinstance(preference, Preference):
        raise BadValue(f"preference is {preference!r}; it needs a preference such as MidRange(), or None")
