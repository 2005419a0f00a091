"""`method="transpose"`: steepest descent, for comparison.

    dθ = α Jᵀ dX,     α = ⟨dX, JJᵀdX⟩ / ‖JJᵀdX‖²

α is the optimal step length of the linear model. The method inverts no matrix, so steps stay short at a singular pose.
It is slow: it needs tens to thousands of iterations. Joint limits are not kept. (Wolovich and Elliott 1984; the choice
of α after Buss.)
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.problem import Problem
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import StepRequest, iterate

ITERATIONS = 5000


def solve(problem: Problem, run: Run, *, largest: float | None = None) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations, time, history.
        largest: longest displacement of a goal in one iteration, as a length; None means a fifth of the figure's size.
    """

    def rule(local: StepRequest) -> tuple[Vector, float]:
        step: Vector = local.J.T @ local.dX
        moved = local.J @ step
        square = float(moved @ moved)
        return (step * (float(local.dX @ moved) / square) if square > 0.0 else np.zeros_like(step)), 0.0

    return iterate(problem, run, rule, largest)
