"""Over: a goal whose target varies over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays, rotations
from manikin.arrays import Matrix, Poses, Vector
from manikin.errors import BadShape, BadValue
from manikin.figure import Figure
from manikin.goals import Goal, Reading
from manikin.motion import ease
from manikin.motion.goal_errors import effector_placements
from manikin.motion.motion import Motion

NEAR_UNIT = 1e-2
"""A quaternion whose length differs from 1 by more than this is a bad sample, not a rounding error."""
SAME_TIME = 1e-6
"""Frames that are at most this far outside an interval count as inside, in seconds."""

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Over:
    """A goal with a target for each frame, for a whole clip or during some intervals.

    Example:
        >>> import manikin as mk
        >>> over = Over(mk.Position("RightHand", (0, 1, 0)), lambda t: (0.1 * t, 1.0, 0.3), during=[(1.0, 1.8)])
        >>> over.during
        ((1.0, 1.8),)
    """

    goal: Goal
    """The goal. Its own target is used if `targets` is None."""
    targets: Any = None
    """One of these. (T, k): one row for each frame; a row with NaN is a gap. A function of seconds that returns such a
    row, or None for a gap. {seconds: row}: keys between which targets are eased; a key without a target (None or NaN)
    is a gap up to the keys next to it. A Motion: its effectors are followed while it lasts. None: the goal's own
    target. Placements may be 4×4."""
    during: Any = None
    """Intervals (start, end) in seconds during which the goal counts, including both ends; None means always."""

    def __post_init__(self) -> None:
        if not isinstance(self.goal, Goal):
            raise BadValue(f"Over: goal is {self.goal!r}; it needs a goal, such as manikin.Position(…)")
        object.__setattr__(self, "during", _intervals(self.during, f"{self.goal.label}: during"))

    def rows(self, times: Vector) -> Matrix:
        """(T, k) the targets at these times. In gaps, whole rows are NaN.

        Args:
            times: the times, shape (T,), seconds.
        """
        width, label = len(self.goal.target), f"targets of {self.goal.label!r}"
        if self.targets is None:
            return np.tile(self.goal.target, (len(times), 1))
        if isinstance(self.targets, Motion):
            rows = met_rows(self.targets.figure, self.goal, self.targets.at(times))
            first, last = self.targets.times[[0, -1]]
            rows[(times < first - SAME_TIME) | (times > last + SAME_TIME)] = np.nan
            return rows
        if isinstance(self.targets, Mapping):
            return _between_keys(self.goal, self.targets, times, label)
        if callable(self.targets):
            return np.stack([_row(self.targets, t, width, label) for t in times.tolist()])
        given = arrays.real(self.targets, label)
        if given.ndim == 3 and given.shape[1:] == (4, 4) and width == 7:
            given = _sevens(given)
        if given.shape != (len(times), width):
            raise BadShape(f"{label} has shape {given.shape}; {len(times)} frames need ({len(times)}, {width})")
        return np.array(given)

    def counts(self, times: Vector) -> NDArray[np.bool_]:
        """(T,) whether a frame is in one of the intervals.

        Args:
            times: the times, shape (T,), seconds.
        """
        if self.during is None:
            return np.ones(len(times), dtype=bool)
        inside = [(times >= a - SAME_TIME) & (times <= b + SAME_TIME) for a, b in self.during]
        return np.asarray(np.any(inside, axis=0)) if inside else np.zeros(len(times), dtype=bool)


def as_over(goals: Sequence[Goal | Over] | Goal | Over) -> tuple[Over, ...]:
    """Converts goals to `Over`. A plain goal always counts, with its own target.

    Raises:
        BadValue: an item is neither a goal nor an `Over`, or there are no goals.
    """
    if not isinstance(goals, (Goal, Over, Iterable)):
        raise BadValue(f"goals is {goals!r}; it needs a goal, such as manikin.Position(…), or a list of goals")
    given = [goals] if isinstance(goals, (Goal, Over)) else list(goals)
    if not given:
        raise BadValue("there are no goals; at least one is needed")
    return tuple(goal if isinstance(goal, Over) else Over(goal) for goal in given)


def settled_over(goals: Sequence[Over], figure: Figure) -> tuple[Over, ...]:
    """Goals for the whole pose know their target only on a figure."""
    return tuple(replace(o, goal=o.goal.on(figure)) if o.goal.reads_pose else o for o in goals)


def with_whole_samples(rows: Matrix, goal: Goal) -> tuple[Matrix, int]:
    """Targets (T, k) with bad samples as gaps and with unit quaternions; and the number of bad samples.

    A bad sample has an infinite number, or a quaternion whose length is not near 1.
    """
    out: Matrix = np.array(rows)
    bad = np.isinf(out).any(axis=1)
    for at in goal.quaternions:
        length = np.linalg.norm(out[:, at : at + 4], axis=1)
        bad |= np.abs(length - 1.0) > NEAR_UNIT  # false for NaN
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, at : at + 4] /= length[:, None]
    bad &= ~np.isnan(rows).any(axis=1)
    out[bad | np.isnan(rows).any(axis=1)] = np.nan
    return out, int(bad.sum())


def met_rows(figure: Figure, goal: Goal, poses: Poses) -> Matrix:
    """(T, k) the targets that poses (T, nq) of a figure meet: the positions or placements of the goal's effectors.

    Raises:
        BadValue: the goal has no such target.
    """
    settled = goal.on(figure)
    placed = effector_placements(figure, settled.effectors, poses)
    out = []
    for t in range(len(poses)):
        met = settled.met_by(Reading(placed[t], None, poses[t] if settled.reads_pose else None))
        if met is None:
            raise BadValue(f"{goal.label} has no target that can be computed from a pose, so it cannot follow a motion")
        out.append(met.target)
    return np.stack(out)


def _row(function: Callable[[float], ArrayLike | None], time: float, width: int, label: str) -> Vector:
    row = function(time)
    if row is None:
        return np.full(width, np.nan)
    given = arrays.real(row, f"{label} at {time:g} s")
    if given.shape == (4, 4) and width == 7:
        given = _sevens(given[None])[0]
    if given.shape != (width,):
        raise BadShape(f"{label} at {time:g} s has shape {given.shape}; it needs ({width},)")
    return given


def _between_keys(goal: Goal, keys: Mapping[Any, Any], times: Vector, label: str) -> Matrix:
    """(T, k) targets eased between keyed targets; NaN before the first and after the last key. A key without a target
    (None or NaN) is a gap: there are no targets between this key and the keys next to it."""
    if not keys:
        raise BadValue(f"{label} has no keys; at least one is needed")
    when = np.array(sorted(arrays.scalar(t, f"{label}: key") for t in keys))
    given = {float(t): row for t, row in keys.items()}
    rows = np.stack([_row(given.get, t, len(goal.target), label) for t in when.tolist()])
    before = np.clip(np.searchsorted(when, times, side="right") - 1, 0, max(len(when) - 2, 0))
    after = np.minimum(before + 1, len(when) - 1)
    span = np.where(after > before, when[after] - when[before], 1.0)
    part = ease.eased((times - when[before]) / span)
    out = ease.toward(goal, rows[before], rows[after], part)
    for at, here in ((before, part == 0.0), (after, part == 1.0)):
        out[here] = rows[at[here]]  # a key next to a gap keeps its target
    out[(times < when[0] - SAME_TIME) | (times > when[-1] + SAME_TIME)] = np.nan
    return out


def _sevens(matrices: Matrix) -> Matrix:
    """Placements (T, 4, 4) as (T, 7); a matrix with NaN gives a row of NaN."""
    gap = np.asarray(~np.isfinite(matrices).all(axis=(1, 2)))
    whole = np.where(gap[:, None, None], np.eye(4), matrices)
    out: Matrix = np.concatenate([whole[:, :3, 3], rotations.from_matrix(whole[:, :3, :3])], axis=1)
    out[gap] = np.nan
    return out


def _intervals(during: Any, label: str) -> tuple[Interval, ...] | None:
    if during is None:
        return None
    pairs = arrays.numbers(
        np.asarray(during, dtype=np.float64).reshape(-1, 2) if np.size(during) == 2 else during, label, (None, 2)
    )
    for a, b in pairs:
        if b < a:
            raise BadValue(f"{label} has the interval ({a:g}, {b:g}); its end must not be before its start")
    return tuple((float(a), float(b)) for a, b in pairs)
