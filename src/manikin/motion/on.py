"""The poses of one figure on another that differs in its joints only: in limits, or in balls for turns about axes."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Poses, Quaternions
from manikin.errors import BadValue
from manikin.figure import Ball, Euler, Figure, Hinge, Joint, Slider


def poses_on(old: Figure, new: Figure, poses: Poses) -> Poses:
    """Poses (frames, nq) of `old` as poses of `new`, in which every segment is where it was.

    Raises:
        BadValue: where `new` has other segments, or joints that cannot take the numbers.
    """
    if old.segment_names != new.segment_names:
        raise BadValue(f"figure {new.name!r} does not have the segments of figure {old.name!r}, in the same order")
    out = np.empty((len(poses), new.nq))
    for a, b in zip(old.segments, new.segments, strict=True):
        start, end = old.index_of(a.joint.name), new.index_of(b.joint.name)
        numbers = poses[:, start : start + a.joint.nq]
        out[:, end : end + b.joint.nq] = _numbers(a.joint, b.joint, numbers, f"figure {new.name!r}: joint {b.name!r}")
    return out


def _numbers(a: Joint, b: Joint, numbers: Poses, label: str) -> Poses:
    """The numbers (frames, n) of joint a as numbers of joint b."""
    if (a.offset, a.rotation) != (b.offset, b.rotation):
        raise BadValue(f"{label} is placed elsewhere on its parent")
    kinds, wanted = [_kind(m) for m in a.motions], [_kind(m) for m in b.motions]
    if kinds == wanted:
        return numbers
    if kinds[:-1] != wanted[:-1] or not isinstance(b.motions[-1], Ball):
        raise BadValue(f"{label} is a {b.kind}, which cannot take the numbers of a {a.kind}")
    motion, before = a.motions[-1], len(kinds) - 1
    if isinstance(motion, Euler):
        turns = rotations.from_euler(motion.order, numbers[:, before:])
    elif isinstance(motion, Hinge):
        turns = rotations.from_axis_angle(motion.axis, numbers[:, before])
    else:
        raise BadValue(f"{label} is a {b.kind}, which cannot take the numbers of a {a.kind}")
    return np.concatenate([numbers[:, :before], _continuous(turns)], axis=1)


def _kind(motion: object) -> tuple[object, ...]:
    """What of a motion its numbers depend on."""
    if isinstance(motion, Euler):
        return (Euler, motion.order)
    return (type(motion), motion.axis) if isinstance(motion, (Slider, Hinge)) else (type(motion),)


def _continuous(turns: Quaternions) -> Quaternions:
    """Quaternions (frames, 4) with signs that do not jump from one frame to the next."""
    flips = (turns[1:] * turns[:-1]).sum(axis=1) < 0.0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)])
    return np.asarray(turns * signs[:, None])
