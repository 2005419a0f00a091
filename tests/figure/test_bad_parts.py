"""Bad input while a figure is made, part by part: one clear error each."""

# mypy: disable-error-code="arg-type, list-item, misc"
# Wrong types are what these tests are about.

from __future__ import annotations

import numpy as np
import pytest
from checks import Case, assert_refused

from manikin.errors import BadShape, BadValue, UnknownName
from manikin.figure import Ball, Box, Capsule, Coupling, Euler, Free, Hinge, Joint, Segment, Slider, Sphere, SwingTwist

JOINTS: dict[str, Case] = {
    "zero axis": (lambda: Hinge(axis=(0, 0, 0)), BadValue, r"hinge axis is \(0, 0, 0\), which has no direction"),
    "zero slider axis": (lambda: Slider(axis=(0, 0, 0)), BadValue, r"slider axis is \(0, 0, 0\).* length above 0"),
    "axis of two": (lambda: Hinge(axis=(1, 0)), BadShape, r"hinge axis has shape \(2,\); it needs \(3,\)"),
    "axis NaN": (lambda: Hinge(axis=(np.nan, 0, 1)), BadValue, r"hinge axis\[0\] is nan; it needs a finite number"),
    "axis a word": (lambda: Hinge(axis="z"), BadValue, r"hinge axis needs numbers, got 'z'"),
    "limits in the wrong order": (
        lambda: Hinge(limits=(1, -1)),
        BadValue,
        r"hinge: .*in the wrong order, lower 1 is above upper -1",
    ),
    "limits NaN": (
        lambda: Slider(limits=(np.nan, 1)),
        BadValue,
        r"slider: limit is NaN; it needs a number, or infinity",
    ),
    "limits one number": (lambda: Hinge(limits=2), BadValue, r"limits are 2; they must be a pair"),
    "limits words": (lambda: Hinge(limits=("a", "b")), BadValue, r"hinge: limit 'a' is not a number"),
    "speed zero": (lambda: Hinge(speed=0), BadValue, r"hinge: speed is 0; it must be above 0"),
    "speed NaN": (lambda: Slider(speed=np.nan), BadValue, r"slider: speed is nan; it must be above 0"),
    "speed a word": (lambda: Slider(speed="fast"), BadValue, r"slider: speed 'fast' is not a number"),
    "order twice": (
        lambda: Euler("XXY"),
        BadValue,
        r"Euler order is 'XXY'; it needs two or three of X, Y, Z, without the same letter twice",
    ),
    "order unknown": (lambda: Euler("XYW"), BadValue, r"Euler order is 'XYW'"),
    "order too long": (lambda: Euler("XYZX"), BadValue, r"Euler order is 'XYZX'"),
    "order of one": (lambda: Euler("X"), BadValue, r"Euler order is 'X'"),
    "order a number": (lambda: Euler(3), BadValue, r"Euler order is 3"),
    "too few limits": (lambda: Euler("XYZ", ((0, 1),)), BadValue, r"Euler joint XYZ has 1 limits; it needs 3"),
    "Euler limits in the wrong order": (
        lambda: Euler("XY", ((0, 1), (2, 1))),
        BadValue,
        r"Euler angle Y: limits are in the wrong order, lower 2 is above upper 1",
    ),
    "Euler limits a number": (lambda: Euler("XY", 3), BadValue, r"Euler joint XY: limits are 3; .* pair .* angle"),
    "swing zero": (lambda: SwingTwist(swing=(0, 1)), BadValue, r"swing is \(0, 1\); each half angle must be above 0"),
    "swing too wide": (lambda: SwingTwist(swing=(1, 4)), BadValue, r"swing is \(1, 4\); .* at most π"),
    "swing NaN": (lambda: SwingTwist(swing=(np.nan, 1)), BadValue, r"swing is \(nan, 1\)"),
    "swing one number": (lambda: SwingTwist(swing=1), BadValue, r"swing is 1; it needs two half angles"),
    "swing words": (lambda: SwingTwist(swing=("a", "b")), BadValue, r"swing is \('a', 'b'\); it needs two"),
    "twist in the wrong order": (lambda: SwingTwist(twist=(1, -1)), BadValue, r"twist: limits are in the wrong order"),
    "twist beyond a turn": (lambda: SwingTwist(twist=(4, 5)), BadValue, r"twist limits \(4, 5\) are outside ±π"),
    "twist axis zero": (lambda: SwingTwist(axis=(0, 0, 0)), BadValue, r"twist axis is \(0, 0, 0\)"),
    "first along the axis": (
        lambda: SwingTwist(axis=(0, 1, 0), first=(0, 2, 0)),
        BadValue,
        r"first swing axis \(0.0, 2.0, 0.0\) is parallel to the twist axis \(0.0, 1.0, 0.0\); it must not be",
    ),
    "first zero": (
        lambda: SwingTwist(first=(0, 0, 0)),
        BadValue,
        r"first swing axis .* is parallel to the twist axis .*; it must not be",
    ),
    "first a number": (lambda: SwingTwist(first=3), BadShape, r"first swing axis has shape \(\); it needs \(3,\)"),
    "first None": (lambda: SwingTwist(first=None), BadValue, r"first swing axis needs numbers, got None"),
    "reference unnormalised": (
        lambda: SwingTwist(reference=(1, 1, 0, 0)),
        BadValue,
        r"cone reference: quaternion \(1, 1, 0, 0\) has length 1.41421; it needs length 1, in the order w, x, y, z",
    ),
    "reference zero": (lambda: SwingTwist(reference=(0, 0, 0, 0)), BadValue, r"cone reference: .* is zero"),
    "ball with a pair": (lambda: Ball((-1, 1)), BadValue, r"ball limits are \(-1, 1\); .* SwingTwist"),
    "no such motion": (
        lambda: Joint("elbow", ("hinge",)),
        BadValue,
        r"joint 'elbow': motion 'hinge' is not one of Slider",
    ),
    "rotation before slider": (
        lambda: Joint("elbow", (Hinge(), Slider())),
        BadValue,
        r"joint 'elbow' has motions Hinge, Slider; it needs sliders first, then at most one rotation",
    ),
    "two rotations": (lambda: Joint("elbow", (Hinge(), Ball())), BadValue, r"joint 'elbow' has motions Hinge, Ball"),
    "free with others": (
        lambda: Joint("root", (Slider(), Free())),
        BadValue,
        r"joint 'root': a Free motion cannot be combined with others",
    ),
    "joint rotation zero": (
        lambda: Joint("elbow", rotation=(0, 0, 0, 0)),
        BadValue,
        r"joint 'elbow': rotation: quaternion \(0, 0, 0, 0\) is zero; it needs length 1",
    ),
    "joint offset NaN": (lambda: Joint("a", offset=(0, np.nan, 0)), BadValue, r"joint 'a': offset\[1\] is nan"),
    "joint offset of two": (lambda: Joint("a", offset=(0, 1)), BadShape, r"joint 'a': offset has shape \(2,\)"),
    "rest of the wrong length": (
        lambda: Joint("a", (Ball(),), rest=(1.0, 0.0)),
        BadValue,
        r"joint 'a': rest has 2 numbers; it needs 4",
    ),
    "rest NaN": (lambda: Joint("a", (Hinge(),), rest=(np.nan,)), BadValue, r"joint 'a': rest\[0\] is nan"),
    "coupling of a ball": (
        lambda: Joint("a", (Ball(),), coupling=Coupling("b")),
        BadValue,
        r"joint 'a' has 4 numbers; only a hinge or a slider can be coupled",
    ),
    "coupling a name": (
        lambda: Joint("a", (Hinge(),), coupling="b"),
        BadValue,
        r"joint 'a': coupling is 'b'; .* Coupling",
    ),
    "coupling ratio NaN": (
        lambda: Coupling("b", np.nan),
        BadValue,
        r"coupling to 'b': ratio is nan; it needs a finite",
    ),
    "coupling offset a word": (lambda: Coupling("b", 1, "x"), BadValue, r"coupling to 'b': offset is 'x'"),
    "coupling source a number": (lambda: Coupling(4), BadValue, r"coupling source is 4; .* name"),
    "joint name a number": (lambda: Joint(4), BadValue, r"joint name is 4; .* string"),
}

