"""Converts bodies of an MJCF file to segments. Every joint of a body becomes a joint of the figure with the same name.

An MJCF body has any number of joints that act one after the other, each with a separate anchor. A joint of a figure has
one placement. So a body with several joints becomes a chain of segments; all but the last are massless and named
`body:joint`. If the last joint is not at the origin of the body, the body is fixed to such a segment. The segment with
the name of the body has the placement of the body in MuJoCo, and `q` has the numbers of MuJoCo's `qpos`.

For a body placement (p, R) and a joint with anchor a, axis u and reference value r, MuJoCo computes

    slide     x = p + R u (q − r)
    hinge     R' = R exp(u (q − r)),   x = p + R a − R' a          ball: the same with a quaternion, r = 1
    free      x = q[:3], R' = q[3:], whatever p and R are
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from manikin import rotations
from manikin.arrays import Quaternions, Vector
from manikin.figure.joint import Ball, Coupling, Free, Hinge, Joint, Motion, Pair, Slider, SwingTwist
from manikin.figure.segment import Segment
from manikin.files.mjcf.model import BodyRecord, JointRecord
from manikin.files.mjcf.shapes import numbers


@dataclass(frozen=True, eq=False)
class Place:
    """A placement in the space of a segment."""

    pos: Vector
    """(3,)"""
    quat: Quaternions
    """(4,) wxyz"""

    def moved(self, by: Vector) -> Place:
        """The placement moved along its own axes."""
        return Place(self.pos + rotations.rotate(self.quat, by), self.quat)

    def turned(self, turn: Quaternions) -> Place:
        """The placement rotated about its origin."""
        return Place(self.pos, rotations.multiply(self.quat, turn))

    @property
    def is_origin(self) -> bool:
        return not np.any(self.pos) and bool(self.quat[0] == 1.0)


HERE = Place(np.zeros(3), np.array(rotations.IDENTITY))


@dataclass(frozen=True, eq=False)
class Named:
    """A joint of the file, and its name and form in the figure."""

    record: JointRecord
    name: str
    limits: Pair
    coupling: Coupling | None
    bone: Vector
    """(3,) direction from the joint along the body, in the body's axes: the twist axis of a ball."""


def chain(
    body: BodyRecord,
    name: str,
    parent: str,
    joints: list[Named],
    fixed: Callable[[], str],
    unused: Callable[[str], str],
) -> list[Segment]:
    """The chain of segments of a body. The last one has the name of the body.

    Args:
        body: the record of the body.
        name: the name of its segment.
        parent: the name of its parent segment.
        joints: its joints, in order.
        fixed: returns the name for a fixed joint of its segment.
        unused: returns a segment name that is not taken.
    """
    out: list[Segment] = []
    place = Place(body.pos, body.quat)
    for k, joint in enumerate(joints):
        made, place = _joint(joint, place)
        own = k == len(joints) - 1 and place.is_origin
        called = name if own else unused(f"{name}:{joint.name}")
        out.append(Segment(called, parent, made))
        parent = called
        if own:
            return out
    rest = Joint(fixed(), (), numbers(place.pos), numbers(place.quat))
    return [*out, Segment(name, parent, rest)]


def _joint(joint: Named, place: Place) -> tuple[Joint, Place]:
    """The joint at the current end of the chain, and the placement of the body in the space of the moved segment."""
    record = joint.record
    u, r = record.axis, float(record.reference[0])
    after = HERE
    motion: Motion
    if record.kind == "free":
        place, motion = HERE, Free()
    elif record.kind == "slide":
        place, motion = place.moved(-r * u), Slider(numbers(u), joint.limits)
    else:
        place, after = place.moved(record.pos), Place(0.0 - record.pos, HERE.quat)
        if record.kind == "hinge":
            place = place.turned(rotations.from_axis_angle(u, -r)) if r else place
            motion = Hinge(numbers(u), joint.limits)
        else:
            motion = Ball(cone(joint))
    made = Joint(joint.name, (motion,), numbers(place.pos), numbers(place.quat), coupling=joint.coupling)
    return replace(made, rest=_rest(joint)), after


def _rest(joint: Named) -> tuple[float, ...]:
    """The reference pose if the limits allow it, or else the default of the figure (the middle of the range)."""
    record = joint.record
    if record.kind == "ball":
        return ()
    if record.kind == "free":
        return numbers(record.reference)
    low, high = joint.limits
    at = float(record.reference[0])
    return (at,) if at and low <= at <= high and joint.coupling is None else ()


def cone(joint: Named) -> SwingTwist | None:
    """The limits of a ball. MuJoCo limits the total rotation by one angle; here this angle limits both the swing and
    the twist.

    Every rotation that MuJoCo allows is allowed. Pure swings and pure twists have the same limit as in MuJoCo. A
    combined rotation may be larger, up to √2 times for small angles.
    """
    most = joint.record.limits[1]
    if not most < np.pi:
        return None
    bone = joint.bone if np.any(joint.bone) else np.array([0.0, 0.0, 1.0])
    return SwingTwist(axis=numbers(bone / np.linalg.norm(bone)), swing=(most, most), twist=(-most, most))
