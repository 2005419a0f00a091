"""docs/theory/5 and 6: two effectors, three in closed form, any number by recursion; and stacks that lose rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies_linalg import brought_to_one_size, common_null_space, condition, seeds, stacks

from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape
from manikin.linalg import (
    blocks,
    dual_step,
    pinv,
    pinv_step,
    projector,
    projectors,
    stacked_inverse,
    stacked_step,
    three_blocks,
)
from manikin.linalg.inverses import norm
from manikin.linalg.projectors import Stack

ROUNDING = 1e-14
AGREEMENT = 1e-10
"""What the chapter's forms must agree to at full rank."""


def displacements(rng: np.random.Generator, Js: Sequence[Matrix]) -> list[Vector]:
    """One for each effector, at its scale: within its own reach or not, seldom within the reach of all together."""
    return [norm(J) * rng.normal(size=len(J)) for J in Js]


def in_one_size(inverses: Sequence[Matrix], Js: Sequence[Matrix]) -> Matrix:
    """The blocks of an inverse side by side, each times the norm of its effector: the inverse of the stack brought to
    one size, in which all entries are comparable."""
    return np.hstack([Z * (norm(J) or 1.0) for Z, J in zip(inverses, Js, strict=True)])


def split(inverse: Matrix, Js: Sequence[Matrix]) -> list[Matrix]:
    return np.split(inverse, np.cumsum([len(J) for J in Js])[:-1], axis=1)


# Two effectors (docs/theory/5-two-effectors.md)


@given(stacks("full", least=2, most=2), seeds())
def test_the_step_for_two_effectors_is_the_formula(Js: list[Matrix], seed: int) -> None:
    J1, J2 = Js
    rng = np.random.default_rng(seed)
    dX1, dX2 = displacements(rng, Js)
    Z = rng.normal(size=J1.shape[1])
    P, left = projector(J1), pinv(J2 @ projector(J1))
    first = pinv(J1) @ dX1
    formula = first + left @ (dX2 - J2 @ first) + P @ (Z - left @ J2 @ P @ Z)
    step = dual_step(J1, J2, dX1, dX2, Z)
    scale = 10.0 * condition(Js) ** 2
    assert_close(step, formula, scale=scale, tol=ROUNDING)
    for J, dX in zip(Js, (dX1, dX2), strict=True):
        assert_close(J @ step, dX, scale=norm(J) * scale, tol=ROUNDING)


@given(stacks("full", least=2, most=2))
def test_the_two_blocks_are_those_of_the_stacked_inverse(Js: list[Matrix]) -> None:
    J1, J2 = Js
    left = pinv(J2 @ projector(J1))
    formula = [(np.eye(J1.shape[1]) - left @ J2) @ pinv(J1), left]
    whole = pinv(brought_to_one_size(Js))
    assert_close(in_one_size(formula, Js), whole, scale=norm(whole), tol=AGREEMENT)
    assert_close(in_one_size(blocks(Js), Js), whole, scale=norm(whole), tol=AGREEMENT)


@given(stacks("full", least=2, most=2), seeds())
def test_two_effectors_are_two_of_many(Js: list[Matrix], seed: int) -> None:
    rng = np.random.default_rng(seed)
    dXs, Z = displacements(rng, Js), rng.normal(size=Js[0].shape[1])
    assert_close(dual_step(*Js, *dXs, Z), stacked_step(Js, dXs, Z), tol=0.0)  # type: ignore[call-arg]


# Many effectors at full rank (docs/theory/6-many-effectors.md)


@given(st.one_of(stacks("full", most=8), stacks("near")))
def test_each_block_moves_its_effector_and_no_other(Js: list[Matrix]) -> None:
    k = 10.0 * condition(Js)
    for i, Z in enumerate(blocks(Js)):
        for j, J in enumerate(Js):
            wanted = np.eye(len(J)) if i == j else np.zeros((len(J), Z.shape[1]))
            assert_close(J @ Z, wanted, scale=k * norm(J) * max(norm(Z), 1.0 / norm(Js[i])), tol=ROUNDING)


@given(stacks("full", least=2), seeds())
def test_the_formula_started_from_any_effector_makes_every_displacement(Js: list[Matrix], seed: int) -> None:
    dXs = displacements(np.random.default_rng(seed), Js)
    Zs, k = blocks(Js), 100.0 * condition(Js) ** 2
    for J_j, dX_j in zip(Js, dXs, strict=True):
        first = pinv(J_j) @ dX_j
        step = first + sum(Z @ (dX - J @ first) for Z, J, dX in zip(Zs, Js, dXs, strict=True))
        for J, dX in zip(Js, dXs, strict=True):
            assert_close(J @ step, dX, scale=k * norm(J), tol=ROUNDING)


