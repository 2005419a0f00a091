"""Damped Gauss–Newton with exact limits: the step and the loop that `auto` and `bounded-dls` share.

At a pose, in the coordinates c of a `kinematics.chart` (limits are bounds there), with residual r and Jacobian J:

    min ‖J c + r‖² + λ² ‖c − z‖²   subject to   lower ≤ c ≤ upper                                  (linalg.bounded_step)

z is a weak pull toward mid-range, or 0. It enters by a change of variable, c = z + d. A one-sided row, which counts
only if positive, gets a separate slack s ≥ 0, J c + r + s. So the step may satisfy the row without having to hit 0
exactly.

Damping: λ² = μ F + a floor, with F = ‖r‖² in sizes². It is large far from the goals and falls with the error. The gain
ratio ρ = (F − F_new) / (F − F_linear) corrects μ. A step that does not lower F is not taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.kinematics.chart import Chart, LocalChart
from manikin.kinematics.cones import Flags
from manikin.linalg.bounded import bounded_step
from manikin.problem import Evaluation, Problem
from manikin.solvers.methods.run import Run

SLACK_UNIT = 10.0
"""The unit of slacks, in sizes. It is large, so that damping hardly affects them."""
STIFF = 1e5
"""K of `Linear.idle`, in units of 1/‖J‖. A preferred step z may move a goal by about 1e-10 of the length of z."""
FLOOR = 1e-5
"""Smallest λ², sizes² (per rad², or per half range squared)."""
FIRST_MU, LEAST_MU, LARGEST_MU = 0.1, 1e-5, 1e3
"""Range of μ, the damping per error."""
SLOW = 1e-4
"""The descent is at a minimum if F falls by less than this fraction in three steps."""
WANDER = 0.01
"""While the descent follows a preference, the goals may be violated by this much, in sizes."""
PULL = 1e-5
"""Largest weight of the pull toward mid-range, sizes²; never more than 1 % of F, so that it vanishes at the goals."""


@dataclass(frozen=True, eq=False)
class Linear:
    """A problem near one pose, in sizes: residual r + J c."""

    local: LocalChart
    rows: Vector
    """(m,) r, signed where one-sided."""
    J: Matrix
    """(m, nv) by chart coordinates."""
    one_sided: Flags
    """(m,) rows that count only above 0."""

    def cost(self, c: Vector) -> float:
        """F of the linear model after c."""
        return _cost(self.rows + self.J @ c, self.one_sided)

    def step(self, damping: float, centre: Vector | None = None) -> Vector:
        """c of the formula at the top. `damping` is λ. `centre` is z, which is used for coordinates that move a
        goal."""
        felt = np.flatnonzero(np.any(self.J != 0.0, axis=0))
        sided = np.flatnonzero(self.one_sided)
        J, z = self.J[:, felt], np.zeros(len(felt)) if centre is None else centre[felt]
        slack = np.zeros((len(self.rows), len(sided)))
        slack[sided, np.arange(len(sided))] = SLACK_UNIT
        lower = np.concatenate([self.local.lower[felt] - z, np.zeros(len(sided))])
        upper = np.concatenate([self.local.upper[felt] - z, np.full(len(sided), np.inf)])
        d = bounded_step(np.hstack([J, slack]), -(self.rows + J @ z), damping, lower, upper)[: len(felt)]
        c = np.zeros(self.J.shape[1])
        c[felt] = np.clip(z + d, self.local.lower[felt], self.local.upper[felt])
        return c

    def idle(self, wish: Vector, c: Vector) -> Vector:
        """The addition d to a step c that follows a preferred step z, (nv,), without moving a goal or leaving the
        bounds:

        min K² ‖J d‖² + ‖d − z‖²   subject to   lower ≤ c + d ≤ upper,   K large.
        """
        counts = ~(self.one_sided & (self.rows <= 0.0))
        J = self.J[counts]
        largest = float(np.linalg.norm(J))
        KJ = J * (STIFF / largest) if largest > 0.0 else J
        lower, upper = self.local.lower - c, self.local.upper - c
        d: Vector = wish + bounded_step(KJ, -(KJ @ wish), 1.0, lower - wish, upper - wish)
        return np.clip(d, lower, upper)


def linearised(at: Evaluation, chart: Chart, scale: Vector) -> Linear:
    """The problem near an evaluated pose. `scale` (m,) are the factors of the rows."""
    problem, local = at.problem, chart.at(at.pose)
    factor = scale / problem.figure.size
    J = local.columns(factor[:, None] * at.derivative)
    return Linear(local, factor * at.rows, J, problem.one_sided)


def cost_of(at: Evaluation, scale: Vector) -> float:
    """F = ‖r‖² in sizes²."""
    return _cost(scale / at.problem.figure.size * at.rows, at.problem.one_sided)


def _cost(rows: Vector, one_sided: Flags) -> float:
    counted = np.where(one_sided, np.maximum(rows, 0.0), rows)
    return float(counted @ counted)


@dataclass
class Descent:
    """A descent from one pose. `advance` makes one iteration. The caller decides when to stop."""

    problem: Problem
    chart: Chart
    at: Evaluation
    """The present pose, evaluated."""
    scale: Vector
    """(m,) the factors of the rows."""
    run: Run
    pull: bool = False
    """Whether to pull toward mid-range while the error is large."""
    mu: float = FIRST_MU
    _linear: Linear | None = None

    def __post_init__(self) -> None:
        self.cost = cost_of(self.at, self.scale)
        """F at the present pose, sizes²."""
        self.promise = 1.0
        """Fraction of F by which the linear model of the last step predicted F to fall."""
        self.last_step = np.inf
        """Largest coordinate of the last step."""
        self.eagerness = 1.0
        """Fraction of the preferred step that is used. It falls after steps that were not taken."""

    def rescale(self, scale: Vector) -> None:
        """Continues with other weights."""
        self.scale, self.mu, self._linear = scale, FIRST_MU, None
        self.cost = cost_of(self.at, scale)

    def advance(self, wish: Vector | None = None) -> bool:
        """Makes one iteration, with a preferred step `wish` (nv,) as in `Linear.idle`. Returns whether the pose
        moved."""
        if self._linear is None:
            self._linear = linearised(self.at, self.chart, self.scale)
        linear = self._linear
        kappa = min(PULL, 0.01 * self.cost) if self.pull else 0.0
        squared = self.mu * self.cost + FLOOR + kappa
        centre = kappa / squared * linear.local.to_middle() if kappa > 0.0 else None
        c = linear.step(np.sqrt(squared), centre)
        if wish is not None:
            c = c + linear.idle(self.eagerness * wish, c)
        self.last_step = float(np.abs(c).max(initial=0.0))
        self.run.record(self.at, float(np.linalg.norm(c)), float(np.sqrt(squared)) * self.problem.figure.size, linear.J)
        new = self.problem.at(linear.local.moved(c))
        new_cost, promised = cost_of(new, self.scale), self.cost - linear.cost(c)
        self.promise = promised / self.cost if self.cost > 0.0 else 0.0
        gain = (self.cost - new_cost) / promised if promised > 0.0 else -1.0
        if not (new_cost < self.cost or (wish is not None and new_cost < WANDER**2)):
            self.mu = min(4.0 * self.mu, LARGEST_MU)
            self.eagerness *= 0.5
            return False
        self.eagerness = min(1.0, 2.0 * self.eagerness)
        if gain < 0.25:
            self.mu = min(4.0 * self.mu, LARGEST_MU)
        elif gain > 0.7:
            self.mu = max(0.5 * self.mu, LEAST_MU)
        self.at, self.cost, self._linear = new, new_cost, None
        return True
