"""Steps for several effectors: closed forms for two and three, a recursion for any number.

All functions use the stages of `manikin.linalg.projectors`, which also describes stacks that lose rank. Theory:
docs/theory/5-two-effectors.md and docs/theory/6-many-effectors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Vector, fitting, matrix
from manikin.errors import BadShape
from manikin.linalg.inverses import decomposed, norm
from manikin.linalg.projectors import Stack, empty_stack, same_width, stages


def stacked_step(Js: Sequence[ArrayLike], dXs: Sequence[ArrayLike], Z: ArrayLike | None = None) -> Vector:
    """The step of least norm for M effectors in order of priority, plus the part of Z that disturbs none of them.

    Built one effector at a time, with the F_i of `projectors.projectors`:

        dθ₀ = 0,    dθ_i = dθ_{i−1} + (J_iF_{i−1})⁺ (dX_i − J_i dθ_{i−1}),    dθ = dθ_M + F_M Z,

    which is  dθ = T_M dX + F_M Z  with  T_{i+1} = [T_i − K J_{i+1}T_i, K],  K = (J_{i+1}F_i)⁺.

    Full rank: T_M = [J₁; …; J_M]⁺. Every effector makes its displacement, and the order does not matter.

    Rank lost (effectors that share their joints, more rows than angles, a singular pose, an effector given twice):
    strict priority in the order of the list. Effector 1 comes as near to dX₁ as it can. Effector i comes as near to
    dX_i as it can without disturbing those before it. Of all such steps dθ_M is the shortest. If all effectors can make
    their displacements together, they do, and dθ_M is also [J₁; …; J_M]⁺ dX. The result is always finite.

    Theory: docs/theory/6-many-effectors.md.

    Args:
        Js: M Jacobians, shapes (m_i, n), length per radian, most important first.
        dXs: M displacements, shapes (m_i,), length.
        Z: any step, shape (n,), radians; None stands for 0.

    Returns:
        dθ, shape (n,), radians.

    Example:
        Two effectors want opposite displacements of the first angle. The second effector still has the other angle:

        >>> stacked_step([[[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]], [[1.0], [-1.0, 3.0]]).round(12)
        array([1., 3.])
    """
    matrices = same_width(Js)
    displacements = _displacements(dXs, matrices)
    step: Vector = np.zeros(matrices[0].shape[1])
    stack = empty_stack(len(step))
    for J, dX in zip(matrices, displacements, strict=True):
        stack = stack.with_effector(J)
        step = step + stack.last @ (dX - J @ step)
    if Z is not None:
        Z = fitting(Z, "Z", len(step), matrices[0], "jacobians[0]")
        step = step + (Z - stack.R @ (stack.R.T @ Z))
    return step


def dual_step(J1: ArrayLike, J2: ArrayLike, dX1: ArrayLike, dX2: ArrayLike, Z: ArrayLike | None = None) -> Vector:
    """The step for two effectors. The first has priority over the second.

        dθ = J₁⁺dX₁ + [J₂P(J₁)]⁺(dX₂ − J₂J₁⁺dX₁) + P(J₁){I − [J₂P(J₁)]⁺J₂P(J₁)} Z

    It is `stacked_step` for M = 2, rank loss included. Theory: docs/theory/5-two-effectors.md.

    Args:
        J1, J2: Jacobians, shapes (m₁, n) and (m₂, n), length per radian.
        dX1, dX2: displacements, shapes (m₁,) and (m₂,), length.
        Z: any step, shape (n,), radians; None stands for 0.

    Returns:
        dθ, shape (n,), radians.

    Example:
        >>> dual_step([[1.0, 0.0, 0.0]], [[1.0, 1.0, 0.0]], [1.0], [3.0], Z=[9.0, 9.0, 9.0]).round(12)
        array([1., 2., 9.])
    """
    return stacked_step([J1, J2], [dX1, dX2], Z)


def stacked_inverse(Js: Sequence[ArrayLike]) -> Matrix:
    """T_M, the matrix of `stacked_step`: dθ = T_M [dX₁; …; dX_M], shape (n, m₁ + … + m_M).

    With full rank it is the pseudo-inverse of the stack. If rank is lost, it is the finite inverse with strict
    priority. Theory: docs/theory/6-many-effectors.md.

    Example:
        >>> stacked_inverse([[[2.0, 0.0]], [[2.0, 4.0]]]).round(12)
        array([[ 0.5 ,  0.  ],
               [-0.25,  0.25]])
    """
    return stages(same_width(Js))[-1].inverse


def blocks(Js: Sequence[ArrayLike]) -> list[Matrix]:
    """Z₁, …, Z_M: for each effector the matrix that moves it and does not move the others (Lemma 6.9).

    If Z_i^k (i ≠ k) are these blocks for all effectors but k, then

        Z_k = [J_k (I − Σ_{i≠k} Z_i^k J_i)]⁺.

    J_k Z_k = I and J_l Z_k = 0 for l ≠ k, and [Z₁ … Z_M] = [J₁; …; J_M]⁺, when the stack has full rank. Then for any j

        dθ = J_j⁺dX_j + Σ_i Z_i (dX_i − J_iJ_j⁺dX_j)

    makes all M displacements.

    The term in parentheses is the projector on the null space of all effectors but k. The recursion carries this
    projector instead of the sum, because the sum would lose digits at every level. It is stored as the basis of a
    `projectors.Stack` for each set of effectors, so that M effectors cost M²/2 stages and not M!.

    If the other effectors lose rank, the sum is not a projector. Then J_l Z_k = 0 still holds, and J_k Z_k is the
    projector on the displacements that only effector k can make: 0 for an effector given twice.

    Theory: docs/theory/6-many-effectors.md.

    Args:
        Js: M Jacobians, shapes (m_i, n).

    Returns:
        M matrices, shapes (n, m_i).

    Example:
        >>> [Z.round(12).tolist() for Z in blocks([[[2.0, 0.0]], [[2.0, 4.0]]])]
        [[[0.5], [-0.25]], [[0.0], [0.25]]]
    """
    matrices = same_width(Js)
    every = tuple(range(len(matrices)))

    @cache
    def stack_of(effectors: tuple[int, ...]) -> Stack:
        if not effectors:
            return empty_stack(matrices[0].shape[1])
        return stack_of(effectors[:-1]).with_effector(matrices[effectors[-1]])

    return [stack_of((*every[:k], *every[k + 1 :])).with_effector(matrices[k]).last for k in every]


def three_blocks(J1: ArrayLike, J2: ArrayLike, J3: ArrayLike) -> tuple[Matrix, Matrix, Matrix]:
    """Z₁, Z₂, Z₃ of `blocks` in closed form, for three effectors.

        Z₁ = [J₁ {I − [J₂P(J₃)]⁺J₂ − [J₃P(J₂)]⁺J₃}]⁺    and cyclically.

    The braces are the projector P([J₂; J₃]) if J₂ and J₃ together have full rank. Otherwise the projector is used
    instead of the braces, so that the result equals `blocks` for any rank. Theory: docs/theory/6-many-effectors.md.

    Args:
        J1, J2, J3: Jacobians, shapes (m₁, n), (m₂, n), (m₃, n).

    Returns:
        Three matrices, shapes (n, m₁), (n, m₂), (n, m₃).

    Example:
        >>> Z1, Z2, Z3 = three_blocks([[2.0, 0.0, 0.0]], [[0.0, 4.0, 0.0]], [[0.0, 0.0, 5.0]])
        >>> np.hstack([Z1, Z2, Z3]).round(12)
        array([[0.5 , 0.  , 0.  ],
               [0.  , 0.25, 0.  ],
               [0.  , 0.  , 0.2 ]])
    """
    J1 = matrix(J1, "J1")
    J2, J3 = matrix(J2, "J2", columns=J1.shape[1]), matrix(J3, "J3", columns=J1.shape[1])
    return _first_of_three(J1, J2, J3), _first_of_three(J2, J3, J1), _first_of_three(J3, J1, J2)


def _first_of_three(J1: Matrix, J2: Matrix, J3: Matrix) -> Matrix:
    """The closed form for Z₁."""
    third_first, second_first = stages([J3, J2])[-1], stages([J2, J3])[-1]
    if third_first.R.shape[1] == len(J2) + len(J3):
        braces = np.eye(J1.shape[1]) - third_first.last @ J2 - second_first.last @ J3
    else:
        braces = third_first.projector
    return decomposed(J1 @ braces, norm(J1) * third_first.caution).inverse


def _displacements(dXs: Sequence[ArrayLike], Js: Sequence[Matrix]) -> list[Vector]:
    """One displacement for each effector, with as many numbers as its Jacobian has rows."""
    if len(dXs) != len(Js):
        raise BadShape(f"displacements has {len(dXs)} entries; {len(Js)} jacobians need {len(Js)}")
    return [
        fitting(dX, f"displacements[{i}]", len(J), J, f"jacobians[{i}]")
        for i, (dX, J) in enumerate(zip(dXs, Js, strict=True))
    ]
