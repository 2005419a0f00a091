"""Projectors on null spaces: of one Jacobian, and of a stack of Jacobians with one effector after another.

The stack is built in stages. Stage i adds the effector J_i to those before it:

    F₀ = I,    A = J_i F_{i−1},    K = A⁺,    F_i = F_{i−1}(I − K A),    T_i = [T_{i−1} − K J_i T_{i−1},  K],

where F_i projects on the null space common to J₁ … J_i, and T_i is the inverse of the stack so far. Instead of F_i, a
`Stack` carries an orthonormal basis R of the complement: the steps that move any effector so far. F_i = I − R Rᵀ is the
same matrix, but it remains a projector to rounding after any number of stages.

**Rank loss.** If the stack loses rank, A can consist of rounding errors only, and A⁺ would be 1e15. So A is cut by
`inverses.rank` with a scale that depends on the origin of A:

    scale = ‖J_i‖ · max(1, doubt · ROUNDING / RANK_TOLERANCE),    doubt = ‖[‖J₁‖T₁ … ‖J_{i−1}‖T_{i−1}]‖,

with T_j the blocks of T_{i−1}. ‖J_i‖ enters because A is a remainder of J_i. `doubt` is the condition number of the
stack so far, with its effectors scaled to one size. It enters because rounding errors of the earlier Jacobians turn
their common null space by an angle of up to about eps · doubt. A part of J_i that is smaller than the effect of such a
turn cannot be distinguished from a part that the earlier effectors use.

Directions that are cut are left out of K and stay in F_i. The effector gives up the directions that earlier effectors
use, and does not disturb them. This is strict priority, in the order of the list.

Theory: docs/theory/6-many-effectors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Vector, matrix
from manikin.errors import BadValue
from manikin.linalg.inverses import RANK_TOLERANCE, decomposed, norm

ROUNDING = 1e-14
"""Relative error of a stage: some tens of the unit roundoff."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Several effectors with n joint angles, added one after another. `stack.with_effector(J)` is a stack with one
    more."""

    R: Matrix
    """(n, r), orthonormal columns: the steps that move any of the effectors. r is the rank of the stack."""
    inverse: Matrix
    """(n, m), T: the inverse of the stack. It maps m displacements of all effectors to one step."""
    last: Matrix
    """(n, mᵢ), K: the block of the effector added last, (J_i F_{i−1})⁺."""
    scales: Vector
    """(m,), the norm ‖J_j‖ of the effector to which each row of the stack belongs."""

    @property
    def projector(self) -> Matrix:
        """F, shape (n, n): the projector on the steps that move none of the effectors."""
        F: Matrix = np.eye(len(self.R)) - self.R @ self.R.T
        return F

    @property
    def doubt(self) -> float:
        """‖[‖J₁‖T₁ … ‖J_i‖T_i]‖: rounding errors of the Jacobians can turn the common null space by up to this
        factor."""
        return float(np.linalg.norm(self.inverse * self.scales))

    @property
    def caution(self) -> float:
        """A factor of at least 1. Times ‖J‖, it is the scale for the rank of J F, the part of J that this stack
        leaves."""
        return max(1.0, self.doubt * ROUNDING / RANK_TOLERANCE)

    def with_effector(self, J: Matrix) -> Stack:
        """This stack with one more effector (m, n), which uses only the directions that the earlier effectors leave."""
        size = norm(J)
        parts = decomposed(J - (J @ self.R) @ self.R.T, size * self.caution)
        # Rounding tilts the new directions toward the old ones by eps ‖J‖ / σ, so they are made orthogonal again.
        V = parts.Vt.T - self.R @ (self.R.T @ parts.Vt.T)
        Q, triangle = np.linalg.qr(V)
        V = Q * np.where(np.diagonal(triangle) < 0.0, -1.0, 1.0)
        K = (V / parts.values) @ parts.U.T
        return Stack(
            R=np.hstack([self.R, V]),
            inverse=np.hstack([self.inverse - K @ (J @ self.inverse), K]),
            last=K,
            scales=np.hstack([self.scales, np.full(len(J), size)]),
        )


def empty_stack(n: int) -> Stack:
    """The stack without effectors: F₀ = I, T₀ empty."""
    nothing = np.zeros((n, 0))
    return Stack(R=nothing, inverse=nothing, last=nothing, scales=np.zeros(0))


def stages(Js: Sequence[Matrix]) -> list[Stack]:
    """The stacks of the first 1, 2, …, M effectors, each (m_i, n)."""
    stack = empty_stack(Js[0].shape[1])
    found = []
    for J in Js:
        stack = stack.with_effector(J)
        found.append(stack)
    return found


def same_width(Js: Sequence[ArrayLike]) -> list[Matrix]:
    """Checked Jacobians: at least one, each (m_i, n) with the n of the first."""
    if len(Js) == 0:
        raise BadValue("jacobians is empty; it needs at least one matrix (m, n)")
    first = matrix(Js[0], "jacobians[0]")
    return [first, *(matrix(J, f"jacobians[{i}]", columns=first.shape[1]) for i, J in enumerate(Js[1:], start=1))]


def projector(J: ArrayLike) -> Matrix:
    """P(J) = I − J⁺J, the orthogonal projector on the null space of J, shape (n, n).

    Symmetric, P P = P, J P = 0: the step P Z is the one nearest to Z that does not move the effector. Theory:
    docs/theory/4-pseudo-inverse.md.

    Args:
        J: Jacobian, shape (m, n), any rank.

    Example:
        >>> projector([[3.0, 0.0]])
        array([[0., 0.],
               [0., 1.]])
    """
    Vt = decomposed(matrix(J, "jacobian")).Vt
    P: Matrix = np.eye(Vt.shape[1]) - Vt.T @ Vt
    return P


def projectors(Js: Sequence[ArrayLike]) -> list[Matrix]:
    """F₁, …, F_M: the projectors on the null space of the first effector, of the first two, …, of all M.

        F₀ = I,    F_{i+1} = F_i {I − (J_{i+1}F_i)⁺ J_{i+1}F_i}

    F_M Z is the projection of Z on the intersection of all null spaces, F_M = P([J₁; …; J_M]). Stages that lose rank
    are cut as described at the top of this module, so that each F_i is a projector for any stack. Theory:
    docs/theory/6-many-effectors.md.

    Args:
        Js: M Jacobians, shapes (m_i, n), most important first.

    Returns:
        M matrices of shape (n, n).

    Example:
        >>> F1, F2 = projectors([[[1.0, 0.0, 0.0]], [[1.0, 1.0, 0.0]]])
        >>> np.diag(F1).round(12), np.diag(F2).round(12)
        (array([0., 1., 1.]), array([0., 0., 1.]))
    """
    return [stack.projector for stack in stages(same_width(Js))]
