"""Tables of keypoints as text: columns such as nose_x, nose_y, nose_z, nose_c, and a column of times."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from manikin.base.reading import read_bytes
from manikin.errors import BadFile, listing
from manikin.files.common.newlines import cells, separator_of, with_newlines
from manikin.motion.points.inputs import two_dimensional

TIMES = ("time", "times", "t", "seconds", "timestamp", "time_s", "time [s]", "time (s)")
IGNORED = ("frame", "frame#", "index", "")
AXES = {"x": 0, "y": 1, "z": 2, **dict.fromkeys(("c", "conf", "confidence", "score", "visibility", "likelihood"), 3)}
_COLUMN = re.compile(r"^(.*?)[_. :]*\(?([A-Za-z]+)\)?$")


def read_text(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The points of a CSV file. Empty cells and "nan" are gaps.

    Raises:
        BadFile: the message names the line or the column.
    """
    data = with_newlines(read_bytes(path))
    if b"\0" in data:
        raise BadFile(path, "this is not a text file: it contains a zero byte", offset=data.index(b"\0"))
    lines = data.decode("utf-8-sig", "replace").split("\n")
    full = [i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if len(full) < 2:
        raise BadFile(path, "the file has no frames, so there are no points to load", len(lines))
    separator = separator_of(path, lines[full[0]], lines[full[1]], full[0] + 1)
    heads = cells(path, lines[full[0]], full[0] + 1, separator)
    table = _table(path, lines, full[1:], heads, separator)
    clock = next((k for k, head in enumerate(heads) if head.lower() in TIMES), None)
    names, places = _columns(path, heads, full[0] + 1)
    points = np.full((len(table), len(names), 3), np.nan)
    confidence = np.full((len(table), len(names)), np.nan)
    for column, (point, axis) in places.items():
        if axis < 3:
            points[:, point, axis] = table[:, column]
        else:
            confidence[:, point] = table[:, column]
    out: dict[str, Any] = {"points": points, "names": names}
    if np.isfinite(confidence).any():
        out["confidence"] = np.where(np.isnan(confidence), np.isfinite(points).all(axis=-1), confidence)
    if clock is not None:
        out["times"] = table[:, clock]
    return out


def _columns(path: str | os.PathLike[str], heads: list[str], line: int) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """The names of the points, and (point, axis) of each column."""
    names: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    for k, head in enumerate(heads):
        if head.lower() in (*TIMES, *IGNORED):
            continue
        found = _COLUMN.match(head)
        axis = AXES.get(found[2].lower()) if found else None
        if found is None or axis is None or not found[1]:
            raise BadFile(path, f"column {head!r} is not a point and an axis, such as nose_x", line)
        if found[1] not in names:
            names.append(found[1])
        place = (names.index(found[1]), axis)
        if place in places.values():
            raise BadFile(path, f"column {head!r} occurs twice", line)
        places[k] = place
    if not names:
        raise BadFile(path, f"no column is a point and an axis, such as nose_x; there are {listing(heads, 6)}", line)
    missing = [(names[p], "xyz"[a]) for p in range(len(names)) for a in range(3) if (p, a) not in places.values()]
    if all(axis == "z" for _, axis in missing) and len(missing) == len(names):
        raise BadFile(path, two_dimensional("the file"), line)
    if missing:
        raise BadFile(path, f"point {missing[0][0]!r} has no column for {missing[0][1]}", line)
    return names, places


def _table(
    path: str | os.PathLike[str], lines: list[str], rows: list[int], heads: list[str], separator: str
) -> np.ndarray[Any, np.dtype[np.float64]]:
    out = np.full((len(rows), len(heads)), np.nan)
    for r, i in enumerate(rows):
        row = cells(path, lines[i], i + 1, separator)
        if len(row) != len(heads):
            raise BadFile(path, f"the line has {len(row)} cells; the first line has {len(heads)} names", i + 1)
        for k, text in enumerate(row):
            try:
                out[r, k] = float(text) if text else np.nan
            except ValueError:
                raise BadFile(path, f"{heads[k]} is {text[:40]!r}; it must be a number", i + 1) from None
    return out
