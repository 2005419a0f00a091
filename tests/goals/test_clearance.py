from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from bodies import solids as capsules_of
from checks import assert_close, assert_derivative, assert_refused, step_units
from goal_checks import assert_goal_derivative
from hypothesis import given, settings
from scipy.spatial.distance import cdist
from strategies import random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue, MissingShape, UnknownName
from manikin.goals import Reading
from manikin.goals.clearance import HORIZON, MAX_ROWS
from manikin.goals.solids import adjacent
from manikin.problem import Problem

HUMAN = mk.human()


def floating(*shapes, apart=10.0):
    """A figure of segments A, B, C, … that move freely, hung on a root without shapes, each with a shape."""
    segments = [mk.Segment("Root")]
    for k, shape in enumerate(shapes):
        segments.append(mk.Segment("ABCDEF"[k], "Root", mk.Free(), shapes=shape, offset=(apart * k, 0, 0)))
    return mk.Figure("floating", segments)


def reading(*places, turns=None):
    turns = np.tile(rotations.IDENTITY, (len(places), 1)) if turns is None else np.array(turns)
    return Reading(rotations.placement(turns, np.array(places, dtype=float)))


def least_gap(figure, q, one, two):
    """By sampling the lines of all capsules: the gap between two segments, to about a hundredth of their length."""
    t = np.linspace(0.0, 1.0, 60)[:, None]
    lines = [
        [(ends[0] + t * (ends[1] - ends[0]), r) for ends, r in capsules_of(figure, q).get(name, [])]
        for name in (one, two)
    ]
    return min((cdist(p, x).min() - r - s for p, r in lines[0] for x, s in lines[1]), default=np.inf)


# What the rows say


def test_a_row_is_the_margin_less_the_distance():
    figure = floating(mk.Sphere(radius=0.2), mk.Capsule((0, 0, -1), (0, 0, 1), radius=0.1))
    goal = mk.Clearance(0.05).on(figure)
    assert goal.rows == 1
    assert goal.one_sided
    assert_close(goal.error(reading((0, 0, 0), (0.5, 0, 0.3))), [0.05 - 0.2])
    assert_close(goal.error(reading((0, 0, 0), (0.1, 0, 0.3))), [0.05 + 0.2])
    assert goal.measure(np.array([0.25])) == 0.25


def test_pairs_far_apart_count_as_a_tenth_of_the_size_apart():
    figure = floating(mk.Sphere(radius=0.2), mk.Sphere(radius=0.2))
    goal = mk.Clearance().on(figure)
    assert figure.size == 10.0
    assert_close(goal.error(reading((0, 0, 0), (50, 0, 0))), [-HORIZON * 10.0])
    assert_close(goal.derivative(reading((0, 0, 0), (50, 0, 0))), np.zeros((1, 12)))
    assert_close(goal.error(reading((0, 0, 0), (0.4 + 0.999, 0, 0))), [-0.999])


def test_rows_come_worst_first_and_never_more_than_so_many():
    figure = floating(*[mk.Sphere(radius=0.5)] * 3)
    goal = mk.Clearance(obstacles=[mk.Sphere((0, 0, 1), 0.2)]).on(figure)
    error = goal.error(reading((0, 0, 0), (0.8, 0, 0), (0, 0.95, 0)))
    assert_close(error[:3], [0.2, 0.05, 1.0 - np.hypot(0.8, 0.95)])
    assert (np.diff(error) <= 0.0).all()
    assert mk.Clearance().on(HUMAN).rows == MAX_ROWS


@given(rngs())
@settings(max_examples=15)
def test_the_first_row_is_the_worst_of_all_pairs_of_the_person(rng):
    goal = mk.Clearance().on(HUMAN)
    q = HUMAN.random(rng)
    at = Problem(HUMAN, goal).at(q)
    one, two, apart = goal.nearest(at.readings[0])[0]
    assert apart == pytest.approx(-at.rows[0])
    assert least_gap(HUMAN, q, one, two) == pytest.approx(apart, abs=5e-3)
    exact = goal.pairs.near(at.readings[0].placements).distance  # all of them, however far
    assert at.rows[0] == pytest.approx(-exact.min())
    assert_close(np.sort(exact)[: goal.rows], -at.rows)


