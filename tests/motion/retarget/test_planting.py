"""Planting: where feet and hands are while they stay on the floor, in clips and in made-up paths; and `mk.plant`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from needs import data_file
from retarget_clips import clip, figure

import manikin as mk
from manikin.errors import BadValue
from manikin.motion.retarget.planting import FADE, faded, nearness, planted_foot, ramp

TIMES = np.arange(0.0, 2.0, 1.0 / 100.0)


def level(points: np.ndarray) -> np.ndarray:
    return np.zeros(len(points))


def sliding_foot() -> tuple[np.ndarray, np.ndarray]:
    """A foot that slides forward while it should stand, from 0.6 to 1.4 s, and is in the air before and after. The heel
    lifts at 1.2 s."""
    away = np.maximum(0.0, np.abs(TIMES - 1.0) - 0.4)
    heel = np.stack([0.02 * np.sin(TIMES), away**2 + 0.01, 0.05 * TIMES], axis=1)
    toe = heel + np.array([0.0, 0.0, 0.2])
    masks = np.stack([(TIMES > 0.6) & (TIMES < 1.4), (TIMES > 0.6) & (TIMES < 1.2)])
    return np.stack([toe, heel]), masks


def test_points_on_the_floor_stay_in_one_place_on_it() -> None:
    places, masks = sliding_foot()
    moved = planted_foot(TIMES, places, masks, level)
    for point, mask in zip(moved, masks, strict=True):
        assert np.ptp(point[mask], axis=0).max() < 1e-12
        assert np.abs(point[mask, 1]).max() < 1e-12


def test_toe_and_heel_keep_the_length_of_the_sole() -> None:
    places, masks = sliding_foot()
    moved = planted_foot(TIMES, places, masks, level)
    assert np.linalg.norm(moved[0] - moved[1], axis=1) == pytest.approx(0.2, abs=1e-12)


def test_far_from_contacts_nothing_moves() -> None:
    places, masks = sliding_foot()
    moved = planted_foot(TIMES, places, masks, level)
    far = (TIMES < 0.6 - FADE - 0.01) | (TIMES > 1.4 + FADE + 0.01)
    assert far.sum() > 50
    assert moved[:, far] == pytest.approx(places[:, far], abs=1e-12)


def test_without_contacts_nothing_moves() -> None:
    places, masks = sliding_foot()
    assert planted_foot(TIMES, places, np.zeros_like(masks), level) == pytest.approx(places, abs=1e-12)


def test_a_point_leaves_the_floor_without_a_jump_in_speed() -> None:
    """The speed changes by at most 0.2 in a frame. A toe that jumped to another lock would change it by more than 1."""
    places, masks = sliding_foot()
    moved = planted_foot(TIMES, places, masks, level)
    speed = np.diff(moved[0], axis=0) * 100.0
    assert np.linalg.norm(np.diff(speed, axis=0), axis=1).max() < 0.2


def test_a_foot_that_pivots_on_its_heel_puts_its_toe_down_elsewhere() -> None:
    turn = 0.5 * np.pi * np.clip((TIMES - 0.8) / 0.4, 0.0, 1.0)
    heel = np.zeros((len(TIMES), 3))
    toe = 0.2 * np.stack([np.sin(turn), 0.0 * turn, np.cos(turn)], axis=1)
    masks = np.stack([(TIMES < 0.8) | (TIMES > 1.2), TIMES >= 0.0])
    moved = planted_foot(TIMES, np.stack([toe, heel]), masks, level)
    assert moved[1] == pytest.approx(heel, abs=1e-12)
    assert moved[0, masks[0]] == pytest.approx(toe[masks[0]], abs=1e-12)


def test_a_foot_that_pivots_stands_where_its_longest_contact_is() -> None:
    """The heel rests at 0. It is 0.03 away for a short time, while the toe is down for the first time."""
    turn = 0.5 * np.pi * np.clip((TIMES - 0.8) / 0.4, 0.0, 1.0)
    heel = np.zeros((len(TIMES), 3))
    heel[TIMES < 0.3, 0] = 0.03
    toe = heel + 0.2 * np.stack([np.sin(turn), 0.0 * turn, np.cos(turn)], axis=1)
    masks = np.stack([(TIMES < 0.3) | (TIMES > 1.2), TIMES >= 0.0])
    moved = planted_foot(TIMES, np.stack([toe, heel]), masks, level)
    assert moved[1] == pytest.approx(np.zeros_like(heel), abs=1e-12)


def test_offsets_of_near_contacts_are_blended() -> None:
    mask = (TIMES < 0.5) | (TIMES > 0.6)
    offsets = np.where(TIMES[:, None] < 0.55, 1.0, 3.0) * np.array([1.0, 0.0, 0.0])
    out = faded(TIMES, offsets, mask)[:, 0]
    assert out[mask] == pytest.approx(offsets[mask, 0])
    assert np.all(np.diff(out) >= 0.0)
    assert np.diff(out).max() < 0.5


def test_weights_grow_geometrically() -> None:
    mask = (TIMES > 0.9) & (TIMES < 1.1)
    near = nearness(TIMES, mask)
    assert near[mask] == pytest.approx(1.0)
    assert near[TIMES < 0.69].max() == 0.0
    weights = ramp(near, 0.3, 100.0)
    assert weights[mask] == pytest.approx(100.0)
    inside = (near > 0.05) & (near < 0.95) & (TIMES < 1.0)
    assert np.ptp(np.diff(np.log(weights[inside]))) < 1e-9
    assert nearness(TIMES, np.zeros(len(TIMES), dtype=bool)).max() == 0.0


# Retargeting with contacts


@pytest.mark.parametrize("name", ["human", "g1", "cesium"])
def test_planting_removes_slide(name: str) -> None:
    motion = clip("walk", 200)
    before, after = (mk.retarget(motion, figure(name), plant=p).measures for p in (False, True))
    assert before["slide_mean_mm"] > 5.0
    assert after["slide_mean_mm"] < 1.0
    assert after["slide_mm"] < 3.0
    assert after["bone_error_deg"] < before["bone_error_deg"] + 3.0


def test_slow_soles_of_the_source_are_slow_in_the_target() -> None:
    """Judged without our contacts: wherever the source's sole point is slower than 0.12 legs per second."""
    motion = clip("walk")[1:]
    out = mk.retarget(motion, figure("g1"))
    speeds = []
    for one in (motion, out.motion):
        found = mk.contacts(one)
        points = found.soles.over(one.figure, one.poses)[:4] / found.soles.leg
        speeds.append(np.linalg.norm(np.diff(points, axis=1), axis=-1) / np.diff(one.times))
    slow = speeds[0] < 0.12
    assert slow.sum() > 100
    assert 860.0 * np.median(speeds[1][slow]) <= 4.0


