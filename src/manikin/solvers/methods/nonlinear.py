"""`method="lbfgsb"`: nonlinear programming (docs/theory/3-nonlinear-programming.md).

    min F(θ) = ½ Σᵢ wᵢ ‖f_i(θ) − X_i‖² + ½ α ‖θ − θ_ref‖²    subject to    l ≤ θ ≤ u
    ∇F = Σ wᵢ Jᵢᵀ (f_i − X_i) + α (θ − θ_ref)

SciPy's L-BFGS-B minimises F with that gradient. Balls are described by coordinates in which their limits are bounds
(`coordinates`), so the result is within all limits. θ − θ_ref is `figure.difference`, slides in sizes of the figure.

α > 0 (Tikhonov) makes the answer unique. It moves the answer away from the goals by about α ‖θ − θ_ref‖ / σ, with σ the
smallest relevant singular value of J. If `alpha` is given, the search ends at the minimum of F, even if it reaches the
goals before. Otherwise α is small, and the search ends at the first pose that reaches the goals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Vector
from manikin.base.blas import one_thread
from manikin.problem import Evaluation, Problem
from manikin.solution import Status
from manikin.solvers.methods.coordinates import Coordinates
from manikin.solvers.methods.run import Outcome, Run

ALPHA = 1e-7
"""Default α, in sizes² of the figure. It is small enough for the default tolerances."""
ROUNDS = 3
"""Number of times that L-BFGS-B may start again where it stopped, with cleared memory and new origins of rotation
vectors."""
MEMORY = 10
"""Number of pairs of vectors that L-BFGS-B stores."""


class _Stop(Exception):
    """Raised in a callback to end the minimiser."""


def solve(problem: Problem, run: Run, *, alpha: float | None = None, reference: ArrayLike | None = None) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations, time, history.
        alpha: α ≥ 0, in lengths² per rad². None means 1e-7 of the figure's size squared, and the search ends when the
            goals are reached.
        reference: θ_ref, pose (nq,); None means the start.
    """
    figure = problem.figure
    weight = ALPHA * figure.size**2 if alpha is None else arrays.non_negative(alpha, "alpha")
    target = problem.start if reference is None else figure.check(reference, "reference")
    arrays.numbers(target, "reference", (figure.nq,))
    objective = _Objective(problem, weight, target)
    pose, cost = problem.start, np.inf
    try:
        for _ in range(ROUNDS):
            pose, new_cost = _minimised(problem, run, objective, pose, stop_when_reached=alpha is None)
            if not new_cost < (1.0 - 1e-6) * cost:
                break
            cost = new_cost
    except _Stop:
        pose = run.last.pose if run.last is not None else pose
    at = problem.at(pose)
    run.best = at  # the minimum of F, not the pose with the smallest goal errors
    if run.status is None:
        run.status = Status.STALLED
        run.record(at, 0.0, 0.0, None)
    return run.outcome()


def _minimised(
    problem: Problem, run: Run, objective: _Objective, pose: Vector, stop_when_reached: bool
) -> tuple[Vector, float]:
    """The pose where L-BFGS-B stops, and F there."""
    from scipy import optimize

    minimize: Any = one_thread(optimize.minimize)  # here SciPy is loaded, which has a BLAS of its own
    x = Coordinates(problem, pose)
    seen: dict[str, Any] = {"last": None}

    def value(at_x: Vector) -> tuple[float, Vector]:
        q = x.pose(at_x)
        F, by_steps = objective(q)
        return F, x.gradient(at_x, by_steps)

    def watch(at_x: Vector) -> None:
        at = problem.at(x.pose(at_x))
        last: Evaluation | None = seen["last"]
        if last is not None:
            step = problem.figure.difference(last.pose, at.pose) / problem.step_unit
            run.record(last, float(np.linalg.norm(step)), 0.0, None)
        seen["last"] = at
        if not run.tick(at, settled=stop_when_reached):
            raise _Stop

    watch(x.start)
    if not len(x.start):  # nothing may move
        return pose, objective(pose)[0]
    result = minimize(
        value,
        x.start,
        jac=True,
        method="L-BFGS-B",
        bounds=np.stack([x.lower, x.upper], axis=1),
        callback=watch,
        options={"maxcor": MEMORY, "ftol": 1e-18, "gtol": 1e-12, "maxiter": 10**9, "maxfun": 10**9, "maxls": 50},
    )
    return x.pose(result.x), float(result.fun)


class _Objective:
    """F of the formula at the top, and its gradient with respect to steps, in sizes of the figure."""

    def __init__(self, problem: Problem, alpha: float, reference: Vector) -> None:
        self.problem, self.reference = problem, reference
        self.alpha = alpha / problem.figure.size**2

    def __call__(self, q: Vector) -> tuple[float, Vector]:
        problem, size = self.problem, self.problem.figure.size
        at = problem.at(q)
        r = at.residual / size
        # the rotation vector φ of a ball has dφ = L v with Lᵀφ = φ, so that the gradient of ½|φ|² is φ
        d = problem.figure.difference(self.reference, q) / problem.step_unit
        F = 0.5 * float(r @ r) + 0.5 * self.alpha * float(d @ d)
        gradient: Vector = (at.jacobian.T @ r) / size + self.alpha * d / problem.step_unit * problem.movable
        return F, gradient
