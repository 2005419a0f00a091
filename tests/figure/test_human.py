"""The built-in person: it stands as it should, weighs what it should, bends the way and as far as a person does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from strategies import rngs

from manikin import rotations
from manikin.arrays import Points, Vector
from manikin.errors import BadValue
from manikin.figure import Ball, Euler, Figure, Free, Hinge
from manikin.figure.anthropometry import INERTIA, LEVELS, RANGES, RAYS, STATURE
from manikin.figure.human import human
from manikin.figure.human_arm import AWAY, BENT
from manikin.figure.human_trunk import GROUPS
from manikin.figure.shapes import Box, Capsule, Sphere
from manikin.kinematics import swing_twist

FIGURE = human()
H = 1.75
heights = st.floats(0.8, 2.3)
builds = st.floats(12.0, 50.0)  # kg/m²


def turn(axis: str, angle: float) -> Vector:
    """A quaternion, degrees."""
    return rotations.from_axis_angle(rotations.AXES[axis], np.deg2rad(angle))


def place(figure: Figure, q: Vector, segment: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> Points:
    T = figure.placements(q, [segment])[0]
    return T[:3, :3] @ np.array(point) + T[:3, 3]


def axes(figure: Figure, q: Vector, segment: str) -> Points:
    """(3, 3) columns are the segment's axes in the world."""
    return figure.placements(q, [segment])[0, :3, :3]


def both(numbers: dict[str, Any]) -> dict[str, Any]:
    """Numbers of joints of the left side, and the mirrored ones of the right."""
    out: dict[str, Any] = {}
    for name, value in numbers.items():
        v = np.asarray(value, dtype=float)
        out[f"Left{name}"] = v
        out[f"Right{name}"] = v if v.ndim == 0 else v * ([1, 1, -1, -1] if len(v) == 4 else [1, -1])
    return out


def extent(figure: Figure, q: Vector) -> tuple[float, float]:
    """The lowest and the highest point of all shapes."""
    low, high = np.inf, -np.inf
    for s, T in zip(figure.segments, figure.placements(q), strict=True):
        for shape in s.shapes:
            assert not isinstance(shape, Box)
            ends = [shape.center] if isinstance(shape, Sphere) else [shape.start, shape.end]
            for end in ends:
                y = float(T[1, :3] @ np.array(end) + T[1, 3])
                low, high = min(low, y - shape.radius), max(high, y + shape.radius)
    return low, high


def gaps(figure: Figure) -> dict[tuple[str, str], float]:
    """The gap between the shapes of every two segments at rest, metres; below 0 where they overlap."""
    places = {}
    for s, T in zip(figure.segments, figure.placements(figure.rest), strict=True):
        for shape in s.shapes:
            ends = (shape.start, shape.end) if isinstance(shape, Capsule) else (shape.center, shape.center)
            a, b = np.array(ends) @ T[:3, :3].T + T[:3, 3]
            places.setdefault(s.name, []).append((a + np.linspace(0.0, 1.0, 40)[:, None] * (b - a), shape.radius))
    out = {}
    for one, two in combinations(places, 2):
        apart = [cdist(p, q).min() - r - t for p, r in places[one] for q, t in places[two]]
        out[one, two] = float(min(apart))
    return out


def joints_between(figure: Figure, one: str, two: str) -> int:
    """How many joints lie on the way from one segment to another."""
    ways = []
    for name in (one, two):
        way = [name]
        while (parent := figure.segment(way[-1]).parent) is not None:
            way.append(parent)
        ways.append(way)
    shared = next(name for name in ways[0] if name in ways[1])
    return ways[0].index(shared) + ways[1].index(shared)


def mirrored(figure: Figure, q: Vector) -> Vector:
    """The pose seen in a mirror at x = 0."""
    out = q.copy()
    for s in figure.segments:
        other = figure.segment(_other(s.name))
        n, m = figure.index_of(s.joint.name), figure.index_of(other.joint.name)
        for motion in s.joint.motions:
            if isinstance(motion, Free):
                out[m : m + 7] = q[n : n + 7] * [-1, 1, 1, 1, 1, -1, -1]
            elif isinstance(motion, Ball):
                out[m : m + 4] = q[n : n + 4] * [1, 1, -1, -1]
            elif isinstance(motion, Euler):
                signs = [1 if letter == "X" else -1 for letter in motion.order]
                out[m : m + len(signs)] = q[n : n + len(signs)] * signs
            else:
                assert isinstance(motion, Hinge)
                out[m] = q[n]
    return out


def _other(name: str) -> str:
    if name.startswith("Left"):
        return "Right" + name[4:]
    return "Left" + name[5:] if name.startswith("Right") else name


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
    balls = set(FIGURE._layout.balls.tolist())
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


