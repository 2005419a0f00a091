"""Bodies of an MJCF file as segments, each of their joints a joint of the figure under its own name.

A body has any number of joints that act one after the other, each about an anchor of its own. A joint of ours has one
place; so a body with several joints becomes a chain of segments, all but the last without mass and named
`body:joint`, and a body whose last joint is not at its origin hangs fixed on such a one. The segment of the body's own
name is placed as MuJoCo places the body, and `q` holds MuJoCo's `qpos`, number by number.

With body placement (p, R), and for a joint the anchor a, axis u and reference number r, MuJoCo has

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
    """A place in the space of a segment."""

    pos: Vector
    """(3,)"""
    quat: Quaternions
    """(4,) wxyz"""

    def moved(self, by: Vector) -> Place:
        """The place moved along its own axes."""
        return Place(self.pos + rotations.rotate(self.quat, by), self.quat)

    def turned(self, turn: Quaternions) -> Place:
        """The place turned about itself."""
        return Place(self.pos, rotations.multiply(self.quat, turn))

    @property
    def is_origin(self) -> bool:
        return not np.any(self.pos) and bool(self.quat[0] == 1.0)


HERE = Place(np.zeros(3), np.array(rotations.IDENTITY))


@dataclass(frozen=True, eq=False)
class Named:
    """A joint of the file and what the figure calls and makes of it."""

    record: JointRecord
    name: str
    limits: Pair
    coupling: Coupling | None
    bone: Vector
    """(3,) where the body goes from the joint, in the body's axes: the twist axis of a ball."""


def chain(
    body: BodyRecord,
    name: str,
    parent: str,
    joints: list[Named],
    fixed: Callable[[], str],
    unused: Callable[[str], str],
) -> list[Segment]:
    """The segments of a body, the last of them its own.

    Args:
        body: the record.
        name: of its segment.
        parent: name of the segment that it hangs on.
        joints: its joints in order.
        fixed: makes the name of its segment's joint, where that does not move.
        unused: makes a name of a segment one that no segment has.
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
    """The joint where the chain has come to, and where the body then is in the space of the moved segment."""
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
    """The reference pose, where the limits allow it; else the figure's own rule (the middle of the range)."""
    record = joint.record
    if record.kind == "ball":
        return ()
    if record.kind == "free":
        return numbers(record.reference)
    low, high = joint.limits
    at = float(record.reference[0])
    return (at,) if at and low <= at <= high and joint.coupling is None else ()


def cone(joint: Named) -> SwingTwist | None:
    """The limits of a ball: MuJoCo bounds the whole turn by one angle; here the swing and the twist by as much each.

    Every turn that MuJoCo allows is allowed, and those that only swing or only twist are bounded as there; a turn of
    both may be larger, up to √2 times for small angles.
    """
    most = joint.record.limits[1]
    if not most < np.pi:
        return None
    bone = joint.bone if np.any(joint.bone) else np.array([0.0, 0.0, 1.0])
    return SwingTwist(axis=numbers(bone / np.linalg.norm(bone)), swing=(most, most), twist=(-most, most))
