"""Gradients and multipliers at a pose."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.problem import Problem
from manikin.report.limits import limit_named, with_wider_limits
from manikin.report.local import Local


def at(problem: Problem, pose: np.ndarray) -> Local:
    return Local(problem, pose, np.ones(len(problem.goals)))


def test_gradients_are_those_of_the_cost_by_finite_differences() -> None:
    figure = mk.human()
    goals = [mk.Position("LeftHand", (0.5, 1.5, 0.4), weight=2.0), mk.Placement("RightFoot", np.eye(4))]
    problem = Problem(figure, goals)
    pose = figure.random(np.random.default_rng(3))
    local, chart = at(problem, pose), problem.chart.at(pose)
    for step in (0, 4, 30, 60, 100):
        c = np.zeros(figure.nv)
        c[step] = 1e-6
        change = problem.at(chart.moved(c)).cost - problem.at(chart.moved(-c)).cost
        assert local.gradients.sum(axis=0)[step] == pytest.approx(change / 2e-6, rel=1e-4, abs=1e-8)


def test_residue_is_small_at_a_minimum_and_large_on_the_way_there() -> None:
    arm = mk.chain(4, mk.Hinge(limits=(-1.0, 1.0)))
    goal = mk.Position("Tip", (-2.0, 1.0), axes="xy")
    problem = Problem(arm, goal)
    assert at(problem, mk.solve(arm, goal).pose).residue < 1e-3
    assert at(problem, arm.pose({"Segment2": 0.3})).residue > 1e-2


def test_own_is_zero_where_the_effector_cannot_move_toward_its_target() -> None:
    arm = mk.chain(3, planar=True)
    stretched = at(Problem(arm, mk.Position("Tip", (1.0, 0.0), axes="xy")), arm.rest)
    assert stretched.own(0, free=False) < 1e-12
    bent = at(Problem(arm, mk.Position("Tip", (1.0, 0.0), axes="xy")), arm.pose({"Segment2": 0.5}))
    assert bent.own(0, free=False) > 0.1


def test_the_multiplier_says_how_much_the_error_falls() -> None:
    arm = mk.chain([0.5, 0.4, 0.35, 0.25], mk.Hinge(limits=(-0.7, 0.9)))
    goal = mk.Position("Tip", (-0.4, 0.3), axes="xy")
    solution = mk.solve(arm, goal)
    local = at(Problem(arm, goal), solution.pose)
    limit, _, _ = local.blocking(0)[0]
    small = np.deg2rad(1.0)
    again = mk.solve(with_wider_limits(arm, {limit: small}), goal)
    assert local.gain(0, limit) * small == pytest.approx(solution.errors[0] - again.errors[0], rel=0.1)


def test_blocking_names_the_limit_that_a_goal_presses_on() -> None:
    arm = mk.chain(2, mk.Hinge(limits=(-0.5, 0.5)))
    goal = mk.Position("Tip", (0.0, 1.9), axes="xy")
    solution = mk.solve(arm, goal)
    blocking = [limit for limit, _, _ in at(Problem(arm, goal), solution.pose).blocking(0)]
    assert limit_named(arm, "Segment1 (upper)") in blocking
    assert limit_named(arm, "Segment1 (lower)") not in blocking
