"""Tables as text: a line of names, then a line for each frame. Cells are separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from manikin.arrays import Matrix
from manikin.base.names import csv_cell, csv_text
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, listing
from manikin.figure import Figure
from manikin.files.common.names import require
from manikin.files.common.newlines import cells, separator_of, with_newlines
from manikin.files.finite import MOST
from manikin.files.tables.columns import Table
from manikin.motion.motion import Motion

TIMES = ("time", "times", "t", "time_s", "time [s]", "time (s)", "timestamp")
"""Names of the time column, in lower case. A table is written with the first of these that is not also the name
of a number of the figure."""
BLOCK = 4096
"""Number of frames written at once."""


def read(path: str | os.PathLike[str], figure: Figure) -> Table:
    """Reads the table in a CSV file. A column with the name of a number of the figure is not a time column.

    Raises:
        BadFile: the message names the line.
    """
    data = with_newlines(read_bytes(path))
    if b"\0" in data:
        raise BadFile(path, "this is not a text file: it contains a zero byte", offset=data.index(b"\0"))
    lines = data.decode("utf-8", "replace").split("\n")
    full = [i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not full:
        raise BadFile(path, "the file has no lines, so there is no motion to load", len(lines))
    separator = separator_of(path, lines[full[0]], lines[full[1]] if len(full) > 1 else "", full[0] + 1)
    names = _names(path, lines[full[0]], full[0] + 1, separator)
    if len(full) == 1:
        raise BadFile(path, "the file has no frames, so there is no motion to load", full[0] + 1)
    values = _values(path, lines, full[1:], len(names), separator)
    clock = [k for k, name in enumerate(names) if name.lower() in TIMES and name not in figure.number_names]
    if not clock:
        return Table(names, values)
    kept = [k for k in range(len(names)) if k != clock[0]]
    return Table(tuple(names[k] for k in kept), values[:, kept], values[:, clock[0]])


def write(motion: Motion, file: BinaryIO) -> None:
    """Writes a table. Numbers have enough digits to be read back exactly."""
    head, names = io.StringIO(), motion.figure.number_names
    require(names, "number", "CSV", r"\x00\n\r", trimmed=True)
    clock = next(name for name in TIMES if name not in names)
    csv.writer(head, lineterminator="\n").writerow([clock, *map(csv_cell, names)])
    file.write(head.getvalue().encode())
    for start in range(0, len(motion), BLOCK):
        rows = np.column_stack([motion.times[start : start + BLOCK], motion.poses[start : start + BLOCK]]).tolist()
        file.write("".join(",".join(map(repr, row)) + "\n" for row in rows).encode())


def _names(path: str | os.PathLike[str], line: str, number: int, separator: str) -> tuple[str, ...]:
    names = tuple(csv_text(cell) for cell in cells(path, line, number, separator))
    if all(_number(name) is not None for name in names):
        raise BadFile(
            path,
            "the first line has numbers; it must have the names of the columns (time, then "
            "figure.number_names). Without "
            "names: mk.Motion(figure, np.loadtxt(path, delimiter=','), rate=…)",
            number,
        )
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise BadFile(path, f"several columns have the same name: {listing(twice)}", number)
    return names


def _values(
    path: str | os.PathLike[str], lines: Sequence[str], full: Sequence[int], columns: int, separator: str
) -> Matrix:
    """(frames, columns) from the lines with numbers."""
    rows = [lines[i] for i in full]
    try:
        if any(row.count(separator) != columns - 1 for row in rows):
            raise ValueError
        values: Matrix = np.loadtxt(rows, dtype=np.float64, comments=None, delimiter=separator, ndmin=2)
        if values.shape != (len(rows), columns):
            raise ValueError
    except ValueError:
        values = np.array([_row(path, lines[i], i + 1, columns, separator) for i in full])
    bad = np.argwhere(~(np.abs(values) <= MOST))
    if bad.size:
        frame, column = (int(k) for k in bad[0])
        what = f"{values[frame, column]:g} in column {column + 1} is not a usable number"
        raise BadFile(path, f"{what}; numbers must lie within ±{MOST:g}", full[frame] + 1)
    return values


def _row(path: str | os.PathLike[str], line: str, number: int, columns: int, separator: str) -> list[float]:
    """The numbers of one line. Raises an error that says what is wrong with it."""
    row = line.rstrip("\r").split(separator)
    if len(row) == columns + 1 and not row[-1].strip():  # a separator after the last number
        row.pop()
    if len(row) != columns:
        raise BadFile(path, f"this frame has {len(row)} numbers; it needs {columns}", number)
    values = []
    for cell in row:
        value = _number(cell)
        if value is None:
            raise BadFile(path, f"expected a number, got {cell.strip()[:40]!r}", number)
        values.append(value)
    return values


def _number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
