"""A figure as flat arrays: the input of the native core and of its NumPy twin.

A joint with several numbers is a sequence of *nodes*, each with one elementary motion: fixed, a slide along an axis, a
turn about an axis, or a ball (a quaternion). A segment is the last node of its joint. Parents come before children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Points, Poses, Rotations, Vector

FIXED, SLIDE, TURN, BALL = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Tree:
    """World placement of node i: that of its parent, times (rotation_i, offset_i), times the motion of node i."""

    parent: Indices
    """(N,) index of the parent node, −1 for the root; always less than the node's own index."""
    kind: Indices
    """(N,) FIXED, SLIDE, TURN or BALL."""
    rotation: Rotations
    """(N, 3, 3) constant rotation before the motion, to the parent node from here."""
    offset: Points
    """(N, 3) position of the node in the space of its parent node, length."""
    axis: Points
    """(N, 3) unit axis of a slide or turn in the node's own space; zeros for other kinds."""
    number: Indices
    """(N,) index in q of the node's first number, −1 where fixed."""
    step: Indices
    """(N,) index in v of the node's first step, −1 where fixed; coupled nodes share the step of their source."""
    ratio: Vector
    """(N,) dq/dv of the node: 1, or the ratio of a coupling."""
    shift: Vector
    """(N,) constant term of a coupling, q = ratio · q_source + shift."""
    source: Indices
    """(N,) index in q of the number that a coupled node follows, −1 if it is not coupled."""
    segment: Indices
    """(S,) node of each segment."""
    mass: Vector
    """(S,) mass of each segment."""
    center: Points
    """(S, 3) centre of mass of each segment in its own space, length."""
    nq: int
    """Number of numbers in a pose."""
    nv: int
    """Number of numbers in a step."""

    def arrays(self) -> dict[str, Any]:
        """The arrays by name, for the native core."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


def follow(tree: Tree, q: Poses) -> Poses:
    """Sets coupled numbers of poses (..., nq) from their sources, in place."""
    for i in np.flatnonzero(tree.source >= 0):
        q[..., tree.number[i]] = tree.ratio[i] * q[..., tree.source[i]] + tree.shift[i]
    return q


def ancestors(tree: Tree, node: int) -> list[int]:
    """The nodes from the root to `node`, both included."""
    path = []
    while node >= 0:
        path.append(node)
        node = int(tree.parent[node])
    return path[::-1]


def world_nodes(tree: Tree, q: Matrix) -> tuple[Rotations, Points]:
    """World rotation (B, N, 3, 3) and origin (B, N, 3) of every node in poses q of shape (B, nq)."""
    count = len(tree.parent)
    R = np.zeros((len(q), count, 3, 3))
    p = np.zeros((len(q), count, 3))
    for i in range(count):
        if tree.parent[i] < 0:
            R[:, i], p[:, i] = tree.rotation[i], tree.offset[i]
        else:
            R_parent = R[:, tree.parent[i]]
            R[:, i] = R_parent @ tree.rotation[i]
            p[:, i] = p[:, tree.parent[i]] + R_parent @ tree.offset[i]
        k = tree.number[i]
        if tree.kind[i] == SLIDE:
            p[:, i] += (R[:, i] @ tree.axis[i]) * q[:, k, None]
        elif tree.kind[i] == TURN:
            R[:, i] = R[:, i] @ rotations.to_matrix(rotations.from_axis_angle(tree.axis[i], q[:, k]))
        elif tree.kind[i] == BALL:
            R[:, i] = R[:, i] @ rotations.to_matrix(q[:, k : k + 4])
    return R, p
