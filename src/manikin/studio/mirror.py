"""The mirror image of the goals of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manikin import rotations
from manikin.figure.figure import Figure
from manikin.figure.mirror_pose import mirrored_placements
from manikin.studio.goals import SceneGoal
from manikin.studio.roles import Roles


def mirrored_goals(figure: Figure, roles: Roles, goals: Sequence[SceneGoal]) -> tuple[SceneGoal, ...]:
    """The goals of the other side. Their targets are reflected in the mirror plane of the figure."""
    return tuple(_mirrored(figure, roles, goal) for goal in goals)


def _mirrored(figure: Figure, roles: Roles, goal: SceneGoal) -> SceneGoal:
    if goal.kind == "balance":
        names, _ = mirrored_placements(figure, goal.segments, np.tile(np.eye(4), (len(goal.segments), 1, 1)))
        return replace(goal, segments=tuple(names))
    if not goal.segment:
        return goal
    at = np.eye(4)
    numbers = np.array(goal.target)
    if goal.kind == "orientation":
        at[:3, :3] = rotations.to_matrix(numbers)
    else:
        at[:3, 3] = numbers[:3]
    if goal.kind == "placement":
        at[:3, :3] = rotations.to_matrix(numbers[3:])
    if goal.kind == "plane":
        tip = at.copy()
        tip[:3, 3] += numbers[3:]
        names, both = mirrored_placements(figure, [goal.segment] * 2, np.stack([at, tip]))
        numbers = np.concatenate([both[0, :3, 3], both[1, :3, 3] - both[0, :3, 3]])
    else:
        names, images = mirrored_placements(figure, [goal.segment], at[None])
        turn = rotations.from_matrix(images[0, :3, :3])
        parts = {"orientation": [turn], "placement": [images[0, :3, 3], turn]}
        numbers = np.concatenate(parts.get(goal.kind, [images[0, :3, 3]]))
    foot = roles.foot_of(names[0])
    return replace(
        goal,
        id=goal.id.replace(goal.segment, names[0]),
        segment=names[0],
        target=tuple(float(x) for x in numbers),
        group=foot.words if goal.group and foot is not None else goal.group,
        offset=_other_local(figure, goal.segment, names[0], goal.offset),
        axis=_other_local(figure, goal.segment, names[0], goal.axis),
    )


def _other_local(
    figure: Figure, segment: str, other: str, vector: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The mirror image of a vector in a segment's own space, in the space of the other side's segment."""
    rest = {name: figure.placements(figure.rest, [name])[0] for name in (segment, other)}
    at = np.stack([rest[segment], rest[segment]])
    at[1, :3, 3] += rest[segment][:3, :3] @ np.array(vector)
    _, images = mirrored_placements(figure, [segment] * 2, at)
    x, y, z = rest[other][:3, :3].T @ (images[1, :3, 3] - images[0, :3, 3])
    return (float(x), float(y), float(z))
