"""The frames of a BVH file, one row of numbers each. The text is kept, so that a number can be written with the same
text.

NumPy's C reader reads the text in blocks of lines. The memory needed is the numbers, the file and one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix
from manikin.errors import BadFile
from manikin.files.bvh.header import MOST, Path

BLOCK = 1 << 18
"""Number of bytes read at once."""
SEPARATORS = (b"\x1c", b"\x1d", b"\x1e", b"\x1f")
"""Characters that NumPy reads as blanks, but `bytes.split` does not. If a file has one, numbers are read one by one,
and the file is refused."""


@dataclass(frozen=True, eq=False)
class Text:
    """The text of the frames, one frame per line."""

    raw: bytes
    """The whole file. If it did not have one frame per line, only its numbers, with one frame per line."""
    start: NDArray[np.int64]
    """(frames,) byte in `raw` at which the line of each frame begins."""
    stop: NDArray[np.int64]
    """(frames,) byte at which it ends."""
    columns: int
    """The count of numbers in a frame."""

    def __len__(self) -> int:
        return len(self.start)

    def lines(self, frames: Sequence[int]) -> list[bytes]:
        """The texts of some frames."""
        return [self.raw[a:b] for a, b in zip(self.start[frames].tolist(), self.stop[frames].tolist(), strict=True)]

    def numbers(self, frames: Sequence[int]) -> Matrix:
        """(len(frames), columns), the numbers of some frames."""
        if self.columns == 0 or not len(frames):
            return np.zeros((len(frames), self.columns))
        return _parse(self.lines(frames))


def read_numbers(path: Path, data: bytes, start: int, line: int, columns: int) -> tuple[Matrix, Text]:
    """Reads the numbers after byte `start`, which is in line `line`: (frames, columns) and their text.

    Usually each line is one frame. A frame may also span several lines, and a line may have several frames. But a line
    may not contain the end of one frame and only a part of the next.

    Args:
        path: for messages.
        data: the whole file.
        start: the byte at which the numbers begin.
        line: the line of that byte, from 1.
        columns: the count of numbers in a frame.

    Raises:
        BadFile: a number is malformed, not finite or too large, or a frame is incomplete; the message names the line.
    """
    if columns == 0:
        if data[start : start + 1000].strip():
            raise BadFile(path, "the file has numbers, but no joint has channels", line)
        place = np.full(1, len(data))  # a figure that cannot move has one pose, whatever the file says about frames
        return np.zeros((1, 0)), Text(data, place, place, 0)
    if any(data.find(separator, start) >= 0 for separator in SEPARATORS):
        return _read_irregular(path, data, start, line, columns)
    # Each number takes at least two bytes, so the size of the file limits the memory, not the stated number of frames.
    room = (len(data) - start) // (2 * columns) + 1
    first, last = _without_blanks(data, start)
    values = np.empty((min(room, data.count(b"\n", first, last) + 1), columns))
    starts: list[NDArray[np.int64]] = []
    stops: list[NDArray[np.int64]] = []
    count = 0
    for lines, begins in _blocks(data, start):
        try:
            block = _parse(lines)
        except ValueError:
            block = np.empty((0, 0))
        if block.shape != (len(lines), columns):
            return _read_irregular(path, data, start, line, columns)
        values[count : count + len(block)] = block
        count += len(block)
        starts.append(begins)
        stops.append(begins + np.fromiter(map(len, lines), np.int64, len(lines)))
    if count < len(values):  # blank lines between frames
        values = values[:count].copy()
    if not _usable(values):
        return _read_irregular(path, data, start, line, columns)  # finds the line of the error
    none = np.zeros(0, dtype=np.int64)
    return values, Text(data, np.concatenate([none, *starts]), np.concatenate([none, *stops]), columns)


def _without_blanks(data: bytes, start: int) -> tuple[int, int]:
    """The first byte from `start` on that is not blank, and the byte after the last one."""
    stop = len(data)
    while start < stop and data[stop - 1 : stop].isspace():
        stop -= 1
    while start < stop and data[start : start + 1].isspace():
        start += 1
    return start, stop


def _blocks(data: bytes, start: int) -> Iterator[tuple[list[bytes], NDArray[np.int64]]]:
    """Lines that are not blank, many at once, and the bytes at which they begin."""
    while start < len(data):
        stop = data.find(b"\n", min(start + BLOCK, len(data)))
        stop = len(data) if stop < 0 else stop + 1
        lines = data[start:stop].split(b"\n")
        lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        begins = start + np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
        full = [i for i, text in enumerate(lines) if text and not text.isspace()]
        if full:
            yield [lines[i] for i in full], begins[full]
        start = stop


def _parse(lines: list[bytes]) -> Matrix:
    """(lines, numbers per line). Raises ValueError if a cell is not a number or lines differ in length."""
    values: Matrix = np.loadtxt(lines, dtype=np.float64, comments=None, ndmin=2, encoding="ascii")
    return values


def _usable(values: NDArray[Any]) -> bool:
    """Whether all numbers are finite and not too large; NaN fails both comparisons."""
    return values.size == 0 or bool(values.min() >= -MOST and values.max() <= MOST)


def _read_irregular(path: Path, data: bytes, start: int, line: int, columns: int) -> tuple[Matrix, Text]:
    """Reads number by number. Finds the line of an error, or rearranges the numbers to one frame per line."""
    rows: list[bytes] = []
    pending: list[bytes] = []
    begun = line
    values: list[Matrix] = []
    for number, text in _numbered(data, start, line):
        words = text.split()
        if not words:
            continue
        _check(path, words, number)
        begun = number if not pending else begun
        pending += words
        if len(pending) % columns == 0:
            for k in range(0, len(pending), columns):
                rows.append(b" ".join(pending[k : k + columns]))
                values.append(np.array([float(w) for w in pending[k : k + columns]]))
            pending = []
        elif len(pending) > columns:
            raise BadFile(path, f"this frame has {len(pending)} numbers; it needs {columns}", begun)
    if pending:
        raise BadFile(path, f"this frame has {len(pending)} numbers; it needs {columns}", begun)
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    stop = np.cumsum(lengths + 1) - 1
    table = np.array(values).reshape(-1, columns)
    return table, Text(b"\n".join(rows), stop - lengths, stop, columns)


def _numbered(data: bytes, start: int, line: int) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers."""
    while start < len(data):
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
        yield line, data[start:stop]
        start, line = stop + 1, line + 1


def _check(path: Path, words: list[bytes], line: int) -> None:
    for word in words:
        text = word[:40].decode("latin-1")
        try:
            value = float(word) if b"_" not in word else None
        except ValueError:
            value = None
        if value is None:
            raise BadFile(path, f"expected a number, got {text!r}", line)
        if not abs(value) <= MOST:
            raise BadFile(path, f"{text!r} is not a usable number; numbers must lie within ±{MOST:g}", line)
