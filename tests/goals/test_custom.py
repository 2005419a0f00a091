from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Effector
from manikin.goals.custom import MOST_ROWS
from manikin.problem import Problem


def aligned(placements):
    """The z axes of two effectors at right angles, and their height the same."""
    a, b = placements
    return [a[:3, 2] @ b[:3, 2], a[1, 3] - b[1, 3]]


def aligned_derivative(placements):
    a, b = placements[:, :3, 2]
    out = np.zeros((2, 12))
    out[0, 3:6], out[0, 9:] = np.cross(a, b), np.cross(b, a)
    out[1, 1], out[1, 7] = 1.0, -1.0
    return out


def off_the_sphere(placements, target):
    return [np.linalg.norm(placements[0, :3, 3] - target[:3]) - target[3]]


@given(rngs())
def test_differences_in_space_give_the_derivative_that_was_not_given(rng):
    reading = random_reading(rng, effectors=2)
    goal = mk.Custom(["A", "B"], aligned, rows=2)
    assert_close(goal.derivative(reading), aligned_derivative(reading.placements), tol=1e-9)
    assert_goal_derivative(goal, reading, tol=1e-8)


@given(rngs())
def test_a_given_derivative_is_used(rng):
    reading = random_reading(rng, effectors=2)
    goal = mk.Custom(["A", "B"], aligned, aligned_derivative, rows=2)
    assert_close(goal.derivative(reading), aligned_derivative(reading.placements), tol=0.0)
    assert_goal_derivative(goal, reading)


def test_differences_are_taken_in_the_unit_of_the_figure():
    sizes = []
    for factor in (1e-4, 1.0, 1e4):
        arm = mk.chain(3).scaled(factor)

        def cubed(placements, factor=factor):
            return (placements[0, :3, 3] / factor) ** 3 * factor

        problem = Problem(arm, mk.Custom("Tip", cubed, rows=3))
        pose = arm.random(np.random.default_rng(1))
        exact = 3.0 * (problem.at(pose).readings[0].position / factor)[:, None] ** 2 * arm.jacobian(pose, "Tip")[:3]
        assert_close(problem.at(pose).derivative, exact, scale=factor, tol=1e-8)
        sizes.append(problem.goals[0].size)  # type: ignore[attr-defined]
    assert_close(np.array(sizes), [3e-4, 3.0, 3e4], scale=1e4)


def test_a_target_is_shown_to_the_function_and_can_be_replaced():
    goal = mk.Custom("LeftHand", off_the_sphere, rows=1, target=[0.4, 1.2, 0.3, 0.1])
    human = mk.human()
    for point in ((0.4, 1.2, 0.3), (0.3, 1.5, 0.4)):
        solution = mk.solve(human, goal.with_target([*point, 0.1]))
        assert solution.reached
        assert human.violation(solution.pose) <= 1e-9
        hand = human.placements(solution.pose, ["LeftHand"])[0, :3, 3]
        assert np.linalg.norm(hand - point) == pytest.approx(0.1, abs=2e-4)


def test_one_sided_rows_count_only_above_zero():
    arm = mk.chain(3, planar=True)
    goal = mk.Custom("Tip", lambda p: [p[0, 0, 3] - 1.0], rows=1, one_sided=True)
    start = np.array([2.0, 0.1, 0.1])
    assert_close(mk.solve(arm, goal, start).pose, start)
    solution = mk.solve(arm, goal, [0.2, 0.1, 0.1])
    assert solution.reached
    assert arm.placements(solution.pose, ["Tip"])[0, 0, 3] <= 1.0 + 3e-4


def test_beside_other_goals_and_among_alternatives():
    human = mk.human()
    level = mk.Custom(
        [Effector("LeftHand", (0, 0.1, 0)), "RightHand"], lambda p: [p[0, 1, 3] - p[1, 1, 3]], rows=1, name="level"
    )
    far = mk.Position("LeftHand", (0, 9, 0))
    solution = mk.solve(human, [mk.AnyOf(far, level, weight=2.0), mk.Position("RightHand", (-0.3, 1.3, 0.3))])
    assert solution.reached
    assert solution.goals[0].label == "level"
    assert solution.goals[0].weight == 2.0
    left, right = human.placements(solution.pose, ["LeftHand", "RightHand"])
    assert (left @ [0, 0.1, 0, 1])[1] == pytest.approx(right[1, 3], abs=2e-4)


