"""The damped step within bounds over a tree, without a Jacobian: cost linear in the joints.

The twin of cpp/kernels/solver/step/sweeps.h and cpp/kernels/solver/step/second.h.

A figure's *coordinates* are its steps one by one, parents first: coordinate i moves everything below it with the twist
s_i dq_i, a twist being (angular velocity, linear velocity at one common point) in world axes; a ball is three
coordinates in a row. With v_i = v_parent(i) + s_i dq_i the step minimises

    ½ Σ_i v_iᵀ P_i v_i + p_iᵀ v_i  +  ½ Σ_i d_i dq_i² + u_i dq_i  +  ½ Σ_r w_r (ρ_r + Σ_i g_irᵀ v_i + Σ_i h_ir dq_i)²

subject to lower ≤ dq ≤ upper. A goal with rows D (m, 6) on one segment and error e adds w DᵀD to P and w Dᵀe to p of
the coordinate that carries the segment. What is felt by several branches (centre of mass, distances, closed loops,
couplings) enters as one of the few rows r: wrenches g on the coordinates, entries h on the steps themselves.

Tips to root: the part of the cost below coordinate i, minimised over the steps below, is again ½ vᵀPv + pᵀv of its v,
so each coordinate is eliminated as in Featherstone's articulated bodies:

    U = P s,  D = sᵀU + d,  u = sᵀp + u_i          free:  P_parent += P − U Uᵀ/D,   p_parent += p − U u/D
                                                    held at c:  P_parent += P,         p_parent += p + U c

Root to tips:  dq = −(u + Uᵀv_parent)/D  (held: c, with the multiplier u + Uᵀv_parent + D c),  v = v_parent + s dq.

Goals that stay unmet pull on, and turning what they hang on changes the leverage of that pull: the second-order term
of the cost, which Gauss–Newton leaves out. With the wrench W of the goals below, coordinate i adds to the Hessian with
each j above it (or itself) s_jᵀ dW[s_i], since the outer one does not move the inner one's axis. Beyond Gauss–Newton's
P this is a torque b_i = B s_i, from `second_order`; it is added to U_i, and the elimination stays as it is.

Rows go through the same backward sweep as k right-hand sides and are settled at the root by a k × k system.

Bounds by a primal–dual active set: every free step past its bound is held there, every held one whose multiplier points
inward is freed, all at once, and the sweeps repeated; the set of the last step is a good first guess for the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Indices, Matrix, Vector

AT_LOWER, FREE, AT_UPPER = -1, 0, 1
SWEEPS = 5
"""Most rounds of the active set in one step; then what is past a bound is cut off. The next step goes on from there."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows felt by several branches; k of them."""

    value: Vector
    """(k,) ρ, the errors now."""
    weight: Vector
    """(k,) w, above 0; inf for rows that must hold exactly."""
    wrench: Matrix
    """(n, 6, k) g: torque and force at the common point."""
    direct: Matrix
    """(n, k) h."""


@dataclass(frozen=True, eq=False)
class Step:
    """What the sweeps give."""

    step: Vector
    """(n,) dq, within its bounds."""
    twist: Matrix
    """(n, 6) v of each coordinate."""
    held: NDArray[np.int8]
    """(n,) AT_LOWER, FREE or AT_UPPER."""
    multiplier: Vector
    """(n,) derivative of the cost by a held step: ≥ 0 at a lower bound, ≤ 0 at an upper one; 0 where free."""
    sweeps: int
    """Rounds of the active set."""


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
    """The step that minimises the cost above.

    Args:
        parent: (n,) coordinate above each, −1 at the root; parents first.
        axis: (n, 6) s.
        P: (n, 6, 6) and p: (n, 6), the goals' terms on each coordinate.
        damping: (n,) d, above 0.
        pull: (n,) u.
        lower, upper: (n,) bounds of the step; lower ≤ 0 ≤ upper is not required.
        rows: rows felt by several branches, if any.
        held: first guess of what is held; all free where none is given.
        bend: (n, 3) b of the second-order term; none for Gauss–Newton. The pivots D must stay above 0 with it.
        most_sweeps: most rounds of the active set.
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
    """Backward, the k × k system, forward: steps (n,), twists (n, 6), multipliers (n,)."""
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
    """What a goal adds to the second-order term of the coordinate that carries it."""

    force: Vector
    """(3,) half the gradient of the goal's cost by the place of its point: w e; 0 for an orientation."""
    turn: Matrix
    """(3, 3) the torque about the common point that a turn brings, beyond Gauss–Newton's."""


def pull_of_point(point: Vector, force: Vector) -> Pull:
    """Of a goal on a point (3,) from the common point: as it moves by δ, its force f has the moment δ × f more."""
    return Pull(force, np.outer(point, force) - float(point @ force) * np.eye(3))


def pull_of_orientation(error: Vector, weight: float) -> Pull:
    """Of an orientation with the rotation vector e (3,) as error: de = J⁻¹ω, J the left Jacobian, so w (J⁻¹ − 1)."""
    x, y, z = error
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = float(np.linalg.norm(error))
    c = 1.0 / 12.0 if angle < 1e-3 else (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / angle**2
    return Pull(np.zeros(3), weight * (c * cross @ cross - 0.5 * cross))


def second_order(parent: Indices, axis: Matrix, pulls: dict[int, list[Pull]]) -> Matrix:
    """(n, 3) the torques b_i = B_i s_i, B_i summed over the goals on coordinate i and below it."""
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
