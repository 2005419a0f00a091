"""From the poses of a figure back to what an animation says of joints, in a stage that may scale them.

With o, Q the place of a segment in the world and H the stretch of its parent's node (see `rig`), the animation says

    t = Hₚ⁻¹ Qₚᵀ (o − oₚ),    R = Uᵀ Qₚᵀ Q,    U = rotation of the polar decomposition of Hₚ

with scales as the stage has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Points, Poses, Quaternions, Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.files.common.rig import Local, apply, course, plain, polar, stretched
from manikin.files.common.rig_figure import poses
from manikin.files.usd.clip import Clip, read_local
from manikin.files.usd.content import Content
from manikin.motion.local import local_rotation, local_translation
from manikin.motion.motion import Motion

SAME = 1e-9
"""What differs from the file by less (radians, or parts of the figure's size) keeps the file's numbers."""
ASKEW = 2e-6
"""A joint that is not changed itself says something else, by more than this, where what stretches it has changed."""


@dataclass(frozen=True, eq=False)
class Edit:
    """What the nodes of a stage are to say."""

    translation: Points
    """(nodes, frames, 3) t."""
    turn: Quaternions
    """(nodes, frames, 4) R, wxyz."""
    scale: Points
    """(nodes, frames, 3) the diagonal of the stretch, as the stage has it."""
    moved: NDArray[np.bool_]
    """(nodes, frames) where the translation is another than the file's."""
    turned: NDArray[np.bool_]
    """(nodes, frames) where the rotation is."""


def edit(motion: Motion, content: Content, clip: Clip, codes: Vector, part: slice) -> Edit:
    """Some frames of a motion, beside what the stage says at their time codes."""
    rig = content.layout.rig
    local = read_local(content.opened, content.skeletons, clip, codes[part])
    clean = read_local(content.opened, content.skeletons, clip, codes[part], unit=True)
    there = course(rig, motion.times[part], lambda p: _frames(local, p), _frames(local, slice(0, 1)))
    before = poses(content.layout, there, content.figure)
    inner = [n for n, is_inner in zip(rig.names, rig.inner, strict=True) if is_inner]
    placed = iter(np.moveaxis(motion.figure.placements(motion.poses[part], inner), 1, 0))
    t, q = local.translation.copy(), local.turn.copy()
    moved, turned = np.zeros(t.shape[:2], dtype=bool), np.zeros(t.shape[:2], dtype=bool)
    world: list[tuple[Points, Quaternions]] = []
    H: list[Any] = []
    for i, p in enumerate(rig.parents):
        if not rig.inner[i]:  # what stands above a skeleton stays
            world.append((t[i], q[i]))
            H.append(plain(local.stretch[i]))
            continue
        placement = next(placed)
        o, Q = placement[:, :3, 3], rotations.from_matrix(placement[:, :3, :3])
        (op, Qp), Hp = world[p], H[p]
        own = rotations.multiply(rotations.inverse(Qp), Q)
        x = _undone(Hp, rotations.rotate(rotations.inverse(Qp), o - op), t[i])
        R = own if Hp.ndim == 1 else rotations.multiply(rotations.inverse(rotations.from_matrix(polar(Hp))), own)
        moved[i], turned[i] = _differs(motion, part, content.figure, before, rig.names[i])
        moved[i] |= np.linalg.norm(apply(Hp, x - t[i]), axis=1) > ASKEW * content.figure.size
        turned[i] |= _apart(R, q[i]) > ASKEW
        t[i], q[i] = np.where(moved[i, :, None], x, t[i]), np.where(turned[i, :, None], R, q[i])
        D = plain(np.where(turned[i, :, None, None], clean.stretch[i], local.stretch[i]))
        world.append((o, Q))
        H.append(stretched(Hp, own, R, D))
    return Edit(t, q, np.diagonal(local.stretch, axis1=-2, axis2=-1), moved, turned)


def require_same_figure(motion: Motion, content: Content) -> None:
    """Refuse to put a motion into the stage of another figure.

    Raises:
        BadValue: naming the first difference.
    """
    wrong = _difference(motion.figure, content.figure)
    if wrong is not None:
        path = content.opened.path
        raise BadValue(f"figure {motion.figure.name!r} is not that of {path}: {wrong}; without like= it is a new stage")


def _difference(figure: Figure, other: Figure) -> str | None:
    if set(figure.segment_names) != set(other.segment_names):
        odd = sorted(set(figure.segment_names) ^ set(other.segment_names))[0]
        return f"segment {odd!r} is only in the {'motion' if odd in figure.segment_names else 'file'}"
    for s in other.segments:
        mine = figure.segment(s.name)
        if mine.parent != s.parent:
            return f"segment {s.name!r} hangs on {mine.parent!r}, in the file on {s.parent!r}"
    away = np.abs(figure.placements(figure.rest, other.segment_names) - other.placements(other.rest)).max(axis=(1, 2))
    far = np.abs(away).argmax()
    if away[far] > 1e-4 * max(other.size, 1.0):
        return f"segment {other.segment_names[far]!r} rests elsewhere"
    return None


def _frames(local: Local, part: slice) -> Local:
    return Local(local.translation[:, part], local.turn[:, part], local.stretch[:, part])


def _undone(H: Any, x: Points, otherwise: Points) -> Points:
    """H⁻¹ x; where H has no inverse (a scale of zero), what the file said."""
    if H.ndim == 1:
        good = np.abs(H) > 1e-12
        return np.where(good[:, None], x / np.where(good, H, 1.0)[:, None], otherwise)
    good = np.abs(np.linalg.det(H)) > 1e-36
    safe = np.where(good[:, None, None], H, np.eye(3))
    return np.where(good[:, None], np.linalg.solve(safe, x[..., None])[..., 0], otherwise)


def _differs(
    motion: Motion, part: slice, other: Figure, before: Poses, name: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(frames,) whether a segment is elsewhere on its parent than in the file, and whether it is turned otherwise."""
    t0, q0 = _on_parent(motion.figure, motion.poses[part], name)
    t1, q1 = _on_parent(other, before, name)
    return np.abs(t0 - t1).max(axis=1) > SAME * other.size, _apart(q0, q1) > SAME


def _on_parent(figure: Figure, rows: Matrix, name: str) -> tuple[Points, Quaternions]:
    joint = figure.segment(name).joint
    at = figure.index_of(joint.name)
    own = rows[:, at : at + joint.nq]
    return local_translation(joint, own), local_rotation(joint, own)


def _apart(a: Quaternions, b: Quaternions) -> Vector:
    """(frames,) how far rotations are from each other, in about half radians; signs do not matter."""
    nearer: Vector = np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
    return nearer
