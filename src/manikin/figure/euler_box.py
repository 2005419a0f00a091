"""The box of Euler angles around a set of rotations: limits of a joint that turns about named axes.

Limits of a person's joint are a cone and a twist. In the angles of an Euler joint they are no box; the box around them
is the narrowest limit that such a joint can have and that leaves out no pose that the person can take.

Each rotation has two triples of angles (and those by whole turns), which meet where the middle angle is a quarter turn
(for orders as XYX: 0 or half a turn), the **pole**. Away from it the set has one branch, the one that programs write,
and its box is sound. Where the set comes near the pole, first and last angle may be anything there: they have no
limits, and the middle one has the range of both branches, so that an elbow may bend through it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Quaternions, Vector
from manikin.figure.joint import Euler, Hinge, Pair, SwingTwist
from manikin.kinematics import swing_twist

POLE = np.deg2rad(9.0)
"""A set that comes nearer than this to the pole has no limits on first and last angle."""
AROUND = np.deg2rad(330.0)
"""An angle that covers this much of the circle has no limits."""
STEP = np.deg2rad(8.0)
"""How far apart rotations are sampled, the rim and the ends of the twist included. The farthest from any is √3/2 of
that, nearer than POLE."""


def samples(limits: SwingTwist) -> Quaternions:
    """(n, 4) rotations that the limits allow, those on their rim included."""
    widest = max(limits.swing)
    radius = np.linspace(0.0, 1.0, 2 + int(widest / STEP))
    around = np.linspace(0.0, 2.0 * np.pi, 4 * (3 + int(0.5 * np.pi * widest / STEP)), endpoint=False)
    tau = np.linspace(*limits.twist, 2 + int((limits.twist[1] - limits.twist[0]) / STEP))
    r, a, t = (x.ravel() for x in np.meshgrid(radius, around, tau, indexing="ij"))
    coordinates: Points = np.stack([r * np.cos(a) * limits.swing[0], r * np.sin(a) * limits.swing[1], t], axis=-1)
    return rotations.multiply(np.array(limits.reference), swing_twist.compose(coordinates, limits.basis))


def euler_box(motion: Euler, limits: SwingTwist, home: Vector) -> tuple[Pair, ...]:
    """Limits of each angle of an Euler joint that hold all rotations that `limits` allows.

    Args:
        motion: the joint's motion; its order is what counts.
        limits: of the same joint as a ball.
        home: the angles of a pose that is allowed; of the ranges that differ by whole turns, those around it are taken.
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
    # Of both branches the one whose first and last angle are nearer to those at home: what a continuous move reaches.
    ours = np.cos(angles[:, 0] - home[0]) + np.cos(angles[:, 2] - home[2])
    chosen = np.where(ours >= 0.0, middle, other)
    both = np.concatenate([chosen, middle])
    return ((-np.inf, np.inf), _range(both, home[1]), (-np.inf, np.inf))


def hinge_range(motion: Hinge, limits: SwingTwist, home: float) -> Pair:
    """Limits of a hinge: the turns about its axis in all rotations that `limits` allows."""
    return _range(_angle(samples(limits), motion.axis), home)


def _angle(turns: Quaternions, axis: Any) -> Vector:
    """The part of each rotation that is a turn about an axis, radians."""
    return np.asarray(2.0 * np.arctan2(turns[:, 1:] @ np.array(axis), turns[:, 0]))


def _range(angles: Vector, home: float) -> Pair:
    """The shortest arc that holds all angles, near `home`; none where it is almost the circle."""
    folded = np.sort(np.mod(angles, 2.0 * np.pi))
    gaps = np.diff(np.concatenate([folded, folded[:1] + 2.0 * np.pi]))
    widest = int(np.argmax(gaps))
    if 2.0 * np.pi - gaps[widest] > AROUND:
        return (-np.inf, np.inf)
    low = float(folded[(widest + 1) % len(folded)])
    high = low + 2.0 * np.pi - float(gaps[widest])
    whole = 2.0 * np.pi * np.round((home - 0.5 * (low + high)) / (2.0 * np.pi))
    return (min(low + whole, home), max(high + whole, home))
