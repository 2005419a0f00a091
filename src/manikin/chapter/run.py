"""Follows the paths of an example: solves each path point exactly, or makes one linear step for each.

`stepped` is the method of the chapter. From the previous pose, with the path points Y, effectors f(θ) and Jacobian J,

    dX = Y − f(θ),      dθ = J⁺dX   or   the damped step   or   the damped step within bounds,      θ ← θ + dθ

once for each path point, without a check of the result. This shows the behaviour of a method near a singular pose.
Solving each path point would hide it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Poses, Vector, frozen
from manikin.chapter.examples import Example
from manikin.errors import BadValue
from manikin.linalg import bounded_step, damped_step, pinv_step, stacked_step
from manikin.motion import path
from manikin.motion.follow import follow, with_targets
from manikin.problem import Evaluation, Problem
from manikin.solvers.methods.run import condition_number


@dataclass(frozen=True, eq=False)
class Course:
    """The run of an example: T poses, first the start, then one for each of T − 1 path points."""

    example: Example
    method: str
    damping: float | None
    """λ, length per radian; None if the method has none or chooses it."""
    poses: Poses
    """(T, nq)"""
    wanted: Matrix
    """(T, effectors, 2) the path points."""
    conditions: Vector
    """(T − 1,) the largest condition number (σ₁² + λ²)/(σₘ² + λ²) on the way to each path point."""
    residuals: Vector
    """(T − 1,) length. Stepped: ‖dX − J dθ‖, the residual of the linear step (Lemma 7.2). Solved: the remainder of
    dX."""
    limits: tuple[tuple[str, ...], ...]
    """(T − 1,) names of the limits touched at each path point."""
    iterations: int
    """Number of steps for all path points together."""
    seconds: float

    @property
    def step_norms(self) -> Vector:
        """(T − 1,) ‖θ_i − θ_{i−1}‖, the change of the angles between successive path points, radians."""
        norms: Vector = np.linalg.norm(np.diff(self.poses, axis=0), axis=1)
        return norms


def run(example: Example, method: str | None = None) -> Course:
    """Follows the paths of an example, with its own method or another."""
    method = example.method if method is None else method
    return _stepped(example, method) if example.stepped else _solved(example, method)


def paths(example: Example) -> Matrix:
    """(M + 2, effectors, 2) the path points of every effector, including start and target."""
    begin = example.positions(example.start)
    rows = [path(b, x, example.steps, example.pace) for b, x in zip(begin, example.targets, strict=True)]
    return np.stack(rows, axis=1)


def _solved(example: Example, method: str) -> Course:
    wanted = paths(example)
    rows = wanted[1:].reshape(len(wanted) - 1, -1)
    options = _options(example, method)
    solutions = follow(example.figure, example.goals, rows, example.start, method, history=True, **options).solutions
    histories = [s.history for s in solutions if s.history is not None]
    return Course(
        example,
        method,
        options.get("damping"),
        frozen([example.start, *(s.pose for s in solutions)]),
        wanted,
        frozen([max(h.condition_numbers) for h in histories]),
        frozen([np.linalg.norm(s.errors) for s in solutions]),
        tuple(h.active_limits[-1] for h in histories),
        sum(s.iterations for s in solutions),
        sum(s.time or 0.0 for s in solutions),
    )


def _options(example: Example, method: str) -> dict[str, Any]:
    """The options of a method: the example's α, and a damping for the methods that have one."""
    if method == "lbfgsb":
        return {"alpha": DEFAULT_ALPHA if example.alpha is None else example.alpha}
    if method in ("dls", "bounded-dls"):
        return {"damping": DEFAULT_DAMPING if example.damping is None else example.damping}
    return {}


DEFAULT_DAMPING = 0.25
"""λ for examples without a damping: the chapter's recommended value."""
DEFAULT_ALPHA = 1e-10
"""α for examples without one, length² per radian²."""


def _stepped(example: Example, method: str) -> Course:
    wanted = paths(example)
    began = time.perf_counter()
    q = example.start
    poses, conditions, residuals, limits = [q], [], [], []
    for row in wanted[1:]:
        problem = Problem(example.figure, with_targets(example.goals, row.ravel()))
        at = problem.at(q)
        step = linear_step(at, method, example.damping)
        conditions.append(condition_number(at.jacobian, example.damping or 0.0))
        residuals.append(float(np.linalg.norm(at.residual + at.jacobian @ step)))
        q = q + step
        if method == "bounded-dls":
            q = np.clip(q, example.figure.lower, example.figure.upper)  # θ + (u − θ) may exceed u by the last bit
        poses.append(q)
        limits.append(problem.limits_at(q))
    return Course(
        example,
        method,
        example.damping,
        frozen(poses),
        wanted,
        frozen(conditions),
        frozen(residuals),
        tuple(limits),
        len(residuals),
        time.perf_counter() - began,
    )


def linear_step(at: Evaluation, method: str, damping: float | None) -> Vector:
    """One linear step (nq,) of a planar tree toward its goals."""
    J, dX = at.jacobian, -at.residual
    figure = at.problem.figure
    if method == "pinv":
        return pinv_step(J, dX)
    if method == "stacked":
        slices = at.problem.slices
        return stacked_step([J[rows] for rows in slices], [dX[rows] for rows in slices])
    if damping is None:
        raise BadValue(f"method {method!r} needs a damping λ for a single step, but the example has none")
    if method == "dls":
        return damped_step(J, dX, damping)
    if method == "bounded-dls":
        return bounded_step(J, dX, damping, figure.lower - at.pose, figure.upper - at.pose)
    raise BadValue(f"method {method!r} does not consist of single linear steps; use pinv, stacked, dls or bounded-dls")