@given(stacks("full", least=3, most=3))
def test_three_effectors_have_the_closed_form(Js: list[Matrix]) -> None:
    def first(J1: Matrix, J2: Matrix, J3: Matrix) -> Matrix:
        braces = np.eye(J1.shape[1]) - pinv(J2 @ projector(J3)) @ J2 - pinv(J3 @ projector(J2)) @ J3
        return pinv(J1 @ braces)

    J1, J2, J3 = Js
    formula = [first(J1, J2, J3), first(J2, J3, J1), first(J3, J1, J2)]
    whole = pinv(brought_to_one_size(Js))
    for found in (formula, three_blocks(*Js), blocks(Js)):
        assert_close(in_one_size(found, Js), whole, scale=norm(whole), tol=AGREEMENT)


@given(stacks("full", least=2, most=5))
def test_the_blocks_follow_from_the_blocks_without_one_effector(Js: list[Matrix]) -> None:
    found = blocks(Js)
    for k, J in enumerate(Js):
        rest = [*Js[:k], *Js[k + 1 :]]
        moved = sum(Z @ other for Z, other in zip(blocks(rest), rest, strict=True))
        lemma = pinv(J @ (np.eye(J.shape[1]) - moved))
        assert_close(found[k], lemma, scale=norm(lemma) * condition(Js), tol=AGREEMENT)


@given(st.one_of(stacks("full", most=8), stacks("near")))
def test_recursion_and_blocks_equal_the_stacked_pseudo_inverse(Js: list[Matrix]) -> None:
    whole = pinv(brought_to_one_size(Js))
    scale = norm(whole) * max(1.0, condition(Js) / 1e3)
    assert_close(in_one_size(split(stacked_inverse(Js), Js), Js), whole, scale=scale, tol=AGREEMENT)
    assert_close(in_one_size(blocks(Js), Js), whole, scale=scale, tol=AGREEMENT)


@given(stacks("full", spread=0, most=8))
def test_recursion_and_blocks_equal_the_pseudo_inverse_of_the_plain_stack(Js: list[Matrix]) -> None:
    whole = np.linalg.pinv(np.vstack(Js))
    assert_close(stacked_inverse(Js), whole, scale=norm(whole), tol=AGREEMENT)
    assert_close(np.hstack(blocks(Js)), whole, scale=norm(whole), tol=AGREEMENT)


@given(stacks("full"))
def test_the_inverse_grows_as_the_chapter_says(Js: list[Matrix]) -> None:
    T: Matrix = np.zeros((Js[0].shape[1], 0))
    for i, J in enumerate(Js):
        F = projectors(Js[:i])[-1] if i else np.eye(J.shape[1])
        K = pinv(J @ F)
        T = np.hstack([T - K @ J @ T, K])
        found = in_one_size(split(stacked_inverse(Js[: i + 1]), Js[: i + 1]), Js[: i + 1])
        wanted = in_one_size(split(T, Js[: i + 1]), Js[: i + 1])
        assert_close(found, wanted, scale=norm(wanted), tol=AGREEMENT)


@given(st.one_of(stacks("full"), stacks("any")), seeds())
def test_the_step_is_the_inverse_times_the_displacements_and_the_projected_wish(Js: list[Matrix], seed: int) -> None:
    rng = np.random.default_rng(seed)
    dXs, Z = displacements(rng, Js), rng.normal(size=Js[0].shape[1])
    wanted = stacked_inverse(Js) @ np.concatenate(dXs) + projectors(Js)[-1] @ Z
    # priority can multiply the conditions of the stages: what the first asks for, the second has to undo, and so on
    scale = 100.0 * norm(in_one_size(split(stacked_inverse(Js), Js), Js)) * condition(Js)
    assert_close(stacked_step(Js, dXs, Z), wanted, scale=max(scale, 10.0), tol=ROUNDING)


@given(stacks("full", least=2), seeds())
def test_at_full_rank_all_displacements_are_made_by_the_shortest_step_in_any_order(Js: list[Matrix], seed: int) -> None:
    rng = np.random.default_rng(seed)
    dXs, order = displacements(rng, Js), rng.permutation(len(Js))
    step, k = stacked_step(Js, dXs), 100.0 * condition(Js)
    for J, dX in zip(Js, dXs, strict=True):
        assert_close(J @ step, dX, scale=norm(J) * k, tol=ROUNDING)
    assert_close(common_null_space(Js).T @ step, 0.0, scale=k * condition(Js), tol=ROUNDING)
    assert_close(stacked_step([Js[i] for i in order], [dXs[i] for i in order]), step, scale=k**2, tol=ROUNDING)


