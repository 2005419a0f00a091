"""The nodes of a glTF file: a forest. Each node has a translation, a rotation and a stretch relative to its parent.

The matrix of a node is decomposed in the same way: M = T R B. If the columns of M are perpendicular, B = diag(scale).
Otherwise M is skewed, and B is the symmetric factor of its polar decomposition, so that nothing of M is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import listing
from manikin.files.gltf.document import Document

MOST_NODES = 100_000
"""Largest number of nodes that are read."""
SKEWED = 1e-5
"""A matrix is skewed if the cosine between two columns exceeds this. Smaller values are rounding."""
ORIGIN, UPRIGHT, PLAIN = arrays.frozen(np.zeros(3)), arrays.frozen(rotations.IDENTITY), arrays.frozen(np.eye(3))
"""Default translation, rotation and stretch of a node."""
REST = "manikin rest"
"""Extra data of a node: its translation and rotation in the rest pose, if these are not those of the node."""
UNIT = 1e-3
"""A note reports a rotation whose length differs from 1 by more than this. Smaller differences are rounding."""


@dataclass(frozen=True, eq=False)
class Node:
    """One node of the file."""

    index: int
    name: str
    """The name in the file; empty if it has none."""
    parent: int
    """−1 for a root."""
    children: tuple[int, ...]
    translation: Vector
    """(3,)"""
    rotation: Vector
    """(4,) wxyz, length 1."""
    stretch: Matrix
    """(3, 3) B: diagonal with the scale, or a full matrix if the matrix of the node is skewed."""
    has_matrix: bool
    """Whether the file gives it as a matrix. An animated node must not have one."""
    skinned: bool
    """Whether it has a skin. Its placement then has no effect, because the joints of the skin place its mesh."""

    @property
    def label(self) -> str:
        return f"node {self.index} {self.name!r}" if self.name else f"node {self.index}"

    @property
    def scale(self) -> Vector:
        """(3,) the diagonal of the stretch."""
        return np.diagonal(self.stretch)

    @property
    def skewed(self) -> bool:
        """Whether its stretch is more than a scale along its axes."""
        return bool(np.abs(self.stretch - np.diag(self.scale)).max() > 0.0)


@dataclass(frozen=True, eq=False)
class Forest:
    """All nodes."""

    nodes: tuple[Node, ...]
    scene: tuple[int, ...]
    """Roots of the displayed scene; all roots if there is no scene."""

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All nodes in file order, with parents first and branches together."""
        waiting = [n.index for n in reversed(self.nodes) if n.parent < 0]
        order: list[int] = []
        while waiting:
            order.append(waiting.pop())
            waiting += reversed(self.nodes[order[-1]].children)
        return tuple(order)

    def below(self, tops: tuple[int, ...]) -> set[int]:
        """Some nodes and all their descendants."""
        found: set[int] = set()
        waiting = list(tops)
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.nodes[at].children
        return found


def read_forest(document: Document) -> Forest:
    """Reads all nodes and checks that they form a forest.

    Raises:
        BadFile: a child is missing or has two parents, there is a cycle, or a number is not usable.
    """
    things = document.objects("nodes")
    if not things:
        document.fail("the file has no nodes, so there is no figure in it")
    if len(things) > MOST_NODES:
        document.fail(f"the file has {len(things)} nodes; the limit is {MOST_NODES}")
    children = [document.indices(t, "children", f"node {i}", len(things)) for i, t in enumerate(things)]
    parents = [-1] * len(things)
    for i, below in enumerate(children):
        for child in below:
            if parents[child] >= 0:
                document.fail(
                    f"node {child} is a child of node {parents[child]} and of node {i}; a node has only one parent"
                )
            parents[child] = i
    _refuse_cycles(document, parents)
    nodes = tuple(_node(document, i, t, parents[i], tuple(children[i])) for i, t in enumerate(things))
    return Forest(nodes, _scene(document, nodes))


def _refuse_cycles(document: Document, parents: list[int]) -> None:
    """Checks that the ancestors of every node end at a root."""
    seen = [-1] * len(parents)  # the start node from which each node was first reached
    for start in range(len(parents)):
        at = start
        while at >= 0 and seen[at] < 0:
            seen[at] = start
            at = parents[at]
        if at >= 0 and seen[at] == start:
            around = [at]
            while len(around) == 1 or around[-1] != at:
                around.append(parents[around[-1]])
            circle = listing([str(i) for i in around])
            document.fail(f"node {at}: the parents of nodes form a cycle: {circle}")


