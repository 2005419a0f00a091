"""Which nodes of a glTF file become segments, and where they stand at rest.

Segments are the joints of all skins, the bones of a VRM humanoid and the nodes that an animation moves, with all nodes
above them (which place them) and below them (which they carry: tips, props); a node with a skin is none, since its
place does not matter. Where a file has neither skin nor humanoid, every node of its scene is a segment.

A figure is rigid, a node may be scaled. With R, B the rotation and stretch of a node, a node c on p stands in the world
at the linear map L_c = L_p R_c B_c. Each node gets a rotation W and keeps its stretch K in its own space, L = W K:

    W_c = W_p R'_c,   R'_c = Q_p R_c Q_pᵀ,   K_c = R'_cᵀ K_p R_c B_c,   offset of c on p:  K_p t_c

with Q_p the orthogonal part of K_p at rest: the identity, but for mirrored nodes. So every origin is where the file has
it. Where all scales are uniform, K = s Q B is the same in every pose and the figure is exact in all of them. Else K_c
depends on R_c (the shear of a non-uniform scale above a turning joint), which a figure cannot follow; a clip can, since
what it displaces slides.
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
"""A stretch counts as uniform where Kᵀ K is nearer to a multiple of the identity than this part of it."""
SHEARING = 1e-4
"""A stretch further from uniform than this is told where joints turn below it."""
MOST_PARTS = 30_000
"""Segments at most: with more, nothing could be computed in useful time."""
ROOTS = "Roots"
"""Name of the fixed segment on which several roots hang."""


@dataclass(frozen=True, eq=False)
class Part:
    """A node as a segment."""

    node: Node
    name: str
    parent: int
    """Which part it hangs on; −1 for a root."""
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
        """Whether the stretch above it is uniform, so that it may turn without shearing what it carries."""
        return shear(self.before) <= SIMILAR


@dataclass(frozen=True, eq=False)
class Rig:
    """The parts, parents first."""

    parts: tuple[Part, ...]
    top: str | None
    """Name of the fixed segment on which several roots hang; None where there is one root."""

    @cached_property
    def places(self) -> dict[int, int]:
        """Which part a node is, by its index in the file."""
        return {p.node.index: k for k, p in enumerate(self.parts)}

    @cached_property
    def size(self) -> float:
        """The longest way from a root to a tip; 1 if that is 0."""
        reach: list[float] = []
        for p in self.parts:
            reach.append(0.0 if p.parent < 0 else reach[p.parent] + float(np.linalg.norm(p.offset)))
        return max(reach) or 1.0


def choose(forest: Forest, moving: Collection[int], whole: bool) -> list[int]:
    """The nodes that become segments, parents first: `moving`, all above and all below them, and where `whole` is true
    the whole scene."""
    wanted = forest.below(tuple(moving) + (forest.scene if whole else ()))
    for i in moving:
        at = forest.nodes[i].parent
        while at >= 0 and at not in wanted:
            wanted.add(at)
            at = forest.nodes[at].parent
    bare = {i for i in wanted if i in moving or not _carries_skin(forest.nodes[i])}
    return [i for i in forest.order if i in (bare or wanted)]


def _carries_skin(node: Node) -> bool:
    """Whether a node is only there for its skinned mesh."""
    return node.skinned and not node.children


def build_rig(document: Document, forest: Forest, chosen: list[int], first: Collection[int]) -> Rig:
    """Parts for the chosen nodes, parents first; those in `first` keep their names before all others."""
    if len(chosen) > MOST_PARTS:
        document.fail(f"{len(chosen)} nodes would be segments; at most {MOST_PARTS} can")
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
            document.fail(f"{node.label} is scaled beyond all numbers by the nodes above it")
        parts.append(Part(node, name, parent, offset, R, K, Q, stretch))
    roots = [p for p in parts if p.parent < 0]
    return Rig(tuple(parts), unique_names([*names, ""], [ROOTS] * (len(names) + 1))[-1] if len(roots) > 1 else None)


def orthogonal(K: Matrix) -> Matrix:
    """The orthogonal matrix nearest to K, the very identity (or mirror along an axis) where it is that but for
    rounding; the identity where K is singular. (3, 3)."""
    if _multiple(K) and K[0, 0] >= 0.0:
        return np.eye(3)
    U, s, Vt = np.linalg.svd(K)
    if s[2] <= 1e-12 * s[0]:
        return np.eye(3)
    Q: Matrix = U @ Vt
    plain = np.diag(np.sign(np.diagonal(Q)))
    return plain if np.abs(Q - plain).max() < 1e-6 else Q


def shear(K: Matrix) -> float:
    """How far a stretch is from uniform: the largest part of Kᵀ K that is not the same in all directions."""
    G = K.T @ K
    mean = float(np.trace(G)) / 3.0
    return float(np.abs(G - mean * np.eye(3)).max()) / mean if mean > 0.0 else 0.0


def turned(rotation: Vector, Q: Matrix) -> Vector:
    """R' = Q R Qᵀ as quaternions: the axis goes with Q, and a mirror turns the other way round. (..., 4)."""
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
    """Whether a matrix is a multiple of the identity, to the last digit."""
    return bool((K[0, 0] * np.eye(3) == K).all())
