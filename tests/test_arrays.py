"""Checks of arrays: accepted values, rejected values, and the messages."""

from __future__ import annotations

import fractions
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import random_direction, random_quaternion, rngs

from manikin import arrays
from manikin.errors import BadShape, BadValue, ManikinError

NOT_NUMBERS = [
    "abc",
    "1.5",
    b"1",
    None,
    {},
    object(),
    1j,
    [1, "2", 3],
    [1, None, 3],
    [[1, 2], [3]],
    np.array([1j, 0, 0]),
]


def test_a_frozen_array_is_a_copy_that_cannot_be_written() -> None:
    mine = np.array([1.0, 2.0])
    kept = arrays.frozen(mine)
    mine[0] = 9.0
    assert kept.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3.0


@pytest.mark.parametrize("values", NOT_NUMBERS)
def test_what_is_not_a_number_is_not_converted(values: Any) -> None:
    for door in (arrays.vector3, arrays.quaternion, arrays.direction, arrays.scalar, arrays.matrix):
        with pytest.raises(BadValue, match=r"^thing .*need.* number"):
            door(values, "thing")


@pytest.mark.parametrize("values", [10**400, [10**400, 1, 1]])
def test_numbers_too_large_for_a_float_are_refused(values: Any) -> None:
    with pytest.raises(BadValue, match="thing"):
        arrays.real(values, "thing")


def test_integers_booleans_fractions_and_single_precision_are_numbers() -> None:
    for values in ([1, 0, 3], [True, False, True], [fractions.Fraction(1, 2)] * 3, np.ones(3, dtype=np.float32)):
        assert arrays.vector3(values, "thing").dtype == np.float64  # type: ignore[arg-type]


def test_a_wrong_shape_is_named_with_what_is_needed() -> None:
    with pytest.raises(BadShape, match=r"^goal has shape \(2,\); it needs \(3,\)$"):
        arrays.vector3([1.0, 2.0], "goal")
    with pytest.raises(BadShape, match=r"^steps has shape \(\); it needs \(…, 7\)$"):
        arrays.numbers(1.0, "steps", (-1, 7))
    with pytest.raises(BadShape, match=r"^rest has shape \(2, 2\); it needs \(n,\)$"):
        arrays.numbers(np.eye(2), "rest", (None,))
    with pytest.raises(BadShape, match=r"^block has shape \(4, 4\); it needs \(…, 5, 4, 4\)$"):
        arrays.numbers(np.eye(4), "block", (-1, 5, 4, 4))


@pytest.mark.parametrize(("shape", "needed"), [((7,), (7,)), ((2, 7), (-1, 7)), ((7,), (-1, 7)), ((0, 7), (-1, 7))])
def test_leading_axes_pass_where_any_number_is_allowed(shape: Any, needed: Any) -> None:
    assert arrays.numbers(np.zeros(shape), "steps", needed).shape == shape


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_with_its_place(bad: float) -> None:
    with pytest.raises(BadValue, match=rf"^table\[1, 2\] is {bad}; it needs a finite number$"):
        arrays.numbers([[0.0, 0.0, 0.0], [0.0, 1.0, bad]], "table", (2, 3))
    with pytest.raises(BadValue, match=rf"^unit is {bad}; it needs a finite number$"):
        arrays.scalar(bad, "unit")
    assert arrays.numbers([bad], "limit", (1,), finite=False).shape == (1,)


@given(rngs())
def test_a_direction_has_length_one_and_stays_as_it_is_the_second_time(rng: np.random.Generator) -> None:
    once = arrays.direction(random_direction(rng) * 10.0 ** rng.integers(-290, 290), "axis")
    assert abs(np.linalg.norm(once) - 1.0) < 1e-15
    assert arrays.direction(once, "axis").tolist() == once.tolist()


@pytest.mark.parametrize("zero", [(0, 0, 0), (0.0, -0.0, 0.0), (1e-320, 0, 0)])
def test_a_zero_vector_has_no_direction(zero: Any) -> None:
    with pytest.raises(BadValue, match=r"^hinge axis is \(.*\), which has no direction"):
        arrays.direction(zero, "hinge axis")


@given(rngs())
def test_a_quaternion_slightly_off_unit_length_is_scaled(rng: np.random.Generator) -> None:
    q = random_quaternion(rng)
    once = arrays.quaternion(q * (1.0 + rng.uniform(-0.9e-6, 0.9e-6)), "turn")
    assert abs(np.linalg.norm(once) - 1.0) < 1e-15
    assert arrays.quaternion(once, "turn").tolist() == once.tolist()


def test_an_unnormalised_or_zero_quaternion_is_an_error_that_says_the_order() -> None:
    with pytest.raises(BadValue, match=r"^turn: quaternion \(2, 0, 0, 0\) has length 2"):
        arrays.quaternion((2, 0, 0, 0), "turn")
    with pytest.raises(BadValue, match=r"^turn: quaternion \(0, 0, 0, 0\) is zero; it needs length 1"):
        arrays.quaternion((0, 0, 0, 0), "turn")
    with pytest.raises(BadValue, match=r"has length 1\.00001;"):
        arrays.quaternion((1.00001, 0, 0, 0), "turn")