def _scene(document: Document, nodes: tuple[Node, ...]) -> tuple[int, ...]:
    scenes = document.objects("scenes")
    shown = document.index(document.root, "scene", "the file", len(scenes))
    for i, scene in enumerate(scenes):
        found = document.indices(scene, "nodes", f"scene {i}", len(nodes))
        if i == (shown or 0) and found:
            return tuple(found)
    return tuple(n.index for n in nodes if n.parent < 0)


def _node(document: Document, index: int, thing: dict[str, Any], parent: int, children: tuple[int, ...]) -> Node:
    thing = at_rest(thing)
    name = document.text(thing, "name", f"node {index}")
    label = f"node {index} {name!r}" if name else f"node {index}"
    matrix = document.numbers(thing, "matrix", label, 16)
    if matrix is not None:
        M = np.array(matrix).reshape(4, 4).T
        if not np.allclose(M[3], (0.0, 0.0, 0.0, 1.0), rtol=0.0, atol=1e-6):
            document.fail(f"{label}: the last row of its matrix is {M[3].tolist()}; it needs 0, 0, 0, 1")
        translation, (R, B) = M[:3, 3], taken_apart(M[:3, :3])
        rotation = rotations.from_matrix(R)
    else:
        given = document.numbers(thing, "translation", label, 3)
        translation = ORIGIN if given is None else np.array(given)
        given = document.numbers(thing, "rotation", label, 4)
        rotation = UPRIGHT if given is None else _rotation(document, given, label)
        given = document.numbers(thing, "scale", label, 3)
        B = PLAIN if given is None else np.diag(given)
    skinned = thing.get("skin") is not None
    return Node(index, name, parent, children, translation, rotation, B, matrix is not None, skinned)


def at_rest(thing: dict[str, Any]) -> dict[str, Any]:
    """A node of a file in its rest pose. `new_file` writes the first pose of a motion, and the rest as extra data."""
    extras = thing.get("extras")
    rest = extras.get(REST) if isinstance(extras, dict) else None
    if not isinstance(extras, dict) or not isinstance(rest, dict):
        return thing
    out = {key: value for key, value in thing.items() if key not in ("translation", "rotation", "extras")}
    others = {key: value for key, value in extras.items() if key != REST}
    out |= {key: rest[key] for key in ("translation", "rotation") if key in rest}
    return out | {"extras": others} if others else out


def _rotation(document: Document, xyzw: tuple[float, ...], label: str) -> Vector:
    q = np.array([xyzw[3], *xyzw[:3]])
    length = float(np.linalg.norm(q))
    if length < 1e-6:
        document.fail(f"{label}: its rotation is a quaternion of length {length:g}; it needs length 1")
    if abs(length - 1.0) > UNIT:
        document.notes.append(f"{label}: its rotation has length {length:.4g} instead of 1; it is normalized")
    return q / length


def taken_apart(L: Matrix) -> tuple[Matrix, Matrix]:
    """Decomposes a linear map L = R B into a rotation and a stretch; see the top of this file. (3, 3) -> (3, 3), (3,
    3)."""
    lengths = np.linalg.norm(L, axis=0)
    if lengths.min() > 1e-12 * lengths.max() > 0.0:
        columns = L / lengths
        if np.abs(columns.T @ columns - np.eye(3)).max() <= SKEWED:
            # A mirror is not a rotation. By convention, the x axis is flipped.
            mirror = np.array([-1.0 if np.linalg.det(columns) < 0.0 else 1.0, 1.0, 1.0])
            U, _, Vt = np.linalg.svd(columns * mirror)
            return U @ Vt, np.diag(lengths * mirror)
    U, s, Vt = np.linalg.svd(L)
    mirror = np.array([1.0, 1.0, 1.0 if np.linalg.det(U @ Vt) > 0.0 else -1.0])  # the least stretched axis
    R = (U * mirror) @ Vt
    B: Matrix = Vt.T @ np.diag(s * mirror) @ Vt
    return R, B
