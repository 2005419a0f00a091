"""Questions that other packages ask about a goal, with default answers.

Solvers, reports and pictures call these methods and do not test the class of a goal. So a new goal is one file: it
overrides the methods that apply to it and inherits the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector

if TYPE_CHECKING:
    from manikin.goals.goal import Goal, Reading
    from manikin.goals.native_terms import Term
    from manikin.goals.robust import Robust


class Capabilities:
    """Queries about a goal settled on a figure (`goal.on`), and their default answers."""

    priority: int

    # Its level

    @property
    def rank(self) -> int:
        """Where the goal comes in the order of levels; the smallest comes first. Each priority number has two levels:
        first the goals that count before the others of their number, such as `Clearance`, then all others."""
        return 2 * self.priority + 1

    def weighed(self) -> Goal:
        """The goal at the second level of its priority number, where weights balance it with others."""
        return cast("Goal", self)

    # The numbers of the target

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Indices in `target` at which quaternions start."""
        return ()

    @property
    def directions(self) -> tuple[int, ...]:
        """Indices in `target` at which directions start. A direction is three numbers of any length above 0."""
        return ()

    @property
    def point_slot(self) -> int | None:
        """Index in `target` at which the x, y, z of `wanted_point` start; None if they are not in `target`."""
        return None

    # Where the first effector should be

    @property
    def wanted_point(self) -> tuple[Vector, NDArray[np.bool_]] | None:
        """(3,) the one point of the world where the effector should be, and (3,) whether each coordinate counts.

        None if there is no such point.
        """
        return None

    @property
    def wanted_rotation(self) -> Vector | None:
        """(4,) desired rotation of the effector's segment, wxyz, to world from local. None if any rotation is
        allowed."""
        return None

    @property
    def aimed_axis(self) -> Vector | None:
        """(3,) axis in the segment's space that should point at the point or along the direction in `target`. None if
        the goal aims no axis."""
        return None

    @property
    def halves(self) -> tuple[Goal, Goal] | None:
        """The position and the orientation as two goals, if the goal has both for one effector; else None."""
        return None

    def distance_from(self, point: Vector) -> float | None:
        """Distance from a point (3,) of the world to the nearest effector position that meets the goal, length.

        None if it is not known.

        Args:
            point: the point, shape (3,), in the world, length.
        """
        if self.wanted_point is None:
            return None
        target, counts = self.wanted_point
        return float(np.linalg.norm((target - point)[counts]))

    @property
    def span(self) -> float | None:
        """Least distance that the goal requires between its two effectors, length; None if it requires none."""
        return None

    def met_by(self, reading: Reading, margin: float = 0.0) -> Goal | None:  # noqa: ARG002 (for those that have one)
        """A copy whose target is moved, as little as possible, so that a reading meets it; None if no target can move.

        Args:
            reading: the reading of a pose.
            margin: length by which a target position is moved further in the same direction.
        """
        return None

    # The native solver

    def native_terms(self) -> Sequence[Term]:
        """The terms of this goal for the native solver.

        A class that does not define this method itself is evaluated in Python, even if a base class defines it, because
        its error may differ.
        """
        raise NotImplementedError(f"{type(self).__name__} is evaluated in Python")

    @property
    def robust(self) -> Robust | None:
        """The loss that reduces the pull of far targets (`goals.robust`); None: the square of the error."""
        return None

    # Pictures and reports

    @property
    def whole_figure(self) -> bool:
        """Whether the goal constrains the figure as a whole, as balance does, instead of moving an effector."""
        return False

    @property
    def traced(self) -> bool:
        """Whether a picture of a motion shows the paths of the goal's effectors."""
        return False
