"""C3D: every processor, whole and real numbers, gaps, names, rates, units, oddities of the head; and writing."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c3d_bytes import C3D, DEC, INTEL, MIPS, PROCESSORS, dec_float
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.errors import BadFile, BadValue, OddFile
from manikin.files.c3d.parameters import reals

RNG = np.random.default_rng(0)
POSITIONS = RNG.uniform(-900, 900, (6, 4, 3))
POSITIONS[2, 1] = np.nan
POSITIONS[:, 3][4:] = np.nan


def load(tmp_path: Path, file: C3D | bytes) -> mk.Markers:
    path = tmp_path / "m.c3d"
    path.write_bytes(file if isinstance(file, bytes) else file.bytes())
    return mk.load_markers(path)


# Processors and numbers


@pytest.mark.parametrize("analog", [0, 3])
@pytest.mark.parametrize("scale", [-0.05, 0.05])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor_and_both_kinds_of_numbers_are_read(
    tmp_path: Path, processor: str, scale: float, analog: int
) -> None:
    residuals, cameras = RNG.integers(0, 256, (6, 4)), RNG.integers(0, 128, (6, 4))
    file = C3D(POSITIONS, None, PROCESSORS[processor], scale, residuals, cameras, analog, rate=59.94, first=100)
    markers = load(tmp_path, file)
    assert np.nanmax(np.abs(markers.positions - POSITIONS)) < (0.0251 if scale > 0 else 1e-4)
    assert (markers.present == ~np.isnan(POSITIONS[..., 0])).all()
    assert markers.names == ("M1", "M2", "M3", "M4")
    assert markers.rate == pytest.approx(59.94, rel=1e-6)
    assert markers.times[0] == pytest.approx(99 / 59.94)
    assert markers.source["frames"] == range(100, 106)
    assert markers.source["processor"] == processor
    assert (markers.unit, markers.up) == (0.001, "z")
    seen = markers.present
    assert markers.residuals is not None
    assert markers.cameras is not None
    assert np.allclose(markers.residuals[seen], 0.05 * residuals[seen])
    assert np.isnan(markers.residuals[~seen]).all()
    assert (markers.cameras[seen] == cameras[seen]).all()


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=20))
def test_dec_reals_are_read_exactly(values: list[float]) -> None:
    usable = [x for x in values if x == 0.0 or 1e-37 < abs(x) < 1e37]
    assert list(reals(b"".join(dec_float(x) for x in usable), "DEC")) == usable


def test_a_dec_real_that_is_none_is_no_number() -> None:
    assert np.isnan(reals(b"\x00\x80\x00\x00", "DEC")[0])


def test_numbers_that_are_none_are_gaps(tmp_path: Path) -> None:
    whole, size = C3D(POSITIONS, pad=False).bytes(), 6 * 4 * 16
    table = np.frombuffer(whole[-size:], "<f4").reshape(6, 4, 4).copy()
    table[0, 0, 1], table[1, 0, 2] = np.nan, np.inf
    markers = load(tmp_path, whole[:-size] + table.tobytes())
    assert list(markers.present[:3, 0]) == [False, False, True]


# Names


def test_more_than_255_labels_go_on_in_labels2(tmp_path: Path) -> None:
    labels = [f"P{i:04d}" for i in range(700)]
    markers = load(tmp_path, C3D(RNG.normal(size=(2, 700, 3)), labels))
    assert list(markers.names) == labels


def test_labels_that_are_missing_empty_or_twice_are_told(tmp_path: Path) -> None:
    with pytest.warns(OddFile) as said:
        markers = load(tmp_path, C3D(POSITIONS, ["A", "", "A"]))
    assert markers.names == ("A", "Marker2", "A.2", "Marker4")
    assert "with the same name get a number: A" in str(said[0].message)
    assert "4 points have 3 labels; points without a label are called Marker2, Marker4" in str(said[1].message)
    assert len(markers.notes) == 2
    with pytest.warns(OddFile, match="4 points have 0 labels"):
        assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"LABELS": None}})).names[0] == "Marker1"


def test_more_labels_than_points_do_no_harm(tmp_path: Path) -> None:
    assert load(tmp_path, C3D(POSITIONS, list("ABCDEF"))).names == ("A", "B", "C", "D")


def test_a_subject_before_the_name_is_kept_and_not_needed(tmp_path: Path) -> None:
    markers = load(tmp_path, C3D(POSITIONS, ["Anna:LASI", "Anna:RASI", "*21", "ä µ"]))
    assert markers.names == ("Anna:LASI", "Anna:RASI", "*21", "ä µ")
    assert np.allclose(markers["LASI"], POSITIONS[:, 0], atol=1e-4)


def test_labels_in_latin_1_are_read(tmp_path: Path) -> None:
    value = b"\xff\x02\x02\x04" + b"\xe4 \xf6 B C " + b"\0"
    assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"LABELS": value}})).names == ("ä", "ö", "B", "C")


def test_angles_and_forces_among_the_points_are_left_out(tmp_path: Path) -> None:
    parameters = {"POINT": {"ANGLES": ["LKnee", "RKnee"], "POWERS": ["Gone"]}}
    with pytest.warns(OddFile, match="points that are not markers are left out: angles LKnee"):
        markers = load(tmp_path, C3D(POSITIONS, ["A", "LKnee", "B", "C"], parameters=parameters))
    assert markers.names == ("A", "B", "C")
    assert np.allclose(markers.positions, POSITIONS[:, [0, 2, 3]], atol=1e-4, equal_nan=True)
    assert markers.source["outputs"] == {"ANGLES": ("LKnee",)}


# Units, axes, rates, events


@pytest.mark.parametrize(
    ("word", "unit"), [("mm", 1e-3), ("CM", 0.01), ("m ", 1.0), ("Meters", 1.0), ("inches", 0.0254), ("[ft]", 0.3048)]
)
def test_units_in_any_spelling(tmp_path: Path, word: str, unit: float) -> None:
    assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"UNITS": word}})).unit == unit


@pytest.mark.parametrize("word", ["ells", "", None])
def test_a_unit_that_is_not_known_is_none_and_told(tmp_path: Path, word: str | None) -> None:
    with pytest.warns(OddFile, match="unit is None"):
        assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"UNITS": word}})).unit is None


@pytest.mark.parametrize(
    ("screen", "up"), [("+Z", "z"), ("Y", "y"), ("+x", "x"), ("", None), (None, None), ("W", None)]
)
def test_the_up_axis_is_that_of_the_screen(tmp_path: Path, screen: str | None, up: str | None) -> None:
    assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"Y_SCREEN": screen}})).up == up


def test_an_axis_that_points_down_is_told(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="'-Z': z points down, so up is None"):
        assert load(tmp_path, C3D(POSITIONS, parameters={"POINT": {"Y_SCREEN": "-Z"}})).up is None


def test_the_rate_is_that_of_the_parameters_then_of_the_header(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="the header says 50 frames per second, POINT:RATE says 100"):
        assert load(tmp_path, C3D(POSITIONS, header={"rate": 50.0})).rate == 100.0
    assert load(tmp_path, C3D(POSITIONS, header={"rate": 50.0}, parameters={"POINT": {"RATE": None}})).rate == 50.0
    no_rate = C3D(POSITIONS, header={"rate": 0.0}, parameters={"POINT": {"RATE": np.float32(0.0)}})
    with pytest.warns(OddFile, match="1 s apart"):
        markers = load(tmp_path, no_rate)
    assert list(markers.times) == [0, 1, 2, 3, 4, 5]


def test_events_of_parameters_and_of_the_header_are_kept(tmp_path: Path) -> None:
    times = np.array([[0.0, 1.0], [2.5, 3.25]], dtype=np.float32)
    event = {"USED": np.int16(2), "TIMES": times, "LABELS": ["Foot Strike", "Foot Off"], "CONTEXTS": ["Left", "Right"]}
    events = load(tmp_path, C3D(POSITIONS, parameters={"EVENT": event})).source["events"]
    assert [e["time"] for e in events] == [2.5, 63.25]
    assert events[1]["label"] == "Foot Off"
    assert events[0]["context"] == "Left"
    events = load(tmp_path, C3D(POSITIONS, header={"events": ((0.5, "RHS"), (1.5, "LTO"))})).source["events"]
    assert events == ({"time": 0.5, "label": "RHS"}, {"time": 1.5, "label": "LTO"})


# Counts that disagree


def test_more_than_65535_frames(tmp_path: Path) -> None:
    long = RNG.uniform(-900, 900, (70_000, 1, 3))

    def halves(n: int) -> Any:
        return np.array([n & 0xFFFF, n >> 16], dtype=np.uint16).view(np.int16)

    trial = {"TRIAL": {"ACTUAL_START_FIELD": halves(66_000), "ACTUAL_END_FIELD": halves(135_999)}}
    files = {
        66_000: C3D(long, parameters=trial, header={"first": 65535, "last": 65535}),
        1: C3D(long, parameters={"POINT": {"LONG_FRAMES": np.float32(70_000)}}, header={"last": 65535}),
    }
    for first, file in files.items():
        with pytest.warns(OddFile, match="70000 fits its size and is used"):
            markers = load(tmp_path, file)
        assert len(markers) == 70_000
        assert markers.source["frames"][0] == first
        assert np.abs(markers.positions - long).max() < 1e-4


@pytest.mark.parametrize("scale", [-0.05, 0.05])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_length_in_the_wrong_order_of_bytes_is_read_with_a_warning(
    tmp_path: Path, processor: str, scale: float
) -> None:
    """As in sgi_int.c3d and sgi_real.c3d of c3d.org: the length 0x013f of POINT:LABELS stands there as 3f 01."""
    positions = RNG.uniform(-900, 900, (5, 36, 3))
    labels = [f"M{i:02}" for i in range(36)]
    file = C3D(positions, labels, PROCESSORS[processor], scale, parameters={"POINT": {"DESCRIPTIONS": None}})
    whole = file.bytes()
    at = whole.index(b"LABELS") + len("LABELS")
    spoilt = whole[:at] + whole[at : at + 2][::-1] + whole[at + 2 :]
    with pytest.warns(OddFile, match="'LABELS' .* wrong byte order"):
        markers = load(tmp_path, spoilt)
    assert markers.names == tuple(labels)
    assert np.abs(markers.positions - positions).max() < (0.0251 if scale > 0 else 1e-4)


def test_a_length_that_leads_out_of_the_file_in_either_order_is_refused(tmp_path: Path) -> None:
    whole = C3D(POSITIONS).bytes()
    at = whole.index(b"LABELS") + len("LABELS")
    with pytest.raises(BadFile, match="'LABELS' of the parameters ends outside the file"):
        load(tmp_path, whole[:at] + b"\xf1\xf2" + whole[at + 2 :])


def test_40000_frames_are_not_taken_for_a_negative_number(tmp_path: Path) -> None:
    assert len(load(tmp_path, C3D(RNG.normal(size=(40_000, 1, 3))))) == 40_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"POINT": {"FRAMES": np.int16(3)}}}, "states 3 and 60 frames; 60 fits its size and is used"),
        (
            {"parameters": {"POINT": {"FRAMES": np.int16(999)}}},
            "states 60 and 999 frames; 60 fits its size and is used",
        ),
        ({"header": {"last": 20}}, "states 20 and 60 frames; 60 fits its size and is used"),
        ({"header": {"points": 5}}, "states 4 and 5 for points; 4 fits"),
        ({"parameters": {"POINT": {"USED": np.int16(9)}}}, "states 4 and 9 for points; 4 fits"),
        ({"header": {"start": 5}}, "for the start of the data"),
        ({"parameters": {"POINT": {"DATA_START": np.int16(30)}}}, "for the start of the data"),
        ({"analog": 3, "header": {"analog": 0}}, "states 0 and 6 for the analog values per frame; 6 fits"),
        ({"header": {"scale": 0.1}}, "POINT:SCALE says real numbers"),
        ({"header": {"parameter_block": 0}}, "where the parameters begin"),
    ],
)
def test_counts_that_disagree_are_told_and_the_size_decides(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    positions = RNG.uniform(-900, 900, (60, 4, 3))
    with pytest.warns(OddFile, match=message):
        markers = load(tmp_path, C3D(positions, **change))
    assert np.abs(markers.positions - positions).max() < 1e-4


def test_the_last_block_may_be_short_and_blocks_may_follow(tmp_path: Path) -> None:
    assert len(load(tmp_path, C3D(POSITIONS, pad=False))) == 6
    assert len(load(tmp_path, C3D(POSITIONS).bytes() + bytes(5000))) == 6


# Writing


@pytest.mark.parametrize("count", [3, 600])
def test_a_round_trip_keeps_everything_to_32_bits(tmp_path: Path, count: int) -> None:
    positions = RNG.uniform(-2, 2, (7, count, 3))
    positions[RNG.uniform(size=(7, count)) < 0.3] = np.nan
    events = ({"time": 61.5, "label": "Foot Strike", "context": "Left", "subject": "", "description": ""},)
    markers = mk.Markers(
        [f"Anna:M{i}" for i in range(count)],
        positions,
        times=3.0 + np.arange(7) / 250,
        rate=250,
        unit=1.0,
        up="y",
        residuals=RNG.uniform(0, 3e-3, (7, count)),
        cameras=RNG.integers(0, 128, (7, count)),
        source={"events": events, "descriptions": {"Anna:M1": "left hip"}},
    )
    mk.save(markers, tmp_path / "a.c3d")
    again = mk.load_markers(tmp_path / "a.c3d")
    assert again.names == markers.names
    assert np.array_equal(again.positions, markers.positions.astype(np.float32), equal_nan=True)
    assert np.allclose(again.times, markers.times)
    assert (again.unit, again.up, again.rate) == (1.0, "y", 250.0)
    assert np.allclose(again.residuals, markers.residuals, atol=1e-5, equal_nan=True)
    assert markers.cameras is not None
    assert again.cameras is not None
    assert (again.cameras[again.present] == markers.cameras[again.present]).all()
    assert again.source["events"] == events
    assert again.source["descriptions"] == {"Anna:M1": "left hip"}
    assert again.notes == ()
    mk.save(again, tmp_path / "b.c3d")
    assert (tmp_path / "a.c3d").read_bytes() == (tmp_path / "b.c3d").read_bytes()


def test_another_library_reads_what_is_written(tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is the other library")
    markers = mk.Markers(list("ABCD"), POSITIONS, rate=120, unit=0.001, up="z")
    mk.save(markers, tmp_path / "a.c3d")
    theirs = ezc3d.c3d(str(tmp_path / "a.c3d"))
    points = theirs["data"]["points"][:3].transpose(2, 1, 0)
    assert np.array_equal(points, POSITIONS.astype(np.float32), equal_nan=True)
    assert theirs["parameters"]["POINT"]["LABELS"]["value"] == list("ABCD")
    assert theirs["parameters"]["POINT"]["UNITS"]["value"] == ["mm"]
    assert theirs["header"]["points"]["frame_rate"] == 120.0


@pytest.mark.parametrize("processor", [INTEL, DEC])
@pytest.mark.parametrize("scale", [-0.05, 0.05])
def test_another_library_reads_the_same_from_files_made_here(tmp_path: Path, processor: int, scale: float) -> None:
    """That is: the bytes of the tests are C3D, and not only to us. ezc3d reads no MIPS."""
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is the other library")
    markers = load(tmp_path, C3D(POSITIONS, processor=processor, scale=scale))
    theirs = ezc3d.c3d(str(tmp_path / "m.c3d"))["data"]["points"][:3].transpose(2, 1, 0)
    assert np.array_equal(theirs, markers.positions, equal_nan=True)


def test_more_than_65535_frames_are_written_and_read(tmp_path: Path) -> None:
    markers = mk.Markers(["A"], RNG.normal(size=(66_000, 1, 3)).astype(np.float32), rate=100, unit=1.0)
    mk.save(markers, tmp_path / "a.c3d")
    with pytest.warns(OddFile, match="66000 fits its size and is used"):
        again = mk.load_markers(tmp_path / "a.c3d")
    assert np.array_equal(again.positions, markers.positions)


def test_frames_that_jitter_a_little_are_even(tmp_path: Path) -> None:
    positions = RNG.normal(size=(50, 1, 3)).astype(np.float32)
    times = np.arange(50) / 60.0 + 0.003 / 60.0 * np.cos(np.arange(50.0))
    mk.save(mk.Markers(["A"], positions, times, unit=1.0), tmp_path / "a.c3d")
    assert np.array_equal(mk.load_markers(tmp_path / "a.c3d").positions, positions)


def test_uneven_frames_are_resampled_and_told(tmp_path: Path) -> None:
    markers = mk.Markers(["A"], np.arange(12.0).reshape(4, 1, 3), [0.0, 0.1, 0.2, 0.4], unit=1.0)
    with pytest.warns(OddFile, match="not evenly spaced in time, which C3D requires"):
        mk.save(markers, tmp_path / "a.c3d")
    assert len(mk.load_markers(tmp_path / "a.c3d")) == 5


@pytest.mark.parametrize(
    ("markers", "message"),
    [
        (mk.Markers(["A" * 200], np.zeros((1, 1, 3)), unit=1.0), "more than 127 bytes"),
        (mk.Markers(["A"], np.zeros((1, 1, 3)), unit=0.056444), "has no name for a unit of 0.056444 m"),
        (mk.Markers(["A"], np.full((1, 1, 3), 1e39), unit=1.0), "does not fit into the 32 bits"),
    ],
)
def test_what_c3d_cannot_hold_is_an_error_and_the_old_file_stays(
    tmp_path: Path, markers: mk.Markers, message: str
) -> None:
    (tmp_path / "a.c3d").write_text("old")
    with pytest.raises(BadValue, match=message):
        mk.save(markers, tmp_path / "a.c3d")
    assert [p.name for p in tmp_path.iterdir()] == ["a.c3d"]
    assert (tmp_path / "a.c3d").read_text() == "old"


# Files that are wrong


def test_a_file_cut_off_anywhere_is_one_error(tmp_path: Path) -> None:
    whole = C3D(RNG.normal(size=(50, 5, 3)), processor=MIPS, pad=False).bytes()
    for size in [1, 2, 3, 511, 512, 515, 700, 1023, 1024, 1030, 1100, *range(1200, len(whole), 177), len(whole) - 1]:
        with pytest.raises(BadFile):
            load(tmp_path, whole[:size])
    with pytest.raises(BadFile, match=r"cut off: 50 frames of 80 bytes, .* need \d+ bytes"):
        load(tmp_path, whole[:-1])


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (C3D(POSITIONS, marks=(0x51, 0x50)), "the extension says C3D, but the file begins with"),
        (C3D(POSITIONS, processor=99), "the processor type is 99; it must be one of 84"),
        (C3D(POSITIONS, header={"parameter_block": 200}), "should begin at byte 101888"),
        (C3D(POSITIONS, header={"parameter_block": 1}), "should begin at byte 0"),
        (C3D(np.zeros((5, 0, 3))), "no points"),
        (C3D(np.zeros((0, 2, 3)), header={"first": 1, "last": 0}), "no frames"),
        (C3D(POSITIONS, header={"scale": 0.0}, parameters={"POINT": {"SCALE": np.float32(0.0)}}), "scale"),
        (C3D(POSITIONS, parameters={"POINT": {"LABELS": b"\xff\x02\xff\xff\0"}}), "only 1 bytes"),
        (C3D(POSITIONS, parameters={"POINT": {"LABELS": b"\xff" + bytes([255]) + b"\xff" * 255}}), "255 dimensions"),
        (C3D(POSITIONS, parameters={"POINT": {"USED": b"\x07\x00\x01\x00"}}), "has type 7"),
        (C3D(POSITIONS, parameters={"POINT": {"ANGLES": ["M1", "M2", "M3", "M4"]}}), "none of the 4 points"),
    ],
)
def test_what_is_wrong_is_one_error_that_names_it(tmp_path: Path, file: C3D, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        load(tmp_path, file)


def test_counts_of_billions_are_refused_without_taking_memory(tmp_path: Path) -> None:
    trial = {"TRIAL": {"ACTUAL_START_FIELD": np.array([1, 0], dtype=np.int16)}}
    trial["TRIAL"]["ACTUAL_END_FIELD"] = np.array([-1, 32767], dtype=np.int16)
    trial["POINT"] = {"FRAMES": np.float32(2e9), "USED": np.int16(-1)}
    with pytest.raises(BadFile, match="cut off: 2147483647 frames"):
        load(tmp_path, C3D(POSITIONS, parameters=trial, header={"points": 65535, "last": 65535}))


def test_records_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    data = bytearray(C3D(POSITIONS).bytes())
    name = data.index(b"POINT") + 5
    for step in (1, 60_000):
        data[name : name + 2] = step.to_bytes(2, "little")
        with pytest.raises(BadFile, match="the record 'POINT' of the parameters ends outside the file"):
            load(tmp_path, bytes(data))


@given(st.binary(min_size=0, max_size=3000), st.integers(0, 2**32 - 1))
def test_garbage_is_read_or_refused_and_never_crashes(noise: bytes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(C3D(POSITIONS, analog=2).bytes())
    for at in rng.integers(0, len(data), 30):
        data[at] = rng.integers(0, 256)
    with tempfile.TemporaryDirectory() as folder:
        for content in (bytes(data), b"\x02\x50" + noise):
            path = Path(folder) / "x.c3d"
            path.write_bytes(content)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", OddFile)
                    markers = mk.load_markers(path)
            except BadFile:
                continue
            assert markers.positions.shape[2] == 3
