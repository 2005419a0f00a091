"""The damped step within bounds over a tree, without a Jacobian. The cost is linear in the number of joints.

The twin of cpp/kernels/solver/step/sweeps.h and cpp/kernels/solver/step/second.h.

The *coordinates* of a figure are its steps one by one, parents first. Coordinate i moves everything below it with the
twist s_i dq_i. A twist is (angular velocity, linear velocity at one common point) in world axes. A ball is three
successive coordinates. With v_i = v_parent(i) + s_i dq_i the step minimises

    ½ Σ_i v_iᵀ P_i v_i + p_iᵀ v_i  +  ½ Σ_i d_i dq_i² + u_i dq_i  +  ½ Σ_r w_r (ρ_r + Σ_i g_irᵀ v_i + Σ_i h_ir dq_i)²

subject to lower ≤ dq ≤ upper. A goal with rows D (m, 6) on one segment and error e adds w DᵀD to P and w Dᵀe to p of
the coordinate that carries the segment. Terms that depend on several branches (centre of mass, distances, closed loops,
couplings) are the few rows r, with wrenches g on the coordinates and entries h on the steps themselves.

Tips to root: the cost below coordinate i, minimised over the steps below, is again of the form ½ vᵀPv + pᵀv in its v.
So each coordinate is eliminated as in Featherstone's articulated-body algorithm:

    U = P s,  D = sᵀU + d,  u = sᵀp + u_i          free:  P_parent += P − U Uᵀ/D,   p_parent += p − U u/D
                                                    held at c:  P_parent += P,         p_parent += p + U c

Root to tips:  dq = −(u + Uᵀv_parent)/D  (held: c, with the multiplier u + Uᵀv_parent + D c),  v = v_parent + s dq.

Second order: an unmet goal keeps pulling, and a rotation of its segment changes the leverage of the pull. Gauss–Newton
leaves this term of the cost out. With the wrench W of the goals below, coordinate i adds s_jᵀ dW[s_i] to the Hessian
for each j above it and for itself, because the outer coordinate does not move the axis of the inner one. In addition to
Gauss–Newton's P this is a torque b_i = B s_i, from `second_order`. It is added to U_i; the elimination is unchanged.

The rows pass through the same backward sweep as k right-hand sides. A k × k system at the root solves for them.

A primal–dual active set handles the bounds. Every free step past its bound is held there, and every held step whose
multiplier points inward is freed, all at once. Then the sweeps are repeated. The set of the last step is a good first
guess for the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Indices, Matrix, Vector

AT_LOWER, FREE, AT_UPPER = -1, 0, 1
SWEEPS = 5
"""Largest number of rounds of the active set in one step. After them, steps past a bound are clipped, and the next step
continues from there."""


@dataclass(frozen=True, eq=False)
class Rows:
    """k rows that depend on several branches."""

    value: Vector
    """(k,) ρ, the present errors."""
    weight: Vector
    """(k,) w, above 0; inf for rows that must hold exactly."""
    wrench: Matrix
    """(n, 6, k) g: torque and force at the common point."""
    direct: Matrix
    """(n, k) h."""


@dataclass(frozen=True, eq=False)
class Step:
    """The result of the sweeps."""

    step: Vector
    """(n,) dq, within its bounds."""
    twist: Matrix
    """(n, 6) v of each coordinate."""
    held: NDArray[np.int8]
    """(n,) AT_LOWER, FREE or AT_UPPER."""
    multiplier: Vector
    """(n,) derivative of the cost with respect to a held step: ≥ 0 at a lower bound, ≤ 0 at an upper one; 0 if free."""
    sweeps: int
    """Number of rounds of the active set."""


def recursive_step(
    parent: Indices,
    axis: Matrix,
    P: Matrix,
    p: Matrix,
    damping: Vector,
    pull: Vector,
    lower: Vector,
    upper: Vector,
    rows: Rows | None = None,
    held: NDArray[np.int8] | None = None,
    bend: Matrix | None = None,
    most_sweeps: int = SWEEPS,
) -> Step:
    """The step that minimises the cost of this module.

    Args:
        parent: (n,) coordinate above each, −1 at the root; parents come first.
        axis: (n, 6) s.
        P: (n, 6, 6) and p: (n, 6), the terms of the goals on each coordinate.
        damping: (n,) d, above 0.
        pull: (n,) u.
        lower, upper: (n,) bounds of the step; lower ≤ 0 ≤ upper is not required.
        rows: rows that depend on several branches, if any.
        held: first guess of the held steps; None means that all are free.
        bend: (n, 3) b of the second-order term; None for Gauss–Newton. The pivots D must stay above 0 with it.
        most_sweeps: largest number of rounds of the active set.
    """
    held = np.zeros(len(parent), dtype=np.int8) if held is None else held.copy()
    held[np.isinf(np.where(held == AT_LOWER, lower, np.where(held == AT_UPPER, upper, 0.0)))] = FREE
    for sweep in range(1, most_sweeps + 1):
        fixed = np.where(held == AT_LOWER, lower, np.where(held == AT_UPPER, upper, 0.0))
        step, twist, multiplier = _sweeps(parent, axis, P, p, damping, pull, rows, held, fixed, bend)
        past = (held == FREE) & ((step < lower) | (step > upper))
        inward = ((held == AT_LOWER) & (multiplier < 0.0)) | ((held == AT_UPPER) & (multiplier > 0.0))
        if not (past | inward).any():
            break
        if sweep < most_sweeps:
            held[inward] = FREE
            held[past] = np.where(step < lower, AT_LOWER, AT_UPPER)[past]
    inside = np.clip(step, lower, upper)
    return Step(inside, twist, held, np.where(held == FREE, 0.0, multiplier), sweep)


def _sweeps(
    parent: Indices,
    axis: Matrix,
    P: Matrix,
    p: Matrix,
    damping: Vector,
    pull: Vector,
    rows: Rows | None,
    held: NDArray[np.int8],
    fixed: Vector,
    bend: Matrix | None,
) -> tuple[Vector, Matrix, Vector]:
    """Backward sweep, k × k system, forward sweep: steps (n,), twists (n, 6), multipliers (n,)."""
    n = len(parent)
    P, p = P.copy(), p.copy()
    k = 0 if rows is None else len(rows.value)
    g = np.zeros((n, 6, k)) if rows is None else rows.wrench.copy()
    a, A, b = np.zeros((n, k)), np.zeros((k, k)), np.zeros(k)
    U, D, u = np.zeros((n, 6)), np.zeros(n), np.zeros(n)
    for i in reversed(range(n)):
        s = axis[i]
        U[i] = P[i] @ s
        if bend is not None:
            U[i, :3] += bend[i]
        D[i] = s @ U[i] + damping[i]
        u[i] = s @ p[i] + pull[i]
        a[i] = s @ g[i] + (0.0 if rows is None else rows.direct[i])
        if held[i] == FREE:
            A += np.outer(a[i], a[i]) / D[i]
            b -= a[i] * (u[i] / D[i])
            up = (P[i] - np.outer(U[i], U[i]) / D[i], p[i] - U[i] * (u[i] / D[i]), g[i] - np.outer(U[i], a[i]) / D[i])
        else:
            b += a[i] * fixed[i]
            up = (P[i], p[i] + U[i] * fixed[i], g[i])
        if parent[i] >= 0:
            P[parent[i]] += up[0]
            p[parent[i]] += up[1]
            g[parent[i]] += up[2]
    if rows is not None and k:
        y = np.linalg.solve(A + np.diag(1.0 / rows.weight), rows.value + b)
        u += a @ y
    step, v, multiplier = np.zeros(n), np.zeros((n, 6)), np.zeros(n)
    for i in range(n):
        above = v[parent[i]] if parent[i] >= 0 else np.zeros(6)
        force = u[i] + U[i] @ above
        step[i] = -force / D[i] if held[i] == FREE else fixed[i]
        multiplier[i] = force + D[i] * step[i]
        v[i] = above + axis[i] * step[i]
    return step, v, multiplier


@dataclass(frozen=True, eq=False)
class Pull:
    """The contribution of a goal to the second-order term of the coordinate that carries it."""

    force: Vector
    """(3,) half the gradient of the goal's cost with respect to the position of its point: w e; 0 for an
    orientation."""
    turn: Matrix
    """(3, 3) the torque about the common point that a rotation causes, in addition to Gauss–Newton's."""


