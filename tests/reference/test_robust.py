"""Robust losses: slopes are derivatives, losses are concave in d², and the cost of a problem has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused, step_units
from hypothesis import given, settings
from strategies import random_direction, random_figure, random_pose, random_quaternion, rngs

import manikin as mk
from manikin.errors import BadValue
from manikin.goals.robust import LOSSES
from manikin.problem import Problem
from manikin.reference.robust import GEMAN_MCCLURE, HUBER, LEAST_WEIGHT, loss

KINDS = [GEMAN_MCCLURE, HUBER]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 40.0])
def test_the_slope_is_the_derivative_by_the_squared_error(kind, scale):
    edges = {GEMAN_MCCLURE: [np.sqrt(999.0)], HUBER: [1.0, 1e6]}[kind]
    ratios = np.concatenate([np.geomspace(1e-3, 1e8, 200), *(np.array([0.99, 1.01]) * edge for edge in edges)])
    for square in (scale * ratios) ** 2:

        def value(s):
            return np.atleast_1d(loss(kind, scale, np.sqrt(s))[0])

        slope = loss(kind, scale, np.sqrt(square))[1]
        assert_derivative(
            value, np.array([[slope]]), np.array([square]), step=1e-3 * square, scale=float(slope), tol=1e-6
        )


@pytest.mark.parametrize("kind", KINDS)
def test_a_loss_begins_as_the_square_grows_and_is_concave_in_the_square(kind):
    errors = np.concatenate([[0.0], np.geomspace(1e-8, 1e9, 4000)])
    value, slope = loss(kind, 0.7, errors)
    assert value[0] == 0.0
    assert slope[0] == 1.0
    assert_close(value[1:50] / errors[1:50] ** 2, 1.0, tol=1e-6)
    assert (np.diff(value) >= 0.0).all()
    assert (np.diff(slope) <= 0.0).all()
    assert slope.min() == LEAST_WEIGHT
    # a tangent in d² lies above the loss everywhere
    at = slice(None, None, 97)
    tangents = value[at, None] + slope[at, None] * (errors[None] ** 2 - errors[at, None] ** 2)
    rounding = 1e-14 * (value[at, None] + slope[at, None] * (errors[None] ** 2 + errors[at, None] ** 2))
    assert (tangents >= value[None] * (1.0 - 1e-14) - rounding).all()


def test_the_slopes_are_those_of_the_literature():
    d, c = np.linspace(0.0, 0.3, 31), 0.05
    assert_close(mk.GemanMcClure(c).weight(d), (c**2 / (c**2 + d**2)) ** 2, tol=1e-15)
    assert_close(mk.Huber(c).weight(d), np.minimum(1.0, c / np.maximum(d, 1e-9)), tol=1e-15)
    assert mk.GemanMcClure(c).weight(1e6) == LEAST_WEIGHT
    assert set(LOSSES) == set(KINDS)


def random_robust_goal(figure, rng):
    segment = figure.segment_names[rng.integers(len(figure.segment_names))]
    point, offset = figure.size * rng.normal(size=3), tuple(0.1 * figure.size * rng.normal(size=3))
    make = (mk.GemanMcClure, mk.Huber)[rng.integers(2)]
    length, angle = make(figure.size * 10.0 ** rng.uniform(-2, 1)), make(10.0 ** rng.uniform(-1, 1))
    goals = [
        lambda: mk.Position(segment, point, offset=offset, robust=length),
        lambda: mk.Position(segment, point[:2], axes="yz", robust=length),
        lambda: mk.Orientation(segment, random_quaternion(rng), robust=angle),
        lambda: mk.Aim(segment, point, axis=random_direction(rng), robust=angle),
        lambda: mk.Plane(segment, point, random_direction(rng), robust=length),
        lambda: mk.Line(segment, point, random_direction(rng), offset=offset, robust=length, weight=2.0),
        lambda: mk.Position(segment, point, weight=0.3),
    ]
    return goals[rng.integers(len(goals))]()


@settings(max_examples=60)
@given(rngs())
def test_the_gradient_of_the_cost_is_that_of_its_residual(rng):
    """Jᵀr with the weights of the losses is the exact gradient."""
    figure = random_figure(rng)
    goals = [random_robust_goal(figure, rng) for _ in range(3)]
    pose = random_pose(figure, rng)
    problem = Problem(figure, goals, pose)
    at = problem.at(pose)
    turned = [
        g.measure(at.counted[rows]) for g, rows in zip(problem.goals, problem.slices, strict=True) if all(g.angular)
    ]
    if any(angle > 3.0 for angle in turned):
        return  # half a turn: the error jumps there
    gradient = at.jacobian.T @ at.residual

    def cost(v):
        return np.atleast_1d(problem.at(figure.integrate(pose, np.where(problem.movable, v, 0.0))).cost)

    size = max(float(np.abs(gradient * step_units(figure)).max(initial=0.0)), at.cost, 1e-9 * figure.size**2)
    zero = np.zeros(figure.nv)
    assert_derivative(cost, gradient[None], zero, units=step_units(figure), scale=size, step=1e-3, tol=1e-6)


def test_a_robust_goal_far_below_its_scale_is_a_plain_one():
    figure = mk.human()
    hand = mk.Position("LeftHand", (0.4, 1.2, 0.3))
    plain, robust = (
        Problem(figure, g, figure.rest).at(figure.rest)
        for g in (hand, mk.Position("LeftHand", (0.4, 1.2, 0.3), robust=mk.GemanMcClure(1e6)))
    )
    assert_close(robust.cost, plain.cost, tol=1e-10)
    assert_close(robust.jacobian, plain.jacobian, tol=1e-10)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, "wide"])
def test_a_scale_must_be_a_length_above_0(scale):
    assert_refused(lambda: mk.GemanMcClure(scale), BadValue, "GemanMcClure: scale")


def test_only_goals_with_one_error_of_one_effector_can_be_robust():
    options: dict[str, Any] = {"robust": mk.GemanMcClure(0.03)}
    for make in (lambda: mk.Placement("Hand", (0, 0, 0, 1, 0, 0, 0), **options), lambda: mk.Balance(**options)):
        with pytest.raises(TypeError, match="robust"):
            make()
    assert_refused(lambda: mk.Position("Hand", (0, 0, 0), robust="huber"), BadValue, "it needs a loss such as")
