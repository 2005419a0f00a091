"""When a retargeted motion is good, and motions on the hands."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.retarget.verdict import MOST, shortcomings


@pytest.fixture(scope="module")
def handstand() -> mk.Motion:
    """A person who stands on the hands and sways."""
    person = mk.human()
    goals = [mk.Position(f"{side}Hand", (sign * 0.2, 0.05, 0.0)) for side, sign in (("Left", 1), ("Right", -1))]
    goals += [mk.Position(f"{side}Foot", (sign * 0.1, 1.95, 0.0)) for side, sign in (("Left", 1), ("Right", -1))]
    pose = mk.solve(person, [*goals, mk.Position("Head", (0, 0.45, 0)), mk.Position("Hips", (0, 1.15, 0))]).pose
    times = np.arange(60) / 30.0
    poses = np.tile(pose, (len(times), 1))
    poses[:, 0] += 0.02 * np.sin(2.0 * times)
    return mk.Motion(person, poses, times, "handstand")


def test_the_floor_of_a_handstand_is_under_the_hands(handstand: mk.Motion) -> None:
    found = mk.contacts(handstand)
    assert {c.point for c in found} == {"left hand", "right hand"}
    assert found.floor == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("name", ["human", "g1", "cesium"])
def test_a_handstand_stays_a_handstand(name: str, handstand: mk.Motion) -> None:
    target = figure(name)
    out = mk.retarget(handstand, target)
    assert out.good, out.shortcomings
    assert out.measures["bone_error_deg"] < 3.0
    bones = mk.bone_map(target)
    up = np.eye(3)["xyz".index(target.up)]
    feet, hands = (out.motion.placements(list(which.values()))[..., :3, 3] @ up for which in (bones.feet, bones.hands))
    leg = mk.contacts(out.motion).soles.leg
    assert feet.min() > 1.5 * leg
    assert 0.0 < hands.min() < 0.3 * leg


def test_a_handstand_below_a_wrong_floor_is_not_good(handstand: mk.Motion) -> None:
    """All soles are down and no joint is over a limit, but the body hangs in a heap."""
    out = mk.retarget(handstand, figure("g1"), floor=1.989)
    assert out.measures["slide_mm"] < 5.0
    assert out.measures["frames_over_limit"] == 0
    assert not out.good
    assert any("limbs point" in text for text in out.shortcomings)
    assert any("wrists are" in text for text in out.shortcomings)


@pytest.mark.parametrize("name", ["human", "g1", "makehuman", "mujoco", "robot"])
def test_a_walk_is_good(name: str) -> None:
    out = mk.retarget(clip("walk", 120), figure(name))
    assert out.good, out.shortcomings


@pytest.mark.parametrize("key", list(MOST))
def test_each_figure_counts(key: str) -> None:
    best = dict.fromkeys(MOST, 0.0)
    most, _ = MOST[key]
    assert shortcomings(best | {key: most}) == []
    (text,) = shortcomings(best | {key: most + 1.0})
    assert f"at most {most:g}" in text
    assert shortcomings(best | {key: np.nan})


def test_slide_does_not_count_without_planting() -> None:
    sliding = dict.fromkeys(MOST, 0.0) | {"slide_mm": 50.0, "sinking_mm": 50.0}
    assert len(shortcomings(sliding)) == 2
    assert shortcomings(sliding, planted=False) == []