def pull_of_point(point: Vector, force: Vector) -> Pull:
    """The Pull of a goal on a point (3,), measured from the common point. If the point moves by δ, the moment of its
    force f grows by δ × f."""
    return Pull(force, np.outer(point, force) - float(point @ force) * np.eye(3))


def pull_of_orientation(error: Vector, weight: float) -> Pull:
    """The Pull of an orientation whose error is the rotation vector e (3,): de = J⁻¹ω with the left Jacobian J, so w
    (J⁻¹ − 1)."""
    x, y, z = error
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = float(np.linalg.norm(error))
    c = 1.0 / 12.0 if angle < 1e-3 else (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    return Pull(np.zeros(3), weight * (c * cross @ cross - 0.5 * cross))


def second_order(parent: Indices, axis: Matrix, pulls: dict[int, list[Pull]]) -> Matrix:
    """(n, 3) the torques b_i = B_i s_i. B_i is summed over the goals on coordinate i and below it."""
    n = len(parent)
    force, turn, bend = np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3))
    for i, several in pulls.items():
        for pull in several:
            force[i] += pull.force
            turn[i] += pull.turn
    for i in reversed(range(n)):
        bend[i] = turn[i] @ axis[i, :3] + np.cross(axis[i, 3:], force[i])
        if parent[i] >= 0:
            force[parent[i]] += force[i]
            turn[parent[i]] += turn[i]
    return bend
