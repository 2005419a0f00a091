"""`method="bounded-dls"`: damped least squares within the joint limits, exactly (docs/theory/7-regularisation.md).

    min ‖J dθ − dX‖² + λ² ‖dθ‖²   subject to   l ≤ θ + dθ ≤ u

Every limit is kept in every iteration. Angles and slides are kept to the last bit. The cone and twist of a ball become
bounds on its swing–twist coordinates (`kinematics.chart`). Limits of coupled joints become limits of their sources. If
`damping` is given, λ has that value in every iteration, and every step is taken, even if the cost rises. If it is None,
λ is chosen as in `dls`. Priorities become weights: each level weighs ten thousand times as much as the next.
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
"""Weight of a priority level relative to the next one."""
REJECTIONS = 12
"""The run stalls after this many consecutive steps without a lower cost."""


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
        problem: the problem to solve.
        run: iterations, time, history.
        damping: λ, in lengths per radian; None chooses λ in each iteration.
        preference: the secondary objective, Z = −gain · ∇h, as far as goals and limits allow; None means 0.
        largest: longest displacement of a goal in one iteration, as a length; None means a fifth of the figure's size.
            It is used only if `damping` is given.
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
    """The method with the same λ in every iteration."""
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
    """The method with λ chosen by the error and the gain ratio. A step that does not lower the cost is undone."""
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
    """The step Z of a preference in chart coordinates, (nv,); None without a preference."""
    if preference is None:
        return None
    problem = at.problem
    Z = preference.wish(problem.figure, at.pose, problem.step_unit) * problem.movable
    return problem.chart.at(at.pose).coordinates_of(problem.step_unit * Z)
