"""`mk.retarget`: the motion of one figure on another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from needs import data_file
from retarget_clips import FIGURES, apart, calibrated, clip, figure, scaled

import manikin as mk
from manikin.errors import BadValue, UnknownName
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget import solving
from manikin.motion.retarget.part_joints import segments_of

SHORT = 100
"""Frames of clips in quick tests."""


def quality(found: mk.Retargeted) -> Mapping[str, float]:
    return found.measures


@pytest.mark.parametrize("name", ["walk", "run", "cartwheel", "pymo", "rokoko", "dab", "optitrack"])
def test_a_clip_onto_itself_does_not_change(name: str) -> None:
    motion = clip(name, SHORT)
    out = mk.retarget(motion, motion.figure, plant=False, floor=0.0)
    own = calibrated(motion)
    mains = own.mains()
    there, back = (m.placements(mains)[-len(out.motion) :, :, :3, 3] for m in (motion, out.motion))
    assert np.linalg.norm(there - back, axis=-1).max() < 2e-3 * own.leg
    assert apart(motion, out.motion, own) < 0.01
    assert quality(out)["bone_error_deg"] < 0.02


def test_the_pirouette_of_one_skeleton_becomes_that_of_another() -> None:
    """CMU recorded one motion. The two files have it on different skeletons, made by others."""
    cmu, daz = clip("pirouette"), clip("daz pirouette")
    assert apart(mk.retarget(cmu, daz.figure).motion, daz, calibrated(daz)) < 2.5
    assert apart(mk.retarget(daz, cmu.figure).motion, cmu, calibrated(cmu)) < 2.5


@pytest.mark.parametrize("name", ["human", *(n for n in FIGURES if n != "fox")])
def test_limits_hold_and_feet_stand(name: str) -> None:
    out = mk.retarget(clip("walk", 200), figure(name))
    assert np.max(figure(name).violation(out.motion.poses)) == 0.0
    found = quality(out)
    assert found["frames_over_limit"] == 0
    assert found["slide_mm"] <= 3.0
    assert found["sinking_mm"] <= 10.0
    assert found["turn_deg"] <= found["source_turn_deg"] + 2.0
    assert found["bone_error_deg"] <= 6.0


@pytest.mark.parametrize(("name", "most"), [("cartwheel", 4.7), ("dab", 5.2)])
def test_an_arm_is_not_left_behind_a_joint_limit(name: str, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shoulder of the G1 meets a limit, and the other side of the limit is better in later frames."""
    motion, target = clip(name), figure("g1")
    out = mk.retarget(motion, target)
    found = quality(out)
    assert found["bone_error_deg"] < most
    assert found["far_percent"] < 1.0
    assert found["slide_mm"] < 1.0
    assert found["turn_excess_deg"] < 2.0
    assert np.max(target.violation(out.motion.poses)) == 0.0
    monkeypatch.setattr(solving, "with_free_arms", lambda _, poses, *__: poses)
    assert quality(mk.retarget(motion, target))["bone_error_deg"] > most


def test_joints_between_two_parts_turn_the_lower_one() -> None:
    """The hips of some robots (NAO, iCub) have segments that are named neither pelvis nor thigh."""
    robot = figure("g1")
    thighs = {f"{side} thigh": [f"{side}_hip_yaw_link"] for side in ("left", "right")}
    own = calibrate(robot, mk.bone_map(robot, thighs))
    assert segments_of(own, "left thigh") == ["left_hip_pitch_link", "left_hip_roll_link", "left_hip_yaw_link"]
    assert segments_of(own, "left shank") == list(own.bones["left shank"])
    found = quality(mk.retarget(clip("walk", SHORT), robot, bones=thighs))
    assert found["slide_mm"] < 0.5  # 0.9 with the first two joints of the hips at rest
    assert found["bone_error_deg"] < 5.0  # 7.7


def test_a_foot_that_hangs_on_the_root_stays_at_its_leg() -> None:
    target = figure("robot")
    out = mk.retarget(clip("cartwheel"), target)
    own = calibrate(target, mk.bone_map(target))
    for side in ("left", "right"):
        link = own.links[f"{side} foot"]
        assert not link.hangs
        at = out.motion.placements([own.bones.main(link.parent), own.bones.main(f"{side} foot")])
        ends = [at[:, k, :3, :3] @ point + at[:, k, :3, 3] for k, point in enumerate((link.at_parent, link.at_own))]
        assert np.linalg.norm(ends[0] - ends[1], axis=1).max() < 0.01 * own.leg


@pytest.mark.parametrize("name", ["human", "makehuman", "cesium", "g1"])
def test_there_and_back(name: str) -> None:
    motion = clip("walk", 200)
    back = mk.retarget(mk.retarget(motion, figure(name)).motion, motion.figure)
    assert apart(motion, back.motion, calibrated(motion)) <= 1.5


