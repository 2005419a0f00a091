"""Rigs of USD and FBX files: converts nodes with translation, rotation and scale to rigid segments.

The local map of a node is x ↦ t + R D x: a translation, a rotation and a stretch D (a scale, or any matrix). The
product of such maps along a branch is more than a rotation and a scale. So the world map of each node is stored in two
factors,

    W = Q H      Q rigid rotation to the world, H the remaining stretch in the axes of the node
    o = oₚ + Qₚ Hₚ t,    Q = Qₚ U R,    H = (U R)ᵀ Hₚ R D,    U = rotation of the polar decomposition of Hₚ

where p is the parent. If all scales are uniform, H is a multiple of the identity and Q = Qₚ R. Otherwise the axes of
the node are sheared, and Q is the nearest rotation. Origins are exact in every case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Quaternions, Rotations, Vector

BLOCK = 1 << 17
"""Number of nodes times frames converted at once."""
MOST_SAMPLES = 20_000_000
"""Largest number of nodes times frames, over all clips. A file with more is refused before memory is allocated (about 1
GB)."""
PLAIN = 3e-7
"""A stretch that differs from a uniform one by less than this is treated as uniform: files have 32-bit numbers."""


@dataclass(frozen=True, eq=False)
class Rig:
    """The tree of nodes, parents first."""

    names: tuple[str, ...]
    """Unique names, used for the segments."""
    parents: tuple[int, ...]
    """Index of the parent; −1 for a root."""
    inner: tuple[bool, ...]
    """Whether a node becomes a segment. The other nodes only transform their descendants."""

    def figure_parent(self, node: int) -> int:
        """The nearest ancestor that becomes a segment; −1 for a root of the figure."""
        p = self.parents[node]
        while p >= 0 and not self.inner[p]:
            p = self.parents[p]
        return p


@dataclass(frozen=True, eq=False)
class Local:
    """Local transforms of nodes, over frames."""

    translation: Points
    """(nodes, frames, 3) t, length."""
    turn: Quaternions
    """(nodes, frames, 4) R, wxyz, unit length."""
    stretch: Rotations
    """(nodes, frames, 3, 3) D."""


@dataclass(frozen=True, eq=False)
class Course:
    """World placements of nodes, over frames."""

    times: Vector
    """(frames,) seconds."""
    origin: Points
    """(nodes, frames, 3) o, length."""
    turn: Quaternions
    """(nodes, frames, 4) Q, wxyz."""
    slide: Vector
    """(nodes,) largest displacement of each node by its own translation within the clip, length."""
    swell: Vector
    """(nodes,) difference of a node's stretch from its rest pose: the largest entry of the difference."""


Reader = Callable[[slice], Local]
"""Returns some of the frames of a clip."""


def course(rig: Rig, times: Vector, read: Reader, rest: Local) -> Course:
    """Computes the world placements of a clip, block by block. `rest` has one frame."""
    count, frames = len(rig.names), len(times)
    origin, turn = np.empty((count, frames, 3)), np.empty((count, frames, 4))
    slide, swell = np.zeros(count), np.zeros(count)
    first: Points | None = None
    step = max(1, BLOCK // max(count, 1))
    for start in range(0, frames, step):
        part = slice(start, min(start + step, frames))
        local = read(part)
        first = local.translation[:, :1].copy() if first is None else first
        moved = local.translation - first
        swell = np.maximum(swell, np.abs(local.stretch - rest.stretch).max(axis=(1, 2, 3), initial=0.0))
        for i, (o, Q, Hp) in enumerate(_world(rig.parents, local)):
            origin[i, part], turn[i, part] = o, Q
            slide[i] = max(slide[i], float(np.linalg.norm(apply(Hp, moved[i]), axis=-1).max(initial=0.0)))
    return Course(times, origin, turn, slide, swell)


Stretch = Vector | Rotations
"""H over frames: (frames,) if it is a multiple of the identity, otherwise (frames, 3, 3)."""


def _world(parents: Sequence[int], local: Local) -> list[tuple[Points, Quaternions, Stretch]]:
    """For each node o (frames, 3), Q (frames, 4) and the H of its parent."""
    found: list[tuple[Points, Quaternions, Stretch]] = []
    H: list[Stretch] = []
    frames = local.translation.shape[1]
    for i, p in enumerate(parents):
        t, R, D = local.translation[i], local.turn[i], plain(local.stretch[i])
        if p < 0:
            found.append((t, R, np.ones(frames)))
            H.append(D)
            continue
        o, Q, _ = found[p]
        own = turned(H[p], R)
        found.append((o + rotations.rotate(Q, apply(H[p], t)), rotations.multiply(Q, own), H[p]))
        H.append(stretched(H[p], own, R, D))
    return found


def turned(Hp: Stretch, R: Quaternions) -> Quaternions:
    """U R: the rotation of a node relative to its parent's rigid axes. (frames, 4)."""
    return R if Hp.ndim == 1 else rotations.multiply(rotations.from_matrix(polar(Hp)), R)


def stretched(Hp: Stretch, own: Quaternions, R: Quaternions, D: Stretch) -> Stretch:
    """H = (U R)ᵀ Hₚ R D of a node; `own` is U R."""
    if Hp.ndim == 1 and D.ndim == 1:
        return Hp * D
    if Hp.ndim == 1:
        return np.multiply(Hp[:, None, None], D)
    M = rotations.to_matrix(own).swapaxes(-1, -2) @ Hp @ rotations.to_matrix(R)
    both: Rotations = M * D[:, None, None] if D.ndim == 1 else M @ D
    return both


def plain(D: Rotations) -> Stretch:
    """A stretch (frames, 3, 3) as (frames,) if it is uniform in every frame."""
    s = D[:, 0, 0]
    rest = np.abs(D - s[:, None, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
    return s if bool((rest <= PLAIN * np.abs(s)).all()) else D


def apply(H: Stretch, points: Points) -> Points:
    """H x, (frames, 3)."""
    return H[:, None] * points if H.ndim == 1 else np.einsum("fij,fj->fi", H, points)


def polar(M: Rotations) -> Rotations:
    """The rotation Q of M = Q P with symmetric P. P is positive, or negative if M mirrors, so that Q never mirrors.

    Q is the rotation nearest to ±M. If M is singular, Q is one of several. (..., 3, 3) -> (..., 3, 3).
    """
    determinant = np.linalg.det(M)
    sign = np.where(determinant < 0.0, -1.0, 1.0)[..., None, None]
    size = np.cbrt(np.abs(determinant))[..., None, None]
    with np.errstate(all="ignore"):
        X = np.where(size > 0.0, sign * M / size, 0.0)
        near = np.abs(np.swapaxes(X, -1, -2) @ X - np.eye(3)).max(initial=0.0) < 0.3
    if near:
        for _ in range(5):  # Newton–Schulz: each step reduces the distance d from a rotation to less than d²
            X = 1.5 * X - 0.5 * X @ np.swapaxes(X, -1, -2) @ X
        return np.asarray(X, dtype=np.float64)
    U, _, V = np.linalg.svd(sign * M)
    U[..., :, 2] *= np.sign(np.linalg.det(U) * np.linalg.det(V))[..., None]
    nearest: Rotations = U @ V
    return nearest


def factors(matrix: Rotations) -> tuple[Points, Quaternions, Rotations]:
    """Translation, rotation and stretch of maps (..., 4, 4) for column vectors: M = R D."""
    M = matrix[..., :3, :3]
    R = polar(M)
    return matrix[..., :3, 3], rotations.from_matrix(R), np.swapaxes(R, -1, -2) @ M
