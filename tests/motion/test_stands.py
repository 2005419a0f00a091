"""Contacts end where the foot leaves its place, or the height at which it rests."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.stands import EDGE, FARTHEST, LANDING, LIFTED, SLIP, resting, staying, without_edges

TIMES = np.arange(0.0, 2.0, 1.0 / 100.0)
PARTS = ("left foot", "left foot")


def foot(noise: float = 0.0) -> np.ndarray:
    """(2, frames, 3) a toe that stands from 0.5 to 1.5 s and is slow before and after. The heel moves with it."""
    away = np.sign(TIMES - 1.0) * np.maximum(0.0, np.abs(TIMES - 1.0) - 0.5)
    shake = noise * np.random.default_rng(3).standard_normal((len(TIMES), 3))
    toe = np.stack([0.0 * away, 0.0 * away, 0.2 * away], axis=1) + shake
    return np.stack([toe, toe - [0.0, 0.0, 0.2]])


def mask(first: float, last: float) -> np.ndarray:
    """(2, frames) contacts of both points between two times."""
    return np.tile((first - 1e-9 <= TIMES) & (last + 1e-9 >= TIMES), (2, 1))


def test_a_contact_ends_where_the_foot_leaves_its_place() -> None:
    cut = without_edges(TIMES, foot(), mask(0.4, 1.6), PARTS, 1.0)
    assert np.array_equal(cut, mask(0.5, 1.5))


def test_a_contact_that_is_long_before_the_foot_stands_is_kept() -> None:
    found = mask(0.5 - 2.0 * EDGE, 1.5)
    assert np.array_equal(without_edges(TIMES, foot(), found, PARTS, 1.0), found)


def test_the_noise_of_a_recording_keeps_the_contact() -> None:
    found = mask(0.4, 1.6)
    assert np.array_equal(without_edges(TIMES, foot(3e-4), found, PARTS, 1.0), found)


def test_one_frame_and_no_contact() -> None:
    for count, down in ((1, True), (5, False)):
        found = np.full((2, count), down)
        assert np.array_equal(without_edges(TIMES[:count], foot()[:, :count], found, PARTS, 1.0), found)


def sliding(speed: float) -> np.ndarray:
    """(frames, 3) a point that stands, slides by half a leg at a speed, and stands."""
    return np.outer(np.clip(speed * (TIMES - 0.7), 0.0, 0.5), [0.0, 0.0, 1.0])


def slow(path: np.ndarray, part: float) -> np.ndarray:
    """(frames,) whether a point is slower than a fraction of 0.9 legs per second."""
    return np.asarray(np.linalg.norm(np.gradient(path, TIMES, axis=0), axis=1) < 0.9 * part)


def test_a_slow_slide_is_no_contact() -> None:
    path = sliding(0.8)
    found = staying(lambda part: slow(path, part), path, 1.0)
    assert slow(path, 1.0).all()
    assert found[TIMES < 0.68].all()
    assert found[TIMES > 1.35].all()
    assert not found[(TIMES > 0.72) & (TIMES < 1.31)].any()


def test_a_point_that_never_stays_has_no_contact() -> None:
    path = np.outer(2.0 * FARTHEST * TIMES, [0.0, 0.0, 1.0])
    assert not staying(lambda _: np.ones(len(TIMES), dtype=bool), path, 1.0).any()


def test_a_point_near_its_place_is_looked_at_once() -> None:
    asked: list[float] = []

    def find(part: float) -> np.ndarray:
        asked.append(part)
        return np.ones(len(TIMES), dtype=bool)

    assert staying(find, sliding(0.8) * 0.1, 1.0).all()
    assert asked == [1.0]


def lifting(height: float) -> tuple[np.ndarray, np.ndarray]:
    """(frames, 3) and (frames,) a point that rests at a height and rises slowly from 1 s on; its contact."""
    rise = height + 0.05 * np.maximum(0.0, TIMES - 1.0)
    return np.outer(rise, [0.0, 1.0, 0.0]), np.full(len(TIMES), True)


@pytest.mark.parametrize("name", ["left toe", "left heel", "right hand"])
@pytest.mark.parametrize("height", [0.0, 0.03])
def test_a_contact_ends_where_the_point_leaves_its_resting_height(name: str, height: float) -> None:
    path, down = lifting(height)
    kind = "heel" if name == "left heel" else "toe"
    found = resting(TIMES, path, path[:, 1], down, name, 1.0)
    assert found[0]
    assert path[found, 1].max() - height == pytest.approx(LIFTED[kind], abs=0.05 / 100.0)
    assert np.array_equal(found, np.sort(found)[::-1])


@pytest.mark.parametrize(
    ("name", "speed", "first"),
    [("heel", 0.25, 0.4), ("heel", 0.9, 0.5 - SLIP / (0.9 * LANDING)), ("heel", 1.1, 0.5), ("toe", 0.25, 0.5)],
)
def test_a_heel_is_down_when_it_lands_and_slips(name: str, speed: float, first: float) -> None:
    """It slips from 0.4 to 0.5 s, a little lower than where it rests, and falls fast before. A slip that is too fast or
    too far does not count."""
    late = np.minimum(TIMES - 0.5, 0.0)
    low = np.where((late < -1e-9), -0.005, 0.0) - 3.0 * np.minimum(late + 0.1, 0.0)
    path = np.stack([speed * LANDING * late, low, 0.0 * late], axis=1)
    found = resting(TIMES, path, low, TIMES >= 0.5 - 1e-9, f"left {name}", 1.0)
    assert TIMES[found][0] == pytest.approx(first, abs=0.025)  # speeds are measured over 0.02 s
    assert found[TIMES >= 0.5 - 1e-9].all()


def test_the_middle_of_a_contact_is_kept() -> None:
    path, down = lifting(0.0)
    high = path[:, 1] * (TIMES < 1.5)
    assert resting(TIMES, path, high, down, "left heel", 1.0).all()


@pytest.mark.parametrize("in_place", [None, True])
@pytest.mark.parametrize("name", ["walk", "run", "pymo"])
def test_the_contacts_of_a_retargeted_motion_are_those_of_its_source(name: str, in_place: bool | None) -> None:
    out = mk.retarget(clip(name, 500), figure("human"), in_place=in_place)
    found = mk.contacts(out.motion)
    for point in ("left toe", "left heel", "right toe", "right heel"):
        planted = np.zeros(len(out.motion), dtype=bool)
        for which, first, last in out.contacts:
            planted[first : last + 1] |= which == point
        assert (found.mask(point) != planted).mean() < 0.02
