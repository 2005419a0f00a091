"""The benchmark of markers: damages, its page, and its committed results."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from synthetic_markers import recorded

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import marker_damage, marker_page

RESULTS = Path(__file__).parents[1] / "benchmarks/results"


@pytest.mark.parametrize(
    ("damage", "count"),
    [
        (marker_damage.swapped("LKNE", "RKNE"), 20),
        (marker_damage.ghost("RANK", 0.3), 20),
        (marker_damage.gone, 25),
        (marker_damage.wild(0.05), None),
    ],
)
def test_a_damage_says_what_it_changed(damage, count: int | None) -> None:
    markers = recorded(60, rate=50.0).markers
    made = damage(markers, np.random.default_rng(1))
    changed = ~(made.markers.positions == markers.positions).all(axis=-1)
    assert np.array_equal(np.flatnonzero(changed.any(axis=1)), made.frames)
    assert np.array_equal(changed & made.markers.present, made.bad)
    assert count is None or len(made.frames) == count


def test_the_committed_page_is_that_of_the_committed_numbers() -> None:
    numbers = json.loads((RESULTS / "markers.json").read_text())
    assert marker_page.page(numbers) == (RESULTS / "markers.md").read_text()
    assert "in sample" in marker_page.page(numbers)
    assert all(row["rms_mm"] <= 8.0 for row in numbers["whole"])