def test_a_half_space_has_a_row_for_each_end_and_each_corner():
    figure = floating(mk.Capsule((-1, 0, 0), (1, 0, 0), 0.1), mk.Box((0.1, 0.2, 0.3)), mk.Sphere((0, 0, 0.5), 0.2))
    goal = mk.Clearance(obstacles={"floor": mk.HalfSpace((0, 1, 0), (0, 3, 0))}, between=[("*", "floor")]).on(figure)
    assert goal.rows == 2 + 8 + 1
    tilted = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.1)
    error = goal.error(reading((0, 1, 0), (0, 1, 0), (0, 1, 0), turns=[tilted, rotations.IDENTITY, rotations.IDENTITY]))
    ends = [0.1 + np.sin(0.1), 0.1 - np.sin(0.1)]
    assert_close(error, sorted([*ends, *[0.2] * 4, *[-0.2] * 4, 0.2], reverse=True))


# Derivatives

SHAPES = {
    "sphere": mk.Sphere((0.1, 0.05, 0), 0.3),
    "capsule": mk.Capsule((-0.2, 0.1, 0), (0.5, 0.2, 0.1), 0.25),
    "box": mk.Box((0.3, 0.2, 0.25), (0.1, 0, 0.1), rotations.normalized(np.array([1.0, 0.2, -0.3, 0.4]))),
}


@pytest.mark.parametrize(("one", "two"), [(a, b) for k, a in enumerate(SHAPES) for b in list(SHAPES)[k:]])
@pytest.mark.parametrize("near", [0.15, 0.9])
@settings(max_examples=4)
@given(rngs())
def test_derivative_of_every_pair_of_shapes_apart_and_overlapping(one, two, near, rng):
    goal = mk.Clearance(0.1).on(floating(SHAPES[one], SHAPES[two]))
    turns = rotations.normalized(rng.normal(size=(2, 4)))
    places = near * rng.normal(size=(2, 3))
    assert_goal_derivative(goal, reading(*places, turns=turns), step=1e-6, tol=1e-5)


@pytest.mark.parametrize("obstacle", [*SHAPES.values(), mk.HalfSpace((0.1, 0, 0), (1, 2, 3))])
@settings(max_examples=10)
@given(rngs())
def test_derivative_against_obstacles(obstacle, rng):
    figure = floating(SHAPES["capsule"])
    goal = mk.Clearance(0.1, obstacles=[obstacle]).on(figure)
    at = reading(0.4 * rng.normal(size=3), turns=[rotations.normalized(rng.normal(size=4))])
    assert_goal_derivative(goal, at, step=1e-6, tol=1e-5)


@settings(max_examples=10)
@given(rngs())
def test_derivative_of_the_cost_through_the_person(rng):
    floor = mk.HalfSpace((0, 0.3, 0))
    box = mk.Box((0.2, 0.2, 0.2), (0.2, 1.2, 0.2), random_quaternion(rng))
    problem = Problem(HUMAN, mk.Clearance(0.02, obstacles=[floor, box]))
    pose = HUMAN.integrate(HUMAN.rest, 0.2 * rng.normal(size=HUMAN.nv))
    at = problem.at(pose)
    assert (at.rows > 0.0).any()
    gradient = at.jacobian.T @ at.residual
    assert_derivative(
        lambda q: problem.at(q).cost,
        gradient,
        pose,
        move=HUMAN.integrate,
        step=1e-5,
        units=step_units(HUMAN),
        directions=4,
        tol=1e-5,
    )


# Who is kept apart from whom