def test_segments_far_apart_in_the_tree_do_not_touch_at_rest() -> None:
    touching = [pair for pair, gap in gaps(FIGURE).items() if gap < 0.0]
    assert all(joints_between(FIGURE, *pair) <= 2 for pair in touching), touching
    limbs = ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")
    assert not [p for p in touching if p[0].startswith("Left") and p[1].startswith("Right") and p[1][5:] in limbs]


def test_neighbours_overlap_so_that_the_body_has_no_holes() -> None:
    gap = gaps(FIGURE)
    for s in FIGURE.segments:
        if s.shapes and s.parent is not None:
            pair = (s.parent, s.name) if (s.parent, s.name) in gap else (s.name, s.parent)
            assert gap[pair] < 0.0, pair


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
    straight = FIGURE.pose(
        {f"LeftHandMiddle{k}": -FIGURE_BENDS[k - 1] for k in (2, 3)} | {"LeftHandMiddle1": [-FIGURE_BENDS[0], 0]}
    )
    hand = np.linalg.norm(place(FIGURE, straight, "LeftHandMiddle4") - place(FIGURE, straight, "LeftHand"))
    assert_close(hand / H, STATURE["hand"], tol=1e-12)


FIGURE_BENDS = np.deg2rad([16.0, 24.0, 14.0])


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


# Which way it bends


@given(rngs())
def test_a_mirrored_pose_gives_mirrored_placements(rng: np.random.Generator) -> None:
    q = FIGURE.random(rng)
    q[:3], q[3:7] = rng.normal(size=3), rotations.normalized(rng.normal(size=4))
    other = mirrored(FIGURE, q)
    assert FIGURE.violation(other) == 0.0
    order = [FIGURE.segment_index(_other(name)) for name in FIGURE.segment_names]
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    assert_close(FIGURE.placements(other), M @ FIGURE.placements(q)[order] @ M, tol=1e-12)
    assert_close(FIGURE.center_of_mass(other), FIGURE.center_of_mass(q) * [-1, 1, 1], tol=1e-12)


def test_the_shapes_of_the_sides_are_mirrored() -> None:
    for s in FIGURE.segments:
        other = FIGURE.segment(_other(s.name))
        if s.name.startswith("Left"):
            for a, b in zip(s.shapes, other.shapes, strict=True):
                assert a.radius == b.radius
                near, far = (a.start, b.start) if isinstance(a, Capsule) else (a.center, b.center)
                assert_close(np.array(near) * [-1, 1, 1], far, tol=0.0)


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_positive_elbow_raises_the_hand_forward(side: str) -> None:
    q = FIGURE.pose({f"{side}ForeArm": 1.2})
    before, after = place(FIGURE, FIGURE.rest, f"{side}Hand"), place(FIGURE, q, f"{side}Hand")
    assert after[2] > before[2] + 0.15
    assert after[1] > before[1] + 0.1


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_positive_knee_takes_the_foot_back_and_positive_toes_point_down(side: str) -> None:
    q = FIGURE.pose({f"{side}Leg": 1.0, f"{side}ToeBase": 0.5})
    assert place(FIGURE, q, f"{side}Foot")[2] < -0.3
    toe = axes(FIGURE, FIGURE.pose({f"{side}ToeBase": 0.5}), f"{side}ToeBase")[:, 2]
    assert toe[1] < -0.4


@pytest.mark.parametrize("side", ["Left", "Right"])
@pytest.mark.parametrize("finger", ["Thumb", "Index", "Middle", "Ring", "Pinky"])
def test_positive_finger_joints_close_the_hand(side: str, finger: str) -> None:
    joints = [f"{side}Hand{finger}{k}" for k in (1, 2, 3)]
    q = FIGURE.pose({joints[0]: [0.4, 0.0], joints[1]: 0.6, joints[2]: 0.5})
    hand, tip = f"{side}Hand", f"{side}Hand{finger}4"
    before, after = (np.linalg.norm(place(FIGURE, p, tip) - place(FIGURE, p, hand)) for p in (FIGURE.rest, q))
    assert after < before - 0.003
    palm = axes(FIGURE, q, hand)[:, 2]
    if finger != "Thumb":
        assert (place(FIGURE, q, tip) - place(FIGURE, FIGURE.rest, tip)) @ palm > 0.01


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_positive_twist_is_pronation_and_turns_the_palm_back(side: str) -> None:
    q = FIGURE.pose({f"{side}ForeArmTwist": np.deg2rad(80)})
    assert axes(FIGURE, q, f"{side}Hand")[2, 2] < -0.8


