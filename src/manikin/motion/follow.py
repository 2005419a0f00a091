"""Following targets: one solve after another, each from the pose that the last one found.

Theory: docs/theory/3-nonlinear-programming.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.base.blas import one_thread
from manikin.base.progress import Progress, goes_on, require_progress
from manikin.errors import BadShape, unknown_name
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.motion.clip import ClipQuestion
from manikin.motion.motion import Motion
from manikin.motion.motion_solution import MotionSolution
from manikin.posing import solve
from manikin.solution import Solution
from manikin.solvers.native.solver import Solver

SINGLE = {"history", "pick", "settle"}
"""Options that apply to single poses only."""
OF_SOLVER = ("freeze", "only", "hold", "loops", "damping", "angle_length")
"""Options of the `Solver` itself. The others are options of its methods."""
TAKEN = ("self", "start", "targets", "before")
"""Arguments of `track` that `follow` sets."""
WHOLE = {"refine", "escape", "times", "weights", "active", "prefer", "budget", "out", "seconds"}
"""Options that need all frames in one call."""


@one_thread
def follow(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    targets: ArrayLike,
    start: ArrayLike | None = None,
    method: str = "auto",
    *,
    rate: float = 30.0,
    name: str = "follow",
    progress: Progress | None = None,
    **options: Any,
) -> MotionSolution:
    """The motion of a figure whose goals move. The rows of `targets` are solved in order, each from the last pose.

    With `method="auto"` the rows are the frames of one `Solver.track`: no joint moves faster than `max_speed`, and the
    other options of `track` are accepted too (`stay`, `prefer`, `refine`, `escape`, …). `history`, `pick` and `settle`
    apply to single poses. With one of them, or with another method, `solve` solves each row.

    The member of an AnyOf that was chosen in the first row is kept, so that the motion does not jump from one to
    another. With `restarts` a row that is missed may choose again.

    Args:
        figure: the figure to pose.
        goals: one or several. The rows of `targets` replace their targets.
        targets: (frames, k). Each row contains the targets of all goals in order (in the form of `goal.target`). `path`
            makes such rows for one goal; join several side by side with `numpy.hstack`.
        start: pose (nq,) from which the first row is solved; None as in `solve`.
        method: as in `solve`. "auto" does not restart from other poses here, so that the motion does not jump.
        rate: frames per second of the motion.
        name: name of the motion.
        progress: called with (frames done, frames). If it returns False, the motion ends with the frames done so far.
        options: as in `solve`.

    Returns:
        a `MotionSolution` with one pose for each row, and the `Solution` of each row in `solutions`. A row that could
        not be reached has the nearest pose found.
    """
    rate = arrays.positive(rate, "rate")
    require_progress(progress)
    goals = [goals] if isinstance(goals, Goal) else list(goals)
    rows = _rows(goals, targets)
    if tracks(method, options):
        options.setdefault("dt", 1.0 / rate)
        found = _tracked(figure, goals, rows, start, progress, options)
    else:
        found = _solved(figure, goals, rows, start, method, progress, options)
    motion = Motion(figure, [solution.pose for solution in found], np.arange(len(found)) / rate, name)
    counts = np.ones((len(rows), len(goals)))
    question = ClipQuestion(found[0].goals, rows[:, _followed(goals, found[0].chosen)], counts > 0.0, counts, ())
    errors = np.array([solution.errors for solution in found])
    return MotionSolution.of(motion, question, errors, found[-1].notes, solutions=tuple(found))


def _solved(
    figure: Figure,
    goals: Sequence[Goal],
    rows: Matrix,
    start: ArrayLike | None,
    method: str,
    progress: Progress | None,
    options: dict[str, Any],
) -> list[Solution]:
    """Solves row after row."""
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
        if not goes_on(progress, k + 1, len(rows)):
            break
    return found


def tracks(method: str, options: Mapping[str, Any]) -> bool:
    """Whether the rows are frames of one track. Otherwise they are solved one by one."""
    return method == "auto" and not options.keys() & SINGLE


def _tracked(
    figure: Figure,
    goals: Sequence[Goal],
    rows: Matrix,
    start: ArrayLike | None,
    progress: Progress | None,
    options: dict[str, Any],
) -> list[Solution]:
    """The frames of one track. With `progress` they are tracked one by one, which gives the same bits."""
    known = [*OF_SOLVER, *(name for name in inspect.signature(Solver.track).parameters if name not in TAKEN)]
    for name in options:
        if name not in known:
            raise unknown_name("follow with method 'auto'", "option", name, known)
    made = {name: options.pop(name) for name in OF_SOLVER if name in options}
    options = {name: value for name, value in options.items() if value is not None}
    solver = Solver(figure, goals, **made)
    if progress is None or options.keys() & WHOLE:
        found = list(solver.track(start, rows, **options))
        goes_on(progress, len(found), len(rows))
        return found
    out: list[Solution] = []
    for k, row in enumerate(rows):
        before = rows[k - 1] if k else None
        out += solver.track(out[-1].pose if out else start, row[None], before=before, **options)
        if not goes_on(progress, k + 1, len(rows)):
            break
    return out


def _followed(goals: Sequence[Goal], chosen: Sequence[int]) -> list[int]:
    """The columns of the targets that count: those of the member that was chosen, where a goal is an AnyOf."""
    columns: list[int] = []
    end = 0
    for goal, member in zip(goals, chosen, strict=True):
        for k, one in enumerate(goal.alternatives):
            columns += range(end, end + len(one.target)) if k == member else ()
            end += len(one.target)
    return columns


def with_targets(goals: Sequence[Goal], row: Vector) -> list[Goal]:
    """The goals with their targets from one row of numbers, in order."""
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