@pytest.mark.parametrize("figure", [HUMAN, mk.quadruped()])
@pytest.mark.parametrize("margin", [0.0, 0.01, 0.1])
def test_at_rest_a_figure_is_clear_of_itself_whatever_the_margin(figure, margin):
    at = Problem(figure, mk.Clearance(margin)).at(figure.rest)
    assert at.reached
    assert at.rows.max() <= 0.0


def test_parts_that_are_near_at_rest_still_have_to_stay_apart():
    figure = floating(*[mk.Sphere(radius=0.5)] * 3, apart=1.01)
    goal = mk.Clearance(0.1).on(figure)
    at_rest = reading((0, 0, 0), (1.01, 0, 0), (2.02, 0, 0))
    assert_close(goal.error(at_rest), [-0.01, -0.01, -HORIZON * figure.size])
    # A and B nearly touch at rest, A and C do not: those keep their margin
    assert_close(goal.error(reading((0, 0, 0), (0.99, 0, 0), (0, 1.05, 0)))[:2], [0.05, 0.01])


def chain_of_capsules():
    capsule = mk.Capsule((0, 0, 0), (1, 0, 0), 0.1)
    segments = [
        mk.Segment("Base", shapes=capsule),
        mk.Segment("Mount", "Base", shapes=capsule, offset=(1, 0, 0)),  # fixed
        mk.Segment("Upper", "Mount", mk.Hinge(), shapes=capsule, offset=(1.3, 0, 0)),
        mk.Segment("Lower", "Upper", mk.Hinge(), shapes=capsule, offset=(1.3, 0, 0)),
        mk.Segment("Tool", "Lower", shapes=capsule, offset=(1.3, 0, 0)),  # fixed
    ]
    return mk.Figure("arm", segments)


def paired(goal, figure):
    """The pairs of owners that are kept apart."""
    pairs = goal.on(figure).pairs
    owners = np.array(pairs.solids.names)[pairs.solids.owner]
    wall_of = np.array([pairs.solids.names[owner] for owner, _ in pairs.solids.half_spaces], dtype=owners.dtype)
    first, second = [*owners[pairs.a], *owners[pairs.corner]], [*owners[pairs.b], *wall_of[pairs.wall]]
    return {(min(pair), max(pair)) for pair in zip(first, second, strict=True)}


def test_segments_joined_or_fixed_are_not_kept_apart():
    figure = chain_of_capsules()
    assert paired(mk.Clearance(), figure) == {
        ("Base", "Lower"),
        ("Lower", "Mount"),
        ("Base", "Tool"),
        ("Mount", "Tool"),
    }
    names = ["Base", "Upper", "floor"]
    assert_close(adjacent(figure, names), [[1, 1, 1], [1, 1, 0], [1, 0, 1]])


def test_what_cannot_move_is_not_kept_from_the_floor_it_stands_on():
    figure = chain_of_capsules()
    pairs = paired(mk.Clearance(obstacles={"floor": mk.HalfSpace(), "ball": mk.Sphere()}), figure)
    against = {pair for pair in pairs if {"floor", "ball"} & set(pair)}
    moving = ("Upper", "Lower", "Tool")
    assert against == {tuple(sorted((name, thing))) for name in moving for thing in ("floor", "ball")}


def test_exempt_pairs_may_touch():
    figure = chain_of_capsules()
    assert paired(mk.Clearance(exempt=[("Tool", "Base"), ("Lower", "M*")]), figure) == {
        ("Base", "Lower"),
        ("Mount", "Tool"),
    }
    obstacles = [mk.Sphere(), mk.Sphere()]
    some = paired(mk.Clearance(obstacles=obstacles, exempt=[("*", "obstacle 1"), ("*", "Base")]), figure)
    assert {pair for pair in some if "obstacle 1" in pair or "Base" in pair} == set()
    assert ("Tool", "obstacle 2") in some


