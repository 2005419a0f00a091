"""Facts at one pose, without a solve: gradients of goals, multipliers of limits.

Let r be the residual and J the Jacobian with respect to the coordinates c of a chart, in which limits are bounds. The
gradient of goal j is G_j = J_jᵀ r_j, and g = Σ G_j. At a minimum within limits g is 0, except at limits that are
touched and where −g points outward. There |g| is the multiplier of the limit. The part of goal i in it measures how
hard goal i pushes against the limit.

    residue  = |g, without the parts that limits block| / (|J| |r|)          0 at a minimum
    own      = |G_i| / (|J_i| |r_i|)                              0 if the effector cannot move toward its target

(|J| is the Frobenius norm.) Multipliers predict the gain from a wider limit, but do not explain a miss. They only order
the candidates that are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.kinematics.chart import LocalChart
from manikin.kinematics.cones import Flags
from manikin.problem import Evaluation, Problem
from manikin.report.limits import Limit, limits_of

TOUCHED = 1e-7
"""A limit that is nearer than this (radians or sizes) is touched."""
NOTHING = 1e-300
"""Added to denominators, so that 0 / 0 gives 0."""


@dataclass(frozen=True, eq=False)
class Local:
    """A problem at one pose within limits."""

    problem: Problem
    pose: Vector
    """(nq,)"""
    levels: Vector
    """(goals,) factors of the goals' weights that express their priorities."""

    @cached_property
    def here(self) -> Evaluation:
        """The problem at the pose."""
        return self.problem.at(self.pose)

    @cached_property
    def jacobian(self) -> Matrix:
        """(m, nv) J with respect to chart coordinates, weighted."""
        factors = self._by_row(np.sqrt(self.levels))
        return self._chart.columns(factors[:, None] * self.here.jacobian)

    @cached_property
    def residual(self) -> Vector:
        """(m,) r, weighted."""
        residual: Vector = self._by_row(np.sqrt(self.levels)) * self.here.residual
        return residual

    @cached_property
    def gradients(self) -> Matrix:
        """(goals, nv) G."""
        return np.array([self.jacobian[rows].T @ self.residual[rows] for rows in self.problem.slices])

    @cached_property
    def touched(self) -> tuple[Flags, Flags]:
        """(nv,) coordinates at their lower bound, and at their upper bound. Joints that cannot move at all are left
        out."""
        low, high = self._chart.lower >= -TOUCHED, self._chart.upper <= TOUCHED
        return low & ~high, high & ~low

    def held(self, gradient: Vector) -> Flags:
        """(nv,) whether a limit prevents a step down the gradient."""
        low, high = self.touched
        stuck = (self._chart.lower >= -TOUCHED) & (self._chart.upper <= TOUCHED)
        held: Flags = stuck | (low & (gradient > 0.0)) | (high & (gradient < 0.0))
        return held

    @property
    def residue(self) -> float:
        """Distance from a minimum, as defined above."""
        g = self.gradients.sum(axis=0)
        free = np.where(self.held(g), 0.0, g)
        size = np.linalg.norm(self.jacobian) * np.linalg.norm(self.residual)
        return float(np.linalg.norm(free) / (size + NOTHING))

    def residue_of(self, goal: int) -> float:
        """The residue of one goal over the coordinates that move it. It is large if other goals, far from their
        targets, hide that this goal could still move."""
        rows = self.problem.slices[goal]
        g = self.gradients.sum(axis=0)
        felt = np.any(self.jacobian[rows] != 0.0, axis=0)
        free = np.where(self.held(g) | ~felt, 0.0, g)
        size = np.linalg.norm(self.jacobian[rows]) * np.linalg.norm(self.residual[rows])
        return float(np.linalg.norm(free) / (size + NOTHING))

    def own(self, goal: int, free: bool) -> float:
        """How well the effector of a goal can move toward its target. With `free`, directions that limits block are
        left out."""
        rows, g = self.problem.slices[goal], self.gradients[goal]
        stuck = (self._chart.lower >= -TOUCHED) & (self._chart.upper <= TOUCHED)
        kept = np.where(self.held(g) if free else stuck, 0.0, g)
        size = np.linalg.norm(self.jacobian[rows][:, ~stuck]) * np.linalg.norm(self.residual[rows])
        return float(np.linalg.norm(kept) / (size + NOTHING))

    def opposition(self, goal: int, other: int) -> float:
        """G_i · G_j: below 0 if the two goals pull against each other."""
        return float(self.gradients[goal] @ self.gradients[other])

    def blocking(self, goal: int) -> list[tuple[Limit, float, float]]:
        """Limits that block the whole problem or goal i: (limit, order, multiplier of goal i), the strongest first.

        The order is √(m max(0, mᵢ)), with the multiplier m and goal i's part mᵢ of it. Limits that only goal i pushes
        against come after those.
        """
        low, high = self.touched
        g, own = self.gradients.sum(axis=0), self.gradients[goal]
        table = limits_of(self.problem.figure, self.problem.chart)
        found = []
        for side, at, sign in (("lower", low, 1.0), ("upper", high, -1.0)):
            for step in np.flatnonzero(at):
                mine, whole = sign * float(own[step]), sign * float(g[step])
                limit = table.get((int(step), side))
                if limit is not None and mine > 0.0:
                    found.append((limit, np.sqrt(max(0.0, whole) * mine), mine))
        return sorted(found, key=lambda entry: (-entry[1], -entry[2]))

    def gain(self, goal: int, limit: Limit) -> float:
        """By how much the error of a goal falls for each radian (or length) by which a limit is widened: mᵢ / error.

        m_i = −∂(½ w |e|²)/∂c, so ∂|e|/∂c = m_i / (w |e|), converted to the unit of the goal.
        """
        rows, problem = self.problem.slices[goal], self.problem
        size = float(np.linalg.norm(self.residual[rows]))
        weight = problem.goals[goal].weight * self.levels[goal]
        unit = problem.angle_length if all(problem.goals[goal].angular) else 1.0
        slope = abs(float(self.gradients[goal][limit.step])) / (size * float(np.sqrt(weight)) * unit + NOTHING)
        return slope / (problem.figure.size if limit.slides else 1.0)

    @cached_property
    def _chart(self) -> LocalChart:
        return self.problem.chart.at(self.pose)

    def _by_row(self, by_goal: Vector) -> Vector:
        return np.repeat(by_goal, [g.rows for g in self.problem.goals])
