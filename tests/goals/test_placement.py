from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import assume, given
from strategies import random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue
from manikin.problem import Problem


@given(rngs())
def test_error_is_zero_at_the_target(rng):
    point, turn = rng.normal(size=3), random_quaternion(rng)
    goal = mk.Placement("Hand", rotations.placement(turn, point))
    assert_close(goal.error(placed(point, turn)), np.zeros(6), tol=1e-7)


@given(rngs())
def test_error_is_that_of_position_and_orientation_together(rng):
    point, turn, reading = rng.normal(size=3), random_quaternion(rng), random_reading(rng)
    both = mk.Placement("Hand", [*point, *turn]).error(reading)
    assert_close(both[:3], mk.Position("Hand", point).error(reading))
    assert_close(both[3:], mk.Orientation("Hand", turn).error(reading))


@given(rngs())
def test_derivative(rng):
    reading = random_reading(rng)
    goal = mk.Placement("Hand", [*rng.normal(size=3), *random_quaternion(rng)])
    assume(np.linalg.norm(goal.error(reading)[3:]) < np.pi - 0.05)
    assert_goal_derivative(goal, reading, step=0.01)


def test_matrix_and_seven_numbers_are_the_same_target():
    turn, point = rotations.from_euler("xyz", [0.1, 0.2, 0.3]), [1.0, 2.0, 3.0]
    goal = mk.Placement("Hand", rotations.placement(turn, np.array(point)))
    assert_close(goal.target, [*point, *turn])
    assert_close(goal.with_target([*point, *turn]).target, goal.target)


def test_the_error_reported_is_a_length_that_is_within_tolerance_just_when_both_parts_are():
    goal = mk.Placement("Hand", np.eye(4), tolerance=(0.01, 0.1))
    assert goal.allowed == 0.01
    assert goal.measure(np.array([0.005, 0, 0, 0, 0.2, 0])) == pytest.approx(0.02)
    assert goal.measure(np.array([0.005, 0, 0, 0, 0.04, 0])) == pytest.approx(0.005)


def test_one_tolerance_is_that_of_the_length():
    assert mk.Placement("Hand", np.eye(4), tolerance=0.01).tolerance == (0.01, 1e-3)


def test_the_default_tolerances():
    assert mk.Placement("Tip", np.eye(4)).on(mk.chain(3)).tolerance == pytest.approx((3e-4, 1e-3))


def tool_on(figure, segment, rng):
    """A goal for a tool on a segment at a random pose of the figure, and the tool's placement on the segment."""
    tool = rotations.placement(random_quaternion(rng), 0.1 * figure.size * rng.normal(size=3))
    wanted = figure.placements(figure.random(rng), [segment])[0] @ tool
    return mk.Placement(segment, wanted, offset=tool[:3, 3], rotation=tool[:3, :3]), tool


@given(rng=rngs())
def test_a_tool_is_where_its_placement_says(rng):
    arm = mk.chain([0.5, 0.4, 0.3], mk.Euler("XYZ", ((-2.5, 2.5),) * 3))
    goal, tool = tool_on(arm, "Segment3", rng)
    solver = mk.Solver(arm, [goal])
    for solution in (solver.solve(), mk.solve(arm, [goal]), mk.solve(arm, [goal], method="bounded-dls")):
        at = arm.placements(solution.pose, ["Segment3"])[0] @ tool
        off = at[:3, 3] - goal.placement[:3]
        turn = mk.Orientation("Segment3", goal.placement[3:]).error(
            placed(quaternion=rotations.from_matrix(at[:3, :3]))
        )
        assert_close(solution.errors[0], goal.on(arm).measure(np.concatenate([off, turn])), tol=1e-9)
    assert solver.solve().reached


@given(rng=rngs())
def test_a_tool_is_a_fixed_segment_of_its_own(rng):
    arm = mk.samples.random_figure(rng, 6, kinds=["hinge", "ball", "euler"])
    segment = arm.segment_names[-1]
    goal, tool = tool_on(arm, segment, rng)
    fixed = mk.Joint("tool", (), offset=tuple(tool[:3, 3]), rotation=tuple(rotations.from_matrix(tool[:3, :3])))
    longer = arm.replaced(segments=[*arm.segments, mk.Segment("Tool", segment, fixed)])
    whole = mk.Placement("Tool", goal.placement, tolerance=goal.on(arm).tolerance)
    q = arm.random(rng)
    one, other = Problem(arm, [goal], q).at(q), Problem(longer, [whole], q).at(q)
    assert_close(one.errors, other.errors, scale=max(1.0, arm.size), tol=1e-9)
    found = mk.Solver(arm, [goal]).solve(q)
    again = Problem(longer, [whole], found.pose).at(found.pose)
    assert_close(found.errors, again.errors, scale=max(1.0, arm.size), tol=1e-9)