def test_between_keeps_apart_what_it_names_and_nothing_else():
    figure = chain_of_capsules()
    assert paired(mk.Clearance(between=[("Base", "*")]), figure) == {("Base", "Lower"), ("Base", "Tool")}
    only = mk.Clearance(obstacles=[mk.Sphere()], between=[("*", "obstacle *")])
    assert paired(only, figure) == {("Upper", "obstacle 1"), ("Lower", "obstacle 1"), ("Tool", "obstacle 1")}
    assert paired(mk.Clearance(between=[]), figure) == set()


def test_two_segments_named_in_full_are_kept_apart_though_a_joint_joins_them():
    figure = chain_of_capsules()
    goal = mk.Clearance(0.3, between=[("Upper", "Lower")])
    assert paired(goal, figure) == {("Lower", "Upper")}
    assert_close(Problem(figure, goal).at(figure.rest).rows, [0.3 - 0.1])


def test_with_nothing_to_keep_apart_it_is_reached():
    goal = mk.Clearance(between=[]).on(chain_of_capsules())
    assert_close(goal.error(Reading(np.tile(np.eye(4), (5, 1, 1)))), [-goal.horizon])


# Segments without shapes


def arm_without(*bare, mass=1.0, **given):
    """`chain_of_capsules` with no shapes on some segments."""
    figure = chain_of_capsules()
    segments = [s.replaced(mass=mass, shapes=() if s.name in bare else s.shapes) for s in figure.segments]
    return mk.Figure("arm", segments, **given)


