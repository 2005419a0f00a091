from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused, step_units
from hypothesis import given
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.problem import ANGLE_LENGTH, Problem


def goals_on(figure, rng):
    """A goal of every kind on random segments."""

    def segment():
        return str(rng.choice(figure.segment_names))

    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    offset = 0.1 * figure.size * rng.normal(size=3)
    point = figure.size * rng.normal(size=3)
    names = [segment()]
    points = {name: figure.size * rng.normal(size=(3, 3)) for name in names}
    return [
        mk.Position(segment(), point, offset=offset, weight=2.0),
        mk.Position(segment(), point[:2], axes="zx"),
        mk.Orientation(segment(), turn, weight=0.5),
        mk.Placement(segment(), [*point, *turn], offset=offset),
        mk.Aim(segment(), point, axis=(1, 2, 3), offset=offset),
        mk.Plane(segment(), point, rng.normal(size=3)),
        mk.Plane(segment(), point, rng.normal(size=3), side="above"),
        mk.Balance(names, points=points, margin=0.1 * figure.size),
    ]


@given(rngs())
def test_the_jacobian_of_every_goal_is_the_derivative_of_its_rows(rng):
    figure = random_figure(rng, segments=5)
    q = figure.random(rng)
    problem = Problem(figure, goals_on(figure, rng), q)
    at = problem.at(q)
    unit = np.where(problem.angular, 1.0, figure.size)[:, None]

    def rows(pose):
        return problem.at(pose).rows / unit[:, 0]

    units = step_units(figure)
    # a support polygon has corners: tiny steps, and a tolerance to match
    assert_derivative(
        rows, at.derivative / unit, q, move=figure.integrate, units=units, step=1e-5, scale=100.0, tol=1e-6
    )


@given(rngs())
def test_half_the_squared_residual_is_the_cost_and_its_gradient_is_as_claimed(rng):
    figure = random_figure(rng, segments=5)
    q = figure.random(rng)
    problem = Problem(figure, goals_on(figure, rng), q)
    at = problem.at(q)
    gradient = at.jacobian.T @ at.residual
    assert_derivative(
        lambda pose: problem.at(pose).cost / figure.size**2,
        gradient / figure.size**2,
        q,
        move=figure.integrate,
        units=step_units(figure),
        step=1e-5,
        scale=100.0,
        tol=1e-6,
    )


def test_rows_are_weighed_by_weight_and_angles_by_the_size_of_the_figure():
    arm = mk.chain([1.0, 2.0], planar=True)
    goals = [mk.Position("Tip", (0, 0), axes="xy", weight=4.0), mk.Orientation("Tip", (1, 0, 0, 0))]
    problem = Problem(arm, goals)
    assert_close(problem.scale, [2.0, 2.0, *[ANGLE_LENGTH * 3.0] * 3])
    at = problem.at(np.array([0.1, 0.2]))
    assert_close(at.residual[2:], [0.0, 0.0, 0.3 * ANGLE_LENGTH * 3.0])


def test_errors_are_in_the_goals_own_units_without_weights():
    arm = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (1, 0), axes="xy", weight=9.0), mk.Orientation("Tip", (1, 0, 0, 0), weight=9.0)]
    at = Problem(arm, goals).at(np.array([0.5, 0.0, 0.0]))
    tip = 3.0 * np.array([np.cos(0.5), np.sin(0.5)])
    assert_close(at.errors, [np.linalg.norm(tip - [1, 0]), 0.5])


def test_the_same_figure_in_centimetres_has_the_same_cost_in_its_own_lengths():
    small, large = mk.chain(3), mk.chain(3).scaled(100.0)
    q = np.linspace(-1, 1, 9)
    goals = [mk.Position("Tip", (1, 1, 1)), mk.Orientation("Tip", (0, 1, 0, 0))]
    bigger = [mk.Position("Tip", (100, 100, 100)), mk.Orientation("Tip", (0, 1, 0, 0))]
    assert Problem(large, bigger).at(q).cost == pytest.approx(1e4 * Problem(small, goals).at(q).cost)


def test_a_satisfied_one_sided_row_neither_costs_nor_pulls():
    arm = mk.chain(3, planar=True)
    at = Problem(arm, [mk.Plane("Tip", side="above")]).at(np.array([0.5, 0.0, 0.0]))
    assert at.rows[0] < 0.0
    assert at.cost == 0.0
    assert_close(at.jacobian, np.zeros((1, 3)))
    assert at.errors[0] == 0.0
    assert np.any(at.derivative != 0.0)


def test_a_goal_of_weight_zero_is_reported_and_does_not_count():
    arm = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (1, 1), axes="xy"), mk.Position("Tip", (9, 9), axes="xy", weight=0.0)]
    solution = mk.solve(arm, goals, [0.3, 0.3, 0.3])
    assert solution.reached
    assert solution.errors[1] > 1.0


def test_frozen_joints_have_no_columns():
    arm = mk.chain(3, planar=True)
    goal = mk.Position("Tip", (1, 1), axes="xy")
    at = Problem(arm, goal, [0.1, 0.2, 0.3], freeze=["Segment2"]).at(np.array([0.1, 0.2, 0.3]))
    assert_close(at.jacobian[:, 1], np.zeros(2))
    assert np.all(at.jacobian[:, [0, 2]] != 0.0)
    assert_close(Problem(arm, goal, only="Segment2").movable, [0, 1, 0])


