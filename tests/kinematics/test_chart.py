from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from hypothesis import given
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin import rotations
from manikin.kinematics.chart import chart_of, inside, step_units


def within(figure, q):
    """Numbers to the last bit, cones and couplings to rounding."""
    assert np.all(figure.lower <= q)
    assert np.all(q <= figure.upper)
    assert figure.violation(q) <= 1e-9


def unit_figure(rng):
    """A random figure of size 1."""
    figure = random_figure(rng)
    return figure.scaled(1.0 / figure.size)


def interior(chart, q):
    """A pose away from all limits that have an inside."""
    local = chart.at(q)
    return local.moved(0.5 * local.to_middle())


@pytest.mark.parametrize("normalised", [True, False])
@given(rngs())
def test_a_step_in_the_chart_is_to_first_order_the_figures_step(normalised, rng):
    figure = random_figure(rng)
    chart = chart_of(figure, normalised)
    q = interior(chart, figure.random(rng))
    local = chart.at(q)
    B = np.array([local.steps(e) for e in np.eye(figure.nv)]).T
    roomy = (local.upper > 1e-2) & (local.lower < -1e-2)  # the others cannot move both ways

    def moved(c):
        return figure.difference(q, local.moved(c * roomy)) / step_units(figure)

    derivative = B * roomy / step_units(figure)[:, None]
    assert_derivative(moved, derivative, np.zeros(figure.nv), step=1e-3, tol=1e-7)


@pytest.mark.parametrize("normalised", [True, False])
@given(rngs())
def test_moving_by_anything_stays_within_limits(normalised, rng):
    figure = random_figure(rng)
    q = random_pose(figure, rng, inside=True)
    local = chart_of(figure, normalised).at(q)
    for size in (1e-9, 0.1, 1.0, 30.0):
        within(figure, local.moved(size * rng.normal(size=figure.nv)))


@given(rngs())
def test_the_bounds_hold_standing_still_and_reach_the_limits_of_numbers_exactly(rng):
    figure = random_figure(rng)
    local = chart_of(figure, normalised=True).at(random_pose(figure, rng, inside=True))
    assert np.all(local.lower <= 0.0)
    assert np.all(local.upper >= 0.0)
    bounded = np.isfinite(local.upper)
    top = local.moved(np.where(bounded, local.upper, 0.0))
    within(figure, top)
    chart = local.chart
    ends = np.isfinite(figure.upper[chart.number])
    assert_close(top[chart.number[ends]], figure.upper[chart.number[ends]], scale=figure.size + 10, tol=1e-12)


@given(rngs())
def test_columns_are_those_of_the_matrix_of_steps(rng):
    figure = random_figure(rng)
    local = chart_of(figure, normalised=True).at(random_pose(figure, rng, inside=True))
    J = rng.normal(size=(3, figure.nv))
    B = np.array([local.steps(e) for e in np.eye(figure.nv)]).T if figure.nv else np.zeros((0, 0))
    assert_close(local.columns(J), J @ B, scale=10 * figure.size + 10)


@given(rngs())
def test_coordinates_of_a_step_lead_to_it(rng):
    figure = unit_figure(rng)
    chart = chart_of(figure, normalised=False)
    local = chart.at(interior(chart, figure.random(rng)))
    held = np.zeros(figure.nv, dtype=bool)
    held[chart.cones.step[chart.cones.half <= 0.0] + 2] = True
    c = np.where(held, 0.0, rng.normal(size=figure.nv))
    assert_close(local.steps(local.coordinates_of(local.steps(c))), local.steps(c), tol=1e-8)


@given(rngs())
def test_the_middle_is_where_the_way_to_it_ends(rng):
    figure = unit_figure(rng)
    chart = chart_of(figure, normalised=True)
    local = chart.at(random_pose(figure, rng, inside=True))
    middle = local.moved(local.to_middle())
    within(figure, middle)
    assert_close(chart.at(middle).to_middle(), np.zeros(figure.nv), tol=1e-6)


