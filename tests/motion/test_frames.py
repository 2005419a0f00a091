"""Runs of frames, and the median of points."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.motion.frames import middle, runs


def test_runs_have_their_first_and_last_index() -> None:
    assert runs(np.array([True, True, False, True])) == [(0, 1), (3, 3)]
    assert runs(np.zeros(3, dtype=bool)) == []


@pytest.mark.parametrize("count", [1, 2, 3, 30, 31])
def test_the_middle_of_points_has_the_bits_of_the_median(count: int) -> None:
    points = np.random.default_rng(count).normal(size=(count, 3))
    assert middle(points).tobytes() == np.median(points, axis=0).tobytes()
