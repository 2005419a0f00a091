"""Retargeting of clips that were slowed, cut, mirrored or resampled. They are as good as the whole clips."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from retarget_clips import calibrated, clip, figure

import manikin as mk
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.watch import frames_apart, watch


def slowed(motion: mk.Motion, times: int) -> mk.Motion:
    """The motion at the same rate, but slower: with that many frames for each frame."""
    at = np.linspace(motion.times[0], motion.times[-1], (len(motion) - 1) * times + 1)
    return mk.Motion(motion.figure, motion.at(at), at[0] + (at - at[0]) * times, motion.name)


def quality(motion: mk.Motion, name: str, hands: str = "arms") -> Mapping[str, float]:
    return mk.retarget(motion, figure(name), hands=hands).measures


@pytest.mark.parametrize("name", ["human", "g1", "mujoco"])
def test_feet_of_a_slowed_pirouette_do_not_slide(name: str) -> None:
    """Its heels swing around the toes more slowly than an ordinary contact. They slid by 4 to 8 mm."""
    assert quality(slowed(clip("pirouette")[1:400], 3), name)["slide_mm"] < 3.0


@pytest.mark.parametrize("name", ["daz", "human", "g1", "cesium", "makehuman"])
def test_a_foot_that_pivots_on_its_heel_does_not_snap(name: str) -> None:
    """Toes had one place before and after the turn. Feet turned by up to 45° in one frame, and slid by 4 mm."""
    found = quality(slowed(clip("pirouette")[197:497], 2), name)
    assert found["slide_mm"] < 3.0
    assert found["turn_excess_deg"] < 6.0


@pytest.mark.parametrize("frames", [None, 240])
@pytest.mark.parametrize("resampled", [False, True])
def test_a_slow_dab_does_not_snap(resampled: bool, frames: int | None) -> None:
    """Frames that were solved to the end were left out for a small turn of a foot. The body then fell back by 40°."""
    slow = clip("dab", frames).replaced(times=3.0 * clip("dab", frames).times)
    found = quality(slow.resampled(30.0) if resampled else slow, "makehuman")
    assert found["turn_excess_deg"] <= 2.0
    assert found["slide_mm"] < 1.0


@pytest.mark.parametrize(
    ("clip_name", "name", "hands"),
    [
        ("dance", "cesium", "world"),  # a forearm turned by 72° in one frame
        ("cartwheel", "makehuman", "world"),  # 67°
        ("pirouette", "mujoco", "world"),  # 63°
        ("walk", "robot", "body"),  # an upper arm turned by 60°
    ],
)
def test_elbows_of_straight_arms_keep_their_side(clip_name: str, name: str, hands: str) -> None:
    assert quality(clip(clip_name), name, hands)["turn_excess_deg"] <= 2.0


@pytest.mark.parametrize(
    ("clip_name", "name", "hands"),
    [
        ("dance", "robot", "world"),  # an upper arm turned by 85° more than the source
        ("pirouette", "robot", "world"),  # 45°
        ("pymo", "robot", "world"),  # 28°
        ("optitrack", "robot", "body"),  # 23°
        ("rokoko", "g1", "body"),  # 5°
    ],
)
def test_arms_whose_wrists_pass_their_shoulders_do_not_snap(clip_name: str, name: str, hands: str) -> None:
    """RobotExpressive's forearms are twice as long as its upper arms, so it cannot reach places near its shoulders."""
    assert quality(clip(clip_name), name, hands)["turn_excess_deg"] <= 2.0


def seen(motion: mk.Motion) -> int:
    """The number of frames that are a separate pose."""
    return frames_apart(watch(calibrated(motion), motion.poses), motion.times)


@pytest.mark.parametrize("name", ["walk", "run", "dance", "cartwheel", "optitrack"])
def test_a_t_pose_before_a_clip_is_found_at_all_rates(name: str) -> None:
    motion = clip(name)
    assert seen(motion) == 1
    assert [seen(motion.resampled(rate)) for rate in (60.0, 30.0, 24.0)] == [1, 1, 1]
    assert [seen(slowed(motion[:300], times)) for times in (3, 5)] == [3, 5]
    later = (2, 50)  # the head of OptiTrack's person is not yet in its place in frame 1
    assert [seen(motion[first:].resampled(rate)) for first in later for rate in (60.0, 30.0, 24.0)] == [0] * 6


@pytest.mark.parametrize("frames", [2, 5, 60])
def test_a_t_pose_that_is_held_before_a_clip_is_found(frames: int) -> None:
    motion = clip("walk", 200)
    held = np.concatenate([np.tile(motion.poses[0], (frames, 1)), motion.poses[1:]])
    assert seen(mk.Motion(motion.figure, held, rate=120.0)) == frames
    other = motion.figure.integrate(motion.poses[0], 0.2 * np.ones(motion.figure.nv))  # two poses before the clip
    assert seen(mk.Motion(motion.figure, np.concatenate([[other], held]), rate=120.0)) == frames + 1


@pytest.mark.parametrize("frames", [[100, 140, 180], [100, 140, 180, 100, 140]])
def test_poses_that_are_held_one_after_the_other_are_all_kept(frames: list[int]) -> None:
    """The first of them was taken for a T-pose."""
    motion = clip("dance", 1000)
    poses = np.repeat(motion.poses[5 * np.array(frames)], 30, axis=0)
    assert seen(mk.Motion(motion.figure, poses, rate=30.0)) == 0


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_a_clip_that_is_still_before_a_fast_step_is_kept(rate: float) -> None:
    """All frames before the step were taken for a T-pose."""
    motion = clip("run").resampled(rate)[2:]
    fastest = int(watch(calibrated(motion), motion.poses).largest_turns().argmax())
    still = np.repeat(motion.poses[fastest : fastest + 1], 60, axis=0)
    assert seen(mk.Motion(motion.figure, np.concatenate([still, motion.poses[fastest:]]), rate=rate)) == 0
    calm = np.repeat(motion.poses[-1:], 90, axis=0)
    whole = np.concatenate([still, motion.poses[fastest : fastest + 3], calm])
    assert seen(mk.Motion(motion.figure, whole, rate=rate)) == 0


