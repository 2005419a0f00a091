"""The placement of each segment relative to its parent, over many poses. Files store this for each joint."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions
from manikin.figure import Ball, Euler, Free, Hinge, Joint, Slider
from manikin.figure.joint import Motion as JointMotion
from manikin.figure.joint import number_count


def local_rotation(joint: Joint, numbers: Matrix) -> Quaternions:
    """Rotation of the moved segment, to its parent segment's space. (frames, joint.nq) -> (frames, 4), unit length."""
    fixed: Quaternions = np.tile(np.array(joint.rotation), (len(numbers), 1))
    if not turns(joint):
        return fixed
    return rotations.normalized(rotations.multiply(fixed, _turn(joint.motions[-1], numbers)))


def local_translation(joint: Joint, numbers: Matrix) -> Points:
    """Origin of the moved segment in its parent segment's space. (frames, joint.nq) -> (frames, 3), length."""
    along = np.zeros((len(numbers), 3))
    at = 0
    for motion in joint.motions:
        if isinstance(motion, Slider):
            along += numbers[:, at, None] * np.array(motion.axis)
        elif isinstance(motion, Free):
            along += numbers[:, at : at + 3]
        at += number_count(motion)
    return np.array(joint.offset) + rotations.rotate(np.array(joint.rotation), along)


def turns(joint: Joint) -> bool:
    """Whether a joint has a rotation that changes."""
    return bool(joint.motions) and not isinstance(joint.motions[-1], Slider)


def slides(joint: Joint) -> bool:
    """Whether a joint has a translation that changes."""
    return any(isinstance(m, (Slider, Free)) for m in joint.motions)


def _turn(motion: JointMotion, numbers: Matrix) -> Quaternions:
    """The rotation of a joint's last motion, whose numbers are the last ones."""
    own = numbers[:, numbers.shape[1] - number_count(motion) :]
    if isinstance(motion, Hinge):
        return rotations.from_axis_angle(np.array(motion.axis), own[:, 0])
    if isinstance(motion, Euler):
        return rotations.from_euler(motion.order, own)
    return rotations.normalized(own[:, -4:] if isinstance(motion, (Ball, Free)) else own)
