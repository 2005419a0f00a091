"""`restarts` means the same for every figure: at most so many starts besides the first, and 0 is one start."""

from __future__ import annotations

import numpy as np
import pytest
from targets_of_bodies import goals as body_goals

import manikin as mk
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

pytest.importorskip("manikin._core", reason="the native core is not built")

NUMBERS = (0, 1, 5, 8, 20, 30, 50)


def arm():
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1)]
    segments = [mk.Segment("Base")]
    for i, axis in enumerate(axes):
        joint = mk.Hinge(axis=axis, limits=(-1.2, 1.2))
        segments.append(mk.Segment(f"S{i}", segments[-1].name, joint, offset=(0, 0, 0.2)))
    figure = mk.Figure("arm", segments)
    beside = figure.placements(figure.rest, ["S6"])[0]
    beside[:3, :3] = np.diag([1.0, -1.0, -1.0])  # upside down: near, and out of reach
    return figure, [mk.Placement("S6", beside)]


def small_chain():
    figure = mk.chain([1.0, 1.0, 1.0], mk.Euler("ZYX", ((-0.5, 0.5),) * 3))
    return figure, [mk.Position("Tip", (3.0005, 0.0, 0.0), tolerance=1e-6)]  # close, and out of reach


def person():
    figure = mk.human()
    return figure, [g.with_target(g.target + 0.5) if isinstance(g, mk.Position) else g for g in body_goals()]


def person_out_of_reach():
    """Goals that are far off are put aside, and the others are searched for without them."""
    figure = mk.human()
    feet = [mk.Position(name, figure.placements(figure.rest, [name])[0][:3, 3]) for name in ("LeftFoot", "RightFoot")]
    return figure, [mk.Position("RightHand", (5.0, 1.0, 0.0)), mk.Position("Head", (0.0, 1.0, 0.9)), *feet]


def starts_of(case, restarts):
    figure, goals = case()
    problem = Problem(figure, goals)
    compiled = Compiled.of(figure, problem.goals, problem.movable)
    weights = np.array([[g.weight for g in problem.goals]])
    return int(compiled.run(figure.rest[None].copy(), compiled.targets[None], weights, restarts=restarts).starts[0])


@pytest.mark.parametrize("case", [arm, small_chain, person, person_out_of_reach])
def test_at_most_so_many_other_starts_are_followed(case):
    counts = {number: starts_of(case, number) for number in NUMBERS}
    assert all(1 <= count <= 1 + number for number, count in counts.items()), counts
    assert counts[0] == 1


@pytest.mark.parametrize("case", [arm, small_chain])
def test_what_is_out_of_reach_takes_all_starts(case):
    assert starts_of(case, 20) == 21


def test_the_usual_number_is_larger_where_starts_are_cheap():
    """docs/tuning.md lists these numbers."""
    assert starts_of(small_chain, None) == 121
    assert starts_of(arm, None) in (71, 161)


@pytest.mark.parametrize("pick", ["near", "first"])
def test_one_start_of_an_arm_is_the_same_by_all_doors(pick):
    figure, goals = arm()
    solver = mk.Solver(figure, goals)
    one = solver.solve(figure.rest, restarts=0, pick=pick)
    many = solver.solve_many(figure.rest, solver.targets[None], restarts=0, pick=pick)
    assert np.array_equal(one.pose, many.poses[0])
    assert one.iterations <= 40 + 160  # one start, and its polish
