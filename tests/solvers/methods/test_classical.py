"""The methods of the chapter, and those for comparison, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from hypothesis import given, settings
from strategies import jacobians, random_figure, random_pose, rngs

import manikin as mk
from manikin.linalg import bounded_step, damped_step, pinv_step, stacked_step
from manikin.problem import Problem
from manikin.solvers.methods.coordinates import Coordinates
from manikin.solvers.methods.nonlinear import _Objective
from manikin.solvers.methods.sdls import LARGEST_ANGLE, selectively_damped_step

ARM = mk.chain([1.0, 0.8, 0.6], planar=True)
START = np.array([0.4, 0.5, 0.6])


def goal(x, y, tolerance=1e-9):
    return mk.Position("Tip", (x, y), axes="xy", tolerance=tolerance)


def tip(q):
    return ARM.placements(q)[-1, :2, 3]


def first_step(method, **options):
    target = tip(START) + np.array([0.03, -0.02])
    solution = mk.solve(ARM, goal(*target), START, method=method, iterations=1, **options)
    return solution.pose - START, ARM.jacobian(START, "Tip")[:2], target - tip(START)


def test_pinv_takes_the_pseudo_inverse_step():
    step, J, dX = first_step("pinv")
    assert_close(step, pinv_step(J, dX))


def test_stacked_takes_the_step_of_the_recursion():
    target, inner = (ARM.placements(START, [name])[0, :2, 3] for name in ("Tip", "Segment3"))
    target, inner = target + np.array([0.03, -0.02]), inner + np.array([0.01, 0.01])
    goals = [goal(*target), mk.Position("Segment3", inner, axes="xy", tolerance=1e-9)]
    solution = mk.solve(ARM, goals, START, method="stacked", iterations=1, largest=np.inf)
    Js = [ARM.jacobian(START, name)[:2] for name in ("Tip", "Segment3")]
    step = stacked_step(Js, [[0.03, -0.02], [0.01, 0.01]])
    at = Problem(ARM, goals, START).at(START + step)
    if at.cost < Problem(ARM, goals, START).at(START).cost:
        assert_close(solution.pose - START, step)
    else:
        assert_close(solution.pose, START)


def test_stacked_serves_earlier_goals_first_and_priority_before_order():
    here, there = goal(1.0, 1.0), goal(-1.0, 1.0)
    first = mk.solve(ARM, [here, there], START, method="stacked")
    assert first.errors[0] < 1e-6
    assert first.errors[1] > 1.0
    low = mk.Position("Tip", (1.0, 1.0), axes="xy", tolerance=1e-9, priority=1)
    second = mk.solve(ARM, [low, there], START, method="stacked")
    assert second.errors[1] < 1e-6


@pytest.mark.parametrize("damping", [0.1, 0.25, 1.5, 10.0])
def test_dls_takes_the_damped_step_with_the_damping_given(damping):
    step, J, dX = first_step("dls", damping=damping)
    assert_close(step, damped_step(J, dX, damping))


@pytest.mark.parametrize("damping", [0.1, 0.25, 1.5, 10.0])
def test_bounded_dls_takes_the_bounded_step_with_the_damping_given(damping):
    limits = [(0.0, 3.0), (0.49, 0.501), (-1.0, 0.61)]
    arm = mk.chain([1.0, 0.8, 0.6], [mk.Hinge(limits=pair) for pair in limits])
    target = tip(START) + np.array([0.05, -0.05])
    solution = mk.solve(arm, goal(*target), START, method="bounded-dls", damping=damping, iterations=1)
    lower, upper = np.array(limits).T
    wanted = bounded_step(ARM.jacobian(START, "Tip")[:2], [0.05, -0.05], damping, lower - START, upper - START)
    assert_close(solution.pose - START, wanted, tol=1e-9)


def test_the_displacement_of_an_iteration_is_capped():
    near, far = (mk.solve(ARM, goal(*t), START, method="pinv", iterations=1, largest=0.05) for t in ((1, 1), (1, 99)))
    for solution in (near, far):
        moved = ARM.jacobian(START, "Tip")[:2] @ (solution.pose - START)
        assert np.linalg.norm(moved) == pytest.approx(0.05)


def test_large_damping_lags_and_small_damping_does_not():
    needed = [mk.solve(ARM, goal(1.0, 1.2, 1e-6), START, method="dls", damping=d).iterations for d in (0.1, 1.5, 10.0)]
    assert needed == sorted(needed)
    assert needed[2] > 5 * needed[0]


def test_transpose_goes_downhill():
    solution = mk.solve(ARM, goal(1.0, 1.2, 1e-6), START, method="transpose", history=True)
    errors = solution.history.errors[:, 0]
    assert solution.reached
    assert np.mean(np.diff(errors) < 0.0) > 0.9


@given(jacobians())
def test_a_selectively_damped_step_is_never_long_and_where_short_it_is_the_pseudo_inverse_step(J):
    rng = np.random.default_rng(J.size)
    goals = [slice(0, (len(J) + 1) // 2), slice((len(J) + 1) // 2, len(J))]
    goals = [g for g in goals if g.stop > g.start]
    dX = rng.normal(size=len(J))
    assert np.abs(selectively_damped_step(J, dX, goals)).max(initial=0.0) <= LARGEST_ANGLE * (1 + 1e-12)
    small = 1e-30 * dX
    assert_close(selectively_damped_step(J, small, goals), pinv_step(J, small), scale=np.abs(pinv_step(J, small)).max())


# Nonlinear programming


@given(rngs())
def test_coordinates_give_back_the_pose_they_are_counted_from(rng):
    figure = random_figure(rng)
    q = random_pose(figure, rng, inside=True)
    problem = Problem(figure, mk.Position(figure.segment_names[0], (0, 0, 0)), q)
    x = Coordinates(problem, problem.start)
    assert np.all(x.lower <= x.start + 1e-12)
    assert np.all(x.start <= x.upper + 1e-12)
    # a rotation near a half turn of swing has a twist known to rounding only
    assert_close(figure.placements(x.pose(x.start)), figure.placements(q), scale=figure.size + 1, tol=1e-6)


@given(rngs())
def test_every_vector_within_its_bounds_is_a_pose_within_limits(rng):
    figure = random_figure(rng)
    problem = Problem(figure, mk.Position(figure.segment_names[0], (0, 0, 0)))
    x = Coordinates(problem, problem.start)
    low, high = np.maximum(x.lower, -9.0 * figure.size - 9.0), np.minimum(x.upper, 9.0 * figure.size + 9.0)
    for corner in (low, high, rng.uniform(low, high)):
        pose = x.pose(corner)
        assert figure.violation(pose) <= 1e-9
        assert np.all((figure.lower <= pose) & (pose <= figure.upper))


@settings(max_examples=15)
@given(rngs())
def test_the_gradient_of_the_objective(rng):
    figure = random_figure(rng, segments=5)
    figure = figure.scaled(1.0 / figure.size)
    segment = figure.segment_names[-1]
    goals = [mk.Position(segment, rng.normal(size=3)), mk.Plane(segment, normal=rng.normal(size=3), offset=(0, 0, 1))]
    q = random_pose(figure, rng, inside=True)
    problem = Problem(figure, goals, q)
    local = problem.range_chart.at(problem.start)
    origin = local.moved(0.4 * local.to_middle())  # off the rims, where the square has corners
    x = Coordinates(problem, origin)
    reference = figure.integrate(origin, 0.3 * rng.uniform(-1, 1, size=figure.nv))  # far from half a turn
    objective = _Objective(problem, 0.1, reference)
    at = x.start.copy()
    claimed = x.gradient(at, objective(x.pose(at))[1])
    inside = (x.upper - at > 2e-3) & (at - x.lower > 2e-3)

    def value(c):
        return objective(x.pose(at + c * inside))[0]

    assert_derivative(value, claimed * inside, np.zeros(len(at)), step=1e-3, tol=1e-6)


def test_the_error_falls_with_alpha():
    arm_goal = goal(-0.5, 1.0)
    errors = [mk.solve(ARM, arm_goal, START, method="lbfgsb", alpha=a).errors[0] for a in (1.0, 1e-2, 1e-4, 1e-6, 0.0)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.1
    assert errors[1] / errors[2] == pytest.approx(100, rel=0.1)
    assert errors[-1] < 1e-8


def test_alpha_holds_the_figure_near_its_reference():
    free = mk.solve(ARM, goal(1.0, 1.0), START, method="lbfgsb", alpha=1e-6, reference=[1.0, 0.0, 0.0])
    other = mk.solve(ARM, goal(1.0, 1.0), START, method="lbfgsb", alpha=1e-6, reference=[-1.0, 0.0, 0.0])
    for reference, mine, theirs in ((1.0, free, other), (-1.0, other, free)):
        distance = [np.linalg.norm(s.pose - [reference, 0, 0]) for s in (mine, theirs)]
        assert distance[0] < distance[1]


def test_at_the_minimum_of_f_its_gradient_vanishes_inside_the_bounds():
    alpha = 1e-3
    solution = mk.solve(ARM, goal(1.0, 1.0), START, method="lbfgsb", alpha=alpha, reference=np.zeros(3))
    J, gap = ARM.jacobian(solution.pose, "Tip")[:2], tip(solution.pose) - [1.0, 1.0]
    assert_close(J.T @ gap + alpha * solution.pose, np.zeros(3), tol=1e-7)
