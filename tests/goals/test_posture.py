from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused, step_units
from hypothesis import assume, given
from scipy.optimize import minimize
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Reading
from manikin.goals.posture import SLIDE_LENGTH
from manikin.problem import ANGLE_LENGTH, Problem


def reading(pose):
    return Reading(np.zeros((0, 4, 4)), None, np.asarray(pose, dtype=float))


def test_error_is_zero_in_the_pose():
    human = mk.human()
    pose = human.random(np.random.default_rng(0))
    goal = mk.Posture(pose).on(human)
    assert_close(goal.error(reading(pose)), np.zeros(human.nv), tol=1e-7)
    assert goal.rows == human.nv
    assert all(goal.angular)


@given(rngs())
def test_error_is_the_step_from_the_pose_with_slides_counted_in_fifths_of_the_size(rng):
    figure = random_figure(rng)
    target, pose = random_pose(figure, rng), random_pose(figure, rng)
    units = step_units(figure)
    wanted = figure.difference(target, pose) * np.where(units == 1.0, 1.0, 1.0 / (SLIDE_LENGTH * figure.size))
    if figure.size != 1.0:  # where it is 1, units do not tell slides from turns
        assert_close(
            mk.Posture(target).on(figure).error(reading(pose)), wanted, max(1.0, np.abs(wanted).max(initial=0))
        )


def test_in_the_cost_a_slide_counts_as_its_own_length():
    assert SLIDE_LENGTH == ANGLE_LENGTH
    figure = mk.Figure("rail", [mk.Segment("Cart", joint=mk.Slider(limits=(0, 3.0)))])
    assert Problem(figure, mk.Posture([2.5])).at(np.array([1.0])).cost == pytest.approx(0.5 * 1.5**2)


@given(rngs())
def test_derivative(rng):
    figure = random_figure(rng)
    target, pose = random_pose(figure, rng), random_pose(figure, rng)
    stiffness = {s.joint.name: rng.uniform(0, 3) for s in figure.segments if figure.step_of(s.joint.name) >= 0}
    goal = mk.Posture(target, stiffness=stiffness).on(figure)
    balls = goal._balls[:, None] + np.arange(3)
    turns = np.linalg.norm(figure.difference(target, pose)[balls], axis=-1)
    assume((turns < np.pi - 0.1).all())
    assert_derivative(
        lambda q: goal.error(reading(q)),
        goal.derivative(reading(pose)),
        figure.integrate(pose, np.zeros(figure.nv)),
        move=figure.integrate,
        units=step_units(figure),
        step=0.02,
    )


@pytest.mark.parametrize("angle", [0.0, 1e-7, 9.9e-3, 1.01e-2, 1.0, 3.0])
@given(rngs())
def test_derivative_of_a_ball_at_named_angles(angle, rng):
    figure = mk.Figure("ball", [mk.Segment("Ball", joint=mk.Ball())])
    pose = rotations.multiply(figure.rest, rotations.from_axis_angle(np.array([0.6, 0.0, 0.8]), angle))
    goal = mk.Posture(figure.rest).on(figure)
    assert_derivative(
        lambda q: goal.error(reading(q)), goal.derivative(reading(pose)), pose, move=figure.integrate, step=0.01
    )


def test_stiffness_counts_in_the_cost_as_a_weight_and_zero_leaves_a_joint_alone():
    arm = mk.chain(3, planar=True)
    pose = np.array([0.1, 0.2, 0.3])
    plain = Problem(arm, mk.Posture(np.zeros(3))).at(pose)
    stiff = Problem(arm, mk.Posture(np.zeros(3), stiffness=4.0)).at(pose)
    assert stiff.cost == pytest.approx(4.0 * plain.cost)
    some = mk.Posture(np.zeros(3), stiffness={"Segment2": 0.0, "Segment3": 9.0}).on(arm)
    assert_close(some.error(reading(pose)), [0.1, 0.0, 0.9])


