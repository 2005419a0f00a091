from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, moved, placed, random_reading
from hypothesis import given
from strategies import random_direction, random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue


@given(rngs())
def test_error_is_zero_at_the_target(rng):
    turn = random_quaternion(rng)
    assert_close(mk.Orientation("Hand", turn).error(placed(quaternion=turn)), np.zeros(3), tol=1e-7)


@given(rngs())
def test_error_is_the_turn_from_the_target_in_world_axes(rng):
    target, turn = random_quaternion(rng), rng.uniform(0.0, 3.1) * random_direction(rng)
    reached = rotations.multiply(rotations.from_rotation_vector(turn), target)
    assert_close(mk.Orientation("Hand", target).error(placed(quaternion=reached)), turn, tol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-7, 1e-4, 9.9e-3, 1.01e-2, 1.0, 3.0, np.pi - 0.05])
@given(rngs())
def test_derivative(angle, rng):
    target = random_quaternion(rng)
    turn = rotations.from_rotation_vector(angle * random_direction(rng))
    reading = placed(rng.normal(size=3), rotations.multiply(turn, target))
    assert_goal_derivative(mk.Orientation("Hand", target), reading, step=0.01)


@given(rngs())
def test_the_gradient_of_half_the_squared_angle_is_the_error_itself(rng):
    goal, reading = mk.Orientation("Hand", random_quaternion(rng)), random_reading(rng)
    error = goal.error(reading)
    assert_close(error @ goal.derivative(reading), [0, 0, 0, *error], tol=1e-9)


def test_at_half_a_turn_the_error_is_finite_and_leads_to_the_target():
    goal = mk.Orientation("Hand", rotations.IDENTITY)
    reading = placed(quaternion=(0.0, 1.0, 0.0, 0.0))
    error = goal.error(reading)
    assert np.linalg.norm(error) == pytest.approx(np.pi)
    assert np.isfinite(goal.derivative(reading)).all()
    back = moved(reading, np.concatenate([np.zeros(3), -error]))
    assert_close(goal.error(back), np.zeros(3), tol=1e-9)


def test_a_matrix_is_taken_as_its_quaternion():
    matrix = rotations.axis_matrix("z", 0.3)
    goal = mk.Orientation("Hand", matrix)
    assert_close(rotations.to_matrix(goal.target), matrix)
    assert goal.target.shape == (4,)


def test_the_default_tolerance_is_an_angle():
    assert mk.Orientation("Tip", rotations.IDENTITY).on(mk.chain(3)).allowed == 1e-3


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Orientation("Hand", (1, 0, 0)), BadShape, r"shape \(3,\); it needs \(4,\), a quaternion wxyz, or"),
        (lambda: mk.Orientation("Hand", (2, 0, 0, 0)), BadValue, "has length 2; it needs length 1"),
        (lambda: mk.Orientation("Hand", (0, 0, 0, 0)), BadValue, "is zero"),
        (lambda: mk.Orientation("Hand", np.diag([1, 1, -1])), BadValue, "3×3 matrix is not a rotation"),
        (lambda: mk.Orientation("Hand", 2 * np.eye(3)), BadValue, "3×3 matrix is not a rotation"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
