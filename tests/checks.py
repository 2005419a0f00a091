"""Checks for all test files: nearness, the finite-difference check of derivatives, clear errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from manikin.errors import ManikinError
from manikin.figure.figure import Figure
from manikin.reference.tree import SLIDE
from manikin.solution import Solution, Solutions

Array = NDArray[np.float64]

LADDER = 10
"""How many step sizes the difference quotients are taken at, each half of the one before."""
MOST_COLUMNS = 40
"""With more columns than this, random directions are checked instead of one column after another."""


def assert_close(a: ArrayLike, b: ArrayLike, scale: float = 1.0, tol: float = 1e-10) -> None:
    """Every entry of a is within tol · scale of that of b. Shapes must be equal (b may be one number); NaN is near
    to nothing, an infinity only to itself."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    assert b.ndim == 0 or a.shape == b.shape, f"shapes differ: {a.shape} and {b.shape}"
    if a.size == 0:
        return
    with np.errstate(invalid="ignore"):
        apart = np.where(a == b, 0.0, np.abs(a - b))
    near = apart <= tol * scale  # false for NaN
    if not near.all():
        order = np.where(np.isnan(apart), np.inf, apart)
        worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(order)), apart.shape))
        other = b[worst] if b.ndim else b
        raise AssertionError(
            f"{np.count_nonzero(~near)} of {near.size} entries differ by more than {tol:g} of {scale:g}; "
            f"the worst at {list(worst)}: {a[worst]!r} and {other!r}, apart by {apart[worst]:.3g}"
        )


def assert_derivative(
    f: Callable[[Any], ArrayLike],
    df: ArrayLike | Callable[[Any], ArrayLike],
    at: ArrayLike,
    *,
    move: Callable[[Any, Any], Any] | None = None,
    step: float = 0.05,
    units: ArrayLike = 1.0,
    scale: float | None = None,
    tol: float = 1e-9,
    batched: bool = False,
    directions: int | None = None,
) -> None:
    """df is the derivative of f at a point.

    The difference quotients  D(h) = (f(at ⊕ h d) − f(at ⊕ −h d)) / 2h  at h, h/2, h/4, … are extrapolated to h = 0 by
    Richardson's rule (their error is a series in h²), and the entry of the table that its neighbours agree with best
    is compared with df · d. For smooth f that is good to about 1e-12, so tol may be far below what one
    plain difference quotient could show. Where the table does not settle to tol itself, the check fails too and says
    so: nothing was shown.

    Args:
        f: from a point to an array of any shape (...).
        df: its derivative, shape (..., n), or a function that gives it; n is the number of steps.
        at: the point.
        move: ⊕, how a step (n,) moves a point; plain addition where none is given. `figure.integrate` for poses.
        step: the largest h, in units.
        units: one for all columns or (n,) one for each: what counts as a step of size 1 (1 rad for an angle,
            `figure.size` for a length; see `step_units`). Columns are compared after multiplication by it.
        scale: what tol is relative to; the largest entry of f(at), df and the quotients where none is given.
        tol: the largest difference that passes, relative to scale.
        batched: f and move take many points at once, along a first axis (much faster for figures).
        directions: check along so many random directions instead of along each column. Where it is None, that is
            done (with 40) if there are more than 40 columns.
    """
    at = np.asarray(at, dtype=np.float64)
    J = np.asarray(df(at) if callable(df) else df, dtype=np.float64)
    value = np.asarray(f(at), dtype=np.float64)
    assert J.ndim >= 1, "the derivative needs a last axis, one column for each step"
    assert J.shape[:-1] == value.shape, f"the derivative has shape {J.shape}; f has {value.shape}, so it needs (…, n)"
    assert np.isfinite(value).all(), "f has no finite value at the point"
    assert np.isfinite(J).all(), "the derivative is not finite"
    n = J.shape[-1]
    if n == 0 or value.size == 0:
        return
    along = _directions(n, directions) * np.broadcast_to(np.asarray(units, dtype=np.float64), (n,))  # (k, n)
    quotients, unsettled = _quotients(f, at, along, move or np.add, step, batched)  # (k, ...), (k,)
    claimed = np.moveaxis(J @ along.T, -1, 0)  # (k, ...)
    if scale is None:
        scale = float(max(np.abs(claimed).max(), np.abs(quotients).max(), np.abs(value).max()))
    for d, got, wanted, left in zip(along, claimed, quotients, unsettled, strict=True):
        assert left <= tol * scale, (
            f"the difference quotients along {_named(d)} do not settle: they are sure to {left:.3g}, not to {tol:g} of "
            f"{scale:.3g}; f is not smooth there, or `step` does not suit it"
        )
        try:
            assert_close(got, wanted, scale, tol)
        except AssertionError as error:
            raise AssertionError(f"derivative along {_named(d)} (claimed, then by differences): {error}") from None


