"""`Question` and `History`: the input of a method, and a record of its iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal

if TYPE_CHECKING:
    from manikin.solution.solution import Solution


@dataclass(frozen=True, eq=False)
class History:
    """A record of the k iterations; row 0 is the start."""

    errors: Matrix
    """(k, goals) error of each goal before the step, in lengths or radians."""
    step_norms: Vector
    """(k,) ‖dθ‖ of the step from this pose, in radians (slides in sizes of the figure); 0 in the last row."""
    damping: Vector
    """(k,) the damping λ, in lengths per radian; 0 for methods without damping."""
    condition_numbers: Vector
    """(k,) (σ₁² + λ²)/(σₘ² + λ²) of the Jacobian, with m the smaller of its number of rows and columns; infinite at a
    singular pose without damping."""
    active_limits: tuple[tuple[str, ...], ...]
    """(k,) names of the limits that the pose touched."""


@dataclass(frozen=True, eq=False)
class Question:
    """The input of a method: everything that a solution knows besides its result."""

    figure: Figure
    goals: tuple[Goal, ...]
    """The goals as they were solved: tolerances filled in, each AnyOf replaced by the member that was chosen."""
    method: str
    movable: NDArray[np.bool_] | None = None
    """(nv,) the steps that could change; None means all."""
    notes: tuple[str, ...] = ()
    """Sentences about the input."""

    def goals_of(self, _: Solution) -> tuple[Goal, ...]:
        """The goals of a solution."""
        return self.goals
