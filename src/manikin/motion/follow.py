"""Following: one solve after another, each from the pose that the last one found.

Theory: docs/theory/3-nonlinear-programming.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.motion.motion import Motion
from manikin.solution import Solution
from manikin.solve import solve


def follow(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    targets: ArrayLike,
    start: ArrayLike | None = None,
    method: str = "auto",
    *,
    rate: float = 30.0,
    name: str = "follow",
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Motion:
    """The motion of a figure whose goals move: the rows of `targets` are solved in order, each from the last pose.

    The member of an AnyOf that was chosen in the first row is kept, so that the motion does not jump from one to
    another; with `restarts` each row chooses anew.

    Args:
        figure: what is posed.
        goals: one or several; their own targets are replaced.
        targets: (frames, k), in each row the targets of all goals in order (`goal.target` spells each one), as `path`
            makes them; for several goals side by side (`numpy.hstack`).
        start: pose (nq,) from which the first row is solved; None as in `solve`.
        method: as in `solve`. "auto" does not start again from elsewhere here, so that the motion does not jump.
        rate: frames per second of the motion.
        name: of the motion.
        progress: called with (frames done, frames); returning False ends it, and the motion has what is done.
        options: as in `solve`.

    Returns:
        one pose for each row; a row that could not be reached has the nearest pose found. `follow_solutions` gives the
        errors too.
    """
    rate = arrays.positive(rate, "rate")
    found = follow_solutions(figure, goals, targets, start, method, progress=progress, **options)
    return Motion(figure, [solution.pose for solution in found], np.arange(len(found)) / rate, name)


def follow_solutions(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    targets: ArrayLike,
    start: ArrayLike | None = None,
    method: str = "auto",
    *,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> list[Solution]:
    """The solutions of `follow`, one for each row: poses, errors, iterations, history. Arguments as there."""
    goals = [goals] if isinstance(goals, Goal) else list(goals)
    rows = _rows(goals, targets)
    if method == "auto":
        options.setdefault("restarts", 0)
    pose = start
    found: list[Solution] = []
    for k, row in enumerate(rows):
        moved = with_targets(goals, row)
        if found and not options.get("restarts"):
            moved = [goal.alternatives[member] for goal, member in zip(moved, found[0].chosen, strict=False)]
        found.append(solve(figure, moved, pose, method, **options))
        pose = found[-1].pose
        if progress is not None and progress(k + 1, len(rows)) is False:
            break
    return found


def with_targets(goals: Sequence[Goal], row: Vector) -> list[Goal]:
    """The goals with their targets taken from one row of numbers, in order."""
    ends = np.cumsum([len(g.target) for g in goals])
    return [goal.with_target(part) for goal, part in zip(goals, np.split(row, ends[:-1]), strict=True)]


def _rows(goals: Sequence[Goal], targets: ArrayLike) -> Matrix:
    """The targets as (frames, k), checked."""
    widths = [len(g.target) for g in goals]
    rows = arrays.numbers(targets, "targets", (None, None))
    if rows.shape[1] != sum(widths):
        parts = ", ".join(f"{g.label} {w}" for g, w in zip(goals, widths, strict=True))
        raise BadShape(f"targets has shape {rows.shape}; the goals need (frames, {sum(widths)}): {parts}")
    if not len(rows):
        raise BadShape(f"targets has shape {rows.shape}; there must be at least one frame")
    return rows
