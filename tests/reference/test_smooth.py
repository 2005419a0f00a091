"""Whittaker's smoother: its laws, and the native version beside the twin."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import rngs

from manikin import backend
from manikin.reference import smooth

RATE = 100.0


def smoothed(values: np.ndarray, times: np.ndarray, frequency: float, order: int) -> np.ndarray:
    rate = (len(times) - 1) / (times[-1] - times[0])
    rows = np.sqrt(smooth.strength(rate, frequency, order)) * smooth.difference_rows(times, order)
    first = np.arange(len(rows), dtype=np.int32)
    return values + smooth.correction(rows, first, smooth.bend(rows, first, values), np.ones(len(values)))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("uneven", [False, True])
def test_polynomials_of_degree_below_the_order_stay(order: int, uneven: bool) -> None:
    rng = np.random.default_rng(order)
    times = np.cumsum(rng.uniform(0.5, 1.5, 200)) / RATE if uneven else np.arange(200) / RATE
    values = np.stack([np.polyval(rng.normal(size=degree + 1), times) for degree in range(order)], axis=1)
    assert_close(smoothed(values, times, 4.0, order), values, tol=1e-9)


def test_a_polynomial_of_the_degree_of_the_order_does_not_stay() -> None:
    times = np.arange(200) / RATE
    assert np.abs(smoothed(times[:, None] ** 3, times, 1.0, 3) - times[:, None] ** 3).max() > 1e-4


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("frequency", [2.0, 7.0, 31.0])
def test_the_gain_is_one_half_at_the_frequency(order: int, frequency: float) -> None:
    times = np.arange(4000) / RATE
    for f, gain in ((frequency, 0.5), (0.25 * frequency, None), (min(2.0 * frequency, 49.0), None)):
        wave = np.sin(2.0 * np.pi * f * times)[:, None]
        out = smoothed(wave, times, frequency, order)[1000:3000]
        measured = float(np.sqrt((out**2).mean() / (wave[1000:3000] ** 2).mean()))
        ratio = np.sin(np.pi * f / RATE) / np.sin(np.pi * frequency / RATE)
        expected = 1.0 / (1.0 + ratio ** (2 * order))
        assert measured == pytest.approx(expected, abs=2e-3)
        assert gain is None or measured == pytest.approx(gain, abs=2e-3)


def test_half_the_rate_and_above_smooths_nothing() -> None:
    assert smooth.strength(30.0, 15.0, 3) == 0.0
    assert smooth.strength(30.0, 14.99, 3) > 0.0


def test_differences_of_even_times_are_binomial() -> None:
    assert_close(smooth.difference_rows(np.arange(6) * 0.25, 3), np.tile([-1.0, 3.0, -3.0, 1.0], (3, 1)))


def test_rows_on_steps_are_rows_on_values() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 4))
    rows, first = smooth.difference_rows(np.sort(rng.uniform(size=20)), 3), np.arange(17, dtype=np.int32)
    by_values, by_steps = smooth.bend(rows, first, values), smooth.bend_steps(rows, first, np.diff(values, axis=0))
    assert_close(by_steps, by_values, scale=float(np.abs(by_values).max()))


@given(rngs(), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_correction_is_the_minimum(rng: np.random.Generator, order: int, each: bool, wished: bool) -> None:
    frames, columns = int(rng.integers(order + 1, 30)), int(rng.integers(1, 4))
    rows = rng.normal(size=(frames - order, order + 1))
    first = np.arange(len(rows), dtype=np.int32)
    bent = rng.normal(size=(len(rows), columns))
    weights = rng.uniform(0.1, 2.0, size=(frames, columns) if each else frames)
    wish = rng.normal(size=(frames, columns)) if wished else None
    delta = smooth.correction(rows, first, bent, weights, wish)
    for c in range(columns):  # the normal equations, dense
        R = np.zeros((len(rows), frames))
        for r in range(len(rows)):
            R[r, r : r + order + 1] = rows[r]
        w = weights[:, c] if each else weights
        gradient = w * (delta[:, c] - (0.0 if wish is None else wish[:, c])) + R.T @ (bent[:, c] + R @ delta[:, c])
        assert_close(gradient, 0.0, scale=1.0 + float(np.abs(bent).max()), tol=1e-9)


@given(rngs(), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_native_correction_is_the_twin(rng: np.random.Generator, order: int, each: bool, wished: bool) -> None:
    pytest.importorskip("manikin._core", reason="the native core is not built")
    frames, columns = int(rng.integers(order + 1, 60)), int(rng.integers(0, 9))
    more = int(rng.integers(0, 5))
    rows = 10.0 ** rng.uniform(-2, 3) * rng.normal(size=(frames - order + more, order + 1))
    last = rng.integers(0, frames - order, size=more)
    first = np.concatenate([np.arange(frames - order), last]).astype(np.int32)  # rows in any order
    bent = rng.normal(size=(len(rows), columns))
    weights = rng.uniform(0.1, 2.0, size=(frames, columns) if each else frames)
    wish = rng.normal(size=(frames, columns)) if wished else None
    ours, twin = (f(rows, first, bent, weights, wish) for f in (backend.smooth_correction, smooth.correction))
    assert_close(ours, twin, scale=1.0 + float(np.abs(twin).max(initial=0.0)), tol=1e-8)


def test_without_weights_the_error_says_so() -> None:
    rows, first = smooth.difference_rows(np.arange(10.0), 3), np.arange(7, dtype=np.int32)
    for solve in (backend.smooth_correction, smooth.correction):
        with pytest.raises(ValueError, match="do not determine"):
            solve(rows, first, np.zeros((7, 2)), np.zeros(10), None)


def test_rows_outside_the_frames_are_an_error() -> None:
    core = pytest.importorskip("manikin._core", reason="the native core is not built")
    rows, bent, out = np.ones((1, 3)), np.zeros((1, 1)), np.zeros((4, 1))
    for first in (-1, 2):
        with pytest.raises(ValueError, match="outside"):
            core.smooth_correction(rows, np.array([first], np.int32), bent, np.ones(4), np.zeros((0, 1)), out)
