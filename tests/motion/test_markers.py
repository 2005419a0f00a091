"""Markers: named, with gaps, sliced, converted, and nothing wrong let in."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName

NAN = float("nan")


def some(frames: int = 5, **more: Any) -> mk.Markers:
    positions = np.arange(frames * 9, dtype=float).reshape(frames, 3, 3)
    positions[1, 2] = NAN
    return mk.Markers(["Anna:LASI", "Anna:RASI", "C7"], positions, **{"rate": 10.0, "unit": 0.001, "up": "z", **more})


def test_one_marker_by_name_one_frame_by_number_and_a_part_of_the_frames() -> None:
    markers = some(source={"frames": range(7, 12)})
    assert len(markers) == 5
    assert (markers["C7"][0] == [6, 7, 8]).all()
    assert markers[3].shape == (3, 3)
    part = markers[1:5:2]
    assert len(part) == 2
    assert part.rate == 5.0
    assert list(part.source["frames"]) == [8, 10]
    assert np.array_equal(part.positions, markers.positions[1:5:2], equal_nan=True)
    assert np.allclose(part.times, [0.1, 0.3])


def test_a_marker_is_found_without_its_subject_unless_two_have_it() -> None:
    markers = some()
    assert (markers["LASI"] == markers["Anna:LASI"]).all()
    two = markers.replaced(names=["Anna:LASI", "Ben:LASI", "C7"])
    with pytest.raises(UnknownName, match="have 2 called 'LASI': Anna:LASI, Ben:LASI; use one of these"):
        two["LASI"]
    plain = markers.replaced(names=["LASI", "Ben:LASI", "C7"])
    assert plain.index_of("LASI") == 0
    with pytest.raises(UnknownName, match="did you mean"):
        markers["Anna:LASL"]


def test_gaps_are_seen_and_a_marker_with_one_number_missing_is_a_gap() -> None:
    positions = some().positions.copy()
    positions[4, 0, 1] = NAN
    markers = some().replaced(positions=positions)
    assert not markers.present[1, 2]
    assert not markers.present[4, 0]
    assert np.isnan(markers.positions[4, 0]).all()
    assert markers.present.sum() == 13
    assert "13.3% missing" in repr(markers)


def test_arrays_are_copies_and_read_only() -> None:
    positions = np.zeros((2, 1, 3))
    markers = mk.Markers(["A"], positions, rate=1)
    positions[:] = 5.0
    assert (markers.positions == 0.0).all()
    for array in (markers.positions, markers.times):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_subset_has_the_named_markers_in_their_order() -> None:
    markers = some(residuals=np.arange(15.0).reshape(5, 3), cameras=np.arange(15).reshape(5, 3))
    part = markers.subset(["C7", "LASI"])
    assert part.names == ("C7", "Anna:LASI")
    assert (part["C7"][0] == [6, 7, 8]).all()
    assert part.residuals is not None
    assert part.cameras is not None
    assert list(part.residuals[0]) == [2.0, 0.0]
    assert list(part.cameras[0]) == [2, 0]
    with pytest.raises(BadValue, match="subset needs a list"):
        markers.subset("C7")


def test_metres_and_another_up_axis() -> None:
    markers = some(residuals=np.full((5, 3), 2.0))
    metres = markers.in_metres()
    assert metres.unit == 1.0
    assert np.allclose(metres["LASI"], markers["LASI"] / 1000)
    assert metres.residuals is not None
    assert metres.residuals[0, 0] == 0.002
    assert metres.in_metres() is metres
    up = markers.with_up("y")
    x, y, z = markers["LASI"][3]
    assert (up["LASI"][3] == [y, z, x]).all()
    assert up.up == "y"
    assert np.array_equal(up.with_up("z").positions, markers.positions, equal_nan=True)
    for call, message in ((lambda m: m.in_metres(), "have no unit"), (lambda m: m.with_up("y"), "have no up axis")):
        with pytest.raises(BadValue, match=message):
            call(markers.replaced(unit=None, up=None))


@pytest.mark.parametrize("axes", [(a, b) for a in "xyz" for b in "xyz"])
def test_another_up_axis_is_a_rotation_that_takes_up_to_up(axes: tuple[str, str]) -> None:
    markers = mk.Markers(["A", "B", "C"], np.eye(3)[None], rate=1, up=axes[0]).with_up(axes[1])
    R = markers.positions[0].T
    assert np.isclose(np.linalg.det(R), 1.0)
    assert R["xyz".index(axes[1]), "xyz".index(axes[0])] == 1.0


def test_between_frames_markers_go_in_straight_lines_and_gaps_stay() -> None:
    markers = some()
    twice = markers.resampled(20.0)
    assert len(twice) == 9
    assert twice.rate == 20.0
    assert np.array_equal(twice.positions[::2], markers.positions, equal_nan=True)
    assert np.allclose(twice["LASI"][1], (markers["LASI"][0] + markers["LASI"][1]) / 2)
    assert list(twice.present[:, 2]) == [True, False, False, False, True, True, True, True, True]
    assert (markers.at([-1.0, 9.0])[:, 0] == markers["LASI"][[0, -1]]).all()


@given(st.integers(1, 40), st.floats(0.5, 500.0), st.floats(0.5, 500.0))
def test_resampling_keeps_to_the_time_that_was_seen(frames: int, rate: float, other: float) -> None:
    markers = mk.Markers(["A"], np.random.default_rng(0).normal(size=(frames, 1, 3)), rate=rate)
    again = markers.resampled(other)
    assert again.times[0] == markers.times[0]
    assert again.times[-1] <= markers.times[-1] + 1e-9
    assert again.times[-1] + 1 / other > markers.times[-1] - 1e-9
    assert again.present.all()


def test_markers_can_be_pickled() -> None:
    markers = some(residuals=np.ones((5, 3)), source={"frames": range(1, 6), "notes": ("odd",)})
    again = pickle.loads(pickle.dumps(markers))
    assert again.names == markers.names
    assert again.notes == ("odd",)
    assert np.array_equal(again.positions, markers.positions, equal_nan=True)
    assert (again.up, again.unit, again.rate) == ("z", 0.001, 10.0)


def test_times_or_a_rate_say_when() -> None:
    assert np.allclose(mk.Markers(["A"], np.zeros((3, 1, 3)), [1.0, 1.5, 2.5]).rate, 2 / 1.5)
    one = mk.Markers(["A"], np.zeros((1, 1, 3)))
    assert one.rate is None
    assert one.duration == 0.0
    assert mk.Markers(["A"], np.zeros((2, 1, 3)), [0.0, 0.017], rate=60).rate == 60


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"names": ["A", "A", "B"]}, BadValue, "'A' is the name of two markers"),
        ({"names": ["A", "", "B"]}, BadValue, r"names\[1\] is ''"),
        ({"names": "ABC"}, BadValue, "names are 'ABC'; they must be a list"),
        ({"names": ["A"]}, BadShape, r"1 names need \(frames, 1, 3\)"),
        ({"positions": np.zeros((5, 3))}, BadShape, r"has shape \(5, 3\)"),
        ({"positions": np.zeros((0, 3, 3)), "times": None}, BadShape, "at least one frame"),
        ({"positions": np.full((5, 3, 3), np.inf)}, BadValue, "is inf"),
        ({"times": [0, 1, 2, 3, 3]}, BadValue, r"times must increase, but times\[4\] is 3 s after 3 s"),
        ({"times": [0, 1]}, BadShape, r"5 frames need \(5,\)"),
        ({"times": None, "rate": None}, BadValue, "neither times nor rate"),
        ({"rate": 0.0}, BadValue, "rate is 0; it must be above 0"),
        ({"unit": -1.0}, BadValue, "unit is -1"),
        ({"up": "w"}, BadValue, "up is 'w'"),
        ({"residuals": np.zeros((5, 2))}, BadShape, r"they need \(5, 3\)"),
        ({"cameras": np.full((5, 3), 0.5)}, BadValue, "whole numbers from 0 to 255"),
        ({"colour": 1}, UnknownName, "Markers has no field 'colour'"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        some().replaced(**change)


@pytest.mark.parametrize("frames", [slice(7, 9), slice(None, None, -1)])
def test_no_frames_and_backward_frames_are_errors(frames: slice) -> None:
    with pytest.raises(BadValue, match=r"at least one is needed|it must be above 0, because times must increase"):
        some()[frames]
