from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused, step_units
from goal_checks import assert_goal_derivative, moved
from hypothesis import assume, given, settings
from strategies import random_direction, random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Reading
from manikin.goals.limb import limb_root, limb_tip
from manikin.problem import Problem


def limb(a, b, c, rng=None):
    """What a pole reads of a limb: bend, root, tip, in that order, turned anyhow."""
    turns = np.array([rotations.IDENTITY if rng is None else random_quaternion(rng) for _ in range(3)])
    return Reading(rotations.placement(turns, np.array([b, a, c], dtype=float)))


def pole(point):
    return mk.Pole("Lower", point, root="Upper", tip="End")


def bent(rng, bend=0.3, off=1.0, angle=None):
    """A goal and a limb along a random line, bent by a length, with the pole off the line, apart by an angle."""
    n = random_direction(rng)
    e = rotations.perpendicular(n)
    angle = rng.uniform(-3.0, 3.0) if angle is None else angle
    a = rng.normal(size=3)
    c = a + rng.uniform(0.5, 1.5) * n
    b = a + rng.uniform(-0.5, 1.5) * n + bend * rotations.rotate(rotations.from_axis_angle(n, angle), e)
    return pole(a + rng.normal() * n + off * e), limb(a, b, c, rng)


def test_error_is_zero_when_the_bend_points_at_the_pole():
    reading = limb((0, 0, 0), (1, 0.3, 0), (2, 0, 0))
    for p in ((1, 5, 0), (-3, 0.1, 0), (40, 2, 0)):
        assert_close(pole(p).error(reading), [0.0])


def test_error_is_the_angle_about_the_line_from_the_pole_to_the_bend():
    reading = limb((0, 0, 0), (1, 0, 0.3), (2, 0, 0))
    assert_close(pole((1, 5, 0)).error(reading), [np.pi / 2])  # from y to z about x
    assert_close(pole((1, 0, -5)).error(limb((0, 0, 0), (1, 1e-3, 0.3), (2, 0, 0))), [np.pi - np.arctan(1e-3 / 0.3)])


@given(rngs())
def test_turning_the_limb_back_by_the_error_points_it_at_the_pole(rng):
    goal, reading = bent(rng)
    b, a, c = reading.placements[:, :3, 3]
    n = (c - a) / np.linalg.norm(c - a)
    back = a + rotations.rotate(rotations.from_axis_angle(n, -goal.error(reading)[0]), b - a)
    assert_close(goal.error(limb(a, back, c)), [0.0], tol=1e-9)


@settings(max_examples=12)
@given(rngs())
def test_derivative(rng):
    assert_goal_derivative(*bent(rng), step=0.01)  # type: ignore[misc]


@pytest.mark.parametrize("angle", [0.0, 1e-7, np.pi / 2, -np.pi / 2, 3.1])
@settings(max_examples=12)
@given(rngs())
def test_derivative_at_named_angles(angle, rng):
    assert_goal_derivative(*bent(rng, angle=angle), step=0.01)  # type: ignore[misc]


@settings(max_examples=12)
@given(rngs())
def test_derivative_of_a_limb_that_is_nearly_stretched(rng):
    goal, reading = bent(rng, bend=1e-4)
    assert_goal_derivative(goal, reading, step=1e-6, tol=1e-7)


@settings(max_examples=12)
@given(rngs())
def test_derivative_with_the_pole_nearly_on_the_line(rng):
    goal, reading = bent(rng, off=1e-3)
    assert_goal_derivative(goal, reading, step=1e-5, tol=1e-7)


@given(rngs())
def test_moving_and_turning_limb_and_pole_together_changes_nothing(rng):
    goal, reading = bent(rng)
    turn, shift = random_quaternion(rng), rng.normal(size=3)
    places = [rotations.rotate(turn, x) + shift for x in reading.placements[:, :3, 3]]
    other = pole(rotations.rotate(turn, goal.point) + shift)
    b, a, c = places
    assert_close(other.error(limb(a, b, c)), goal.error(reading), tol=1e-9)


@pytest.mark.parametrize(
    ("point", "places"),
    [
        ((0, 1, 0), [(0, 0, 0), (1, 0, 0), (2, 0, 0)]),  # stretched
        ((5, 0, 0), [(0, 0, 0), (1, 1, 0), (2, 0, 0)]),  # the pole on the line
        ((0, 1, 0), [(0, 0, 0), (1, 0, 0), (0, 0, 0)]),  # folded
        ((0, 1, 0), [(0, 0, 0), (0, 0, 0), (0, 0, 0)]),  # of no length
        ((0, 0, 0), [(0, 0, 0), (1, 1, 0), (2, 0, 0)]),  # the pole at the root
    ],
)
def test_where_there_is_no_angle_nothing_is_asked(point, places):
    goal, reading = pole(point), limb(*places)
    assert_close(goal.error(reading), [0.0])
    assert_close(goal.derivative(reading), np.zeros((1, 18)))


def test_straight_away_from_the_pole_it_turns_out():
    goal, reading = pole((1, 1, 0)), limb((0, 0, 0), (1, -0.5, 0), (2, 0, 0))
    error, row = goal.error(reading), goal.derivative(reading)[0]
    assert abs(error[0]) == pytest.approx(np.pi)
    out = moved(reading, -1e-3 * error[0] * row / np.linalg.norm(row))
    assert abs(goal.error(out)[0]) < np.pi - 1e-3


