"""What other rooms ask of a goal, with the answer of a goal that has nothing special to say.

Solvers, reports and pictures ask the goal instead of looking at its class, so a new goal is one file: it answers the
questions that apply to it and inherits the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector

if TYPE_CHECKING:
    from manikin.goals.goal import Goal, Reading
    from manikin.goals.native_terms import Term


class Capabilities:
    """Questions about a goal settled on a figure (`goal.on`), and their default answers."""

    # The numbers of the target

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Where the quaternions of `target` start."""
        return ()

    @property
    def directions(self) -> tuple[int, ...]:
        """Where the directions of `target` start, three numbers each of any length above 0."""
        return ()

    @property
    def point_slot(self) -> int | None:
        """Where x, y, z of `wanted_point` start in `target`; None where they are not there in this order."""
        return None

    # Where the first effector should be

    @property
    def wanted_point(self) -> tuple[Vector, NDArray[np.bool_]] | None:
        """(3,) the one point of the world where the effector should be, and (3,) which of its coordinates count.

        None where there is no such point.
        """
        return None

    @property
    def wanted_rotation(self) -> Vector | None:
        """(4,) how the effector's segment should be turned, wxyz, to world from local. None where that is open."""
        return None

    @property
    def halves(self) -> tuple[Goal, Goal] | None:
        """Its position and its orientation as two goals, where it asks for both of one effector; else None."""
        return None

    def distance_from(self, point: Vector) -> float | None:
        """How far from a point (3,) of the world the effector must at least be to meet the goal; None if unknown."""
        if self.wanted_point is None:
            return None
        target, counts = self.wanted_point
        return float(np.linalg.norm((target - point)[counts]))

    @property
    def span(self) -> float | None:
        """How far apart its two effectors must at least be, length. None where the goal does not ask for that."""
        return None

    def met_by(self, reading: Reading, margin: float = 0.0) -> Goal | None:  # noqa: ARG002 (for those that have one)
        """The same goal with the nearest target that a reading meets; None where there is no target to move.

        Args:
            reading: what the goal reads of a pose.
            margin: how much farther than needed a position moves, length.
        """
        return None

    # The native solver

    def native_terms(self) -> Sequence[Term]:
        """What the native solver is given for this goal.

        A class that does not define this itself is solved in Python, even if a base class defines it: its error may
        be another one.
        """
        raise NotImplementedError(f"{type(self).__name__} is solved in Python")

    # Pictures and reports

    @property
    def whole_figure(self) -> bool:
        """Whether it holds the figure as a whole, as balance does, rather than pull an effector somewhere."""
        return False

    @property
    def traced(self) -> bool:
        """Whether a picture of a motion shows the path of its effectors."""
        return False