def test_freezing_takes_all_steps_of_a_joint():
    human = mk.human()
    problem = Problem(human, mk.Position("Head", (0, 1, 0)), freeze=["Hips", "LeftArm"])
    frozen = np.flatnonzero(~problem.movable)
    hips, arm = human.step_of("Hips"), human.step_of("LeftArm")
    assert set(frozen) == set(range(hips, hips + 6)) | set(range(arm, arm + 3))


def test_a_start_outside_its_limits_is_brought_in_and_said_so():
    arm = mk.chain(2, mk.Hinge(limits=(-1, 1)))
    problem = Problem(arm, mk.Position("Tip", (0, 1, 0)), [3.0, 0.0])
    assert_close(problem.start, [1.0, 0.0])
    assert "outside its limits by 2" in problem.notes[0]
    assert Problem(arm, mk.Position("Tip", (0, 1, 0)), [0.5, 0.0]).notes == ()


def test_limits_that_a_pose_touches_are_named():
    human = mk.human()
    problem = Problem(human, mk.Position("Head", (0, 1, 0)))
    pose = human.pose({"LeftForeArm": human.upper[human.index_of("LeftForeArm")]})
    assert "LeftForeArm (upper)" in problem.limits_at(pose)
    cones = [name for name in problem.limits_at(human.clamp(human.random(np.random.default_rng(0)))) if "cone" in name]
    assert cones == []


def test_a_cone_and_a_twist_at_their_limits_are_named():
    cone = mk.SwingTwist(axis=(0, 1, 0), swing=(0.5, 0.5), twist=(-0.2, 0.2))
    figure = mk.Figure("ball", [mk.Segment("Base"), mk.Segment("Arm", "Base", mk.Ball(cone))])
    problem = Problem(figure, mk.Orientation("Arm", (1, 0, 0, 0)))
    pose = problem.chart.at(figure.rest).moved(np.array([9.0, 0.0, 9.0]))
    assert problem.limits_at(pose) == ("Arm (cone)", "Arm (twist)")
    assert problem.limits_at(figure.rest) == ()


def test_evaluations_are_read_only():
    arm = mk.chain(2)
    at = Problem(arm, mk.Position("Tip", (0, 1, 0))).at(np.zeros(6))
    with pytest.raises(ValueError, match="read-only"):
        at.pose[0] = 1.0


@given(rngs())
def test_poses_at_bad_places_give_finite_numbers(rng):
    figure = random_figure(rng, segments=6)
    q = random_pose(figure, rng, inside=True)
    at = Problem(figure, goals_on(figure, rng), q).at(q)
    assert np.isfinite(at.rows).all()
    assert np.isfinite(at.jacobian).all()


ARM = mk.chain(2, planar=True)
GOAL = mk.Position("Tip", (1, 1), axes="xy")


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Problem(ARM, []), BadValue, "there are no goals"),
        (lambda: Problem(ARM, ["Tip"]), BadValue, "goals contains 'Tip'; each must be a goal such as Position"),  # type: ignore[list-item]
        (lambda: Problem(ARM, GOAL, [0, 0, 0]), BadShape, r"start pose has shape \(3,\); figure 'chain' needs \(2,\)"),
        (lambda: Problem(ARM, GOAL, [0, np.nan]), BadValue, "start pose.* nan"),
        (lambda: Problem(ARM, GOAL, np.zeros((3, 2))), BadShape, r"start pose has shape \(3, 2\); one solve needs one"),
        (lambda: Problem(ARM, GOAL, freeze=["Elbow"]), UnknownName, "freeze: figure 'chain' has no joint 'Elbow'"),
        (lambda: Problem(ARM, GOAL, only=["Elbow"]), UnknownName, "only: figure 'chain' has no joint 'Elbow'"),
        (lambda: Problem(ARM, mk.Position("Hand", (1, 1, 1))), UnknownName, "has no segment 'Hand'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


def test_a_joint_that_follows_another_cannot_be_frozen_by_itself():
    follow = mk.Joint("B", (mk.Hinge(),), coupling=mk.Coupling("A"))
    figure = mk.Figure("pair", [mk.Segment("A", joint=mk.Hinge()), mk.Segment("B", "A", follow)])
    goal = mk.Orientation("B", (1, 0, 0, 0))
    message = "joint 'B' follows 'A'; name that joint instead"
    assert_refused(lambda: Problem(figure, goal, freeze="B"), BadValue, message)


def test_a_variant_changes_what_is_named_and_leaves_the_problem_alone():
    problem = Problem(ARM, GOAL, [0.1, 0.2])
    wide = ARM.limits_view(ARM.lower - 1.0, ARM.upper + 1.0, ARM.layout.cones.swing, ARM.layout.cones.twist)
    chart = problem.chart
    other = problem.variant(figure=wide, movable=np.array([True, False]), start=np.array([0.3, 0.4]))
    assert other.figure is wide
    assert other.chart is not chart
    assert other.movable.tolist() == [True, False]
    assert_close(other.start, [0.3, 0.4])
    assert problem.figure is ARM
    assert problem.chart is chart
    assert problem.movable.all()
    assert_close(problem.start, [0.1, 0.2])
    heavier = problem.variant([mk.Position("Tip", (1.0, 1.0), axes="xy", weight=4.0).on(ARM)])
    assert_close(heavier.at(problem.start).residual, 2.0 * problem.at(problem.start).residual)
