"""The result of `solve_motion`, `edit` and `inbetween`: a motion, and the goal errors of each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector, frozen, read_only
from manikin.base.names import stacked
from manikin.figure.html_table import html_table
from manikin.motion.motion import Motion

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.goals import Goal
    from manikin.motion.clip import ClipQuestion
    from manikin.motion.quality import Quality

SLACK = 1.0 + 1e-9
"""Factor on the tolerance, for rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class MotionSolution:
    """The motion that `solve_motion`, `edit` or `inbetween` found, with the goal errors of each frame."""

    motion: Motion
    """The frames that are done. These are all frames, unless the call was stopped."""
    errors: Matrix
    """(T, goals) one number for each goal, in lengths or radians; NaN if a goal does not count."""
    reached: NDArray[np.bool_]
    """(T,) whether every goal that counts is within its tolerance."""
    eased: NDArray[np.bool_]
    """(T, goals) whether a target is eased: it is between the effector's position without the goal and the goal's own
    target."""
    targets: Matrix
    """(T, k) the targets that were followed, after smoothing, bridging and easing; the goals are side by side."""
    goals: tuple[Goal, ...]
    """The goals, in the order of the columns."""
    tolerances: Vector
    """(goals,) the largest error that counts as reached."""
    notes: tuple[str, ...]
    """Sentences about the input and the result."""
    complete: bool = True
    """False if the call was stopped; `resume=` continues it."""
    state: dict[str, Any] = field(default_factory=dict)
    """The state from which `resume=` continues."""

    @staticmethod
    def of(
        motion: Motion, question: ClipQuestion, errors: Matrix, notes: Sequence[str], state: dict[str, Any]
    ) -> MotionSolution:
        """Makes the result of a run. The rows of the question and the errors are not copied.

        Args:
            motion: the motion that was made.
            question: the settled goals; its rows are the targets that were followed.
            errors: the error of each goal in each frame, shape (frames, goals), as length or radians.
            notes: sentences about the run.
            state: the state from which the run continues.
        """
        n = len(motion)
        tolerances = np.array([goal.allowed for goal in question.goals])
        over = np.nan_to_num(errors, nan=0.0) > tolerances * SLACK
        return MotionSolution(
            motion,
            read_only(errors),
            frozen(~over.any(axis=1), bool),
            frozen((question.parts[:n] < 1.0) & question.active[:n], bool),
            read_only(question.rows[:n]),
            question.goals,
            frozen(tolerances),
            tuple(dict.fromkeys(notes)),
            n == len(question.rows),
            state,
        )

    @property
    def worst(self) -> tuple[int, str, float]:
        """(frame, goal, error) of the error that is largest relative to its tolerance; (0, "", NaN) without goals."""
        if not self.errors.size:
            return 0, "", float("nan")
        ratio = np.nan_to_num(self.errors / self.tolerances, nan=-1.0)
        t, k = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        return int(t), self.goals[k].label, float(self.errors[t, k])

    def quality(self, figure: Figure | None = None, *, floor: float | None = None) -> Quality:
        """`Motion.quality` with the errors of the goals.

        Args:
            figure, floor: as in `Motion.quality`.
        """
        return self.motion.quality(figure, clip=self, floor=floor)

    def __repr__(self) -> str:
        part = "" if self.complete else ", stopped"
        return f"<MotionSolution: {int(self.reached.sum())} of {len(self.reached)} frames reached{part}>"

    def __str__(self) -> str:
        """A table with one row for each goal: frames in which it counts and is reached, mean error and worst error."""
        rows = [("goal", "frames", "reached", "mean", "worst", "in frame"), *self._rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        lines = ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        lines.insert(1, "  " + "─" * (sum(widths) + 2 * len(widths) - 2))
        return stacked([self._headline(), *lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        headers = ("goal", "frames", "reached", "mean", "worst", "in frame")
        return html_table(self._headline(), headers, self._rows(), self.notes)

    def _headline(self) -> str:
        frames = len(self.reached)
        stopped = "" if self.complete else "; stopped before the end"
        return f"{self.motion.name}: {int(self.reached.sum())} of {frames} frames meet their goals{stopped}"

    def _rows(self) -> list[tuple[str, str, str, str, str, str]]:
        rows = []
        for k, goal in enumerate(self.goals):
            errors = self.errors[:, k]
            counts = np.isfinite(errors)
            if not counts.any():
                rows.append((goal.label, "0", "", "", "", ""))
                continue
            unit = " rad" if all(goal.angular) and goal.rows else ""
            met = int((errors[counts] <= self.tolerances[k] * SLACK).sum())
            at = int(np.nanargmax(errors))
            numbers = (f"{np.nanmean(errors):.3g}{unit}", f"{errors[at]:.3g}{unit}")
            rows.append((goal.label, str(int(counts.sum())), str(met), *numbers, str(at)))
        return rows
