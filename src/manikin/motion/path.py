"""Paths: targets between one place and another (docs/theory/3-nonlinear-programming.md)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue, unknown_name

PACES = ("linear", "smooth")


def path(start: ArrayLike, target: ArrayLike, steps: int, pace: str = "linear") -> Matrix:
    """Targets from `start` to `target`, both included, with `steps` points between them.

    With M = steps and i = 0, …, M + 1:

        linear:  s_i = i/(M + 1)                      equal steps
        smooth:  s_i = ½(1 − cos(iπ/(M + 1)))         slow at both ends
        row i = start + s_i (target − start)

    Four numbers are an orientation (quaternion wxyz): it turns along the shorter arc at a constant rate in s (slerp).
    Seven numbers are a placement: the first three move in a straight line, and the last four turn. Any other number of
    values moves in a straight line.

    Degenerate: between orientations half a turn apart both arcs are equally short; one is used.

    Args:
        start: (k,) a goal's target where the path begins, in the form of `goal.target`.
        target: (k,) the target where it ends.
        steps: M ≥ 0, the number of points between.
        pace: "linear" or "smooth".

    Returns:
        (M + 2, k); the first row is `start`, the last is `target`.

    Example:
        >>> path((0.0, 0.0), (4.0, 8.0), 3)[:, 1]
        array([0., 2., 4., 6., 8.])
        >>> path((0.0,), (1.0,), 3, pace="smooth")[:, 0].round(3)
        array([0.   , 0.146, 0.5  , 0.854, 1.   ])
    """
    first = arrays.numbers(start, "start", (None,))
    last = arrays.numbers(target, "target", (None,))
    if len(first) != len(last):
        raise BadShape(f"target has shape {last.shape}, but start has shape {first.shape}; they must be equal")
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 0:
        raise BadValue(f"steps is {steps!r}; it must be a whole number of at least 0")
    if pace not in PACES:
        raise unknown_name("path", "pace", pace, PACES)
    i = np.arange(steps + 2) / (steps + 1)
    s = i if pace == "linear" else 0.5 * (1.0 - np.cos(np.pi * i))
    turning = {4: 0, 7: 3}.get(len(first), len(first))  # where the quaternion begins
    straight = first[:turning] + s[:, None] * (last[:turning] - first[:turning])
    rows = np.concatenate([straight, _turned(first[turning:], last[turning:], s)], axis=1)
    rows[-1, :turning] = last[:turning]  # exact to the last bit
    return rows


def _turned(first: Vector, last: Vector, s: Vector) -> Matrix:
    """(len(s), 4) interpolated between two quaternions; (len(s), 0) if there are none."""
    if not len(first):
        return np.zeros((len(s), 0))
    a, b = arrays.quaternion(first, "start"), arrays.quaternion(last, "target")
    rows = rotations.slerp(a, b, s)
    rows[0] = a
    return rows
