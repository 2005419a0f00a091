"""Converts poses to a figure that differs only in its joints: in limits, in balls instead of turns about axes, or in
sliders at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manikin import rotations
from manikin.arrays import Poses, Vector
from manikin.errors import BadValue
from manikin.figure import Ball, Euler, Figure, Hinge, Joint, Slider
from manikin.motion.local import local_translation
from manikin.motion.smoothing import continuous

SAME_PLACE = 1e-6
"""Segments are in the same place if they are at most this far apart, as a fraction of the figure's size. Files round
lengths to about six digits."""


def poses_on(old: Figure, new: Figure, poses: Poses) -> Poses:
    """Poses (frames, nq) of `old` as poses of `new`, with every segment in the same place.

    Raises:
        BadValue: `new` has other segments, or joints that cannot take the numbers.
    """
    if old.segment_names != new.segment_names:
        raise BadValue(f"figure {new.name!r} does not have the segments of figure {old.name!r}, in the same order")
    out = np.empty((len(poses), new.nq))
    for a, b in zip(old.segments, new.segments, strict=True):
        start, end = old.index_of(a.joint.name), new.index_of(b.joint.name)
        numbers = poses[:, start : start + a.joint.nq]
        label = f"figure {new.name!r}: joint {b.name!r}"
        slid = _slid(a.joint, b.joint, numbers, new.rest[end : end + b.joint.nq], label, SAME_PLACE * old.size)
        out[:, end : end + b.joint.nq] = np.concatenate([slid, _turned(a.joint, b.joint, numbers, label)], axis=1)
    return out


def _slid(a: Joint, b: Joint, numbers: Poses, rest: Vector, label: str, near: float) -> Poses:
    """The numbers (frames, n) of the sliders of joint b. A slider that joint a does not have is at rest."""
    if a.rotation != b.rotation:
        raise BadValue(f"{label} is in a different place on its parent")
    theirs, ours = _sliders(a), _sliders(b)
    if [m.axis for m in theirs] == [m.axis for m in ours]:
        if a.offset != b.offset:
            raise BadValue(f"{label} is in a different place on its parent")
        return numbers[:, : len(ours)]
    out = np.tile(rest[: len(ours)], (len(numbers), 1))
    left = list(enumerate(theirs))
    for k, slider in enumerate(ours):
        found = next((pair for pair in left if pair[1].axis == slider.axis), None)
        if found is not None:
            left.remove(found)
            out[:, k] = numbers[:, found[0]]
    wanted = local_translation(replace(a, motions=tuple(theirs), rest=()), numbers[:, : len(theirs)])
    apart = np.linalg.norm(wanted - local_translation(replace(b, motions=tuple(ours), rest=()), out), axis=1)
    if apart.max() > near:
        frame = int(np.argmax(apart))
        raise BadValue(
            f"{label} does not slide as in the motion: its position would be {apart[frame]:.3g} off in frame {frame}. "
            f"`figure.rigid(keep=[{b.name!r}])` keeps its sliders"
        )
    return out


def _turned(a: Joint, b: Joint, numbers: Poses, label: str) -> Poses:
    """The numbers (frames, n) of the rotation of joint b."""
    kinds, wanted = ([_kind(m) for m in joint.motions if not isinstance(m, Slider)] for joint in (a, b))
    before = len(_sliders(a))
    if kinds == wanted:
        return numbers[:, before:]
    motion = a.motions[-1] if a.motions else None
    if wanted and isinstance(b.motions[-1], Ball) and isinstance(motion, Euler):
        return continuous(rotations.from_euler(motion.order, numbers[:, before:]))
    if wanted and isinstance(b.motions[-1], Ball) and isinstance(motion, Hinge):
        return continuous(rotations.from_axis_angle(motion.axis, numbers[:, before]))
    raise BadValue(f"{label} is a {b.kind}, which cannot take the numbers of a {a.kind}")


def _sliders(joint: Joint) -> list[Slider]:
    return [m for m in joint.motions if isinstance(m, Slider)]


def _kind(motion: object) -> tuple[object, ...]:
    """The properties of a motion on which its numbers depend."""
    if isinstance(motion, Euler):
        return (Euler, motion.order)
    return (Hinge, motion.axis) if isinstance(motion, Hinge) else (type(motion),)
