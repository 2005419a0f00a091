"""The preferred pose in plain NumPy: the pull toward it, and the nearest pose to it that meets the goals.

The distance from the preferred pose is

    h = Σ s d²,        d = difference(preferred, q)      (nv,): numbers, and for a ball its rotation vector φ,

with a stiffness s for each step. A ball that turns by w, in its own axes, changes φ by L w with

    L = I + ½[φ]× + c [φ]×²,     c = (1 − ½θ / tan(½θ)) / θ²,  θ = |φ|,

so half the gradient of h with respect to steps is s d for numbers and Lᵀ S φ for balls. With equal stiffness about the
three axes this is s φ, because Lᵀ φ = φ.

The native solver adds a small multiple of h to the model of each step, in place of the pull to mid-range
(cpp/kernels/solver/evaluate/prefer.h). With `settle` it minimises h among the poses that meet the goals
(cpp/kernels/solver/control/settle.h). `nearest` does the same with quadratic programs. `projected` measures how far a
pose is from such a minimum.

Degenerate: a ball half a turn from its preferred rotation, where φ jumps to −φ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Rotations, Vector
from manikin.reference.bounded import bounded_step

PENALTY = 1e4
"""√ of the weight of the goals relative to h in `nearest`. The goals are violated by about 1/PENALTY² of the pull of
h."""
STILL = 1e-10
"""`nearest` stops if no coordinate (radians or sizes) moves by more than this."""


def turn_derivatives(turns: Matrix) -> Rotations:
    """L(φ) of rotation vectors, (b, 3) -> (b, 3, 3)."""
    square = (turns * turns).sum(axis=-1)
    small = square < 1e-4
    angle = np.sqrt(np.where(small, 1.0, square))
    large = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / (angle * angle)
    c = np.where(small, 1.0 / 12.0 + square / 720.0 + square * square / 30240.0, large)
    cross = rotations.cross_matrix(turns)
    out: Rotations = np.eye(3) + 0.5 * cross + c[:, None, None] * (cross @ cross)
    return out


def distance(d: Vector, stiffness: Vector) -> float:
    """h of a difference d and a stiffness, (nv,) each."""
    return float(stiffness @ (d * d))


def pull(d: Vector, stiffness: Vector, balls: Indices) -> Vector:
    """Half the gradient of h with respect to steps, (nv,).

    Args:
        d: (nv,) difference from the preferred pose to this one.
        stiffness: (nv,) s ≥ 0.
        balls: (b,) the first of each ball's three steps.
    """
    out: Vector = stiffness * d
    if len(balls):
        at = balls[:, None] + np.arange(3)
        out[at] = np.einsum("bji,bj->bi", turn_derivatives(d[at]), out[at])
    return out


def projected(gradient: Vector, J: Matrix, lower: Vector, upper: Vector) -> Vector:
    """The part of −gradient that changes no row of J and violates no limit, (n,). It is 0 at a minimum.

    Minimises ‖c + gradient‖² over the c with J c = 0 and lower ≤ c ≤ upper.

    Args:
        gradient: (n,) of h with respect to the coordinates c.
        J: (m, n) rows of the goals that hold.
        lower, upper: (n,) 0 where a coordinate is at a limit, else infinite.
    """
    rank = np.linalg.svd(J, full_matrices=False) if len(J) else None
    rows = np.zeros((0, len(gradient)))
    if rank is not None:
        _, sizes, rows = rank
        rows = rows[sizes > 1e-9 * sizes.max(initial=0.0)]
    n = len(gradient)
    system = np.concatenate([PENALTY * rows, np.eye(n)])
    wanted = np.concatenate([np.zeros(len(rows)), -gradient])
    return bounded_step(system, wanted, 0.0, lower, upper)[0]


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """Goals and preference at a pose, in coordinates c in which limits are bounds."""

    residual: Vector
    """(m,) weighted residual of the goals."""
    rows: Matrix
    """(m, n) derivative of `residual` with respect to c."""
    d: Vector
    """(k,) difference from the preferred pose, times √s."""
    d_rows: Matrix
    """(k, n) derivative of `d` with respect to c."""
    lower: Vector
    """(n,) lower bounds of c."""
    upper: Vector
    """(n,) upper bounds of c."""
    moved: Callable[[Vector], Vector]
    """The pose after c."""

    def cost(self) -> float:
        """The cost that `nearest` minimises."""
        return float(PENALTY**2 * self.residual @ self.residual + self.d @ self.d)


def nearest(local: Callable[[Vector], LocalProblem], pose: Vector, iterations: int = 400) -> Vector:
    """The pose near `pose` that meets the goals and is nearest to the preferred one, (nq,).

    Each step minimises  P² ‖r + J c‖² + ‖d + D c‖² + λ² ‖c‖²  within the limits, with P = PENALTY. λ grows after a step
    that does not lower the cost and falls after one that does. The method uses no second derivatives, so it takes many
    small steps.

    Args:
        local: the problem at a pose.
        pose: (nq,) within limits.
        iterations: largest number of steps.
    """
    here, damping = local(pose), 1e-3
    for _ in range(iterations):
        system = np.concatenate([PENALTY * here.rows, here.d_rows])
        wanted = -np.concatenate([PENALTY * here.residual, here.d])
        c, _ = bounded_step(system, wanted, damping, here.lower, here.upper)
        there = here.moved(c)
        trial = local(there)
        if trial.cost() < here.cost():
            pose, here, damping = there, trial, max(0.3 * damping, 1e-6)
        else:
            damping *= 4.0
        if np.abs(c).max(initial=0.0) < STILL or damping > 1e9:
            break
    return pose
