"""The shared checks can fail, and fail for the right reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close, assert_derivative, step_units

from manikin import rotations
from manikin.figure import Ball, Figure, Free, Hinge, Segment, Slider


def test_close_compares_with_tolerance_times_scale() -> None:
    assert_close([1.0, 2.0], [1.0, 2.0 + 0.9e-6], scale=10.0, tol=1e-7)
    with pytest.raises(AssertionError, match=r"1 of 2 entries .* worst at \[1\]"):
        assert_close([1.0, 2.0], [1.0, 2.0 + 1.1e-6], scale=10.0, tol=1e-7)


@pytest.mark.parametrize(("a", "b"), [(np.nan, np.nan), ([1.0, np.nan], [1.0, 2.0]), (np.inf, -np.inf), (np.inf, 1.0)])
def test_nan_is_near_to_nothing_and_an_infinity_only_to_itself(a: Any, b: Any) -> None:
    with pytest.raises(AssertionError):
        assert_close(a, b, tol=1e300)


def test_equal_infinities_are_close() -> None:
    assert_close([np.inf, -np.inf, 1.0], [np.inf, -np.inf, 1.0])


def test_shapes_do_not_broadcast_except_one_number() -> None:
    assert_close(np.zeros((3, 2)), 0.0)
    with pytest.raises(AssertionError, match="shapes differ"):
        assert_close(np.zeros((3, 2)), np.zeros(2))


def _wave(x: Any) -> Any:
    return np.array([np.sin(x[0]) * x[1], np.exp(x[1])])


def _wave_derivative(x: Any) -> Any:
    return np.array([[np.cos(x[0]) * x[1], np.sin(x[0])], [0.0, np.exp(x[1])]])


def test_a_right_derivative_passes_at_twelve_digits() -> None:
    assert_derivative(_wave, _wave_derivative, [0.3, 1.7], tol=1e-12)


@pytest.mark.parametrize("error", [1e-8, 1e-3, np.nan])
def test_a_derivative_wrong_in_the_eighth_digit_fails(error: float) -> None:
    wrong = _wave_derivative([0.3, 1.7])
    wrong[1, 0] += error * 5.5
    with pytest.raises(AssertionError, match=r"column 0|not finite"):
        assert_derivative(_wave, wrong, [0.3, 1.7], tol=1e-9)


def test_random_directions_find_one_wrong_column_of_many() -> None:
    A = np.random.default_rng(0).normal(size=(3, 60))
    assert_derivative(lambda x: A @ x, A, np.zeros(60))
    wrong = A.copy()
    wrong[2, 41] += 1e-6
    with pytest.raises(AssertionError, match="random direction"):
        assert_derivative(lambda x: A @ x, wrong, np.zeros(60))


def test_a_place_without_a_derivative_is_reported_as_not_settling() -> None:
    with pytest.raises(AssertionError, match="do not settle"):
        assert_derivative(np.cbrt, np.eye(1), np.zeros(1), tol=1e-9)


def test_a_kink_nearby_does_not_spoil_the_check() -> None:
    assert_derivative(lambda x: np.abs(x - 0.01), -np.eye(1), np.zeros(1), tol=1e-12)


def test_a_derivative_of_the_wrong_shape_is_named() -> None:
    with pytest.raises(AssertionError, match=r"derivative has shape \(2,\); f has \(2,\)"):
        assert_derivative(_wave, np.zeros(2), [0.3, 1.7])


def test_points_are_moved_by_the_given_rule_and_in_batches() -> None:
    q = rotations.from_axis_angle((0.6, 0.0, 0.8), 3.0)

    def move(at: Any, v: Any) -> Any:
        return rotations.multiply(at, rotations.from_rotation_vector(v))

    def turned(at: Any) -> Any:
        return rotations.rotate(at, np.array([1.0, 2.0, 3.0]))

    df = -rotations.to_matrix(q) @ rotations.cross_matrix(np.array([1.0, 2.0, 3.0]))
    for batched in (False, True):
        assert_derivative(turned, df, q, move=move, batched=batched, tol=1e-11)
        with pytest.raises(AssertionError):
            assert_derivative(turned, -df, q, move=move, batched=batched)


def test_units_make_a_length_step_as_large_as_the_figure() -> None:
    figure = Figure(
        "crane",
        [
            Segment("Base", joint=Free()),
            Segment("Rail", "Base", Slider(limits=(0, 300)), offset=(0, 100, 0)),
            Segment("Arm", "Rail", (Slider(), Hinge())),
            Segment("Hand", "Arm", Ball()),
        ],
    )
    assert figure.size == 400.0
    assert step_units(figure).tolist() == [400.0] * 3 + [1.0] * 3 + [400.0] * 2 + [1.0] * 4


def test_the_data_folder_is_a_folder(data: Path) -> None:
    assert data.is_dir()
