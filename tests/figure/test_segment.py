"""Segments: whatever is given as a joint becomes one, and inputs are copied."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from manikin.figure import Ball, Capsule, Hinge, Joint, Segment, Slider, Sphere


def test_a_motion_or_several_or_none_are_made_into_a_joint() -> None:
    assert Segment("A").joint == Joint("A")
    assert Segment("A", joint=Hinge()).joint == Joint("A", (Hinge(),))
    assert Segment("A", joint=[Slider(), Ball()]).joint == Joint("A", (Slider(), Ball()))
    assert Segment("A", joint=Joint("elbow", (Hinge(),))).joint.name == "elbow"
    assert Segment("A", joint=Joint(motions=(Hinge(),))).joint.name == "A"


def test_offset_and_rotation_place_the_joint() -> None:
    half = (0.0, 1.0, 0.0, 0.0)
    s = Segment("A", "B", Hinge(), offset=(1, 2, 3), rotation=half)
    assert s.joint.offset == (1.0, 2.0, 3.0)
    assert s.joint.rotation == half
    placed = Segment("A", "B", Joint("j", (Hinge(),), offset=(9, 9, 9)), offset=(1, 2, 3))
    assert placed.joint.offset == (1.0, 2.0, 3.0)
    kept = Segment("A", "B", Joint("j", (Hinge(),), offset=(9, 9, 9)))
    assert kept.joint.offset == (9.0, 9.0, 9.0)


def test_arrays_given_are_copied() -> None:
    center, offset, shapes = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), [Sphere()]
    s = Segment("A", center=center, offset=offset, shapes=shapes)
    center[:], offset[:] = 0.0, 0.0
    shapes.clear()
    assert s.center == (1.0, 2.0, 3.0)
    assert s.joint.offset == (4.0, 5.0, 6.0)
    assert s.shapes == (Sphere(),)


def test_one_shape_need_not_be_a_list() -> None:
    assert Segment("A", shapes=Capsule()).shapes == (Capsule(),)


def test_equal_segments_compare_and_hash_equal() -> None:
    a = Segment("A", "B", Hinge(), mass=1, center=[0, 1, 0], inertia=np.ones(6))
    b = Segment("A", "B", Hinge(), mass=1.0, center=(0.0, 1.0, 0.0), inertia=(1.0,) * 6)
    assert a == b
    assert hash(a) == hash(b)
    assert a != b.replaced(mass=2.0)
    assert pickle.loads(pickle.dumps(a)) == a


def test_replaced_changes_some_fields_and_keeps_the_rest() -> None:
    s = Segment("A", "B", Hinge(), mass=1, inertia=(1, 0, 0, 1, 0, 1), shapes=[Sphere()], offset=(1, 0, 0))
    heavier = s.replaced(mass=2)
    assert heavier == Segment(
        "A", "B", Hinge(), mass=2, inertia=(1, 0, 0, 1, 0, 1), shapes=[Sphere()], offset=(1, 0, 0)
    )
    assert s.mass == 1.0
    assert s.replaced(offset=(0, 0, 1)).joint.offset == (0.0, 0.0, 1.0)
    assert s.replaced() == s


def test_a_segment_is_frozen() -> None:
    s = Segment("A")
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.mass = 3.0  # type: ignore[misc]