@pytest.mark.parametrize(("side", "sign"), [("Left", 1.0), ("Right", -1.0)])
def test_wrists_bend_to_the_palm_and_sideways_to_the_thumb(side: str, sign: float) -> None:
    hand, knuckle = f"{side}Hand", f"{side}HandMiddle1"
    bent = place(FIGURE, FIGURE.pose({hand: [0.5, 0.0]}), knuckle) - place(FIGURE, FIGURE.rest, knuckle)
    assert bent @ axes(FIGURE, FIGURE.rest, hand)[:, 2] > 0.03
    aside = place(FIGURE, FIGURE.pose({hand: [0.0, 0.3 * sign]}), knuckle) - place(FIGURE, FIGURE.rest, knuckle)
    assert aside[2] > 0.02  # the thumb is in front


def test_eyes_turn_left_and_down_with_positive_numbers() -> None:
    look = axes(FIGURE, FIGURE.pose({"LeftEye": [0.5, 0.3], "RightEye": [0.5, 0.3]}), "RightEye")[:, 2]
    assert look[0] > 0.4
    assert look[1] < -0.2


# How far it bends


def test_the_person_can_stand_in_a_t() -> None:
    q = FIGURE.pose(both({"Arm": turn("z", 90.0 - AWAY), "ForeArm": -np.deg2rad(BENT)}))
    assert FIGURE.violation(q) == 0.0
    for name in ("LeftForeArm", "LeftHand"):
        assert_close(place(FIGURE, q, name)[1], STATURE["shoulder"] * H, tol=1e-12)
    palms_down = FIGURE.pose(both({"ForeArmTwist": np.deg2rad(80)}), base=q)
    assert FIGURE.violation(palms_down) == 0.0


def test_the_person_can_raise_the_hands_overhead_sideways_and_forward() -> None:
    sideways = FIGURE.pose(both({"Shoulder": turn("z", 38.0), "Arm": turn("z", 122.0)}))
    swing = rotations.multiply(turn("z", -AWAY), turn("x", 140.0))
    forward = FIGURE.pose(both({"Shoulder": turn("z", 30.0), "Arm": swing, "ForeArm": 0.2}))
    for q in (sideways, forward):
        assert FIGURE.violation(q) == 0.0
        assert place(FIGURE, q, "LeftHandMiddle4")[1] > H + 0.2


def test_the_person_can_reach_the_other_shoulder() -> None:
    arm = rotations.multiply(rotations.multiply(turn("z", -AWAY), turn("x", 70.0)), turn("z", -30.0))
    arm = rotations.multiply(arm, turn("y", 60.0))
    q = FIGURE.pose({"LeftArm": arm, "LeftForeArm": np.deg2rad(110.0)})
    assert FIGURE.violation(q) == 0.0
    apart = place(FIGURE, q, "LeftHandMiddle1") - place(FIGURE, q, "RightArm")
    assert np.linalg.norm(apart) < 0.2


def test_the_person_can_sit() -> None:
    q = FIGURE.pose(
        {"Hips": [0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0], **both({"UpLeg": turn("x", -90.0), "Leg": np.deg2rad(90.0)})}
    )
    assert FIGURE.violation(q) == 0.0
    assert abs(place(FIGURE, q, "LeftLeg")[1] - 0.5) < 0.03
    assert_close(axes(FIGURE, q, "LeftFoot"), np.eye(3), tol=1e-12)


def test_the_person_can_squat_with_the_feet_flat() -> None:
    numbers = both({"UpLeg": turn("x", -112.0), "Leg": np.deg2rad(136.0), "Foot": turn("x", -19.0)})
    numbers["Hips"] = [0.0, 0.4, -0.2, *turn("x", -5.0)]
    q = FIGURE.pose(numbers)
    assert FIGURE.violation(q) == 0.0
    assert_close(axes(FIGURE, q, "LeftFoot"), np.eye(3), tol=1e-12)
    assert place(FIGURE, q, "LeftUpLeg")[1] - place(FIGURE, q, "LeftFoot")[1] < 0.25
    wide = FIGURE.pose(both({"UpLeg": rotations.multiply(turn("z", 20.0), turn("x", -100.0))}), base=q)
    assert FIGURE.violation(wide) == 0.0


def test_the_person_can_touch_its_toes_and_look_over_its_shoulder() -> None:
    bent = {"Spine": 20.0, "Spine1": 28.0, "Spine2": 22.0, "Spine3": 10.0, "Spine4": 7.0}
    q = FIGURE.pose({name: turn("x", angle) for name, angle in bent.items()})
    assert FIGURE.violation(q) == 0.0
    turned = {"Spine3": 25.0, "Spine4": 30.0, "Neck": 14.0, "Neck1": 16.0, "Head": 40.0}
    q = FIGURE.pose({name: turn("y", angle) for name, angle in turned.items()})
    assert FIGURE.violation(q) == 0.0
    assert axes(FIGURE, q, "Head")[2, 2] < -0.5


