from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, moved, placed, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Reading

KINDS = ("equal", "at_least", "at_most")


def two(x, y):
    """What a goal about two effectors reads."""
    return Reading(rotations.placement(np.array(rotations.IDENTITY), np.array([x, y], dtype=float)))


def test_error_is_how_much_too_far_or_too_near():
    for kind, sign in (("equal", 1), ("at_most", 1), ("at_least", -1)):
        goal = mk.Distance("Hand", (0, 0, 0), 2.0, kind=kind)
        assert goal.one_sided == (kind != "equal")
        assert_close(goal.error(placed((0, 3, 4))), [sign * 3.0])
        assert_close(goal.error(placed((0, 0.6, 0.8))), [-sign * 1.0])


def test_between_two_effectors_it_is_their_distance():
    assert_close(mk.Distance("A", "B", 1.0).error(two((1, 0, 0), (1, 2, 0))), [1.0])


@pytest.mark.parametrize("kind", KINDS)
@given(rngs())
def test_derivative(kind, rng):
    assert_goal_derivative(mk.Distance("A", rng.normal(size=3), 0.5, kind=kind), random_reading(rng))
    assert_goal_derivative(mk.Distance("A", "B", 0.5, kind=kind), random_reading(rng, effectors=2))


@given(rngs())
def test_derivative_with_the_two_nearly_together(rng):
    reading = random_reading(rng, effectors=2)
    reading.placements[1, :3, 3] = reading.placements[0, :3, 3] + 1e-4 * rng.normal(size=3)
    assert_goal_derivative(mk.Distance("A", "B", 0.5), reading, step=1e-6, tol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_with_both_at_one_place_a_direction_is_chosen_that_leads_apart(kind):
    goal = mk.Distance("A", "B", 1.0, kind=kind)
    reading = two((1, 2, 3), (1, 2, 3))
    row = goal.derivative(reading)[0]
    assert np.linalg.norm(row[:3]) == pytest.approx(1.0)
    apart = moved(reading, 1e-3 * row)
    assert np.linalg.norm(apart.placements[0, :3, 3] - apart.placements[1, :3, 3]) == pytest.approx(2e-3)


def test_a_hinge_leaves_the_point_it_is_at():
    arm = mk.chain(3, planar=True)
    at = arm.placements(np.array([0.4, 0.3, 0.2]), ["Tip"])[0, :3, 3]
    solution = mk.solve(arm, mk.Distance("Tip", at, 0.5), [0.4, 0.3, 0.2])
    assert solution.reached


def test_the_target_is_the_distance():
    goal = mk.Distance("A", "B", 1.0, kind="at_least").with_target([0.25])
    assert_close(goal.target, [0.25])
    assert goal.kind == "at_least"


@pytest.mark.parametrize(("kind", "distance"), [("equal", 0.25), ("at_most", 0.1), ("at_least", 1.2)])
def test_the_hands_of_a_person_take_their_distance_within_limits(kind, distance):
    human = mk.human()
    goal = mk.Distance("LeftHand", "RightHand", distance, kind=kind, offset=(0, 0.1, 0), to_offset=(0, 0.1, 0))
    start = human.pose({"LeftForeArm": 1.0, "RightForeArm": 1.0})
    solution = mk.solve(human, [goal, mk.Position("Head", human.placements(human.rest, ["Head"])[0, :3, 3])], start)
    assert solution.reached
    assert human.violation(solution.pose) <= 1e-9
    left, right = human.placements(solution.pose, ["LeftHand", "RightHand"])
    between = np.linalg.norm((left - right) @ [0, 0.1, 0, 1])
    allowed = 1e-4 * human.size
    low = -np.inf if kind == "at_most" else distance - allowed
    high = np.inf if kind == "at_least" else distance + allowed
    assert low <= between <= high


def test_a_one_sided_distance_that_holds_moves_nothing():
    arm = mk.chain(3, planar=True)
    start = np.array([0.5, 0.1, 0.1])
    solution = mk.solve(arm, mk.Distance("Tip", (0, 0, 0), 1.0, kind="at_least"), start)
    assert solution.reached
    assert_close(solution.pose, start)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Distance("A", (0, 0), 1), BadShape, r"Distance A: to has shape \(2,\)"),
        (lambda: mk.Distance("A", (0, 0, 0), -1), BadValue, "Distance A: distance is -1; it must be at least 0"),
        (lambda: mk.Distance("A", "B", 1, kind="near"), BadValue, "kind is 'near'; it must be 'equal', 'at_least' or"),
        (lambda: mk.Distance("A", "A", 1), BadValue, "both ends are the same effector"),
        (lambda: mk.Distance("A", (0, 0, 0), 1, to_offset=(1, 0, 0)), BadValue, "to_offset is .*`to` is a point"),
        (lambda: mk.Distance("A", "B", 1).with_target([1, 2]), BadShape, r"target has shape \(2,\); it needs \(1,\)"),
        (lambda: mk.Distance("Tip", "Hand", 1).on(mk.chain(2)), UnknownName, "has no segment 'Hand'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
