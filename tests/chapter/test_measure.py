"""Deviation and lag, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from checks import assert_close

from manikin.chapter.examples import chosen
from manikin.chapter.measure import deviations, errors, finite, lags, numbers
from manikin.chapter.run import run


def test_deviation_is_the_distance_from_the_segment() -> None:
    begin, end = np.array([[0.0, 0.0]]), np.array([[2.0, 0.0]])
    places = np.array([[[1.0, 0.5]], [[1.5, 0.0]], [[-3.0, 4.0]], [[2.0, -1.0]]])
    assert_close(deviations(places, begin, end)[:, 0], [0.5, 0.0, 5.0, 1.0])


def test_deviation_from_a_path_that_goes_nowhere_is_the_distance_from_its_point() -> None:
    still = np.array([[1.0, 1.0]])
    assert_close(deviations(np.array([[[4.0, 5.0]]]), still, still), 5.0)


def test_a_large_damping_lags_behind_and_error_and_lag_begin_at_zero() -> None:
    course = run(chosen(["14"])[0])
    behind, away = lags(course), errors(course)
    assert_close(behind[0], 0.0)
    assert_close(away[0], 0.0)
    assert np.all(behind[-1] > 0.3)
    assert np.all(np.abs(behind) <= away + 1e-12)


def test_numbers_can_be_written_as_json_and_infinities_are_null() -> None:
    json.dumps(numbers(run(chosen(["10"])[0])), allow_nan=False)
    assert finite(np.inf) is None
    assert finite(2.0) == pytest.approx(2.0)
