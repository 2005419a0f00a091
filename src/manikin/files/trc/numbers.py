"""The numbers of a TRC file: a line a frame, its number, its time, and x, y, z of each marker.

A gap is an empty cell, NaN or 9999999 (which Cortex writes). Lines are read by NumPy's own reader, many at a time;
where that fails they are read cell by cell, which allows more and finds the line of what is wrong.
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
"""Lines read at a time."""
MISSING = 9999999.0
"""What stands for a gap in files of Cortex, with either sign."""
PADDING = 64
"""Lines may be short where the last markers are not seen, but what is to be filled up stays below this many numbers for
each letter of the file, so that memory is bounded by its size."""
_GAPS = {"", "nan", "na", "n/a", "none", "null", "-", "inf", "-inf", "+inf", "infinity", "-infinity", "#n/a", "-nan"}
"""Words for a gap, lower case."""
_EMPTY = re.compile(r"\t[ \r]*(?=\t|$)", re.MULTILINE)


def read_numbers(
    path: str | os.PathLike[str], lines: list[str], start: int, markers: int, notes: list[str], whole_end: bool
) -> Matrix:
    """(frames, 2 + 3 markers), NaN in gaps.

    Args:
        path: for messages.
        lines: all lines of the file.
        start: the place (from 0) of the first of them that has numbers.
        markers: how many there are.
        notes: what was odd is added.
        whole_end: whether the last line ended; where it did not, and is not whole, it is left out.

    Raises:
        BadFile: with the line of what is no number, or of more numbers than there should be.
    """
    columns = 2 + 3 * markers
    full = [i for i in range(start, len(lines)) if lines[i].strip()]
    if full and not whole_end and full[-1] == len(lines) - 1 and len(_row(lines[full[-1]])) < columns:
        notes.append(f"line {full[-1] + 1}, the last, is cut off; it is left out")
        full.pop()
    lines = _named_columns(lines, full, columns, notes)
    if len(full) * columns > PADDING * (sum(len(lines[i]) for i in full) + 10_000):
        raise BadFile(path, f"{len(full)} lines have far fewer numbers than the {columns} that they need", full[0] + 1)
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
        raise BadFile(path, f"{points[frame, column]:g} is no place; numbers stay between ±{MOST:g}", full[frame] + 1)
    return table


def _named_columns(lines: list[str], full: list[int], columns: int, notes: list[str]) -> list[str]:
    """The lines without the columns after the last named marker, where every frame has such columns."""
    rows = [lines[i] for i in full]
    if min((row.count("\t") + 1 if "\t" in row else len(row.split()) for row in rows), default=0) <= columns:
        return lines
    widest = max(len(_row(row.rstrip())) for row in rows)
    if widest <= columns:  # they are empty: tabs at the end of each line
        return lines
    which = f"column {widest} comes" if widest == columns + 1 else f"columns {columns + 1} to {widest} come"
    notes.append(f"{which} after those of the last named marker without a name of their own; they are left out")
    cut = list(lines)
    for i in full:
        cut[i] = "\t".join(_row(lines[i])[:columns])
    return cut


def _fast(lines: list[str], columns: int) -> Matrix | None:
    """All lines at once; None where they are not as they should be."""
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
    """The cells of a line of numbers; tabs after the last number are no cells."""
    return line.rstrip("\r\n").split("\t") if "\t" in line.strip() else line.split()


def _slow(path: str | os.PathLike[str], line: str, number: int, columns: int) -> list[float]:
    row = [c.strip() for c in _row(line)]
    while len(row) > columns and not row[-1]:
        row.pop()
    blanks = "\t" not in line.strip()
    if len(row) > columns or (blanks and len(row) < columns):
        raise BadFile(path, f"the frame here has {len(row)} numbers; it needs {columns}", number)
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
        raise BadFile(path, f"the frame here has {len(values)} numbers; it needs {columns}", number)
    return values + [np.nan] * (columns - len(values))
