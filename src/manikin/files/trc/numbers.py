"""The numbers of a TRC file. Each line is a frame: its number, its time, and x, y, z of each marker.

A gap is an empty cell, NaN or 9999999 (which Cortex writes). NumPy's reader reads many lines at once. If that fails,
the lines are read cell by cell, which is more tolerant and finds the line of an error.
"""

from __future__ import annotations

import os
import re

import numpy as np

from manikin.arrays import Matrix
from manikin.errors import BadFile
from manikin.files.finite import MOST
from manikin.files.trc.header import hint, to_number

BLOCK = 1000
"""Number of lines read at once."""
MISSING = 9999999.0
"""Cortex writes this number, with either sign, for a gap."""
PADDING = 64
"""A line may be short if the last markers are not visible. The padded table has at most this many numbers for each
character of the file, so that the file size limits the memory."""
_GAPS = {"", "nan", "na", "n/a", "none", "null", "-", "inf", "-inf", "+inf", "infinity", "-infinity", "#n/a", "-nan"}
"""Words for a gap, in lower case."""
_EMPTY = re.compile(r"\t[ \r]*(?=\t|$)", re.MULTILINE)


def read_numbers(
    path: str | os.PathLike[str], lines: list[str], start: int, markers: int, notes: list[str], whole_end: bool
) -> Matrix:
    """(frames, 2 + 3 markers), NaN in gaps.

    Args:
        path: for messages.
        lines: all lines of the file.
        start: the index (from 0) of the first line with numbers.
        markers: the number of markers.
        notes: oddities are added to this list.
        whole_end: whether the last line is terminated; otherwise it is left out if it is incomplete.

    Raises:
        BadFile: a cell is not a number, or a line has too many numbers; the message names the line.
    """
    columns = 2 + 3 * markers
    full = [i for i in range(start, len(lines)) if lines[i].strip()]
    if full and not whole_end and full[-1] == len(lines) - 1 and len(_row(lines[full[-1]])) < columns:
        notes.append(f"line {full[-1] + 1}, the last line, is cut off and left out")
        full.pop()
    lines = _single_tabs(lines, full, columns)
    lines = _named_columns(lines, full, columns, notes)
    if len(full) * columns > PADDING * (sum(len(lines[i]) for i in full) + 10_000):
        raise BadFile(path, f"{len(full)} lines have far too few numbers; each line needs {columns}", full[0] + 1)
    blocks = []
    for k in range(0, len(full), BLOCK):
        numbers = full[k : k + BLOCK]
        block = _fast([lines[i] for i in numbers], columns)
        if block is None:
            block = np.array([_slow(path, lines[i], i + 1, columns) for i in numbers])
        blocks.append(block)
    table = np.concatenate(blocks) if blocks else np.zeros((0, columns))
    points = table[:, 2:]
    with np.errstate(invalid="ignore"):
        points[(np.abs(points) == MISSING) | np.isinf(points)] = np.nan
        large = np.argwhere(np.abs(points) > MOST)
    if large.size:
        frame, column = large[0]
        raise BadFile(
            path,
            f"{points[frame, column]:g} is not a valid coordinate; numbers must lie within ±{MOST:g}",
            full[frame] + 1,
        )
    return table


def _single_tabs(lines: list[str], full: list[int], columns: int) -> list[str]:
    """The lines with one tab between cells, if every frame has two between all cells."""
    rows = [lines[i].strip("\t\r ") for i in full]
    if not rows or any(row.count("\t\t") != columns - 1 or row.count("\t") != 2 * (columns - 1) for row in rows):
        return lines
    out = list(lines)
    for i, row in zip(full, rows, strict=True):
        out[i] = row.replace("\t\t", "\t")
    return out


def _named_columns(lines: list[str], full: list[int], columns: int, notes: list[str]) -> list[str]:
    """The lines without the columns after the last named marker, if every frame has such columns."""
    rows = [lines[i] for i in full]
    if min((row.count("\t") + 1 if "\t" in row else len(row.split()) for row in rows), default=0) <= columns:
        return lines
    widest = max(len(_row(row.rstrip())) for row in rows)
    if widest <= columns:  # these columns are empty: tabs at the end of each line
        return lines
    which = f"column {widest} belongs" if widest == columns + 1 else f"columns {columns + 1} to {widest} belong"
    notes.append(f"{which} to no named marker; these numbers are left out")
    cut = list(lines)
    for i in full:
        cut[i] = "\t".join(_row(lines[i])[:columns])
    return cut


def _fast(lines: list[str], columns: int) -> Matrix | None:
    """All lines at once; None if they are not regular."""
    if any(line.count("\t") != columns - 1 for line in lines):
        lines = [line.rstrip("\t\r ") for line in lines]
        if any(line.count("\t") != columns - 1 for line in lines):
            return None
    text = _EMPTY.sub("\tnan", "\n".join(lines))
    try:
        block: Matrix = np.loadtxt(text.split("\n"), dtype=np.float64, comments=None, delimiter="\t", ndmin=2)
    except ValueError:
        return None
    return block if block.shape == (len(lines), columns) and np.isfinite(block[:, :2]).all() else None


def _row(line: str) -> list[str]:
    """The cells of a line of numbers. Tabs after the last number are ignored."""
    return line.rstrip("\r\n").split("\t") if "\t" in line.strip() else line.split()


def _slow(path: str | os.PathLike[str], line: str, number: int, columns: int) -> list[float]:
    row = [c.strip() for c in _row(line)]
    while len(row) > columns and not row[-1]:
        row.pop()
    blanks = "\t" not in line.strip()
    if len(row) > columns or (blanks and len(row) < columns):
        raise BadFile(path, f"this frame has {len(row)} numbers; it needs {columns}", number)
    values = []
    for k, text in enumerate(row):
        value = to_number(text)
        if value is None and text.lower() in _GAPS:
            value = np.nan
        if value is None:
            raise BadFile(path, f"expected a number, got {text[:40]!r}{hint(text)}", number)
        if k < 2 and not np.isfinite(value):
            raise BadFile(path, f"the {('frame', 'time')[k]} here is {text[:40]!r}; it needs a number", number)
        values.append(value)
    if len(values) < 2:
        raise BadFile(path, f"this frame has {len(values)} numbers; it needs {columns}", number)
    return values + [np.nan] * (columns - len(values))
