from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, random_reading
from hypothesis import assume, given
from strategies import random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Reading
from manikin.problem import Problem

PARTS = [{}, {"orientation": False}, {"position": False}]


def loop(rng, **parts):
    """A goal and a reading in which it is met."""
    e = rotations.placement(random_quaternion(rng), rng.normal(size=3))
    seen = rotations.placement(random_quaternion(rng), rng.normal(size=3))
    return mk.Relative("F", "E", seen, **parts), Reading(np.stack([e @ seen, e]))


@pytest.mark.parametrize("parts", PARTS)
@given(rngs())
def test_error_is_zero_where_the_one_sees_the_other_as_wanted(parts, rng):
    goal, reading = loop(rng, **parts)
    assert_close(goal.error(reading), np.zeros(goal.rows), tol=1e-7)


@given(rngs())
def test_error_is_that_of_a_placement_carried_along_by_the_other_effector(rng):
    reading = random_reading(rng, effectors=2)
    seen = rotations.placement(random_quaternion(rng), rng.normal(size=3))
    wanted = reading.placements[1] @ seen
    goal = mk.Relative("F", "E", seen)
    turn = mk.Orientation("F", wanted[:3, :3]).error(reading)
    assume(np.linalg.norm(turn) < np.pi - 1e-6)
    assert_close(goal.error(reading)[:3], reading.position - wanted[:3, 3])
    assert_close(goal.error(reading)[3:], turn, tol=1e-7)


@pytest.mark.parametrize("parts", PARTS)
@given(rngs())
def test_derivative(parts, rng):
    reading = random_reading(rng, effectors=2)
    goal = mk.Relative("F", "E", rotations.placement(random_quaternion(rng), rng.normal(size=3)), **parts)
    if goal.orientation:
        assume(np.linalg.norm(goal.error(reading)[-3:]) < np.pi - 0.05)
    assert_goal_derivative(goal, reading, step=0.01)


@given(rngs())
def test_derivative_where_the_goal_is_met(rng):
    assert_goal_derivative(*loop(rng), step=0.01)  # type: ignore[misc]


def test_the_target_is_seven_numbers_however_it_was_given():
    turn, point = rotations.from_euler("xyz", [0.1, 0.2, 0.3]), [1.0, 2.0, 3.0]
    seven = [*point, *turn]
    assert_close(mk.Relative("F", "E", rotations.placement(turn, np.array(point))).target, seven)
    assert_close(mk.Relative("F", "E", np.eye(4)).with_target(seven).target, seven)
    assert_close(mk.Relative("F", "E", point, orientation=False).target, [*point, 1, 0, 0, 0])
    assert_close(mk.Relative("F", "E", turn, position=False).target, [0, 0, 0, *turn])
    assert_close(mk.Relative("F", "E", rotations.to_matrix(turn), position=False).target, [0, 0, 0, *turn])


def test_tolerances_are_a_pair_only_where_both_parts_count():
    arm = mk.chain(3)
    seen = np.eye(4)
    assert mk.Relative("Tip", "Segment1", seen).on(arm).tolerance == pytest.approx((3e-4, 1e-3))
    assert mk.Relative("Tip", "Segment1", seen, orientation=False).on(arm).tolerance == pytest.approx(3e-4)
    assert mk.Relative("Tip", "Segment1", seen, position=False).on(arm).tolerance == pytest.approx(1e-3)
    both = mk.Relative("Tip", "Segment1", seen, tolerance=(0.01, 0.1))
    assert both.allowed == 0.01
    assert both.measure(np.array([0.005, 0, 0, 0, 0.2, 0])) == pytest.approx(0.02)
    turned = mk.Relative("Tip", "Segment1", seen, position=False, tolerance=0.1)
    assert turned.measure(np.array([0.0, 0.2, 0.0])) == pytest.approx(0.2)


@given(rngs())
def test_as_now_is_met_in_the_pose_it_was_taken_from(rng):
    human = mk.human()
    pose = human.random(rng)
    options = {"offset": (0.0, 0.1, 0.02), "to_offset": (0.01, 0.05, 0.0)}
    goal = mk.Relative.as_now(human, pose, "RightHand", "LeftFoot", weight=2.0, **options)
    assert goal.weight == 2.0
    assert_close(Problem(human, goal).at(pose).rows, np.zeros(6), tol=1e-7)


def test_two_hands_stay_on_one_bar_while_one_of_them_moves():
    human = mk.human()
    start = human.pose({"LeftForeArm": 1.2, "RightForeArm": 1.2})
    before = human.placements(start, ["LeftHand", "RightHand"])
    goals = [
        mk.Position("LeftHand", (0.3, 1.35, 0.35)),
        mk.Relative("RightHand", "LeftHand", np.linalg.inv(before[0]) @ before[1]),
    ]
    solution = mk.solve(human, goals, start)
    assert solution.reached
    assert human.violation(solution.pose) <= 1e-9
    left, right = human.placements(solution.pose, ["LeftHand", "RightHand"])
    assert_close((np.linalg.inv(left) @ right)[:3, 3], (np.linalg.inv(before[0]) @ before[1])[:3, 3], tol=2e-4)
    assert_close((np.linalg.inv(left) @ right)[:3, :3], (np.linalg.inv(before[0]) @ before[1])[:3, :3], tol=2e-3)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Relative("F", "E", (1, 2, 3)), BadShape, r"Relative F E: target has shape \(3,\)"),
        (lambda: mk.Relative("F", "E", (1, 0, 0, 0)), BadShape, r"target has shape \(4,\)"),
        (lambda: mk.Relative("F", "F", np.eye(4)), BadValue, "segment and `to` are both 'F'"),
        (lambda: mk.Relative("F", "", np.eye(4)), BadValue, "segment is ''"),
        (lambda: mk.Relative("F", "E", np.eye(4), position=False, orientation=False), BadValue, "are both False"),
        (lambda: mk.Relative("F", "E", np.eye(4), position="yes"), BadValue, "position is 'yes'; it must be True or"),
        (lambda: mk.Relative("F", "E", np.diag([2, 1, 1, 1])), BadValue, "not a rotation"),
        (lambda: mk.Relative("F", "E", np.eye(4), tolerance=(1, 2, 3)), BadValue, r"needs a pair \(length, radians\)"),
        (lambda: mk.Relative("F", "E", np.eye(4)).allowed, BadValue, "has no tolerance yet"),
        (lambda: mk.Relative("F", "E", np.eye(4)).with_target([1, 2, 3]), BadShape, r"it needs \(7,\)"),
        (lambda: mk.Relative("Tip", "Hand", np.eye(4)).on(mk.chain(2)), UnknownName, "has no segment 'Hand'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


def test_a_boolean_of_numpy_is_a_boolean():
    figure = mk.human()
    goal = mk.Relative("RightHand", "LeftHand", np.eye(4), orientation=np.bool_(False))
    assert mk.Solver(figure, goal).solve().errors.shape == (1,)
    goal = mk.Relative("RightHand", "LeftHand", np.eye(4), position=np.bool_(True), orientation=np.bool_(True))
    assert mk.Solver(figure, goal).solve().errors.shape == (1,)
