"""The box of Euler angles around a set of rotations: limits of a joint that turns about named axes.

The limits of a human joint are a cone and a twist. In Euler angles they are not a box. The box around them is the
narrowest limit of an Euler joint that excludes no pose of the person.

Each rotation has two triples of angles (and those that differ by whole turns). They meet at the **pole**, where the
middle angle is a quarter turn (for orders such as XYX: 0 or half a turn). Away from the pole the set has one branch,
the one that programs write, and its box is exact. If the set comes near the pole, the first and last angle can have any
value there. They get no limits, and the middle angle gets the range of both branches, so that an elbow can bend through
the pole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Quaternions, Vector
from manikin.figure.joint import Euler, Hinge, Pair, SwingTwist
from manikin.kinematics import swing_twist

POLE = np.deg2rad(9.0)
"""If a set comes nearer than this (radians) to the pole, the first and last angle have no limits."""
AROUND = np.deg2rad(330.0)
"""If an angle covers at least this much of the circle (radians), it has no limits."""
STEP = np.deg2rad(8.0)
"""Spacing of the sampled rotations in radians, including the rim and the ends of the twist. Every rotation is within
√3/2 of this spacing of a sample, which is less than POLE."""


def samples(limits: SwingTwist) -> Quaternions:
    """(n, 4) rotations within the limits, including their rim."""
    widest = max(limits.swing)
    radius = np.linspace(0.0, 1.0, 2 + int(widest / STEP))
    around = np.linspace(0.0, 2.0 * np.pi, 4 * (3 + int(0.5 * np.pi * widest / STEP)), endpoint=False)
    tau = np.linspace(*limits.twist, 2 + int((limits.twist[1] - limits.twist[0]) / STEP))
    r, a, t = (x.ravel() for x in np.meshgrid(radius, around, tau, indexing="ij"))
    coordinates: Points = np.stack([r * np.cos(a) * limits.swing[0], r * np.sin(a) * limits.swing[1], t], axis=-1)
    return rotations.multiply(np.array(limits.reference), swing_twist.compose(coordinates, limits.basis))


def euler_box(motion: Euler, limits: SwingTwist, home: Vector) -> tuple[Pair, ...]:
    """Limits of each angle of an Euler joint that contain all rotations within `limits`.

    Args:
        motion: the motion of the joint; only its order matters.
        limits: limits of the same joint as a ball.
        home: the angles of an allowed pose. Of ranges that differ by whole turns, those around it are used.
    """
    turns = samples(limits)
    if len(motion.order) == 2:
        angles = np.stack([_angle(turns, rotations.AXES[a.lower()]) for a in motion.order], axis=-1)
        return tuple(_range(angles[:, k], home[k]) for k in range(2))
    proper = motion.order[0] == motion.order[2]
    angles = rotations.to_euler(motion.order, turns)
    middle = angles[:, 1]
    near = np.minimum(middle, np.pi - middle) if proper else 0.5 * np.pi - np.abs(middle)
    if near.min() > POLE:
        return tuple(_range(angles[:, k], home[k]) for k in range(3))
    other = -middle if proper else np.sign(middle + (middle == 0.0)) * np.pi - middle
    # Use the branch whose first and last angle are nearer to those at home. A continuous motion reaches this branch.
    ours = np.cos(angles[:, 0] - home[0]) + np.cos(angles[:, 2] - home[2])
    chosen = np.where(ours >= 0.0, middle, other)
    both = np.concatenate([chosen, middle])
    return ((-np.inf, np.inf), _range(both, home[1]), (-np.inf, np.inf))


def hinge_range(motion: Hinge, limits: SwingTwist, home: float) -> Pair:
    """Limits of a hinge: the angles about its axis in all rotations within `limits`."""
    return _range(_angle(samples(limits), motion.axis), home)


def _angle(turns: Quaternions, axis: Any) -> Vector:
    """The angle of each rotation about an axis, radians."""
    return np.asarray(2.0 * np.arctan2(turns[:, 1:] @ np.array(axis), turns[:, 0]))


def _range(angles: Vector, home: float) -> Pair:
    """The shortest arc that contains all angles, near `home`; no limits if it is almost the whole circle."""
    folded = np.sort(np.mod(angles, 2.0 * np.pi))
    gaps = np.diff(np.concatenate([folded, folded[:1] + 2.0 * np.pi]))
    widest = int(np.argmax(gaps))
    if 2.0 * np.pi - gaps[widest] > AROUND:
        return (-np.inf, np.inf)
    low = float(folded[(widest + 1) % len(folded)])
    high = low + 2.0 * np.pi - float(gaps[widest])
    whole = 2.0 * np.pi * np.round((home - 0.5 * (low + high)) / (2.0 * np.pi))
    return (min(low + whole, home), max(high + whole, home))
