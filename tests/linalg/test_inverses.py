"""docs/theory/4-pseudo-inverse.md: pseudo-inverse, rank, and the step with a homogeneous term."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies_linalg import jacobians, scales, seeds, with_singular_values

from manikin.arrays import Matrix
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.linalg import RANK_TOLERANCE, pinv, pinv_step, projector, rank
from manikin.linalg.inverses import Method, norm

ROUNDING = 1e-14


def condition(J: Matrix) -> float:
    """‖J‖ ‖J⁺‖, at least 1: how much rounding may be blown up."""
    return max(1.0, norm(J) * norm(pinv(J)))


@given(jacobians())
def test_the_four_penrose_identities_hold(J: Matrix) -> None:
    G, k = pinv(J), condition(J)
    assert G.shape == J.T.shape
    assert_close(J @ G @ J, J, scale=k * norm(J), tol=ROUNDING)
    assert_close(G @ J @ G, G, scale=k * norm(G), tol=ROUNDING)
    assert_close(J @ G, (J @ G).T, scale=k, tol=ROUNDING)
    assert_close(G @ J, (G @ J).T, scale=k, tol=ROUNDING)


@given(jacobians())
def test_inverse_times_matrix_projects_on_the_two_ranges(J: Matrix) -> None:
    G, k = pinv(J), condition(J)
    for range_projector in (J @ G, G @ J):
        assert_close(range_projector @ range_projector, range_projector, scale=k, tol=ROUNDING)
        assert_close(np.trace(range_projector), rank(J), scale=k, tol=ROUNDING)


@given(jacobians("rows"))
def test_the_form_for_full_row_rank_is_the_pseudo_inverse(J: Matrix) -> None:
    G = pinv(J, method="rows")
    assert_close(G, pinv(J), scale=norm(G) * condition(J), tol=ROUNDING)
    assert_close(J @ G, np.eye(len(J)), scale=condition(J), tol=ROUNDING)


@given(jacobians("columns"))
def test_the_form_for_full_column_rank_is_the_pseudo_inverse(J: Matrix) -> None:
    G = pinv(J, method="columns")
    assert_close(G, pinv(J), scale=norm(G) * condition(J), tol=ROUNDING)
    assert_close(G @ J, np.eye(J.shape[1]), scale=condition(J), tol=ROUNDING)


def test_the_full_rank_forms_are_the_formulas_of_the_chapter() -> None:
    J = np.random.default_rng(1).normal(size=(4, 9))
    assert_close(pinv(J, method="rows"), J.T @ np.linalg.inv(J @ J.T), tol=1e-13)
    assert_close(pinv(J.T, method="columns"), np.linalg.inv(J @ J.T) @ J, tol=1e-13)


@pytest.mark.parametrize(("method", "shape"), [("rows", (2, 3)), ("columns", (3, 2)), ("rows", (3, 2))])
def test_the_full_rank_forms_refuse_a_matrix_that_lacks_the_rank(method: Method, shape: tuple[int, int]) -> None:
    with pytest.raises(BadValue, match=r"has rank 1; .* needs full (row|column) rank [23]"):
        pinv(np.ones(shape), method=method)


@given(st.integers(0, 6), st.integers(0, 5), st.integers(0, 5), scales(), seeds())
def test_rank_is_the_number_of_independent_directions_at_any_scale(
    r: int, more_rows: int, more_columns: int, scale: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    J = with_singular_values(rng, r + more_rows, r + more_columns, 10.0 ** rng.uniform(-8.0, 0.0, size=r))
    if r:
        J += with_singular_values(rng, *J.shape, np.array([1.0]))  # type: ignore[call-arg]  # so that the largest is not small
    found = rank(scale * J)
    assert found == rank(J)
    assert r <= found <= r + 1
    assert found == (np.linalg.matrix_rank(J, rtol=RANK_TOLERANCE) if J.size else 0)  # older NumPy refuses empty ones


def test_rank_is_relative_to_the_largest_singular_value() -> None:
    assert rank(np.diag([1.0, 2.0 * RANK_TOLERANCE])) == 2
    assert rank(np.diag([1.0, 0.5 * RANK_TOLERANCE])) == 1
    assert rank(1e-30 * np.diag([1.0, 2.0 * RANK_TOLERANCE])) == 2


def test_rank_against_a_larger_scale_calls_a_remainder_rounding() -> None:
    remainder = 1e-16 * np.eye(2)
    assert rank(remainder) == 2
    assert rank(remainder, scale=1.0) == 0


def test_what_the_rank_rule_calls_zero_is_left_out_of_the_inverse() -> None:
    assert_close(pinv(np.diag([2.0, 1e-14])), np.diag([0.5, 0.0]), tol=0.0)


@given(jacobians(), seeds())
def test_any_generalised_inverses_give_a_solution_with_a_homogeneous_term(J: Matrix, seed: int) -> None:
    # dθ = G₁dX + (I − G₂J)Z solves J dθ = dX for all G with J G J = J, of which these are all
    rng, P = np.random.default_rng(seed), pinv(J)
    W1, W2 = rng.normal(size=(2, *P.shape)) * norm(P)
    G1, G2 = (P + W - P @ J @ W @ J @ P for W in (W1, W2))
    dX, Z = J @ rng.normal(size=J.shape[1]), rng.normal(size=J.shape[1])
    k = condition(J) ** 2 * norm(J) * (1.0 + np.linalg.norm(Z)) * 30.0
    assert_close(J @ G1 @ J, J, scale=k, tol=ROUNDING)
    assert_close(J @ (G1 @ dX + Z - G2 @ (J @ Z)), dX, scale=k, tol=ROUNDING)


@given(jacobians(), seeds())
def test_a_displacement_within_reach_is_made_whatever_the_second_wish(J: Matrix, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wanted, Z = rng.normal(size=(2, J.shape[1]))
    step = pinv_step(J, J @ wanted, Z)
    assert_close(J @ step, J @ wanted, scale=norm(J) * condition(J) * 10.0, tol=ROUNDING)


@given(jacobians(), seeds())
def test_the_step_is_the_shortest_of_those_that_come_nearest(J: Matrix, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dX = norm(J) * rng.normal(size=len(J))
    step, size = pinv_step(J, dX), norm(J) * condition(J) * 20.0
    # nearest: what is missing is out of reach; shortest: nothing of it is in the null space
    assert_close(J.T @ (J @ step - dX), 0.0, scale=norm(J) * size, tol=ROUNDING)
    assert_close(projector(J) @ step, 0.0, scale=1.0 + float(np.linalg.norm(step)), tol=ROUNDING)


@given(jacobians(), seeds())
def test_the_second_term_is_the_projection_of_the_wish_on_the_null_space(J: Matrix, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dX, Z = norm(J) * rng.normal(size=len(J)), rng.normal(size=J.shape[1])
    first = pinv_step(J, dX)
    assert_close(pinv_step(J, dX, Z) - first, projector(J) @ Z, scale=10.0 + float(np.abs(first).max()), tol=ROUNDING)
    assert_close(pinv_step(J, np.zeros(len(J)), Z), projector(J) @ Z, scale=10.0, tol=ROUNDING)


@given(jacobians(), seeds())
def test_the_step_is_the_inverse_times_the_displacement(J: Matrix, seed: int) -> None:
    dX = np.random.default_rng(seed).normal(size=len(J))
    assert_close(pinv_step(J, dX), pinv(J) @ dX, scale=10.0 * norm(pinv(J)), tol=ROUNDING)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
def test_a_matrix_of_zeros_or_without_rows_moves_nothing(shape: tuple[int, int]) -> None:
    J = np.zeros(shape)
    assert rank(J) == 0
    assert pinv(J).shape == shape[::-1]
    assert_close(pinv_step(J, np.ones(shape[0]), np.ones(shape[1])), np.ones(shape[1]), tol=0.0)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-141])
def test_a_matrix_next_to_nothing_has_a_finite_inverse(scale: float) -> None:
    assert_close(pinv(scale * np.eye(2)), 0.0, tol=0.0)


def test_arguments_are_not_changed_and_may_be_lists() -> None:
    J, dX, Z = np.array([[3.0, 4.0]]), np.array([5.0]), np.array([1.0, 1.0])
    kept = J.copy(), dX.copy(), Z.copy()
    assert_close(pinv_step(J, dX, Z), pinv_step(J.tolist(), dX.tolist(), Z.tolist()), tol=0.0)
    for array, copy in zip((J, dX, Z), kept, strict=True):
        assert_close(array, copy, tol=0.0)


def test_messages_name_the_thing_its_shape_and_what_would_fit() -> None:
    with pytest.raises(BadShape, match=r"displacement has shape \(2,\).* needs \(3,\)"):
        pinv_step(np.ones((3, 9)), np.ones(2))
    with pytest.raises(BadShape, match=r"Z has shape \(3,\); jacobian of shape \(3, 9\) needs \(9,\)"):
        pinv_step(np.ones((3, 9)), np.ones(3), np.ones(3))
    with pytest.raises(BadShape, match=r"jacobian has shape \(3,\); it needs \(m, n\)"):
        rank(np.ones(3))
    with pytest.raises(BadValue, match=r"jacobian\[0, 1\] is nan"):
        pinv([[0.0, np.nan]])
    with pytest.raises(BadValue, match="scale is -1"):
        rank(np.ones((1, 1)), scale=-1.0)
    with pytest.raises(UnknownName, match="pinv has no method 'row'; did you mean 'rows'"):
        pinv(np.ones((1, 1)), method="row")  # type: ignore[arg-type]