Case: TypeAlias = tuple[Callable[[], Any], type[ManikinError], str]
"""A call with bad input, the error it must give, and a pattern of the message."""


def assert_refused(call: Callable[[], Any], kind: type[ManikinError], message: str) -> None:
    """The call raises exactly this error of ours, on one line, which is also what Python users expect."""
    with pytest.raises(Exception, match=message) as caught:
        call()
    error = caught.value
    assert type(error) is kind, "".join(traceback.format_exception(error))
    assert isinstance(error, (ValueError, LookupError, NotImplementedError))
    assert len(str(error)) < 400
    assert "\n" not in str(error)


def step_units(figure: Figure) -> Array:
    """(nv,) what a step of size 1 is for each step of a figure: 1 rad, or the figure's size where it is a length."""
    tree = figure.layout.tree
    units = np.ones(figure.nv)
    slides = (tree.kind == SLIDE) & (tree.source < 0)
    units[tree.step[slides]] = figure.size
    return units


def _directions(n: int, count: int | None) -> Array:
    if count is None and n <= MOST_COLUMNS:
        return np.eye(n)
    rng = np.random.default_rng(n)
    drawn: Array = rng.normal(size=(count or MOST_COLUMNS, n))
    drawn /= np.abs(drawn).max(axis=1, keepdims=True)
    return drawn


def _quotients(
    f: Callable[[Any], ArrayLike], at: Array, along: Array, move: Callable[[Any, Any], Any], step: float, batched: bool
) -> tuple[Array, Array]:
    """Extrapolated derivatives of f along each row, (k, ...), and how sure they are, (k,)."""
    h = step * 0.5 ** np.arange(LADDER)
    steps = (np.stack([h, -h])[:, :, None, None] * along).reshape(-1, along.shape[1])  # (2 · LADDER · k, n)
    if batched:
        values = np.asarray(f(move(np.broadcast_to(at, (len(steps), *at.shape)).copy(), steps)), dtype=np.float64)
    else:
        values = np.stack([np.asarray(f(move(at.copy(), v)), dtype=np.float64) for v in steps])
    forth, back = values.reshape(2, LADDER, len(along), *values.shape[1:])
    inner = tuple(range(1, values.ndim))
    row = [(forth[j] - back[j]) / (2.0 * h[j]) for j in range(LADDER)]  # one (k, ...) for each h
    best, sure = row[0], np.full(len(along), np.inf)
    # Column m of Richardson's table removes the error term in h^(2m).
    for m in range(1, LADDER):
        finer = [row[j + 1] + (row[j + 1] - row[j]) / (4.0**m - 1.0) for j in range(len(row) - 1)]
        for j, entry in enumerate(finer):
            # An entry is as good as its two parents say; accidental agreement of one of them is not enough.
            doubt = np.maximum(np.abs(entry - row[j]), np.abs(entry - row[j + 1])).max(axis=inner, initial=0.0)
            better = doubt < sure
            best = np.where(better.reshape(-1, *(1,) * len(inner)), entry, best)
            sure = np.where(better, doubt, sure)
        row = finer
    return best, sure


def _named(direction: Array) -> str:
    touched = np.flatnonzero(direction)
    return f"column {touched[0]}" if len(touched) == 1 else "a random direction"


def poses_of(found: Solution | Solutions) -> Array:
    """The pose (nq,) of one solution, or the poses (B, nq) of many."""
    return found.pose if isinstance(found, Solution) else found.poses
