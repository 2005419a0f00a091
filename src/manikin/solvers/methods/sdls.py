"""`method="sdls"`: selectively damped least squares (Buss and Kim 2005), for comparison.

With J = Σ σᵢ uᵢ vᵢᵀ, the step along each singular direction is limited separately:

    φᵢ = cut( (uᵢ·dX / σᵢ) vᵢ,  γᵢ ),      γᵢ = γ min(1, Nᵢ/Mᵢ)
    Nᵢ = Σ_l ‖uᵢ,l‖,                       how far the goals move when the direction moves by 1
    Mᵢ = 1/σᵢ Σ_j |vᵢ,j| Σ_l ‖J_l,j‖,      how far they would move by its joints if these did not cancel
    dθ = cut( Σ φᵢ, γ )

l runs over the goals (rows of one goal together), j over the joint angles; cut(x, γ) shortens x until no component is
above γ = π/4. A direction with a small σ has Mᵢ much larger than Nᵢ and is damped; the others are not. Joint limits
are not kept.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.linalg.inverses import decomposed
from manikin.problem import Problem
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import StepRequest, iterate

LARGEST_ANGLE = np.pi / 4
"""γ, radians."""


def solve(problem: Problem, run: Run, *, largest: float | None = None) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations, time, history.
        largest: longest displacement of a goal in one iteration, as a length; None means a fifth of the figure's size.
    """

    def rule(local: StepRequest) -> tuple[Vector, float]:
        return selectively_damped_step(local.J, local.dX, problem.slices), 0.0

    return iterate(problem, run, rule, largest)


def selectively_damped_step(J: Matrix, dX: Vector, goals: list[slice]) -> Vector:
    """dθ of the formula at the top, (n,), for a Jacobian (m, n). `goals` are the slices of its rows, one for each
    goal."""
    parts = decomposed(J)
    moved = np.array([np.linalg.norm(J[rows], axis=0) for rows in goals]).sum(axis=0)  # (n,) Σ_l ‖J_l,j‖
    step: Vector = np.zeros(J.shape[1])
    for sigma, u, v in zip(parts.values, parts.U.T, parts.Vt, strict=True):
        N = sum(float(np.linalg.norm(u[rows])) for rows in goals)
        M = float(np.abs(v) @ moved) / sigma
        step = step + _cut(float(u @ dX) / sigma * v, LARGEST_ANGLE * min(1.0, N / M))
    return _cut(step, LARGEST_ANGLE)


def _cut(step: Vector, largest: float) -> Vector:
    length = float(np.abs(step).max(initial=0.0))
    return step if length <= largest else step * (largest / length)
