"""Converts poses of a figure to the joint values of an animation, in a stage that may scale joints.

Let o, Q be the position and rotation of a segment in the world, and H the stretch of a node (see `rig`); the index p
means the parent. The values of the animation are

    t = Hₚ⁻¹ Qₚᵀ (o − oₚ),    R = Uᵀ Qₚᵀ Q,    U = rotation of the polar decomposition of Hₚ

The scales of the stage are not changed.
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
"""A value that differs from the file by less than this keeps the file's number. The unit is radians for rotations and
the size of the figure for positions."""
ASKEW = 2e-6
"""An unchanged joint is written again if a changed stretch of its parent alters its values by more than this. The unit
is half radians for rotations and the size of the figure for positions."""


@dataclass(frozen=True, eq=False)
class Edit:
    """New values for the nodes of a stage."""

    translation: Points
    """(nodes, frames, 3) t."""
    turn: Quaternions
    """(nodes, frames, 4) R, wxyz."""
    scale: Points
    """(nodes, frames, 3) the diagonal of the stretch, from the stage."""
    moved: NDArray[np.bool_]
    """(nodes, frames) whether the translation differs from the file's."""
    turned: NDArray[np.bool_]
    """(nodes, frames) whether the rotation differs from the file's."""


def edit(motion: Motion, content: Content, clip: Clip, codes: Vector, part: slice) -> Edit:
    """Compares some frames of a motion with the values of the stage at their time codes."""
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
        if not rig.inner[i]:  # the prims above a skeleton stay unchanged
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
    """Refuses to put a motion into the stage of a different figure.

    Raises:
        BadValue: the message names the first difference.
    """
    wrong = _difference(motion.figure, content.figure)
    if wrong is not None:
        path = content.opened.path
        raise BadValue(
            f"figure {motion.figure.name!r} differs from the figure of {path}: {wrong}; leave out "
            "like= to write a new stage"
        )


def _difference(figure: Figure, other: Figure) -> str | None:
    if set(figure.segment_names) != set(other.segment_names):
        odd = sorted(set(figure.segment_names) ^ set(other.segment_names))[0]
        return f"segment {odd!r} is only in the {'motion' if odd in figure.segment_names else 'file'}"
    for s in other.segments:
        mine = figure.segment(s.name)
        if mine.parent != s.parent:
            return f"segment {s.name!r} is a child of {mine.parent!r}, but in the file a child of {s.parent!r}"
    away = np.abs(figure.placements(figure.rest, other.segment_names) - other.placements(other.rest)).max(axis=(1, 2))
    far = np.abs(away).argmax()
    if away[far] > 1e-4 * max(other.size, 1.0):
        return f"segment {other.segment_names[far]!r} has a different place in the rest pose"
    return None


def _frames(local: Local, part: slice) -> Local:
    return Local(local.translation[:, part], local.turn[:, part], local.stretch[:, part])


def _undone(H: Any, x: Points, otherwise: Points) -> Points:
    """H⁻¹ x. If H has no inverse (a scale of zero), the value in the file."""
    if H.ndim == 1:
        good = np.abs(H) > 1e-12
        return np.where(good[:, None], x / np.where(good, H, 1.0)[:, None], otherwise)
    good = np.abs(np.linalg.det(H)) > 1e-36
    safe = np.where(good[:, None, None], H, np.eye(3))
    return np.where(good[:, None], np.linalg.solve(safe, x[..., None])[..., 0], otherwise)


def _differs(
    motion: Motion, part: slice, other: Figure, before: Poses, name: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(frames,) whether the position of a segment relative to its parent differs from the file, and whether its
    rotation does."""
    t0, q0 = _on_parent(motion.figure, motion.poses[part], name)
    t1, q1 = _on_parent(other, before, name)
    return np.abs(t0 - t1).max(axis=1) > SAME * other.size, _apart(q0, q1) > SAME


def _on_parent(figure: Figure, rows: Matrix, name: str) -> tuple[Points, Quaternions]:
    joint = figure.segment(name).joint
    at = figure.index_of(joint.name)
    own = rows[:, at : at + joint.nq]
    return local_translation(joint, own), local_rotation(joint, own)


def _apart(a: Quaternions, b: Quaternions) -> Vector:
    """(frames,) the difference of rotations, roughly half the angle between them in radians; q and −q are the same."""
    nearer: Vector = np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
    return nearer