def test_edited_contacts_are_used() -> None:
    motion = clip("walk", 200)
    found = mk.contacts(motion)
    for point in ("left toe", "left heel"):
        found = found.removed(point)
    out = mk.retarget(motion, figure("human"), contacts=found)
    assert not any(point.startswith("left") for point, _, _ in out.contacts)
    assert any(point.startswith("right") for point, _, _ in out.contacts)


def test_long_arms_lift_the_body_off_the_floor() -> None:
    """The arms of CesiumMan are longer than those of the source, relative to the legs."""
    out = mk.retarget(clip("cartwheel"), figure("cesium"))
    found = out.measures
    assert found["wrist_error_percent"] < 0.8
    assert found["bone_error_deg"] < 1.1
    assert found["hand_slide_mm"] < 5.0
    assert found["turn_excess_deg"] <= 2.0


@pytest.mark.parametrize("name", ["human", "g1"])
def test_feet_stand_where_the_motion_is_fast_and_the_rate_low(name: str) -> None:
    """The dab has 30 frames per second. Some of its frames run out of iterations."""
    found = mk.retarget(clip("dab"), figure(name)).measures
    assert found["slide_mm"] < 1.0
    assert found["sinking_mm"] < 0.5


def test_hands_of_a_cartwheel_stay_on_the_floor() -> None:
    motion = clip("cartwheel")
    hands = [c for c in mk.contacts(motion) if c.point.endswith("hand")]
    assert hands
    first, last = min(c.first for c in hands) - 60, max(c.last for c in hands) + 60
    out = mk.retarget(motion[first:last], figure("human"))
    assert any(point.endswith("hand") for point, _, _ in out.contacts)
    assert out.measures["slide_mm"] < 3.0


