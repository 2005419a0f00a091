"""Units that are wrong, names of the other side, and calibrations of another marker set."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_markers import Recording, recorded

import manikin as mk
from manikin.errors import BadValue, OddMarkers
from manikin.motion.marker_fit.plausible import check_size, is_mirrored


@pytest.fixture(scope="module")
def record() -> Recording:
    return recorded(30)


@pytest.mark.parametrize(
    ("common", "unit", "right"), [(1000.0, 1.0, 0.001), (0.001, 0.001, 1.0), (10.0, 0.01, 0.001), (39.4, 1.0, 0.0254)]
)
def test_a_wrong_unit_is_named(common: float, unit: float, right: float) -> None:
    with pytest.raises(BadValue, match=rf"unit={right:g}\)"):
        check_size("walk", common, unit)


@pytest.mark.parametrize("common", [0.35, 1.0, 1.3])
def test_children_and_tall_people_pass(common: float) -> None:
    check_size("walk", common, 0.001)


@pytest.mark.parametrize("finished", [False, True])
def test_millimetres_stated_as_metres(record: Recording, finished: bool) -> None:
    attach = mk.fit_markers(mk.human(), record.markers).attachments if finished else None
    wrong = record.markers.replaced(positions=1000.0 * record.markers.positions)
    with pytest.raises(BadValue, match="millimetres would fit"):
        mk.fit_markers(mk.human(), wrong, attach)


def other_side(name: str) -> str:
    return {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:] if name != "RBAK" else name


def test_left_and_right_exchanged_in_all_names(record: Recording) -> None:
    names = [other_side(n) for n in record.markers.names]
    with pytest.warns(OddMarkers) as heard:
        mk.fit_markers(mk.human(), record.markers.replaced(names=names))
    assert any("left and right are probably exchanged" in str(w.message) for w in heard)


def test_a_mirror_image_needs_depth() -> None:
    rng = np.random.default_rng(3)
    points, seen = rng.normal(size=(6, 3)), np.ones((4, 6))
    body = np.tile(points, (4, 1, 1))
    assert is_mirrored(points, body * [1.0, 1.0, -1.0], seen)
    assert not is_mirrored(points, body, seen)
    flat = points * [1.0, 1.0, 1e-3]
    assert not is_mirrored(flat, np.tile(flat, (4, 1, 1)) * [1.0, 1.0, -1.0], seen)
    assert not is_mirrored(points, body, np.zeros((4, 6))), "no frame has enough markers"


def test_a_calibration_of_another_set(record: Recording) -> None:
    attach = mk.fit_markers(mk.human(), record.markers).attachments
    names = [f"Q{i}" for i in range(len(record.markers.names))]
    with pytest.raises(BadValue, match="none of the marker"):
        mk.fit_markers(mk.human(), record.markers.replaced(names=names), attach)
    other = record.markers.replaced(names=[n if i < 30 else f"Q{i}" for i, n in enumerate(record.markers.names)])
    found = mk.fit_markers(mk.human(), other, attach)
    assert len(found.names) == 30
    assert any("without a place in the calibration were left out: Q30" in note for note in found.notes)
    static = record.markers.subset(record.markers.names[:30])
    with pytest.warns(OddMarkers, match="without a place"):
        assert len(mk.fit_markers(mk.human(), record.markers, calibrate=static).names) == 30


def test_one_frame(record: Recording) -> None:
    found = mk.fit_markers(mk.human(), record.markers[:1])
    assert len(found.motion) == 1
    assert ": 1 frame," in str(found)


def test_the_markers_of_a_second_person_are_one_warning(record: Recording) -> None:
    first = record.markers
    rng = np.random.default_rng(4)
    away = np.cumsum(0.05 * rng.normal(size=(len(first), 9, 3)), axis=0) + np.array([3.0, 1.0, 0.0])
    both = mk.Markers(
        [*first.names, *(f"Other{i}" for i in range(9))],
        np.concatenate([first.positions, away], axis=1),
        times=first.times,
        unit=1.0,
        up="y",
        name="two",
    )
    with pytest.warns(OddMarkers) as heard:
        found = mk.fit_markers(mk.human(), both)
    assert [str(w.message) for w in heard] == [
        "9 markers are not known and move with no part that has other markers; they were left out: Other0, Other1, "
        "Other2, Other3, Other4, Other5, Other6, Other7, …"
    ]
    assert len(found.names) == len(first.names)


def test_a_size_that_no_unit_explains_names_none() -> None:
    with pytest.raises(BadValue, match=r"is probably wrong.*markers\.replaced\(unit=…\)"):
        check_size("walk", 1e9, 0.001)
