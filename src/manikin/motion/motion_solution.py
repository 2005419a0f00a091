"""`MotionSolution`: a motion that follows goals, with the goal errors of each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector, frozen, read_only
from manikin.motion.motion import Motion
from manikin.motion.quality import Quality
from manikin.motion.result import MotionResult
from manikin.solution import Solution

if TYPE_CHECKING:
    from manikin.goals import Goal
    from manikin.motion.clip import ClipQuestion

SLACK = 1.0 + 1e-9
"""Factor on the tolerance, for rounding."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionSolution(MotionResult):
    """The motion that `solve_motion`, `edit`, `inbetween` or `follow` found, with the goal errors of each frame."""

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
    state: dict[str, Any] = field(default_factory=dict)
    """The state from which `solve_motion(resume=…)` continues if the call was stopped."""
    solutions: tuple[Solution, ...] = ()
    """The solution of each frame, with iterations and history; of `follow` only."""

    headers: ClassVar[tuple[str, ...]] = ("goal", "frames", "reached", "mean", "worst", "in frame")

    @classmethod
    def of(
        cls, motion: Motion, question: ClipQuestion, errors: Matrix, notes: Sequence[str], **extra: Any
    ) -> MotionSolution:
        """Makes the result of a run. The rows of the question and the errors are not copied.

        Args:
            motion: the motion that was made.
            question: the settled goals; its rows are the targets that were followed.
            errors: the error of each goal in each frame, shape (frames, goals), as length or radians.
            notes: sentences about the run.
            extra: further fields of the result, such as the state from which the run continues.
        """
        n = len(motion)
        tolerances = np.array([goal.allowed for goal in question.goals])
        over = np.nan_to_num(errors, nan=0.0) > tolerances * SLACK
        return cls(
            motion=motion,
            errors=read_only(errors),
            reached=frozen(~over.any(axis=1), bool),
            eased=frozen((question.parts[:n] < 1.0) & question.active[:n], bool),
            targets=read_only(question.rows[:n]),
            goals=question.goals,
            tolerances=frozen(tolerances),
            notes=tuple(dict.fromkeys(notes)),
            complete=n == len(question.rows),
            **extra,
        )

    @property
    def met(self) -> NDArray[np.bool_]:
        """(T, goals) whether each goal is within its tolerance, or does not count."""
        return np.asarray(np.nan_to_num(self.errors) <= self.tolerances * SLACK)

    @property
    def worst(self) -> tuple[int, str, float]:
        """(frame, goal, error) of the error that is largest relative to its tolerance; (0, "", NaN) without goals."""
        if not self.errors.size:
            return 0, "", float("nan")
        ratio = np.nan_to_num(self.errors / self.tolerances, nan=-1.0)
        t, k = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        return int(t), self.goals[k].label, float(self.errors[t, k])

    @cached_property
    def quality(self) -> Quality:
        """`Motion.quality` with the errors of the goals. Computed when first read."""
        return self.motion.quality(clip=self)

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses. A value that is not known is None."""
        frame, worst, error = self.worst
        goals = [
            {
                "name": goal.label,
                "frames": len(known),
                "mean": float(known.mean()) if len(known) else None,
                "tolerance": float(allowed),
            }
            for goal, errors, allowed in zip(self.goals, self.errors.T, self.tolerances, strict=True)
            for known in (errors[np.isfinite(errors)],)
        ]
        return super().to_dict() | {
            "reached": int(self.reached.sum()),
            "missed_frames": np.flatnonzero(~self.reached).tolist(),
            "worst": {"frame": frame, "goal": worst, "error": error if np.isfinite(error) else None},
            "goals": goals,
        }

    def rows(self) -> list[tuple[str, ...]]:
        """For each goal: the frames in which it counts and is reached, mean error, worst error and its frame."""
        rows: list[tuple[str, ...]] = []
        for k, goal in enumerate(self.goals):
            errors = self.errors[:, k]
            counts = np.isfinite(errors)
            if not counts.any():
                rows.append((goal.label, "0", "", "", "", ""))
                continue
            unit = " rad" if all(goal.angular) and goal.rows else ""
            at = int(np.nanargmax(errors))
            numbers = (f"{np.nanmean(errors):.3g}{unit}", f"{errors[at]:.3g}{unit}")
            met = int((self.met[:, k] & counts).sum())
            rows.append((goal.label, str(int(counts.sum())), str(met), *numbers, str(at)))
        return rows

    def _summary(self) -> tuple[str, ...]:
        return (f"{int(self.reached.sum())} reached",)
