"""Converts the arguments of a `Solver`'s calls to the form that the native core needs, or raises an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix
from manikin.errors import BadShape, BadValue
from manikin.figure.batch import check_out
from manikin.figure.figure import Figure
from manikin.goals.goal import LARGEST_WEIGHT
from manikin.goals.posture import step_stiffness
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.native.tuning import sizes

Stiffness = ArrayLike | Mapping[str, float] | None


def plain(numbers: Matrix) -> Matrix:
    """An array that the core accepts without a copy: C order, aligned, not a subclass."""
    return np.require(numbers, np.float64, ["C", "A", "E"])


def one_pose(figure: Figure, start: ArrayLike | None, call: str) -> Matrix | None:
    """Checks the start (nq,) of a call: finite numbers and unit quaternions. Limits are not checked."""
    pose = poses(figure, start)
    if pose is not None and pose.ndim != 1:
        raise BadShape(f"start pose has shape {pose.shape}; {call} one pose, ({figure.nq},)")
    return pose


def poses(figure: Figure, start: ArrayLike | None) -> Matrix | None:
    """The same for (..., nq)."""
    return None if start is None else plain(figure.check(start, "start pose"))


def row_count(first: Matrix | None, rows: Matrix | None) -> int:
    """Number of rows of a call, from its starts and its targets."""
    if any(a is not None and a.ndim > 2 for a in (first, rows)):
        shapes = [None if a is None else a.shape for a in (first, rows)]
        raise BadShape(f"start {shapes[0]} and targets {shapes[1]} may have one leading axis, not more")
    counts = [len(a) for a in (first, rows) if a is not None and a.ndim == 2]
    count = next((n for n in counts if n != 1), 1)
    if any(n not in (1, count) for n in counts):
        raise BadShape(
            f"there are {counts[0]} starts and {counts[1]} targets; there must be the same number of "
            "both, or one for all"
        )
    return count


def shared_options(
    goals: int,
    count: int,
    weights: ArrayLike | None,
    active: ArrayLike | None,
    restarts: int | None,
    iterations: int,
    budget: float | None,
    seed: int,
) -> dict[str, Any]:
    """The options that all calls share, for `count` rows and the given number of goals."""
    given = None if weights is None else arrays.numbers(weights, "weights", (-1, goals))
    if given is not None and np.any(given < 0.0):
        raise BadValue(f"weights contains {given.min():g}; each must be at least 0")
    if given is not None and np.any(given > LARGEST_WEIGHT):
        raise BadValue(f"weights contains {given.max():g}; each must be at most {LARGEST_WEIGHT:g}")
    on = None if active is None else arrays.numbers(active, "active", (-1, goals)) != 0.0
    for name, array in (("weights", given), ("active", on)):
        if array is not None and array.shape not in ((goals,), (count, goals)):
            raise BadShape(
                f"{name} has shape {array.shape}; it needs ({goals},), or ({count}, {goals}), a row for each target"
            )
    return {
        "weights": None if given is None else plain(given),
        "active": None if on is None else np.ascontiguousarray(on),
        "restarts": None if restarts is None else whole(restarts, "restarts"),
        "iterations": whole(iterations, "iterations"),
        "budget": None if budget is None else float(arrays.non_negative(budget, "budget")),
        "seed": whole(seed, "seed", largest=LARGEST_SEED),
    }


def preference_options(
    figure: Figure, count: int, prefer: ArrayLike | None, stiffness: Stiffness, gaps: bool = False
) -> dict[str, Any]:
    """The options of a preferred pose: the pose and its stiffness. With `gaps`, rows of it may be NaN."""
    pose = None if prefer is None else _checked(figure, prefer, gaps)
    if pose is not None and pose.shape not in ((figure.nq,), (count, figure.nq)):
        raise BadShape(f"prefer has shape {pose.shape}; it needs ({figure.nq},), or ({count}, {figure.nq})")
    each = None if stiffness is None else step_stiffness(figure, stiffness, "stiffness", 1.0)
    return {"prefer": pose, "stiffness": None if each is None else plain(each)}


def _checked(figure: Figure, prefer: ArrayLike, gaps: bool) -> Matrix:
    """Preferred poses in the form that the core needs. With `gaps`, rows of NaN are kept."""
    rows = arrays.real(prefer, "prefer")
    if not gaps or rows.ndim != 2 or rows.shape[1] != figure.nq:
        return plain(figure.check(prefer, "prefer"))
    missing = np.isnan(rows).all(axis=1, keepdims=True)
    checked = figure.check(np.where(missing, figure.rest, rows), "prefer")
    return plain(np.where(missing, np.nan, checked))


def track_options(
    figure: Figure, count: int, prefer: ArrayLike | None, stiffness: Stiffness, settle: bool, stay: float | None
) -> dict[str, Any]:
    """The options of a track besides its goals: a preferred pose, and the pull toward the previous frame."""
    for name, given in (("stiffness", stiffness is not None), ("settle", bool(settle))):
        if given and prefer is None:
            raise BadValue(f"{name} was given without prefer; prefer must be the pose to which the joints are pulled")
    if stay is not None:
        sizes(stay, "stay", figure.size, least=0.0)
    return {
        **preference_options(figure, count, prefer, stiffness, gaps=True),
        "settle": bool(settle),
        "stay": None if stay is None else float(stay),
    }


def checked_pick(pick: str) -> str:
    """`pick`, which must be "near" or "first"."""
    if pick not in ("near", "first"):
        raise BadValue(f"pick is {pick!r}; it must be 'near' or 'first'")
    return str(pick)


def names(given: Sequence[str]) -> tuple[str, ...]:
    """Names of joints as a tuple. A single name need not be in a list."""
    return (given,) if isinstance(given, str) else tuple(given)


def checked_out(out: Matrix | None, shape: tuple[int, ...], starts: ArrayLike | None) -> None:
    """Raises an error if `out` is given and cannot hold poses of this shape, or overlaps the starts in memory."""
    if out is not None:
        check_out(out, shape, np.empty(0) if starts is None else np.asarray(starts))