def told(figure, goal):
    """The notes of a problem, and the warnings that it gave."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        problem = Problem(figure, goal)
    assert all(w.category is MissingShape for w in heard)
    return problem.notes, [str(w.message) for w in heard]


def test_a_segment_with_mass_and_no_shape_is_named_in_one_warning_and_in_the_notes():
    figure = arm_without("Lower", "Tool")
    with pytest.warns(MissingShape, match="^Clearance: Lower, Tool have no shape, so nothing keeps them") as heard:
        solution = mk.solve(figure, mk.Clearance())
    assert len(heard) == 1
    assert heard[0].filename == __file__
    assert solution.notes == (str(heard[0].message),)
    assert solution.notes[0] in str(solution)


def test_a_solver_warns_once_and_its_answers_carry_the_note():
    figure = arm_without("Tool")
    with pytest.warns(MissingShape, match="Tool has no shape, so nothing keeps it") as heard:
        solver = mk.Solver(figure, [mk.Clearance(), mk.Position("Tool", (2, 1, 0))])
    assert len(heard) == 1
    assert solver.solve_many(None, solver.targets[None]).notes == (str(heard[0].message),)


def test_the_same_is_not_said_again_by_what_looks_at_the_solution():
    figure = arm_without("Tool")
    with pytest.warns(MissingShape):
        solution = mk.solve(figure, [mk.Clearance(), mk.Position("Tool", (20, 1, 0))])
    assert solution.report  # warnings are errors here


def test_nothing_is_said_of_places_without_a_body():
    assert told(arm_without("Tool", mass=0.0), mk.Clearance()) == ((), [])
    assert told(arm_without("Tool", mass=0.0, source={"shapeless": []}), mk.Clearance()) == ((), [])
    assert told(HUMAN, mk.Clearance()) == ((), [])


def test_without_any_mass_a_bone_is_what_another_hangs_on_unless_the_file_says_what_is_solid():
    assert "Upper has no shape" in told(arm_without("Upper", mass=0.0), mk.Clearance(obstacles=[mk.Sphere()]))[1][0]
    assert told(arm_without("Upper", mass=0.0, source={"shapeless": []}), mk.Clearance(obstacles=[BALL])) == ((), [])


def test_a_solid_of_the_file_that_has_no_shape_is_a_body():
    figure = arm_without("Tool", mass=0.0, source={"shapeless": ["Tool"]})
    assert "Tool has no shape" in told(figure, mk.Clearance())[1][0]


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        (mk.Clearance(), "Tool"),
        (mk.Clearance(exempt=[("Tool", "*")]), None),
        (mk.Clearance(between=[("Base", "Lower")]), None),
        (mk.Clearance(between=[("Base", "Tool")]), "Tool"),
        (mk.Clearance(obstacles={"ball": mk.Sphere()}, between=[("*", "ball")]), "Upper, Tool"),
    ],
)
def test_only_what_would_have_to_be_kept_apart_is_named(goal, named):
    """Upper is joined to Mount (and so to Base) and to Lower (and so to Tool): it could touch the ball alone."""
    figure = arm_without("Upper", "Tool")
    notes, heard = told(figure, goal)
    assert notes == tuple(heard)
    assert [note.split(" ha")[0] for note in notes] == ([] if named is None else [f"Clearance: {named}"])


def test_members_of_an_any_of_are_asked_too():
    figure = arm_without("Tool")
    either = mk.AnyOf(mk.Clearance(0.1), mk.Clearance(0.2))
    assert len(told(figure, either)[1]) == 1


# Solving


def test_a_hand_goes_round_a_ball_within_limits():
    ball = mk.Sphere((0.35, 1.2, 0.3), 0.12)
    goals = [mk.Position("LeftHand", (0.35, 1.2, 0.3 + 0.2)), mk.Position("Head", (0.0, 1.55, 0.05))]
    kept = mk.solve(HUMAN, [*goals, mk.Clearance(0.01, obstacles=[ball])])
    assert kept.reached
    assert HUMAN.violation(kept.pose) <= 1e-9
    middle = np.array(ball.center)
    t = np.linspace(0.0, 1.0, 60)[:, None]
    for of_one in capsules_of(HUMAN, kept.pose).values():
        for ends, radius in of_one:
            line = ends[0] + t * (ends[1] - ends[0])
            assert np.linalg.norm(line - middle, axis=1).min() - radius - ball.radius >= 0.01 - 2e-4


def test_a_hand_sent_into_the_body_is_an_answer():
    inside = mk.Relative("LeftHand", "Spine2", (0, 0, 0), orientation=False)
    solution = mk.solve(HUMAN, [inside, mk.Clearance()], restarts=0)
    assert not solution.reached
    assert np.isfinite(solution.pose).all()
    assert HUMAN.violation(solution.pose) <= 1e-9


def test_clearance_of_a_higher_level_keeps_the_hand_out_of_the_body():
    inside = mk.Relative("LeftHand", "Spine2", (0, 0, 0), orientation=False, priority=1)
    solution = mk.solve(HUMAN, [mk.Clearance(tolerance=2e-3), inside], restarts=3)
    assert solution.errors[0] <= 2e-3
    assert solution.errors[1] > 0.02
    assert least_gap(HUMAN, solution.pose, "LeftHand", "Spine2") >= -3e-3


def test_crossed_arms_come_apart():
    start = HUMAN.pose({"LeftForeArm": 1.5, "RightForeArm": 1.5})
    together = [mk.Position(f"{side}Hand", (0.0, 1.15, 0.3)) for side in ("Left", "Right")]
    crossed = mk.solve(HUMAN, together, start).pose
    clearance = mk.Clearance()
    assert not Problem(HUMAN, clearance).at(crossed).reached
    solution = mk.solve(HUMAN, clearance, crossed)
    assert solution.reached
    assert HUMAN.violation(solution.pose) <= 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_clutter_around_a_known_pose_is_kept_clear_of(seed):
    rng = np.random.default_rng(seed)
    pose = HUMAN.clamp(HUMAN.integrate(HUMAN.rest, 0.5 * HUMAN.difference(HUMAN.rest, HUMAN.random(rng))))
    while not Problem(HUMAN, mk.Clearance()).at(pose).reached:
        pose = HUMAN.clamp(HUMAN.integrate(HUMAN.rest, 0.9 * HUMAN.difference(HUMAN.rest, pose)))
    obstacles: list[Any] = []
    while len(obstacles) < 8:
        c = HUMAN.placements(pose)[rng.integers(len(HUMAN.segments)), :3, 3] + 0.25 * rng.normal(size=3)
        shapes = [
            mk.Sphere(c, rng.uniform(0.03, 0.2)),
            mk.Capsule(c, c + 0.2 * rng.normal(size=3), rng.uniform(0.02, 0.1)),
            mk.Box(rng.uniform(0.03, 0.2, size=3), c, random_quaternion(rng)),
        ]
        shape = shapes[rng.integers(3)]
        if Problem(HUMAN, mk.Clearance(0.005, obstacles=[shape], between=[("*", "obstacle *")])).at(pose).reached:
            obstacles.append(shape)
    names = ["LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    at = HUMAN.placements(pose, names)
    goals = [mk.Placement(n, p, tolerance=(1e-3, 1e-2)) for n, p in zip(names, at, strict=True)]
    solution = mk.solve(HUMAN, [*goals, mk.Clearance(obstacles=obstacles)])
    assert solution.reached
    assert solution.errors[-1] <= 1e-4 * HUMAN.size
    assert HUMAN.violation(solution.pose) <= 1e-9


BALL = mk.Sphere()
BARE = mk.Figure("bare", [mk.Segment("Root", joint=mk.Free())])


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Clearance(-0.1), BadValue, "Clearance: margin is -0.1; it must be at least 0"),
        (lambda: mk.Clearance(obstacles=3), BadValue, "obstacles are 3; they must be a list of Sphere"),
        (lambda: mk.Clearance(obstacles=["x"]), BadValue, "'obstacle 1' is 'x'; it must be a Sphere, Capsule, Box or"),
        (lambda: mk.Clearance(obstacles={3: BALL}), BadValue, "name of an obstacle is 3"),
        (lambda: mk.Clearance(exempt=("A", "B")), BadValue, "exempt is .*; it needs a list of pairs of names"),
        (lambda: mk.Clearance(exempt=[("A", "B", "C")]), BadValue, "exempt is .*; it needs a list of pairs of names"),
        (lambda: mk.Clearance(between="A"), BadValue, "between is 'A'; it needs a list of pairs of names"),
        (lambda: mk.Clearance(exempt=[("LHand", "Head")]).on(HUMAN), UnknownName, "has no segment or obstacle 'LHand'"),
        (lambda: mk.Clearance(between=[("*", "Tab*")]).on(HUMAN), UnknownName, r"has no segment or obstacle 'Tab\*'"),
        (lambda: mk.Clearance(obstacles={"Head": BALL}).on(HUMAN), BadValue, "'Head' has the name of a segment"),
        (lambda: mk.Clearance().on(BARE), BadValue, "figure 'bare' has no shapes to keep apart"),
        (lambda: mk.Clearance().rows, BadValue, "Clearance has no shapes yet"),
        (lambda: mk.HalfSpace((0, 0, 0), (0, 0, 0)), BadValue, "half-space normal is .* which has no direction"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


@pytest.mark.parametrize("name", ["A[1]", "A?", "A*", "[!B]"])
def test_names_of_segments_mean_these_segments_only(name):
    """Names from files may have what other programs take for patterns."""
    segments = [mk.Segment("Root")]
    for k, other in enumerate([name, "A1", "AB", "C"]):
        segments.append(mk.Segment(other, "Root", mk.Free(), shapes=mk.Sphere(radius=0.1), offset=(k, 0, 0)))
    figure = mk.Figure("names", segments)
    every = paired(mk.Clearance(), figure)
    left = every - paired(mk.Clearance(exempt=[(name, "C")]), figure)
    assert left == {(min(name, "C"), max(name, "C"))}
    assert every - paired(mk.Clearance(exempt=[("*B", "C")]), figure) >= {("AB", "C")}
