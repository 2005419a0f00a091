"""The arguments of tracks, in the form that the native core needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Vector, copies
from manikin.errors import BadShape, BadValue
from manikin.solvers.native.arguments import Stiffness, checked_out, one_pose, shared_options, track_options
from manikin.solvers.native.natural import Start, Wished
from manikin.solvers.native.speeds import MaxSpeed, frame_times
from manikin.solvers.native.stored import speeds_of
from manikin.solvers.native.targets import Targets

if TYPE_CHECKING:
    from manikin.solvers.native.solver import Solver


def track_arguments(
    solver: Solver,
    start: Start,
    targets: Targets,
    *,
    before: ArrayLike | None = None,
    dt: float | None = None,
    times: ArrayLike | None = None,
    max_speed: MaxSpeed = None,
    stay: float | None = None,
    prefer: Start = None,
    stiffness: Stiffness = None,
    settle: bool = False,
    refine: bool = False,
    escape: bool = False,
    weights: ArrayLike | None = None,
    active: ArrayLike | None = None,
    restarts: int = 0,
    iterations: int = 1_000_000,
    budget: float | None = None,
    seed: int = 0,
    seconds: Vector | None = None,
    out: Matrix | None = None,
) -> tuple[Wished, dict[str, Any]]:
    """The arguments of `Solver.track`, converted; and what replaces "natural", with its notes."""
    given = start
    start, targets, before, dt, times, max_speed = copies(start, targets, before, dt, times, max_speed)
    prefer, stiffness, weights, active = copies(prefer, stiffness, weights, active)
    rows = solver._targets.rows(targets)
    if rows is None or rows.ndim > 2:
        shape = None if rows is None else rows.shape
        raise BadShape(f"targets has shape {shape}; track needs (T, {solver.width}), one row for each frame")
    rows = np.atleast_2d(rows)
    last = solver._targets.one(before, "before", "it needs the targets of one frame,")
    shared = shared_options(solver._own, len(rows), weights, active, restarts, iterations, budget, seed)
    wished = solver._natural.wished_for_track(start, rows, last, weights, active, prefer, stiffness)
    first = one_pose(solver.figure, wished.start, "track begins at")
    checked_out(out, (len(rows), solver.figure.nq), None if isinstance(given, str) else given)
    checked_out(seconds, (len(rows),), None)
    call: dict[str, Any] = {"start": first, "targets": rows, "before": last, "seconds": seconds, "out": out}
    call["dt"] = frame_times(len(rows) + (last is not None), dt, times, last is not None)
    call["max_speed"] = None if max_speed is None else speeds_of(solver.figure, max_speed)
    call |= {"refine": bool(refine), "escape": bool(escape)}
    call |= shared
    call |= track_options(solver.figure, len(rows), wished.prefer, wished.stiffness, settle, stay)
    return wished, call


OPTIONS = ("max_speed", "stay", "stiffness", "settle", "refine", "escape", "restarts", "iterations", "budget", "seed")
"""The options of `Solver.track_many` that are the same for all clips."""


def check_options(names: Iterable[str]) -> None:
    """Raises a TypeError for an option that `track_many` does not have, such as `out`, which clips cannot share."""
    for name in names:
        if name not in OPTIONS:
            raise TypeError(f"track_many() has no option {name!r}; it has {', '.join(OPTIONS)}")


def for_each(value: Any, count: int, name: str) -> list[Any]:
    """The value of an argument for each of `count` clips: one for all, or one for each.

    A list, a tuple or an array of two or more axes has one for each, unless its items are numbers.
    """
    each = isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value[0] if len(value) else 0.0) > 0
    each = each or (isinstance(value, (list, tuple)) and any(v is None or isinstance(v, str) for v in value))
    if not each:
        return [value] * count
    if len(value) != count:
        raise BadShape(f"{name} has {len(value)} items; it needs one for all clips, or one for each of {count}")
    return list(value)


def seconds_for_each(dt: Any, count: int) -> list[Any]:
    """`dt` for each clip. It is one number for all, or a list of numbers."""
    if not isinstance(dt, (list, tuple, np.ndarray)):
        return [dt] * count
    if np.shape(dt) != (count,):
        raise BadShape(f"dt has shape {np.shape(dt)}; it needs one number for all clips, or one for each of {count}")
    return list(dt)


def clips_of(clips: Any) -> Sequence[Any]:
    """The clips as a sequence of arrays."""
    if isinstance(clips, np.ndarray) and clips.ndim < 3:
        raise BadShape(f"clips has shape {clips.shape}; it needs (B, T, k), or a list of (T, k) targets")
    if isinstance(clips, (str, dict)) or not hasattr(clips, "__len__") or not hasattr(clips, "__getitem__"):
        raise BadValue(f"clips is {clips!r}; it needs a list of (T, k) targets")
    found: Sequence[Any] = clips
    return found
