from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import assume, given
from strategies import random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue


@given(rngs())
def test_error_is_zero_at_the_target(rng):
    point, turn = rng.normal(size=3), random_quaternion(rng)
    goal = mk.Placement("Hand", rotations.placement(turn, point))
    assert_close(goal.error(placed(point, turn)), np.zeros(6), tol=1e-7)


@given(rngs())
def test_error_is_that_of_position_and_orientation_together(rng):
    point, turn, reading = rng.normal(size=3), random_quaternion(rng), random_reading(rng)
    both = mk.Placement("Hand", [*point, *turn]).error(reading)
    assert_close(both[:3], mk.Position("Hand", point).error(reading))
    assert_close(both[3:], mk.Orientation("Hand", turn).error(reading))


@given(rngs())
def test_derivative(rng):
    reading = random_reading(rng)
    goal = mk.Placement("Hand", [*rng.normal(size=3), *random_quaternion(rng)])
    assume(np.linalg.norm(goal.error(reading)[3:]) < np.pi - 0.05)
    assert_goal_derivative(goal, reading, step=0.01)


def test_matrix_and_seven_numbers_are_the_same_target():
    turn, point = rotations.from_euler("xyz", [0.1, 0.2, 0.3]), [1.0, 2.0, 3.0]
    goal = mk.Placement("Hand", rotations.placement(turn, np.array(point)))
    assert_close(goal.target, [*point, *turn])
    assert_close(goal.with_target([*point, *turn]).target, goal.target)


def test_the_error_reported_is_a_length_that_is_within_tolerance_just_when_both_parts_are():
    goal = mk.Placement("Hand", np.eye(4), tolerance=(0.01, 0.1))
    assert goal.allowed == 0.01
    assert goal.measure(np.array([0.005, 0, 0, 0, 0.2, 0])) == pytest.approx(0.02)
    assert goal.measure(np.array([0.005, 0, 0, 0, 0.04, 0])) == pytest.approx(0.005)


def test_one_tolerance_is_that_of_the_length():
    assert mk.Placement("Hand", np.eye(4), tolerance=0.01).tolerance == (0.01, 1e-3)


def test_the_default_tolerances():
    assert mk.Placement("Tip", np.eye(4)).on(mk.chain(3)).tolerance == pytest.approx((3e-4, 1e-3))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Placement("Hand", (1, 2, 3)), BadShape, r"shape \(3,\); it needs \(4, 4\), a placement, or \(7,\)"),
        (lambda: mk.Placement("Hand", 2 * np.eye(4)), BadValue, "last row"),
        (lambda: mk.Placement("Hand", np.diag([2, 1, 1, 1])), BadValue, "no rotation"),
        (lambda: mk.Placement("Hand", (0, 0, 0, 3, 0, 0, 0)), BadValue, "has length 3"),
        (lambda: mk.Placement("Hand", np.eye(4), tolerance=(1, 2, 3)), BadValue, r"needs a pair \(length, radians\)"),
        (lambda: mk.Placement("Hand", np.eye(4), tolerance=(1, 0)), BadValue, "tolerance of angles is 0"),
        (lambda: mk.Placement("Hand", np.eye(4)).allowed, BadValue, "has no tolerance yet"),
        (lambda: mk.Placement("Hand", np.eye(4)).measure(np.zeros(6)), BadValue, "has no tolerance yet"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
