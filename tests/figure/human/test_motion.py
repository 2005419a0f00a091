"""The built-in person bends the way and as far as a person does."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import assert_mirror_images, axes, both, other_side, place, turn
from checks import assert_close
from hypothesis import given
from strategies import rngs

from manikin import rotations
from manikin.figure.human.anthropometry import LEVELS, RANGES, STATURE
from manikin.figure.human.arm import AWAY, BENT
from manikin.figure.human.human import human
from manikin.figure.human.trunk import GROUPS
from manikin.figure.shapes import Capsule

FIGURE = human()
H = 1.75


# Which way it bends


@given(rngs())
def test_a_mirrored_pose_gives_mirrored_placements(rng: np.random.Generator) -> None:
    q = FIGURE.random(rng)
    q[:3], q[3:7] = rng.normal(size=3), rotations.normalized(rng.normal(size=4))
    assert_mirror_images(FIGURE, q)


def test_the_shapes_of_the_sides_are_mirrored() -> None:
    for s in FIGURE.segments:
        other = FIGURE.segment(other_side(s.name))
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
