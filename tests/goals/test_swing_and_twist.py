"""`Orientation(axis=, swing=, twist=)`: the two parts of a rotation, their weights, and what counts as reached."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed
from hypothesis import given
from strategies import random_quaternion, rngs

import manikin as mk
from manikin import backend, rotations
from manikin.errors import BadValue
from manikin.goals.swing_and_twist import swing_and_twist
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
BONE = (0.0, 1.0, 0.0)
ARM = mk.chain([1.0, 0.8, 0.3], mk.Ball(mk.SwingTwist(BONE, (2.0, 2.0), (-2.5, 2.5))))


def turned(target, axis, twist, swing, about):
    """The target after a twist about the axis, then a swing about a direction across it."""
    first = rotations.from_rotation_vector(twist * np.array(axis))
    return rotations.multiply(rotations.multiply(target, rotations.from_rotation_vector(swing * about)), first)


def drawn(rng):
    """An axis, and a direction across it."""
    axis = rotations.normalized(rng.normal(size=3))
    across = np.cross(axis, rng.normal(size=3))
    return axis, across / np.linalg.norm(across)


@given(rngs())
def test_the_parts_are_those_that_the_rotation_was_made_of(rng):
    target, (axis, across) = random_quaternion(rng), drawn(rng)
    swing, twist = rng.uniform(0.0, 3.1), rng.uniform(-3.1, 3.1)
    rotation = rotations.to_matrix(turned(target, axis, twist, swing, across))
    found = swing_and_twist(rotation, target, axis)
    assert_close(found[3], twist, tol=1e-7)
    assert_close(found[:3], swing * rotations.to_matrix(target) @ across, tol=1e-7)


@given(rngs())
def test_the_swing_is_the_error_of_an_aim_and_does_not_feel_the_twist(rng):
    target, (axis, _) = random_quaternion(rng), drawn(rng)
    reading = placed(rng.normal(size=3), random_quaternion(rng))
    goal = mk.Orientation("Tip", target, axis=axis, twist=0.0)
    aim = mk.Aim("Tip", direction=rotations.to_matrix(target) @ axis, axis=axis)
    assert goal.rows == 3
    assert_close(goal.error(reading), aim.error(reading))
    assert_close(goal.derivative(reading), aim.derivative(reading))


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1.0, 0.03), (2.0, 0.0), (0.0, 0.5)])
@given(rngs())
def test_derivative(weights, rng):
    target, (axis, across) = random_quaternion(rng), drawn(rng)
    swing, twist = rng.choice([0.0, 1e-9, 1e-4, rng.uniform(0.0, 2.9)]), rng.choice([0.0, 1e-9, rng.uniform(-3.0, 3.0)])
    reading = placed(rng.normal(size=3), turned(target, axis, twist, swing, across))
    goal = mk.Orientation("Tip", target, axis=axis, swing=weights[0], twist=weights[1])
    assert_goal_derivative(goal, reading, tol=1e-7)


def test_opposite_axes_have_no_twist_and_a_fixed_swing():
    goal = mk.Orientation("Tip", rotations.IDENTITY, axis=(0, 0, 1))
    reading = placed(quaternion=(0.0, 1.0, 0.0, 0.0))
    assert_close(np.linalg.norm(goal.error(reading)[:3]), np.pi)
    assert goal.error(reading)[3] == 0.0
    assert_close(goal.derivative(reading)[3], np.zeros(6))
    assert np.isfinite(goal.derivative(reading)).all()


def test_a_goal_without_an_axis_is_the_plain_rotation_vector():
    reading = placed(quaternion=rotations.from_rotation_vector(np.array([0.3, -0.2, 0.9])))
    goal = mk.Orientation("Tip", rotations.IDENTITY)
    assert_close(goal.error(reading), [0.3, -0.2, 0.9])
    assert goal.row_weights == (1.0, 1.0, 1.0)


def test_weights_change_the_cost_and_not_the_error():
    q = np.array(ARM.rest)
    turn = rotations.multiply(
        rotations.from_rotation_vector(np.array([0.4, 0, 0])), rotations.from_rotation_vector(np.array([0, 0.9, 0]))
    )
    whole = Problem(ARM, mk.Orientation("Tip", turn, axis=BONE), q).at(q)
    light = Problem(ARM, mk.Orientation("Tip", turn, axis=BONE, swing=2.0, twist=0.25), q).at(q)
    assert_close(whole.errors, [0.9])
    assert_close(light.errors, [0.9])
    length = whole.problem.angle_length
    assert light.cost == pytest.approx(0.5 * length**2 * (2.0 * 0.4**2 + 0.25 * 0.9**2))


def test_a_part_with_weight_0_is_not_in_the_error():
    reading = placed(quaternion=rotations.from_rotation_vector(np.array([0.0, 1.2, 0.0])))
    goal = mk.Orientation("Tip", rotations.IDENTITY, axis=BONE, twist=0.0, tolerance=1e-3)
    assert goal.measure(goal.error(reading)) < 1e-12
    other = mk.Orientation("Tip", rotations.IDENTITY, axis=BONE, swing=0.0, tolerance=1e-3)
    assert other.rows == 1
    assert other.measure(other.error(reading)) == pytest.approx(1.2)
    assert goal.wanted_rotation is None
    assert mk.Orientation("Tip", rotations.IDENTITY, axis=BONE, twist=0.1).wanted_rotation is not None


@native
@given(rngs())
def test_the_native_errors_are_those_in_python(rng):
    q, targets = ARM.random(rng), [random_quaternion(rng) for _ in range(3)]
    axis = rng.normal(size=3)
    goals = [
        mk.Orientation("Tip", targets[0], axis=axis, swing=1.0, twist=0.03),
        mk.Orientation("Segment2", targets[1], axis=axis, twist=0.0),
        mk.Orientation("Segment1", targets[2], axis=axis, swing=0.0),
    ]
    problem = Problem(ARM, goals, q)
    compiled = Compiled.of(ARM, problem.goals, problem.movable)
    found = compiled.errors_at(q[None], compiled.targets[None], np.ones(3)).errors[0]
    assert_close(found, problem.at(q).errors, tol=1e-9)


@native
def test_a_met_goal_is_met_in_both_parts_and_the_plain_one_agrees():
    rng = np.random.default_rng(4)
    meant = ARM.random(rng, 60)
    turns = rotations.from_matrix(ARM.placements(meant, ["Tip"])[:, 0, :3, :3])
    for weights in ((1.0, 1.0), (1.0, 0.03), (0.1, 3.0)):
        goal = mk.Orientation("Tip", turns[0], axis=BONE, swing=weights[0], twist=weights[1])
        found = mk.Solver(ARM, goal).solve_many(None, turns)
        assert found.reached.mean() >= 0.95
        plain = [
            np.linalg.norm(mk.Orientation("Tip", turn).error(placed(quaternion=rotations.from_matrix(place))))
            for turn, place in zip(turns, ARM.placements(found.poses, ["Tip"])[:, 0, :3, :3], strict=True)
        ]
        assert max(np.array(plain)[found.reached]) <= 2e-3


@native
def test_the_direction_comes_first_if_the_twist_weighs_little():
    """A position needs the joint's own twist, so that twist and direction compete."""
    hinge = mk.chain([1.0, 1.0], [mk.Hinge((0, 1, 0), (-0.3, 0.3)), mk.Hinge((0, 0, 1), (-1.0, 1.0))])
    target = rotations.multiply(
        rotations.from_rotation_vector(np.array([0, 0.9, 0])), rotations.from_rotation_vector(np.array([0, 0, 0.5]))
    )

    def parts(**weights):
        goal = mk.Orientation("Tip", target, axis=(1.0, 0.0, 0.0), **weights)
        pose = mk.solve(hinge, goal).pose
        reading = placed(quaternion=rotations.from_matrix(hinge.placements(pose, ["Tip"])[0, :3, :3]))
        error = mk.Orientation("Tip", target, axis=(1.0, 0.0, 0.0)).error(reading)
        return np.linalg.norm(error[:3]), abs(error[3])

    even, first, only = parts(), parts(twist=0.01), parts(twist=0.0)
    assert first[0] < even[0]
    assert only[0] <= first[0] + 1e-6
    assert first[1] > even[1]