@pytest.mark.parametrize("factor", [100.0, 0.0254])
def test_the_unit_does_not_matter(factor: float) -> None:
    motion, target = clip("walk", SHORT), figure("human")
    wanted = mk.retarget(motion, target).motion.poses
    from_scaled = mk.retarget(scaled(motion, factor), target).motion.poses
    assert np.abs(from_scaled - wanted).max() < 1e-7
    onto_scaled = np.array(mk.retarget(motion, target.scaled(factor)).motion.poses)
    onto_scaled[:, :3] /= factor
    assert np.abs(onto_scaled - wanted).max() < 1e-7


def test_twice_gives_the_same_bits() -> None:
    one, two = (mk.retarget(clip("dab", SHORT), figure("g1")) for _ in range(2))
    assert np.array_equal(one.motion.poses, two.motion.poses)


def test_progress_may_stop_and_does_not_change_the_result() -> None:
    motion = clip("walk", SHORT)
    seen: list[tuple[int, int]] = []
    out = mk.retarget(motion, figure("human"), progress=lambda done, count: seen.append((done, count)))
    assert seen[-1] == (len(out.motion), len(out.motion))
    assert np.array_equal(out.motion.poses, mk.retarget(motion, figure("human")).motion.poses)


def test_a_result_that_was_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "PIECE", 20)
    motion = clip("walk", SHORT)
    for made in (
        mk.retarget(motion, figure("human"), progress=lambda *_: False),
        mk.plant(motion, progress=lambda *_: False),
    ):
        assert len(made.motion) < len(motion) - 1
        assert not made.complete
    cut = mk.retarget(motion, figure("human"), progress=lambda *_: False)
    assert cut.notes[0] == f"the call was stopped after 20 of {len(motion) - 1} frames"
    assert mk.retarget(motion, figure("human")).complete


def test_a_jump_of_the_body_is_noted() -> None:
    motion = clip("walk", SHORT)
    poses = np.array(motion.poses)
    poses[60:, :3] += 50.0
    notes = mk.retarget(motion.replaced(poses=poses), figure("human")).notes
    assert any("the body of the source moves by" in note and "from frame 59 to 60" in note for note in notes)
    notes = mk.retarget(motion, figure("human")).notes
    assert not any("the body of the source" in note for note in notes)


def test_slides_of_a_rig_stay_at_rest() -> None:
    target = figure("makehuman")
    out = mk.retarget(clip("walk", SHORT), target)
    held = sorted(target.layout.held)
    assert len(held) > 100
    assert np.array_equal(out.motion.poses[:, held], np.tile(target.rest[held], (len(out.motion), 1)))


def test_a_pose_before_the_clip_is_left_out() -> None:
    motion = clip("optitrack", SHORT)
    out = mk.retarget(motion, figure("human"))
    assert len(out.motion) == len(motion) - 1
    assert out.motion.times[0] == motion.times[1]
    assert any("frame 0" in note for note in out.notes)


def test_turned_target_walks_along_its_own_forward() -> None:
    """VRM 0 figures face −z. A walk along the source's forward goes along the target's forward."""
    motion = clip("walk", SHORT)
    person = figure("human")
    root, *others = person.segments
    turned = person.replaced(segments=[root.replaced(rotation=(0.0, 0.0, 1.0, 0.0)), *others])
    way = [
        np.diff(mk.retarget(motion, f).motion.placements(["Hips"])[[0, -1], 0, :3, 3], axis=0)[0]
        for f in (person, turned)
    ]
    assert np.linalg.norm(way[0]) > 0.3
    assert way[1] == pytest.approx([-way[0][0], way[0][1], -way[0][2]], abs=0.01)


def test_the_result_names_what_was_done() -> None:
    out = mk.retarget(clip("walk", SHORT), figure("g1"))
    assert out.figure is figure("g1")
    assert out.bones["left thigh"][0] == "left_hip_pitch_link"
    assert out.source_bones["left thigh"] == ("LeftUpLeg",)
    assert out.source_pose == "frame 0"
    assert out.pose == "rest pose"
    assert 0.0 < out.scale < 1.0
    assert {point for point, _, _ in out.contacts} >= {"left heel", "right toe"}


def test_the_scale_can_be_given() -> None:
    motion, target = clip("walk", SHORT), figure("human")
    found, given = (mk.retarget(motion, target, scale=s) for s in (None, 0.02))
    ways = [np.linalg.norm(np.diff(m.motion.poses[[0, -1], :3], axis=0)) for m in (found, given)]
    assert ways[1] / ways[0] == pytest.approx(0.02 / found.scale, rel=0.05)
    with pytest.raises(BadValue, match="scale is -1"):
        mk.retarget(motion, target, scale=-1.0)


# Errors


def test_two_legs_onto_four_is_refused() -> None:
    with pytest.raises(BadValue, match="four legs and clip 'cmu_02_01_walk' on two"):
        mk.retarget(clip("walk", SHORT), figure("fox"))


def test_a_figure_that_cannot_move_freely_is_refused() -> None:
    person = figure("human")
    root, *others = person.segments
    fixed = person.replaced(segments=[root.replaced(joint=mk.Joint("Hips")), *others])
    with pytest.raises(BadValue, match="cannot move freely in space; load it with root='free'"):
        mk.retarget(clip("walk", SHORT), fixed)