@given(rngs())
def test_velocities_of_a_ball_are_the_derivative_of_its_rotation(rng):
    cone = mk.SwingTwist(axis=rng.normal(size=3), swing=rng.uniform(0.1, 2.5, size=2), twist=(-1.0, rng.uniform(0, 2)))
    figure = mk.Figure("ball", [mk.Segment("S", joint=mk.Ball(cone))])
    chart = chart_of(figure, normalised=True)
    xyt = inside(rng.choice([0.0, 1e-7, 0.5, 1.0]) * rng.normal(size=(1, 3)), np.array([False]))
    there = chart.composed(xyt)[0]

    def turned(x):
        return rotations.to_rotation_vector(rotations.multiply(rotations.inverse(there), chart.composed(x[None])[0]))

    assert_derivative(turned, chart.velocities(xyt)[0], xyt[0], step=1e-2, tol=1e-8)


def test_a_ball_on_its_rim_may_move_along_it_and_inward_but_not_out():
    cone = mk.SwingTwist(axis=(0, 1, 0), swing=(0.5, 0.8), twist=(-0.3, 0.3))
    figure = mk.Figure("ball", [mk.Segment("S", joint=mk.Ball(cone))])
    chart = chart_of(figure, normalised=True)
    rim = chart.composed(np.array([[0.6, 0.8, 0.0]]))[0]
    local = chart.at(rim)
    assert local.upper[0] == pytest.approx(0.0, abs=1e-12)
    assert local.lower[0] == pytest.approx(-2.0)
    assert local.upper[1] == pytest.approx(1.0)
    assert (local.lower[2], local.upper[2]) == (pytest.approx(-1.0), pytest.approx(1.0))


def test_a_twist_of_a_whole_turn_has_no_end():
    cone = mk.SwingTwist(axis=(0, 1, 0), swing=(0.5, 0.8))
    figure = mk.Figure("ball", [mk.Segment("S", joint=mk.Ball(cone))])
    local = chart_of(figure, normalised=True).at(figure.rest)
    assert local.upper[2] == np.inf
    around = local.moved(np.array([0.0, 0.0, 1.9]))  # nearly twice half a turn
    assert figure.violation(around) == 0.0
    assert_close(np.abs(figure.difference(figure.rest, around)), [0.0, 0.1 * np.pi, 0.0], tol=1e-9)


def test_a_cone_without_any_limit_is_a_free_ball():
    figure = mk.Figure("ball", [mk.Segment("S", joint=mk.Ball(mk.SwingTwist()))])
    chart = chart_of(figure, normalised=True)
    assert len(chart.cones.number) == 0
    assert len(chart.loose_number) == 1


def test_a_twist_that_is_held_stays_held():
    cone = mk.SwingTwist(axis=(0, 1, 0), swing=(0.5, 0.8), twist=(0.2, 0.2))
    figure = mk.Figure("ball", [mk.Segment("S", joint=mk.Ball(cone))])
    local = chart_of(figure, normalised=False).at(figure.rest)
    assert (local.lower[2], local.upper[2]) == (0.0, 0.0)
    assert figure.violation(local.moved(np.array([0.1, 0.1, 5.0]))) <= 1e-12


def test_coupled_joints_follow():
    lead = mk.Segment("A", joint=mk.Hinge(limits=(-2, 2)))
    follow = mk.Segment("B", "A", mk.Joint("B", (mk.Hinge(limits=(-1, 1)),), coupling=mk.Coupling("A", -0.5, 0.1)))
    figure = mk.Figure("pair", [lead, follow])
    q = chart_of(figure, normalised=False).at(figure.rest).moved(np.array([9.0]))
    within(figure, q)
    assert_close(q, [2.0, -0.9])


def test_the_unit_of_a_slide_is_the_size_of_the_figure():
    figure = mk.Figure("slide", [mk.Segment("A"), mk.Segment("B", "A", mk.Slider(limits=(-3, 5)))])
    assert_close(step_units(figure), [figure.size])
    local = chart_of(figure, normalised=False).at(figure.rest)
    assert_close(local.upper, [5.0 / figure.size])
