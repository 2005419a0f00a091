"""Names that are exchanged from the first frame on, and markers that are never seen."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_markers import Recording, recorded

import manikin as mk
from manikin.errors import OddMarkers
from manikin.motion.marker_fit.exchanged import exchanged_swaps
from manikin.motion.marker_fit.result import MarkerFit
from manikin.motion.marker_fit.untangle import Swap


@pytest.fixture(scope="module")
def record() -> Recording:
    return recorded(60, noise=0.001)


@pytest.fixture(scope="module")
def fit(record: Recording) -> MarkerFit:
    return mk.fit_markers(mk.human(), record.markers)


def with_swap(markers: mk.Markers, a: str, b: str, frames: slice) -> mk.Markers:
    positions = np.array(markers.positions)
    i, j = markers.index_of(a), markers.index_of(b)
    positions[frames, i], positions[frames, j] = markers.positions[frames, j], markers.positions[frames, i]
    return markers.replaced(positions=positions)


@pytest.mark.parametrize("pair", [("LKNE", "RKNE"), ("LANK", "LTOE"), ("LTHI", "LTIB"), ("LELB", "RELB")])
def test_names_exchanged_in_the_whole_trial_are_put_right(
    record: Recording, fit: MarkerFit, pair: tuple[str, str]
) -> None:
    last = len(record.markers) - 1
    with pytest.warns(OddMarkers, match=f"in frames 0 to {last}: .*exchanged"):
        found = mk.fit_markers(mk.human(), with_swap(record.markers, *pair, slice(None)), fit.attachments)
    assert [set(swap.names) for swap in found.swaps] == [set(pair)]
    clean = mk.fit_markers(mk.human(), record.markers, fit.attachments)
    np.testing.assert_allclose(found.motion.poses, clean.motion.poses, atol=1e-9)


def test_names_exchanged_in_the_first_half_are_put_right(record: Recording, fit: MarkerFit) -> None:
    with pytest.warns(OddMarkers, match="in frames 0 to 29: the names of these markers were exchanged"):
        found = mk.fit_markers(mk.human(), with_swap(record.markers, "LKNE", "RKNE", slice(30)), fit.attachments)
    assert [(swap.first, swap.last) for swap in found.swaps] == [(0, 29)]
    clean = mk.fit_markers(mk.human(), record.markers, fit.attachments)
    np.testing.assert_allclose(found.motion.poses, clean.motion.poses, atol=1e-9)


def test_a_calibration_with_exchanged_knees_is_done_again(record: Recording, fit: MarkerFit) -> None:
    with pytest.warns(OddMarkers, match="in frames 0 to 59: the names of these markers were exchanged"):
        found = mk.fit_markers(mk.human(), with_swap(record.markers, "LKNE", "RKNE", slice(None)))
    np.testing.assert_allclose(found.motion.poses, fit.motion.poses, atol=1e-6)


def test_right_names_stay(record: Recording, fit: MarkerFit) -> None:
    assert fit.swaps == ()
    positions = np.array(record.markers.positions)
    positions[:, record.markers.index_of("LKNE")] += 0.2  # one marker that is wrong in all frames
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=positions), fit.attachments)
    assert found.swaps == ()
    assert found.rejected[:, list(found.names).index("LKNE")].all()


def test_swaps_after_an_exchange_are_the_other_frames() -> None:
    pair = ("A", "B")
    assert exchanged_swaps([], [pair], 10) == [Swap(pair, 0, 9)]
    assert exchanged_swaps([Swap(("B", "A"), 4, 9)], [pair], 10) == [Swap(pair, 0, 3)]
    assert exchanged_swaps([Swap(pair, 2, 3), Swap(pair, 6, 7)], [pair], 10) == [
        Swap(pair, 0, 1),
        Swap(pair, 4, 5),
        Swap(pair, 8, 9),
    ]
    other = Swap(("C", "D"), 1, 2)
    assert exchanged_swaps([other], [pair], 4) == [Swap(pair, 0, 3), other]


def test_a_note_names_markers_that_are_never_seen(record: Recording, fit: MarkerFit) -> None:
    positions = np.array(record.markers.positions)
    positions[:, record.markers.index_of("LKNE")] = np.nan
    found = mk.fit_markers(mk.human(), record.markers.replaced(positions=positions), fit.attachments)
    assert "markers that are never seen: LKNE" in found.notes
    assert not any("never seen" in note for note in fit.notes)


def test_a_static_trial_of_several_people_calibrates_a_trial_with_exchanged_names(record: Recording) -> None:
    names = record.markers.names
    pairs = [*(f"Anna:{n}" for n in names), *(f"Bob:{n}" for n in names)]
    both = np.concatenate([record.markers.positions, record.markers.positions + 1.0], axis=1)
    static = record.markers.replaced(names=pairs, positions=both)[:40]
    trial = with_swap(record.markers, "LKNE", "RKNE", slice(None)).replaced(names=[f"Anna:{n}" for n in names])
    with pytest.warns(OddMarkers, match="in frames 0 to 59: the names of these markers were exchanged"):
        found = mk.fit_markers(mk.human(), trial, calibrate=static, subject="Anna")
    assert [set(swap.names) for swap in found.swaps] == [{"LKNE", "RKNE"}]
