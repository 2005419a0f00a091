from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import Unsupported
from manikin.problem import Problem
from manikin.solvers.methods.fabrik import _fitted, _reached, _web

CONE = mk.SwingTwist((1, 0, 0), (1.2, 1.2), (-1, 1))


@given(rngs())
def test_after_a_round_the_points_are_at_their_distances_with_the_root_in_place(rng):
    arm = mk.chain(5, mk.Ball())
    problem = Problem(arm, mk.Position("Tip", 2.0 * rng.normal(size=3)), arm.random(rng))
    points = _reached(problem, _web(problem), problem.start)
    assert_close(points[0], np.zeros(3))
    assert_close(np.linalg.norm(np.diff(points[:6], axis=0), axis=1), np.ones(5))


@given(rngs())
def test_balls_without_limits_take_the_pose_of_the_points(rng):
    arm = mk.chain(5, mk.Ball())
    problem = Problem(arm, mk.Position("Tip", 2.0 * rng.normal(size=3)), arm.random(rng))
    web = _web(problem)
    points = _reached(problem, web, problem.start)
    pose = problem.start
    for _ in range(3):  # what the points leave open is kept, which costs a little accuracy each time
        pose = _fitted(problem, web, pose, points)
    assert_close(arm.placements(pose)[:, :3, 3], points[:6], tol=1e-5)


@pytest.mark.parametrize(
    "arm",
    [
        mk.chain(5, planar=True),
        mk.chain(5, mk.Ball()),
        mk.chain(5),
        mk.chain(5, mk.Ball(CONE)),
        mk.chain(5, mk.Euler("XYZ", ((-1.5, 1.5),) * 3)),
    ],
    ids=["planar", "balls", "euler", "cones", "limited"],
)
def test_targets_of_random_poses_are_reached_within_limits(arm):
    rng = np.random.default_rng(4)
    reached = 0
    for _ in range(5):
        target = arm.placements(arm.random(rng))[-1, :3, 3]
        solution = mk.solve(arm, mk.Position("Tip", target), arm.random(rng), method="fabrik")
        assert arm.violation(solution.pose) <= 1e-9
        reached += solution.reached
    assert reached >= 4


def test_two_effectors_on_a_tree():
    tree = mk.tree([-1, 0, 1, 2, 3, 4, 2, 6, 7], planar=True)
    goals = [mk.Position("Tip6", (3, 3), axes="xy"), mk.Position("Tip9", (2, -2), axes="xy")]
    assert mk.solve(tree, goals, np.full(9, 0.2), method="fabrik").reached


def test_an_effector_on_an_inner_segment_is_served_too():
    arm = mk.chain(4, mk.Ball())
    goals = [mk.Position("Segment3", (1.2, 1.0, 0.5)), mk.Position("Tip", (1.0, 2.0, 1.0))]
    solution = mk.solve(arm, goals, arm.random(np.random.default_rng(1)), method="fabrik")
    assert solution.reached, solution


def test_a_free_root_moves_along():
    base = mk.Segment("Base", joint=mk.Free())
    arm = mk.Segment("Arm", "Base", mk.Ball(), offset=(0.5, 0, 0))
    hand = mk.Segment("Hand", "Arm", offset=(1.0, 0, 0))
    figure = mk.Figure("floating", [base, arm, hand])
    goals = [mk.Position("Hand", (5.0, 1.0, 0.0)), mk.Position("Base", (4.0, 1.0, 0.0))]
    assert mk.solve(figure, goals, method="fabrik").reached
    fixed = mk.solve(figure, goals, method="fabrik", freeze=["Base"])
    assert_close(fixed.pose[:7], figure.rest[:7])


def test_what_it_cannot_serve_is_named():
    arm = mk.chain(2)
    turn = mk.Orientation("Tip", (1, 0, 0, 0))
    assert_refused(
        lambda: mk.solve(arm, turn, method="fabrik"),
        Unsupported,
        "method 'fabrik' does not support Orientation Tip: it supports only Position goals",
    )
    rail = mk.Figure("rail", [mk.Segment("Base"), mk.Segment("Cart", "Base", mk.Slider((1, 0, 0), (-2, 5)))])
    assert_refused(
        lambda: mk.solve(rail, mk.Position("Cart", (1, 1, 1)), method="fabrik"), Unsupported, "joint 'Cart' slides"
    )
    follow = mk.Joint("B", (mk.Hinge(),), coupling=mk.Coupling("A"))
    pair = mk.Figure("pair", [mk.Segment("A", joint=mk.Hinge()), mk.Segment("B", "A", follow)])
    assert_refused(
        lambda: mk.solve(pair, mk.Position("B", (1, 1, 1)), method="fabrik"), Unsupported, "joint 'B' is coupled"
    )
