"""docs/theory/7-regularisation.md: the damped step within bounds, compared with its conditions for a minimum and with
SciPy's BVLS."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from strategies_linalg import Boxed, boxed, boxed_problems, jacobians, seeds, with_singular_values

from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.linalg import bounded_step, damped_step, pinv_step
from manikin.linalg.inverses import norm

ROUNDING = 1e-14


def solved(p: Boxed) -> Vector:
    return bounded_step(p.J, p.dX, p.damping, p.lower, p.upper)


def cost(p: Boxed, step: Vector) -> float:
    return 0.5 * float(np.sum((p.J @ step - p.dX) ** 2) + p.damping**2 * np.sum(step**2))


def missing(p: Boxed, step: Vector) -> float:
    """By how much a step fails the conditions for a minimum, relative to the terms in them."""
    scale = max(norm(p.J), p.damping)
    if scale == 0.0:
        return 0.0
    J, dX, damping = p.J / scale, p.dX / scale, p.damping / scale  # the squares must not overflow
    descent = J.T @ (dX - J @ step) - damping**2 * step
    at_lower, at_upper = step == p.lower, step == p.upper
    wrong = np.where(at_lower, np.maximum(descent, 0.0), np.where(at_upper, np.maximum(-descent, 0.0), abs(descent)))
    wrong[at_lower & at_upper] = 0.0
    return float(wrong.max(initial=0.0) / (np.linalg.norm(dX) + np.linalg.norm(step) + 1e-300))


@given(boxed_problems())
def test_the_step_is_within_its_bounds_to_the_last_bit(p: Boxed) -> None:
    step = solved(p)
    assert step.shape == p.lower.shape
    assert (p.lower <= step).all()
    assert (step <= p.upper).all()


@given(boxed_problems())
def test_the_step_meets_the_conditions_for_a_minimum(p: Boxed) -> None:
    assert missing(p, solved(p)) < 100.0 * ROUNDING


@given(boxed_problems(), seeds())
def test_no_other_step_within_the_bounds_costs_less(p: Boxed, seed: int) -> None:
    rng, step = np.random.default_rng(seed), solved(p)
    low, high = np.maximum(p.lower, step - 1.0), np.minimum(p.upper, step + 1.0)
    scale = max(norm(p.J), p.damping)
    p = Boxed(p.J / scale, p.dX / scale, p.damping / scale, p.lower, p.upper)
    for _ in range(10):
        other = step + rng.choice([1e-3, 1.0]) * (rng.uniform(low, high) - step)
        assert cost(p, step) <= cost(p, other) + 100.0 * ROUNDING * (cost(p, other) + cost(p, step))


@given(jacobians(), seeds(), st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 1.0, 10.0]))
def test_without_a_bound_in_the_way_it_is_the_damped_step(J: Matrix, seed: int, damping: float) -> None:
    dX = norm(J) * np.random.default_rng(seed).normal(size=len(J))
    damping *= norm(J) or 1.0
    expected = damped_step(J, dX, damping)
    size = 1.0 + float(np.abs(expected).max())
    lost = 1.0 if damping <= 1e-8 * norm(J) else max(1.0, (norm(J) / damping) ** 2)
    for room in (np.inf, 0.0, size):
        step = bounded_step(J, dX, damping, np.minimum(expected, 0.0) - room, np.maximum(expected, 0.0) + room)
        assert_close(step, expected, scale=10.0 * size * lost, tol=ROUNDING)


@given(boxed_problems(undamped=True))
def test_without_damping_it_is_finite_within_bounds_and_a_minimum(p: Boxed) -> None:
    step = solved(p)
    assert np.isfinite(step).all()
    assert (p.lower <= step).all()
    assert (step <= p.upper).all()
    # singular values near the floor of the method, 1e-7 ‖J‖, are approached and not reached
    assert missing(p, step) < 1e-8


@given(boxed_problems(), st.integers(-400, 600))
def test_the_unit_of_length_makes_no_difference(p: Boxed, exponent: int) -> None:
    unit = 2.0 ** (exponent if 1e-6 < norm(p.J) < 1e7 else 0)
    assert_close(bounded_step(p.J * unit, p.dX * unit, p.damping * unit, p.lower, p.upper), solved(p), tol=0.0)


def test_cost_equals_bvls_on_a_thousand_random_problems() -> None:
    rng = np.random.default_rng(2026)
    held, better = 0, 0
    for _ in range(1000):
        m, n = (int(k) for k in rng.integers(1, 31, size=2))
        values = 10.0 ** rng.uniform(-rng.choice([0.5, 6.0]), 0.0, size=min(m, n))
        p = boxed(rng, with_singular_values(rng, m, n, values), damping=10.0 ** rng.uniform(-3.0, 1.0))
        step = solved(p)
        assert (p.lower <= step).all()
        assert (step <= p.upper).all()
        # BVLS asks for room between the bounds
        upper = np.where(p.upper > p.lower, p.upper, np.nextafter(p.lower, np.inf))
        stretched = np.vstack([p.J, p.damping * np.eye(n)])
        best = lsq_linear(
            stretched, np.append(p.dX, np.zeros(n)), (p.lower, upper), method="bvls", tol=1e-14, max_iter=1000
        )
        assert cost(p, step) <= best.cost * (1.0 + 1e-8)
        better += bool(cost(p, step) < best.cost * (1.0 - 1e-8))
        held += int(np.count_nonzero((step == p.lower) | (step == p.upper)))
    assert held > 2000  # the bounds were felt
    assert better < 50  # BVLS gives up early on some; on the others the costs are equal, not only no worse


def test_an_angle_at_its_bound_hands_its_part_to_the_others() -> None:
    J, dX = np.array([[1.0, 1.0]]), np.array([1.0])
    step = bounded_step(J, dX, 0.1, [-0.1, -1.0], [0.1, 1.0])
    assert step[0] == 0.1
    assert_close(step[1], 0.9 / 1.01, tol=1e-15)
    clipped = np.clip(damped_step(J, dX, 0.1), [-0.1, -1.0], [0.1, 1.0])
    assert abs((J @ step - dX).item()) < abs((J @ clipped - dX).item())


def test_an_angle_that_was_held_too_early_is_freed_again() -> None:
    # alone past its bound in the first round, back inside once the second angle is held
    J, dX = np.array([[1.0, -2.0], [0.0, 1.0]]), np.array([0.0, 3.0])
    lower, upper = np.array([-3.0, -1.0]), np.array([3.0, 1.0])
    assert damped_step(J, dX, 0.01)[0] > 3.0
    step = bounded_step(J, dX, 0.01, lower, upper)
    assert step[1] == 1.0
    assert_close(step[0], 2.0 / 1.0001, tol=1e-14)


def test_bounds_that_exclude_zero_and_bounds_that_touch_are_kept() -> None:
    step = bounded_step(np.eye(3), np.zeros(3), 1.0, [0.5, -2.0, 0.25], [1.0, -1.5, 0.25])
    assert_close(step, [0.5, -1.5, 0.25], tol=0.0)


def test_one_number_stands_for_all_bounds_and_infinity_for_none() -> None:
    J, dX = np.random.default_rng(3).normal(size=(4, 6)), np.ones(4)
    assert_close(
        bounded_step(J, dX, 0.1, -0.05, 0.05), bounded_step(J, dX, 0.1, np.full(6, -0.05), np.full(6, 0.05)), tol=0.0
    )
    assert_close(bounded_step(J, dX, 0.1, -np.inf, np.inf), damped_step(J, dX, 0.1), tol=1e-14)


@pytest.mark.parametrize("damping", [0.0, 1e-300, 1.0])
def test_a_jacobian_of_zeros_gives_the_step_nearest_to_none(damping: float) -> None:
    step = bounded_step(np.zeros((2, 3)), np.ones(2), damping, [-1.0, 0.5, -2.0], [1.0, 1.0, -1.0])
    assert_close(step, [0.0, 0.5, -1.0], tol=0.0)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_no_rows_and_no_angles_are_allowed(shape: tuple[int, int], damping: float) -> None:
    m, n = shape
    assert_close(bounded_step(np.ones(shape), np.ones(m), damping, -1.0, 1.0), np.zeros(n), tol=0.0)


@given(seeds())
def test_without_damping_the_step_is_the_limit_of_small_dampings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = boxed(rng, rng.normal(size=(3, 9)), damping=0.0)
    limit = bounded_step(p.J, p.dX, 1e-5, p.lower, p.upper)
    bare = Boxed(p.J, p.dX, 0.0, p.lower, p.upper)
    step = solved(bare)
    assert cost(bare, step) <= cost(bare, limit) + 1e-10 * (1.0 + cost(bare, limit))
    if np.isneginf(p.lower).all() and np.isposinf(p.upper).all():
        assert_close(step, pinv_step(p.J, p.dX), tol=1e-12)


def test_arguments_are_not_changed() -> None:
    arrays = [np.ones((2, 3)), np.ones(2), np.full(3, -0.1), np.full(3, 0.1)]
    copies = [a.copy() for a in arrays]
    J, dX, lower, upper = arrays
    bounded_step(J, dX, 0.5, lower, upper)
    for array, copy in zip(arrays, copies, strict=True):
        assert_close(array, copy, tol=0.0)


def test_messages_name_the_bound_and_its_value() -> None:
    J, dX = np.ones((2, 3)), np.ones(2)
    with pytest.raises(BadValue, match=r"in the wrong order: lower\[1\] is 2, above upper\[1\], 1"):
        bounded_step(J, dX, 0.1, [0.0, 2.0, 0.0], 1.0)
    with pytest.raises(BadValue, match=r"lower\[0\] is nan"):
        bounded_step(J, dX, 0.1, np.nan, 1.0)
    with pytest.raises(BadValue, match=r"upper\[2\] is -inf"):
        bounded_step(J, dX, 0.1, -1.0, [0.0, 0.0, -np.inf])
    with pytest.raises(BadShape, match=r"lower has shape \(2,\); it needs \(3,\)"):
        bounded_step(J, dX, 0.1, [0.0, 0.0], 1.0)
    with pytest.raises(BadValue, match="damping is -1; it must be at least 0"):
        bounded_step(J, dX, -1.0, -1.0, 1.0)
    with pytest.raises(BadShape, match=r"displacement has shape \(3,\).* needs \(2,\)"):
        bounded_step(J, np.ones(3), 0.1, -1.0, 1.0)