def test_stiffness_of_a_joint_is_that_of_all_its_steps_and_of_no_other():
    human = mk.human()
    goal = mk.Posture(human.rest, stiffness={"Hips": 0.0, "LeftArm": 0.0, "LeftHand": 0.0}).on(human)
    zero = set(np.flatnonzero(goal.scale == 0.0))
    hips, arm, hand = (human.step_of(n) for n in ("Hips", "LeftArm", "LeftHand"))
    assert zero == {*range(hips, hips + 6), *range(arm, arm + 3), *range(hand, hand + 2)}


def test_the_person_takes_a_posture_within_limits():
    human = mk.human()
    pose = human.random(np.random.default_rng(3))
    solution = mk.solve(human, mk.Posture(pose))
    assert solution.reached
    assert human.violation(solution.pose) <= 1e-9
    assert_close(human.difference(pose, solution.pose), np.zeros(human.nv), tol=1e-3)


@pytest.mark.parametrize("posture", [(1.5, 0.0, -1.5, 0.0), (0.0, 0.0, 1.5, 0.0)])
def test_a_posture_of_lower_priority_decides_what_the_hand_leaves_open(posture):
    arm = mk.chain(4, mk.Hinge(limits=(-2.0, 2.0)), planar=True)
    point = np.array([1.5, 1.5])
    goals = [mk.Position("Tip", point, axes="xy"), mk.Posture(posture, priority=1)]
    solution = mk.solve(arm, goals, np.array(posture) + 0.1)
    assert solution.errors[0] <= 1e-4 * arm.size
    assert arm.violation(solution.pose) == 0.0
    nearest = minimize(  # type: ignore[call-overload]
        lambda q: ((q - posture) ** 2).sum(),
        posture,
        constraints={"type": "eq", "fun": lambda q: arm.placements(q, ["Tip"])[0, :2, 3] - point},
        bounds=[(-2.0, 2.0)] * 4,
    )
    assert solution.errors[1] == pytest.approx(np.sqrt(nearest.fun), rel=1e-2)


def test_the_target_is_a_copy_and_can_be_replaced():
    arm = mk.chain(2, planar=True)
    pose = np.array([0.1, 0.2])
    goal = mk.Posture(pose).on(arm)
    pose[:] = 9.0
    assert_close(goal.target, [0.1, 0.2])
    assert_close(goal.with_target([0.3, 0.4]).error(reading([0.3, 0.5])), [0.0, 0.1])


ARM = mk.chain(2, planar=True)
PAIR = mk.Figure(
    "pair",
    [
        mk.Segment("A", joint=mk.Hinge()),
        mk.Segment("B", "A", mk.Joint("B", (mk.Hinge(),), coupling=mk.Coupling("A"))),
        mk.Segment("C", "B"),
    ],
)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Posture([[0, 0]]), BadShape, r"Posture: target has shape \(1, 2\)"),
        (lambda: mk.Posture([0, np.nan]), BadValue, r"Posture: target\[1\] is nan"),
        (lambda: mk.Posture([0, 0, 0]).on(ARM), BadShape, r"Posture: target has shape \(3,\)"),
        (
            lambda: mk.Posture([0, 0]).on(ARM).with_target([[0, 0]]),
            BadShape,
            r"shape \(1, 2\); it needs one pose, \(2,",
        ),
        (lambda: mk.Posture([0, 0], stiffness=-1), BadValue, "stiffness is -1; it must be at least 0"),
        (lambda: mk.Posture([0, 0], stiffness={"A": "x"}), BadValue, "stiffness of 'A' is 'x'"),
        (lambda: mk.Posture([0, 0], stiffness={"Elbow": 1}).on(ARM), UnknownName, "has no joint 'Elbow'"),
        (lambda: mk.Posture([0, 0], stiffness={"B": 1}).on(PAIR), BadValue, "joint 'B' follows 'A'"),
        (lambda: mk.Posture([0, 0], stiffness={"C": 1}).on(PAIR), BadValue, "joint 'C' is fixed"),
        (lambda: mk.Posture([0, 0]).rows, BadValue, "Posture has no figure yet"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
