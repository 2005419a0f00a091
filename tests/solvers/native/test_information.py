"""`Solver.information`: the diagonal of JᵀWJ equals that of the NumPy Jacobian, and that of finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import assume, given, settings
from strategies import random_direction, random_figure, random_pose, random_quaternion, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue
from manikin.problem import Problem

pytest.importorskip("manikin._core", reason="the native core is not built")


def random_goal(figure, rng):
    """A goal of a random kind that concerns one effector."""
    segment = figure.segment_names[rng.integers(len(figure.segment_names))]
    point, offset = figure.size * rng.normal(size=3), tuple(0.1 * figure.size * rng.normal(size=3))
    kind, weight = rng.integers(10), float(10.0 ** rng.uniform(-2, 2))
    if kind == 0:
        return mk.Position(segment, point, offset=offset, weight=weight)
    if kind == 1:
        return mk.Position(segment, point[:2], offset=offset, axes="xz", weight=weight)
    if kind == 2:
        return mk.Orientation(segment, random_quaternion(rng), weight=weight)
    if kind == 3:
        return mk.Placement(segment, (*point, *random_quaternion(rng)), offset=offset, weight=weight)
    if kind == 4:
        tool = random_quaternion(rng)
        return mk.Placement(segment, (*point, *random_quaternion(rng)), offset=offset, rotation=tool, weight=weight)
    if kind == 5:
        return mk.Aim(segment, point, axis=random_direction(rng), offset=offset, weight=weight)
    if kind == 6:
        return mk.Aim(segment, direction=random_direction(rng), axis=random_direction(rng), weight=weight)
    if kind == 7:
        side = (None, "above", "below")[rng.integers(3)]
        return mk.Plane(segment, point, random_direction(rng), offset=offset, side=side, weight=weight)
    if kind == 8:
        swing, twist = ((1.0, 0.03), (1.0, 0.0), (0.0, 2.0))[rng.integers(3)]
        turn, axis = random_quaternion(rng), random_direction(rng)
        return mk.Orientation(segment, turn, axis=axis, swing=swing, twist=twist, weight=weight)
    return mk.Line(segment, point, random_direction(rng), offset=offset, weight=weight)


def scale_of(figure, pose, goals, expected):
    """The scale of rounding errors. All twists are about one common point, and places are rounded in the world."""
    far = max(figure.size, np.abs(figure.placements(pose)[:, :3, 3]).max())
    return max(expected.max(initial=0.0), figure.size * far * max(goal.weight for goal in goals))


@settings(max_examples=150)
@given(rngs())
def test_it_equals_the_numpy_jacobian_for_goals_on_one_effector(rng):
    figure = random_figure(rng)
    goals = [random_goal(figure, rng) for _ in range(rng.integers(1, 5))]
    pose = random_pose(figure, rng)
    found = mk.Solver(figure, goals, loops=False).information(pose)
    expected = Problem(figure, goals, pose).at(pose).information()
    assert_close(found, expected, scale=scale_of(figure, pose, goals, expected), tol=1e-11)


def random_goal_on_several(figure, rng):
    """A goal of a random kind that concerns several effectors or the whole pose, or one that is evaluated in Python."""
    names, weight = figure.segment_names, float(10.0 ** rng.uniform(-2, 2))
    one, two = (names[k] for k in rng.choice(len(names), 2, replace=False))
    a, b = (tuple(0.1 * figure.size * rng.normal(size=3)) for _ in range(2))
    kind = rng.integers(6)
    if kind == 0:
        return mk.Relative(one, two, (*a, *random_quaternion(rng)), offset=a, to_offset=b, weight=weight)
    if kind == 1:
        far, bound = figure.size * rng.uniform(0.01, 1.0), ("equal", "at_least", "at_most")[rng.integers(3)]
        return mk.Distance(one, two, far, offset=a, to_offset=b, kind=bound, weight=weight)
    if kind == 2:
        return mk.Posture(random_pose(figure, rng), stiffness=3.0, weight=weight)
    if kind == 3:
        return mk.AnyOf(random_goal(figure, rng), random_goal(figure, rng), weight=weight)
    if kind == 4:
        return mk.AnyOf(random_goal(figure, rng), mk.Relative(one, two, a, orientation=False, weight=weight))
    centre = figure.size * rng.normal(size=3)
    return mk.Custom(one, lambda at: at[0, :3, 3] - centre, lambda _: np.eye(3, 6), rows=3, weight=weight)


@settings(max_examples=150)
@given(rngs())
def test_it_equals_the_numpy_jacobian_for_goals_on_several_effectors(rng):
    figure = random_figure(rng)
    assume(len(figure.segments) > 1)
    goals = [random_goal_on_several(figure, rng) for _ in range(rng.integers(1, 4))]
    pose = random_pose(figure, rng)
    solver = mk.Solver(figure, goals, loops=False)
    expected = Problem(figure, goals, pose).at(pose).information()
    assert_close(solver.information(pose), expected, scale=scale_of(figure, pose, goals, expected), tol=1e-10)


@settings(max_examples=60)
@given(rngs())
def test_it_equals_the_squares_of_difference_quotients(rng):
    """The error of a Position is smooth everywhere, so its quotients are accurate to rounding."""
    figure = random_figure(rng)
    segment = figure.segment_names[rng.integers(len(figure.segment_names))]
    goal = mk.Position(segment, figure.size * rng.normal(size=3), offset=tuple(0.1 * figure.size * rng.normal(size=3)))
    pose = random_pose(figure, rng)
    found = mk.Solver(figure, goal, loops=False, only=None).information(pose)
    problem = Problem(figure, goal, pose)
    steps, h = np.eye(figure.nv), 1e-6
    expected = np.zeros(figure.nv)
    for k in np.flatnonzero(problem.movable):
        ahead, behind = (problem.at(figure.integrate(pose, sign * h * steps[k])).rows for sign in (1.0, -1.0))
        expected[k] = np.sum(((ahead - behind) / (2.0 * h)) ** 2)
    assert_close(found, expected, scale=max(figure.size**2, expected.max(initial=0.0)), tol=1e-6)


def hand_and_more(figure):
    here = figure.placements(figure.rest, ["LeftHand", "Head"])[:, :3, 3]
    return [
        mk.Position("LeftHand", here[0] + 0.05),
        mk.Distance("LeftHand", "RightHand", 0.4),
        mk.Balance(["LeftFoot", "RightFoot"], weight=0.5),
        mk.Posture(figure.rest, weight=0.01),
        mk.Pole("LeftForeArm", (0.5, 1.0, -1.0), weight=0.2),
        mk.Clearance(0.2, obstacles=[mk.Sphere(here[0], 0.1)], hard=False, weight=0.3),
        mk.AnyOf(mk.Position("Head", here[1]), mk.Position("Head", here[1] + 0.3, weight=7.0), weight=2.0),
    ]


def test_goals_on_several_effectors_and_the_whole_pose_count():
    figure, rng = mk.human(), np.random.default_rng(3)
    goals = hand_and_more(figure)
    for pose in (figure.rest, *figure.random(rng, 3)):
        solver = mk.Solver(figure, goals, freeze=["Spine"])
        expected = Problem(figure, goals, pose, freeze=["Spine"]).at(pose).information()
        assert_close(solver.information(pose), expected, scale=expected.max(), tol=1e-10)
        assert (solver.information(pose)[~solver.movable] == 0.0).all()


def test_coupled_joints_and_closed_loops_count():
    segments = [
        mk.Segment("Base"),
        mk.Segment("A", "Base", mk.Hinge()),
        mk.Segment("B", "A", mk.Joint("B", (mk.Hinge(),), (1, 0, 0), coupling=mk.Coupling("A", -0.5, 0.3))),
        mk.Segment("C", "B", mk.Hinge(axis=(0, 1, 0)), offset=(1, 0, 0)),
        mk.Segment("D", "Base", mk.Slider(axis=(1, 0, 0)), offset=(0, 1, 0)),
    ]
    figure = mk.Figure("coupled", segments, loops=[mk.Loop("bar", "C", "D", (1, 0, 0), (0, 0, 0))])
    solver = mk.Solver(figure, [mk.Position("C", (1.0, 0.2, 0.1), offset=(0.5, 0, 0))])
    assert len(solver.goals) == 2
    pose = figure.pose({"A": 0.4, "C": 0.2, "D": 0.7})
    expected = Problem(figure, list(solver.goals), pose).at(pose).information()
    assert_close(solver.information(pose), expected, scale=expected.max(), tol=1e-12)
    alone = mk.Solver(figure, [mk.Position("C", (1.0, 0.2, 0.1), offset=(0.5, 0, 0))], loops=False).information(pose)
    assert (solver.information(pose) > alone).any()


def test_a_goal_that_is_not_active_has_no_rows_and_may_have_no_target():
    figure = mk.human()
    goals = [mk.Position("LeftHand", (0.4, 1.2, 0.3)), mk.Position("RightHand", (-0.4, 1.2, 0.3), weight=3.0)]
    both, left = mk.Solver(figure, goals), mk.Solver(figure, goals[0])
    row = both.targets.copy()
    row[3:] = np.nan
    active = np.array([True, False])
    found = both.information(figure.rest, row, active=active)
    assert (found == left.information(figure.rest)).all()
    right = both.information(figure.rest, active=~active)
    assert_close(found + right, both.information(figure.rest), scale=10.0, tol=1e-14)
    assert (right[left.information(figure.rest) == 0.0] > 0.0).any()
    assert_refused(lambda: both.information(figure.rest, row), BadValue, "RightHand")


def test_rows_are_those_of_single_poses_and_weights_multiply():
    figure, rng = mk.human(), np.random.default_rng(8)
    goals = [mk.Placement("LeftHand", (0.4, 1.2, 0.3, 1, 0, 0, 0)), mk.Aim("Head", (2.0, 1.5, 1.0))]
    solver = mk.Solver(figure, goals)
    poses = figure.random(rng, 6)
    rows = np.stack([solver.row({"Aim Head": rng.normal(size=3)}) for _ in range(6)])
    weights, active = rng.uniform(0.1, 3.0, (6, 2)), rng.random((6, 2)) < 0.7
    many = solver.information(poses, rows, weights=weights, active=active)
    assert many.shape == (6, figure.nv)
    for b in range(6):
        one = solver.information(poses[b], rows[b], weights=weights[b], active=active[b])
        assert (many[b] == one).all()
    assert_close(solver.information(poses, weights=(2.0, 2.0)), 2.0 * solver.information(poses), scale=10.0, tol=1e-13)
    assert (solver.information(figure.rest, rows) == solver.information(np.repeat(figure.rest[None], 6, 0), rows)).all()


def test_angles_count_by_the_solvers_angle_length():
    figure, turn = mk.human(), mk.Orientation("LeftHand", (1.0, 0.0, 0.0, 0.0))
    usual, twice = (mk.Solver(figure, turn, angle_length=k * 0.2 * figure.size) for k in (1.0, 2.0))
    assert_close(twice.information(figure.rest), 4.0 * usual.information(figure.rest), scale=1.0, tol=1e-13)
    posture = mk.Posture(figure.rest)
    usual, twice = (mk.Solver(figure, posture, angle_length=k * 0.2 * figure.size) for k in (1.0, 2.0))
    assert_close(twice.information(figure.rest), 4.0 * usual.information(figure.rest), scale=1.0, tol=1e-13)


def test_a_solver_from_bytes_computes_what_the_bytes_describe():
    figure = mk.human()
    solver = mk.Solver(figure, mk.Position("LeftHand", (0.4, 1.2, 0.3), weight=2.0))
    other = mk.Solver.from_bytes(solver.to_bytes())
    assert (other.information(figure.rest) == solver.information(figure.rest)).all()
    several = mk.Solver(figure, hand_and_more(figure))
    other = mk.Solver.from_bytes(several.to_bytes())
    assert (other.information(figure.rest) == several.information(figure.rest)).all()


def test_bad_arguments_are_named():
    figure = mk.human()
    solver = mk.Solver(figure, mk.Position("LeftHand", (0.4, 1.2, 0.3)))
    assert_refused(lambda: solver.information(np.zeros(3)), BadShape, "poses")
    assert_refused(lambda: solver.information(figure.rest, weights=(1.0, 2.0)), BadShape, "weights")
    assert_refused(
        lambda: solver.information(np.where(np.arange(figure.nq) == 2, np.nan, figure.rest)), BadValue, "poses"
    )


@pytest.mark.parametrize("part", ["twist", "swing"])
def test_the_motion_of_a_held_part_does_not_count(part):
    figure = mk.chain([0.5, 0.4, 0.3], mk.Ball(mk.SwingTwist((0.0, 1.0, 0.0), (1.4, 0.9), (-1.2, 0.8))))
    pose = figure.random(np.random.default_rng(0))
    turn = mk.Orientation("Tip", (0.5, 0.5, 0.5, 0.5), axis=(0.0, 1.0, 0.0), twist=0.1)
    goals = [mk.Position("Tip", (0.1, 0.2, 0.3), weight=2.0), turn, mk.Distance("Tip", "Segment2", 0.3)]
    hold = {"Segment2": part}
    solver, free = mk.Solver(figure, goals, hold=hold), mk.Solver(figure, goals)
    found = solver.information(pose)
    expected = Problem(figure, goals, pose, hold=hold).at(pose).information()
    assert_close(found, expected, scale=expected.max(), tol=1e-11)
    assert np.abs(found[3:6] - free.information(pose)[3:6]).max() > 1e-3
    assert_close(found[6:], free.information(pose)[6:], scale=expected.max(), tol=1e-11)
    many = solver.information(np.array([pose, figure.rest]), active=[True, False, True])
    assert (many[0] == solver.information(pose, active=[True, False, True])).all()
    assert (mk.Solver.from_bytes(solver.to_bytes()).information(pose) == found).all()


def test_bytes_know_the_information_of_swing_and_twist():
    figure = mk.human()
    solver = mk.Solver(figure, mk.Orientation("LeftHand", (0.5, 0.5, 0.5, 0.5), axis=(0.0, 1.0, 0.0), twist=0.1))
    found = mk.Solver.from_bytes(solver.to_bytes()).information(figure.rest)
    assert found.max() > 0.0
    assert (found == solver.information(figure.rest)).all()


def test_a_hidden_marker_lowers_the_information_of_its_joints_only():
    figure = mk.human()
    goals = [mk.Position(s, (0.0, 1.0, 0.0)) for s in ("LeftHand", "LeftForeArm", "Head", "RightFoot")]
    solver = mk.Solver(figure, goals)
    seen = solver.information(figure.rest)
    hidden = solver.information(figure.rest, active=[False, True, True, True])
    elbow = figure.step_of("LeftForeArm")
    leg = figure.step_of("RightLeg")
    assert (hidden <= seen * (1.0 + 1e-12)).all()
    assert hidden[elbow] < 1e-6 * seen[elbow]
    assert hidden[leg] == seen[leg]
    assert (hidden < 0.5 * seen).any()


def test_weights_of_zero_are_the_same_as_not_active():
    figure = mk.human()
    goals = [mk.Position("LeftHand", (0.4, 1.2, 0.3)), mk.Distance("LeftHand", "RightHand", 0.4)]
    solver = mk.Solver(figure, goals)
    zero = mk.Solver(figure, [replace(goals[0], weight=0.0), goals[1]])
    off = solver.information(figure.rest, active=[False, True])
    assert (zero.information(figure.rest) == off).all()
    assert (solver.information(figure.rest, weights=[0.0, 1.0]) == off).all()