@pytest.mark.parametrize("frame", [2, 3, 4])
def test_a_part_that_jumps_soon_after_the_first_frame_loses_no_frames(frame: int) -> None:
    """All frames but the last were left out, because they turn more than the first one."""
    motion = clip("walk")[100:300]
    poses = np.array(motion.poses)
    poses[frame:, motion.figure.index_of("LeftArm")] += 1.0
    broken = mk.Motion(motion.figure, poses, rate=120.0)
    assert seen(broken) == 0
    assert seen(broken[frame - 1 :]) == 1  # the jump is after the first frame


def test_a_t_pose_before_a_lively_clip_is_found() -> None:
    """Later parts of the clip turn as far within a frame as the T-pose is from the clip."""
    motion = clip("walk", 200)
    wild = np.concatenate([motion.poses[:100], motion.poses[np.repeat([0, 100] * 13, 4)]])
    lively = mk.Motion(motion.figure, wild, rate=120.0)
    assert seen(lively) == 1
    assert seen(lively[1:]) == 0


@pytest.mark.parametrize("name", ["g1", "human"])
def test_a_body_that_is_upside_down_and_upright_in_the_next_frame_is_found_there(name: str) -> None:
    """The track was caught in a twisted pose after the cut: the bone errors were 7.4° and 11.0°."""
    motion = clip("cartwheel")
    cut = mk.Motion(motion.figure, np.concatenate([motion.poses[231:331], motion.poses[156:256]]), rate=120.0)
    found, *halves = (quality(part, name)["bone_error_deg"] for part in (cut, cut[:100], cut[100:]))
    assert found <= np.mean(halves) + 0.5


def test_arms_turn_no_faster_because_there_is_a_cut_elsewhere() -> None:
    """All joints were allowed to turn as fast as at the cut, so arms turned by 38° to the other side of a limit."""
    motion, target = clip("dance")[2:900], figure("mujoco")
    poses = np.concatenate([motion.poses, clip("cartwheel").poses[245:290]])
    cut = mk.Motion(motion.figure, poses, rate=120.0)
    found = [mk.retarget(one, target).motion.poses[: len(motion)] for one in (cut, motion)]
    own = calibrate(target, mk.bone_map(target))
    with_cut, alone = (np.rad2deg(watch(own, part).largest_turns().max()) for part in found)
    assert with_cut <= alone + 2.0


@pytest.mark.parametrize("name", ["pymo", "rokoko", "dab"])
def test_a_clip_without_a_separate_pose_is_used_from_its_first_frame(name: str) -> None:
    motion = clip(name)
    assert [seen(motion), *(seen(motion.resampled(rate)) for rate in (30.0, 24.0))] == [0, 0, 0]


def test_a_note_counts_the_frames_that_are_left_out() -> None:
    for times, words in ((1, "frame 0 is a separate pose and was"), (3, "frames 0 to 2 are a separate pose and were")):
        facts = mk.retarget(slowed(clip("walk", 100), times), figure("human"))
        assert facts.first_frame == times
        assert f"{words} left out" in facts.notes


@pytest.mark.parametrize("name", ["walk", "run"])
def test_a_planted_motion_at_another_rate_stays_as_it_is(name: str) -> None:
    """Its T-pose, whose feet are below the floor, was taken for a frame of the clip."""
    planted = mk.plant(clip(name, 300)).motion.resampled(30.0).replaced(source={})
    assert np.array_equal(mk.plant(planted).motion.poses, planted.poses)


@pytest.mark.parametrize("turned", [0.0, 0.1, 0.3])
def test_feet_are_planted_after_a_cut_with_the_angles_of_the_clip(turned: float) -> None:
    """The track began anew at the rest pose. Joints that are not solved were not as in the clip, so feet slid by 16 mm
    and were up to 21 mm below the floor. Hips and thighs had other angles for the same rotations."""
    motion = clip("cartwheel")
    poses = np.concatenate([motion.poses[231:331], motion.poses[156:256]])
    for name, angle in (("LHipJoint", turned), ("RHipJoint", -turned)):  # `plant` does not move these joints
        poses[:, motion.figure.index_of(name)] = angle
    planted = mk.plant(mk.Motion(motion.figure, poses, rate=120.0))
    after = planted.after
    assert max(after["slide_mm"], after["sinking_mm"]) < 0.1
    angles = [k for k, name in enumerate(motion.figure.number_names) if ".t" not in name]
    assert np.abs(planted.motion.poses - poses)[:, angles].max() < 1.0


def test_feet_do_not_slide_if_frames_are_almost_at_the_same_time() -> None:
    """Speed limits left the joints no room there, so feet slid by 2.8 mm on the G1 and 4.9 mm in `plant`."""
    motion = clip("walk")[50:200]
    times = np.cumsum(np.where(np.arange(len(motion)) % 2, 1e-6, 1.0 / 60.0))
    uneven = mk.Motion(motion.figure, motion.poses, times)
    assert quality(uneven, "g1")["slide_mm"] < 0.1
    assert mk.plant(uneven).after["slide_mm"] < 0.1
