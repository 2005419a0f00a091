"""Markers that are missing for a while keep their pull, and joints that markers hardly determine stay near rest."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from synthetic_markers import Recording, recorded

import manikin as mk
from manikin.motion.marker_fit import gaps
from manikin.motion.marker_fit.gaps import FADING, carried
from manikin.motion.marker_fit.result import MarkerFit

TIMES = np.arange(9) / 100.0


@pytest.fixture(scope="module")
def record() -> Recording:
    return recorded(80, shift=0.012)


@pytest.fixture(scope="module")
def clean(record: Recording) -> MarkerFit:
    return mk.fit_markers(mk.human(), record.markers)


def test_a_residual_is_interpolated_and_fades() -> None:
    counted = np.ones((9, 1), dtype=bool)
    counted[3:6] = False
    residuals = np.zeros((9, 1, 3))
    residuals[2], residuals[6] = 1.0, 3.0
    found, left = carried(residuals, counted, TIMES)
    fades = np.exp(-np.array([0.01, 0.02, 0.01]) / FADING)
    assert_close(left[3:6, 0], fades)
    assert_close(found[3:6, 0, 0], fades * [1.5, 2.0, 2.5])
    assert_close(found[counted], residuals[counted])


def test_a_gap_at_an_end_has_the_residual_of_the_other_side() -> None:
    counted = np.ones((9, 3), dtype=bool)
    counted[:3, 0] = counted[6:, 1] = counted[:, 2] = False
    residuals = np.tile(np.arange(9.0)[:, None, None], (1, 3, 3))
    found, left = carried(residuals, counted, TIMES)
    assert_close(found[0, 0], 3.0 * np.exp(-0.03 / FADING) * np.ones(3))
    assert_close(found[8, 1], 5.0 * np.exp(-0.03 / FADING) * np.ones(3))
    assert not left[:, 2].any(), "this marker is never seen"
    assert not found[:, 2].any()


def moved(record: Recording, attach: mk.Attachments, name: str) -> float:
    """The mean distance of joints from the fit of all markers if a marker is missing in frames 30 to 49, in metres."""
    positions = np.array(record.markers.positions)
    positions[30:50, record.markers.index_of(name)] = np.nan
    whole, part = (
        mk.fit_markers(mk.human(), record.markers.replaced(positions=some), attach)
        for some in (record.markers.positions, positions)
    )
    a, b = (f.figure.placements(f.motion.poses[30:50])[..., :3, 3] for f in (whole, part))
    return float(np.linalg.norm(a - b, axis=-1).mean())


@pytest.mark.parametrize("name", ["LASI", "RKNE", "C7"])
def test_a_missing_marker_with_a_wrong_place_moves_the_pose_less(
    record: Recording, clean: MarkerFit, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = np.array(clean.attachments[name].offset) + 0.008
    attach = clean.attachments.replaced(**{name: {"offset": tuple(place.tolist())}})
    with_pull = moved(record, attach, name)
    monkeypatch.setattr(gaps, "LEAST", 2.0)  # nothing is carried
    assert with_pull < 0.9 * moved(record, attach, name)


def test_a_limb_without_markers_in_most_frames_is_carried_by_the_others(record: Recording, clean: MarkerFit) -> None:
    markers = record.markers
    leg = [
        i for i, n in enumerate(markers.names) if n in ("LTHI", "LKNE", "LKNM", "LTIB", "LANK", "LMED", "LHEE", "LTOE")
    ]
    positions = np.array(markers.positions)
    positions[20:70, leg] = np.nan
    fit = mk.fit_markers(mk.human(), markers.replaced(positions=positions), clean.attachments)
    seen = [k for k, i in enumerate(fit.names) if i in [markers.names[j] for j in leg]]
    assert np.nanmax(fit.residuals[:, seen]) < 0.04, "the leg does not leave its markers at the ends of the gap"
