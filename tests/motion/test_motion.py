"""Motions: checked when made, read-only, sliced, sampled between frames."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_figure, random_poses, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.figure import Ball, Figure, Hinge, Segment, Slider, chain
from manikin.motion import Motion
from manikin.motion.local import local_rotation, local_translation


@pytest.fixture
def arm() -> Figure:
    """A hinge, then a ball: two kinds of numbers."""
    return Figure("arm", [Segment("Base"), Segment("Upper", "Base", Hinge()), Segment("Lower", "Upper", Ball())])


def turned(angle: float) -> list[float]:
    return [angle, *rotations.from_axis_angle((0, 1, 0), angle)]


def test_poses_and_times_are_copied_and_read_only(arm: Figure) -> None:
    poses, times = np.array([turned(0.0), turned(1.0)]), np.array([0.0, 2.0])
    motion = Motion(arm, poses, times)
    poses[:] = 7.0
    times[:] = 7.0
    assert_close(motion.poses, [turned(0.0), turned(1.0)])
    assert_close(motion.times, [0.0, 2.0])
    for array in (motion.poses, motion.times):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        motion.name = "other"  # type: ignore[misc]


def test_an_array_that_is_read_only_already_is_not_copied_but_a_view_is(arm: Figure) -> None:
    owned = np.array([turned(0.0), turned(1.0)])
    owned.flags.writeable = False
    assert Motion(arm, owned).poses is owned
    base = np.array([turned(0.0), turned(1.0)])
    view = base[:]
    view.flags.writeable = False
    motion = Motion(arm, view)
    base[0, 0] = 9.0
    assert motion.poses[0, 0] == 0.0


def test_a_single_pose_is_a_motion_of_one_frame(arm: Figure) -> None:
    motion = Motion(arm, turned(0.3))
    assert (len(motion), motion.duration, motion.rate, motion.even) == (1, 0.0, None, True)
    assert motion.times.tolist() == [0.0]
    assert_close(motion.at([-1.0, 0.0, 5.0]), [turned(0.3)] * 3)


def test_the_rate_gives_the_times_and_the_times_the_rate(arm: Figure) -> None:
    poses = [turned(0.1 * k) for k in range(5)]
    assert_close(Motion(arm, poses, rate=10).times, [0.0, 0.1, 0.2, 0.3, 0.4])
    assert_close(Motion(arm, poses).times, np.arange(5) / 30.0)
    motion = Motion(arm, poses, times=[1.0, 1.5, 2.0, 2.5, 3.0])
    assert motion.rate == pytest.approx(2.0)
    assert motion.even
    assert not Motion(arm, poses, times=[0, 1, 2, 3, 5]).even
    assert Motion(arm, poses, times=[0.0, 1.003, 2.0, 2.997, 4.0]).even
    assert not Motion(arm, poses, times=[0.0, 1.02, 2.0, 3.0, 4.0]).even


@pytest.mark.parametrize(
    ("poses", "options", "kind", "message"),
    [
        (np.zeros((2, 3)), {}, BadShape, r"motion 'motion': poses has shape \(2, 3\); figure 'arm' needs \(5,\)"),
        (np.zeros((0, 5)), {}, BadShape, r"poses have shape \(0, 5\); they need \(frames, 5\), at least one frame"),
        (np.ones((1, 2, 5)) * [0, 1, 0, 0, 0], {}, BadShape, r"they need \(frames, 5\)"),
        ([turned(0), [np.nan, 1, 0, 0, 0]], {}, BadValue, r"Upper is nan; it needs a finite number"),
        ([turned(0), [0, 0, 0, 0, 0]], {}, BadValue, "the quaternion of Lower is zero"),
        ([turned(0)] * 3, {"times": [0, 1]}, BadShape, r"times have shape \(2,\); 3 poses need \(3,\)"),
        ([turned(0)] * 3, {"times": [0, 1, 1]}, BadValue, r"times must increase, but times\[2\] is 1 s after 1 s"),
        ([turned(0)] * 2, {"times": [0, np.inf]}, BadValue, r"times\[1\] is inf"),
        ([turned(0)] * 2, {"rate": 0}, BadValue, "rate is 0; it must be above 0"),
        ([turned(0)] * 2, {"times": [0, 1], "rate": 3}, BadValue, "has times and rate; it needs one of them"),
    ],
)
def test_what_is_wrong_is_named(arm: Figure, poses: object, options: dict[str, Any], kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        Motion(arm, poses, **options)


def test_a_figure_is_needed() -> None:
    with pytest.raises(BadValue, match="figure is str; it needs a Figure"):
        Motion("arm", [0.0])  # type: ignore[arg-type]


def test_frames_are_poses_and_slices_are_motions(arm: Figure) -> None:
    motion = Motion(arm, [turned(0.1 * k) for k in range(10)], rate=10, source={"frames": range(10), "kept": 1})
    assert_close(motion[3], turned(0.3))
    assert_close(motion[-1], turned(0.9))
    assert len(list(motion)) == 10
    part = motion[2:8:3]
    assert_close(part.poses, [turned(0.2), turned(0.5)])
    assert_close(part.times, [0.2, 0.5])
    assert part.source == {"frames": range(2, 8, 3), "kept": 1}
    assert part[1:].source["frames"] == range(5, 8, 3)
    with pytest.raises(BadValue, match="none of its 10"):
        motion[20:]
    with pytest.raises(BadValue, match="the step is -1"):
        motion[::-1]


def test_replacing_keeps_the_rest(arm: Figure) -> None:
    motion = Motion(arm, [turned(0.0), turned(0.5)], rate=4, name="wave", source={"frames": range(2)})
    other = motion.replaced(poses=[turned(0.0), turned(0.7)])
    assert (other.name, other.source, other.figure) == ("wave", motion.source, arm)
    assert_close(other.times, motion.times)
    with pytest.raises(UnknownName, match="has no field 'pose'; did you mean 'poses'"):
        motion.replaced(pose=1)


def test_between_frames_numbers_go_straight_and_quaternions_turn_evenly(arm: Figure) -> None:
    motion = Motion(arm, [turned(0.0), turned(1.0)], times=[1.0, 2.0])
    for part in (0.0, 0.25, 0.5, 1.0):
        assert_close(motion.at([1.0 + part])[0], turned(part))
    assert_close(motion.at([0.0, 9.0]), [turned(0.0), turned(1.0)])


def test_quaternions_of_opposite_sign_take_the_shorter_way(arm: Figure) -> None:
    there = np.array(turned(1.0))
    there[1:] *= -1.0
    halfway = Motion(arm, [turned(0.0), there], times=[0.0, 1.0]).at([0.5])[0]
    assert abs(halfway[1:] @ turned(0.5)[1:]) == pytest.approx(1.0, abs=1e-12)


@given(rngs())
def test_resampling_at_its_own_rate_gives_the_motion_back(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    motion = Motion(figure, random_poses(figure, rng, 5), rate=7)
    again = motion.resampled(7)
    assert_close(again.times, motion.times)
    assert (again.poses == motion.poses).all()
    twice = motion.resampled(14)
    assert len(twice) == 9
    assert_close(twice.poses[::2], motion.poses, tol=1e-9)
    figure.check(twice.poses)


def test_resampling_ends_with_the_last_frame_that_fits() -> None:
    motion = Motion(chain(1), [[0.0] * 3, [1.0] * 3], times=[0.0, 1.0])
    assert_close(motion.resampled(3).times, [0, 1 / 3, 2 / 3, 1])
    assert_close(motion.resampled(0.3).times, [0])
    assert_close(motion.resampled(0.7).times, [0])
    with pytest.raises(BadValue, match="rate is -1"):
        motion.resampled(-1)
    with pytest.raises(BadValue, match=r"rate is 1e\+09.* at most 1e\+07"):
        motion.resampled(1e9)


@given(rngs())
def test_what_stands_on_what_multiplies_out_to_the_placements(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    poses = random_poses(figure, rng, 4)
    world = figure.placements(poses)
    for i, s in enumerate(figure.segments):
        first = figure.index_of(s.joint.name)
        numbers = poses[:, first : first + s.joint.nq]
        local = rotations.placement(local_rotation(s.joint, numbers), local_translation(s.joint, numbers))
        before = np.eye(4) if s.parent is None else world[:, figure.segment_index(s.parent)]
        assert_close(before @ local, world[:, i], scale=max(1.0, figure.size, np.abs(world).max()), tol=1e-9)


def test_placements_are_those_of_the_figure(arm: Figure) -> None:
    motion = Motion(arm, [turned(0.0), turned(0.5)])
    assert_close(motion.placements(), arm.placements(motion.poses))
    assert motion.placements(["Lower"]).shape == (2, 1, 4, 4)


def test_a_motion_survives_pickling() -> None:
    figure = Figure("box", [Segment("Base", joint=Slider())])
    motion = pickle.loads(pickle.dumps(Motion(figure, [[0.0], [1.0]], rate=2, name="push", source={"a": 1})))
    assert (motion.name, motion.figure, motion.source) == ("push", figure, {"a": 1})
    assert_close(motion.poses, [[0.0], [1.0]])
    assert not motion.poses.flags.writeable
    assert repr(motion) == "<Motion 'push' of 'box': 2 frames, 0.5 s>"


def test_a_mirrored_motion_is_mirrored_frame_by_frame_and_its_quaternions_do_not_flip() -> None:
    person = mk.human()
    turn = person.difference(person.rest, person.pose({"LeftForeArm": 1.5}))
    turn[4] = 6.0  # almost once around, so that a quaternion passes through its opposite
    poses = person.integrate(person.rest, np.linspace(0.0, 1.0, 40)[:, None] * turn)
    motion = mk.Motion(person, poses, rate=24, name="spin")
    other = motion.mirrored()
    assert (other.name, other.rate) == ("spin", motion.rate)
    for pose, image in zip(motion.poses, other.poses, strict=True):
        assert np.abs(person.difference(person.mirrored(pose), image)).max() < 1e-12
    assert np.abs(np.diff(other.poses, axis=0)).max() < 0.2
