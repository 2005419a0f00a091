"""Goals out of reach: a clip comes as close as it can, without a jump."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from checks import assert_close
from needs import data_file

import manikin as mk
from manikin import rotations
from manikin.arrays import Matrix
from manikin.motion.changes import Changes
from manikin.motion.unreached import SPEED

PERSON = mk.human()
COUNT = 120
RATE = 60.0


def swaying() -> mk.Motion:
    """A person who bends elbows and knees a little, all the time."""
    t = np.arange(COUNT) / RATE
    q = np.tile(PERSON.rest, (COUNT, 1))
    for joint, size in (("LeftForeArm", 0.5), ("RightForeArm", 0.5), ("LeftLeg", 0.3), ("RightLeg", 0.3)):
        q[:, PERSON.index_of(joint)] += size * (1.0 + np.sin(2 * np.pi * 0.7 * t))
    return mk.Motion(PERSON, PERSON.clamp(q), t, "sway")


def turn_speeds(motion: mk.Motion) -> Matrix:
    """(T − 1, segments) how fast each segment turns against its parent, in rad/s."""
    names = list(motion.figure.segment_names)
    turns = motion.placements(names)[:, :, :3, :3]
    parents = [names.index(s.parent) if s.parent is not None else -1 for s in motion.figure.segments]
    own = [turns[:, i] if p < 0 else np.swapaxes(turns[:, p], 1, 2) @ turns[:, i] for i, p in enumerate(parents)]
    q = rotations.from_matrix(np.stack(own, axis=1))
    angle = 2.0 * np.arccos(np.clip(np.abs((q[1:] * q[:-1]).sum(axis=-1)), 0.0, 1.0))
    return np.asarray(angle / np.diff(motion.times)[:, None])


CLIP = swaying()


def largest(before: mk.Motion, after: mk.Motion) -> float:
    """A bound on the largest change of a joint, in radians. The three numbers of a ball are at right angles."""
    return float(np.sqrt(3.0) * np.abs(Changes(before.figure).between(before.poses, after.poses)).max())


def demanded(clip: mk.MotionSolution, before: mk.Motion, blend: float) -> float:
    """The largest speed of an edit: that of the clip, that of a change that follows, and that of its blend (rad/s)."""
    return float(turn_speeds(before).max() + max(SPEED, 1.875 * largest(before, clip.motion) / blend))


@pytest.mark.parametrize("point", [(-0.3, 1.2, 3.0), (3.0, 1.0, -0.5), (-0.4, 9.0, 0.1), (-0.2, -2.0, -0.4)])
@pytest.mark.parametrize("joints", [None, "all"])
def test_an_edit_that_cannot_be_met_does_not_jump(point: tuple[float, float, float], joints: str | None) -> None:
    out = mk.edit(CLIP, mk.Position("RightHand", point), frames=(50, 70), blend=15, joints=joints)
    assert joints == "all" or not out.reached[50:71].any()
    assert turn_speeds(out.motion).max() <= demanded(out, CLIP, 15 / RATE)
    assert np.array_equal(out.motion.poses[:35], CLIP.poses[:35])
    assert np.array_equal(out.motion.poses[86:], CLIP.poses[86:])
    assert_close(PERSON.clamp(out.motion.poses), out.motion.poses, tol=1e-9)


def test_it_comes_as_close_as_single_poses_do() -> None:
    point = np.array([-0.3, 1.2, 3.0])
    out = mk.edit(CLIP, mk.Position("RightHand", point), frames=(50, 70), blend=15, joints=["RightArm", "RightForeArm"])
    solver = mk.Solver(PERSON, mk.Position("RightHand", point), only=["RightArm", "RightForeArm"])
    single = solver.solve_many(CLIP.poses[50:71], restarts=0)
    assert (out.errors[50:71, 0] <= single.errors[:, 0] + 5e-3).all()


@pytest.mark.parametrize("name", ["cmu_02_01_walk", "cmu_49_06_cartwheel", "cmu_05_11_pirouette"])
@pytest.mark.parametrize("limits", [False, True])
@pytest.mark.parametrize("side", [(1.0, 0.3, 0.0), (-0.5, -1.0, 0.7), (0.0, 1.0, -1.0)])
def test_recorded_clips_do_not_jump(name: str, limits: bool, side: tuple[float, float, float]) -> None:
    path = data_file(f"bvh/{name}.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = mk.load_motion(path)
        if limits:
            figure = clip.figure.with_limits("human", balls=True)
            clip = clip.on(figure)
            clip = clip.replaced(poses=figure.clamp(clip.poses))
    far = clip.placements(["RightHand"])[140, 0, :3, 3] + 2.0 * clip.figure.size * np.array(side)
    out = mk.edit(clip, mk.Position("RightHand", far), frames=(120, 160), blend=20)
    assert not out.reached[120:161].any()
    moved = (turn_speeds(out.motion) != turn_speeds(clip)).any(axis=0)
    speed, own = (turn_speeds(m)[99:181][:, moved].max() for m in (out.motion, clip))
    assert speed <= own + max(SPEED, 1.875 * largest(clip, out.motion) * 120.0 / 21.0)


def test_frames_that_can_be_met_are_met() -> None:
    """The target leaves the reach of the arm and returns."""
    x = np.linspace(0.0, 1.0, 61)
    path = np.tile(CLIP.placements(["RightHand"])[30:91, 0, :3, 3].mean(axis=0), (COUNT, 1))
    path[30:91] += np.sin(np.pi * x)[:, None] ** 2 * np.array([0.0, 0.0, 1.0])
    alone = mk.Solver(PERSON, mk.Position("RightHand", (0, 0, 0)), only=["RightArm", "RightForeArm"])
    possible = alone.solve_many(CLIP.poses[30:91], path[30:91]).reached
    assert 10 < possible.sum() < 51
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), path)
    out = mk.edit(CLIP, goal, frames=(30, 90), blend=20, joints=["RightArm", "RightForeArm"])
    assert out.reached[30:91][possible].all()
    assert turn_speeds(out.motion).max() < 30.0  # the elbow becomes straight, where its speed has no bound


def test_inbetween_does_not_jump() -> None:
    keys = mk.Motion(PERSON, [PERSON.rest, PERSON.rest], times=[0.0, 2.0])
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), {0.8: (2.0, 0.5, 1.0), 1.2: (-1.0, 3.0, 1.0)})
    out = mk.inbetween(keys, goal, rate=60)
    assert not out.reached.all()
    assert np.array_equal(out.motion.poses[[0, -1]], keys.poses)
    still = out.motion.replaced(poses=np.tile(PERSON.rest, (len(out.motion), 1)))
    assert turn_speeds(out.motion).max() <= max(2.0 * SPEED, 1.875 * largest(still, out.motion) / 0.4)


# Changes


def figures() -> list[mk.Figure]:
    euler = mk.chain(3).replaced(name="turns")
    arm = [mk.Segment("base", None, mk.Joint("base", (mk.Euler("ZXY"),)))]
    arm.append(mk.Segment("tip", "base", mk.Joint("tip", (mk.Slider((1, 0, 0)), mk.Euler("XYZ")), (1, 0, 0))))
    return [PERSON, euler, mk.Figure("triples", arm), mk.quadruped()]


@pytest.mark.parametrize("figure", figures(), ids=lambda f: f.name)
def test_a_change_leads_from_one_pose_to_the_other(figure: mk.Figure) -> None:
    rng = np.random.default_rng(4)
    a, b = (
        figure.clamp(figure.integrate(np.tile(figure.rest, (20, 1)), 2.0 * rng.normal(size=(20, figure.nv))))
        for _ in "ab"
    )
    changes = Changes(figure)
    names = list(figure.segment_names)
    there = changes.added(a, changes.between(a, b))
    assert_close(figure.placements(there, names), figure.placements(b, names), tol=1e-9)
    assert_close(changes.added(a, np.zeros((20, figure.nv))), a, tol=1e-12)


def test_a_part_of_a_change_stays_within_cones() -> None:
    rng = np.random.default_rng(5)
    a, b = (
        PERSON.clamp(PERSON.integrate(np.tile(PERSON.rest, (200, 1)), 3.0 * rng.normal(size=(200, PERSON.nv))))
        for _ in "ab"
    )
    changes = Changes(PERSON)
    half = changes.added(a, 0.5 * changes.between(a, b))
    assert_close(PERSON.clamp(half), half, tol=1e-9)


def test_rotation_vectors_go_on_beyond_half_a_turn() -> None:
    ball = mk.Figure("ball", [mk.Segment("ball", None, mk.Joint("ball", (mk.Ball(),)))])
    changes = Changes(ball)
    before, after = np.array([0.0, 3.1, 0.0]), np.array([0.0, -3.1, 0.0])
    assert_close(changes.near(after, before), [0.0, 2 * np.pi - 3.1, 0.0], tol=1e-12)
    assert_close(changes.near(before, before), before, tol=1e-12)


# Whole motions


def standing() -> list[mk.Goal]:
    feet = ["LeftFoot", "RightFoot", "Hips"]
    return [mk.Placement(n, p) for n, p in zip(feet, PERSON.placements(PERSON.rest, feet), strict=True)]


@pytest.mark.parametrize("point", [(-0.3, 1.2, 3.0), (2.0, 1.0, -0.5), (-0.4, 4.0, 0.1)])
def test_a_motion_toward_a_point_out_of_reach_does_not_jump(point: tuple[float, float, float]) -> None:
    times = np.arange(150) / RATE
    hand = mk.Over(mk.Position("RightHand", point), during=[(1.0, 1.5)])
    out = mk.solve_motion(PERSON, [*standing(), hand], times, start=PERSON.rest)
    assert not out.reached[60:91].any()
    assert out.reached[:30].all()
    assert out.reached[-30:].all()
    assert turn_speeds(out.motion).max() < 20.0


def test_a_run_of_missed_frames_may_cross_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The motion is the same in one window and in several, except for the influence of frames that are far away."""
    times = np.arange(400) / 30.0
    sway = np.stack([-0.3 + 0.2 * np.sin(times), 1.2 + 0.1 * np.cos(2 * times), np.full(400, 1.5)], axis=1)
    hand = mk.Over(mk.Position("RightHand", (0, 0, 0)), sway, during=[(2.0, 11.0)])
    whole = mk.solve_motion(PERSON, [*standing(), hand], times, start=PERSON.rest)
    monkeypatch.setattr("manikin.motion.passes.WINDOW", 100)
    parts = mk.solve_motion(PERSON, [*standing(), hand], times, start=PERSON.rest)
    assert not whole.reached[100:300].any()
    assert turn_speeds(whole.motion).max() < 15.0
    assert_close(PERSON.difference(whole.motion.poses, parts.motion.poses), 0.0, tol=1e-3)
