"""The damped step within bounds: a linear least-squares problem with simple constraints.

Theory: docs/theory/7-regularisation.md. The method is described in `manikin.reference.bounded`; the native core has a
twin of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from manikin import backend
from manikin.arrays import Vector, box, fitting, matrix, non_negative
from manikin.linalg.damping import damped_step
from manikin.reference import bounded as reference


def bounded_step(J: ArrayLike, dX: ArrayLike, damping: float, lower: ArrayLike, upper: ArrayLike) -> Vector:
    """Damped step that keeps every joint angle exactly within its limits.

    Minimises  ‖J dθ − dX‖² + λ² ‖dθ‖²  subject to  lower ≤ dθ ≤ upper.  The bounds are on the *step*: for limits l, u
    of the angles θ, pass l − θ and u − θ.

    Angles that reach a bound are equal to it to the last bit. The other angles make up for the rest. The result meets
    the conditions for a minimum; it is not the damped step clipped at the bounds. If no bound is reached, it is
    `damping.damped_step`.

    With λ > 0 the minimum is unique. With λ = 0 there may be many minima; the method finds one of them near 0, and it
    is finite. Theory: docs/theory/7-regularisation.md.

    Args:
        J: Jacobian, shape (m, n), length per radian.
        dX: desired displacement of the effector, shape (m,), length.
        damping: λ ≥ 0, length per radian.
        lower, upper: bounds of the step, shape (n,), radians. One number stands for all; an infinity means no bound.

    Returns:
        dθ, shape (n,), radians.

    Example:
        The first angle stops at 0.1, and the second moves more instead:

        >>> bounded_step([[1.0, 1.0]], [1.0], 0.1, [-0.1, -1.0], [0.1, 1.0]).round(3)
        array([0.1  , 0.891])
    """
    if backend.native:
        quick = backend.checked_step(J, dX, damping, lower, upper, reference.FLOOR)
        if quick is not None:
            return quick
    J = matrix(J, "jacobian")
    dX = fitting(dX, "displacement", J.shape[0], J, "jacobian")
    damping = non_negative(damping, "damping")
    lower, upper = box(lower, upper, J.shape[1])
    if damping <= reference.FLOOR * math.sqrt(J.size) * float(np.abs(J).max(initial=0.0)):
        # The damping is too small for the linear systems of the method. If no bound is reached, singular values are
        # more exact.
        step = damped_step(J, dX, damping)
        if ((lower <= step) & (step <= upper)).all():
            return step
    return backend.bounded_step(J, dX, damping, lower, upper)
