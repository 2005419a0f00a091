from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadShape, BadValue


def test_error_is_the_distance_along_the_normal():
    goal = mk.Plane("Foot", point=(0, 1, 0), normal=(0, 2, 0))
    assert_close(goal.error(placed((5.0, 3.0, -4.0))), [2.0])
    assert_close(goal.error(placed((5.0, 1.0, -4.0))), [0.0])


def test_above_is_violated_below_only():
    goal = mk.Plane("Foot", side="above")
    assert goal.one_sided
    assert goal.error(placed((0.0, -0.5, 0.0)))[0] == pytest.approx(0.5)
    assert goal.error(placed((0.0, 0.5, 0.0)))[0] < 0.0


def test_below_is_violated_above_only():
    goal = mk.Plane("Foot", side="below")
    assert goal.error(placed((0.0, 0.5, 0.0)))[0] == pytest.approx(0.5)
    assert goal.error(placed((0.0, -0.5, 0.0)))[0] < 0.0


@pytest.mark.parametrize("side", [None, "above", "below"])
@given(rngs())
def test_derivative(side, rng):
    goal = mk.Plane("Foot", rng.normal(size=3), rng.normal(size=3), side=side)
    assert_goal_derivative(goal, random_reading(rng))


def test_the_target_is_point_and_normal():
    goal = mk.Plane("Foot", (1, 2, 3), (0, 0, 2)).with_target([0, 1, 0, 3, 0, 0])
    assert_close(goal.target, [0, 1, 0, 1, 0, 0])


def test_a_foot_that_may_be_anywhere_above_the_ground_stays_where_it_is():
    arm = mk.chain(3, planar=True)
    start = np.array([0.5, 0.1, 0.1])
    solution = mk.solve(arm, mk.Plane("Tip", side="above"), start)
    assert solution.reached
    assert_close(solution.pose, start)


def test_a_foot_below_the_ground_is_brought_up_to_it():
    arm = mk.chain(3, planar=True)
    solution = mk.solve(arm, mk.Plane("Tip", side="above"), [-0.5, -0.1, -0.1])
    assert solution.reached
    assert arm.placements(solution.pose)[-1, 1, 3] >= -3e-4


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Plane("Foot", normal=(0, 0, 0)), BadValue, "Plane Foot: normal is .* which has no direction"),
        (lambda: mk.Plane("Foot", side="left"), BadValue, "side is 'left'; it must be None, 'above' or 'below'"),
        (lambda: mk.Plane("Foot").with_target([1, 2, 3]), BadShape, r"target has shape \(3,\); it needs \(6,\)"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
