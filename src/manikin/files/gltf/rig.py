"""Chooses the nodes of a glTF file that become segments, and computes their rest placements.

Segments are the joints of all skins, the bones of a VRM humanoid and the nodes that an animation moves. Their
ancestors, which place them, and their descendants (tips, props) are segments too. A node with a skin is not a segment,
because its placement has no effect. If a file has neither skin nor humanoid, every node of its scene is a segment.

A figure is rigid, but a node may be scaled. Let R, B be the rotation and stretch of a node. The linear map of node c
with parent p to the world is L_c = L_p R_c B_c. It is split into a rotation W and a stretch K in the space of the node,
L = W K:

    W_c = W_p R'_c,   R'_c = Q_p R_c Q_pᵀ,   K_c = R'_cᵀ K_p R_c B_c,   offset of c on p:  K_p t_c

where Q_p is the orthogonal part of K_p at rest: the identity, except for mirrored nodes. So every origin is the same as
in the file. If all scales are uniform, K = s Q B is the same in every pose, and the figure is exact in all poses.
Otherwise K_c depends on R_c (a non-uniform scale above a turning joint causes shear), and a figure cannot represent
this. The motion of a clip can represent it, because the parts that the clip displaces have sliders.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.files.gltf.document import Document
from manikin.files.gltf.names import unique_names
from manikin.files.gltf.nodes import Forest, Node

SIMILAR = 1e-8
"""A stretch counts as uniform if the relative difference of Kᵀ K from a multiple of the identity is below this."""
SHEARING = 1e-4
"""A note reports a stretch that is further from uniform than this if joints turn below it."""
MOST_PARTS = 30_000
"""Largest number of segments. With more, computations would take too long."""
ROOTS = "Roots"
"""Name of the fixed segment that is the parent of several roots."""


@dataclass(frozen=True, eq=False)
class Part:
    """A node as a segment."""

    node: Node
    name: str
    parent: int
    """Index of the parent part; −1 for a root."""
    offset: Vector
    """(3,) its origin at rest in the parent's space, K_p t."""
    rotation: Vector
    """(4,) its rotation at rest in the parent's space, R', wxyz."""
    before: Matrix
    """(3, 3) K_p, the stretch of the parent at rest."""
    mirror: Matrix
    """(3, 3) Q_p, orthogonal."""
    stretch: Matrix
    """(3, 3) K, its own stretch at rest, for its children."""

    @cached_property
    def uniform(self) -> bool:
        """Whether the stretch of its parent is uniform, so that it can turn without shearing its descendants."""
        return shear(self.before) <= SIMILAR


@dataclass(frozen=True, eq=False)
class Rig:
    """The parts, parents first."""

    parts: tuple[Part, ...]
    top: str | None
    """Name of the fixed segment that is the parent of several roots; None if there is one root."""

    @cached_property
    def places(self) -> dict[int, int]:
        """The index of the part for a node, by the index of the node in the file."""
        return {p.node.index: k for k, p in enumerate(self.parts)}

    @cached_property
    def size(self) -> float:
        """The longest path from a root to a tip; 1 if that is 0."""
        reach: list[float] = []
        for p in self.parts:
            reach.append(0.0 if p.parent < 0 else reach[p.parent] + float(np.linalg.norm(p.offset)))
        return max(reach) or 1.0


def choose(forest: Forest, moving: Collection[int], whole: bool) -> list[int]:
    """The nodes that become segments, parents first: `moving` and all their ancestors and descendants. If `whole` is
    true, the whole scene."""
    wanted = forest.below(tuple(moving) + (forest.scene if whole else ()))
    for i in moving:
        at = forest.nodes[i].parent
        while at >= 0 and at not in wanted:
            wanted.add(at)
            at = forest.nodes[at].parent
    bare = {i for i in wanted if i in moving or not _carries_skin(forest.nodes[i])}
    return [i for i in forest.order if i in (bare or wanted)]


def _carries_skin(node: Node) -> bool:
    """Whether a node only holds a skinned mesh."""
    return node.skinned and not node.children


def build_rig(document: Document, forest: Forest, chosen: list[int], first: Collection[int]) -> Rig:
    """Parts for the chosen nodes, parents first. Nodes in `first` keep their names in preference to others."""
    if len(chosen) > MOST_PARTS:
        document.fail(f"{len(chosen)} nodes would become segments; the limit is {MOST_PARTS}")
    place = {i: k for k, i in enumerate(chosen)}
    given, stand_ins = [forest.nodes[i].name for i in chosen], [f"Node{i}" for i in chosen]
    names = unique_names(given, stand_ins, [place[i] for i in chosen if i in first])
    parts: list[Part] = []
    for name, i in zip(names, chosen, strict=True):
        node = forest.nodes[i]
        parent = place[node.parent] if node.parent >= 0 else -1
        K = parts[parent].stretch if parent >= 0 else np.eye(3)
        Q = orthogonal(K)
        R = turned(node.rotation, Q)
        offset = K @ node.translation
        stretch = carried(K, node.rotation, R, node.stretch)
        if not np.isfinite(stretch).all() or not np.abs(offset).max() < 1e100 or not np.abs(stretch).max() < 1e100:
            document.fail(f"{node.label}: the scales of the nodes above it make a number that is too large")
        parts.append(Part(node, name, parent, offset, R, K, Q, stretch))
    roots = [p for p in parts if p.parent < 0]
    return Rig(tuple(parts), unique_names([*names, ""], [ROOTS] * (len(names) + 1))[-1] if len(roots) > 1 else None)


def orthogonal(K: Matrix) -> Matrix:
    """The orthogonal matrix nearest to K. It is exactly the identity (or a mirror along axes) if it differs only by
    rounding, and the identity if K is singular. (3, 3)."""
    if _multiple(K) and K[0, 0] >= 0.0:
        return np.eye(3)
    U, s, Vt = np.linalg.svd(K)
    if s[2] <= 1e-12 * s[0]:
        return np.eye(3)
    Q: Matrix = U @ Vt
    plain = np.diag(np.sign(np.diagonal(Q)))
    return plain if np.abs(Q - plain).max() < 1e-6 else Q


def shear(K: Matrix) -> float:
    """How far a stretch is from uniform: the largest relative difference of Kᵀ K from a multiple of the identity."""
    G = K.T @ K
    mean = float(np.trace(G)) / 3.0
    return float(np.abs(G - mean * np.eye(3)).max()) / mean if mean > 0.0 else 0.0


def turned(rotation: Vector, Q: Matrix) -> Vector:
    """R' = Q R Qᵀ as quaternions: Q rotates the axis, and a mirror reverses the direction of rotation. (..., 4)."""
    if (np.eye(3) == Q).all():
        return rotation
    sign = 1.0 if np.linalg.det(Q) > 0.0 else -1.0
    return np.concatenate([rotation[..., :1], sign * rotation[..., 1:] @ Q.T], axis=-1)


def carried(K: Matrix, rotation: Vector, R: Vector, B: Matrix) -> Matrix:
    """R'ᵀ K R B, the stretch of a node in its own space; each may have a leading axis of frames.

    (..., 3, 3), (..., 4), (..., 4), (..., 3, 3) -> (..., 3, 3).
    """
    if K.ndim == 2 and _multiple(K):
        return np.asarray(K[0, 0] * B)
    out: Matrix = np.swapaxes(rotations.to_matrix(R), -1, -2) @ K @ rotations.to_matrix(rotation) @ B
    return out


def _multiple(K: Matrix) -> bool:
    """Whether a matrix is exactly a multiple of the identity."""
    return bool((K[0, 0] * np.eye(3) == K).all())
