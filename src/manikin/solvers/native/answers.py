"""The results of native calls that are not a `Solution`, and what a pickled solution keeps of its goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.goals import AnyOf, Goal
from manikin.solution import Question, Solution

Watch = Callable[[Vector, float, float, float, int, bool], object]
"""Called with the pose before a step, its cost (length²), the damping λ (lengths per radian), the norm of the step
(radians and sizes), the number of the iteration, and whether the step was taken."""
STAGES = (1e2, 1e4)
"""Weight of a priority level relative to the next one, in two stages (cpp/solve/query/levels.cpp)."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The result of `Compiled.run` for B rows."""

    pose: Matrix
    """(B, nq)"""
    errors: Matrix
    """(B, goals) in lengths or radians; 0 for goals that do not count."""
    status: NDArray[np.int32]
    """(B,) 0 reached, 1 stalled, 2 out of iterations, 3 out of time."""
    iterations: NDArray[np.int32]
    """(B,)"""
    starts: NDArray[np.int32]
    """(B,)"""


class Uncompiled(Question):
    """The question of a solution that was pickled."""

    def goals_of(self, solution: Solution) -> tuple[Goal, ...]:
        """The goals as they were solved."""
        pairs = zip(self.goals, solution.chosen, strict=True)
        return tuple(goal.members[k] if isinstance(goal, AnyOf) else goal for goal, k in pairs)
