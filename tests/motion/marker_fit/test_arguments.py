"""Bad arguments of `fit_markers`: one error that names the argument and its value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from retarget_clips import clip
from synthetic_markers import Recording, recorded

import manikin as mk
from manikin.errors import BadValue, ManikinError
from manikin.motion.marker_fit.result import MarkerFit


@pytest.fixture(scope="module")
def record() -> Recording:
    return recorded(24, noise=0.001)


@pytest.fixture(scope="module")
def fit(record: Recording) -> MarkerFit:
    return mk.fit_markers(mk.human(), record.markers)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"attach": 5}, "attach is int; it needs Attachments"),
    ({"attach": "x.osim"}, "attach is 'x.osim', an OpenSim model; read it first with manikin.files.osim.load_attach"),
    ({"attach": {"LASI": 1}}, "attach is dict; it needs Attachments"),
    ({"calibrate": [[1], [2, 3]]}, r"calibrate is \[\[1\], \[2, 3\]\]; it needs Markers"),
    ({"calibrate": slice("a", None)}, r"calibrate is slice\('a', None, None\); it needs Markers"),
    ({"calibrate": slice(90, 99)}, r"calibrate is slice\(90, 99, None\); it needs Markers"),
    ({"scales": 5}, "scales is 5; it must be 'symmetric'"),
    ({"scales": np.ones(2)}, r"scales is array\(\[1., 1.\]\); it must be 'symmetric'"),
    ({"scales": "both"}, "scales is 'both'; it must be 'symmetric'"),
    ({"scales": {"thig": 0.1}}, "has no group 'thig'; did you mean 'thigh'"),
    ({"weights": [1.0, 2.0]}, r"weights is \[1.0, 2.0\]; it needs a dict of marker names"),
    ({"weights": 2.0}, "weights is 2.0; it needs a dict of marker names"),
    ({"weights": {"LASI": -1.0}}, "weight of 'LASI' is -1; it must be at least 0"),
    ({"weights": {"LASI": "heavy"}}, "weight of 'LASI' is 'heavy'; it needs one number"),
    ({"robust": "no"}, "robust is 'no'; it must be True or False"),
    ({"robust": None}, "robust is None; it must be True or False"),
    ({"smooth": "15"}, "smooth is '15'; it needs one number"),
    ({"smooth": 0.0}, "smooth is 0; it must be above 0"),
    ({"smooth": -5.0}, "smooth is -5; it must be above 0"),
    ({"smooth": False}, "smooth is False; it needs a frequency in Hz such as 15, or None"),
    ({"smooth": np.nan}, "smooth is nan; it needs a finite number"),
    ({"slack": [1.0]}, r"slack is \[1.0\]; it needs one number"),
    ({"progress": 5}, "progress is 5; it needs a function"),
]


@pytest.mark.parametrize("calibrated", [False, True], ids=["from names", "finished"])
@pytest.mark.parametrize(("options", "says"), BAD, ids=[says[:24] for _, says in BAD])
def test_a_bad_argument_is_named(
    record: Recording, fit: MarkerFit, options: dict[str, Any], says: str, calibrated: bool
) -> None:
    given = {"attach": fit.attachments} | options if calibrated else options
    with pytest.raises(ManikinError, match=says):
        mk.fit_markers(mk.human(), record.markers, **given)


def test_weights_that_leave_fewer_than_three_markers(record: Recording, fit: MarkerFit) -> None:
    none = dict.fromkeys(record.markers.names, 0.0)
    with pytest.raises(BadValue, match="has fewer than three markers that count: none"):
        mk.fit_markers(mk.human(), record.markers, fit.attachments, weights=none)
    with pytest.raises(BadValue, match="the trunk has fewer than three markers \\(LASI\\)"):
        mk.fit_markers(mk.human(), record.markers, weights={**none, "LASI": 1.0})
    with pytest.raises(BadValue, match="has fewer than three markers that count: LASI, RASI"):
        mk.fit_markers(mk.human(), record.markers.subset(["LASI", "RASI"]), fit.attachments)


def test_a_weight_of_a_marker_without_a_place_is_checked(record: Recording, fit: MarkerFit) -> None:
    names = ["Ball" if name == "LFIN" else name for name in record.markers.names]
    with pytest.raises(BadValue, match="weight of 'Ball' is nan"):
        mk.fit_markers(mk.human(), record.markers.replaced(names=names), fit.attachments, weights={"Ball": np.nan})


def test_frames_of_a_calibration_without_markers_are_left_out(record: Recording) -> None:
    positions = np.array(record.markers.positions)
    positions[[2, 5]] = np.nan
    gappy = record.markers.replaced(positions=positions)
    found = mk.fit_markers(mk.human(), gappy, calibrate=range(20))
    same = mk.fit_markers(mk.human(), gappy, calibrate=[k for k in range(20) if k not in (2, 5)])
    np.testing.assert_array_equal(found.motion.poses, same.motion.poses)
    with pytest.raises(BadValue, match="calibrate names 2 frames; each has fewer than three markers"):
        mk.fit_markers(mk.human(), gappy, calibrate=[2, 5])


def test_markers_without_markers_and_markers_at_one_place(record: Recording, fit: MarkerFit) -> None:
    empty = mk.Markers([], np.zeros((5, 0, 3)), rate=100.0, unit=1.0)
    flat = record.markers.replaced(positions=np.zeros_like(record.markers.positions))
    for attach in (None, fit.attachments):
        with pytest.raises(BadValue, match="markers has no markers; it needs the markers of a person"):
            mk.fit_markers(mk.human(), empty, attach)
        with pytest.raises(BadValue, match="are all at one place; they must show a body"):
            mk.fit_markers(mk.human(), flat, attach)


def test_a_figure_that_does_not_stand_is_told_about_parts(record: Recording) -> None:
    figure = clip("rokoko").figure.replaced(unit=0.01)
    with pytest.raises(BadValue, match=r"does not stand; give bones= with a pose .* as in bones="):
        mk.fit_markers(figure, record.markers)
