from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import given
from strategies import random_direction, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue


def test_error_is_zero_everywhere_on_the_line():
    goal = mk.Line("Hand", (1.0, 2.0, 3.0), (0.0, 0.0, 5.0))
    for z in (-100.0, 0.0, 3.0, 40.0):
        assert_close(goal.error(placed((1.0, 2.0, z))), np.zeros(3))


def test_error_leads_from_the_nearest_point_of_the_line():
    goal = mk.Line("Hand", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert_close(goal.error(placed((7.0, 3.0, -4.0))), [0.0, 3.0, -4.0])


@given(rngs())
def test_sliding_along_the_line_changes_nothing(rng):
    goal, reading = mk.Line("Hand", rng.normal(size=3), random_direction(rng)), random_reading(rng)
    assert_close(goal.derivative(reading)[:, :3] @ goal.direction, np.zeros(3))
    assert np.linalg.matrix_rank(goal.derivative(reading)) == 2


@given(rngs())
def test_derivative(rng):
    goal = mk.Line("Hand", rng.normal(size=3), rng.normal(size=3))
    assert_goal_derivative(goal, random_reading(rng))


def test_the_target_is_point_and_direction():
    goal = mk.Line("Hand", (1, 2, 3), (0, 0, 2)).with_target([0, 1, 0, 3, 0, 0])
    assert_close(goal.target, [0, 1, 0, 1, 0, 0])


def test_a_hand_reaches_a_line_with_its_limits_kept():
    human = mk.human()
    goal = mk.Line("LeftHand", (0.3, 1.2, 0.0), (0.2, 0.1, 1.0), offset=(0.0, 0.1, 0.0))
    solution = mk.solve(human, goal)
    assert solution.reached
    assert human.violation(solution.pose) <= 1e-9
    T = human.placements(solution.pose, ["LeftHand"])[0]
    away = T[:3, :3] @ [0.0, 0.1, 0.0] + T[:3, 3] - goal.point
    assert np.linalg.norm(np.cross(goal.direction, away)) <= 1e-4 * human.size


def test_a_line_out_of_reach_is_an_answer():
    arm = mk.chain(3)
    solution = mk.solve(arm, mk.Line("Tip", (0, 5, 0), (0, 0, 1)))
    assert not solution.reached
    assert solution.errors[0] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Line("Hand", (0, 0, 0), (0, 0, 0)), BadValue, "Line Hand: direction is .* which has no direction"),
        (lambda: mk.Line("Hand", (0, 0), (0, 0, 1)), BadShape, r"Line Hand: point has shape \(2,\)"),
        (lambda: mk.Line("Hand", (0, 0, 0), (0, 0, 1)).with_target([1, 2, 3]), BadShape, r"it needs \(6,\)"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
