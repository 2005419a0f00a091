from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.goals import Reading
from manikin.problem import Problem

FEET = {"Left": [[0, 0, 0.1], [0, 0, -0.1]], "Right": [[0, 0, 0.1], [0, 0, -0.1]]}


def standing(center, apart=0.4):
    """Two feet on the ground, parallel, and a centre of mass."""
    feet = rotations.placement(np.array(rotations.IDENTITY), np.array([[apart / 2, 0, 0], [-apart / 2, 0, 0]]))
    return Reading(feet, np.array(center, dtype=float))


def balance(**options):
    return mk.Balance(["Left", "Right"], points=FEET, up="y", tolerance=1e-3, **options)


def rows(goal, reading):
    return np.maximum(goal.error(reading), 0.0)


def test_no_error_with_the_centre_of_mass_above_the_feet():
    assert balance().measure(rows(balance(), standing((0.0, 1.0, 0.05)))) == 0.0


def test_the_error_is_the_distance_past_the_worst_edge_whatever_the_height():
    for height in (-1.0, 0.0, 3.0):
        assert balance().measure(rows(balance(), standing((0.27, height, 0.0)))) == pytest.approx(0.07)


def test_the_margin_is_kept_from_every_edge():
    goal = balance(margin=0.03)
    assert goal.measure(rows(goal, standing((0.0, 1.0, 0.0)))) == 0.0
    assert goal.measure(rows(goal, standing((0.19, 1.0, 0.0)))) == pytest.approx(0.02)


@given(rngs())
def test_derivative_includes_the_motion_of_the_contacts(rng):
    points = {"Left": rng.normal(size=(4, 3)), "Right": rng.normal(size=(3, 3))}
    goal = mk.Balance(["Left", "Right"], points=points, up="y", margin=0.1)
    reading = random_reading(rng, effectors=2, mass=True)
    assert_goal_derivative(goal, reading, step=1e-5, tol=1e-6)


def test_a_single_contact_point_must_be_right_below():
    goal = mk.Balance("Foot", points={"Foot": [[0.0, 0.0, 0.0]]}, up="y", tolerance=1e-3)
    reading = Reading(np.eye(4)[None], np.array([0.3, 1.0, 0.0]))
    assert goal.measure(rows(goal, reading)) == pytest.approx(0.3)


def test_on_a_figure_points_up_axis_and_tolerance_are_settled():
    human = mk.human()
    goal = mk.Balance(["LeftFoot", "RightFoot"]).on(human)
    assert goal.up == "y"
    assert set(goal.points) == {"LeftFoot", "RightFoot"}
    assert goal.allowed == pytest.approx(1e-4 * human.size)


def test_the_person_at_rest_leans_over_one_foot_when_told_to():
    human = mk.human()
    at = human.placements(human.rest, ["LeftFoot", "RightFoot"])
    goals = [mk.Placement(n, p) for n, p in zip(("LeftFoot", "RightFoot"), at, strict=True)]
    solution = mk.solve(human, [*goals, mk.Balance(["LeftFoot"], margin=0.01)])
    assert solution.reached
    center, goal = human.center_of_mass(solution.pose), solution.goals[-1]
    points = goal.points["LeftFoot"] @ at[0, :3, :3].T + at[0, :3, 3]  # type: ignore[attr-defined]
    assert points[:, 0].min() + 0.009 < center[0] < points[:, 0].max() - 0.009
    assert points[:, 2].min() < center[2] < points[:, 2].max()


def test_the_same_with_another_axis_up():
    # a leg of two segments on a wide foot; up is z
    foot = mk.Segment("Foot", joint=mk.Free(), shapes=mk.Box((0.2, 0.2, 0.02)), mass=0.1)
    leg = mk.Segment("Leg", "Foot", mk.Euler("XY"), mass=1.0, center=(0, 0, 1.0))
    figure = mk.Figure("pole", [foot, leg], up="z")
    start = figure.pose({"Leg": [0.5, 0.3]})
    solution = mk.solve(figure, [mk.Placement("Foot", np.eye(4)), mk.Balance("Foot")], start)
    assert solution.reached
    assert np.abs(figure.center_of_mass(solution.pose)[:2]).max() < 0.2 + 1e-3


def test_rows_do_not_change_in_number_as_the_polygon_changes():
    rng = np.random.default_rng(3)
    points = {"Left": rng.normal(size=(4, 3)), "Right": rng.normal(size=(3, 3))}
    goal = mk.Balance(["Left", "Right"], points=points, up="x")
    for _ in range(20):
        assert goal.error(random_reading(rng, 2, mass=True)).shape == (7,)


def test_rows_that_have_no_edge_are_satisfied():
    value = balance().error(standing((5.0, 0.0, 0.0)))
    assert_close(value.max(), 4.8)
    assert np.count_nonzero(value > 0.0) == 1


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Balance([]), BadValue, "contacts are .*; they need names of segments"),
        (lambda: mk.Balance(["A", "A"]), BadValue, "each at most once"),
        (lambda: mk.Balance(["A"], up="w"), BadValue, "up is 'w'; it must be one of"),
        (lambda: mk.Balance(["A"], margin=np.nan), BadValue, "margin is nan"),
        (lambda: mk.Balance(["A"], points={"B": [[0, 0, 0]]}), UnknownName, "Balance A has no contact 'B'"),
        (lambda: mk.Balance(["A", "B"], points={"B": [[0, 0, 0]]}), BadValue, "points has none for 'A'"),
        (lambda: mk.Balance(["A"], points={"A": np.zeros((0, 3))}), BadValue, "points of 'A' is empty"),
        (lambda: mk.Balance(["A"]).rows, BadValue, "has no contact points yet"),
        (
            lambda: mk.Balance(["Tip"]).on(mk.chain(2)),
            BadValue,
            "segment 'Tip' has no shapes to stand on; give points=",
        ),
        (lambda: mk.Balance(["Tip"]).on(mk.chain(2, mass=0.0)), BadValue, "figure 'chain' has no mass to balance"),
        (lambda: mk.Balance(["Foot"]).on(mk.chain(2)), UnknownName, "has no segment 'Foot'"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


def test_a_problem_reads_the_centre_of_mass_for_it():
    human = mk.human()
    problem = Problem(human, [mk.Balance(["LeftFoot", "RightFoot"])])
    assert_close(problem.at(human.rest).readings[0].center_of_mass, human.center_of_mass(human.rest))


def test_points_may_be_given_with_the_contacts() -> None:
    sole = np.array([[x, 0.0, z] for x in (-0.05, 0.05) for z in (-0.05, 0.15)])
    points = dict.fromkeys(["LeftFoot", "RightFoot"], sole)
    short, long = mk.Balance(points, margin=0.01), mk.Balance(list(points), points=points, margin=0.01)
    assert short.contacts == long.contacts == ("LeftFoot", "RightFoot")
    for name in points:
        assert np.array_equal(short.points[name], long.points[name])
    for wrong, message in (({"LeftFoot": [1.0]}, "points of 'LeftFoot'"), ({"LeftFoot": []}, "points of 'LeftFoot'")):
        with pytest.raises((BadValue, BadShape), match=message):
            mk.Balance(wrong)
    with pytest.raises(BadValue, match="contacts has points, and points is given too"):
        mk.Balance(points, points=points)
