"""docs/theory/4 to 6: projectors on the null space of one Jacobian, and on the common null space of several."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies_linalg import brought_to_one_size, common_null_space, condition, jacobians, seeds, stacks

from manikin.arrays import Matrix
from manikin.errors import BadShape, BadValue
from manikin.linalg import pinv, projector, projectors, rank
from manikin.linalg.inverses import norm

ROUNDING = 1e-14


@given(jacobians())
def test_projector_is_symmetric_idempotent_and_annihilates(J: Matrix) -> None:
    P = projector(J)
    assert_close(P, P.T, tol=0.0)
    assert_close(P @ P, P, tol=ROUNDING)
    assert_close(J @ P, 0.0, scale=norm(J), tol=ROUNDING)
    assert_close(np.trace(P), J.shape[1] - rank(J), tol=10.0 * ROUNDING)


@given(jacobians())
def test_projector_is_what_the_inverse_leaves_of_the_identity(J: Matrix) -> None:
    G = pinv(J)
    assert_close(projector(J), np.eye(J.shape[1]) - G @ J, scale=1.0 + norm(G) * norm(J), tol=ROUNDING)


@given(jacobians(), seeds())
def test_projection_is_the_nearest_step_that_moves_nothing(J: Matrix, seed: int) -> None:
    Z = np.random.default_rng(seed).normal(size=J.shape[1])
    null_space = common_null_space([J])
    # it leaves steps of the null space alone, and what it takes away is at right angles to all of them
    assert_close(projector(J) @ null_space, null_space, scale=10.0 * condition([J]), tol=ROUNDING)
    assert_close(null_space.T @ (Z - projector(J) @ Z), 0.0, scale=10.0 * condition([J]), tol=ROUNDING)


@given(st.one_of(stacks("full"), stacks("near"), stacks("any")))
def test_each_is_a_projector_that_annihilates_all_effectors_so_far(Js: list[Matrix]) -> None:
    for i, F in enumerate(projectors(Js), start=1):
        assert_close(F, F.T, tol=0.0)
        assert_close(F @ F, F, tol=5.0 * ROUNDING)
        for J in Js[:i]:
            assert_close(J @ F, 0.0, scale=norm(J) * condition(Js[:i]), tol=5.0 * ROUNDING)


@given(st.one_of(stacks("full"), stacks("near"), stacks("any")))
def test_each_projects_on_the_intersection_of_the_null_spaces_so_far(Js: list[Matrix]) -> None:
    Fs = projectors(Js)
    assert len(Fs) == len(Js)
    for i, F in enumerate(Fs, start=1):
        null_space = common_null_space(Js[:i])
        assert_close(F, null_space @ null_space.T, scale=condition(Js[:i]), tol=10.0 * ROUNDING)


@given(st.one_of(stacks("full"), stacks("any")), seeds())
def test_the_last_does_not_depend_on_the_order_of_the_effectors(Js: list[Matrix], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(Js))
    assert_close(projectors([Js[i] for i in order])[-1], projectors(Js)[-1], scale=condition(Js), tol=10.0 * ROUNDING)


@given(stacks("full"))
def test_at_full_rank_they_follow_the_recursion_of_the_chapter(Js: list[Matrix]) -> None:
    F: Matrix = np.eye(Js[0].shape[1])
    for J, found in zip(Js, projectors(Js), strict=True):
        left = pinv(J @ F)
        # what is left of the effector has full rank, and its inverse needs no further projection
        assert rank(J @ F) == len(J)
        assert_close(F @ left, left, scale=norm(left) * condition(Js), tol=10.0 * ROUNDING)
        F = F @ (np.eye(len(F)) - left @ J @ F)
        assert_close(found, F, scale=condition(Js) ** 2, tol=10.0 * ROUNDING)


@given(stacks("full", least=2, most=2))
def test_for_two_effectors_it_is_the_projector_of_the_stack(Js: list[Matrix]) -> None:
    J1, J2 = Js
    P, left = projector(J1), pinv(J2 @ projector(J1))
    N12 = P @ (np.eye(len(P)) - left @ J2 @ P)
    assert_close(projectors(Js)[1], N12, scale=condition(Js) ** 2, tol=10.0 * ROUNDING)
    assert_close(projectors(Js)[1], projector(brought_to_one_size(Js)), scale=condition(Js), tol=10.0 * ROUNDING)


def test_one_effector_has_its_own_projector() -> None:
    J = np.random.default_rng(0).normal(size=(2, 5))
    assert_close(projectors([J])[0], projector(J), tol=1e-15)


def test_effectors_that_take_every_angle_leave_nothing() -> None:
    first, second, third = projectors([[[1.0, 0.0]], [[0.0, 1e-9]], [[1.0, 1.0]]])
    assert_close(first, np.diag([0.0, 1.0]), tol=1e-15)
    assert_close(second, 0.0, tol=1e-15)
    assert_close(third, 0.0, tol=1e-15)


def test_a_tiny_part_of_an_effector_is_motion_when_those_before_it_are_sure() -> None:
    F = projectors([[[1.0, 0.0, 0.0]], [[1.0, 1e-8, 0.0]]])[-1]
    assert_close(F, np.diag([0.0, 0.0, 1.0]), tol=1e-7)


def test_messages_name_the_effector() -> None:
    with pytest.raises(BadShape, match=r"jacobians\[1\] has shape \(2, 3\); it needs \(m, 4\)"):
        projectors([np.ones((2, 4)), np.ones((2, 3))])
    with pytest.raises(BadValue, match="jacobians is empty; it needs at least one"):
        projectors([])
    with pytest.raises(BadValue, match=r"jacobians\[1\]\[0, 0\] is inf"):
        projectors([np.ones((1, 1)), [[np.inf]]])