def test_rows_may_be_angles():
    arm = mk.chain(3)
    assert mk.Custom("Tip", len, rows=2, angular=True).on(arm).allowed == pytest.approx(1e-3)
    assert mk.Custom("Tip", len, rows=2, angular=(True, False)).angular == (True, False)
    assert mk.Custom("Tip", len, rows=2).on(arm).allowed == pytest.approx(3e-4)


def test_a_function_cannot_change_what_others_see():
    def careless(placements):
        placements[:] = 7.0
        return [0.0]

    arm = mk.chain(2)
    at = Problem(arm, [mk.Custom("Tip", careless, rows=1), mk.Position("Tip", (0, 0, 0))]).at(arm.rest)
    assert_close(at.readings[1].position, arm.placements(arm.rest, ["Tip"])[0, :3, 3])


READ = random_reading(np.random.default_rng(0))


def gives(value, **options):
    """A goal whose functions give one value, whatever they see."""

    def function(placements):
        return value

    return mk.Custom("A", function, function, **options)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (mk.Custom, BadValue, "effectors are None; it needs names of segments"),
        (lambda: mk.Custom([], len), BadValue, "there are no effectors"),
        (lambda: mk.Custom([3], len), BadValue, "segment is 3"),
        (lambda: mk.Custom("A", "f"), BadValue, "error is 'f'; it needs a function"),
        (lambda: mk.Custom("A", len, 3), BadValue, "derivative is 3; it needs a function"),
        (lambda: mk.Custom("A", len, rows=0), BadValue, "rows is 0; it must be a whole number of at least 1"),
        (lambda: mk.Custom("A", len, rows=2, angular=(True,)), BadValue, "one of them for each of 2 rows"),
        (lambda: mk.Custom("A", len, angular=1), BadValue, "angular is 1; it needs True or False"),
        (lambda: mk.Custom("A", len, rows=2**64), BadValue, "rows is 18446744073709551616; it must be at most 46340"),
        (lambda: mk.Custom("A", len, one_sided=1), BadValue, "one_sided is 1; it must be True or False"),
        (lambda: mk.Custom("A", len, target="x"), BadValue, "Custom: target needs numbers, got 'x'"),
        (lambda: mk.Custom("A", len, target=[1, 2]).with_target([1]), BadShape, r"target has shape \(1,\); it needs"),
        (lambda: gives([1, 2], rows=3).error(READ), BadShape, r"gave shape \(2,\); it must give \(3,\)"),
        (lambda: gives([np.nan]).error(READ), BadValue, r"error function: value\[0\] is nan"),
        (lambda: gives(["x"]).error(READ), BadValue, "error function needs numbers"),
        (lambda: gives([[1]]).derivative(READ), BadShape, r"derivative function gave .*\(1, 6\)"),
        (lambda: mk.Custom("Hand", len).on(mk.chain(2)), UnknownName, "has no segment 'Hand'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


def test_goals_whose_rows_no_matrix_can_hold_are_refused() -> None:
    arm = mk.chain(2)
    with pytest.raises(BadValue, match="more than 46340 rows"):
        mk.Solver(arm, [mk.Custom("Tip", len, rows=23_000), mk.Custom("Tip", len, rows=23_341)])
    assert mk.Solver(arm, [mk.Custom("Tip", len, rows=23_000), mk.Custom("Tip", len, rows=23_340)]).width == 0


def test_a_custom_goal_has_as_many_rows_as_a_solver_takes():
    text = (Path(__file__).parents[2] / "cpp" / "compile" / "constants.h").read_text()
    assert f"kMostRows = {MOST_ROWS};" in text