def test_a_target_that_does_not_stand_asks_for_a_pose() -> None:
    motion, target = clip("walk", SHORT), clip("rokoko").figure
    with pytest.raises(BadValue, match="does not stand; give pose= with a pose in which it stands"):
        mk.retarget(motion, target)
    out = mk.retarget(motion, target, pose=clip("rokoko")[0])
    assert out.pose == "given"
    assert quality(out)["bone_error_deg"] < 2.0


def test_a_map_with_unknown_names_is_refused() -> None:
    motion = clip("walk", SHORT)
    with pytest.raises(UnknownName, match="'lShin'"):
        mk.retarget(motion, figure("human"), bones={"left shank": ["lShin"]})
    with pytest.raises(BadValue, match="source_bones is a map of figure 'human'"):
        mk.retarget(motion, figure("human"), source_bones=mk.bone_map(figure("human")))


def test_bad_arguments_are_named() -> None:
    motion = clip("walk", SHORT)
    with pytest.raises(BadValue, match="retarget needs a Motion"):
        mk.retarget(motion.figure, figure("human"))  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="in_place is 2"):
        mk.retarget(motion, figure("human"), in_place=2)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="'knees'"):
        mk.retarget(motion, figure("human"), weights={"knees": 2.0})
    with pytest.raises(BadValue, match="weights is 3; it needs a mapping"):
        mk.retarget(motion, figure("human"), weights=3)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"weights\['foot'\] is -1; it must be at least 0"):
        mk.retarget(motion, figure("human"), weights={"foot": -1.0})
    with pytest.raises(BadValue, match=r"weights\['wrist'\] is inf; it needs a finite number"):
        mk.retarget(motion, figure("human"), weights={"wrist": np.inf})
    with pytest.raises(BadValue, match="progress is 3; it needs a function"):
        mk.retarget(motion, figure("human"), progress=3)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="plant is 'no'; it must be True or False"):
        mk.retarget(motion, figure("human"), plant="no")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"contacts has 50 frames; it needs .*, which has 100"):
        mk.retarget(motion, figure("human"), contacts=mk.contacts(clip("walk", 50)))
    with pytest.raises(BadValue, match="contacts belongs to figure 'human'"):
        mk.retarget(
            motion, figure("human"), contacts=mk.contacts(mk.retarget(clip("walk", SHORT + 1), figure("human")).motion)
        )
    with pytest.raises(BadValue, match=r"floor is too high: .*'cmu_02_01_walk'"):
        mk.retarget(motion, figure("human"), floor=100.0)
    with pytest.raises(BadValue, match="needs the contacts of motion"):
        mk.retarget(motion, figure("human"), contacts=mk.contacts(clip("walk", 50)))


def test_clips_of_different_rates_give_the_same_motion() -> None:
    """The walk at 120 and at 30 frames per second: the joints are within 1 % of body height of each other."""
    motion, target = clip("walk", 241)[1:], figure("human")
    fast, slow = mk.retarget(motion, target), mk.retarget(motion.resampled(30.0), target)
    assert slow.motion.rate == pytest.approx(30.0)
    common = mk.Motion(target, fast.motion.at(slow.motion.times), slow.motion.times)
    own = calibrate(target, mk.bone_map(target))
    assert apart(common, slow.motion, own) < 1.0


def test_a_single_frame() -> None:
    out = mk.retarget(clip("walk")[50:51], figure("g1"))
    assert len(out.motion) == 1
    assert quality(out)["bone_error_deg"] < 5.0


# A held body


@pytest.mark.parametrize("root", ["free", "fixed"])
def test_a_held_body_stays_and_its_limbs_follow(root: str) -> None:
    robot = mk.load_figure(data_file("mjcf/unitree_g1.xml"), root=root)
    motion = clip("cartwheel", 240)
    out = mk.retarget(motion, robot, hold_body=True)
    pelvis = out.motion.placements(["pelvis"])[:, 0]
    assert np.abs(pelvis - robot.placements(robot.rest, ["pelvis"])[0]).max() < 1e-12
    assert out.good, out.shortcomings
    assert any("the body is held" in note for note in out.notes)
    free = mk.retarget(motion, figure("g1"), plant=False)
    arms = ["left_shoulder_yaw_link", "right_elbow_link"]
    seen = []
    for one in (out, free):
        at = one.motion.placements(["pelvis", *arms])[..., :3, :3]
        seen.append(np.swapaxes(at[:, :1], -1, -2) @ at[:, 1:])
    assert np.median(np.abs(seen[0] - seen[1])) < 0.05


def test_a_held_body_of_a_figure_rooted_at_the_chest() -> None:
    out = mk.retarget(clip("walk", SHORT), figure("mujoco"), hold_body=True)
    name = mk.bone_map(figure("mujoco")).main("pelvis")
    assert np.ptp(out.motion.placements([name])[:, 0, :3, 3], axis=0).max() < 0.05


def test_hold_body_must_be_true_or_false() -> None:
    with pytest.raises(BadValue, match="hold_body is 'yes'; it must be True or False"):
        mk.retarget(clip("walk", SHORT), figure("human"), hold_body="yes")  # type: ignore[arg-type]
