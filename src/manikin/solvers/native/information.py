"""The information of goals about each step of a figure: the diagonal of JᵀWJ at given poses.

The core computes it for goals that concern a single effector (cpp/solve/query/information.cpp). Other goals
(`Relative`, `Distance`, `Pole`, `Balance`, `Clearance`, `Posture`, `Custom`, `AnyOf`) are added here, pose by pose,
from the NumPy Jacobian of `Problem`. If a part of a ball is held, all goals are computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import AnyOf, Goal
from manikin.goals.native_terms import PartTerm
from manikin.problem import Problem
from manikin.solvers.native.arguments import plain, row_count, shared_options
from manikin.solvers.native.targets import Targets

if TYPE_CHECKING:
    from manikin.solvers.native.solver import Solver


def information(
    solver: Solver, poses: ArrayLike, targets: Targets, weights: ArrayLike | None, active: ArrayLike | None
) -> Matrix:
    """(nv,) or (B, nv). The arguments are those of `Solver.information`."""
    given = plain(solver.figure.check(poses, "poses"))
    rows = solver._targets.rows(targets)
    count = row_count(given, rows)
    options = shared_options(solver._own, count, weights, active, None, 0, None, 0)
    own = solver._weights if options["weights"] is None else options["weights"]
    on = own if options["active"] is None else np.where(options["active"], own, 0.0)
    each = np.broadcast_to(on, (count, solver._own))
    at = np.ascontiguousarray(np.broadcast_to(given, (count, solver.figure.nq)))
    wanted = np.broadcast_to(solver.targets if rows is None else rows, (count, solver.width))
    others = solver._others
    native = np.zeros_like(each) if others.every else each
    out = native_information(solver._query, solver.figure.nv, at, wanted, native)
    loops = solver._own  # goals of closed loops follow the others and always count
    counts = any(k >= loops or each[:, k].any() for k, *_ in others.goals)
    for b in range(count if counts else 0):
        out[b] += others.information(solver.movable, solver._angle_length, at[b], wanted[b], each[b])
    return out[0] if given.ndim == 1 and (rows is None or rows.ndim == 1) else out


def native_information(query: Any, steps: int, poses: Matrix, targets: Matrix, weights: Matrix) -> Matrix:
    """(B, nv) for the goals that concern a single effector.

    Args:
        query: the compiled problem.
        steps: nv of the figure.
        poses: (B, nq).
        targets: (B, k).
        weights: (B, goals), without closed loops; 0 for goals that are not active.
    """
    out = np.empty((len(poses), steps))
    try:
        query.information(poses, np.ascontiguousarray(targets), np.ascontiguousarray(weights), out)
    except ValueError as error:
        raise BadValue(str(error)) from None
    return out


def concerns_one_effector(goal: Goal) -> bool:
    """Whether the core computes the information of a settled goal."""
    members = goal.alternatives
    return (
        len(members) == 1
        and not goal.evaluated_in_python
        and all(isinstance(term, PartTerm) for term in members[0].native_terms())
    )


class OtherGoals:
    """The goals of a solver whose information Python computes."""

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal],
        at: Sequence[slice],
        shares: Sequence[Sequence[float]],
        every: bool = False,
    ) -> None:
        """
        Args:
            figure: the figure.
            goals: all goals of the solver, settled on the figure.
            at: the place of each goal's target in a row of targets.
            shares: factors on the weight of each goal, one for each of its members.
            every: whether to compute all goals here, because a part of a ball is held.
        """
        self.figure, self.every = figure, every
        self.goals = [
            (k, *each)
            for k, each in enumerate(zip(goals, at, shares, strict=True))
            if every or not concerns_one_effector(each[0])
        ]

    def information(
        self, movable: NDArray[np.bool_], angle_length: float, pose: Vector, targets: Vector, weights: Vector
    ) -> Vector:
        """(nv,) at one pose (nq,). An AnyOf counts with the member that is nearest at the pose.

        Args:
            movable: (nv,) the steps that may change.
            angle_length: an error of one radian counts as much as an error of this length.
            pose: (nq,)
            targets: a row of targets. Goals that are not in it, those of closed loops, keep their own.
            weights: (goals,) without those of closed loops, which are 1; goals of weight 0 do not count.
        """
        counted = []
        for k, goal, at, shares in self.goals:
            weight = weights[k] if k < len(weights) else 1.0
            if weight > 0.0:
                moved = goal.with_target(targets[at]) if k < len(weights) else goal
                counted.append(_weighted(moved, float(weight), shares))
        if not counted:
            return np.zeros(self.figure.nv)
        problem = Problem(self.figure, counted, pose).variant(movable=movable)
        return problem.at(pose).information(np.where(problem.angular, angle_length / problem.angle_length, 1.0))


def _weighted(goal: Goal, weight: float, shares: Sequence[float]) -> Goal:
    """The goal with another weight."""
    if isinstance(goal, AnyOf):
        members = tuple(replace(m, weight=weight * share) for m, share in zip(goal.members, shares, strict=True))
        return AnyOf(*members, priority=goal.priority, tolerance=goal.tolerance, name=goal.name)
    return replace(goal, weight=weight)
