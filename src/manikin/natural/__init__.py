"""Natural poses: predicts the pose of a whole body from a few of its effectors. See docs/design/natural.md.

This file has only the public function, so that `import manikin` stays light. `start` has the implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manikin.arrays import Vector
    from manikin.figure.figure import Figure
    from manikin.goals import Goal

__all__ = ["NATURAL", "natural"]

NATURAL = "natural"
"""The value of `start` or `prefer` that means a natural start."""


def natural(figure: Figure, goals: Sequence[Goal] | Goal, floor: float | None = None) -> Vector:
    """Predicts a pose (nq,) in which a person would reach these goals. `start="natural"` starts from this pose.

    A neural network predicts the whole body from the positions and orientations of head, hands, feet and pelvis, or of
    some of them. It was trained on recordings of people (docs/design/natural.md). It reads only the targets of
    `Position`, `Orientation` and `Placement` goals, and of `Aim` goals of the head. The pose is within the joint
    limits. It reaches the goals only approximately.

    Args:
        figure: a person with a free root, whose parts are recognised by their names.
        goals: at least one goal must give the position of one of these effectors.
        floor: height of the floor along `figure.up`, in the figure's unit; None if it is not known.

    Raises:
        BadValue: the figure is not a person, or no goal gives the position of an effector. The message names what is
        missing.

    Example:
        >>> import manikin as mk
        >>> person = mk.human()
        >>> pose = mk.natural(person, [mk.Position("Head", (0, 1.2, 0)), mk.Position("LeftHand", (0.3, 1.0, 0.4))])
        >>> person.violation(pose)
        0.0
    """
    from manikin.natural.start import natural_pose

    return natural_pose(figure, goals, floor)
