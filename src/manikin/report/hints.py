"""Likely mistakes in the input that the answer shows: numbers in the wrong unit, a body that moved away.

`Solution.notes` and `Solutions.notes` compute the hints when they are read, so a solve does not pay for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points, Poses, Vector
from manikin.figure.figure import Figure
from manikin.figure.free_root import free_root
from manikin.reference.heading import LEAST_EFFECTORS

if TYPE_CHECKING:
    from manikin.solution import Solution, Solutions

FAR = 10.0
"""A target farther from the figure than this, in sizes of the figure, is probably in another unit."""
DEGREES = 4.0 * np.pi
"""Angles above this (radians), or outside their limits by more, are probably degrees. Recorded motion seldom turns a
joint more than twice around."""


class Wanted(NamedTuple):
    """The target position of a goal."""

    name: str
    segment: str
    points: Points
    """(B, 3) or (1, 3), world."""
    counts: NDArray[np.bool_]
    """(3,) whether each coordinate counts."""


def of_solution(solution: Solution) -> tuple[str, ...]:
    """The hints of one solution."""
    wanted = []
    for goal in solution.goals:
        if goal.wanted_point is not None and goal.weight > 0.0:
            point, counts = goal.wanted_point
            wanted.append(Wanted(goal.label, goal.effectors[0].segment, point[None], counts))
    excess = np.array([solution.start_violation])
    return _hints(solution.figure, solution.start[None], solution.pose[None], wanted, excess, follows=False)


def of_solutions(solutions: Solutions) -> tuple[str, ...]:
    """The hints of many solutions. Each hint says how many rows it concerns."""
    if not len(solutions):
        return ()
    owner = solutions._owner
    figure: Figure = owner.figure
    wanted = []
    if solutions._targets is not None:
        rows = np.atleast_2d(solutions._targets)
        for goal, (_, at) in zip(owner.goals, owner.target_layout, strict=False):
            if goal.point_slot is not None and goal.weight > 0.0:
                first = at.start + goal.point_slot
                segment, points = goal.effectors[0].segment, rows[:, first : first + 3]
                wanted.append(Wanted(goal.label, segment, points, np.ones(3, dtype=bool)))
    starts = solutions._starts
    if starts is None and len(wanted) >= LEAST_EFFECTORS:
        return ()  # every row started near its targets
    follows = starts is not None and starts.ndim == 1  # a track has one start
    starts = figure.rest if starts is None else starts
    excess = solutions.start_violation
    return _hints(figure, np.atleast_2d(starts), solutions.poses, wanted, excess, follows)


def _hints(
    figure: Figure, starts: Poses, poses: Poses, wanted: Sequence[Wanted], excess: Vector, follows: bool
) -> tuple[str, ...]:
    """
    Args:
        figure: the posed figure.
        starts: (B, nq) or (1, nq).
        poses: (B, nq) poses that were found.
        wanted: the target positions of the goals.
        excess: (B,) by how much each start was outside its limits.
        follows: whether each row started where the previous one ended, as in a track.
    """
    root = next((s.name for s in figure.segments if s.joint.nq), figure.segment_names[0])
    begin: Points = figure.placements(starts, [root])[:, 0, :3, 3]
    ended: Points = figure.placements(poses, [root])[:, 0, :3, 3]
    before = np.concatenate([begin[:1], ended[:-1]]) if follows else begin
    out = [*_degrees(figure, starts, excess)]
    far = []
    for name, _, points, counts in wanted:
        away = np.minimum(*(np.linalg.norm((points - from_)[:, counts], axis=1) for from_ in (begin, before)))
        away = away[np.isfinite(away)] / figure.size
        if np.any(away > FAR):
            far.append((name, float(away.max()), int(np.sum(away > FAR)), len(away)))
    if far:
        name, most, count, rows = max(far, key=lambda f: f[1])
        also = "" if rows == 1 else f", in {count} of {rows} rows"
        out.append(
            f"the target of {name} is {most:.0f} times the figure's size ({_length(figure.size, figure)}) away from "
            f"it{also}; {_unit_question(figure)}"
        )
    elif len(wanted) == 1 and wanted[0].segment != root and free_root(figure, starts[0]) is not None:
        moved = np.minimum(*(np.linalg.norm(ended - from_, axis=1) for from_ in (begin, before)))
        if np.any(moved > figure.size):
            out.append(
                f"the whole figure moved by {_length(float(moved.max()), figure)}, more than its size "
                f"({_length(figure.size, figure)}), because no goal holds it in place: keep its feet with "
                "Placement goals, or "
                f"freeze={[figure.segment(root).joint.name]!r}"
            )
    return tuple(out)


def _degrees(figure: Figure, starts: Poses, excess: Vector) -> Sequence[str]:
    """Whether a start holds degrees: angles of several turns, or a joint limit exceeded by as much."""
    layout = figure.layout
    angles = np.array(sorted(layout.angular), dtype=int)
    if not len(angles):
        return []
    largest = np.abs(starts[:, angles]).max(axis=0)
    limited = np.isfinite(layout.lower) | np.isfinite(layout.upper)
    limited[angles] = False  # only lengths are left; in other units than metres they may be far outside their limits
    brought_in = bool(np.max(excess, initial=0.0) > DEGREES) and (not limited.any() or figure.unit == 1.0)
    if not np.any(largest > DEGREES) and not brought_in:
        return []
    k = int(np.argmax(largest))
    where = f" ({layout.names[angles[k]]} is {largest[k]:.4g})" if largest[k] > DEGREES else ""
    return [f"the start pose holds numbers that look like degrees{where}; angles are in radians: np.radians(…)"]


def _length(value: float, figure: Figure) -> str:
    return f"{value:.3g}" if figure.unit is None else f"{value * figure.unit:.3g} m"


def _unit_question(figure: Figure) -> str:
    if figure.unit is None:
        return "are both in the same unit?"
    if figure.unit == 1.0:
        return "the figure is in metres: are these centimetres?"
    return f"one length of the figure is {figure.unit:g} m: are these in another unit?"
