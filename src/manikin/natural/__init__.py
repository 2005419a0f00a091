"""Poses as people take them: the rest of a body from a few of its effectors. See docs/design/natural.md.

Here is only the function, so that `import manikin` stays light; the work is in `start`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manikin.arrays import Vector
    from manikin.figure.figure import Figure
    from manikin.goals import Goal

__all__ = ["natural"]


def natural(figure: Figure, goals: Sequence[Goal] | Goal, floor: float | None = None) -> Vector:
    """The pose (nq,) in which a person would reach about these goals: what `start="natural"` starts from.

    A net that was trained on recorded people fills in the body from the places and orientations of head, hands, feet
    and pelvis, or any of them. Only the targets of `Position`, `Orientation` and `Placement` are read. The pose is
    within its limits; it meets the goals only roughly. What was learned from whom: docs/design/natural.md.

    Args:
        figure: a person whose parts are recognised by their names, with a free root.
        goals: at least one with the place of one of the effectors.
        floor: height of the floor along `figure.up`, in the figure's unit; None where it is not known.

    Raises:
        BadValue: where the figure is no person, or no goal says where an effector is; the message names what is
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
