"""Results whose motion follows goals, markers or keypoints, as pictures show them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from manikin.goals import Goal
from manikin.motion import MotionSolution
from manikin.motion.fit_result import FitResult

Followed: TypeAlias = MotionSolution | FitResult
"""They have goals, and for each frame the targets, the errors, and whether each goal is met."""


def with_goals(shown: Any) -> Followed | None:
    """The result itself if its motion follows something."""
    return shown if isinstance(shown, MotionSolution | FitResult) else None


def last_goals(solved: Followed) -> list[Goal]:
    """The goals that count in the last frame, with the targets of that frame."""
    ends = np.cumsum([0, *(len(goal.target) for goal in solved.goals)])
    rows = np.split(solved.targets[-1].ravel(), ends[1:-1])
    chosen = zip(solved.goals, rows, solved.errors[-1], strict=False)
    return [goal.with_target(row) for goal, row, error in chosen if np.isfinite(error)]