SHAPES: dict[str, Case] = {
    "sphere radius": (lambda: Sphere(radius=0), BadValue, r"sphere radius is 0; it must be above 0"),
    "sphere center": (lambda: Sphere(center=(1, 2)), BadShape, r"sphere center has shape \(2,\); it needs \(3,\)"),
    "capsule radius": (lambda: Capsule(radius=-1), BadValue, r"capsule radius is -1; it must be above 0"),
    "capsule end": (lambda: Capsule(end=(0, np.inf, 0)), BadValue, r"capsule end\[1\] is inf"),
    "box edge": (lambda: Box(half=(1, 0, 1)), BadValue, r"half edge of a box is 0; it must be above 0"),
    "box edges": (lambda: Box(half=1), BadShape, r"box half edges has shape \(\); it needs \(3,\)"),
    "box rotation": (lambda: Box(rotation=(2, 0, 0, 0)), BadValue, r"box rotation: quaternion .* has length 2"),
}

SEGMENTS: dict[str, Case] = {
    "no name": (lambda: Segment(""), BadValue, r"segment name is ''; it needs a string of at least one character"),
    "name a number": (lambda: Segment(3), BadValue, r"segment name is 3"),
    "parent a segment": (
        lambda: Segment("A", Segment("B")),
        BadValue,
        r"segment 'A': parent is Segment.*needs the name",
    ),
    "joint a word": (lambda: Segment("A", joint="hinge"), BadValue, r"segment 'A': joint is 'hinge'; it needs a Joint"),
    "mass negative": (lambda: Segment("A", mass=-1), BadValue, r"segment 'A': mass is -1; it must be at least 0"),
    "mass NaN": (lambda: Segment("A", mass=np.nan), BadValue, r"segment 'A': mass is nan; it needs a finite number"),
    "mass a word": (lambda: Segment("A", mass="heavy"), BadValue, r"segment 'A': mass is 'heavy'; it needs one number"),
    "center of two": (lambda: Segment("A", center=(0, 1)), BadShape, r"segment 'A': center has shape \(2,\)"),
    "center None": (lambda: Segment("A", center=None), BadValue, r"segment 'A': center needs numbers, got None"),
    "inertia of three": (
        lambda: Segment("A", inertia=(1, 1, 1)),
        BadShape,
        r"segment 'A': inertia has shape \(3,\); .*6",
    ),
    "inertia a number": (lambda: Segment("A", inertia=2.0), BadShape, r"segment 'A': inertia has shape \(\); .*6"),
    "shape a word": (
        lambda: Segment("A", shapes=["ball"]),
        BadValue,
        r"segment 'A': shape 'ball' is not one of Sphere",
    ),
    "rotation off unit": (lambda: Segment("A", rotation=(1, 0, 0, 1)), BadValue, r"joint 'A': rotation: quaternion"),
    "offset NaN": (lambda: Segment("A", offset=(np.nan, 0, 0)), BadValue, r"joint 'A': offset\[0\] is nan"),
    "unknown field": (lambda: Segment("A").replaced(weight=2), UnknownName, r"segment 'A' has no field 'weight'"),
}


@pytest.mark.parametrize("name", JOINTS)
def test_a_bad_joint_is_refused(name: str) -> None:
    assert_refused(*JOINTS[name])


@pytest.mark.parametrize("name", SHAPES)
def test_a_bad_shape_is_refused(name: str) -> None:
    assert_refused(*SHAPES[name])


@pytest.mark.parametrize("name", SEGMENTS)
def test_a_bad_segment_is_refused(name: str) -> None:
    assert_refused(*SEGMENTS[name])
