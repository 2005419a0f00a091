"""edit: goals in some frames of a clip, blended in; and inbetween: motions through keys."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from needs import data_file

import manikin as mk
from manikin.errors import BadValue

PERSON = mk.human()
COUNT = 120


def nod() -> mk.Motion:
    """A person who bends elbows and knees a little, all the time."""
    t = np.arange(COUNT) / 60.0
    q = np.tile(PERSON.rest, (COUNT, 1))
    for joint, size in (("LeftForeArm", 0.5), ("RightForeArm", 0.5), ("LeftLeg", 0.3), ("RightLeg", 0.3)):
        q[:, PERSON.index_of(joint)] += size * (1.0 + np.sin(2 * np.pi * 0.7 * t))
    return mk.Motion(PERSON, PERSON.clamp(q), t, "nod")


CLIP = nod()
POINT = (-0.35, 1.3, 0.35)


def test_the_goal_is_met_inside_and_nothing_changes_outside() -> None:
    out = mk.edit(CLIP, mk.Position("RightHand", POINT), frames=(50, 70), blend=15)
    assert out.reached.all()
    hand = out.motion.placements(["RightHand"])[:, 0, :3, 3]
    assert np.linalg.norm(hand[50:71] - POINT, axis=1).max() < 2e-4
    assert np.array_equal(out.motion.poses[:35], CLIP.poses[:35])
    assert np.array_equal(out.motion.poses[86:], CLIP.poses[86:])
    assert not np.array_equal(out.motion.poses[40], CLIP.poses[40])


def test_only_the_arm_moves() -> None:
    out = mk.edit(CLIP, mk.Position("RightHand", POINT), frames=(50, 70), blend=15)
    changed = (out.motion.poses != CLIP.poses).any(axis=0)
    moved = {name.split(".")[0] for name, c in zip(PERSON.layout.names, changed, strict=True) if c}
    assert moved
    assert all("Right" in name and ("Arm" in name or "Shoulder" in name or "Hand" in name) for name in moved)
    assert any("joints that moved" in note for note in out.notes)


def test_there_is_no_jump_at_the_ends() -> None:
    out = mk.edit(CLIP, mk.Position("RightHand", POINT), frames=(50, 70), blend=15)
    speed = np.abs(PERSON.difference(out.motion.poses[:-1], out.motion.poses[1:])).max(axis=1) * 60.0
    assert speed.max() < 10.0
    ends = np.abs(PERSON.difference(CLIP.poses, out.motion.poses)).max(axis=1)
    assert ends[35] < 0.01
    assert ends[85] < 0.01


def test_far_targets_use_more_of_the_body() -> None:
    reach = mk.edit(CLIP, mk.Position("RightHand", (-0.3, 1.0, 0.75)), frames=(50, 60), blend=20)
    changed = (reach.motion.poses != CLIP.poses).any(axis=0)
    moved = {name.split(".")[0] for name, c in zip(PERSON.layout.names, changed, strict=True) if c}
    assert any("Spine" in name or "Chest" in name for name in moved)
    legs = [PERSON.index_of("LeftLeg"), PERSON.index_of("RightLeg")]
    assert not changed[legs].any()


def test_targets_may_vary_and_joints_may_be_named() -> None:
    head = CLIP.placements(["Head"])[:, 0, :3, 3] + np.array([-0.05, 0.05, 0.2])
    out = mk.edit(CLIP, mk.Over(mk.Position("RightHand", (0, 0, 0)), head), frames=(30, 80), blend=20, joints="all")
    assert out.reached.all()
    few = mk.edit(CLIP, mk.Position("RightHand", POINT), frames=(50, 70), blend=5, joints=["RightForeArm"])
    assert not few.reached.all()


def test_the_whole_clip_needs_no_blend() -> None:
    out = mk.edit(CLIP, mk.Position("RightHand", POINT), frames=(0, COUNT - 1), blend=30)
    hand = out.motion.placements(["RightHand"])[:, 0, :3, 3]
    assert np.linalg.norm(hand - POINT, axis=1).max() < 2e-4


@pytest.mark.parametrize(
    ("frames", "match"), [((5, 500), "has frames 0 to 119"), ((9, 3), "frames are 9 to 3"), (7, "first and the last")]
)
def test_bad_frames_are_told(frames: object, match: str) -> None:
    with pytest.raises(BadValue, match=match):
        mk.edit(CLIP, mk.Position("RightHand", POINT), frames=frames)  # type: ignore[arg-type]


def test_untouched_numbers_keep_their_text_in_the_saved_file(tmp_path: Path) -> None:
    path = data_file("bvh/cmu_02_01_walk.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = mk.load_motion(path)
        point = clip.placements(["Head"])[200, 0, :3, 3]
        out = mk.edit(clip, mk.Position("RightHand", point, offset=(0, 0, 0)), frames=(150, 160), blend=10)
        mk.save(out.motion, tmp_path / "edited.bvh")
    old, new = path.read_text().split(), (tmp_path / "edited.bvh").read_text().split()
    assert len(old) == len(new)
    moved = (out.motion.poses != clip.poses).sum()
    assert 0 < sum(a != b for a, b in zip(old, new, strict=True)) <= moved


# Keys


def crouch() -> mk.Motion:
    """Standing, crouching on the same feet, standing with a raised arm."""
    feet = ["LeftFoot", "RightFoot"]
    stand = np.array(PERSON.rest)
    places = PERSON.placements(stand, feet)
    goals = [mk.Placement(n, p) for n, p in zip(feet, places, strict=True)]
    hips = PERSON.placements(stand, ["Hips"])[0, :3, 3]
    low = mk.solve(PERSON, [*goals, mk.Position("Hips", hips - np.array([0.0, 0.15, 0.0]), axes="y")], stand)
    up = mk.solve(PERSON, [*goals, mk.Position("RightHand", (-0.3, 1.6, 0.2))], stand)
    assert low.reached
    assert up.reached
    return mk.Motion(PERSON, [stand, low.pose, up.pose], times=[0.0, 1.0, 2.0])


def test_keys_are_kept_and_the_motion_is_smooth() -> None:
    keys = crouch()
    out = mk.inbetween(keys, rate=30, plant=False)
    assert len(out.motion) == 61
    for frame, pose in zip((0, 30, 60), keys.poses, strict=True):
        assert np.array_equal(out.motion.poses[frame], pose)
    steps = PERSON.difference(out.motion.poses[:-1], out.motion.poses[1:])
    assert np.abs(steps[[0, 29, 30, 59]]).max() < 0.1 * np.abs(steps).max()


def test_planted_feet_stay_between_keys() -> None:
    keys = crouch()
    loose, fixed = mk.inbetween(keys, plant=False), mk.inbetween(keys)
    slide = [np.ptp(c.motion.placements(["LeftFoot"])[:, 0, :3, 3], axis=0).max() for c in (loose, fixed)]
    assert slide[0] > 0.01
    assert slide[1] < 1e-3
    assert fixed.reached.all()
    assert any("LeftFoot stands" in note for note in fixed.notes)


def test_a_foot_that_is_elsewhere_at_the_next_key_is_free() -> None:
    step = np.array(PERSON.rest)
    step[0] += 0.5
    out = mk.inbetween(mk.Motion(PERSON, [PERSON.rest, step], times=[0.0, 1.0]))
    assert out.notes == ()
    assert out.errors.shape == (31, 0)


def test_keyed_effectors_are_eased_between_their_keys() -> None:
    a, b = np.array([-0.3, 1.2, 0.3]), np.array([-0.3, 1.5, 0.3])
    hand = mk.Over(mk.Position("RightHand", a), {0.5: a, 1.5: b})
    out = mk.inbetween(crouch(), hand)
    assert out.reached.all()
    at = out.motion.placements(["RightHand"])[:, 0, :3, 3]
    assert_close(at[30], 0.5 * (a + b), tol=3e-4)
    assert np.isnan(out.errors[:14, -1]).all()


def test_keys_on_one_frame_are_told() -> None:
    keys = mk.Motion(PERSON, [PERSON.rest, PERSON.rest], times=[0.0, 0.01])
    with pytest.raises(BadValue, match="two keys fall on the same frame at 30 frames per second"):
        mk.inbetween(keys)