def test_eight_effectors_are_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = 0
    plain = Stack.with_effector

    def counted(stack: Stack, J: Matrix) -> Stack:
        nonlocal stages
        stages += 1
        return plain(stack, J)

    monkeypatch.setattr(Stack, "with_effector", counted)
    Js = list(np.random.default_rng(8).normal(size=(8, 3, 40)))
    assert_close(np.hstack(blocks(Js)), np.linalg.pinv(np.vstack(Js)), tol=1e-12)
    assert stages <= 8 * 8  # 8! = 40320 without memory


# Stacks that lose rank


def test_the_plain_recursion_blows_up_where_ours_stays_finite() -> None:
    J = np.random.default_rng(0).normal(size=(3, 8))
    F = np.eye(8) - np.linalg.pinv(J) @ J
    assert np.abs(np.linalg.pinv(J @ F)).max() > 1e13
    assert np.abs(stacked_inverse([J, J])).max() < 10.0
    assert np.abs(blocks([J, J, 2.0 * J])).max() == 0.0


@given(stacks("any"))
def test_nothing_blows_up_when_a_stack_loses_rank(Js: list[Matrix]) -> None:
    # what an effector has for itself is at least some 1e-6 of it in our stacks, so no inverse is larger than some 1e6
    for inverse in (split(stacked_inverse(Js), Js), blocks(Js)):
        assert np.abs(in_one_size(inverse, Js)).max(initial=0.0) < 1e8


@given(st.one_of(stacks("any"), stacks("near")), seeds())
def test_each_effector_comes_as_near_as_those_before_it_allow(Js: list[Matrix], seed: int) -> None:
    dXs = displacements(np.random.default_rng(seed), Js)
    step = stacked_step(Js, dXs)
    assert np.isfinite(step).all()
    scale = 1e3 * condition(Js) * (1.0 + float(np.linalg.norm(step)))
    null_space: Matrix = np.eye(len(step))
    for i, (J, dX) in enumerate(zip(Js, dXs, strict=True), start=1):
        # no step that leaves the earlier effectors where they are brings this one nearer: what is missing is at right
        # angles to all that it can still do
        can_do = J @ null_space / (norm(J) or 1.0)
        assert_close(can_do.T @ (J @ step - dX) / (norm(J) or 1.0), 0.0, scale=scale, tol=ROUNDING)
        null_space = common_null_space(Js[:i])
    # and of all such steps it is the shortest
    assert_close(null_space.T @ step, 0.0, scale=scale * condition(Js), tol=ROUNDING)


@given(stacks("any"), seeds())
def test_later_effectors_take_nothing_from_earlier_ones(Js: list[Matrix], seed: int) -> None:
    dXs = displacements(np.random.default_rng(seed), Js)
    whole = stacked_step(Js, dXs)
    for i in range(1, len(Js)):
        step = stacked_step(Js[:i], dXs[:i])
        scale = 100.0 * condition(Js) * (1.0 + float(np.linalg.norm(whole)))
        for J in Js[:i]:
            assert_close(J @ whole, J @ step, scale=norm(J) * scale, tol=ROUNDING)


@given(stacks("any"), seeds())
def test_the_first_effector_does_what_it_would_do_alone(Js: list[Matrix], seed: int) -> None:
    dXs = displacements(np.random.default_rng(seed), Js)
    step = stacked_step(Js, dXs)
    scale = 100.0 * condition(Js) * (1.0 + float(np.linalg.norm(step)))
    assert_close(Js[0] @ step, Js[0] @ pinv_step(Js[0], dXs[0]), scale=norm(Js[0]) * scale, tol=ROUNDING)


@given(stacks("any"), seeds())
def test_wishes_that_agree_are_all_met_by_the_shortest_step(Js: list[Matrix], seed: int) -> None:
    wanted = np.random.default_rng(seed).normal(size=Js[0].shape[1])
    step, k = stacked_step(Js, [J @ wanted for J in Js]), 1e3 * condition(Js)
    for J in Js:
        assert_close(J @ step, J @ wanted, scale=norm(J) * k, tol=ROUNDING)
    null_space = common_null_space(Js)
    assert_close(step, wanted - null_space @ (null_space.T @ wanted), scale=k * condition(Js), tol=ROUNDING)


