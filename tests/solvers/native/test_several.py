"""Boxes, and several goals of one kind, natively: errors as in Python, and poses that reach."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import random_quaternion

import manikin as mk
from manikin import backend
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
HUMAN = mk.human()


def boxy() -> mk.Figure:
    """The person with boxes for hands, feet and head, beside the capsules of the rest."""
    boxes = {
        "LeftHand": mk.Box((0.03, 0.08, 0.02), (0.0, 0.08, 0.0)),
        "RightHand": mk.Box(
            (0.03, 0.08, 0.02), (0.0, 0.08, 0.0), mk.rotations.normalized(np.array([0.9, 0.1, 0.2, -0.3]))
        ),
        "Head": mk.Box((0.09, 0.12, 0.1), (0.0, 0.1, 0.0)),
        "LeftFoot": mk.Box((0.04, 0.03, 0.12), (0.0, -0.05, 0.06)),
    }
    return HUMAN.replaced(
        segments=[s.replaced(shapes=boxes.get(s.name, s.shapes)) for s in HUMAN.segments], name="boxy"
    )


BOXY = boxy()


def errors(figure: mk.Figure, goals: list[Goal], q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the goals in Python, and as the native solver reports them where it may not move."""
    problem = Problem(figure, goals, q)
    assert not any(goal.evaluated_in_python for goal in problem.goals)
    compiled = Compiled.of(figure, problem.goals, problem.movable)
    answer = compiled.errors_at(q[None], compiled.targets[None], np.ones(len(goals)))
    return problem.at(answer.pose[0]).errors, answer.errors[0]


def random_box(rng: np.random.Generator, near: float = 0.6) -> mk.Box:
    at = np.array([0.0, 1.0, 0.0]) + near * rng.normal(size=3)
    return mk.Box(rng.uniform(0.05, 0.4, size=3), at, random_quaternion(rng))


def test_errors_with_boxes_are_those_of_the_goal_in_python(kernels: str) -> None:
    rng = np.random.default_rng(3)
    touched = 0
    for q in BOXY.random(rng, 40):
        obstacles = [random_box(rng), random_box(rng), mk.Sphere((0.3, 1.2, 0.3), 0.2), mk.HalfSpace((0, -0.5, 0))]
        goals = [
            mk.Clearance(0.01),
            mk.Clearance(0.02, obstacles=obstacles, between=[("*", "obstacle *")]),
            mk.Clearance(0.0, obstacles=[random_box(rng)], between=[("*Hand", "*")]),
        ]
        here, there = errors(BOXY, goals, q)
        np.testing.assert_allclose(there, here, atol=1e-9, err_msg=kernels)
        touched += int((here > 0.0).sum())
    assert touched > 60


def test_errors_of_several_goals_of_one_kind_are_each_its_own(kernels: str) -> None:
    rng = np.random.default_rng(4)
    for q in HUMAN.random(rng, 20):
        goals = [
            mk.Balance(["LeftFoot", "RightFoot"], margin=0.02),
            mk.Position("Head", rng.normal(size=3)),
            mk.Balance(["LeftFoot"], name="on the left"),
            mk.Clearance(0.02, name="itself"),
            mk.Balance(["RightHand", "LeftFoot"], up="z"),
            mk.Clearance(0.05, obstacles=[mk.Sphere(tuple(rng.normal(size=3)), 0.8), mk.HalfSpace()]),
        ]
        here, there = errors(HUMAN, goals, q)
        np.testing.assert_allclose(there, here, atol=1e-9, err_msg=kernels)


def test_the_order_of_goals_changes_no_error(kernels: str) -> None:
    rng = np.random.default_rng(5)
    goals = [
        mk.Clearance(0.02, name="itself"),
        mk.Balance(["LeftFoot"]),
        mk.Clearance(0.05, obstacles=[random_box(rng), mk.Sphere((0.3, 1.0, 0.2), 0.3)], between=[("*", "obstacle *")]),
        mk.Balance(["LeftFoot", "RightFoot"]),
    ]
    for q in HUMAN.random(rng, 5):
        forth, back = errors(HUMAN, goals, q)[1], errors(HUMAN, goals[::-1], q)[1]
        np.testing.assert_array_equal(forth, back[::-1], err_msg=kernels)


