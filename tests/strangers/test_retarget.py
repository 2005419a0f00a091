"""Retargeting, contacts and planting on a walk that is known, judged by its own kinematics and by MuJoCo."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import biped
import numpy as np
import pytest
import walker
import walker_files
from mjcf_judge import Judge
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import BadValue, UnknownName

WALK = walker.walk()
LIMBS = (("UpLeg", "Leg"), ("Leg", "Foot"), ("Arm", "ForeArm"), ("ForeArm", "Hand"))
ROBOT_LIMBS = {
    "UpLeg": "hip_yaw_link",
    "Leg": "knee_link",
    "Foot": "ankle_roll_link",
    "Arm": "shoulder_yaw_link",
    "ForeArm": "elbow_link",
    "Hand": "hand_link",
}
TO_ROBOT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""From y up and z forward to z up and x forward."""
SIDES = ("Left", "Right")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("walk")
    (made / "walk.bvh").write_text(walker_files.bvh_text(WALK))
    (made / "biped.xml").write_text(biped.mjcf_text())
    return made


@pytest.fixture(scope="module")
def clip(folder: Path) -> mk.Motion:
    return mk.load_motion(folder / "walk.bvh")


@pytest.fixture(scope="module")
def robot(folder: Path) -> mk.Figure:
    return mk.load_figure(folder / "biped.xml")


@cache
def person() -> mk.Figure:
    return mk.human()


def directions(start: Any, end: Any) -> Any:
    return (end - start) / np.linalg.norm(end - start, axis=-1, keepdims=True)


def between(one: Any, two: Any) -> Any:
    """Degrees between directions."""
    return np.degrees(np.arccos(np.clip((one * two).sum(axis=-1), -1.0, 1.0)))


def places(motion: mk.Motion, name: str) -> Any:
    return motion.placements([name])[:, 0, :3, 3]


def in_centimetres(moved: Any) -> Any:
    return 100.0 * np.asarray(moved)


