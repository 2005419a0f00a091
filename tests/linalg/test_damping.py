"""docs/theory/7-regularisation.md: the damped step, its condition number (Lemma 7.1) and its residual (Lemma 7.2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies_linalg import jacobians, seeds

from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue
from manikin.linalg import RANK_TOLERANCE, damped_step, damping_study, pinv_step, rank
from manikin.linalg.inverses import norm

ROUNDING = 1e-14
DAMPINGS = np.array([0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 1.0, 1.5, 10.0, 1e3, 1e6])
"""In units of ‖J‖."""


def problem(J: Matrix, seed: int) -> tuple[Matrix, Vector]:
    """J brought to norm 1 (unless it is 0) and a displacement, within reach or not."""
    rng = np.random.default_rng(seed)
    J = J / (norm(J) or 1.0)
    return J, J @ rng.normal(size=J.shape[1]) if seed % 2 else rng.normal(size=len(J))


@given(jacobians(), seeds(), st.sampled_from(DAMPINGS[1:].tolist()))
def test_the_step_solves_the_normal_equations(J: Matrix, seed: int, damping: float) -> None:
    J, dX = problem(J, seed)
    step = damped_step(J, dX, damping)
    left = (J.T @ J + damping**2 * np.eye(len(step))) @ step
    assert_close(left, J.T @ dX, scale=10.0 * (1.0 + damping + np.linalg.norm(step)), tol=ROUNDING)


@given(jacobians(), seeds(), st.sampled_from(DAMPINGS[1:].tolist()))
def test_the_step_is_the_least_squares_solution_of_the_stretched_system(J: Matrix, seed: int, damping: float) -> None:
    J, dX = problem(J, seed)
    n = J.shape[1]
    stretched, wanted = np.vstack([J, damping * np.eye(n)]), np.concatenate([dX, np.zeros(n)])
    expected = np.linalg.lstsq(stretched, wanted, rcond=None)[0]
    assert_close(damped_step(J, dX, damping), expected, scale=10.0 / min(damping, 1.0) ** 2, tol=ROUNDING)


@given(jacobians(), seeds())
def test_without_damping_it_is_the_pseudo_inverse_step(J: Matrix, seed: int) -> None:
    dX = norm(J) * np.random.default_rng(seed).normal(size=len(J))
    expected = pinv_step(J, dX)
    assert_close(damped_step(J, dX, 0.0), expected, scale=1.0 + np.abs(expected).max(), tol=ROUNDING)


@given(jacobians(), seeds(), st.sampled_from([1e-9, 1e-6, 1e-3, 1.0, 1e3]))
def test_the_step_is_never_longer_than_half_the_displacement_over_the_damping(
    J: Matrix, seed: int, damping: float
) -> None:
    dX = norm(J) * np.random.default_rng(seed).normal(size=len(J))
    damping *= norm(J) or 1.0
    assert np.linalg.norm(damped_step(J, dX, damping)) <= np.linalg.norm(dX) / (2.0 * damping) * (1.0 + ROUNDING)


def test_each_singular_direction_is_followed_by_its_factor() -> None:
    sigma, damping = np.array([2.0, 0.5, 1e-3]), 0.5
    step = damped_step(np.diag(sigma), np.ones(3), damping)
    assert_close(sigma * step, sigma**2 / (sigma**2 + damping**2), tol=1e-15)


@pytest.mark.parametrize("damping", [0.0, 1e-300, 1e-200, 1e-120])
def test_a_damping_next_to_nothing_leaves_singular_directions_alone(damping: float) -> None:
    # 1e-17 is rounding, which a damping of 1e-17 would turn into a step of 5e16
    assert_close(damped_step(np.diag([1.0, 1e-17]), np.ones(2), damping), [1.0, 0.0], tol=1e-15)


def test_the_switch_from_no_damping_to_damping_is_at_the_rank_tolerance() -> None:
    J, dX = np.diag([1.0, 0.5 * RANK_TOLERANCE]), np.ones(2)
    assert damped_step(J, dX, 0.9 * RANK_TOLERANCE)[1] == 0.0
    assert damped_step(J, dX, 1.1 * RANK_TOLERANCE)[1] > 0.1 / RANK_TOLERANCE


@given(jacobians(), seeds(), st.sampled_from([0.0, 1e-130, 1e-12, 1.0, 1e12, 1e130]))
def test_the_step_and_the_study_are_finite_at_any_scale(J: Matrix, seed: int, damping: float) -> None:
    dX = (norm(J) or 1.0) * np.random.default_rng(seed).normal(size=len(J))
    assert np.isfinite(damped_step(J, dX, damping)).all()
    study = damping_study(J, dX, [damping])
    assert np.isfinite([study.residual_norms, study.step_norms]).all()
    assert not np.isnan(study.condition_numbers).any()
    if 1e-100 < norm(J) < 1e100 and not 0.0 < damping < 1e-100:
        assert np.isfinite(study.condition_numbers).all() == (damping > 0.0 or rank(J) == J.shape[1])


# The study


@given(jacobians(), seeds())
def test_the_condition_number_falls_to_one_as_the_damping_grows(J: Matrix, seed: int) -> None:
    J, dX = problem(J, seed)
    study = damping_study(J, dX, DAMPINGS)
    found = study.condition_numbers
    assert (found >= 1.0).all()
    assert (found[1:] <= found[:-1] * (1.0 + ROUNDING)).all()
    assert found[-1] <= 1.0 + 2e-12  # λ = 1e6 ‖J‖: 1 + σ²/λ²
    singular = rank(J) < J.shape[1]
    assert math.isinf(found[0]) == singular
    assert (found[1:-1] > found[2:]).all() or norm(J) == 0.0 or found[1] - 1.0 < 1e-6


@given(jacobians(), seeds())
def test_the_condition_number_is_that_of_the_damped_normal_matrix(J: Matrix, seed: int) -> None:
    J, dX = problem(J, seed)
    dampings = DAMPINGS[3:]
    for damping, found in zip(dampings, damping_study(J, dX, dampings).condition_numbers, strict=True):
        eigenvalues = np.linalg.eigvalsh(J.T @ J + damping**2 * np.eye(J.shape[1]))
        expected = float(eigenvalues.max() / eigenvalues.min())
        assert_close(found, expected, scale=expected**2, tol=10.0 * ROUNDING)


@given(jacobians(), seeds())
def test_the_residual_grows_with_the_damping(J: Matrix, seed: int) -> None:
    J, dX = problem(J, seed)
    study = damping_study(J, dX, DAMPINGS)
    residuals, length = study.residual_norms, float(np.linalg.norm(dX))
    assert (residuals[1:] >= residuals[:-1] - ROUNDING * length).all()
    # from what J cannot reach to all of it
    assert_close(residuals[0], float(np.linalg.norm(dX - J @ pinv_step(J, dX))), scale=1e8 * length, tol=ROUNDING)
    assert_close(residuals[-1], length, scale=length, tol=1e-11)


@given(jacobians(), seeds())
def test_the_residual_is_the_formula_of_the_chapter(J: Matrix, seed: int) -> None:
    J, dX = problem(J, seed)
    dampings = DAMPINGS[3:]
    for damping, found in zip(dampings, damping_study(J, dX, dampings).residual_norms, strict=True):
        inner = np.linalg.inv(J.T @ J + damping**2 * np.eye(J.shape[1]))
        expected = float(np.linalg.norm((np.eye(len(J)) - J @ inner @ J.T) @ dX))
        assert_close(found, expected, scale=1e3 / min(1.0, damping) ** 2, tol=ROUNDING)


@given(jacobians(), seeds())
def test_the_study_tells_of_the_damped_step(J: Matrix, seed: int) -> None:
    J, dX = problem(J, seed)
    study = damping_study(J, dX, DAMPINGS)
    steps = [damped_step(J, dX, damping) for damping in DAMPINGS]
    lengths = np.array([np.linalg.norm(step) for step in steps])
    assert_close(study.step_norms, lengths, scale=float(1.0 + lengths.max()), tol=ROUNDING)
    missing = np.array([np.linalg.norm(dX - J @ step) for step in steps])
    assert_close(study.residual_norms, missing, scale=float(10.0 + lengths.max()), tol=ROUNDING)
    assert (study.step_norms[1:] <= study.step_norms[:-1] * (1.0 + ROUNDING)).all()
    assert_close(study.dampings, DAMPINGS, tol=0.0)


def test_the_chapters_dampings_near_a_stretched_chain() -> None:
    # three links of length 1, nearly stretched: small λ long steps, large λ lag
    angles = np.cumsum([0.3, 1e-3, 1e-3])
    ends = np.cumsum(np.column_stack([np.cos(angles), np.sin(angles)])[::-1], axis=0)[::-1]
    J = np.column_stack([-ends[:, 1], ends[:, 0]]).T
    study = damping_study(J, 0.1 * np.array([np.cos(0.3), np.sin(0.3)]), [0.0, 0.1, 0.25, 1.5, 10.0])
    assert study.step_norms[0] > 10.0 > 0.1 > study.step_norms[1]
    assert (np.diff(study.residual_norms) > 0.0).all()


def test_the_study_is_read_only_and_keeps_no_hold_of_its_arguments() -> None:
    dampings = np.array([0.1, 1.0])
    study = damping_study(np.eye(2), np.ones(2), dampings)
    dampings[0] = 5.0
    assert study.dampings[0] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        study.residual_norms[0] = 0.0


def test_a_study_of_no_dampings_and_of_no_rows_is_empty() -> None:
    assert damping_study(np.eye(2), np.ones(2), []).step_norms.shape == (0,)
    study = damping_study(np.zeros((0, 3)), [], [0.0, 2.0])
    assert_close(study.residual_norms, np.zeros(2), tol=0.0)
    assert_close(study.condition_numbers, [np.inf, 1.0], tol=0.0)


def test_messages_name_the_thing_and_the_value() -> None:
    with pytest.raises(BadValue, match=r"damping is -0\.1; it must be at least 0"):
        damped_step(np.eye(2), np.ones(2), -0.1)
    with pytest.raises(BadValue, match=r"dampings\[1\] is -2; it must be at least 0"):
        damping_study(np.eye(2), np.ones(2), [1.0, -2.0])
    with pytest.raises(BadValue, match="damping is nan"):
        damped_step(np.eye(2), np.ones(2), float("nan"))
    with pytest.raises(BadShape, match=r"displacement has shape \(3,\).* needs \(2,\)"):
        damping_study(np.eye(2), np.ones(3), [1.0])
