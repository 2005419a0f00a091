"""`settled`: goals checked against a figure, with the values that depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manikin.errors import BadValue, MissingShape, warn
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.goals.goal import FARTHEST


@dataclass(frozen=True, eq=False)
class Settled:
    """Goals that were checked against a figure."""

    goals: tuple[Goal, ...]
    """The goals, with checked names, with tolerances, and with targets clipped if they are too far away."""
    notes: tuple[str, ...]
    """Changes that were made to the goals, and facts about the figure that the goals ignore."""
    unseen: tuple[str, ...]
    """Facts about the figure that the goals ignore."""


def settled(figure: Figure, goals: Sequence[Goal] | Goal) -> Settled:
    """Checks goals against a figure and fills in values that depend on it. Warns of facts that the goals ignore.

    Raises:
        BadValue: `figure` is not a Figure, a goal is not a Goal, or there are no goals.
    """
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {figure!r}; it needs a Figure, such as manikin.human()")
    if not isinstance(goals, (Goal, Iterable)):
        raise BadValue(f'goals are {goals!r}; they must be a goal such as Position("RightHand", (x, y, z)), or several')
    given = [goals] if isinstance(goals, Goal) else list(goals)
    for goal in given:
        if not isinstance(goal, Goal):
            raise BadValue(f'goals contains {goal!r}; each must be a goal such as Position("RightHand", (x, y, z))')
    if not given:
        raise BadValue("there are no goals; a problem needs at least one")
    placed = [goal.on(figure) for goal in given]
    near = tuple(goal.clipped(figure) for goal in placed)
    clipped = tuple(
        f"{goal.label}: a target farther away than {FARTHEST:g} sizes of the figure was moved to that distance"
        for goal, other in zip(placed, near, strict=True)
        if goal is not other
    )
    unseen = tuple(dict.fromkeys(note for goal in placed for note in goal.notes))
    heard = {note for goal in given for note in goal.notes}  # an earlier problem with the same goals has already warned
    for note in unseen:
        if note not in heard:
            warn(note, MissingShape)
    return Settled(near, clipped + unseen, unseen)
