"""The built-in person: it stands as it should, and weighs and measures what people do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bodies import assert_has_no_holes_and_far_parts_apart, axes, extent, place
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st

from manikin import rotations
from manikin.arrays import Points
from manikin.errors import BadValue
from manikin.figure import Ball, Euler, Figure
from manikin.figure.human.anthropometry import INERTIA, RAYS, STATURE
from manikin.figure.human.hand import BENDS
from manikin.figure.human.human import human
from manikin.figure.human.trunk import GROUPS
from manikin.figure.shapes import Capsule, Sphere
from manikin.kinematics import swing_twist

FIGURE = human()
H = 1.75
heights = st.floats(0.8, 2.3)
builds = st.floats(12.0, 50.0)  # kg/m²


# What it has


def test_it_has_more_than_a_hundred_degrees_of_freedom() -> None:
    assert FIGURE.nv > 100
    assert (FIGURE.nq, FIGURE.nv, len(FIGURE.segments)) == (127, 110, 72)
    assert (FIGURE.name, FIGURE.unit, FIGURE.up) == ("human", 1.0, "y")


def test_its_names_are_those_of_mixamo() -> None:
    sides = [
        ["Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase", "Toe_End"],
        [f"Hand{f}{k}" for f in ("Thumb", "Index", "Middle", "Ring", "Pinky") for k in (1, 2, 3, 4)],
    ]
    wanted = {"Hips", "Spine", "Spine1", "Spine2", "Neck", "Head", "HeadTop_End"}
    wanted |= {side + name for side in ("Left", "Right") for names in sides for name in names}
    assert wanted <= set(FIGURE.segment_names)


def test_it_has_five_spine_joints_eyes_and_a_twist_in_each_forearm() -> None:
    assert sum(name.startswith("Spine") for name in FIGURE.segment_names) == 5
    for name in ("LeftEye", "RightEye"):
        assert FIGURE.segment(name).joint.kind == "euler"
    for name in ("LeftForeArmTwist", "RightForeArmTwist"):
        assert FIGURE.segment(name).joint.kind == "hinge"


def test_joints_of_three_degrees_of_freedom_are_balls_with_limits() -> None:
    for s in FIGURE.segments:
        for motion in s.joint.motions:
            assert not (isinstance(motion, Euler) and len(motion.order) == 3)
            assert not (isinstance(motion, Ball) and motion.limits is None)


def test_every_segment_but_the_tips_has_mass_and_a_shape() -> None:
    for s in FIGURE.segments:
        tip = s.name.endswith(("_End", "4")) and s.name != "Spine4"
        assert (s.mass > 0.0, len(s.shapes) > 0) == (not tip, not tip), s.name
        assert all(isinstance(shape, (Capsule, Sphere)) for shape in s.shapes)


# How it stands


@given(heights, builds)
def test_it_is_as_tall_and_as_heavy_as_asked_and_stands_on_the_ground(height: float, build: float) -> None:
    mass = build * height**2
    figure = human(height, mass)
    low, high = extent(figure, figure.rest)
    assert_close([low, high], [0.0, height], scale=height, tol=1e-9)
    assert_close(place(figure, figure.rest, "HeadTop_End")[1], height, tol=1e-9)
    assert abs(figure.mass - mass) <= 1e-12 * mass


def test_the_rest_pose_is_zero_but_for_the_place_of_the_hips() -> None:
    balls = set(FIGURE.layout.balls.tolist())
    wanted = [1.0 if n in balls else 0.0 for n in range(FIGURE.nq)]
    wanted[1] = STATURE["hip"] * H
    assert_close(FIGURE.rest, wanted, tol=0.0)


def test_the_rest_pose_is_well_inside_every_limit() -> None:
    assert FIGURE.violation(FIGURE.rest) == 0.0
    margin = np.deg2rad(3.0)
    plain = np.isfinite(FIGURE.lower)
    assert (FIGURE.rest - FIGURE.lower)[plain].min() > margin
    assert (FIGURE.upper - FIGURE.rest)[plain].min() > margin
    for s in FIGURE.segments:
        for motion in s.joint.motions:
            if isinstance(motion, Ball) and motion.limits is not None:
                cone = motion.limits
                at = swing_twist.decompose(rotations.inverse(np.array(cone.reference)), cone.basis)
                assert np.hypot(at[0] / cone.swing[0], at[1] / cone.swing[1]) < 0.8, s.name
                assert cone.twist[0] < at[2] - 0.04 < at[2] + 0.04 < cone.twist[1], s.name


def test_its_left_is_at_plus_x_and_it_looks_along_z() -> None:
    q = FIGURE.rest
    for name in ("LeftHand", "LeftFoot", "LeftEye"):
        assert place(FIGURE, q, name)[0] > 0.02
    assert place(FIGURE, q, "LeftToe_End")[2] > place(FIGURE, q, "LeftFoot")[2] + 0.1
    assert place(FIGURE, q, "LeftEye")[2] > place(FIGURE, q, "Head")[2] + 0.05
    assert_close(place(FIGURE, q, "Hips")[[0, 2]], [0.0, 0.0], tol=1e-15)


def test_trunk_and_legs_have_the_axes_of_the_world_at_rest() -> None:
    trunk = ["Hips", *GROUPS, "LeftEye", "LeftShoulder", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"]
    for name in trunk:
        assert_close(axes(FIGURE, FIGURE.rest, name), np.eye(3), tol=1e-15)


def test_the_arms_hang_a_little_away_from_the_body_with_the_palms_to_the_thighs() -> None:
    q = FIGURE.rest
    down = place(FIGURE, q, "LeftForeArm") - place(FIGURE, q, "LeftArm")
    assert 15.0 <= np.rad2deg(np.arccos(-down[1] / np.linalg.norm(down))) <= 20.0
    palm = axes(FIGURE, q, "LeftHand")[:, 2]
    assert palm[0] < -0.9  # toward the body
    assert place(FIGURE, q, "LeftHandThumb4")[2] > place(FIGURE, q, "LeftHandPinky4")[2] + 0.04  # thumb in front


def test_arm_segments_point_along_their_own_y_axis() -> None:
    chain = ["LeftArm", "LeftForeArm", "LeftForeArmTwist", "LeftHandIndex1", "LeftHandIndex2", "LeftHandIndex3"]
    for name, after in zip(
        chain, ["LeftForeArm", "LeftForeArmTwist", "LeftHand", *chain[4:], "LeftHandIndex4"], strict=True
    ):
        offset = np.array(FIGURE.segment(after).joint.offset)
        assert_close(offset / np.linalg.norm(offset), [0.0, 1.0, 0.0], tol=1e-15)
        assert FIGURE.segment(after).parent == name


def test_it_would_not_fall_over_at_rest() -> None:
    c = FIGURE.center_of_mass(FIGURE.rest)
    heel = place(FIGURE, FIGURE.rest, "LeftFoot")[2]
    toes = place(FIGURE, FIGURE.rest, "LeftToeBase")[2]
    assert heel + 0.02 < c[2] < toes - 0.02
    assert_close(c[0], 0.0, tol=1e-12)
    assert 0.54 < c[1] / H < 0.58


def test_it_has_no_holes_and_parts_far_apart_in_the_tree_do_not_touch() -> None:
    assert_has_no_holes_and_far_parts_apart(FIGURE)


def test_a_heavier_person_is_thicker_and_not_taller() -> None:
    heavy, light = human(1.75, 100.0), human(1.75, 50.0)
    for name in ("Spine2", "LeftUpLeg", "LeftArm"):
        thick, thin = heavy.segment(name).shapes[0], light.segment(name).shapes[0]
        assert isinstance(thick, Capsule)
        assert isinstance(thin, Capsule)
        assert_close(thick.radius / thin.radius, np.sqrt(2.0), tol=1e-12)
    assert_close(heavy.placements(heavy.rest), light.placements(light.rest), tol=0.0)


def test_a_person_twice_as_tall_has_the_same_proportions() -> None:
    small, tall = human(1.0, 10.0), human(2.0, 80.0)
    assert_close(2.0 * small.placements(small.rest)[:, :3, 3], tall.placements(tall.rest)[:, :3, 3], tol=1e-12)
    assert_close(small.scaled(2.0).placements(tall.rest)[:, :3, 3], tall.placements(tall.rest)[:, :3, 3], tol=1e-12)
    assert_close(
        [s.radius for s in small.scaled(2.0).segment("Spine2").shapes],
        [s.radius for s in tall.segment("Spine2").shapes],
        tol=1e-12,
    )


# Lengths and masses of the tables


def test_lengths_are_the_published_fractions_of_the_stature() -> None:
    q = FIGURE.rest

    def apart(a: str, b: str) -> float:
        return float(np.linalg.norm(place(FIGURE, q, a) - place(FIGURE, q, b))) / H

    assert_close(apart("LeftArm", "LeftForeArm"), STATURE["upper arm"], tol=1e-12)
    assert_close(apart("LeftForeArm", "LeftHand"), STATURE["forearm"], tol=1e-12)
    for name, part in [("LeftArm", "shoulder"), ("LeftUpLeg", "hip"), ("LeftLeg", "knee"), ("LeftFoot", "ankle")]:
        assert_close(place(FIGURE, q, name)[1] / H, STATURE[part], tol=1e-12)
    assert_close(place(FIGURE, q, "LeftEye")[1] / H, STATURE["eye"], tol=1e-12)
    bends = np.deg2rad(BENDS["Middle"])
    straight = FIGURE.pose(
        {"LeftHandMiddle1": [-bends[0], 0.0], "LeftHandMiddle2": -bends[1], "LeftHandMiddle3": -bends[2]}
    )
    hand = np.linalg.norm(place(FIGURE, straight, "LeftHandMiddle4") - place(FIGURE, straight, "LeftHand"))
    assert_close(hand / H, STATURE["hand"], tol=1e-12)


def test_the_foot_is_as_long_and_the_shoulders_as_broad_as_published() -> None:
    foot = [s for name in ("LeftFoot", "LeftToeBase") for s in FIGURE.segment(name).shapes]
    spots = [place(FIGURE, FIGURE.rest, "LeftFoot"), place(FIGURE, FIGURE.rest, "LeftToeBase")]
    at = [spots[0]] * len(FIGURE.segment("LeftFoot").shapes) + [spots[1]] * len(FIGURE.segment("LeftToeBase").shapes)
    ends = [(p[k] + e[k], s.radius) for s, p in zip(foot, at, strict=True) for e in (s.start, s.end) for k in (2,)]
    length = max(z + r for z, r in ends) - min(z - r for z, r in ends)
    assert_close(length / H, STATURE["foot"], tol=1e-9)
    shoulder = FIGURE.segment("LeftArm").shapes[0]
    breadth = 2.0 * (place(FIGURE, FIGURE.rest, "LeftArm")[0] + shoulder.radius)
    assert_close(breadth / H, STATURE["shoulder breadth"], tol=1e-12)


def test_the_masses_of_the_table_are_those_of_a_whole_body() -> None:
    one = sum(INERTIA[p].mass for p in ("head", "upper trunk", "middle trunk", "lower trunk"))
    limbs = sum(INERTIA[p].mass for p in ("upper arm", "forearm", "hand", "thigh", "shank", "foot"))
    assert_close(one + 2.0 * limbs, 100.0, tol=1e-12)


@pytest.mark.parametrize(
    ("part", "prefixes", "start", "end"),
    [
        ("upper arm", ["LeftArm"], "LeftArm", "LeftForeArm"),
        ("forearm", ["LeftForeArm"], "LeftForeArm", "LeftHand"),
        ("thigh", ["LeftUpLeg"], "LeftUpLeg", "LeftLeg"),
        ("shank", ["LeftLeg"], "LeftLeg", "LeftFoot"),
    ],
)
def test_masses_and_centres_of_mass_of_the_limbs_are_published(
    part: str, prefixes: list[str], start: str, end: str
) -> None:
    mass, center = _whole(prefixes)
    assert_close(100.0 * mass / FIGURE.mass, INERTIA[part].mass, tol=1e-9)
    a, b = place(FIGURE, FIGURE.rest, start), place(FIGURE, FIGURE.rest, end)
    assert_close(center, a + INERTIA[part].center * (b - a), tol=1e-12)


def test_hand_and_foot_have_the_published_mass_and_centre() -> None:
    mass, center = _whole(["LeftHand"])
    assert_close(100.0 * mass / FIGURE.mass, INERTIA["hand"].mass, tol=1e-9)
    knuckle = np.linalg.norm(FIGURE.segment("LeftHandMiddle1").joint.offset)
    wanted = place(FIGURE, FIGURE.rest, "LeftHand", (0.0, INERTIA["hand"].center * knuckle, 0.0))
    assert_close(center, wanted, tol=1e-12)
    palm = FIGURE.segment("LeftHand").center  # and what the palm is left with is inside it
    assert 0.0 < palm[1] < knuckle
    assert abs(palm[0]) < 0.02
    assert abs(palm[2]) < 0.02
    mass, center = _whole(["LeftFoot", "LeftToe"])
    assert_close(100.0 * mass / FIGURE.mass, INERTIA["foot"].mass, tol=1e-9)
    heel = place(FIGURE, FIGURE.rest, "LeftToe_End")[2] - STATURE["foot"] * H
    assert_close(center[2], heel + INERTIA["foot"].center * STATURE["foot"] * H, tol=1e-12)


def test_trunk_and_head_have_the_published_masses_and_their_centres_are_in_order() -> None:
    trunk, _ = _whole(["Hips", "Spine", "LeftShoulder", "RightShoulder"])
    wanted = sum(INERTIA[p].mass for p in ("upper trunk", "middle trunk", "lower trunk"))
    assert_close(100.0 * trunk / FIGURE.mass, wanted, tol=1e-9)
    head, center = _whole(["Neck", "Head", "LeftEye", "RightEye"])
    assert_close(100.0 * head / FIGURE.mass, INERTIA["head"].mass, tol=1e-9)
    assert_close(center[1], H - INERTIA["head"].center * 0.2429 / 1.741 * H, tol=1e-12)
    column = ["Hips", "Spine", "Spine1", "Spine2", "Spine3", "Spine4", "Neck", "Neck1", "Head"]
    heights = [place(FIGURE, FIGURE.rest, s, FIGURE.segment(s).center)[1] for s in column]
    joints = [place(FIGURE, FIGURE.rest, s)[1] for s in column]
    assert (np.diff(heights) > 0.0).all()
    assert (np.array(heights) > joints).all()


def _whole(prefixes: list[str]) -> tuple[float, Points]:
    """Mass and centre of mass, in the rest pose, of the segments whose names begin so."""
    names = [s.name for s in FIGURE.segments if s.name.startswith(tuple(prefixes))]
    mass = np.array([FIGURE.segment(n).mass for n in names])
    at = np.array([place(FIGURE, FIGURE.rest, n, FIGURE.segment(n).center) for n in names])
    return float(mass.sum()), mass @ at / mass.sum()


def test_fingers_have_the_published_proportions() -> None:
    lengths = [np.linalg.norm(FIGURE.segment(f"LeftHandRing{k}").joint.offset) for k in (2, 3, 4)]
    ray = RAYS["Ring"]
    wanted = [*ray.phalanges[:2], ray.phalanges[2] + ray.pad]
    assert_close(np.array(lengths) / lengths[0], np.array(wanted) / wanted[0], tol=1e-12)


# At the door


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"height": 0.0}, "height of the person is 0; it must be above 0"),
        ({"height": np.nan}, "height of the person is nan; it needs a finite number"),
        ({"mass": -70}, "mass of the person is -70; it must be above 0"),
        ({"mass": "heavy"}, "mass of the person is 'heavy'; it needs one number"),
    ],
)
def test_a_person_without_size_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        human(**arguments)


def test_the_same_person_twice_is_equal_and_comes_back_from_its_record() -> None:
    assert human(1.6, 55) == human(1.6, 55.0)
    assert human(1.6, 55) != human(1.6, 56)
    assert Figure.from_dict(FIGURE.to_dict()) == FIGURE
