"""`figure.mirrored(pose)`: the mirror image of a pose."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadValue, UnknownName
from manikin.figure.parts.sides import side_pairs

ACROSS = np.diag([-1.0, 1.0, 1.0])


def image(figure: mk.Figure, q: np.ndarray) -> np.ndarray:
    """Where each segment is in the mirror: the place of its counterpart, with x turned round."""
    other = side_pairs(figure.segment_names)
    at = figure.placements(q)[..., :3, 3] @ ACROSS
    return at[..., [figure.segment_index(other.get(name, name)) for name in figure.segment_names], :]


@pytest.mark.parametrize("make", [mk.human, mk.quadruped])
@given(rng=rngs())
def test_every_segment_is_where_its_counterpart_was_in_the_mirror(make, rng):
    figure = make()
    q = figure.integrate(figure.random(rng, 3), np.concatenate([rng.normal(size=6), np.zeros(figure.nv - 6)]))
    p = figure.mirrored(q)
    assert p.shape == q.shape
    assert_close(figure.placements(p)[..., :3, 3], image(figure, q), scale=figure.size, tol=1e-12)
    assert np.max(figure.violation(p)) <= 1e-9


@given(rng=rngs())
def test_mirrored_twice_is_the_pose_itself(rng):
    figure = mk.human()
    q = figure.random(rng)
    assert_close(figure.difference(q, figure.mirrored(figure.mirrored(q))), np.zeros(figure.nv), tol=1e-12)


def euler_arms() -> mk.Figure:
    """Two arms whose local axes are not mirror images: the right one is built half a turn about y from the left."""
    joint = mk.Euler("ZYX")
    half = (0.0, 0.0, 1.0, 0.0)
    return mk.Figure(
        "arms",
        [
            mk.Segment("Chest", None, mk.Joint("Chest", (mk.Slider((1, 0, 0)), mk.Slider((0, 1, 0)), mk.Euler("YXZ")))),
            mk.Segment("arm.L", "Chest", mk.Joint("arm.L", (joint,), offset=(0.2, 0.0, 0.0))),
            mk.Segment("hand.L", "arm.L", mk.Joint("hand.L", (mk.Hinge((0, 1, 0)),), offset=(0.3, 0.0, 0.0))),
            mk.Segment("arm.R", "Chest", mk.Joint("arm.R", (joint,), offset=(-0.2, 0.0, 0.0), rotation=half)),
            mk.Segment("hand.R", "arm.R", mk.Joint("hand.R", (mk.Hinge((0, 1, 0)),), offset=(0.3, 0.0, 0.0))),
        ],
    )


@given(rng=rngs())
def test_local_axes_need_not_be_mirror_images(rng):
    figure = euler_arms()
    q = rng.uniform(-1.2, 1.2, size=(4, figure.nq))
    assert_close(figure.placements(figure.mirrored(q))[..., :3, 3], image(figure, q), tol=1e-12)


def test_numbers_beyond_a_turn_change_sides_as_they_are():
    figure = mk.Figure(
        "wheels",
        [
            mk.Segment("Axle"),
            mk.Segment("LeftWheel", "Axle", mk.Joint("l", (mk.Hinge((1, 0, 0)),), offset=(1, 0, 0))),
            mk.Segment("RightWheel", "Axle", mk.Joint("r", (mk.Hinge((1, 0, 0)),), offset=(-1, 0, 0))),
        ],
    )
    assert_close(figure.mirrored([20.0, -7.0]), [-7.0, 20.0])


def test_pairs_can_be_given_and_are_needed_where_names_say_nothing():
    segments = [mk.Segment("Base", joint=mk.Free())]
    segments += [
        mk.Segment(n, "Base", mk.Joint(n, (mk.Hinge((1, 0, 0)),), offset=(x, 0, 0))) for n, x in (("a", 1), ("b", -1))
    ]
    figure = mk.Figure("pair", segments)
    q = figure.pose({"a": 0.5, "b": 0.2})
    with pytest.raises(BadValue, match=r"which segment is left.*pairs="):
        figure.mirrored(q)
    assert_close(figure.mirrored(q, pairs={"a": "b"})[-2:], [0.2, 0.5])
    with pytest.raises(UnknownName, match="has no segment 'c'"):
        figure.mirrored(q, pairs={"a": "c"})


def test_joints_of_different_kinds_are_refused():
    figure = mk.Figure(
        "odd",
        [
            mk.Segment("Base"),
            mk.Segment("LeftArm", "Base", mk.Joint("LeftArm", (mk.Hinge(),), offset=(1, 0, 0))),
            mk.Segment("RightArm", "Base", mk.Joint("RightArm", (mk.Ball(),), offset=(-1, 0, 0))),
        ],
    )
    with pytest.raises(BadValue, match=r"'LeftArm' \(hinge\) and 'RightArm' \(ball\)"):
        figure.mirrored(figure.rest)


def test_a_reference_pose_stands_in_for_a_rest_pose_that_is_not_symmetric():
    person = mk.human()
    rest = person.rest
    odd = person.pose({"LeftForeArm": 1.0})
    bent = person.replaced(
        segments=[
            s.replaced(joint=mk.Joint(s.joint.name, s.joint.motions, s.joint.offset, s.joint.rotation, rest=(1.0,)))
            if s.name == "LeftForeArm"
            else s
            for s in person.segments
        ]
    )
    assert_close(bent.rest, odd)
    assert_close(bent.mirrored(odd, reference=rest), person.mirrored(odd))


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (["LHipJoint", "RHipJoint", "Hips"], {"LHipJoint": "RHipJoint"}),
        (["FL_foot", "FR_foot", "HL_foot", "HR_foot"], {"FL_foot": "FR_foot", "HL_foot": "HR_foot"}),
        (["LF_leg", "RF_leg", "LH_leg", "RH_leg"], {"LF_leg": "RF_leg", "LH_leg": "RH_leg"}),
        (["arm_L__4_", "arm_L__3_", "arm_R", "arm_R__2_"], {"arm_L__4_": "arm_R", "arm_L__3_": "arm_R__2_"}),
        (["b_RightHand_08", "b_LeftHand_011"], {"b_LeftHand_011": "b_RightHand_08"}),
        (["left_knee", "right_elbow", "torso"], {}),
    ],
)
def test_names_that_differ_in_their_side_belong_together(names, pairs):
    assert side_pairs(names) == {**pairs, **{b: a for a, b in pairs.items()}}