# On the spot


def loop(name: str, which: str | None) -> mk.Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        return mk.load_motion(data_file(name), clip=which)


@pytest.mark.parametrize(("name", "which"), [("gltf/CesiumMan.glb", None), ("gltf/RobotExpressive.glb", "Walking")])
def test_a_walk_on_the_spot_stays_there_or_walks_on(name: str, which: str | None) -> None:
    motion = loop(name, which)
    stays, walks = (mk.retarget(motion, figure("human"), in_place=p) for p in (None, False))
    assert stays.on_the_spot
    for out in (stays, walks):
        assert out.measures["slide_mm"] < 3.0
    ways = [np.linalg.norm(np.ptp(m.motion.placements(["Hips"])[:, 0, [0, 2], 3], axis=0)) for m in (stays, walks)]
    assert ways[0] < 0.2
    assert ways[1] > 0.5


def test_a_walk_can_be_put_on_the_spot() -> None:
    motion = clip("walk", 240)
    out = mk.retarget(motion, figure("human"), in_place=True)
    path = out.motion.placements(["Hips"])[:, 0, [0, 2], 3]
    assert np.linalg.norm(path[-1] - path[0]) < 0.02
    assert not out.on_the_spot
    assert out.measures["slide_mm"] < 3.0


def test_steps_of_fifteen_centimetres() -> None:
    """A person hops from step to step. The floor is a function; on a taller person the steps are higher."""
    small = mk.human(height=1.5)
    times = np.arange(0.0, 3.1, 1.0 / 60.0)
    step, phase = np.divmod(times, 0.8)
    part = np.clip((phase - 0.5) / 0.3, 0.0, 1.0)
    rise = part * part * (3.0 - 2.0 * part)
    poses = np.tile(small.rest, (len(times), 1))
    poses[:, 1] += 0.15 * (step + rise) + 0.25 * np.sin(np.pi * part)
    poses[:, 2] += 0.4 * (step + rise)

    def stairs(points: np.ndarray) -> np.ndarray:
        return 0.15 * np.round(np.clip(points[:, 2] / 0.4 - 0.2, 0.0, None))

    out = mk.retarget(mk.Motion(small, poses, times), mk.human(height=1.8), floor=stairs)
    assert out.scale == pytest.approx(1.2, rel=0.02)
    assert out.measures["slide_mm"] < 3.0
    soles = mk.contacts(out.motion, lambda p: out.scale * stairs(p / out.scale)).soles
    heel = soles.over(out.figure, out.motion.poses)[1, :, 1]
    for k in range(4):
        assert np.median(heel[(step == k) & (phase < 0.5)]) == pytest.approx(0.15 * 1.2 * k, abs=0.01)


# mk.plant


