"""The heading of a figure: the points and targets of goals, for a start that faces its targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manikin import backend, rotations
from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.figure.free_root import free_root
from manikin.goals.effector import Effector
from manikin.goals.goal import FARTHEST, Goal
from manikin.reference.heading import LEAST_EFFECTORS, Heading, HeadingArrays

ARM = 0.2
"""Length of the axes of orientations, in sizes of the figure. One radian counts as this length in every problem."""


def heading_of(figure: Figure, goals: Sequence[Goal], start: Vector, movable: NDArray[np.bool_]) -> Heading | None:
    """The object that turns and moves a start to the targets of goals; None if no targets can determine a heading."""
    arrays = heading_arrays(figure, goals, start, movable)
    return None if arrays is None else backend.heading(arrays)


def heading_arrays(
    figure: Figure, goals: Sequence[Goal], start: Vector, movable: NDArray[np.bool_]
) -> HeadingArrays | None:
    """The heading as arrays; None if no targets can determine it.

    Args:
        figure: the figure to pose.
        goals: settled on the figure (`goal.on`), none an AnyOf. Those with a `point_slot` or a
            `wanted_rotation` count.
        start: (nq,) the pose to turn and move, within limits.
        movable: (nv,) steps that are allowed.
    """
    # The points and orientations that are wanted, and where their numbers are in a row of targets.
    at = np.cumsum([0, *(len(g.target) for g in goals)])
    points = [
        _Wanted(k, g.effectors[0], int(at[k]) + g.point_slot) for k, g in enumerate(goals) if g.point_slot is not None
    ]
    turns = [
        _Wanted(k, g.effectors[0], int(at[k]) + g.quaternions[0])
        for k, g in enumerate(goals)
        if g.wanted_rotation is not None
    ]
    found = dict.fromkeys(point.effector for point in points)
    effectors = {effector: k for k, effector in enumerate(found)}
    if len(effectors) < LEAST_EFFECTORS:
        return None
    # The root must move freely.
    root = free_root(figure, start)
    if root is None or not movable[root.steps].all():
        return None
    # Where the effectors are at the start.
    segments = list(dict.fromkeys(wanted.effector.segment for wanted in (*points, *turns)))
    placed = dict(zip(segments, figure.placements(start, segments), strict=True))
    up = np.array(rotations.AXES[figure.up])
    ball = len(root.turn) == 1
    return HeadingArrays(
        start=np.array(start),
        up=up,
        size=figure.size,
        arm=ARM * figure.size,
        most=FARTHEST * figure.size,
        slide=root.slide,
        to_slides=np.linalg.inv(root.slide_axes.T),
        slide_limits=np.stack([figure.lower[root.slide], figure.upper[root.slide]], axis=1),
        pivot=root.pivot,
        turn=root.turn,
        turn_axes=(root.turn_axes @ up)[None] if ball else root.turn_axes,
        turn_limits=np.stack([figure.lower[root.turn], figure.upper[root.turn]], axis=1)[: 0 if ball else 3],
        point_goal=np.array([p.goal for p in points], dtype=np.int32),
        point_target=np.array([p.target for p in points], dtype=np.int32),
        point_effector=np.array([effectors[p.effector] for p in points], dtype=np.int32),
        point=np.array([_place(placed, p.effector) for p in points]),
        axes_goal=np.array([t.goal for t in turns], dtype=np.int32),
        axes_target=np.array([t.target for t in turns], dtype=np.int32),
        axes=np.array([_axes(placed, t.effector) for t in turns]).reshape(-1, 3, 3),
    )


class _Wanted(NamedTuple):
    """A point or an orientation that a goal has as its target."""

    goal: int
    effector: Effector
    target: int
    """Index of its numbers in a row of targets."""


def _place(placed: dict[str, Matrix], effector: Effector) -> Vector:
    """(3,) position of an effector in the world."""
    at = placed[effector.segment]
    out: Vector = at[:3, :3] @ np.array(effector.offset) + at[:3, 3]
    return out


def _axes(placed: dict[str, Matrix], effector: Effector) -> Matrix:
    """(3, 3) the axes of an effector in the world."""
    segment: Matrix = placed[effector.segment][:3, :3]
    return segment @ rotations.to_matrix(np.array(effector.rotation)) if effector.turned else segment
