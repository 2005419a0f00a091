"""`Evaluation`: the errors and the Jacobian of a problem at one pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.goals import Reading

if TYPE_CHECKING:
    from manikin.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A problem at one pose."""

    problem: Problem
    pose: Vector
    """(nq,)"""
    rows: Vector
    """(m,) errors of all goals in order, as lengths or radians. Rows of one-sided goals are signed: a negative value is
    satisfied."""
    readings: tuple[Reading, ...]
    """The reading that each goal received."""

    @cached_property
    def errors(self) -> Vector:
        """(goals,) one number for each goal, in lengths or radians."""
        counted = self.counted
        problem = self.problem
        return np.array([g.measure(counted[at]) for g, at in zip(problem.goals, problem.slices, strict=True)])

    @cached_property
    def reached(self) -> bool:
        """Whether every goal that counts (weight above 0) is within its tolerance."""
        return bool(np.all((self.errors <= self.problem.tolerances) | ~self.problem.counting))

    @cached_property
    def residual(self) -> Vector:
        """(m,) the weighted residual r, in lengths; satisfied one-sided rows are 0."""
        residual: Vector = self.problem.scale * self._pull * self.counted
        return residual

    @property
    def cost(self) -> float:
        """F = ½ ‖r‖², length². For a robust goal, w d² is replaced by w L(d), see `reference.robust`."""
        return 0.5 * float(self.residual @ self.residual + self._rest)

    @cached_property
    def robust_weights(self) -> Vector:
        """(goals,) the factors of the weights of robust goals, from 1e-6 to 1; 1 for other goals."""
        goals = zip(self.problem.goals, self.errors, strict=True)
        return np.array([1.0 if g.robust is None else float(g.robust.weight(d)) for g, d in goals])

    @cached_property
    def _pull(self) -> Vector | float:
        """(m,) square roots of `robust_weights`, row by row."""
        problem = self.problem
        return np.sqrt(np.repeat(self.robust_weights, [g.rows for g in problem.goals])) if problem.is_robust else 1.0

    @cached_property
    def _rest(self) -> float:
        """Σ w (L − L′ d²) over the robust goals, in lengths²."""
        problem, total = self.problem, 0.0
        for goal, at, d, slope in zip(problem.goals, problem.slices, self.errors, self.robust_weights, strict=True):
            if goal.robust is not None:
                total += problem.scale[at][0] ** 2 * (float(goal.robust.cost(d)) - slope * d * d)
        return total

    @cached_property
    def derivative(self) -> Matrix:
        """(m, nv) derivative of `rows` with respect to steps; the columns of joints that may not move are 0."""
        return self.problem.derivative_at(self)

    @cached_property
    def jacobian(self) -> Matrix:
        """(m, nv) J, the derivative of `residual` with respect to steps; satisfied one-sided rows are 0."""
        problem = self.problem
        counts = np.where(problem.one_sided & (self.rows <= 0.0), 0.0, problem.scale * self._pull)
        jacobian: Matrix = counts[:, None] * self.derivative
        return jacobian

    def information(self, factors: Vector | float = 1.0) -> Vector:
        """(nv,) the diagonal of JᵀWJ, with W the weights of the goals: how much the goals tell about each step.

        `factors` (m,) are further factors of the rows of J. The native twin is cpp/kernels/solver/information.cpp.
        """
        rows = (self.jacobian.T * factors).T
        information: Vector = np.sum(rows * rows, axis=0)
        return information

    @property
    def counted(self) -> Vector:
        """(m,) `rows`, with satisfied one-sided rows set to 0."""
        return np.where(self.problem.one_sided, np.maximum(self.rows, 0.0), self.rows)