def test_plant_removes_slide_and_leaves_other_joints_alone() -> None:
    motion = clip("walk", 240)
    out = mk.plant(motion)
    assert out.before["slide_mean_mm"] > 5.0
    assert out.after["slide_mm"] < 1.0
    legs = ("Hips", "UpLeg", "Leg", "Foot", "ToeBase")
    moved = np.flatnonzero((out.motion.poses != motion.poses).any(axis=0))
    assert {motion.figure.number_names[k].split(".")[0].removeprefix("Left").removeprefix("Right") for k in moved} <= {
        *legs
    }
    assert np.array_equal(out.motion.poses[0], motion.poses[0])  # the T-pose before the clip
    assert len(out.motion) == len(motion)


def test_plant_changes_little_where_feet_stand_already() -> None:
    person = mk.human()
    times = np.arange(0.0, 1.0, 1.0 / 30.0)
    poses = np.tile(person.rest, (len(times), 1))
    out = mk.plant(mk.Motion(person, poses, times))
    before, after = (
        person.placements(p, ["LeftFoot", "Hips", "LeftLeg"])[..., :3, 3] for p in (poses, out.motion.poses)
    )
    assert np.abs(after - before).max() < 2e-3


@pytest.mark.parametrize("name", ["walk", "dance", "rokoko"])
def test_plant_twice_is_plant_once(name: str) -> None:
    once = mk.plant(clip(name, 240))
    twice = mk.plant(once.motion)
    assert twice.motion is once.motion
    assert twice.before == twice.after


@pytest.mark.parametrize("ending", ["bvh", "npz"])
@pytest.mark.parametrize("name", ["walk", "run", "dance", "rokoko", "dab", "optitrack"])
def test_plant_leaves_a_planted_motion_alone_after_saving(name: str, ending: str, tmp_path: Path) -> None:
    once = mk.plant(clip(name, 500))
    mk.save(once, tmp_path / f"clip.{ending}")
    read = mk.load_motion(tmp_path / f"clip.{ending}", figure=once.figure if ending == "npz" else None)
    twice = mk.plant(read)
    assert np.array_equal(twice.motion.poses, read.poses)
    at, again = (m.motion.placements()[..., :3, 3] for m in (once, twice))
    assert np.abs(at - again).max() < 1e-4 * once.figure.size
    assert twice.before == twice.after


@pytest.mark.parametrize("name", ["optitrack", "pymo", "dab"])
def test_a_gltf_file_keeps_the_rest_pose_from_which_soles_are_found(name: str, tmp_path: Path) -> None:
    once = mk.plant(clip(name, 150)).motion
    mk.save(once, tmp_path / "clip.glb")
    read = mk.load_motion(tmp_path / "clip.glb")
    assert np.array_equal(mk.plant(read).motion.poses, read.poses)
    poses, again = (mk.retarget(motion, figure("human")).motion.poses for motion in (once, read))
    assert np.abs(poses - again).max() < 1e-3


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("optitrack", 0, 300),  # stands still, its heels 36 mm below the floor
        ("rokoko", 50, 250),  # has no contacts, a sole is 12 mm below the floor
        ("walk", 60, 61),
        ("walk", 60, 62),
        ("dance", 60, 63),
    ],
)
def test_soles_of_standing_feet_are_lifted_onto_the_floor_once(name: str, first: int, last: int) -> None:
    once = mk.plant(clip(name)[first:last])
    facts = once
    assert facts.before["sinking_mm"] > 10.0
    assert facts.after["sinking_mm"] < 1.0
    assert np.array_equal(mk.plant(once.motion).motion.poses, once.motion.poses)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_a_planted_motion_at_another_rate_does_not_sink(name: str) -> None:
    planted = mk.plant(clip(name, 300)).motion.resampled(30.0)
    assert mk.plant(planted).after["sinking_mm"] < 10.0


@pytest.mark.parametrize("name", ["walk", "run", "dance", "cartwheel", "pymo", "dab"])
def test_recordings_do_not_count_as_planted(name: str) -> None:
    motion = clip(name)[100:800]
    facts = mk.plant(motion)
    assert facts.after != facts.before


