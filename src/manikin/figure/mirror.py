"""The other side of a body: mirrors segments of the left side in the plane x = 0 to get those of the right.

With M = diag(−1, 1, 1), a point p becomes M p and a rotation R becomes M R M, in every space: the quaternion (w, x, y,
z) becomes (w, x, −y, −z). Spaces stay right-handed, because the local x axis is flipped too. In a mirrored pose, hinges
and Euler angles about x have the same numbers. Euler angles about y and z change sign, and balls and free rotations
change as quaternions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manikin.errors import BadValue
from manikin.figure.joint import Ball, Euler, Free, Hinge, Motion, Numbers, Slider, SwingTwist
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule, Shape, Sphere


def mirrored_segments(segments: Sequence[Segment], side: str = "Left", other: str = "Right") -> list[Segment]:
    """The segments of one side as those of the other. The prefix `side` of names becomes `other`."""
    return [_segment(s, side, other) for s in segments]


def _segment(s: Segment, side: str, other: str) -> Segment:
    joint = replace(
        s.joint,
        name=_renamed(s.joint.name, side, other),
        motions=tuple(_motion(m) for m in s.joint.motions),
        offset=_point(s.joint.offset),
        rotation=_quaternion(s.joint.rotation),
    )
    if joint.coupling is not None:
        joint = replace(joint, coupling=replace(joint.coupling, source=_renamed(joint.coupling.source, side, other)))
    if any(joint.rest):
        raise BadValue(f"joint {s.joint.name!r} has a rest pose other than zero; only joints at zero can be mirrored")
    return s.replaced(
        name=_renamed(s.name, side, other),
        parent=None if s.parent is None else _renamed(s.parent, side, other),
        joint=joint,
        center=_point(s.center),
        inertia=_inertia(s.inertia),
        shapes=tuple(_shape(shape) for shape in s.shapes),
    )


def _renamed(name: str, side: str, other: str) -> str:
    return other + name[len(side) :] if name.startswith(side) else name


def _motion(motion: Motion) -> Motion:
    if isinstance(motion, Hinge):
        return replace(motion, axis=_turn(motion.axis))
    if isinstance(motion, Slider):
        return replace(motion, axis=_point(motion.axis))
    if isinstance(motion, Euler):
        limits = tuple(
            (low, high) if letter == "X" else (0.0 - high, 0.0 - low)
            for letter, (low, high) in zip(motion.order, motion.limits, strict=True)
        )
        return replace(motion, limits=limits)
    if isinstance(motion, Ball) and motion.limits is not None:
        return Ball(_cone(motion.limits))
    assert isinstance(motion, (Ball, Free))
    return motion


def _cone(cone: SwingTwist) -> SwingTwist:
    low, high = cone.twist
    return SwingTwist(
        axis=_point(cone.axis),
        swing=cone.swing,
        twist=(0.0 - high, 0.0 - low),
        first=_turn(cone.first),
        reference=_quaternion(cone.reference),
    )


def _shape(shape: Shape) -> Shape:
    if isinstance(shape, Sphere):
        return replace(shape, center=_point(shape.center))
    if isinstance(shape, Capsule):
        return replace(shape, start=_point(shape.start), end=_point(shape.end))
    assert isinstance(shape, Box)
    return replace(shape, center=_point(shape.center), rotation=_quaternion(shape.rotation))


def _point(p: Numbers) -> Numbers:
    """M p. Zeros stay positive, so that mirroring twice gives an identical result."""
    return (0.0 - p[0], p[1], p[2])


def _turn(axis: Numbers) -> Numbers:
    """−M a: the axis of the mirrored rotation by the same angle."""
    return (axis[0], 0.0 - axis[1], 0.0 - axis[2])


def _quaternion(q: Numbers) -> Numbers:
    return (q[0], q[1], 0.0 - q[2], 0.0 - q[3])


def _inertia(inertia: Numbers) -> Numbers:
    """M I M: the products of inertia with x change sign."""
    if not inertia:
        return ()
    xx, xy, xz, yy, yz, zz = inertia
    return (xx, 0.0 - xy, 0.0 - xz, yy, yz, zz)
