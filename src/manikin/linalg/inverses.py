"""Rank and pseudo-inverse. This module alone decides which singular values count as zero.

With the singular value decomposition J = U diag(σ₁ ≥ σ₂ ≥ …) Vᵀ, cut after the rank r (U₁, V₁: the first r columns):

    J⁺ = V₁ diag(1/σ₁, …, 1/σᵣ) U₁ᵀ,    J J⁺ = U₁U₁ᵀ,    J⁺J = V₁V₁ᵀ.

Theory: docs/theory/4-pseudo-inverse.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Vector, fitting, matrix, non_negative
from manikin.errors import BadValue, unknown_name

RANK_TOLERANCE = 1e-10
"""A singular value counts as zero if it is at most this fraction of the scale. The scale is the largest singular value,
or a larger value if the caller knows that the matrix is a remainder of a larger one. Jacobians of figures have rounding
errors of 1e-16 to 1e-13 of their size, so larger values are motion and not noise. A pseudo-inverse stretches a
displacement by at most 1e10 / scale."""

SMALLEST = 1e-140
"""A singular value of at most this size is zero at any scale. No figure has such Jacobians. The reciprocals of larger
values are far from overflow."""

Method = Literal["svd", "rows", "columns"]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """J = U diag(values) Vt, cut at the rank r."""

    U: Matrix
    """(m, r), orthonormal columns: the displacements that J can make."""
    values: Vector
    """(r,), the singular values that are not zero, largest first."""
    Vt: Matrix
    """(r, n), orthonormal rows: the steps that move something."""
    largest: float
    """The largest singular value, 0 for a zero or empty matrix."""

    @property
    def inverse(self) -> Matrix:
        """J⁺, shape (n, m)."""
        inverse: Matrix = (self.Vt.T / self.values) @ self.U.T
        return inverse


def decomposed(J: Matrix, scale: float = 0.0) -> Decomposition:
    """The singular value decomposition of J, (m, n), cut at `rank(J, scale)`."""
    U, values, Vt = np.linalg.svd(J, full_matrices=False)
    r = rank_of(values, scale)
    return Decomposition(U[:, :r], values[:r], Vt[:r], float(values.max(initial=0.0)))


def rank_of(values: Vector, scale: float = 0.0) -> int:
    """The rank rule on singular values in any order, for callers that already have them."""
    floor = max(RANK_TOLERANCE * max(float(values.max(initial=0.0)), scale), SMALLEST)
    return int(np.count_nonzero(values > floor))


def singular_values(J: Matrix) -> Vector:
    """σ₁ ≥ σ₂ ≥ …, all min(m, n) of them."""
    return np.asarray(np.linalg.svd(J, compute_uv=False), dtype=np.float64)


def norm(J: Matrix) -> float:
    """‖J‖, the largest singular value of J, (m, n); 0 for a zero or empty matrix."""
    return float(singular_values(J).max(initial=0.0))


def rank(J: ArrayLike, scale: float = 0.0) -> int:
    """The numerical rank of J: the number of independent directions of motion.

    Counts the singular values  σᵢ > RANK_TOLERANCE · max(σ₁, scale).  Every function of this package that needs a rank
    uses this rule. Theory: docs/theory/4-pseudo-inverse.md.

    Args:
        J: Jacobian, shape (m, n).
        scale: size of the matrix that J was computed from, if J is a difference of larger matrices. For example, the
            rows of J₂P(J₁) may be only rounding errors of J₂. Compared with their own largest singular value they would
            look like motion; compared with ‖J₂‖ they do not.

    Example:
        >>> rank([[1.0, 0.0, 1.0], [2.0, 0.0, 2.0]])
        1
        >>> rank([[1e-15, 0.0]]), rank([[1e-15, 0.0]], scale=1.0)
        (1, 0)
    """
    J = matrix(J, "jacobian")
    return rank_of(singular_values(J), non_negative(scale, "scale"))


def pinv(J: ArrayLike, method: Method = "svd") -> Matrix:
    """The Moore-Penrose pseudo-inverse J⁺, shape (n, m).

    It is the one matrix with  J J⁺ J = J,  J⁺ J J⁺ = J⁺,  and both J J⁺ and J⁺ J symmetric. Theory and proofs:
    docs/theory/4-pseudo-inverse.md.

    Args:
        J: Jacobian, shape (m, n), any rank for "svd".
        method: "svd" for any J;
            "rows" for full row rank,       J⁺ = Jᵀ(J Jᵀ)⁻¹;
            "columns" for full column rank, J⁺ = (Jᵀ J)⁻¹Jᵀ.
            The last two solve with the triangular factor of J Jᵀ (or Jᵀ J) taken from a QR decomposition of Jᵀ (or J):
            the same formula, without squaring the condition number.

    Raises:
        BadValue: J does not have the rank that "rows" or "columns" needs.

    Example:
        >>> pinv([[3.0, 4.0]], method="rows").round(12)
        array([[0.12],
               [0.16]])
    """
    J = matrix(J, "jacobian")
    if method == "svd":
        return decomposed(J).inverse
    if method == "rows":
        _require_rank(J, J.shape[0], "Jᵀ(JJᵀ)⁻¹ needs full row rank")
        return np.ascontiguousarray(_full_column_rank_inverse(J.T).T)
    if method == "columns":
        _require_rank(J, J.shape[1], "(JᵀJ)⁻¹Jᵀ needs full column rank")
        return _full_column_rank_inverse(J)
    raise unknown_name("pinv", "method", method, get_args(Method))


def pinv_step(J: ArrayLike, dX: ArrayLike, Z: ArrayLike | None = None) -> Vector:
    """The step of least norm that follows a displacement, plus the part of a second step that does not disturb it.

        dθ = J⁺ dX + (I − J⁺J) Z

    The first term is the shortest of all steps that come nearest to dX. These steps produce dX exactly if dX is in the
    range of J. The second term is the projection of Z on the null space of J. Near a singular pose the first term grows
    like 1/σ, until `rank` counts σ as zero; `damping.damped_step` avoids this growth. Theory:
    docs/theory/4-pseudo-inverse.md.

    Args:
        J: Jacobian, shape (m, n), length per radian.
        dX: desired displacement of the effector, shape (m,), length.
        Z: any step, shape (n,), radians; None stands for 0.

    Returns:
        dθ, shape (n,), radians.

    Example:
        >>> pinv_step([[2.0, 0.0]], [1.0], Z=[5.0, 3.0])
        array([0.5, 3. ])
    """
    J = matrix(J, "jacobian")
    dX = fitting(dX, "displacement", J.shape[0], J, "jacobian")
    parts = decomposed(J)
    step: Vector = parts.Vt.T @ ((parts.U.T @ dX) / parts.values)
    if Z is not None:
        Z = fitting(Z, "Z", J.shape[1], J, "jacobian")
        step = step + (Z - parts.Vt.T @ (parts.Vt @ Z))
    return step


def _require_rank(J: Matrix, wanted: int, need: str) -> None:
    found = rank_of(singular_values(J))
    if found != wanted:
        raise BadValue(f"jacobian of shape {J.shape} has rank {found}; {need} {wanted} (method='svd' accepts any rank)")


def _full_column_rank_inverse(A: Matrix) -> Matrix:
    """(AᵀA)⁻¹Aᵀ from A = QR: AᵀA = RᵀR, so the result is R⁻¹Qᵀ."""
    Q, R = np.linalg.qr(A)
    inverse: Matrix = np.linalg.solve(R, Q.T)
    return inverse
