"""Judges an answer to goals that cannot be met: the remaining cost, compared with the least that L-BFGS-B finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize
from unreachable.case import Case

from manikin.problem import Problem
from manikin.solvers.methods.coordinates import Coordinates

STARTS = 50
"""Random starts of L-BFGS-B."""
WITHIN = 1.01
"""The cost that is left may be so many times the least known."""
ITERATIONS = 1000
"""Most iterations of L-BFGS-B from one start."""


@dataclass(frozen=True)
class Verdict:
    """One case, judged."""

    case: Case
    finite: bool
    within_limits: bool
    """Every number between its bounds to the last bit, cones and couplings to 1e-9."""
    honest: bool
    """Whether `reached` says what the errors, computed anew, say."""
    reached: bool
    cost: float
    """Of `mk.solve`, in sizes² of the figure."""
    least: float
    """The least cost that L-BFGS-B found, in sizes²."""
    seconds: float
    """Of `mk.solve`."""

    @property
    def sound(self) -> bool:
        return self.finite and self.within_limits and self.honest

    @property
    def good(self) -> bool:
        """Within a hundredth of the least cost known, or of nothing at all."""
        return self.cost <= WITHIN * self.least + 1e-12


def judged(case: Case, least: float) -> Verdict:
    """The case solved with default arguments, beside the least cost known, in sizes²."""
    figure = case.figure
    solution = case.solved()
    pose = solution.pose
    finite = bool(np.isfinite(pose).all() and np.isfinite(solution.errors).all())
    within = bool(np.all(pose >= figure.lower) and np.all(pose <= figure.upper) and figure.violation(pose) <= 1e-9)
    problem = Problem(figure, solution.goals, case.start, freeze=case.freeze, only=case.only)
    at = problem.at(pose)
    met = bool(np.all(at.errors <= problem.tolerances))
    honest = met == solution.reached and np.allclose(at.errors, solution.errors, rtol=1e-9, atol=1e-12)
    cost = at.cost / figure.size**2
    return Verdict(case, finite, within, bool(honest), solution.reached, cost, least, solution.time)


def least_known(case: Case, starts: int = STARTS, seed: int = 0) -> float:
    """The least cost that L-BFGS-B finds for a case, in sizes²; of all choices where there is an AnyOf."""
    problem = Problem(case.figure, case.goals, case.start, freeze=case.freeze, only=case.only)
    return min(least_cost(each, starts, seed) for each in problem.choices()) / case.figure.size**2


def least_cost(problem: Problem, starts: int, seed: int) -> float:
    """The same for one problem, in lengths²; joints that may not move stay where the start has them."""
    rng = np.random.default_rng(seed)
    poses = random_starts(problem, rng, starts)
    felt = np.any([np.any(problem.at(q).derivative != 0.0, axis=0) for q in poses[:5]], axis=0)
    problem.movable &= felt  # fewer unknowns: what no goal feels, a finger, has gradient 0 and stays where it is
    return min(minimised(problem, pose) for pose in poses)


def random_starts(problem: Problem, rng: np.random.Generator, count: int) -> Any:
    """(count, nq) random poses within limits in which frozen joints are as at the start."""
    drawn = problem.figure.random(rng, count)
    if problem.movable.all():
        return drawn
    steps = problem.figure.difference(np.broadcast_to(problem.start, drawn.shape), drawn)
    return problem.figure.clamp(problem.figure.integrate(problem.start, np.where(problem.movable, steps, 0.0)))


def minimised(problem: Problem, pose: Any) -> float:
    """The cost where L-BFGS-B stops, from one pose."""
    x = Coordinates(problem, pose)
    if not len(x.start):
        return problem.at(pose).cost
    unit = problem.figure.size**2

    def value(at_x: Any) -> tuple[float, Any]:
        at = problem.at(x.pose(at_x))
        return at.cost / unit, x.gradient(at_x, at.jacobian.T @ at.residual) / unit

    minimize: Any = optimize.minimize
    found = minimize(
        value,
        x.start,
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([x.lower, x.upper], axis=1),
        options={"maxiter": ITERATIONS, "maxfun": 2 * ITERATIONS, "ftol": 1e-13, "gtol": 1e-9},
    )
    return float(found.fun) * unit
