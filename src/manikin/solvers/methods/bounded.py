"""`method="bounded-dls"`: damped least squares within the joint limits, exactly (docs/theory/7-regularisation.md).

    min ‖J dθ − dX‖² + λ² ‖dθ‖²   subject to   l ≤ θ + dθ ≤ u

Every limit is kept in every iteration: angles and slides to the last bit; the cone and twist of a ball as bounds on its
swing–twist coordinates (`kinematics.chart`), coupled joints by what they follow. With `damping` given, λ is that in
every iteration and steps are taken whether they help or not; with None it is chosen as in `dls`. Priorities are
weights here, a level ten thousand times the next.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.preferences import Preference
from manikin.problem import Evaluation, Problem, level_factors
from manikin.solvers.methods.descent import SLOW, Descent, linearised
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import (
    PATIENCE,
    SETTLED,
    STILL,
    check_preference,
    largest_displacement,
    shortening,
)

LEVEL = 1e4
"""Weight of a priority level against the next."""
REJECTIONS = 12
"""So many steps in a row that bring nothing: stalled."""


def solve(
    problem: Problem,
    run: Run,
    *,
    damping: float | None = None,
    preference: Preference | None = None,
    largest: float | None = None,
) -> Outcome:
    """
    Args:
        problem: what to solve.
        run: iterations, time, history.
        damping: λ, length per radian; None chooses in each iteration.
        preference: the second wish, Z = −gain · ∇h, as far as goals and limits leave room; None is 0.
        largest: longest displacement of a goal in one iteration, length; None is a fifth of the figure's size. Used
            with a damping that is given.
    """
    check_preference(preference)
    scale = problem.scale * np.sqrt(level_factors(problem.levels, LEVEL))
    run.scale, run.follows_preference = scale, preference is not None
    if damping is None:
        return _chosen(problem, run, scale, preference)
    cap = largest_displacement(problem, largest)
    return _fixed(problem, run, scale, preference, arrays.non_negative(damping, "damping"), cap)


def _fixed(
    problem: Problem, run: Run, scale: Vector, preference: Preference | None, damping: float, cap: float
) -> Outcome:
    """The chapter's method: the same λ in every iteration."""
    size = problem.figure.size
    at, lowest, waited, length = problem.at(problem.start), np.inf, 0, np.inf
    while run.tick(at, settled=preference is None or length < SETTLED):
        linear = linearised(at, problem.chart, scale)
        shorter = replace(linear, rows=linear.rows * shortening(at, cap))
        c = shorter.step(damping / size)
        wish = _wish(at, preference)
        c = c if wish is None else c + linear.idle(wish, c)
        length = float(np.linalg.norm(c))
        run.record(at, length, damping, linear.J * size)
        at = problem.at(linear.local.moved(c))
        cost = run.cost(at)
        waited = 0 if cost < (1.0 - 1e-6) * lowest or at.reached else waited + 1
        lowest = min(lowest, cost)
        if length < STILL or waited > PATIENCE:
            run.stalled(at)
            break
    return run.outcome()


def _chosen(problem: Problem, run: Run, scale: Vector, preference: Preference | None) -> Outcome:
    """λ chosen by the error and the gain ratio; steps that bring nothing are taken back."""
    descent = Descent(problem, problem.chart, problem.at(problem.start), scale, run)
    costs, rejected, length = [descent.cost], 0, np.inf
    while run.tick(descent.at, settled=preference is None or length < SETTLED):
        moved = descent.advance(_wish(descent.at, preference))
        length = descent.last_step
        rejected = 0 if moved else rejected + 1
        if moved:
            costs.append(descent.cost)
        settled = preference is None or length < SETTLED
        slow = settled and len(costs) > 4 and costs[-1] > (1.0 - SLOW) * costs[-4] and not descent.at.reached
        if slow or rejected > REJECTIONS or length < STILL:
            run.stalled(descent.at)
            break
    return run.outcome()


def _wish(at: Evaluation, preference: Preference | None) -> Vector | None:
    """The wish of a preference in chart coordinates, (nv,); None where there is none."""
    if preference is None:
        return None
    problem = at.problem
    Z = preference.wish(problem.figure, at.pose, problem.step_unit) * problem.movable
    return problem.chart.at(at.pose).coordinates_of(problem.step_unit * Z)
