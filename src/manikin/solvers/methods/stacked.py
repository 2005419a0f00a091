"""`method="stacked"`: several effectors, one after the other (docs/theory/6-many-effectors.md).

    dθ = T_M dX + F_M Z,     built goal by goal: each in the null space of those before it (`linalg.stacked_step`)

At full rank this is the pseudo-inverse step of the stack. If goals conflict, their order decides: first by `priority`,
then as given. Later goals do not affect earlier ones. Joint limits are not kept.
"""

from __future__ import annotations

from manikin.arrays import Vector
from manikin.linalg import stacked_step
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
    # the sort is stable: within a level the goals stay in the order given
    order = sorted(range(len(problem.goals)), key=lambda i: problem.goals[i].rank)
    run.order = order
    slices = [problem.slices[i] for i in order]

    def rule(local: StepRequest) -> tuple[Vector, float]:
        return stacked_step([local.J[rows] for rows in slices], [local.dX[rows] for rows in slices], local.Z), 0.0

    return iterate(problem, run, rule, largest, preference)
