"""Quality of a motion: each curve on a motion made for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape

PERSON = mk.human()
RATE = 60.0


def still(count: int = 60) -> np.ndarray:
    return np.tile(PERSON.rest, (count, 1))


def motion(poses: np.ndarray) -> mk.Motion:
    return mk.Motion(PERSON, poses, rate=RATE)


def test_a_person_who_stands_still_is_fine() -> None:
    q = motion(still()).quality()
    assert not q.bad.any()
    assert q.slide.max() == q.speed.max() == q.jerk.max() == 0.0
    assert q.balance.max() < 0.1
    assert {"LeftFoot", "RightFoot"} <= set(q.soles)
    assert "0 of 60 frames are bad" in str(q)


def test_sliding_feet_are_found_and_measured() -> None:
    poses = still()
    poses[:, 2] += np.linspace(0.0, 0.06, 60)
    q = motion(poses).quality()
    assert q.slide.max() == pytest.approx(0.03, abs=1e-3)
    assert q.reasons["slide"].any()
    assert not q.reasons["slide"][25:35].any()


def test_sinking_is_measured_from_the_floor() -> None:
    poses = still()
    height = float(PERSON.placements(PERSON.rest, ["LeftFoot"])[0, 1, 3])
    poses[30:, 1] -= 0.05
    q = motion(poses).quality(floor=height)
    assert q.sinking[40] >= 0.05 - 1e-9
    assert q.reasons["sinking"][31:].all()


def test_speed_and_jerk_of_a_known_wave() -> None:
    t = np.arange(120) / RATE
    poses = still(120)
    at, f = PERSON.index_of("LeftForeArm"), 1.0
    poses[:, at] = 0.8 + 0.3 * np.sin(2 * np.pi * f * t)
    q = motion(poses).quality()
    assert q.speed.max() == pytest.approx(0.3 * 2 * np.pi * f, rel=0.01)
    assert q.jerk.max() == pytest.approx(0.3 * (2 * np.pi * f) ** 3, rel=0.02)


def test_limits_are_used_and_left() -> None:
    poses = still()
    at = PERSON.index_of("LeftForeArm")
    poses[20, at] = PERSON.upper[at]
    poses[40, at] = PERSON.upper[at] + 0.2
    q = motion(poses).quality()
    assert q.limit_use[20] == pytest.approx(1.0, abs=1e-6)
    assert q.outside[40] == pytest.approx(0.2)
    assert q.reasons["outside"].tolist() == [t == 40 for t in range(60)]


def test_leaning_over_is_out_of_balance() -> None:
    poses = still()
    lean = mk.rotations.from_axis_angle((1.0, 0.0, 0.0), 0.3)
    poses[:, 3:7] = mk.rotations.multiply(lean, poses[:, 3:7])
    assert motion(poses).quality().balance.max() > motion(still()).quality().balance.max() + 0.1


def test_goal_errors_come_from_the_clip(tmp_path: Path) -> None:
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), lambda t: (-0.3, 1.0 + (3.0 if t > 0.5 else 0.0), 0.3))
    hips = mk.Placement("Hips", PERSON.placements(PERSON.rest, ["Hips"])[0], weight=100.0)
    clip = mk.solve_motion(PERSON, [goal, hips], np.arange(60) / RATE)
    q = clip.quality
    assert q.goal_names == ("Position RightHand", "Placement Hips")
    assert q.reasons["goals"][40]
    assert not q.reasons["goals"][5]
    with pytest.raises(BadShape, match="clip has 60 frames, but the motion has 30"):
        clip.motion[:30].quality(clip=clip)
    pytest.importorskip("matplotlib")
    mk.plot_quality(q, save=tmp_path / "quality.png", dpi=50)
    assert (tmp_path / "quality.png").stat().st_size > 5000


def test_json_has_all_figures() -> None:
    q = motion(still()).quality()
    held = json.loads(q.to_json(curves=True))
    assert held["frames"] == 60
    assert len(held["speed"]["curve"]) == 60
    assert held["unit"] == "metres"
    assert "<table>" in q._repr_html_()


def test_a_robot_without_feet_has_no_slide_but_a_speed() -> None:
    arm = mk.chain(3, planar=True)
    q = mk.Motion(arm, np.linspace(0, 1, 30)[:, None] * np.ones(arm.nq), rate=30).quality()
    assert np.isnan(q.slide).all()
    assert_close(q.speed[1:], 30.0 / 29.0, tol=1e-9)
    assert "unknown" in str(q)
    assert "arms and legs" in q.unknown


# Known motions of a person who stands


def walking(slip: float = 0.0, count: int = 240, depth: float = 0.0) -> mk.Motion:
    """A person steps forward and stands on alternating feet for half a second. During a stance, the foot slips by
    `slip` metres at constant speed and is `depth` metres below the floor in every second stance."""
    t = np.arange(count) / RATE
    feet = ["LeftFoot", "RightFoot"]
    at = PERSON.placements(PERSON.rest, feet)
    rows = np.tile(at[:, None], (1, count, 1, 1))
    for k in range(2):
        phase = t + 0.5 * k
        step, part = np.floor(phase), phase % 1.0
        swing = np.clip((part - 0.5) / 0.5, 0.0, 1.0)
        ahead = 10 * swing**3 - 15 * swing**4 + 6 * swing**5
        slipped = slip * np.where(part < 0.5, 2.0 * part, 1.0 - ahead)
        rows[k, :, 2, 3] += 0.3 * (step + ahead) - 0.15 * k + slipped
        lift = np.sin(np.pi * swing) ** 2
        toes_down = rotations.to_matrix(rotations.from_axis_angle((1.0, 0.0, 0.0), 0.6 * lift))
        rows[k, :, :3, :3] = toes_down @ rows[k, :, :3, :3]
        rows[k, :, 1, 3] += 0.1 * lift - depth * (part < 0.5) * (step % 2 == 1)
    hips = np.tile(PERSON.placements(PERSON.rest, ["Hips"])[0, :3, 3], (count, 1))
    hips += np.stack([0.0 * t, 0.0 * t - 0.04, 0.3 * t - 0.075], axis=1)
    goals = [mk.Over(mk.Placement(name, np.eye(4)), rows[k]) for k, name in enumerate(feet)]
    clip = mk.solve_motion(PERSON, [*goals, mk.Over(mk.Position("Hips", (0, 0, 0)), hips)], t, start=PERSON.rest)
    assert clip.reached.all()
    return clip.motion


def test_steps_without_slip_do_not_slide() -> None:
    q = walking().quality()
    assert q.slide.max() < 0.008  # contacts begin and end while the foot still moves a little
    assert (q.slide > 0.0).mean() > 0.8  # a foot is on the floor nearly always, in the whole clip
    assert not q.reasons["slide"].any()


@pytest.mark.parametrize("slip", [0.03, 0.06])
def test_steps_that_slip_slide_by_half_the_slip(slip: float) -> None:
    q = walking(slip).quality()
    stances = [q.slide[a : a + 24].max() for a in range(33, 200, 60)]
    assert np.allclose(stances, slip / 2, atol=0.006)
    assert q.reasons["slide"].any() == (slip / 2 > 0.025)


def test_steps_below_the_floor_sink() -> None:
    plain, sunk = (walking(depth=d).quality(floor=0.0).sinking for d in (0.0, 0.04))
    assert (sunk - plain).max() == pytest.approx(0.04, abs=0.004)
    assert np.median(sunk - plain) < 0.04


def test_a_long_stand_does_not_add_up_small_shifts() -> None:
    poses = still(600)
    poses[:, 0] += 0.02 * np.sin(np.linspace(0.0, np.pi, 600))  # 2 cm to the side and back in ten seconds
    assert motion(poses).quality().slide.max() < 0.005


def test_slide_and_sinking_do_not_depend_on_unit_or_rate() -> None:
    slow = walking(0.06)
    poses = np.array(slow.poses)
    poses[:, :3] *= 100.0  # the position of the root
    q, large = slow.quality(), mk.Motion(PERSON.scaled(100.0), poses, slow.times).quality()
    assert_close(large.slide, 100.0 * q.slide, tol=1e-6)
    assert_close(large.sinking, 100.0 * q.sinking, tol=1e-6)
    half = slow[::2].quality()
    assert half.slide.mean() == pytest.approx(q.slide.mean(), rel=0.1)


def test_speed_of_a_ball_is_that_of_its_rotation() -> None:
    poses, at = still(60), PERSON.index_of("LeftArm")
    axis = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    turn = rotations.from_axis_angle(axis, 0.02 * np.sin(2 * np.pi * np.arange(60) / RATE))
    poses[:, at : at + 4] = rotations.multiply(poses[:, at : at + 4], turn)
    assert motion(poses).quality().speed.max() == pytest.approx(0.02 * 2 * np.pi, rel=0.01)
