"""The two active-set methods of the damped step within bounds, each alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies_linalg import Boxed, boxed, boxed_problems, with_singular_values

from manikin.arrays import Vector
from manikin.linalg import damped_step
from manikin.reference import bounded

CIRCLES = Boxed(
    J=np.array([[4.0, -2.0, -3.0], [3.0, -3.0, -1.0]]),
    dX=np.array([-4.0, 9.0]),
    damping=1.0,
    lower=np.array([0.0, -2.0, 0.0]),
    upper=np.array([1.0, 1.0, 2.0]),
)
"""A problem on which holding and freeing all at once goes in circles."""


def solved(p: Boxed) -> tuple[Vector, int]:
    return bounded.bounded_step(p.J, p.dX, p.damping, p.lower, p.upper)


def test_a_problem_on_which_all_at_once_goes_in_circles_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    step, _ = solved(CIRCLES)
    # by hand: with the second angle at -2 and the third at 2 the first is 7/26, and both are pushed outward
    assert_close(step, [7.0 / 26.0, -2.0, 2.0], tol=1e-15)
    w = CIRCLES.J.T @ (CIRCLES.dX - CIRCLES.J @ step) - step
    assert_close(w, [0.0, -115.0 / 26.0, 79.0 / 26.0], tol=1e-14)
    # and it does go in circles: however long it goes on, it does not come to an end
    monkeypatch.setattr(bounded, "PATIENCE", 1000)
    problem = bounded._Problem(CIRCLES.J, CIRCLES.dX, CIRCLES.lower, CIRCLES.upper)
    assert problem._all_at_once(1.0, np.zeros(3))[1] is False
    assert problem.solves >= 1000


@given(boxed_problems())
def test_one_at_a_time_finds_the_same_minimum_as_all_at_once(p: Boxed) -> None:
    step, _ = solved(p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "PATIENCE", 0)
        walked, _ = solved(p)
    assert (p.lower <= walked).all()
    assert (walked <= p.upper).all()
    size = 1.0 + float(np.abs(step).max())
    blown_up = (float(np.linalg.norm(p.J / p.damping)) + 1.0) ** 2
    assert_close(walked, step, scale=size * blown_up, tol=1e-13)


def test_few_rounds_are_enough_for_most_problems_and_the_cap_is_never_met() -> None:
    rng, counts = np.random.default_rng(4), []
    for _ in range(300):
        m, n = (int(k) for k in rng.integers(1, 41, size=2))
        values = 10.0 ** rng.uniform(-rng.choice([0.5, 6.0]), 0.0, size=min(m, n))
        p = boxed(rng, with_singular_values(rng, m, n, values), damping=10.0 ** rng.uniform(-3.0, 1.0))
        counts.append(solved(p)[1] / (n + 1))
        assert solved(p)[1] < bounded.CAP_PER_ANGLE * (n + 1) / 4
    assert np.median(counts) < 1.0


def test_a_displacement_out_of_reach_costs_no_digits_of_the_step() -> None:
    # two equal rows that ask for opposite things: y is about 1 / λ², and its sum would lose the step
    rng = np.random.default_rng(6)
    row = rng.normal(size=(1, 12))
    J, dX = np.vstack([row, row, rng.normal(size=(1, 12))]), np.array([1.0, -1.0, 0.5])
    for damping in (1e-3, 1e-5, 1e-6):
        step, _ = bounded.bounded_step(J, dX, damping, np.full(12, -0.02), np.full(12, 0.5))
        inside = (step > -0.02) & (step < 0.5)
        w = J.T @ (dX - J @ step) - damping**2 * step
        assert_close(w[inside], 0.0, scale=float(np.linalg.norm(J)) ** 2, tol=1e-14)


def test_what_remains_without_damping_is_below_what_the_docstring_says() -> None:
    # a singular value where the proximal steps are slowest
    sigma = bounded.FLOOR / math.sqrt(2.0 * bounded.PROXIMAL_STEPS)
    J, dX = np.diag([1.0, sigma]), np.ones(2)
    step, solves = bounded.bounded_step(J, dX, 0.0, np.full(2, -np.inf), np.full(2, np.inf))
    assert solves == bounded.PROXIMAL_STEPS
    w = J.T @ (dX - J @ step)
    floor = bounded.FLOOR * np.linalg.norm(J)
    assert np.abs(w).max() <= floor * np.linalg.norm(dX) / math.sqrt(2.0 * math.e * bounded.PROXIMAL_STEPS)
    assert np.isfinite(step).all()


def test_rounding_cannot_trap_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    # without any slack an angle whose w is 1e-17 inward is freed and comes straight back, again and again
    monkeypatch.setattr(bounded, "SLACK", 0.0)
    monkeypatch.setattr(bounded, "PATIENCE", 0)
    J = np.array([[1.0, 2.0, 2.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0, 1.0], [2.0, 0.0, 1.0, -1.0, 1.0]])
    lower, upper = np.array([-1.0, 0.0, 0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0, 0.0, 1.0])
    step, solves = bounded.bounded_step(J, np.array([0.0, 1.0, 0.0]), 1.0, lower, upper)
    assert_close(step, [0.0, 0.0, 0.0, 0.0, 1.0 / 3.0], tol=1e-15)
    assert solves < 10


def test_angles_without_room_are_never_freed() -> None:
    # each is pulled up, past its only place
    p = Boxed(np.ones((2, 4)), np.full(2, 5.0), 0.1, np.full(4, 0.25), np.full(4, 0.25))
    step, solves = solved(p)
    assert_close(step, np.full(4, 0.25), tol=0.0)
    assert solves == 1


def test_a_step_that_ends_exactly_on_its_bounds_takes_no_detour() -> None:
    J, dX = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([4.0, 1.0, 7.0])
    step, solves = bounded.bounded_step(J, dX, 1.0, np.array([-1.0, 0.5]), np.array([1.6, 2.0]))
    assert_close(step, [1.6, 0.5], tol=1e-15)
    assert solves <= 2


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_squares_of_small_singular_values_cost_no_digits(shape: tuple[int, int]) -> None:
    # J'J and JJ' have the condition 1e12 here: solved once, the step would be good to four digits
    rng = np.random.default_rng(7)
    J = with_singular_values(rng, *shape, np.array([1.0, 1e-2, 1e-4, 1e-6]))
    dX = J @ rng.normal(size=shape[1])
    step, _ = bounded.bounded_step(J, dX, 1e-6, np.full(shape[1], -np.inf), np.full(shape[1], np.inf))
    expected = damped_step(J, dX, 1e-6)
    assert_close(step, expected, scale=float(np.abs(expected).max()), tol=1e-8)
