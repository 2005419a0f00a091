"""Goals that are farther away than numbers can follow, drawn in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from manikin.figure.figure import Figure
from manikin.goals.any_of import AnyOf
from manikin.goals.custom import Custom
from manikin.goals.distance import Distance
from manikin.goals.goal import Goal

FARTHEST = 1e12
"""Sizes of the figure. Squares of what is farther swallow every step of a joint, and in the end overflow."""


def drawn_in(goal: Goal, figure: Figure) -> Goal:
    """The goal, settled on a figure, with all that it names farther away than `FARTHEST` put there: each coordinate of
    targets, of the point of a Distance and of offsets. The goal itself where there is none. What the numbers of a
    Custom are its functions alone know."""
    if isinstance(goal, AnyOf):
        members = tuple(drawn_in(member, figure) for member in goal.members)
        kept = all(a is b for a, b in zip(members, goal.members, strict=True))
        return goal if kept else goal._with(members, settled=True)
    far = FARTHEST * max(figure.size, 1.0)  # above 1, so that no part of a quaternion or a direction is touched
    changes: dict[str, Any] = {}
    for name in ("offset", "to_offset"):
        point = np.asarray(getattr(goal, name, 0.0))
        if np.abs(point).max() > far:
            changes[name] = tuple(np.clip(point, -far, far))
    if isinstance(goal, Distance) and not isinstance(goal.to, str) and np.abs(goal.to).max() > far:
        changes["to"] = np.clip(goal.to, -far, far)
    if changes:
        goal = replace(goal, **changes)
    target = goal.target
    if not isinstance(goal, Custom) and np.abs(target).max(initial=0.0) > far:
        goal = goal.with_target(np.clip(target, -far, far))
    return goal
