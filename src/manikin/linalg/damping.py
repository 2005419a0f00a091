"""Damped least squares: steps that stay small near a singular pose, and the error that damping causes.

Theory: docs/theory/7-regularisation.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Vector, fitting, frozen, matrix, non_negative, numbers
from manikin.errors import BadValue
from manikin.linalg.inverses import RANK_TOLERANCE, SMALLEST, rank_of


def damped_step(J: ArrayLike, dX: ArrayLike, damping: float) -> Vector:
    """Step that follows a displacement and stays small near a singular pose.

    Minimises  ‖J dθ − dX‖² + λ² ‖dθ‖²,  that is  (JᵀJ + λ²I) dθ = Jᵀ dX.

    With singular values σᵢ of J, the part of dX along the i-th left singular vector is multiplied by σᵢ² / (σᵢ² + λ²).
    This factor is near 1 if σᵢ is much larger than λ, and near 0 if it is much smaller. So λ has the unit of σ. With a
    large λ the effector lags behind its path.

    ‖dθ‖ ≤ ‖dX‖ / 2λ. A damping λ ≤ RANK_TOLERANCE · σ₁ counts as zero and gives no protection. In that case the
    singular values that count as zero (see `inverses.rank`) are left out. So λ = 0 gives the pseudo-inverse step, and
    the result is always finite. Theory: docs/theory/7-regularisation.md.

    Args:
        J: Jacobian, shape (m, n), length per radian.
        dX: desired displacement of the effector, shape (m,), length.
        damping: λ ≥ 0, length per radian.

    Returns:
        dθ, shape (n,), radians.

    Example:
        >>> damped_step([[2.0, 0.0]], [1.0], damping=1.0)
        array([0.4, 0. ])
    """
    J = matrix(J, "jacobian")
    dX = fitting(dX, "displacement", J.shape[0], J, "jacobian")
    damping = non_negative(damping, "damping")
    U, values, Vt = np.linalg.svd(J, full_matrices=False)
    step: Vector = Vt.T @ _damped(values, U.T @ dX, damping)[0]
    return step


@dataclass(frozen=True, eq=False)
class DampingStudy:
    """The effect of each of k dampings on one step. Read-only arrays, in the order of the given dampings."""

    dampings: Vector
    """(k,), λ, length per radian."""
    condition_numbers: Vector
    """(k,), of JᵀJ + λ²I: (σ₁² + λ²) / (σₙ² + λ²), with σₙ = 0 if J has a null space. Falls to 1 as λ grows (Lemma
    7.1). Infinite if λ = 0 and J has a null space, or if the value would exceed 1e308."""
    residual_norms: Vector
    """(k,), ‖dX − J dθ‖, length. Grows with λ, from the part of dX that J cannot reach up to ‖dX‖ (Lemma 7.2)."""
    step_norms: Vector
    """(k,), ‖dθ‖, radians. Falls to 0 as λ grows."""


def damping_study(J: ArrayLike, dX: ArrayLike, dampings: ArrayLike) -> DampingStudy:
    """Condition number, residual and length of the damped step, for each of several dampings (Lemmas 7.1, 7.2).

    With J = U diag(σ) Vᵀ, the matrix JᵀJ + λ²I has the eigenvalues σᵢ² + λ², and λ² on the null space of J. The
    residual  r = {I − J(JᵀJ + λ²I)⁻¹Jᵀ} dX  has the parts  λ²/(σᵢ² + λ²) · uᵢᵀdX  along the uᵢ, plus the part of dX
    outside the range of J. One decomposition is enough for all dampings. Theory: docs/theory/7-regularisation.md.

    Args:
        J: Jacobian, shape (m, n), length per radian.
        dX: desired displacement of the effector, shape (m,), length.
        dampings: k values λ ≥ 0, shape (k,), length per radian.

    Example:
        >>> study = damping_study([[3.0, 0.0], [0.0, 1.0]], [3.0, 1.0], [0.0, 1.0])
        >>> study.condition_numbers.round(12), study.residual_norms.round(3), study.step_norms.round(3)
        (array([9., 5.]), array([0.   , 0.583]), array([1.414, 1.03 ]))
    """
    J = matrix(J, "jacobian")
    dX = fitting(dX, "displacement", J.shape[0], J, "jacobian")
    dampings = numbers(dampings, "dampings", (None,))
    if (dampings < 0.0).any():
        i = int(np.argmax(dampings < 0.0))
        raise BadValue(f"dampings[{i}] is {dampings[i]:g}; it must be at least 0")
    U, values, _ = np.linalg.svd(J, full_matrices=False)
    inside = U.T @ dX
    outside = math.hypot(*(dX - U @ inside))
    largest = float(values.max(initial=0.0))
    smallest = float(values.min(initial=largest)) if rank_of(values) == J.shape[1] else 0.0
    conditions, residuals, steps = np.empty((3, len(dampings)))
    for k, damping in enumerate(dampings):
        step, residual = _damped(values, inside, damping)
        least = math.hypot(smallest, damping)
        ratio = math.hypot(largest, damping) / least if least > 0.0 else math.inf
        conditions[k] = ratio * ratio  # not ratio**2, which raises OverflowError
        residuals[k] = math.hypot(outside, *residual)
        steps[k] = math.hypot(*step)
    return DampingStudy(frozen(dampings), frozen(conditions), frozen(residuals), frozen(steps))


def _damped(values: Vector, inside: Vector, damping: float) -> tuple[Vector, Vector]:
    """The parts of the step and of the residual, for singular values σᵢ and parts xᵢ of a displacement along the uᵢ.

    Step along the vᵢ: σᵢ/(σᵢ² + λ²) xᵢ. Residual along the uᵢ: λ²/(σᵢ² + λ²) xᵢ.
    """
    step, residual = np.zeros_like(values), inside.copy()
    protects = damping > max(RANK_TOLERANCE * float(values.max(initial=0.0)), SMALLEST)
    felt = slice(None) if protects else slice(rank_of(values))
    # Quotients are used because the squares could overflow.
    size = np.hypot(values[felt], damping)
    step[felt] = (values[felt] / size) * (inside[felt] / size)
    residual[felt] = (damping / size) ** 2 * inside[felt]
    return step, residual
