"""`method="dls"`: damped least squares (docs/theory/7-regularisation.md).

    (JᵀJ + λ²I) dθ = Jᵀ dX,      plus (I − J⁺J) Z for a preference

If `damping` is given, λ has that value in every iteration, and every step is taken, even if the cost rises. If it is
None, λ² = μ ‖r‖² + a floor: λ is large far from the goals and small near them. The gain ratio (actual decrease of the
cost divided by the decrease that the linear model predicts) corrects μ. A step that does not lower the cost is undone.
Joint limits are not kept.
"""

from __future__ import annotations

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.linalg import damped_step
from manikin.preferences import Preference
from manikin.problem import Problem
from manikin.solvers.methods.descent import FIRST_MU, FLOOR, LARGEST_MU, LEAST_MU, SLOW, WANDER
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import (
    SETTLED,
    StepRequest,
    check_preference,
    in_null_space,
    iterate,
    largest_displacement,
    look,
    shortened,
)

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
        preference: the secondary objective, Z = −gain · ∇h; None means 0.
        largest: longest displacement of a goal in one iteration, as a length. None means a fifth of the figure's size,
            or no limit if the damping is chosen, because chosen damping already keeps steps short.
    """
    if damping is None:
        return _chosen(problem, run, preference, np.inf if largest is None else largest)
    fixed = arrays.non_negative(damping, "damping")

    def rule(local: StepRequest) -> tuple[Vector, float]:
        return damped_step(local.J, local.dX, fixed) + in_null_space(local.J, local.Z), fixed

    return iterate(problem, run, rule, largest, preference)


def _chosen(problem: Problem, run: Run, preference: Preference | None, largest: float) -> Outcome:
    """Levenberg–Marquardt with the damping of the production solver."""
    check_preference(preference)
    cap = largest_displacement(problem, largest)
    run.follows_preference = preference is not None
    floor = FLOOR * problem.figure.size**2
    wander = (WANDER * problem.figure.size) ** 2
    at, mu, rejected, length, costs = problem.at(problem.start), FIRST_MU, 0, np.inf, [np.inf]
    eagerness = 1.0
    while run.tick(at, settled=preference is None or length < SETTLED):
        local = look(at, cap, preference)
        squared = float(at.residual @ at.residual)
        damping = float(np.sqrt(mu * squared + floor))
        step = damped_step(local.J, local.dX, damping) + eagerness * in_null_space(local.J, local.Z)
        step = shortened(step) * problem.movable
        length = float(np.linalg.norm(step))
        run.record(at, length, damping, local.J)
        moved = problem.at(problem.figure.integrate(at.pose, problem.step_unit * step))
        linear = at.residual + local.J @ step
        promised, brought = squared - float(linear @ linear), squared - 2.0 * moved.cost
        if brought < 0.25 * promised:
            mu = min(4.0 * mu, LARGEST_MU)
        elif brought > 0.7 * promised:
            mu = max(0.5 * mu, LEAST_MU)
        if brought > 0.0 or (preference is not None and 2.0 * moved.cost < wander):
            at, rejected, eagerness = moved, 0, min(1.0, 2.0 * eagerness)
            costs.append(moved.cost)
        else:
            rejected, eagerness = rejected + 1, 0.5 * eagerness
        settled = preference is None or length < SETTLED
        slow = settled and len(costs) > 4 and costs[-1] > (1.0 - SLOW) * costs[-4] and not at.reached
        if rejected > REJECTIONS or slow:
            run.stalled(at)
            break
    return run.outcome()
