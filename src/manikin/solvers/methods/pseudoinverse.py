"""`method="pinv"`: pseudo-inverse control with a homogeneous term (docs/theory/4-pseudo-inverse.md).

    dθ = J⁺ dX + (I − J⁺J) Z

with all goals stacked into one J. Near a singular pose the steps become long and the effector leaves its path. Joint
limits are not kept. `bounded-dls` solves both problems.
"""

from __future__ import annotations

from manikin.arrays import Vector
from manikin.linalg import pinv_step
from manikin.preferences import Preference
from manikin.problem import Problem
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import StepRequest, iterate


def solve(problem: Problem, run: Run, *, preference: Preference | None = None, largest: float | None = None) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations, time, history.
        preference: the secondary objective, Z = −gain · ∇h; None means 0.
        largest: longest displacement of a goal in one iteration, as a length; None means a fifth of the figure's size.
    """

    def rule(local: StepRequest) -> tuple[Vector, float]:
        return pinv_step(local.J, local.dX, local.Z), 0.0

    return iterate(problem, run, rule, largest, preference)
