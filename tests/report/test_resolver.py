"""Solving changed problems."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.problem import Problem
from manikin.report.limits import limit_named
from manikin.report.resolver import Resolver
from manikin.report.search import distinct, search, unseen

ARM = mk.chain(4, mk.Hinge(limits=(-1.2, 1.2)))
ONE, OTHER = mk.Position("Tip", (2.0, 2.0), axes="xy"), mk.Position("Tip", (1.0, -2.0), axes="xy", name="Other")


def resolver(*goals: mk.Goal, **options: object) -> Resolver:
    return Resolver(Problem(ARM, list(goals), **options))


def test_a_goal_that_is_dropped_does_not_count() -> None:
    made = resolver(ONE, OTHER)
    both = made.solve([ARM.rest])
    alone = made.solve([ARM.rest], [0])
    assert not made.met(both, 0)[0]
    assert made.met(alone, 0)[0]
    assert alone.errors[0, 1] == 0.0
    assert made.solves == 2


def test_a_wider_limit_lets_a_pose_through_that_the_figure_does_not() -> None:
    narrow = mk.chain(2, mk.Hinge(limits=(-0.5, 0.5)))
    made = Resolver(Problem(narrow, mk.Position("Tip", (0.0, 2.0), axes="xy")))
    assert not made.met(made.solve([narrow.rest]), 0)[0]
    wider = {limit_named(narrow, "Segment1 (upper)"): 1.2}
    ends = made.solve([narrow.rest], wider=wider)
    assert made.met(ends, 0)[0]
    assert narrow.violation(ends.poses[0]) > 0.5


def test_a_higher_priority_wins_in_a_re_solve_too() -> None:
    made = resolver(ONE, mk.Position("Tip", (2.0, 1.0), axes="xy", priority=1))
    ends = made.solve([ARM.rest], max_iterations=200)
    assert made.met(ends, 0)[0]
    assert not made.met(ends, 1)[0]


def test_lower_weights_and_moved_targets_are_used() -> None:
    made = resolver(ONE, OTHER)
    equal = made.solve([ARM.rest], max_iterations=200).errors[0]
    lighter = made.solve([ARM.rest], weights={1: 0.01}, max_iterations=200).errors[0]
    assert lighter[0] < 0.1 * equal[0]
    moved = made.solve([ARM.rest], moved={1: ONE}, max_iterations=200)
    assert made.met(moved, 0)[0]
    assert made.met(moved, 1)[0]


def test_goals_in_python_are_solved_as_those_that_the_core_knows() -> None:
    native, python = resolver(ONE), resolver(mk.Custom("Tip", lambda p: p[0, :2, 3] - ONE.target, rows=2))
    assert native.met(native.solve([ARM.rest]), 0)[0]
    assert python.met(python.solve([ARM.rest]), 0)[0]


def test_starts_keep_the_root_and_joints_that_may_not_move() -> None:
    figure = mk.human()
    made = Resolver(Problem(figure, mk.Position("LeftHand", (0.3, 1.2, 0.3)), freeze=["LeftForeArm"]))
    pose = figure.pose({"Hips": [1, 2, 3, 1, 0, 0, 0], "LeftForeArm": 0.4})
    elbow = figure.index_of("LeftForeArm")
    for start in [*made.uniform(pose, 3), made.kicked(pose, 0.1), made.nudged(pose)]:
        assert start[elbow] == 0.4
        assert figure.violation(start) == 0.0
    for start in made.uniform(pose, 3):
        np.testing.assert_array_equal(start[:7], pose[:7])


def test_minima_are_counted_and_those_unseen_estimated() -> None:
    assert distinct(np.array([1.0, 1.04, 2.0, 0.0, 0.0])) == 3
    assert unseen(1, 7) == pytest.approx(2 / 42)
    assert unseen(1, 6) > 0.05
    assert unseen(3, 2) == 1.0


def test_a_search_ends_at_the_first_end_that_is_wanted_and_after_seven_that_agree() -> None:
    made = resolver(ONE)
    found = search(made, ARM.rest, lambda ends: made.met(ends, 0))
    assert (found.starts, found.met) == (1, 0)
    far = resolver(mk.Position("Tip", (9.0, 0.0), axes="xy"))
    none = search(far, ARM.rest, lambda ends: far.met(ends, 0), min_starts=7)
    assert none.met is None
    assert none.minima == 1
    assert 7 <= none.starts <= 9