def test_an_arm_with_a_tool_keeps_its_kernel():
    joints = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    parts, parent = [mk.Segment("Base")], "Base"
    for k, axis in enumerate(joints):
        parts.append(mk.Segment(f"L{k}", parent, mk.Joint(f"L{k}", (mk.Hinge(axis, (-2.9, 2.9)),), offset=(0, 0, 0.3))))
        parent = f"L{k}"
    arm, rng = mk.Figure("arm", parts), np.random.default_rng(3)
    tool = rotations.placement(random_quaternion(rng), np.array([0.05, 0.02, 0.1]))
    solver = mk.Solver(arm, [mk.Placement("L5", np.eye(4), offset=tool[:3, 3], rotation=tool[:3, :3])])
    targets = arm.placements(arm.random(rng, 300), ["L5"])[:, 0] @ tool
    answer = solver.solve_many(arm.rest, targets)
    assert answer.reached.all()
    found = arm.placements(answer.poses, ["L5"])[:, 0] @ tool
    assert np.abs(found[:, :3, 3] - targets[:, :3, 3]).max() <= 1e-4 * arm.size * 1.001


def test_a_tool_counts_for_the_heading_of_a_free_figure():
    person = mk.human()
    segments = ["LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    half = rotations.from_axis_angle((0, 1, 0), np.pi)
    turned = rotations.placement(half, np.array([1.0, 0.0, 2.0]))
    tool = rotations.placement(rotations.from_euler("xyz", [0.4, 1.0, -0.7]), np.array([0.0, 0.05, 0.0]))
    goals = [
        mk.Placement(name, turned @ at @ tool, offset=tool[:3, 3], rotation=tool[:3, :3])
        for name, at in zip(segments, person.placements(person.rest, segments), strict=True)
    ]
    solution = mk.solve(person, goals, iterations=0)
    assert_close(
        person.placements(solution.start)[:, :3, 3], (turned @ person.placements(person.rest))[:, :3, 3], tol=1e-6
    )


@given(rngs())
def test_what_a_tool_asks_of_its_segment(rng):
    arm = mk.chain([0.5, 0.4, 0.3], mk.Ball())
    goal, tool = tool_on(arm, "Segment3", rng)
    segment = rotations.to_matrix(goal.placement[3:]) @ tool[:3, :3].T
    assert_close(rotations.to_matrix(goal.wanted_rotation), segment, tol=1e-9)
    place, turn = goal.on(arm).halves
    assert_close(rotations.to_matrix(turn.rotation), segment, tol=1e-9)
    assert_close(place.point, goal.placement[:3])


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Placement("Hand", (1, 2, 3)), BadShape, r"shape \(3,\); it needs \(4, 4\), a placement, or \(7,\)"),
        (lambda: mk.Placement("Hand", 2 * np.eye(4)), BadValue, "last row"),
        (lambda: mk.Placement("Hand", np.diag([2, 1, 1, 1])), BadValue, "not a rotation"),
        (lambda: mk.Placement("Hand", (0, 0, 0, 3, 0, 0, 0)), BadValue, "has length 3"),
        (lambda: mk.Placement("Hand", np.eye(4), rotation=(1, 1, 0, 0)), BadValue, "rotation of the tool: quaternion"),
        (lambda: mk.Placement("Hand", np.eye(4), tolerance=(1, 2, 3)), BadValue, r"needs a pair \(length, radians\)"),
        (lambda: mk.Placement("Hand", np.eye(4), tolerance=(1, 0)), BadValue, "tolerance of angles is 0"),
        (lambda: mk.Placement("Hand", np.eye(4)).allowed, BadValue, "has no tolerance yet"),
        (lambda: mk.Placement("Hand", np.eye(4)).measure(np.zeros(6)), BadValue, "has no tolerance yet"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
