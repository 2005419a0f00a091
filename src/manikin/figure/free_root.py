"""The free root of a figure: a joint at its top that moves and turns the whole figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Indices, Matrix, Vector
from manikin.figure.figure import Figure
from manikin.reference.tree import BALL, FIXED, SLIDE, TURN

LEAST_VOLUME = 1e-3
"""Three axes (unit vectors) whose volume is less than this are in one plane."""


@dataclass(frozen=True, eq=False)
class FreeRoot:
    """Three slides, then a ball or three angles. World coordinates are those of one pose."""

    slide: Indices
    """(3,) indices in q of the slides."""
    slide_axes: Matrix
    """(3, 3) rows: their axes in the world."""
    pivot: Vector
    """(3,) the point about which it turns, in the world."""
    turn: Indices
    """(1,) index in q of the quaternion, or (3,) of the angles."""
    turn_axes: Matrix
    """(3, 3) rows: axes in the world; of a ball at the identity, of angles at 0."""
    steps: Indices
    """(6,) indices in v."""


def free_root(figure: Figure, q: Vector) -> FreeRoot | None:
    """The free root of a figure in a pose (nq,); None if it has none.

    It is above every other joint and is not coupled to any joint. A ball must have no limits. Slides and angles may
    have limits.
    """
    tree, nodes = figure.layout.tree, _trunk(figure)
    moving = [i for i in nodes if tree.kind[i] != FIXED]
    kinds = [int(tree.kind[i]) for i in moving]
    ball = kinds == [SLIDE] * 3 + [BALL]
    if not ball and kinds != [SLIDE] * 3 + [TURN] * 3:
        return None
    numbers, steps = tree.number[moving], tree.step[moving]
    if np.any(tree.source[moving] >= 0) or np.any(numbers[:, None] == tree.source):
        return None
    if ball and _limited(figure, int(numbers[3])):
        return None
    # Slides have their values of the pose; all turns are 0.
    axes, places = [], []
    R, p = np.eye(3), np.zeros(3)
    for i in nodes:
        p, R = p + R @ tree.offset[i], R @ tree.rotation[i]
        if tree.kind[i] == SLIDE:
            p = p + R @ tree.axis[i] * q[tree.number[i]]
        if tree.kind[i] in (SLIDE, TURN):
            axes.append(R @ tree.axis[i])
        if tree.kind[i] in (TURN, BALL):
            places.append(p)
    if ball:
        axes.extend(R.T)
        steps = np.concatenate([steps[:3], steps[3] + np.arange(3)])
    slides, turns = np.array(axes[:3]), np.array(axes[3:])
    if abs(np.linalg.det(slides)) < LEAST_VOLUME or not _makes_any_turn(turns) or np.ptp(places, axis=0).any():
        return None
    return FreeRoot(numbers[:3], slides, places[0], numbers[3:], turns, steps)


def _trunk(figure: Figure) -> list[int]:
    """The nodes from the top down to a ball, to six moving nodes, or to a branch or end of the figure."""
    tree = figure.layout.tree
    below = np.bincount(tree.parent + 1, minlength=len(tree.parent) + 1)  # children of the world and of each node
    nodes: list[int] = []
    node, moving = -1, 0
    while below[node + 1] == 1 and moving < 6 and (node < 0 or tree.kind[node] != BALL):
        node = int(np.flatnonzero(tree.parent == node)[0])
        nodes.append(node)
        moving += tree.kind[node] != FIXED
    return nodes


def _limited(figure: Figure, number: int) -> bool:
    """Whether the ball at this number of a pose has limits. A cone that allows every rotation is not a limit."""
    cones = figure.layout.cones
    own = cones.number == number
    whole = np.all(cones.swing >= np.pi, axis=1) & (cones.twist[:, 1] - cones.twist[:, 0] >= 2.0 * np.pi)
    return bool(np.any(own & ~whole))


def _makes_any_turn(axes: Matrix) -> bool:
    """Whether successive turns about three axes make any rotation: each axis is perpendicular to the one before."""
    return bool(abs(axes[0] @ axes[1]) < LEAST_VOLUME and abs(axes[1] @ axes[2]) < LEAST_VOLUME)
