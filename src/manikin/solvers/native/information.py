"""The information of goals about each step of a figure: the diagonal of JᵀWJ at given poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix
from manikin.errors import BadValue
from manikin.solvers.native.arguments import plain, row_count, shared_options
from manikin.solvers.native.targets import Targets

if TYPE_CHECKING:
    from manikin.solvers.native.solver import Solver


def information(
    solver: Solver, poses: ArrayLike, targets: Targets, weights: ArrayLike | None, active: ArrayLike | None
) -> Matrix:
    """(nv,) or (B, nv). The arguments are those of `Solver.information`."""
    given = plain(solver.figure.check(poses, "poses"))
    rows = solver._targets.rows(targets)
    count = row_count(given, rows)
    options = shared_options(solver._own, count, weights, active, None, 0, None, 0)
    own = solver._weights if options["weights"] is None else options["weights"]
    on = own if options["active"] is None else np.where(options["active"], own, 0.0)
    each = np.broadcast_to(on, (count, solver._own))
    at = np.ascontiguousarray(np.broadcast_to(given, (count, solver.figure.nq)))
    wanted = np.broadcast_to(solver.targets if rows is None else rows, (count, solver.width))
    out = native_information(solver._query, solver.figure.nv, at, wanted, each, solver._callbacks)
    return out[0] if given.ndim == 1 and (rows is None or rows.ndim == 1) else out


def native_information(
    query: Any, steps: int, poses: Matrix, targets: Matrix, weights: Matrix, callbacks: Sequence[Any] = ()
) -> Matrix:
    """(B, nv)

    Args:
        query: the compiled problem.
        steps: nv of the figure.
        poses: (B, nq).
        targets: (B, k).
        weights: (B, goals), without closed loops; 0 for goals that are not active.
        callbacks: the goals that are evaluated in Python.
    """
    out = np.empty((len(poses), steps))
    try:
        query.information(poses, np.ascontiguousarray(targets), np.ascontiguousarray(weights), out, callbacks=callbacks)
    except ValueError as error:
        raise BadValue(str(error)) from None
    return out
