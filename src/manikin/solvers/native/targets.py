"""Rows of targets: the numbers of all goals side by side, given as arrays, as matrices or by name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.goals import Goal, Placement
from manikin.goals.orientation import MATRIX_TOLERANCE
from manikin.solvers.native.arguments import plain

Targets = ArrayLike | Mapping[str, ArrayLike] | None


class GoalTarget(NamedTuple):
    """The names of a goal, and the place of its target in a row."""

    label: str
    name: str | None
    segments: tuple[str, ...]
    """The segments of its effectors, each once."""
    placement: bool
    """Whether the goal is a Placement. Its target may then be a matrix."""
    at: slice


def goal_targets(goals: Sequence[Goal]) -> tuple[GoalTarget, ...]:
    """One `GoalTarget` for each goal, with the targets side by side."""
    ends = np.cumsum([0, *(len(g.target) for g in goals)])
    return tuple(
        GoalTarget(
            goal.label,
            goal.name,
            tuple(dict.fromkeys(e.segment for e in goal.effectors)),
            type(goal) is Placement,
            slice(int(a), int(b)),
        )
        for goal, (a, b) in zip(goals, itertools.pairwise(ends), strict=True)
    )


class TargetRows:
    """Turns targets into rows of numbers."""

    def __init__(self, goals: Sequence[GoalTarget], own: Vector) -> None:
        """
        Args:
            goals: in order.
            own: (k,) the goals' own targets.
        """
        self.goals, self.own, self.width = tuple(goals), own, len(own)

    def by_name(self, targets: Mapping[str, ArrayLike]) -> Vector:
        """(k,) the goals' own targets, with the given ones in their place."""
        out = np.array(self.own)
        for name, target in targets.items():
            goal = self.named(name)
            label = f"targets of {goal.label!r}"
            values = arrays.numbers(target, label, (None,) if np.ndim(target) == 1 else (4, 4), finite=False)
            if values.ndim == 2:
                values = _placements(values, label)
            if values.shape != (goal.at.stop - goal.at.start,):
                raise BadShape(f"{label} has {values.size} numbers; it needs {goal.at.stop - goal.at.start}")
            out[goal.at] = values
        return out

    def rows(self, targets: Targets, name: str = "targets") -> Matrix | None:
        """(..., k) in the form that the core needs. It may contain NaN."""
        if targets is None:
            return None
        if isinstance(targets, Mapping):
            return self.by_name(targets)
        array, count = arrays.real(targets, name), len(self.goals)
        if array.ndim >= 2 and array.shape[-2:] == (4, 4) and all(goal.placement for goal in self.goals):
            lead = array.shape[: array.ndim - (2 if count == 1 else 3)]
            if count == 1 or array.shape[-3:-2] == (count,):
                return plain(_placements(array, name).reshape(*lead, self.width))
        if array.shape[-1:] != (self.width,):
            widths = ", ".join(f"{goal.label} {goal.at.stop - goal.at.start}" for goal in self.goals)
            hint = "; a Placement takes 7 numbers (position, then quaternion w x y z) or a 4×4 matrix"
            known = hint if any(goal.placement for goal in self.goals) else ""
            raise BadShape(f"{name} has shape {array.shape}; it needs (…, {self.width}): {widths}{known}")
        return plain(array)

    def one(self, targets: Targets, name: str, call: str) -> Matrix | None:
        """(k,) the same for one row."""
        row = self.rows(targets, name)
        if row is not None and row.ndim != 1:
            raise BadShape(f"{name} has shape {row.shape}; {call} ({self.width},)")
        return row

    def named(self, name: str) -> GoalTarget:
        """The goal of a name, a label or a segment."""
        found = [goal for goal in self.goals if name in (goal.name, goal.label)]
        found = found or [goal for goal in self.goals if name in goal.segments]
        if len(found) == 1:
            return found[0]
        if found:
            labels = ", ".join(goal.label for goal in found)
            raise BadValue(f"targets: {len(found)} goals are about {name!r} ({labels}); give goals a name and use that")
        raise unknown_name("this solver", "goal", name, [goal.label for goal in self.goals])


def _placements(matrices: Matrix, name: str) -> Matrix:
    """4×4 matrices (..., 4, 4) as placements (..., 7). Those with NaN belong to goals that are not active."""
    turns, last = matrices[..., :3, :3], matrices[..., 3, :]
    whole = np.isfinite(matrices).all(axis=(-2, -1))
    bad_rows = whole & (np.abs(last - (0.0, 0.0, 0.0, 1.0)).max(axis=-1) > arrays.UNIT_TOLERANCE)
    if bad_rows.any():
        row = last[bad_rows][0].tolist()
        raise BadValue(f"{name}: the last row of a 4×4 placement is {row}; it must be 0, 0, 0, 1")
    known = turns[whole]
    off = np.abs(np.swapaxes(known, -1, -2) @ known - np.eye(3))
    if off.max(initial=0.0) > MATRIX_TOLERANCE or (np.linalg.det(known) < 0.0).any():
        raise BadValue(f"{name}: the 3×3 matrix is not a rotation; its columns must be orthonormal and right-handed")
    return np.concatenate([matrices[..., :3, 3], rotations.from_matrix(turns)], axis=-1)
