"""The benchmark of batches: which ratio counts, and what the page says."""

from __future__ import annotations

import pytest

from benchmarks.batch import Row, page, ratio, verdict
from benchmarks.machine import header


def rows(one: float, two: float) -> list[Row]:
    times = [("pool", 1, one), ("pool", 2, two), ("Dask", 1, one), ("Dask", 2, one)]
    return [Row(where, workers, 10, 0, seconds) for where, workers, seconds in times]


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (59.0, 10.0, "The ratio does not count: one worker needed 59.0 s"),
        (80.0, 50.0, "Two local workers are 1.60 times as fast as one. The bound 1.6 is met."),
        (80.0, 51.0, "The bound 1.6 is NOT met."),
    ],
)
def test_a_ratio_counts_after_a_minute_of_work(one: float, two: float, words: str) -> None:
    assert words in verdict(rows(one, two))


def test_the_page_has_both_ratios() -> None:
    text = page(header(True, 1), rows(90.0, 50.0))
    assert ratio(rows(90.0, 50.0), "Dask") == 1.0
    assert "1.80" in text
    assert text.count("| Dask") == 2