@native
def test_twist_0_leaves_the_twist_free_and_is_reached():
    target = rotations.from_rotation_vector(np.array([0.0, 3.0, 0.0]))  # outside the twist of one joint, 2.5
    figure = mk.chain([1.0], mk.Ball(mk.SwingTwist(BONE, (2.0, 2.0), (-2.5, 2.5))))
    assert not mk.solve(figure, mk.Orientation("Segment1", target, axis=BONE)).reached
    solution = mk.solve(figure, mk.Orientation("Segment1", target, axis=BONE, twist=0.0))
    assert solution.reached
    assert solution.errors[0] <= 1e-3


@native
def test_bytes_tracks_and_alternatives_take_it():
    goals = [mk.Position("Tip", (0.4, 1.2, 0.3)), mk.Orientation("Tip", rotations.IDENTITY, axis=BONE, twist=0.03)]
    solver = mk.Solver(ARM, goals)
    other = mk.Solver.from_bytes(solver.to_bytes())
    rows = np.repeat(solver.targets[None], 20, axis=0)
    rows[:, 0] += np.linspace(0.0, 0.4, 20)
    assert np.array_equal(solver.track(None, rows).poses, other.track(None, rows).poses)
    assert np.array_equal(solver.solve_many(None, rows).poses, other.solve_many(None, rows).poses)
    choice = mk.AnyOf(mk.Position("Tip", (9.0, 0.0, 0.0)), goals[1])
    assert mk.solve(ARM, choice).chosen == (1,)


@native
def test_twist_at_a_lower_priority_is_another_goal():
    """Both parts of one goal have one level; two goals have two."""
    target = rotations.from_rotation_vector(np.array([0.5, 0.9, 0.0]))
    goals = [
        mk.Orientation("Tip", target, axis=BONE, twist=0.0),
        mk.Orientation("Tip", target, axis=BONE, swing=0.0, priority=1),
    ]
    solution = mk.solve(ARM, goals)
    assert solution.reached
    assert_close(solution.errors, [0.0, 0.0], tol=1e-3)


@pytest.mark.parametrize("method", ["dls", "bounded-dls", "lbfgsb", "pinv"])
def test_other_methods_take_it(method):
    target = rotations.from_rotation_vector(np.array([0.3, 0.4, 0.0]))
    goal = mk.Orientation("Tip", target, axis=BONE, swing=1.0, twist=0.1)
    assert mk.solve(ARM, goal, method=method).reached


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"twist": 0.5}, "swing is 1 and twist is 0.5, but there is no axis; give the axis of the segment"),
        ({"axis": (0, 0, 0)}, "Orientation Tip: axis is .* which has no direction"),
        ({"axis": BONE, "swing": -1.0}, "Orientation Tip: swing is -1"),
        ({"axis": BONE, "twist": 1e200}, "twist is 1e\\+200; it must be at most 1e\\+100"),
        ({"axis": BONE, "swing": 0, "twist": 0}, "swing and twist are both 0; one of them must be above 0"),
    ],
)
def test_bad_input_is_named(options, message):
    assert_refused(lambda: mk.Orientation("Tip", rotations.IDENTITY, **options), BadValue, message)