def test_the_arm_turns_about_itself_as_far_as_published_when_straight_out_to_the_side() -> None:
    out = turn("z", 90.0 - AWAY)
    for angle, allowed in [(RANGES["shoulder inward"] - 1.0, True), (RANGES["shoulder inward"] + 1.0, False)]:
        q = FIGURE.pose({"LeftArm": rotations.multiply(out, turn("y", angle))})
        assert (FIGURE.violation(q) == 0.0) == allowed
    q = FIGURE.pose({"LeftArm": rotations.multiply(out, turn("y", 1.0 - RANGES["shoulder outward"]))})
    assert FIGURE.violation(q) == 0.0


@pytest.mark.parametrize(("axis", "angle"), [("x", -RANGES["shoulder extension"]), ("z", 150.0), ("z", -AWAY - 20.0)])
def test_the_arm_goes_back_and_up_and_across_without_the_clavicle(axis: str, angle: float) -> None:
    assert FIGURE.violation(FIGURE.pose(both({"Arm": turn(axis, angle)}))) == 0.0


def test_the_arm_does_not_go_through_the_back() -> None:
    behind = rotations.multiply(turn("z", 90.0 - AWAY), turn("x", -80.0))  # out to the side, then 80 degrees backward
    assert FIGURE.violation(FIGURE.pose({"LeftArm": behind})) > 0.2
    assert FIGURE.violation(FIGURE.pose({"LeftArm": turn("x", -120.0)})) > 0.2


@pytest.mark.parametrize(
    ("joint", "axis", "low", "high"),
    [
        ("LeftUpLeg", "x", -RANGES["hip flexion"], RANGES["hip extension"]),
        ("LeftUpLeg", "z", -RANGES["hip adduction"], RANGES["hip abduction"]),
        ("LeftFoot", "x", -RANGES["ankle up"], RANGES["ankle down"]),
        ("LeftFoot", "z", -RANGES["ankle inward"], RANGES["ankle outward"]),
        ("LeftShoulder", "z", -RANGES["clavicle depression"], RANGES["clavicle elevation"]),
        ("LeftShoulder", "y", -RANGES["clavicle protraction"], RANGES["clavicle retraction"]),
        ("RightUpLeg", "z", -RANGES["hip abduction"], RANGES["hip adduction"]),
        ("Head", "z", -10.0, 10.0),
    ],
)
def test_balls_reach_the_published_ranges_from_rest_and_go_no_farther(
    joint: str, axis: str, low: float, high: float
) -> None:
    for end in (low, high):
        inside, outside = (FIGURE.pose({joint: turn(axis, f * end)}) for f in (0.9, 1.1))
        assert FIGURE.violation(inside) == 0.0
        assert FIGURE.violation(outside) > 0.0


def test_the_spine_bends_as_far_as_its_vertebrae_together() -> None:
    assert sorted(level for group in GROUPS.values() for level in group) == sorted(LEVELS)
    for name, group in GROUPS.items():
        turning = sum(LEVELS[level].turning for level in group)
        bending = sum(LEVELS[level].bending for level in group)
        cone = FIGURE.segment(name).joint.motions[0].limits
        assert_close(np.rad2deg(cone.twist), [-turning, turning], tol=1e-9)
        assert_close(2.0 * np.rad2deg(cone.swing[0]), bending, tol=1e-9)


def test_knees_and_elbows_stop_where_published() -> None:
    at = FIGURE.index_of("LeftForeArm")
    assert_close(np.rad2deg([FIGURE.lower[at], FIGURE.upper[at]]), [-BENT, RANGES["elbow flexion"] - BENT], tol=1e-9)
    knee = FIGURE.index_of("LeftLeg")
    ends = np.rad2deg([FIGURE.lower[knee], FIGURE.upper[knee]]) + _knee_at_rest()
    assert_close(ends, [0.0, RANGES["knee flexion"]], tol=1e-9)


def _knee_at_rest() -> float:
    hip, knee, ankle = (place(FIGURE, FIGURE.rest, n) for n in ("LeftUpLeg", "LeftLeg", "LeftFoot"))
    a, b = knee - hip, ankle - knee
    return float(np.rad2deg(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def test_the_knees_are_almost_straight_at_rest() -> None:
    assert 2.0 < _knee_at_rest() < 8.0


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
