"""The goals of a retargeted motion: directions of limbs, the floor, and speed limits."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.figure.parts.calibration import calibrate
from manikin.goals import Orientation, Plane
from manikin.motion.retarget.follow_ideal import SLOWEST, speed_limits
from manikin.motion.retarget.goals import (
    LIMBS,
    TWIST,
    WEIGHTS,
    can_twist,
    floor_wishes,
    joints_to_move,
    weights_by_kind,
    wishes_for,
)
from manikin.motion.retarget.ideal import Ideal, ideal_placements
from manikin.motion.retarget.planting import PlantedPoints
from manikin.motion.retarget.watch import watch
from manikin.motion.soles import Soles, find_soles


def ideal_of(name: str, target: str, frames: int) -> tuple[Ideal, Soles]:
    """The ideal placements of a figure that moves as a clip does."""
    motion, onto = clip(name, frames), figure(target)
    source = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    own = calibrate(onto, mk.bone_map(onto))
    watched = watch(source, motion.poses)
    soles = find_soles(onto, onto.rest[None], own.bones, own.standing.pose)
    return ideal_placements(watched, own, watched.hips * own.leg / source.leg), soles


def test_a_forearm_with_a_hinge_along_the_bone_can_twist() -> None:
    person = figure("human")
    own = calibrate(person, mk.bone_map(person))
    assert can_twist(own, "left forearm")
    assert can_twist(own, "left thigh")
    assert not can_twist(own, "left shank")  # a knee is one hinge across the bone
    robot = figure("g1")
    assert not can_twist(calibrate(robot, mk.bone_map(robot)), "right shank")


def test_limbs_count_by_their_direction_first() -> None:
    ideal, _ = ideal_of("walk", "human", 5)
    wishes = {wish.goal.name: wish for wish in wishes_for(ideal, WEIGHTS)}
    for part in ideal.calibration.axes:
        if part.endswith(LIMBS):
            goal = wishes[f"{part} turn"].goal
            assert isinstance(goal, Orientation)
            assert goal.swing == 1.0
            assert goal.twist == (TWIST if can_twist(ideal.calibration, part) else 0.0)
            bone = ideal.calibration.bone(part)
            assert np.allclose(goal.axis, bone / np.linalg.norm(bone))


def test_directions_of_legs_count_less_if_the_scale_does_not_fit() -> None:
    same, other = weights_by_kind(None), weights_by_kind(None, 0.5)
    assert same == WEIGHTS
    assert other["thigh"] == pytest.approx(WEIGHTS["thigh"] / 16.0)
    assert other["upper arm"] == WEIGHTS["upper arm"]
    assert weights_by_kind({"thigh": 2.0}, 0.5)["thigh"] == 2.0


def test_floor_goals_are_one_sided_and_follow_the_floor() -> None:
    ideal, soles = ideal_of("walk", "human", 5)
    nothing = PlantedPoints((), np.zeros((0, 5, 3)), np.zeros((0, 5)), {})
    ramp = lambda points: 0.1 * points[:, 2]  # noqa: E731
    wishes = floor_wishes(ideal, soles, nothing, ramp)
    assert [wish.goal.name for wish in wishes] == [f"{name} above the floor" for name in soles.names]
    for wish in wishes[:4]:
        assert isinstance(wish.goal, Plane)
        assert wish.goal.above
        at = wish.rows[:, :3] @ ideal.calibration.world
        assert at[:, 1] == pytest.approx(0.1 * at[:, 2])
        assert wish.rows[:, 3:] == pytest.approx(np.tile(ideal.calibration.world[:, 1], (5, 1)))


@pytest.mark.parametrize("name", ["human", "g1", "cesium", "mujoco"])
def test_soles_stay_above_the_floor(name: str) -> None:
    found = mk.retarget(clip("rokoko", 150), figure(name)).measures
    assert found["sinking_mm"] < 3.0


def test_no_arm_turns_faster_than_in_the_source() -> None:
    """The shoulder of the G1 meets its limits in the dab."""
    motion, robot = clip("dab"), figure("g1")
    out = mk.retarget(motion, robot)
    ideal, soles = ideal_of("dab", "g1", len(motion))
    limits = speed_limits(ideal, soles, motion.times, joints_to_move(ideal.calibration, robot.segments[0].name))
    assert "right_shoulder_pitch_joint" in limits
    assert not any("hip" in name or "knee" in name or "ankle" in name for name in limits)
    for name, speed in limits.items():
        assert speed >= SLOWEST
        n = robot.index_of(name)
        steps = np.abs(np.diff(out.motion.poses[:, n])) / np.diff(out.motion.times)
        assert np.mean(steps <= speed * (1.0 + 1e-6)) > 0.97  # frames that are solved to the end may be faster
    found = out.measures
    assert found["turn_deg"] <= found["source_turn_deg"] + 2.0


def test_points_belong_to_parts() -> None:
    _, soles = ideal_of("walk", "human", 2)
    assert soles.parts == ("left foot", "left foot", "right foot", "right foot", "left hand", "right hand")
    assert soles.under_feet == [0, 1, 2, 3]
    dog = mk.quadruped()
    four = find_soles(dog, dog.rest[None], mk.bone_map(dog))
    assert (four.feet, four.under_feet) == (6, [0, 1, 2, 3])