def stances(side: str) -> list[tuple[int, int]]:
    """The first frame in which a foot stands, and the one after the last; for long stances."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], WALK.stands[side], [False]]).astype(int)))
    return [(first, last) for first, last in edges.reshape(-1, 2).tolist() if last - first > 10]


def with_root(clip: mk.Motion, change: Any) -> mk.Motion:
    """The clip with its hips moved by (frames, 3) metres."""
    poses = np.array(clip.poses)
    poses[:, :3] += in_centimetres(change)
    return clip.replaced(poses=poses)


# Onto a person


def test_limbs_of_a_person_point_as_those_of_the_source(clip: mk.Motion) -> None:
    out = mk.retarget(clip, person())
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(WALK.at(side + upper), WALK.at(side + lower))
            found = directions(places(out.motion, side + upper), places(out.motion, side + lower))
            assert between(wanted, found).max() < 3.0, side + upper
    free = mk.retarget(clip, person(), plant=False)
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(WALK.at(side + upper), WALK.at(side + lower))
            found = directions(places(free.motion, side + upper), places(free.motion, side + lower))
            assert between(wanted, found).max() < 0.5, side + upper
    assert out.good
    assert out.complete
    assert out.shortcomings == ()
    assert out.notes == ()
    assert out.bones["left thigh"] == ("LeftUpLeg",)
    assert np.array_equal(out.motion.times, clip.times)
    assert out.motion.name == clip.name


def test_feet_of_a_person_stand_while_those_of_the_source_do(clip: mk.Motion) -> None:
    out = mk.retarget(clip, person())
    for side in SIDES:
        for first, last in stances(side):
            assert np.ptp(places(out.motion, f"{side}ToeBase")[first:last], axis=0).max() < 4e-3
        swings = places(out.motion, f"{side}ToeBase")[~WALK.stands[side]]
        assert swings[:, 1].max() > 0.05
    height = np.stack([places(out.motion, f"{side}ToeBase")[:, 1] for side in SIDES])
    assert 0.0 < height.min() < 0.04
    assert np.max(person().violation(out.motion.poses)) == 0.0


def test_the_way_and_the_height_follow_the_length_of_the_legs(clip: mk.Motion) -> None:
    out = mk.retarget(clip, person())
    at = person().placements(person().rest, ["LeftUpLeg", "LeftLeg", "LeftFoot"])[:, :3, 3]
    ratio = np.linalg.norm(np.diff(at, axis=0), axis=1).sum() / (walker.THIGH + walker.SHANK)
    assert out.scale == pytest.approx(0.01 * ratio, rel=1e-3)
    hips = places(out.motion, "Hips")
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(ratio * (WALK.root[-1, 2] - WALK.root[0, 2]), rel=0.01)
    small = mk.retarget(clip, person(), scale=0.005, plant=False)
    hips = places(small.motion, "Hips")
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(0.5 * (WALK.root[-1, 2] - WALK.root[0, 2]), rel=0.01)


@pytest.mark.parametrize(("unit", "order"), [(0.0254, "ZYX"), (1.0, "XYZ"), (0.01, "YXZ")])
def test_unit_and_order_of_angles_do_not_matter(clip: mk.Motion, tmp_path: Path, unit: float, order: str) -> None:
    (tmp_path / "other.bvh").write_text(walker_files.bvh_text(WALK, unit, order))
    other = mk.retarget(mk.load_motion(tmp_path / "other.bvh"), person())
    assert np.abs(other.motion.poses - mk.retarget(clip, person()).motion.poses).max() < 1e-5


def test_a_walk_in_another_direction_stays_in_that_direction(tmp_path: Path, clip: mk.Motion) -> None:
    turned = walker.walk(heading=2.0)
    (tmp_path / "turned.bvh").write_text(walker_files.bvh_text(turned))
    out, straight = (mk.retarget(m, person()) for m in (mk.load_motion(tmp_path / "turned.bvh"), clip))
    about = np.array([[np.cos(2.0), 0.0, np.sin(2.0)], [0.0, 1.0, 0.0], [-np.sin(2.0), 0.0, np.cos(2.0)]])
    for name in ("Hips", "LeftHand", "RightFoot", "Head"):
        assert np.abs(places(out.motion, name) - places(straight.motion, name) @ about.T).max() < 0.01


def test_there_and_back(clip: mk.Motion) -> None:
    back = mk.retarget(mk.retarget(clip, person()).motion, clip.figure)
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(WALK.at(side + upper), WALK.at(side + lower))
            assert (
                between(wanted, directions(places(back.motion, side + upper), places(back.motion, side + lower))).max()
                < 4.0
            )
    itself = mk.retarget(clip, clip.figure, plant=False, floor=0.0)
    found = itself.motion.placements(walker.NAMES)[..., :3, 3]
    assert np.abs(found - in_centimetres(WALK.positions)).max() < 0.2


def test_a_t_pose_before_the_clip_is_left_out(tmp_path: Path, clip: mk.Motion) -> None:
    stand = np.tile(np.eye(3), (1, len(walker.NAMES), 1, 1))
    root = np.array([[0.0, walker.THIGH + walker.SHANK + walker.ANKLE, 0.0]])
    both = walker.Walk(60.0, np.concatenate([stand, WALK.turns]), np.concatenate([root, WALK.root]))
    (tmp_path / "both.bvh").write_text(walker_files.bvh_text(both))
    out = mk.retarget(mk.load_motion(tmp_path / "both.bvh"), person())
    assert len(out.motion) == len(WALK)
    assert any("frame 0" in note for note in out.notes)
    assert np.abs(out.motion.poses - mk.retarget(clip, person()).motion.poses).max() < 1e-3


def test_edited_contacts_and_weights_are_used(clip: mk.Motion) -> None:
    found = mk.contacts(clip)
    none = found
    for contact in found:
        none = none.removed(contact.point, contact.first, contact.last)
    assert len(none) == 0
    out = mk.retarget(clip, person(), contacts=none)
    assert out.contacts == ()
    light = mk.retarget(clip, person(), weights={"wrist": 0.0, "foot": 0.1})
    assert not np.array_equal(light.motion.poses, mk.retarget(clip, person()).motion.poses)
    assert (
        between(*(directions(places(m.motion, "LeftArm"), places(m.motion, "LeftForeArm")) for m in (light, out))).max()
        < 3.0
    )


def test_a_call_can_be_stopped_and_says_how_far_it_came(clip: mk.Motion) -> None:
    seen: list[tuple[int, int]] = []
    out = mk.retarget(clip, person(), progress=lambda done, count: seen.append((done, count)))
    assert seen[-1] == (len(clip), len(clip))
    assert np.array_equal(out.motion.poses, mk.retarget(clip, person()).motion.poses)


def test_a_jump_of_the_body_is_noted(clip: mk.Motion) -> None:
    jump = np.zeros((len(WALK), 3))
    jump[60:, 0] = 5.0
    notes = mk.retarget(with_root(clip, jump), person()).notes
    assert any("the body of the source moves by" in note and "from frame 59 to 60" in note for note in notes)


def test_wrong_arguments_are_named(clip: mk.Motion, robot: mk.Figure) -> None:
    with pytest.raises(BadValue, match="retarget needs a Motion"):
        mk.retarget(clip.figure, person())  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="'knees'"):
        mk.retarget(clip, person(), weights={"knees": 2.0})
    with pytest.raises(BadValue, match=r"weights\['foot'\] is -1"):
        mk.retarget(clip, person(), weights={"foot": -1.0})
    with pytest.raises(BadValue, match="scale is -1"):
        mk.retarget(clip, person(), scale=-1.0)
    with pytest.raises(UnknownName, match="'lShin'"):
        mk.retarget(clip, person(), bones={"left shank": ["lShin"]})
    with pytest.raises(BadValue, match="contacts has 50 frames"):
        mk.retarget(clip, person(), contacts=mk.contacts(clip[:50]))
    with pytest.raises(BadValue, match="contacts belongs to figure 'biped'"):
        mk.retarget(clip, person(), contacts=mk.contacts(mk.retarget(clip, robot).motion))
    with pytest.raises(BadValue, match="floor is too high"):
        mk.retarget(clip, person(), floor=1000.0)
    with pytest.raises(BadValue, match="stands on four legs and clip 'walk' on two"):
        mk.retarget(clip, mk.quadruped())
    with pytest.raises(BadValue, match="hold_body is 'yes'"):
        mk.retarget(clip, person(), hold_body="yes")  # type: ignore[arg-type]


# Onto a robot


def test_limbs_of_a_robot_point_as_those_of_the_source(clip: mk.Motion, robot: mk.Figure) -> None:
    out = mk.retarget(clip, robot)
    judge = Judge.of_text(biped.mjcf_text())
    seen: dict[str, list[Any]] = {name: [] for name in judge.bodies}
    lowest = []
    for pose in out.motion.poses:
        judge.pose(pose)
        for name in judge.bodies:
            seen[name].append(np.array(judge.data.body(name).xpos))
        ankles = [judge.data.body(f"{side}_ankle_roll_link") for side in ("left", "right")]
        corners = np.array([[x, y, -biped.SOLE] for x in (-0.06, 0.14) for y in (-0.04, 0.04)])
        soles = [corners @ a.xmat.reshape(3, 3).T + a.xpos for a in ankles]
        lowest.append([float(s[:, 2].min()) for s in soles])
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(WALK.at(side + upper), WALK.at(side + lower)) @ TO_ROBOT.T
            ends = [np.array(seen[f"{side.lower()}_{ROBOT_LIMBS[n]}"]) for n in (upper, lower)]
            assert between(wanted, directions(*ends)).max() < 3.0, side + upper
        ankle = np.array(seen[f"{side.lower()}_ankle_roll_link"])
        for first, last in stances(side):
            assert np.ptp(ankle[first:last], axis=0).max() < 2e-3
    below = np.array(lowest)
    assert -2e-3 < below.min() < 2e-3  # a foot stands, and none sinks into the floor
    ways = np.array(seen["pelvis"])
    ratio = (biped.THIGH + biped.SHANK) / (walker.THIGH + walker.SHANK)
    assert ways[-1, 0] - ways[0, 0] == pytest.approx(ratio * (WALK.root[-1, 2] - WALK.root[0, 2]), rel=0.01)
    assert np.max(robot.violation(out.motion.poses)) == 0.0
    notes = out.notes
    assert "figure 'biped' has no toes; its feet point forward" in notes


def test_a_held_body_stays_and_its_limbs_follow(clip: mk.Motion, robot: mk.Figure, folder: Path) -> None:
    free = mk.retarget(clip, robot, plant=False)
    for root in ("free", "fixed"):
        held = mk.load_figure(folder / "biped.xml", root=root)
        out = mk.retarget(clip, held, hold_body=True)
        assert np.ptp(out.motion.placements(["pelvis"])[:, 0], axis=0).max() < 1e-12
        for limb in ("left_shoulder_yaw_link", "right_knee_link"):
            one, two = (
                np.swapaxes(m.motion.placements(["pelvis"])[:, 0, :3, :3], -1, -2)
                @ m.motion.placements([limb])[:, 0, :3, :3]
                for m in (out, free)
            )
            assert np.abs(one - two).max() < 0.05
        assert any("the body is held" in note for note in out.notes)
    fixed = mk.load_figure(folder / "biped.xml", root="fixed")
    with pytest.raises(BadValue, match="cannot move freely in space"):
        mk.retarget(clip, fixed)


# Contacts


def test_contacts_are_where_the_feet_stand(clip: mk.Motion) -> None:
    found = mk.contacts(clip)
    for side in SIDES:
        for point in ("toe", "heel"):
            mask = found.mask(f"{side.lower()} {point}")
            assert np.mean(mask != WALK.stands[side]) < 0.04
            for contact in found.of(f"{side.lower()} {point}"):
                if contact.last - contact.first > 10:
                    middle = (contact.first + contact.last) // 2
                    here = in_centimetres(WALK.at(f"{side}Foot")[middle])
                    assert contact.place[0] == pytest.approx(here[0], abs=0.1)
                    ahead = contact.place[2] - here[2]
                    assert 10.0 < ahead < 22.0 if point == "toe" else -10.0 < ahead < 5.0
    assert not found.on_the_spot
    assert not found.of("left hand")
    assert found.floor == pytest.approx(0.0, abs=2.0)
    assert found.floor_slope == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_a_walk_on_the_spot_has_a_floor_that_moves(clip: mk.Motion) -> None:
    still = with_root(clip, -WALK.root * (0.0, 0.0, 1.0))
    found = mk.contacts(still)
    assert found.on_the_spot
    assert found.floor_velocity == pytest.approx((0.0, 0.0, -100.0 * walker.STRIDE / walker.CYCLE), rel=1e-3, abs=1e-6)
    out = mk.retarget(still, person())
    assert np.ptp(places(out.motion, "Hips"), axis=0).max() < 0.03
    assert "the motion walks on the spot" in out.notes
    walks = mk.retarget(still, person(), in_place=False)
    assert np.ptp(places(walks.motion, "Hips")[:, 2]) > 1.0
    spot = mk.retarget(clip, person(), in_place=True)
    assert np.ptp(places(spot.motion, "Hips")[:, 2]) < 0.05


def test_the_floor_may_be_at_any_height_and_tilted(clip: mk.Motion, tmp_path: Path) -> None:
    wanted = mk.contacts(clip)
    higher = mk.contacts(with_root(clip, np.tile([0.0, 7.0, 0.0], (len(WALK), 1))))
    assert (higher.floor or 0.0) - (wanted.floor or 0.0) == pytest.approx(700.0)
    about = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(0.03), -np.sin(0.03)], [0.0, np.sin(0.03), np.cos(0.03)]])
    turns = WALK.turns.copy()
    turns[:, 0] = about @ turns[:, 0]
    (tmp_path / "tilted.bvh").write_text(walker_files.bvh_text(walker.Walk(60.0, turns, WALK.root @ about.T)))
    tilted = mk.contacts(mk.load_motion(tmp_path / "tilted.bvh"))
    assert tilted.floor_slope == pytest.approx((0.0, 0.0, -np.tan(0.03)), rel=0.05, abs=1e-6)
    for point in ("left toe", "right heel"):
        assert np.array_equal(higher.mask(point), wanted.mask(point))


# Planting


def test_plant_removes_slide_and_leaves_the_rest_alone(clip: mk.Motion) -> None:
    drift = np.linspace(0.0, 0.08, len(WALK))[:, None] * [[0.3, 0.0, 1.0]]
    slides = with_root(clip, drift)
    out = mk.plant(slides)
    for side in SIDES:
        for first, last in stances(side):
            before, after = (places(m, f"{side}ToeBase")[first:last] for m in (slides, out.motion))
            assert np.ptp(after, axis=0).max() < 0.3 < 1.0 < np.ptp(before, axis=0).max()
    legs = [n for n in clip.figure.joint_names if "Leg" in n or "Foot" in n or "Toe" in n or n == "Hips"]
    index = {name: clip.figure.index_of(name) for name in clip.figure.joint_names}
    ends = sorted([*index.values(), clip.figure.nq])
    for name, first in index.items():
        if name not in legs:
            span = slice(first, ends[ends.index(first) + 1])
            assert np.array_equal(out.motion.poses[:, span], slides.poses[:, span]), name
    again = mk.plant(out.motion)
    assert np.array_equal(again.motion.poses, out.motion.poses)
    told = out
    assert told.before["slide_mm"] > 10.0 > 0.1 > told.after["slide_mm"]
    assert {point for point, _, _ in told.contacts} == {"left toe", "left heel", "right toe", "right heel"}


def test_plant_leaves_feet_that_stand_where_they_are(clip: mk.Motion) -> None:
    found, own = (m.placements(walker.NAMES)[..., :3, 3] for m in (mk.plant(clip).motion, clip))
    assert np.abs(found - own).max() < 0.1


# Jumps


def test_limbs_follow_where_the_source_jumps(tmp_path: Path) -> None:
    """The arms jump to another pose for a third of a second. The frames after a jump are solved to the end."""
    rng = np.random.default_rng(0)
    turns = WALK.turns.copy()
    for name in ("LeftArm", "LeftForeArm", "RightArm", "RightForeArm"):
        k = walker.NAMES.index(name)
        turns[40:60, k] = turns[40:60, k] @ Rotation.from_rotvec(0.5 * rng.normal(size=3)).as_matrix()
    jumps = walker.Walk(WALK.rate, turns, WALK.root)
    (tmp_path / "jumps.bvh").write_text(walker_files.bvh_text(jumps))
    out = mk.retarget(mk.load_motion(tmp_path / "jumps.bvh"), person())
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(jumps.at(side + upper), jumps.at(side + lower))
            away = between(wanted, directions(places(out.motion, side + upper), places(out.motion, side + lower)))
            assert away[[*range(40), *range(42, 60), *range(62, 92)]].max() < 5.0, side + upper
            assert away.max() < 30.0, side + upper


def test_no_limb_turns_much_more_than_where_the_source_jumps(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    turns = WALK.turns.copy()
    for k in range(1, len(walker.NAMES)):
        turns[40:60, k] = turns[40:60, k] @ Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    jumps = walker.Walk(WALK.rate, turns, WALK.root)
    (tmp_path / "jumps.bvh").write_text(walker_files.bvh_text(jumps))
    out = mk.retarget(mk.load_motion(tmp_path / "jumps.bvh"), person(), plant=False)
    for side in SIDES:
        for upper, lower in LIMBS:
            wanted = directions(jumps.at(side + upper), jumps.at(side + lower))
            found = directions(places(out.motion, side + upper), places(out.motion, side + lower))
            assert between(wanted, found)[[*range(38), *range(75, 92)]].max() < 6.0, side + upper
            assert between(found[1:], found[:-1]).max() < between(wanted[1:], wanted[:-1]).max() + 30.0, side + upper
