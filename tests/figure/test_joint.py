"""Joints: their fields, how they compare, and the names of their kinds."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_cone, random_direction, random_figure, rngs

from manikin import rotations
from manikin.errors import BadValue
from manikin.figure import Ball, Coupling, Euler, Free, Hinge, Joint, Slider, SwingTwist
from manikin.figure.joint import number_count


@pytest.mark.parametrize(
    ("motions", "kind", "nq"),
    [
        ((), "fixed", 0),
        ((Hinge(),), "hinge", 1),
        ((Slider(),), "slider", 1),
        ((Euler("XY"),), "euler", 2),
        ((Euler("ZXZ"),), "euler", 3),
        ((Ball(),), "ball", 4),
        ((Free(),), "free", 7),
        ((Slider(), Slider(), Euler("ZXY")), "slider+slider+euler", 5),
        ((Slider(), Ball()), "slider+ball", 5),
    ],
)
def test_a_joint_knows_its_kind_and_how_many_numbers_it_has(motions: Any, kind: str, nq: int) -> None:
    joint = Joint("j", motions)
    assert (joint.kind, joint.nq) == (kind, nq)
    assert sum(number_count(m) for m in joint.motions) == nq


def test_one_motion_need_not_be_a_tuple() -> None:
    assert Joint("j", Hinge()).motions == (Hinge(),)  # type: ignore[arg-type]


def test_axes_are_scaled_to_length_one() -> None:
    assert Hinge((0, 3, 4)).axis == (0.0, 0.6, 0.8)
    assert Slider((0, 0, -2)).axis == (0.0, 0.0, -1.0)
    assert SwingTwist(axis=(5, 0, 0)).axis == (1.0, 0.0, 0.0)


def test_limits_are_kept_as_plain_floats() -> None:
    hinge = Hinge(limits=(np.float32(-1), None))  # type: ignore[arg-type]
    assert hinge.limits == (-1.0, np.inf)
    assert all(type(x) is float for x in hinge.limits)
    assert Euler("xy").limits == ((-np.inf, np.inf),) * 2
    assert Euler("xy").order == "XY"


def test_equal_joints_compare_and_hash_equal_whatever_they_were_given_as() -> None:
    a = Joint("j", (Hinge((0, 0, 2), [0, 1]),), offset=np.array([1, 2, 3]), rotation=[1, 0, 0, 0])  # type: ignore[arg-type]
    b = Joint("j", (Hinge((0, 0, 1), (0.0, 1.0)),), offset=(1.0, 2.0, 3.0))
    assert a == b
    assert hash(a) == hash(b)
    assert a != b.renamed("k")
    assert b.renamed("k").name == "k"


@given(rngs())
def test_any_joint_is_frozen_and_travels_by_pickle(rng: np.random.Generator) -> None:
    for joint in (s.joint for s in random_figure(rng).segments):
        assert pickle.loads(pickle.dumps(joint)) == joint
        for part in (joint, *joint.motions):
            for f in dataclasses.fields(part):
                with pytest.raises(dataclasses.FrozenInstanceError):
                    setattr(part, f.name, None)


@given(rngs())
def test_making_a_joint_again_from_its_fields_changes_nothing(rng: np.random.Generator) -> None:
    """What is scaled and made perpendicular once stays as it is, to the bit: files depend on it."""
    for joint in (s.joint for s in random_figure(rng).segments):
        assert dataclasses.replace(joint, motions=tuple(dataclasses.replace(m) for m in joint.motions)) == joint
    cone = random_cone(rng)
    assert dataclasses.replace(cone) == cone


@given(rngs())
def test_the_basis_of_a_cone_is_orthonormal_and_right_handed(rng: np.random.Generator) -> None:
    axis, first = random_direction(rng), random_direction(rng)
    near = float(rng.choice([1.0, 1e-2, 2e-6]))  # how far from along the axis
    first = axis + near * first if np.linalg.norm(np.cross(axis, first)) > 0.6 else rotations.perpendicular(axis)
    cone = SwingTwist(axis=tuple(axis), first=tuple(first))
    B = cone.basis
    assert_close(B @ B.T, np.eye(3), tol=1e-15)
    assert_close(np.cross(B[0], B[1]), B[2], tol=1e-15)
    assert_close(B[2], axis, tol=1e-15)
    assert B[0] @ first > 0.0
    assert_close(np.cross(axis, first) @ B[0], 0.0, tol=1e-15)  # it stays in the plane of the two
    assert dataclasses.replace(cone) == cone


def test_a_twist_range_beyond_a_turn_is_cut_to_one() -> None:
    assert SwingTwist(twist=(-10, 1)).twist == (-np.pi, 1.0)
    assert SwingTwist(twist=None).twist == (-np.pi, np.pi)  # type: ignore[arg-type]


def test_defaults_are_free_and_at_the_parents_origin() -> None:
    assert Joint().offset == (0.0, 0.0, 0.0)
    assert Joint().rotation == rotations.IDENTITY
    assert Hinge().limits == Slider().limits == (-np.inf, np.inf)
    assert Ball().limits is None
    assert Coupling("lead") == Coupling("lead", 1.0, 0.0)


def test_a_joint_at_another_place_equals_a_new_one_and_checks_its_numbers():
    joint = Joint("Knee", (Hinge((1, 0, 0), limits=(0.0, 2.4)),), offset=(0.0, -0.4, 0.0), rest=(0.3,))
    assert joint.placed((0.0, -0.5, 0.0), (0.2,)) == dataclasses.replace(joint, offset=(0.0, -0.5, 0.0), rest=(0.2,))
    assert joint.offset == (0.0, -0.4, 0.0)
    with pytest.raises(BadValue, match="rest has 2 numbers; it needs 1"):
        joint.placed((0.0, -0.5, 0.0), (0.2, 0.1))
    with pytest.raises(BadValue, match=r"offset\[1\] is -inf"):
        joint.placed((0.0, -np.inf, 0.0), (0.2,))
