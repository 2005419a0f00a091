"""The closed loops of a figure, as goals that come before all others."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from manikin import rotations
from manikin.figure.figure import Figure
from manikin.figure.loop import Loop
from manikin.goals.goal import Goal, set_field

if TYPE_CHECKING:
    from manikin.goals.relative import Relative

LENGTH = 1e-6
"""Tolerance of the distance between the two points of a loop, as a fraction of `figure.size`."""
ANGLE = 1e-5
"""Tolerance of the rotation in a loop that also fixes the orientation, in radians."""


def loop_goal(figure: Figure, loop: Loop) -> Relative:
    """The goal that closes a loop. It has the loop's name, the highest priority, and a much smaller tolerance than the
    default."""
    from manikin.goals.relative import Relative  # goals are loaded when first used

    length = LENGTH * figure.size
    return Relative(
        loop.segment,
        loop.to,
        (0.0, 0.0, 0.0, *(loop.rotation or rotations.IDENTITY)),
        orientation=loop.holds_turn,
        offset=loop.offset,
        to_offset=loop.to_offset,
        tolerance=(length, ANGLE) if loop.holds_turn else length,
        name=loop.name,
    )


def with_loops(figure: Figure, goals: Sequence[Goal] | Goal) -> Sequence[Goal]:
    """The goals, followed by one goal at priority 0 for each loop of the figure.

    The given goals move from priority 0 to 1, from 1 to 2, and so on, so that no goal can break a loop. A loop that is
    already among the goals (as in the goals of a solution) is not added again. Anything that is not a goal is left for
    `Problem` to reject.
    """
    if not isinstance(goals, (Goal, Iterable)):
        return goals
    given: list[Goal] = [goals] if isinstance(goals, Goal) else list(goals)
    if not isinstance(figure, Figure) or not figure.loops or not all(isinstance(g, Goal) for g in given):
        return given
    loops = {loop.name: loop for loop in figure.loops}
    kept = [_keeps(goal, loops) for goal in given]
    there = {goal.name for goal, keeps in zip(given, kept, strict=True) if keeps}
    shift = any(goal.priority == 0 for goal, keeps in zip(given, kept, strict=True) if not keeps)
    own = [_lowered(g) if shift and not keeps else g for g, keeps in zip(given, kept, strict=True)]
    return [*own, *(loop_goal(figure, loop) for loop in figure.loops if loop.name not in there)]


def keeps_loop(figure: Figure, goal: Goal) -> bool:
    """Whether a goal closes a loop of a figure."""
    return bool(figure.loops) and _keeps(goal, {loop.name: loop for loop in figure.loops})


def _keeps(goal: Goal, loops: dict[str, Loop]) -> bool:
    """Whether a goal closes one of these loops."""
    from manikin.goals.relative import Relative

    if not isinstance(goal, Relative) or goal.name not in loops:
        return False
    loop = loops[goal.name]
    return (goal.segment, goal.to, goal.priority) == (loop.segment, loop.to, 0)


def _lowered(goal: Goal) -> Goal:
    """The goal at the next priority. This is a copy, not `replace`, because user-defined goals may have other
    constructors."""
    lowered = copy.copy(goal)
    set_field(lowered, "priority", goal.priority + 1)
    return lowered
