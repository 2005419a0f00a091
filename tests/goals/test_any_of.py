from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadShape, BadValue
from manikin.goals import Goal
from manikin.problem import Problem


def arm():
    return mk.chain(3, planar=True)


def at(x, y, **options) -> Goal:
    return mk.Position("Tip", (x, y), axes="xy", **options)


def test_the_member_within_reach_is_chosen_though_the_other_is_nearer():
    solution = mk.solve(arm(), mk.AnyOf(at(3.5, 0.0), at(-1.0, 1.0)))
    assert solution.reached
    assert_close(solution.goals[0].target, [-1.0, 1.0])
    assert_close(arm().placements(solution.pose)[-1, :2, 3], [-1.0, 1.0], tol=4e-4)


def test_of_two_within_reach_the_nearer_is_chosen():
    solution = mk.solve(arm(), mk.AnyOf(at(-1.0, 1.0), at(2.5, 0.5)))
    assert_close(solution.goals[0].target, [2.5, 0.5])


def test_where_none_can_be_reached_the_one_that_is_missed_least_is_kept():
    solution = mk.solve(arm(), mk.AnyOf(at(9.0, 0.0), at(0.0, 4.0), at(-7.0, 0.0)))
    assert not solution.reached
    assert_close(solution.goals[0].target, [0.0, 4.0])
    assert solution.errors[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("method", ["auto", "bounded-dls", "dls", "pinv", "stacked", "lbfgsb", "sdls", "transpose"])
def test_every_method_chooses(method):
    solution = mk.solve(arm(), [mk.AnyOf(at(5.0, 0.0), at(1.0, 1.5))], [0.3, 0.3, 0.3], method=method)
    assert solution.reached, solution


def test_two_of_them_are_tried_in_all_combinations():
    figure = mk.tree([-1, 0, 0], planar=True)
    left = mk.AnyOf(mk.Position("Tip2", (9, 0), axes="xy"), mk.Position("Tip2", (1, 1), axes="xy"))
    right = mk.AnyOf(mk.Position("Tip3", (1, 9), axes="xy"), mk.Position("Tip3", (1, -1), axes="xy"))
    solution = mk.solve(figure, [left, right])
    assert solution.reached
    assert_close([g.target for g in solution.goals], [[1, 1], [1, -1]])
    assert len(list(Problem(figure, [left, right]).choices())) == 4


def test_weight_priority_tolerance_and_name_reach_the_members():
    goal = mk.AnyOf(at(1, 1, weight=2.0), at(2, 0, tolerance=0.5), weight=3.0, priority=1, name="either").on(arm())
    assert [m.weight for m in goal.members] == [6.0, 3.0]
    assert [m.priority for m in goal.members] == [1, 1]
    assert [m.allowed for m in goal.members] == pytest.approx([3e-4, 0.5])
    assert [m.label for m in goal.members] == ["either", "either"]
    assert mk.AnyOf(at(1, 1), tolerance=0.25).on(arm()).members[0].allowed == 0.25


def test_settling_twice_changes_nothing():
    once = mk.AnyOf(at(1, 1, weight=2.0), weight=3.0).on(arm())
    assert once.on(arm()).members[0].weight == 6.0


def test_members_that_are_choices_themselves_are_flattened():
    goal = mk.AnyOf(mk.AnyOf(at(1, 1), at(2, 0), weight=2.0), at(0, 3))
    assert [m.weight for m in goal.members] == [2.0, 2.0, 1.0]


def test_the_target_is_that_of_all_members_in_a_row():
    goal = mk.AnyOf(at(1, 2), mk.Plane("Tip"))
    assert_close(goal.target, [1, 2, 0, 0, 0, 0, 1, 0])
    moved = goal.with_target(np.arange(1.0, 9.0))
    assert_close(moved.members[0].target, [1, 2])
    assert_close(moved.members[1].point, [3, 4, 5])  # type: ignore[attr-defined]


@given(rngs())
def test_error_and_derivative_are_those_of_the_nearest_member(rng):
    members = [mk.Position(n, rng.normal(size=3), tolerance=0.1) for n in ("A", "B", "C")]
    goal, reading = mk.AnyOf(*members), random_reading(rng, effectors=3)
    distances = [np.linalg.norm(m.error(r)) for m, r in zip(members, goal._parts(reading), strict=True)]
    assert goal.nearest(reading) == int(np.argmin(distances))
    assert goal.measure(goal.error(reading)) == pytest.approx(min(distances))
    assert_goal_derivative(goal, reading, step=1e-6, tol=1e-6)


def test_the_nearest_is_measured_by_tolerances():
    goal = mk.AnyOf(mk.Position("A", (1, 0, 0), tolerance=0.1), mk.Position("A", (-2, 0, 0), tolerance=1.0))
    both = placed()
    assert goal.nearest(type(both)(np.concatenate([both.placements] * 2))) == 1


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (mk.AnyOf, BadValue, "AnyOf has no members"),
        (lambda: mk.AnyOf("Tip"), BadValue, "member 'Tip' is not a goal"),
        (lambda: mk.AnyOf(at(1, 1)).with_target([1.0]), BadShape, r"target has shape \(1,\); it needs \(2,\)"),
        (lambda: mk.AnyOf(at(1, 1)).angular, BadValue, "an AnyOf has the rows of the chosen member"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