def test_limbs_of_the_person():
    human = mk.human()
    assert [e.segment for e in mk.Pole("LeftForeArm", (0, 0, 0)).on(human).effectors] == [
        "LeftForeArm",
        "LeftArm",
        "LeftHand",
    ]
    assert [e.segment for e in mk.Pole("RightLeg", (0, 0, 0)).on(human).effectors] == [
        "RightLeg",
        "RightUpLeg",
        "RightFoot",
    ]


def test_segments_that_only_twist_and_segments_at_the_same_place_are_passed_over():
    hinge, twist = mk.Hinge(axis=(0, 0, 1)), mk.Hinge(axis=(1, 0, 0))
    figure = mk.Figure(
        "arm",
        [
            mk.Segment("Upper", joint=mk.Ball()),
            mk.Segment("UpperTwist", "Upper", twist, offset=(0.5, 0, 0)),
            mk.Segment("Elbow", "UpperTwist", hinge, offset=(0.5, 0, 0)),
            mk.Segment("Lower", "Elbow", twist),  # at the elbow too
            mk.Segment("Mark", "Lower", offset=(0, 0.1, 0)),  # a short way to the side comes first
            mk.Segment("LowerTwist", "Lower", twist, offset=(0.4, 0, 0)),
            mk.Segment("Hand", "LowerTwist", hinge, offset=(0.4, 0, 0)),
            mk.Segment("Finger", "Hand", offset=(0.1, 0, 0)),
        ],
    )
    assert limb_root(figure, "Elbow", "Pole") == "Upper"
    assert limb_root(figure, "Lower", "Pole") == "Upper"
    assert limb_tip(figure, "Elbow", "Pole") == "Hand"
    assert limb_tip(figure, "Hand", "Pole") == "Finger"


def test_label_and_settings_stay_when_root_and_tip_are_settled():
    goal = mk.Pole("LeftForeArm", (0, 0, 0), weight=3.0)
    settled = goal.on(mk.human())
    assert goal.label == settled.label == "Pole LeftForeArm"
    assert settled.weight == 3.0
    assert settled.allowed == pytest.approx(1e-3)
    assert_close(settled.with_target([1, 2, 3]).target, [1, 2, 3])


@settings(max_examples=12)
@given(rngs())
def test_derivative_through_the_person(rng):
    human = mk.human()
    pose = human.integrate(human.random(rng), 0.1 * rng.normal(size=human.nv))
    problem = Problem(human, mk.Pole("LeftForeArm", rng.normal(size=3)))
    at = problem.at(pose)
    places = at.readings[0].placements[:, :3, 3]
    bend = np.linalg.norm(np.cross(places[0] - places[1], places[2] - places[1]))
    assume(bend > 0.01 and abs(at.rows[0]) < 3.0)
    assert_derivative(
        lambda q: problem.at(q).rows, at.derivative, pose, move=human.integrate, step=1e-3, units=step_units(human),
        directions=6, tol=1e-6,
    )  # fmt: skip


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_elbow_turns_to_its_pole_with_the_hand_in_place_and_limits_kept(side):
    human = mk.human()
    point = np.array([0.3, 1.1, 0.3])
    goals = [mk.Position("LeftHand", point), mk.Pole("LeftForeArm", (0.5 + 0.5 * side, 0.4, -0.6))]
    solution = mk.solve(human, goals, human.pose({"LeftForeArm": 1.0}))
    assert solution.reached
    assert human.violation(solution.pose) <= 1e-9
    b, a, c = human.placements(solution.pose, ["LeftForeArm", "LeftArm", "LeftHand"])[:, :3, 3]
    n = (c - a) / np.linalg.norm(c - a)
    across = [(x - a) - n * (n @ (x - a)) for x in (b, goals[1].point)]  # type: ignore[attr-defined]
    assert across[0] @ across[1] == pytest.approx(np.prod([np.linalg.norm(x) for x in across]), rel=1e-5)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Pole("Knee", (0, 1)), BadShape, r"Pole Knee: target has shape \(2,\)"),
        (lambda: mk.Pole("", (0, 0, 1)), BadValue, "segment is ''"),
        (lambda: mk.Pole("A", (0, 0, 1), root="A"), BadValue, "segment, root and tip are A, A; they must be three"),
        (lambda: mk.Pole("A", (0, 0, 1)).effectors, BadValue, "Pole A has no root or tip yet"),
        (lambda: mk.Pole("Knee", (0, 0, 1)).on(mk.chain(3)), UnknownName, "has no segment 'Knee'"),
        (
            lambda: mk.Pole("Tip", (0, 0, 1)).on(mk.chain(3)),
            BadValue,
            "segment 'Tip' has no descendant at another place; give tip=",
        ),
        (
            lambda: mk.Pole("Segment1", (0, 0, 1)).on(mk.chain(3)),
            BadValue,
            "has no ancestor at another place; give root=",
        ),
        (lambda: mk.Pole("Segment2", (0, 0, 1), tip="Toe").on(mk.chain(3)), UnknownName, "has no segment 'Toe'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