@pytest.mark.parametrize("rate", [None, 30.0])
@pytest.mark.parametrize("in_place", [None, True])
@pytest.mark.parametrize("name", ["run", "pirouette", "cartwheel", "pymo"])
def test_plant_sees_where_the_feet_of_a_retargeted_motion_stand(
    name: str, in_place: bool | None, rate: float | None
) -> None:
    """On the spot, speed thresholds are wider, and contacts began up to 60 mm before the foot stood."""
    motion = mk.retarget(clip(name, 500), figure("human"), in_place=in_place).motion
    motion = motion if rate is None else motion.resampled(rate)
    facts = mk.plant(motion)
    assert facts.after["slide_mm"] <= 2.0
    stays = in_place is None or mk.contacts(motion).on_the_spot
    assert np.array_equal(mk.plant(motion).motion.poses, motion.poses) == stays


def test_feet_that_slide_in_a_part_of_a_planted_motion_are_planted() -> None:
    once = mk.plant(clip("walk", 343))
    poses = np.array(once.motion.poses)
    late = np.arange(len(poses)) >= 200
    poses[late, 0] += np.sin((np.arange(len(poses))[late] - 200) / 40.0)  # a twentieth of a leg
    again = mk.plant(once.motion.replaced(poses=poses, source={}))
    facts = again
    assert facts.before["slide_mm"] > 20.0
    assert facts.after["slide_mm"] <= 2.0
    assert np.abs(again.motion.poses[1:150] - once.motion.poses[1:150]).max() < 0.02


def test_plant_looks_again_at_changed_poses_and_given_contacts() -> None:
    once = mk.plant(clip("walk", 240))
    poses = np.array(once.motion.poses)
    poses[:, 0] += 3.0 * np.sin(np.arange(len(poses)) / 20.0)  # the body slides with the feet
    moved = once.motion.replaced(poses=poses)
    again = mk.plant(moved)
    assert not np.array_equal(again.motion.poses, moved.poses)
    lifted = mk.plant(once.motion, mk.contacts(once.motion).removed("left toe").removed("left heel"))
    assert not any(point.startswith("left") for point, _, _ in lifted.contacts)


def test_plant_keeps_a_walk_on_the_spot() -> None:
    motion = loop("gltf/CesiumMan.glb", None)
    facts = mk.plant(motion)
    assert facts.before["slide_mm"] > 20.0
    assert facts.after["slide_mm"] < 3.0


def test_plant_of_a_figure_rooted_at_the_chest() -> None:
    walk = mk.retarget(clip("walk", 200), figure("mujoco"), plant=False)
    facts = mk.plant(walk.motion)
    assert facts.before["slide_mm"] > 5.0
    assert facts.after["slide_mm"] < 3.0


def test_plant_asks_for_a_pose_in_the_map() -> None:
    motion = clip("rokoko")
    rig, stands = motion.figure, motion[0]
    with pytest.raises(BadValue, match="nor does any frame"):
        mk.plant(motion[60:62])
    numbers = {n: float(x) for n, x, rest in zip(rig.number_names, stands, rig.rest, strict=True) if x != rest}
    assert len(mk.plant(motion[60:62], bones={"parts": {}, "pose": numbers}).motion) == 2


def test_a_figure_that_cannot_move_is_not_planted() -> None:
    root, *others = mk.human().segments
    fixed = mk.human().replaced(segments=[root.replaced(joint=mk.Joint("Hips")), *others])
    with pytest.raises(BadValue, match=r"root='free'\)$"):  # plant has no hold_body
        mk.plant(mk.Motion(fixed, [fixed.rest] * 3))


def test_plant_with_bad_arguments() -> None:
    with pytest.raises(BadValue, match="plant needs a Motion"):
        mk.plant(mk.human())  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="progress is 3; it needs a function"):
        mk.plant(clip("walk", 100), progress=3)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="needs the contacts of motion"):
        mk.plant(clip("walk", 100), mk.contacts(clip("walk", 50)))
