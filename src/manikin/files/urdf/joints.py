"""One <joint> of a URDF file.

revolute     Hinge with limits                 continuous   Hinge without limits
prismatic    Slider with limits                fixed        no motion
floating     Free                              planar       two Sliders and a Hinge (see `planar_axes`)
spherical    Ball (not in the specification; used by Bullet and the humanoids made for it)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import ManikinError
from manikin.figure.joint import Ball, Free, Hinge, Joint, Motion, Numbers, Pair, Slider
from manikin.files.common.xml_safe import Element
from manikin.files.urdf.parts import LIMITLESS, Reading

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
READ = frozenset(["parent", "child", "origin", "axis", "limit", "mimic"])
"""Elements of a joint that are read. The others are kept as text."""


@dataclass(frozen=True, eq=False)
class JointRecord:
    """A joint of the file and the two links that it connects."""

    element: Element
    joint: Joint
    """Name, placement and motions, without the coupling."""
    kind: str
    """One of KINDS."""
    parent: str
    child: str
    mimic: Element | None

    @property
    def name(self) -> str:
        return self.joint.name


def read_joint(reading: Reading, element: Element) -> JointRecord:
    """Raises BadFile with the line of the error."""
    name = reading.text(element, "name", "a joint")
    owner = f"joint {name!r}"
    for child in element.children:
        reading.skip_xacro(child)
    kind = element.attributes.get("type", "")
    if kind not in KINDS:
        reading.fail(element, f"{owner} has type {kind!r}; it must be one of {', '.join(KINDS)}")
    ends = []
    for tag in ("parent", "child"):
        end = element.first(tag)
        if end is None:
            reading.fail(element, f'{owner} has no {tag}; it needs <{tag} link="…"/>')
        ends.append(reading.text(end, "link", f"{owner}: {tag}"))
    offset, rotation = reading.origin(element, owner)
    motions = _motions(reading, element, kind, owner)
    try:
        joint = Joint(name, motions, offset, rotation)
    except ManikinError as error:
        reading.fail(element, str(error))
    mimic = element.first("mimic")
    if mimic is not None and joint.nq != 1:
        if joint.nq > 1:
            reading.fail(mimic, f"{owner} is {kind}; only a joint with one number can mimic another joint")
        reading.note(mimic, f"{owner} is fixed, so its <mimic> is left out")
        mimic = None
    return JointRecord(element, joint, kind, ends[0], ends[1], mimic)


def _motions(reading: Reading, element: Element, kind: str, owner: str) -> tuple[Motion, ...]:
    if kind == "fixed":
        return ()
    if kind == "floating":
        return (Free(),)
    if kind == "spherical":
        limit = element.first("limit")
        if limit is not None and {"lower", "upper", "twist"} & limit.attributes.keys():
            reading.warn(limit, f"{owner} is spherical; URDF does not define limits for this type, so they are ignored")
        return (Ball(),)
    axis = _axis(reading, element, owner)
    if kind == "planar":
        first, second, normal = planar_axes(axis)
        return (Slider(first), Slider(second), Hinge(normal))
    limits, speed = _limits(reading, element, kind, owner)
    return (Slider(axis, limits, speed),) if kind == "prismatic" else (Hinge(axis, limits, speed),)


def _axis(reading: Reading, element: Element, owner: str) -> Numbers:
    """The axis, scaled to length 1. The default is x, as in the URDF specification."""
    axis = element.first("axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    values = reading.three(axis, "xyz", f"{owner}: axis")
    try:
        return _tuple(arrays.direction(values, f"{owner}: axis"))
    except ManikinError as error:
        reading.fail(axis, str(error))


def planar_axes(axis: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The axes of a planar joint: two in the plane, and its normal.

    The normal is the joint's axis, as in the URDF specification. The specification does not define the two axes in the
    plane. If the normal is z, they are x and y, as in Pinocchio and MoveIt, which support only that plane. If it is x,
    they are y and z; if it is y, they are z and x. For an oblique normal n, they are x and y rotated by the shortest
    rotation from z to n. The segment slides first and then turns, so its origin is at (x, y) of the plane for every
    angle.
    """
    for k in range(3):
        if axis == tuple(float(k == i) for i in range(3)):
            unit = np.eye(3)
            return _tuple(unit[(k + 1) % 3]), _tuple(unit[(k + 2) % 3]), axis
    x, y, z = axis
    # The shortest rotation from z to n. For n = −z it is about x.
    if z > -1.0 + 1e-12:
        first = np.array([1.0 - x * x / (1.0 + z), -x * y / (1.0 + z), -x])
    else:
        first = np.array([1.0, 0.0, 0.0])
    first = first - np.array(axis) * (np.array(axis) @ first)
    first = first / np.linalg.norm(first)
    return _tuple(first), _tuple(np.cross(axis, first)), axis


def _limits(reading: Reading, element: Element, kind: str, owner: str) -> tuple[Pair, float]:
    """(lower, upper) limits and the speed limit of a revolute, continuous or prismatic joint."""
    limit = element.first("limit")
    free = (-np.inf, np.inf)
    if limit is None:
        if kind != "continuous":
            reading.warn(element, f"{owner} is {kind} but has no <limit>; it is unlimited")
        return free, np.inf
    speed = reading.number(limit, "velocity", f"{owner}: limit", default=0.0)
    if speed < 0.0:
        reading.warn(limit, f"{owner}: velocity is {speed:g}, which is negative; the speed is unlimited")
    speed = np.inf if speed <= 0.0 or speed >= LIMITLESS else speed
    if kind == "continuous":
        return free, speed
    if "lower" not in limit.attributes and "upper" not in limit.attributes:
        reading.note(limit, f"{owner} has a <limit> without lower and upper; both are 0, as URDF specifies")
    lower = reading.number(limit, "lower", f"{owner}: limit", default=0.0)
    upper = reading.number(limit, "upper", f"{owner}: limit", default=0.0)
    if lower > upper:
        reading.warn(limit, f"{owner}: lower {lower:g} is above upper {upper:g}; the two are swapped")
        lower, upper = upper, lower
    if lower >= LIMITLESS or upper <= -LIMITLESS:
        reading.fail(limit, f"{owner}: limits {lower:g} to {upper:g} leave no allowed value")
    return (-np.inf if lower <= -LIMITLESS else lower, np.inf if upper >= LIMITLESS else upper), speed


def _tuple(values: Vector) -> Numbers:
    return tuple(float(x) + 0.0 for x in values)