def test_a_solver_reaches_round_boxes_and_keeps_every_corner_out() -> None:
    rng = np.random.default_rng(6)
    box = mk.Box((0.1, 0.1, 0.1), (0.35, 1.05, 0.35))
    feet = [mk.Position(n, HUMAN.placements(HUMAN.rest, [n])[0, :3, 3]) for n in ("LeftFoot", "RightFoot")]
    goals = [mk.Clearance(0.01, obstacles=[box]), *feet, mk.Position("LeftHand", (0.35, 1.05, 0.55))]
    solver = mk.Solver(BOXY, goals)
    targets = np.tile(solver.targets, (20, 1))
    targets[:, -3:] += 0.05 * rng.normal(size=(20, 3))
    found = solver.solve_many(None, targets)
    assert found.reached.mean() >= 0.9
    for q, reached in zip(found.poses, found.reached, strict=True):
        assert BOXY.violation(q) <= 1e-9
        if reached:
            at = Problem(BOXY, goals[0]).at(q)
            assert at.errors[0] <= 1.001e-4 * BOXY.size


def test_a_cube_on_a_hinge_is_pushed_out_of_a_cube() -> None:
    """Box against box alone, from within: out of the wall by the margin, and no farther than needed."""
    cube = mk.Box((0.2, 0.2, 0.2))
    figure = mk.Figure(
        "sled", [mk.Segment("Base"), mk.Segment("Sled", "Base", mk.Slider(axis=(1, 0, 0), limits=(-3, 3)), shapes=cube)]
    )
    wall = mk.Box((0.5, 1.0, 1.0), (0.9, 0.0, 0.0))
    solution = mk.solve(figure, mk.Clearance(0.05, obstacles=[wall], tolerance=1e-9), figure.pose({"Sled": 0.5}))
    assert solution.reached
    assert solution.pose[0] <= 0.4 - 0.2 - 0.05 + 2e-9
    assert solution.pose[0] >= -0.4


def test_two_balances_are_both_kept() -> None:
    """Over both feet with a margin, and over the left one alone: the weight goes to the left foot."""
    feet = [mk.Placement(n, HUMAN.placements(HUMAN.rest, [n])[0]) for n in ("LeftFoot", "RightFoot")]
    goals = [*feet, mk.Balance(["LeftFoot", "RightFoot"], margin=0.01), mk.Balance(["LeftFoot"])]
    solver = mk.Solver(HUMAN, goals)
    assert solver.solve().reached
    solution = mk.solve(HUMAN, goals)
    assert solution.reached
    at = Problem(HUMAN, goals).at(solution.pose)
    assert at.reached
    assert not Problem(HUMAN, goals).at(HUMAN.rest).reached


def test_two_clearances_have_margins_of_their_own() -> None:
    ball = mk.Sphere((0.35, 1.2, 0.3), 0.12)
    floor = mk.HalfSpace((0, -0.05, 0))
    goals = [
        mk.Position("LeftHand", (0.35, 1.2, 0.55)),
        mk.Clearance(0.05, obstacles={"ball": ball}, between=[("*", "ball")]),
        mk.Clearance(0.0, obstacles={"floor": floor}, between=[("*", "floor")]),
    ]
    found = mk.Solver(HUMAN, goals).solve()
    assert found.reached
    at = Problem(HUMAN, goals).at(found.pose)
    np.testing.assert_allclose(found.errors, at.errors, atol=1e-9)
    assert at.reached


