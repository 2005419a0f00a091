"""`Plane(..., above=True)`: an error below the plane only, in every call that takes goals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin import backend
from manikin.errors import BadValue
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
HUMAN = mk.human()
LOW = (0.2, -0.1, 0.5)
"""A point below the floor."""


def floor(height: float = 0.0, **options) -> mk.Plane:
    return mk.Plane("RightHand", (0.0, height, 0.0), above=True, **options)


def hand(pose: np.ndarray) -> np.ndarray:
    return HUMAN.placements(pose, ["RightHand"])[..., 0, :3, 3]


def test_above_is_the_side_above():
    goal = mk.Plane("Foot", above=True)
    assert goal.side == "above"
    assert goal.above
    assert goal.one_sided
    assert mk.Plane("Foot", side="above").above
    assert not mk.Plane("Foot").above
    assert not mk.Plane("Foot", side="below").above


def test_copies_keep_the_side_and_may_change_it():
    goal = mk.Plane("Foot", above=True)
    assert goal.with_target([0, 1, 0, 0, 0, 2]).above
    assert replace(goal, side=None).side is None
    assert replace(goal, side="below").side == "below"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"above": 1}, "Plane Foot: above is 1; it must be True or False"),
        ({"above": True, "side": "below"}, "Plane Foot: above is True and side is 'below'; give one of them"),
    ],
)
def test_bad_input_is_named(options, message):
    assert_refused(lambda: mk.Plane("Foot", **options), BadValue, message)


@given(rngs())
def test_the_gradient_is_that_of_the_cost_on_both_sides(rng):
    figure = mk.chain(3)
    q = figure.random(rng)
    place = figure.placements(q, ["Tip"])[0]
    offset, normal = rng.normal(size=3), rng.normal(size=3)
    tip = place[:3, :3] @ offset + place[:3, 3]
    away = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 2.0)  # the kink is at 0
    point = tip - away * normal / np.linalg.norm(normal)
    problem = Problem(figure, mk.Plane("Tip", point, normal, above=True, offset=offset))
    at = problem.at(q)
    gradient = at.jacobian.T @ at.residual
    assert_derivative(lambda p: problem.at(p).cost, gradient, q, move=figure.integrate, step=0.02, scale=1.0 + at.cost)
    assert at.errors[0] == pytest.approx(max(0.0, -away), abs=1e-12)


@native
@given(rngs())
def test_the_native_error_is_that_in_python(rng):
    q = HUMAN.random(rng)
    goals = [mk.Plane(s, rng.normal(size=3), rng.normal(size=3), above=True) for s in ("Head", "LeftHand", "RightFoot")]
    problem = Problem(HUMAN, goals, q)
    compiled = Compiled.of(HUMAN, problem.goals, problem.movable)
    found = compiled.errors_at(q[None], compiled.targets[None], np.ones(3)).errors[0]
    assert_close(found, problem.at(q).errors)
    assert np.all((found == 0.0) == (problem.at(q).rows < 0.0))


@native
def test_a_floor_of_higher_priority_stops_a_hand():
    goals = [mk.Position("RightHand", LOW, priority=1), floor()]
    solution = mk.solve(HUMAN, goals)
    assert solution.errors[1] <= solution.goals[1].allowed
    assert hand(solution.pose)[1] >= -solution.goals[1].allowed
    assert solution.errors[0] == pytest.approx(0.1, abs=2e-3)
    assert not solution.reached
    assert "Plane RightHand" in str(solution.report)


@native
def test_a_floor_that_is_not_violated_is_reached_and_moves_nothing():
    start = HUMAN.rest
    solution = mk.solve(HUMAN, floor(-1.0), start)
    assert solution.reached
    assert solution.errors[0] == 0.0
    assert_close(solution.pose, start, tol=1e-15)


@native
def test_many_rows_have_the_bits_of_one_and_follow_the_targets():
    solver = mk.Solver(HUMAN, [floor(name="floor"), mk.Position("LeftHand", (0.4, 1.2, 0.3))])
    rows = np.array([solver.row({"floor": (0.0, h, 0.0, 0.0, 1.0, 0.0)}) for h in (-1.0, 0.5, 1.4, 1.8)])
    found = solver.solve_many(None, rows)
    assert found.reached.all()
    assert (hand(found.poses)[:, 1] >= rows[:, 1] - solver.goals[0].allowed).all()
    for k in range(len(rows)):
        assert np.array_equal(found.poses[k], solver.solve(None, rows[k]).pose)
    other = mk.Solver.from_bytes(solver.to_bytes())
    assert np.array_equal(found.poses, other.solve_many(None, rows).poses)


@native
def test_a_track_slides_along_the_floor_without_shaking():
    goals = [mk.Position("RightHand", LOW, priority=1), floor(), mk.Placement("Hips", HUMAN.placements(HUMAN.rest)[0])]
    solver = mk.Solver(HUMAN, goals)
    t = np.linspace(0.0, 1.0, 90)
    path = np.stack([np.full(90, -0.3), 0.6 - 0.8 * np.sin(np.pi * t), 0.1 + 0.3 * t], axis=1)
    rows = np.repeat(solver.targets[None], 90, axis=0)
    rows[:, :3] = path
    rows[:, 4] = 0.55  # the height of the floor
    found = solver.track(None, rows, dt=1 / 30)
    height = hand(found.poses)[:, 1]
    allowed = solver.goals[1].allowed
    assert (found.errors[:, 1] <= allowed).all()
    assert height.min() >= 0.55 - allowed
    under = path[:, 1] < 0.5
    assert under.sum() > 60
    assert height[under].max() <= 0.551  # not pushed away from the floor
    sideways = np.linalg.norm((hand(found.poses) - path)[:, [0, 2]], axis=1)
    assert sideways.max() <= 2e-3  # and not stuck to it
    steps = np.abs(np.diff(found.poses[:, 7:], axis=0))
    assert steps[10:-10].max() < 0.35


@native
def test_a_preferred_pose_below_the_floor_ends_on_the_floor():
    """Settling follows the preferred pose (the rest pose, hands at 0.88 m) as far as the floor allows."""
    goals = [mk.Placement("Hips", HUMAN.placements(HUMAN.rest, ["Hips"])[0]), floor(1.0)]
    solution = mk.solve(HUMAN, goals, prefer=HUMAN.rest, settle=True)
    assert solution.reached
    assert hand(HUMAN.rest)[1] < 0.9
    assert hand(solution.pose)[1] == pytest.approx(1.0, abs=solution.goals[1].allowed)


@native
def test_any_of_takes_the_side_that_is_met():
    goal = mk.AnyOf(floor(3.0), floor(-1.0))
    solution = mk.solve(HUMAN, goal, HUMAN.rest)
    assert solution.reached
    assert solution.chosen == (1,)
    assert_close(solution.pose, HUMAN.rest, tol=1e-15)


@pytest.mark.parametrize("method", ["dls", "bounded-dls", "lbfgsb", "pinv", "transpose"])
def test_other_methods_bring_an_effector_up_and_leave_it_above(method):
    arm = mk.chain(3, planar=True)
    goal = mk.Plane("Tip", above=True)
    low = mk.solve(arm, goal, [-0.5, -0.1, -0.1], method=method)
    assert low.reached
    assert arm.placements(low.pose)[-1, 1, 3] >= -goal.on(arm).allowed
    high = mk.solve(arm, goal, [0.5, 0.1, 0.1], method=method)
    assert high.reached
    assert_close(high.pose, [0.5, 0.1, 0.1])