@given(stacks("full"), seeds())
def test_an_effector_given_twice_counts_once_and_the_first_wish_wins(Js: list[Matrix], seed: int) -> None:
    rng = np.random.default_rng(seed)
    dXs = displacements(rng, Js)
    i = int(rng.integers(len(Js)))
    again = stacked_step([*Js, Js[i]], [*dXs, -dXs[i]])
    assert_close(again, stacked_step(Js, dXs), scale=100.0 * condition(Js) ** 2, tol=ROUNDING)


@given(st.one_of(stacks("any"), stacks("full")), seeds())
def test_a_second_wish_moves_no_effector(Js: list[Matrix], seed: int) -> None:
    rng = np.random.default_rng(seed)
    dXs, Z = displacements(rng, Js), rng.normal(size=Js[0].shape[1])
    plain = stacked_step(Js, dXs)
    gained = stacked_step(Js, dXs, Z) - plain
    null_space = common_null_space(Js)
    scale = 20.0 * condition(Js) + float(np.linalg.norm(plain))
    assert_close(gained, null_space @ (null_space.T @ Z), scale=scale, tol=ROUNDING)


@given(stacks("any"))
def test_blocks_of_a_stack_without_full_rank_still_move_no_other_effector(Js: list[Matrix]) -> None:
    for k, Z in enumerate(blocks(Js)):
        size = 100.0 * condition(Js) * (1.0 + norm(Z) * norm(Js[k]))
        for i, J in enumerate(Js):
            if i != k:
                assert_close(J @ Z * norm(Js[k]), 0.0, scale=norm(J) * size, tol=ROUNDING)
        moved = Js[k] @ Z
        # what the effector can do alone, and no more: a projector
        assert_close(moved, moved.T, scale=size, tol=ROUNDING)
        assert_close(moved @ moved, moved, scale=size, tol=ROUNDING)


@given(st.one_of(stacks("any", least=3, most=3), stacks("near", least=3, most=3)))
def test_the_closed_form_for_three_is_blocks_for_any_rank(Js: list[Matrix]) -> None:
    found, wanted = in_one_size(three_blocks(*Js[:3]), Js[:3]), in_one_size(blocks(Js[:3]), Js[:3])
    scale = max(1.0, norm(wanted)) * condition(Js[:3]) ** 2
    assert_close(found, wanted, scale=scale, tol=10.0 * ROUNDING)


def test_an_effector_next_to_another_is_given_up_only_when_rounding_decides() -> None:
    # the second differs from the first by 1e-8: that is motion, if a costly one; by 1e-16 it is rounding
    base = np.array([[1.0, 2.0, 3.0]])
    for gap, expected in ((1e-8, True), (1e-16, False)):
        other = base + np.array([[gap, 0.0, 0.0]])
        step = stacked_step([base, other], [[0.0], [1e-8]])
        assert (abs(float((other @ step).item()) - 1e-8) < 1e-12) is expected
        assert np.abs(step).max() < 10.0


def test_after_an_uncertain_effector_a_remainder_of_rounding_is_not_mistaken_for_motion() -> None:
    # the first knows its second direction to 1e-16 / 1e-9 only; the second lies in it, and is left with about 1e-7 by
    # rounding, far above the rank tolerance: against its own scale alone it would be inverted to 1e7
    rng = np.random.default_rng(5)
    for _ in range(50):
        Q = np.linalg.qr(rng.normal(size=(8, 8)))[0]
        mix = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        first = mix @ np.diag([1.0, 1e-9]) @ Q[:2]
        second = Q[1:2]
        assert norm(stacked_inverse([first, second])[:, 2:]) < 10.0


def test_no_rows_and_no_angles_are_allowed() -> None:
    assert_close(stacked_step([np.zeros((0, 3)), np.eye(3)], [[], [1.0, 2.0, 3.0]]), [1.0, 2.0, 3.0], tol=1e-15)
    assert stacked_step([np.zeros((2, 0))], [[1.0, 1.0]]).shape == (0,)
    assert [Z.shape for Z in blocks([np.zeros((2, 0)), np.zeros((0, 0))])] == [(0, 2), (0, 0)]


def test_messages_name_the_effector() -> None:
    J = np.ones((2, 3))
    with pytest.raises(BadShape, match=r"displacements\[1\] has shape \(3,\).* needs \(2,\)"):
        stacked_step([J, J], [np.ones(2), np.ones(3)])
    with pytest.raises(BadShape, match="displacements has 1 entries; 2 jacobians need 2"):
        stacked_step([J, J], [np.ones(2)])
    with pytest.raises(BadShape, match=r"Z has shape \(2,\)"):
        stacked_step([J], [np.ones(2)], np.ones(2))
    with pytest.raises(BadShape, match=r"J2 has shape \(2, 4\); it needs \(m, 3\)"):
        three_blocks(J, np.ones((2, 4)), J)