def two_postures(rng: np.random.Generator) -> list[Goal]:
    return [
        mk.Posture(HUMAN.random(rng), stiffness={"LeftArm": 3.0, "Hips": 0.5, "LeftForeArm": 0.0}, name="one"),
        mk.Position("Head", rng.normal(size=3)),
        mk.Posture(HUMAN.random(rng), tolerance=0.3, name="two"),
        mk.Posture(HUMAN.rest, stiffness={"RightArm": 2.0}, weight=0.1, name="rest"),
    ]


def test_errors_of_several_postures_are_each_its_own(kernels: str) -> None:
    rng = np.random.default_rng(7)
    for q in HUMAN.random(rng, 20):
        here, there = errors(HUMAN, two_postures(rng), q)
        np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-12, err_msg=kernels)


def test_between_two_postures_the_pose_is_their_weighted_mean(kernels: str) -> None:
    """Hinges alone: the least of w₁(q − a)² + w₂(q − b)² is known, number by number."""
    chain = mk.chain(4, mk.Hinge(axis=(0, 0, 1), limits=(-2.0, 2.0)), planar=True)
    rng = np.random.default_rng(8)
    for _ in range(10):
        a, b = rng.uniform(-1.9, 1.9, size=(2, chain.nq))
        weights = rng.uniform(0.2, 3.0, size=2)
        goals = [mk.Posture(a, weight=weights[0]), mk.Posture(b, weight=weights[1])]
        solution = mk.solve(chain, goals, restarts=0)
        assert not solution.reached
        mean = (weights[0] * a + weights[1] * b) / weights.sum()
        np.testing.assert_allclose(solution.pose, mean, atol=1e-4, err_msg=kernels)


def test_postures_of_a_person_end_where_numpy_ends() -> None:
    """Balls too: the cost at the end is a minimum, by its gradient in Python."""
    rng = np.random.default_rng(9)
    nudges = 0.3 * rng.normal(size=(2, HUMAN.nv))
    goals: list[Goal] = [mk.Posture(HUMAN.clamp(HUMAN.integrate(HUMAN.rest, nudge))) for nudge in nudges]
    solution = mk.solve(HUMAN, goals, restarts=0)
    problem = Problem(HUMAN, goals)
    end, start = problem.at(solution.pose), problem.at(HUMAN.rest)
    assert end.cost < start.cost
    for move in np.eye(HUMAN.nv)[::5]:
        for sign in (-1.0, 1.0):
            nearby = HUMAN.clamp(HUMAN.integrate(solution.pose, 1e-2 * sign * move))
            assert problem.at(nearby).cost >= end.cost * (1.0 - 1e-4)


def test_two_postures_that_agree_are_reached_and_one_alone_decides_without_the_other() -> None:
    rng = np.random.default_rng(10)
    q = HUMAN.random(rng)
    both = mk.Solver(HUMAN, [mk.Posture(q), mk.Posture(q, stiffness={"Hips": 2.0})])
    assert both.solve().reached
    other = HUMAN.random(rng)
    solver = mk.Solver(HUMAN, [mk.Posture(q), mk.Posture(other)])
    found = solver.solve_many(None, solver.targets[None], active=[[False, True]])
    assert found.reached.all()
    assert np.abs(HUMAN.difference(found.poses[0], other)).max() <= 1e-2
    assert found.errors[0, 0] == 0.0


def test_a_track_between_two_postures_is_the_same_whatever_came_before() -> None:
    rng = np.random.default_rng(11)
    a, b = HUMAN.clamp(HUMAN.integrate(HUMAN.rest, 0.2 * rng.normal(size=(2, HUMAN.nv))))
    solver = mk.Solver(HUMAN, [mk.Posture(a), mk.Posture(b, weight=0.5)])
    twice = [solver.track(HUMAN.rest, np.tile(solver.targets, (5, 1))).poses for _ in range(2)]
    np.testing.assert_array_equal(*twice)
    assert HUMAN.violation(twice[0]).max() <= 1e-9
