"""Swapped names are put right, and nothing else is changed."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_markers import recorded

from manikin.motion.marker_fit.untangle import untangled

SIZE = 1.526
PAIRS = [("LKNE", "RKNE"), ("LANK", "LTOE"), ("LWRA", "LWRB"), ("LASI", "RASI")]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("gap", [False, True])
def test_a_swap_is_undone_to_the_frame(pair: tuple[str, str], gap: bool) -> None:
    markers = recorded(120).markers
    i, j = (markers.names.index(name) for name in pair)
    true = np.array(markers.positions)
    if gap:
        true[40:45, i] = np.nan
    bad = np.array(true)
    bad[50:70, [i, j]] = true[50:70, [j, i]]
    found, swaps = untangled(markers.names, bad, markers.times, SIZE)
    assert np.array_equal(found, true, equal_nan=True)
    assert [(set(s.names), s.first, s.last) for s in swaps] == [(set(pair), 50, 69)]


def test_a_swap_that_does_not_end_lasts_to_the_end() -> None:
    markers = recorded(60).markers
    bad = np.array(markers.positions)
    bad[30:, [0, 1]] = markers.positions[30:, [1, 0]]
    found, swaps = untangled(markers.names, bad, markers.times, SIZE)
    assert np.array_equal(found, markers.positions)
    assert [(s.first, s.last) for s in swaps] == [(30, 59)]


def test_clean_markers_and_a_ghost_are_unchanged() -> None:
    markers = recorded(60).markers
    bad = np.array(markers.positions)
    bad[20:25, 4] += 0.3
    for given in (markers.positions, bad):
        found, swaps = untangled(markers.names, given, markers.times, SIZE)
        assert np.array_equal(found, given)
        assert not swaps


@pytest.mark.needs("data", "markers/*.c3d")
def test_no_exchange_in_real_recordings(data) -> None:
    import manikin as mk

    for path in [*sorted((data / "markers").glob("*.c3d")), data / "markers/gait2392/subject01_walk1.trc"]:
        markers = mk.load_markers(path).in_metres()
        assert not untangled(markers.names, markers.positions, markers.times, SIZE)[1], path.name
