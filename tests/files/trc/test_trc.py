"""TRC: read whatever its programs write, tell what is odd, refuse what is wrong; written so that it reads the same."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.errors import BadFile, BadValue, OddFile

KEYS = "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
PLAIN = f"""PathFileType\t4\t(X/Y/Z)\twalk.trc
{KEYS}
100\t100\t3\t2\tmm\t100\t1\t3
Frame#\tTime\tLASI\t\t\tR ASI\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t1\t2\t3\t4\t5\t6
2\t0.01\t1.5\t2.5\t3.5\t\t\t
3\t0.02\t7\t8e0\t-9\t10\t11\t12
"""
POSITIONS = np.array([[[1, 2, 3], [4, 5, 6]], [[1.5, 2.5, 3.5], [np.nan] * 3], [[7, 8, -9], [10, 11, 12]]], dtype=float)


def load(tmp_path: Path, text: str | bytes) -> mk.Markers:
    path = tmp_path / "walk.trc"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return mk.load_markers(path)


def check(markers: mk.Markers) -> None:
    assert markers.names == ("LASI", "R ASI")
    assert np.array_equal(markers.positions, POSITIONS, equal_nan=True)
    assert np.allclose(markers.times, [0.0, 0.01, 0.02])
    assert markers.rate == pytest.approx(100.0)


def test_a_plain_file(tmp_path: Path) -> None:
    markers = load(tmp_path, PLAIN)
    check(markers)
    assert (markers.unit, markers.up, markers.notes, markers.name) == (0.001, None, (), "walk")
    assert markers.source["header"]["origdatastartframe"] == "1"
    assert markers.source["frames"] == range(1, 4)


def spaces(text: str) -> str:
    """With blanks in place of tabs; a gap must then be a word."""
    return text.replace("\t\t\t\n", "\tNaN\tNaN\tNaN\n").replace("R ASI", "R_ASI").replace("\t", "  ")


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        "\ufeff" + PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN + "\n\n  \n",
        PLAIN.replace("\n\n1", "\n1"),
        PLAIN.replace("\n\n1", "\n\n\n\n1"),
        PLAIN.replace("\n2\t", "\n\n2\t"),
        PLAIN.replace("\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n", ""),
        PLAIN.replace("X1\tY1\tZ1\tX2\tY2\tZ2", "X5\tY5\tZ5\tX6\tY6\tZ6\t\t"),
        PLAIN.replace("\t\t\n\t\tX1", "\n\t\tX1"),
        PLAIN.replace("\tLASI\t\t\tR ASI\t\t", "\t\tLASI\t\tR ASI"),
        PLAIN.replace("\t6\n", "\t6\t\n").replace("\t12\n", "\t12\t\t\t\n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\t \t\t \n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\tNaN\tnan\tNAN\n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\t9999999.0000\t9999999\t-9999999\n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\tN/A\tnull\t-\n"),
        PLAIN.replace("3.5\t\t\t\n", "3.5\tinf\t-inf\tinf\n"),
        PLAIN.replace("\t1.5", "\t  1.5  "),
        PLAIN.replace("PathFileType", "pathfiletype").replace("Frame#", "FRAME").replace("DataRate", "datarate"),
        PLAIN.replace("100\t100\t3\t2\tmm", "100.00\t100.00\t         3\t  2\t MM "),
        PLAIN.replace("\t12\n", "\t12\x1a\n").replace("\x1a", ""),
    ],
)
def test_the_same_in_another_dress(tmp_path: Path, text: str) -> None:
    check(load(tmp_path, text))


def test_utf_16_and_latin_1(tmp_path: Path) -> None:
    check(load(tmp_path, PLAIN.encode("utf-16")))
    assert load(tmp_path, PLAIN.replace("R ASI", "Hüfte").encode("latin-1")).names[1] == "Hüfte"


def test_blanks_in_place_of_tabs(tmp_path: Path) -> None:
    markers = load(tmp_path, spaces(PLAIN))
    assert markers.names == ("LASI", "R_ASI")
    assert np.array_equal(markers.positions, POSITIONS, equal_nan=True)
    with pytest.raises(BadFile, match="if names contain spaces, separate them with tabs"):
        load(tmp_path, spaces(PLAIN).replace("R_ASI", "R ASI"))
    with pytest.raises(BadFile, match="line 8: this frame has 5 numbers; it needs 8"):
        load(tmp_path, spaces(PLAIN).replace("NaN  NaN  NaN", ""))


# What is odd is told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("100\t3\t2", "100\t7\t2", "NumFrames is 7, but the file has 3 frames; all of them are used"),
        ("100\t3\t2", "100\t1e12\t2", "NumFrames is 1e"),
        ("100\t3\t2", "100\t3\t5", "NumMarkers is 5, but the line has 2 names"),
        ("100\t3\t2", "100\t3\t1e15", "NumMarkers is 1e"),
        ("\tmm\t", "\tells\t", "Units is 'ells', which is not a known unit"),
        ("\tmm\t", "\t\t", "the file does not state its unit"),
        ("R ASI", "LASI", "with the same name get a number: LASI"),
        ("3.5\t\t\t", "3.5\t1\t\t2", "1 positions have only one or two of x, y and z, first R ASI in frame 2"),
        ("\n100\t", "\n250\t", "DataRate says 250 frames per second, the times say 100; the times are used"),
        ("\n100\t", "\n0\t", "DataRate is 0, which is not a valid rate; it is ignored"),
        ("0.02\t7", "0.01\t7", "times do not increase in frame 3; they are computed from DataRate"),
        ("PathFileType\t4\t(X/Y/Z)\twalk.trc\n", "", "does not begin with PathFileType"),
    ],
)
def test_what_disagrees_is_told_and_what_is_there_is_taken(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PLAIN
    with pytest.warns(OddFile, match=message):
        markers = load(tmp_path, PLAIN.replace(old, new, 1))
    assert len(markers) == 3
    assert np.array_equal(markers["LASI"], POSITIONS[:, 0])
    assert np.allclose(markers.times, [0.0, 0.01, 0.02])
    assert markers.notes


def test_words_may_be_missing_from_the_head(tmp_path: Path) -> None:
    no_rate = PLAIN.replace(KEYS, "NumFrames\tNumMarkers\tUnits").replace("100\t100\t3\t2\tmm\t100\t1\t3", "3\t2\tcm")
    check(load(tmp_path, no_rate))
    only_rate = PLAIN.replace(KEYS, "DataRate").replace("100\t100\t3\t2\tmm\t100\t1\t3", "100")
    with pytest.warns(OddFile, match="does not state its unit"):
        check(load(tmp_path, only_rate))
    short = PLAIN.replace("\tmm\t100\t1\t3", "\tmm")
    check(load(tmp_path, short))


def test_names_that_are_missing_are_seen_by_their_place(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="1 markers have no name; they are called Marker2"):
        markers = load(tmp_path, PLAIN.replace("R ASI", ""))
    assert markers.names == ("LASI", "Marker2")
    assert np.array_equal(markers.positions, POSITIONS, equal_nan=True)


def test_a_last_line_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    with pytest.warns(OddFile) as said:
        markers = load(tmp_path, PLAIN[: PLAIN.index("\t10\t11")])
    assert [str(w.message).split(": ", 1)[1] for w in said] == [
        "line 9, the last line, is cut off and left out",
        "NumFrames is 3, but the file has 2 frames; all of them are used",
    ]
    assert np.array_equal(markers.positions, POSITIONS[:2], equal_nan=True)


# Times


def test_times_need_not_begin_at_zero_and_frames_need_not_begin_at_one(tmp_path: Path) -> None:
    text = PLAIN
    for old, new in (("1\t0.00", "51\t0.50"), ("2\t0.01", "52\t0.51"), ("3\t0.02", "53\t0.52")):
        text = text.replace(f"\n{old}", f"\n{new}")
    markers = load(tmp_path, text)
    assert np.allclose(markers.times, [0.5, 0.51, 0.52])
    assert markers.source["frames"] == range(51, 54)


def test_times_rounded_to_milliseconds_are_those_of_even_frames(tmp_path: Path) -> None:
    text = (
        PLAIN.replace("100\t100\t3", "60\t60\t3").replace("\t0.01\t", "\t0.017000\t").replace("\t0.02\t", "\t0.033\t")
    )
    markers = load(tmp_path, text)
    assert np.array_equal(markers.times, np.arange(3) / 60)
    assert markers.rate == 60


def test_uneven_times_are_kept(tmp_path: Path) -> None:
    markers = load(tmp_path, PLAIN.replace("\t0.01\t", "\t0.0102\t"))
    assert list(markers.times) == [0.0, 0.0102, 0.02]


def test_one_frame_has_the_rate_that_is_stated(tmp_path: Path) -> None:
    text = PLAIN[: PLAIN.index("2\t0.01")].replace("100\t3\t2", "100\t1\t2")
    assert load(tmp_path, text).rate == 100.0


# What is wrong is refused


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t1.5\t", "\t1,5\t", r"line 8: expected a number, got '1,5' \(a comma instead of the decimal point\)"),
        ("\t1.5\t", "\tabc\t", "line 8: expected a number, got 'abc'"),
        ("\t1.5\t", "\t1_5\t", "line 8: expected a number, got '1_5'"),
        ("3.5\t\t\t", "3.5\t1\t1\t1\t1", "line 8: this frame has 9 numbers; it needs 8"),
        ("\n2\t0.01", "\n2\tnan", "line 8: the time here is 'nan'"),
        ("\n2\t0.01", "\n\t0.01", "line 8: the frame here is ''"),
        ("\n100\t", "\nfast\t", "line 3: datarate is 'fast'; it needs a number"),
        ("\n100\t", "\n99,5\t", r"line 3: datarate is '99,5' \(a comma"),
        ("Frame#\tTime", "Frame#\tLASI", "line 4: the word after Frame# must be Time, got 'LASI'"),
        ("Time\tLASI\t\t\tR ASI\t\t", "Time", "line 4: the file has no marker names"),
        (KEYS, "", "the lines with DataRate, NumMarkers"),
        ("PathFileType", "Markers", "this is not a TRC file"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PLAIN
    text = PLAIN.replace(old, new, 1)
    if "not a TRC" in message:
        text = text.replace("DataRate", "Rate")
    if "no marker names" in message:
        text = text.replace("NumMarkers", "Markers")
    with pytest.raises(BadFile, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("13", "", "14"), "column 9 belongs"),
        (("1\t2\t3", "\t\t", "4\t5\t6"), "columns 9 to 11 belong"),
        (("1\t2\t\t\t", "\t3\t\t\t", "x\ty\t\t\t"), "columns 9 to 10 belong"),
    ],
)
def test_columns_after_the_last_named_marker_are_left_out_with_a_warning(
    tmp_path: Path, more: tuple[str, str, str], said: str
) -> None:
    lines = PLAIN.rstrip("\n").split("\n")
    lines[-3:] = [f"{line}\t{extra}" for line, extra in zip(lines[-3:], more, strict=True)]
    with pytest.warns(OddFile, match=f"{said} to no named marker") as heard:
        markers = load(tmp_path, "\n".join(lines) + "\n")
    assert len(heard) == 1
    check(markers)


def test_columns_without_a_name_may_be_separated_by_blanks(tmp_path: Path) -> None:
    lines = spaces(PLAIN).rstrip("\n").split("\n")
    lines[-3:] = [f"{line} 1 2 3" for line in lines[-3:]]
    with pytest.warns(OddFile, match="columns 9 to 11 belong to no named marker"):
        markers = load(tmp_path, "\n".join(lines) + "\n")
    assert markers.names == ("LASI", "R_ASI")
    assert np.array_equal(markers.positions, POSITIONS, equal_nan=True)


def test_a_file_cut_off_in_its_head_is_refused(tmp_path: Path) -> None:
    for size in [1, 20, 60, 130, PLAIN.index("Frame#") + 5, PLAIN.index("LASI"), PLAIN.index("\n1\t0.00")]:
        with pytest.raises(BadFile):
            load(tmp_path, PLAIN[:size])


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="byte 30: this is not a text file"):
        load(tmp_path, PLAIN[:30].encode() + bytes(100))


def test_many_short_lines_take_no_memory(tmp_path: Path) -> None:
    names = "\t\t\t".join(f"M{i}" for i in range(90_000))
    head = f"PathFileType\t4\n{KEYS}\n100\t100\t50000\t90000\tmm\nFrame#\tTime\t{names}\n"
    with pytest.raises(BadFile, match=r"line 5: 50000 lines .* 270002"):
        load(tmp_path, head + "".join(f"{i}\t{i}\n" for i in range(50_000)))


def test_counts_of_billions_take_no_memory(tmp_path: Path) -> None:
    with pytest.warns(OddFile):
        markers = load(tmp_path, PLAIN.replace("100\t3\t2", "100\t4000000000\t4000000000"))
    assert len(markers) == 3


@given(st.integers(0, 2**32 - 1))
def test_a_spoilt_file_is_read_or_refused_and_never_crashes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(PLAIN.encode())
    letters = b"\t\n\r ,.0123456789eE+-XNaN\xff\x00"
    for _ in range(rng.integers(1, 25)):
        at = int(rng.integers(0, len(data)))
        data[at : at + int(rng.integers(0, 3))] = bytes([letters[rng.integers(0, len(letters))]])
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        path = Path(folder) / "x.trc"
        path.write_bytes(data)
        try:
            markers = mk.load_markers(path)
        except BadFile:
            return
    assert markers.positions.shape[1:] == (len(markers.names), 3)


# Writing


@given(st.integers(0, 2**32 - 1))
def test_a_round_trip_gives_the_same_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames, count = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    positions = rng.normal(size=(frames, count, 3)) * 10.0 ** rng.integers(-6, 6)
    positions[rng.uniform(size=(frames, count)) < 0.3] = np.nan
    times = np.sort(rng.uniform(0, 1000, frames)) + np.arange(frames)
    unit = float(rng.choice([1.0, 0.001, 0.01, 0.0254]))
    markers = mk.Markers([f"A b:{i}" for i in range(count)], positions, times, unit=unit)
    with tempfile.TemporaryDirectory() as folder:
        mk.save(markers, Path(folder) / "a.trc")
        again = mk.load_markers(Path(folder) / "a.trc")
        mk.save(again, Path(folder) / "b.trc")
        same = (Path(folder) / "b.trc").read_bytes().replace(b"b.trc", b"a.trc")
        assert (Path(folder) / "a.trc").read_bytes() == same
    assert again.names == markers.names
    assert np.array_equal(again.positions, positions, equal_nan=True)
    assert np.allclose(again.times, markers.times, rtol=0, atol=0.5e-6)
    assert (again.unit, again.notes) == (unit, ())


def test_what_is_written_is_laid_out_as_other_programs_want_it(tmp_path: Path) -> None:
    markers = load(tmp_path, PLAIN)
    mk.save(markers, tmp_path / "out.trc")
    lines = (tmp_path / "out.trc").read_text().split("\n")
    assert lines[0] == "PathFileType\t4\t(X/Y/Z)\tout.trc"
    assert lines[1] == KEYS
    assert lines[2] == "100\t100\t3\t2\tmm\t100\t1\t3"
    assert lines[3] == "Frame#\tTime\tLASI\t\t\tR ASI\t\t"
    assert lines[4] == "\t\tX1\tY1\tZ1\tX2\tY2\tZ2"
    assert lines[5] == ""
    assert [line.count("\t") for line in lines[6:9]] == [7, 7, 7]
    assert lines[7].startswith("2\t0.01\t1.5\t2.5\t3.5\t\t\t")


def test_a_unit_without_a_word_becomes_metres_and_none_stays_none(tmp_path: Path) -> None:
    markers = load(tmp_path, PLAIN).replaced(unit=0.056444)
    mk.save(markers, tmp_path / "a.trc")
    again = mk.load_markers(tmp_path / "a.trc")
    assert again.unit == 1.0
    assert np.allclose(again["LASI"], 0.056444 * POSITIONS[:, 0])
    with pytest.warns(OddFile, match="have no unit"):
        mk.save(markers.replaced(unit=None, source={}), tmp_path / "b.trc")
    with pytest.warns(OddFile, match="does not state its unit"):
        assert mk.load_markers(tmp_path / "b.trc").unit is None


def test_a_name_with_a_tab_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="tab or line break"):
        mk.save(load(tmp_path, PLAIN).replaced(names=["A\tB", "C"]), tmp_path / "a.trc")
    assert not (tmp_path / "a.trc").exists()


@pytest.mark.parametrize("number", ["1e308", "-1e16"])
def test_a_number_too_large_to_compute_with_is_refused_with_its_line(tmp_path: Path, number: str) -> None:
    with pytest.raises(BadFile, match="numbers must lie within") as caught:
        load(tmp_path, PLAIN.replace("8e0", number))
    assert caught.value.line == 9
