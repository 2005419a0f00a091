from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, moved, placed
from hypothesis import given
from strategies import random_direction, random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue


def aimed(rng, angle, distance=2.0):
    """A goal and a reading in which the direction is off by an angle."""
    reading = placed(rng.normal(size=3), random_quaternion(rng))
    axis = random_direction(rng)
    d = reading.rotation @ axis
    u = rotations.rotate(rotations.from_axis_angle(rotations.perpendicular(d), angle), d)
    return mk.Aim("Head", reading.position + distance * u, axis=axis), reading


def test_error_is_zero_when_the_ray_passes_through_the_target():
    goal = mk.Aim("Head", (0.0, 0.0, 7.0))
    assert_close(goal.error(placed((0.0, 0.0, 2.0))), np.zeros(3))


def test_a_target_behind_the_effector_is_not_aimed_at():
    goal = mk.Aim("Head", (0.0, 0.0, -7.0))
    assert np.linalg.norm(goal.error(placed((0.0, 0.0, 2.0)))) == pytest.approx(np.pi)


@given(rngs())
def test_the_error_is_the_angle_and_grows_to_half_a_turn_behind(rng):
    for angle in (0.0, 1e-7, 1e-3, 0.5, 2.0, 3.0, np.pi - 1e-5, np.pi):
        goal, reading = aimed(rng, angle)
        assert np.linalg.norm(goal.error(reading)) == pytest.approx(angle, abs=1e-8)


@given(rngs())
def test_turning_back_by_the_error_aims(rng):
    goal, reading = aimed(rng, rng.uniform(0.0, 3.1))
    back = moved(reading, np.concatenate([np.zeros(3), -goal.error(reading)]))
    assert_close(goal.error(back), np.zeros(3), tol=1e-8)


@pytest.mark.parametrize("angle", [0.0, 1e-7, 9e-4, 1.1e-3, 9.9e-3, 1.01e-2, 0.5, 1.5707, 2.0, 3.0])
@given(rngs())
def test_derivative(angle, rng):
    goal, reading = aimed(rng, angle)
    assert_goal_derivative(goal, reading, step=0.01)


@given(rngs())
def test_derivative_with_the_target_near_the_effector(rng):
    goal, reading = aimed(rng, 1.0, distance=1e-3)
    assert_goal_derivative(goal, reading, step=1e-5)


def test_exactly_behind_a_turn_is_chosen_that_leads_out():
    goal, reading = mk.Aim("Head", (0.0, 0.0, -1.0)), placed()
    derivative, error = goal.derivative(reading), goal.error(reading)
    assert np.isfinite(derivative).all()
    turn = -(error @ derivative)  # steepest descent of half the squared angle
    assert np.linalg.norm(turn[3:]) == pytest.approx(np.pi)
    out = moved(reading, 1e-3 * turn / np.linalg.norm(turn))
    assert np.linalg.norm(goal.error(out)) < np.pi - 0.9e-3 / np.sqrt(2)


def test_a_target_at_the_effector_has_no_error_and_no_derivative():
    goal = mk.Aim("Head", (1.0, 2.0, 3.0))
    reading = placed((1.0, 2.0, 3.0))
    assert_close(goal.error(reading), np.zeros(3))
    assert_close(goal.derivative(reading), np.zeros((3, 6)))


@given(rngs())
def test_turning_about_the_ray_changes_nothing(rng):
    goal, reading = aimed(rng, 0.7)
    d = reading.rotation @ np.array(goal.axis)
    assert_close(goal.derivative(reading)[:, 3:] @ d, np.zeros(3), tol=1e-9)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Aim("Head", (0, 1)), BadShape, r"Aim Head: target has shape \(2,\)"),
        (lambda: mk.Aim("Head", (0, 0, 1), axis=(0, 0, 0)), BadValue, "Aim Head: axis is .* which has no direction"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
