"""TRC files with commas, or with two tabs between cells, have the numbers that an independent reading finds."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk

NUMBERS = np.random.default_rng(3).normal(size=(6, 4, 3)).round(4)
NUMBERS[2, 1] = np.nan
NAMES = ["LASI", "RASI", "C7", "L.Toe Tip"]
HEAD = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
HEAD += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
VALUES = ["100", "100", "6", "4", "mm", "100", "1", "6"]


def text(head: str, between: str) -> str:
    """A file with `head` between the cells of the first lines, and `between` between those of other lines."""
    axes = [f"{axis}{k}" for k in range(1, 5) for axis in "XYZ"]
    row = ["Frame#", "Time", *(cell for name in NAMES for cell in (name, "", ""))]
    lines = [head.join(["PathFileType", "4", "(X/Y/Z)", "walk.trc"]), head.join(HEAD), head.join(VALUES)]
    lines += [between.join(row), between.join(["", "", *axes]), ""]
    for k, frame in enumerate(NUMBERS):
        cells = ["" if np.isnan(x) else repr(float(x)) for x in frame.ravel()]
        lines.append(between.join([str(k + 1), repr(k / 100), *cells]))
    return "\n".join(lines) + "\n"


def independent(path: Path) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The positions, read with a regular expression from the lines that begin with a frame number."""
    rows = []
    for line in path.read_text().splitlines():
        if re.match(r"\d+[,\t;]+[\d.]+[,\t;]", line) and len(line) > 60:
            separator = "," if "," in line else "\t\t" if "\t\t0" in line[:6] else "\t"
            rows.append([float(cell) if cell else np.nan for cell in line.split(separator)[2:]])
    return np.array(rows).reshape(len(rows), -1, 3)


@pytest.mark.parametrize(
    ("head", "between"),
    [("\t", "\t"), (",", ","), ("\t\t", "\t"), ("\t\t", "\t\t")],
    ids=["tabs", "commas", "two tabs in the head", "two tabs everywhere"],
)
def test_the_numbers_are_those_of_an_independent_reading(head: str, between: str, tmp_path: Path) -> None:
    path = tmp_path / "walk.trc"
    path.write_text(text(head, between) if between != "\t\t" else text(head, between).replace(NAN_ROW, WHOLE_ROW))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        markers = mk.load_markers(path)
    assert markers.names == tuple(NAMES)
    assert (markers.rate, markers.unit) == (100, 0.001)
    assert np.array_equal(markers.positions, independent(path), equal_nan=True)
    assert markers.source["header"]["origdatastartframe"] == "1"


NAN_ROW = "\t\t".join(["" if np.isnan(x) else repr(float(x)) for x in NUMBERS[2].ravel()])
WHOLE_ROW = "\t\t".join(["0.5" if np.isnan(x) else repr(float(x)) for x in NUMBERS[2].ravel()])


def test_words_of_the_head_without_a_value_keep_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "walk.trc"
    path.write_text(text("\t", "\t").replace("\t4\tmm\t100\t", "\t4\t\t100\t"))
    with pytest.warns(mk.errors.OddFile, match="does not state its unit"):
        markers = mk.load_markers(path)
    assert markers.source["header"]["origdatarate"] == "100"


@pytest.mark.parametrize("line", [1, 2, 3], ids=["words", "values", "names"])
def test_one_line_of_the_head_with_two_tabs(line: int, tmp_path: Path) -> None:
    """The words, their values or the names have two tabs between cells, and the other lines one."""
    lines = text("\t", "\t").split("\n")
    lines[line] = re.sub(r"(?<!\t)\t(?!\t)", "\t\t", lines[line])
    path = tmp_path / "walk.trc"
    path.write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        markers = mk.load_markers(path)
    assert markers.names == tuple(NAMES)
    assert (markers.rate, markers.unit, len(markers)) == (100, 0.001, 6)
    assert np.array_equal(markers.positions, independent(path), equal_nan=True)
