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


@pytest.mark.parametrize("angle", [0.0, 1e-7, 0.5, 2.0, 3.0, np.pi])
@given(rng=rngs())
def test_with_a_direction_the_error_is_the_angle_to_it_wherever_the_effector_is(angle, rng):
    at_point, reading = aimed(rng, angle)
    direction = 3.0 * (at_point.point - reading.position)
    goal = mk.Aim("Head", direction=direction, axis=at_point.axis)
    assert_close(np.linalg.norm(goal.target), 1.0)
    assert np.linalg.norm(goal.error(reading)) == pytest.approx(angle, abs=1e-8)
    elsewhere = moved(reading, np.concatenate([rng.normal(size=3), np.zeros(3)]))
    assert_close(goal.error(elsewhere), goal.error(reading))


@pytest.mark.parametrize("angle", [0.0, 1e-7, 9e-4, 0.5, 1.5707, 3.0])
@given(rng=rngs())
def test_derivative_with_a_direction(angle, rng):
    at_point, reading = aimed(rng, angle)
    goal = mk.Aim("Head", direction=at_point.point - reading.position, axis=at_point.axis)
    assert_goal_derivative(goal, reading, step=0.01)


def test_a_moved_direction_is_a_new_goal():
    goal = mk.Aim("Head", direction=(0, 0, 1)).with_target((0.0, 5.0, 0.0))
    assert_close(goal.direction, [0.0, 1.0, 0.0])
    assert goal.point is None
    assert_close(goal.met_by(placed(quaternion=rotations.from_axis_angle((0, 1, 0), np.pi / 2))).direction, [1, 0, 0])


@given(rng=rngs())
def test_the_native_solver_points_along_a_direction_and_reports_the_same_error(rng):
    arm = mk.chain([0.5, 0.4, 0.3, 0.2], mk.Euler("XYZ", ((-1.5, 1.5),) * 3))
    d, axis = random_direction(rng), random_direction(rng)
    goals = [mk.Aim("Segment4", direction=d, axis=axis), mk.Position("Segment4", (0.3, 0.2, 0.1))]
    solver = mk.Solver(arm, goals)
    for scale in (1e-3, 1.0, 1e6):  # only the direction counts, not the length
        solution = solver.solve(arm.rest, {"Aim Segment4": scale * d})
        pointing = arm.placements(solution.pose, ["Segment4"])[0, :3, :3] @ axis
        angle = np.arctan2(np.linalg.norm(np.cross(d, pointing)), d @ pointing)
        assert solution.errors[0] == pytest.approx(angle, abs=1e-12)
    if solution.reached:
        assert angle <= 1e-3
    assert_close(mk.solve(arm, goals).errors, solver.solve().errors)


def test_a_direction_is_reached_to_the_last_digits():
    arm = mk.chain([0.5, 0.4, 0.3], mk.Ball())
    goals = [
        mk.Aim("Segment3", direction=(1, 2, 3), axis=(1, 0, 0), tolerance=1e-9),
        mk.Position("Tip", (0.4, 0.5, 0.2)),
    ]
    assert mk.solve(arm, goals).reached


def test_a_direction_of_length_zero_is_refused_by_the_solver():
    solver = mk.Solver(mk.chain(3), [mk.Aim("Tip", direction=(0, 1, 0))])
    with pytest.raises(BadValue, match=r"targets of 'Aim Tip', row 0: direction \(0, 0, 0\)"):
        solver.solve(None, [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Aim("Head", (0, 1)), BadShape, r"Aim Head: target has shape \(2,\)"),
        (lambda: mk.Aim("Head", (0, 0, 1), axis=(0, 0, 0)), BadValue, "Aim Head: axis is .* which has no direction"),
        (lambda: mk.Aim("Head"), BadValue, "Aim Head has neither a point nor a direction; it needs one of them"),
        (lambda: mk.Aim("Head", (0, 0, 1), direction=(0, 0, 1)), BadValue, "Aim Head has both a point and a direction"),
        (lambda: mk.Aim("Head", direction=(0, 0, 0)), BadValue, "Aim Head: direction is .* which has no direction"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