def test_signs_are_checked() -> None:
    assert arrays.positive(2, "radius") == 2.0
    assert arrays.non_negative(0, "mass") == 0.0
    with pytest.raises(BadValue, match=r"^radius is 0; it must be above 0$"):
        arrays.positive(0.0, "radius")
    with pytest.raises(BadValue, match=r"^mass is -0.5; it must be at least 0$"):
        arrays.non_negative(-0.5, "mass")


@pytest.mark.parametrize("value", [np.array([1.0]), [1.0], (), np.ones((1, 1))])
def test_an_array_of_one_number_is_not_a_number(value: Any) -> None:
    with pytest.raises(BadValue, match=r"^mass is .*; it needs one number$"):
        arrays.scalar(value, "mass")


@pytest.mark.parametrize(
    ("given_limits", "kept"),
    [
        (None, (-np.inf, np.inf)),
        ((None, 2), (-np.inf, 2.0)),
        ((-1, None), (-1.0, np.inf)),
        ([0.5, 0.5], (0.5, 0.5)),
        (np.array([-np.inf, 3.0]), (-np.inf, 3.0)),
    ],
)
def test_limits_may_be_open_and_may_touch(given_limits: Any, kept: tuple[float, float]) -> None:
    assert arrays.limits(given_limits, "hinge") == kept


@pytest.mark.parametrize(
    ("given_limits", "message"),
    [
        ((1, -1), r"^hinge: limits are in the wrong order, lower 1 is above upper -1$"),
        ((np.nan, 1), r"^hinge: limit is NaN; it needs a number, or infinity for no limit$"),
        ((0, np.nan), r"^hinge: limit is NaN"),
        ((np.inf, np.inf), r"^hinge: limits \(inf, inf\) allow no value"),
        ((-np.inf, -np.inf), r"^hinge: limits \(-inf, -inf\) allow no value"),
        ((0, "up"), r"^hinge: limit 'up' is not a number$"),
        ((0, [1.0]), r"^hinge: limit \[1.0\] is not a number$"),
        (5, r"^hinge: limits are 5; they must be a pair \(lower, upper\)$"),
        ((1, 2, 3), r"^hinge: limits are \(1, 2, 3\); they must be a pair"),
        ((), r"^hinge: limits are \(\); they must be a pair"),
    ],
)
def test_bad_limits_are_named(given_limits: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        arrays.limits(given_limits, "hinge")


def test_a_matrix_has_two_axes_and_the_columns_asked_for() -> None:
    assert arrays.matrix([[1, 2]], "jacobian").shape == (1, 2)
    with pytest.raises(BadShape, match=r"^jacobian has shape \(2,\); it needs \(m, n\)$"):
        arrays.matrix([1, 2], "jacobian")
    with pytest.raises(BadShape, match=r"^jacobian has shape \(1, 2\); it needs \(m, 3\)$"):
        arrays.matrix([[1, 2]], "jacobian", columns=3)
    with pytest.raises(BadValue, match=r"^jacobian\[0, 1\] is nan"):
        arrays.matrix([[1, np.nan]], "jacobian")


def test_a_vector_fits_its_matrix_or_the_message_names_both() -> None:
    J = np.zeros((3, 9))
    assert arrays.fitting([1, 2, 3], "displacement", 3, J, "jacobian").shape == (3,)
    with pytest.raises(BadShape, match=r"^displacement has shape \(2,\).* needs \(3,\)$"):
        arrays.fitting([1.0, 2.0], "displacement", 3, J, "jacobian")
    with pytest.raises(BadValue, match=r"^displacement\[2\] is inf"):
        arrays.fitting([1, 2, np.inf], "displacement", 3, J, "jacobian")


def test_a_box_is_two_vectors_in_order() -> None:
    lower, upper = arrays.box(-1.0, [1.0, np.inf], 2)
    assert (lower.tolist(), upper.tolist()) == ([-1.0, -1.0], [1.0, np.inf])
    with pytest.raises(BadValue, match=r"in the wrong order: lower\[1\] is 2, above upper\[1\], 1"):
        arrays.box([0, 2], 1, 2)
    with pytest.raises(BadValue, match=r"^upper\[0\] is nan"):
        arrays.box(0, [np.nan, 1], 2)
    with pytest.raises(BadValue, match=r"^lower\[1\] is inf"):
        arrays.box([0, np.inf], np.inf, 2)
    with pytest.raises(BadShape, match=r"^lower has shape \(3,\); it needs \(2,\)"):
        arrays.box([0, 0, 0], 1, 2)


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(ManikinError) as caught:
        arrays.scalar(list(range(1000)), "mass")
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("values", [(1.0, 2.0, 3.0), [1, 2, 3], np.array([1.0, 2.0, 3.0]), (1, 2.0, True + 2)])
def test_a_few_numbers_are_a_tuple_of_floats(values: Any) -> None:
    found = arrays.few(values, "offset", 3)
    assert found == (1.0, 2.0, 3.0)
    assert {type(x) for x in found} == {float}
    assert arrays.few(values, "rest") == found
    assert arrays.few((), "rest") == ()


@pytest.mark.parametrize("values", [(1.0, 2.0), (1.0, np.nan, 3.0), (1.0, np.inf, 3.0), (1.0, "2", 3.0), "abc"])
def test_a_few_numbers_are_checked_as_arrays_are(values: Any) -> None:
    for check in (lambda: arrays.few(values, "offset", 3), lambda: arrays.vector3(values, "offset")):
        with pytest.raises(ManikinError, match="offset"):
            check()
