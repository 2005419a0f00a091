"""`mk.contacts`: when feet and hands touch the floor."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName

POINTS = ("left toe", "left heel", "right toe", "right heel")
RATES = (24, 30, 60, 100, 120)


@cache
def clip(name: str, which: str | None = None) -> mk.Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        return mk.load_motion(data_file(name), clip=which) if which else mk.load_motion(data_file(name))


def moved(motion: mk.Motion, way: np.ndarray) -> mk.Motion:
    """The motion with its root displaced by (frames, 3) along the axes of the world."""
    poses = np.array(motion.poses)
    start = motion.figure.index_of(motion.figure.joint_names[0])
    poses[:, start : start + 3] += way
    return motion.replaced(poses=poses)


def hops(rate: float, factor: float = 1.0, height: float = 0.15) -> mk.Motion:
    """A person stands for half a second, hops onto a step within 0.3 s, and so on, four times."""
    figure = mk.human().scaled(factor)
    times = np.arange(0.0, 3.1, 1.0 / rate)
    step, phase = np.divmod(times, 0.8)
    part = np.clip((phase - 0.5) / 0.3, 0.0, 1.0)
    smooth = part * part * (3.0 - 2.0 * part)
    way = np.zeros((len(times), 3))
    way[:, 1] = height * (step + smooth) + 0.25 * np.sin(np.pi * part)
    way[:, 2] = 0.4 * (step + smooth)
    poses = np.tile(figure.rest, (len(times), 1))
    return moved(mk.Motion(figure, poses, times), factor * way)


def stairs(factor: float, height: float = 0.15):  # type: ignore[no-untyped-def]
    """The floor under `hops`: each step lies under the feet while they stand on it."""
    return lambda points: factor * height * np.round(np.clip(points[:, 2] / (0.4 * factor) - 0.2, 0.0, None))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("factor", [0.0254, 1.0, 100.0])
def test_steps_of_fifteen_centimetres_at_any_rate_and_scale(rate: float, factor: float) -> None:
    motion = hops(rate, factor)
    found = mk.contacts(motion, stairs(factor))
    assert found.floor is None
    for point in POINTS:
        starts = [motion.times[c.first] for c in found.of(point)]
        ends = [motion.times[c.last] for c in found.of(point)]
        assert starts == pytest.approx([0.0, 0.8, 1.6, 2.4], abs=0.03 + 1.0 / rate)
        assert ends == pytest.approx([0.5, 1.3, 2.1, 2.9], abs=0.03 + 1.0 / rate)
    places = np.array([c.place for c in found.of("left toe")])
    assert np.diff(places[:, 1]) == pytest.approx([0.15 * factor] * 3, abs=0.01 * factor)
    assert np.diff(places[:, 2]) == pytest.approx([0.4 * factor] * 3, abs=0.01 * factor)


def test_on_stairs_a_level_floor_is_touched_on_the_first_step_only() -> None:
    found = mk.contacts(hops(60), floor=0.0)
    assert [(c.first, c.point) for c in found.of("left toe")] == [(0, "left toe")]


def test_the_floor_can_be_at_any_height() -> None:
    motion = hops(60, height=0.0)
    wanted = mk.contacts(motion)
    assert len(wanted.of("left heel")) >= 4
    assert wanted.floor == pytest.approx(0.0, abs=0.02)
    up = np.zeros((len(motion), 3))
    up[:, 1] = 7.25
    higher = moved(motion, up)
    for found in (mk.contacts(higher), mk.contacts(higher, 7.25), mk.contacts(higher, lambda p: np.full(len(p), 7.25))):
        for point in POINTS:
            assert np.array_equal(found.mask(point), wanted.mask(point))
    assert mk.contacts(higher).floor == pytest.approx(7.25 + (wanted.floor or 0.0))
    assert len(mk.contacts(higher, 0.0)) == 0  # far above that floor


def inside(motion: mk.Motion, contact: mk.Contact) -> bool:
    """Whether a contact is not cut by the first or the last frame of the clip."""
    return bool(motion.times[contact.first] > motion.times[0] and motion.times[-1] - motion.times[contact.last] > 0.05)


@pytest.mark.parametrize("rate", RATES)
def test_the_walk_has_the_same_contacts_at_every_rate(rate: float) -> None:
    walk = clip("bvh/cmu_02_01_walk.bvh")[1:]  # frame 0 is a T-pose
    slow = walk.resampled(rate)
    wanted, found = mk.contacts(walk), mk.contacts(slow)
    for point in POINTS:
        before, after = ([c for c in k.of(point) if inside(k.motion, c)] for k in (wanted, found))
        assert len(before) == len(after) >= 1
        for one, two in zip(before, after, strict=True):
            assert slow.times[two.first] == pytest.approx(walk.times[one.first], abs=1.01 / rate + 1.01 / 120)
            assert slow.times[two.last] == pytest.approx(walk.times[one.last], abs=1.01 / rate + 1.01 / 120)


def test_the_walk_steps_with_one_foot_after_the_other() -> None:
    found = mk.contacts(clip("bvh/cmu_02_01_walk.bvh")[1:])
    left, right = (found.mask(f"{side} toe") | found.mask(f"{side} heel") for side in ("left", "right"))
    assert (left | right).mean() > 0.95  # a walk has no flight
    assert 0.05 < (left & right).mean() < 0.5
    assert not found.on_the_spot
    assert not found.of("left hand")


@pytest.mark.parametrize("degrees", [0.0, 1.0, -2.5])
def test_a_tilted_floor_is_found(degrees: float) -> None:
    motion = hops(60, height=0.4 * np.tan(np.deg2rad(degrees)))
    found = mk.contacts(motion)
    assert found.floor_slope == pytest.approx((0.0, 0.0, np.tan(np.deg2rad(degrees))), abs=2e-3)
    assert [len(found.of(point)) for point in POINTS] == [4] * 4


def test_a_planted_toe_stays_at_its_place() -> None:
    motion = clip("bvh/cmu_02_01_walk.bvh")[1:]
    found = mk.contacts(motion)
    points = found.soles.over(motion.figure, motion.poses)
    for contact in found:
        k = found.soles.names.index(contact.point)
        inside = points[k, contact.first : contact.last + 1]
        assert np.median(np.linalg.norm(inside - contact.place, axis=1)) < 0.03 * found.soles.leg


def test_a_walk_whose_travel_was_taken_out_walks_on_the_spot() -> None:
    walk = clip("bvh/cmu_02_01_walk.bvh")[1:]
    start = walk.figure.index_of(walk.figure.joint_names[0])
    hips = walk.poses[:, start : start + 3]
    seconds = walk.times - walk.times[0]
    velocity = (hips[-1] - hips[0]) / seconds[-1] * np.array([1.0, 0.0, 1.0])
    still = moved(walk, -seconds[:, None] * velocity)
    wanted, found = mk.contacts(walk), mk.contacts(still)
    assert found.on_the_spot
    assert np.linalg.norm(found.floor_velocity + velocity) < 0.1 * np.linalg.norm(velocity)
    for point in POINTS:
        assert (wanted.mask(point) == found.mask(point)).mean() > 0.9


ON_THE_SPOT = [
    ("bvh/makehuman_walk1.bvh", None),
    ("gltf/CesiumMan.glb", None),
    ("usd/CesiumMan.usdz", None),
    ("gltf/RobotExpressive.glb", "Walking"),
]


@pytest.mark.parametrize(("name", "which"), ON_THE_SPOT)
def test_walk_cycles_are_on_the_spot_and_both_feet_touch(name: str, which: str | None) -> None:
    found = mk.contacts(clip(name, which))
    assert found.on_the_spot
    for side in ("left", "right"):
        assert 0.1 < (found.mask(f"{side} toe") | found.mask(f"{side} heel")).mean() < 0.9


@pytest.mark.parametrize(
    "name",
    [
        *("cmu_02_01_walk", "cmu_02_05_punch", "cmu_05_02_dance_pirouette", "cmu_05_11_pirouette", "cmu_09_01_run"),
        *("cmu_49_06_cartwheel", "threejs_pirouette", "pymo_AV_8Walk_Meredith", "animated_drawings_dab"),
        *("animated_drawings_rokoko_jesse_dance", "optitrack_arena_louise"),
    ],
)
def test_other_clips_are_not_on_the_spot(name: str) -> None:
    assert not mk.contacts(clip(f"bvh/{name}.bvh")).on_the_spot


def test_a_cartwheel_puts_a_hand_on_the_floor() -> None:
    found = mk.contacts(clip("bvh/cmu_49_06_cartwheel.bvh"))
    assert found.of("left hand")


def test_a_pose_alone_stands_on_the_floor() -> None:
    figure = mk.human()
    found = mk.contacts(mk.Motion(figure, figure.rest))
    assert [(c.point, c.first, c.last) for c in found] == [(point, 0, 0) for point in POINTS]


def test_contacts_can_be_edited() -> None:
    found = mk.contacts(hops(60, height=0.0))
    first = found.of("left toe")[0]
    less = found.removed("left toe", 0, first.last)
    assert less.of("left toe") == found.of("left toe")[1:]
    assert less.of("right toe") == found.of("right toe")
    again = less.added("left toe", first.first, first.last)
    assert again.intervals == found.intervals
    joined = found.added("left toe", 0, len(found.motion) - 1)
    assert [(c.first, c.last) for c in joined.of("left toe")] == [(0, len(found.motion) - 1)]
    assert not found.removed("left toe").of("left toe")
    assert found.of("left toe")[0] == first  # the old ones are as they were


def test_they_are_a_sequence_and_a_table() -> None:
    found = mk.contacts(hops(60, height=0.0))
    assert found[0] in list(found)
    assert len(found) == len(found.intervals)
    assert str(found).splitlines()[0].startswith(f"motion: {len(found)} contacts, floor at ")
    assert "<td>left toe</td>" in found._repr_html_()
    assert repr(found) == f"<Contacts of 'motion': {len(found)} intervals>"


def test_twice_gives_the_same_bits() -> None:
    motion = clip("bvh/cmu_02_01_walk.bvh")
    assert mk.contacts(motion).intervals == mk.contacts(motion).intervals


def test_bad_input_is_named() -> None:
    motion = hops(60)
    found = mk.contacts(motion)
    with pytest.raises(UnknownName, match="did you mean 'left toe'"):
        found.of("left toes")
    with pytest.raises(BadValue, match="has frames 0 to"):
        found.added("left toe", 5, 10_000)
    with pytest.raises(BadValue, match="first"):
        found.added("left toe", -1, 3)
    with pytest.raises(BadValue, match="contacts needs a Motion"):
        mk.contacts("walk.bvh")
    with pytest.raises(BadValue, match="floor"):
        mk.contacts(motion, float("nan"))
    with pytest.raises(BadShape, match="it must return one height for each"):
        mk.contacts(motion, lambda points: points)
    with pytest.raises(BadValue, match="floor is too high"):
        mk.contacts(motion, 100.0)
    for bones in ("human.map.json", {"left foot": ["LeftFoot"]}, mk.bone_map(mk.quadruped())):
        with pytest.raises(BadValue, match=r"bones is .*; it needs a map of figure 'human'"):
            mk.contacts(motion, bones=bones)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="arms and legs were found neither"):
        mk.contacts(mk.Motion(mk.chain(3), mk.chain(3).rest))


def test_one_contact_is_not_plural() -> None:
    figure = mk.human()
    found = mk.contacts(mk.Motion(figure, figure.rest[None]))
    for point in ("left heel", "right toe", "right heel"):
        found = found.removed(point)
    assert str(found).startswith("motion: 1 contact, floor at ")
    assert repr(found) == "<Contacts of 'motion': 1 interval>"


@pytest.mark.parametrize("answer", ["a", None, 1j])
def test_a_floor_function_must_return_numbers(answer: object) -> None:
    figure = mk.human()
    with pytest.raises(BadValue, match="what floor returns needs numbers, got "):
        mk.contacts(mk.Motion(figure, figure.rest[None]), lambda _: answer)  # type: ignore[arg-type,return-value]
