"""The points of a C3D file: the position of the data, the number of frames, and the meaning of the words of a point.

A frame has four words for each point (x, y, z, and one for residual and cameras), then the analog samples. If the scale
is negative, words are floating point numbers. Otherwise they are 16-bit integers, and a length is the integer times the
scale. The fourth word is negative in a gap. Otherwise its low byte times |scale| is the residual, and the bits of its
high byte are cameras.

Counts are stored in several places, and programs that cut or join files do not update all of them. The first count that
agrees with the size of the file is used, in the order of preference in `layout`. Disagreements become notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points
from manikin.errors import BadFile
from manikin.files.c3d.parameters import BLOCK, Head, reals, whole_type

LIMIT = 3.0e38
"""Larger coordinates, in units of the file, are not positions: some program wrote them into a gap."""


@dataclass(frozen=True)
class Layout:
    """The layout of the frames."""

    start: int
    """Byte in the file at which the first frame begins."""
    frames: int
    points: int
    analog: int
    """Number of words after the points in each frame."""
    scale: float
    """If negative, words are floating point numbers. Otherwise lengths are integers times this."""
    first: int
    """The number of the first frame. A recording begins with 1."""

    @property
    def word(self) -> int:
        """Bytes in one word."""
        return 4 if self.scale < 0 else 2

    @property
    def frame(self) -> int:
        """Bytes in one frame."""
        return self.word * (4 * self.points + self.analog)


def layout(head: Head, size: int, notes: list[str]) -> Layout:
    """The layout of the data in a file of `size` bytes.

    Raises:
        BadFile: no count in the head agrees with the size of the file, or there are no points.
    """
    scale = _scale(head, notes)
    points = _offers(head.count("POINT", "USED"), head.word(2))
    if not any(points):
        raise BadFile(head.path, "the file has no points, so there are no markers to load")
    starts = _offers(head.word(9), head.count("POINT", "DATA_START"))
    analogs = _offers(head.word(3), _analog(head), zero=True)
    counts = _frame_counts(head)
    choices = [
        Layout((s - 1) * BLOCK, count, p, a, scale, first)
        for p, s, a, (count, first) in product(points, starts, analogs, counts)
        if s > 1 and p > 0 and count > 0
    ]
    if not choices:
        raise BadFile(head.path, "the file has no frames, so there are no markers to load")
    chosen = _fitting(choices, size)
    if chosen is None:
        wanted = choices[0]
        needed = wanted.start + wanted.frames * wanted.frame
        whole = max(size - wanted.start, 0) // wanted.frame
        raise BadFile(
            head.path,
            f"the file is cut off: {wanted.frames} frames of {wanted.frame} bytes, starting at byte "
            f"{wanted.start}, need {needed} bytes; the file has {size}, which is enough for {whole} frames",
            offset=size,
        )
    _tell(choices, chosen, notes)
    return chosen


def read_points(head: Head, data: bytes, at: Layout) -> tuple[Points, Matrix, NDArray[np.uint8]]:
    """Positions (frames, points, 3) with NaN in gaps, residuals (frames, points) and cameras (frames, points)."""
    words, used = at.frame // at.word, 4 * at.points
    count = at.frames * words
    if at.scale < 0:
        flat = reals(data[at.start : at.start + at.word * count], head.processor)
    else:
        flat = np.frombuffer(data, whole_type(head.processor), count, at.start)
    table = flat.reshape(at.frames, words)[:, :used].reshape(at.frames, at.points, 4)
    positions = table[..., :3].astype(np.float64)
    if at.scale > 0:
        positions *= at.scale
    with np.errstate(invalid="ignore"):
        gap = (table[..., 3] < 0) | ~(np.abs(positions) < LIMIT).all(axis=-1)
        fourth = np.clip(np.nan_to_num(table[..., 3]), 0, 32767).astype(np.int32)
    positions[gap] = np.nan
    residuals: Matrix = (fourth & 0xFF).astype(np.float64) * abs(at.scale)
    residuals[gap] = np.nan
    cameras = np.where(gap, 0, fourth >> 8).astype(np.uint8)
    return positions, residuals, cameras


def _scale(head: Head, notes: list[str]) -> float:
    stated, header = head.number("POINT", "SCALE"), head.real(7)
    scale = stated or (header if np.isfinite(header) else 0.0)
    if not scale:
        raise BadFile(head.path, f"the scale of the points is {header:g}; it must not be 0")
    if stated and np.isfinite(header) and header * stated < 0:
        kinds = ("whole numbers", "real numbers")
        notes.append(
            f"the header says that the data are {kinds[header < 0]}, POINT:SCALE says {kinds[stated < 0]}; "
            "POINT:SCALE is used"
        )
    return scale


def _analog(head: Head) -> int | None:
    """Number of analog words in a frame, from the parameters."""
    used, samples = head.count("ANALOG", "USED"), head.word(10)
    return None if used is None else used * samples


def _offers(*values: int | None, zero: bool = False) -> list[int]:
    """The usable values without repetition."""
    return list(dict.fromkeys(v for v in values if v is not None and (v > 0 or zero)))


def _frame_counts(head: Head) -> list[tuple[int, int]]:
    """(number of frames, number of the first) from TRIAL, POINT and the header. TRIAL and POINT may exceed 65535."""
    first, last = head.word(4), head.word(5)
    found: list[tuple[int, int]] = []
    start, end = (_long(head, f"ACTUAL_{which}_FIELD") for which in ("START", "END"))
    if start is not None and end is not None and end >= start:
        found.append((end - start + 1, start))
    begin = start if start is not None else first
    for name in ("LONG_FRAMES", "FRAMES"):
        count = head.count("POINT", name)
        if count:
            found.append((count, begin))
    if last >= first:
        found.append((last - first + 1, first))
    return list({count: (count, number) for count, number in reversed(found)}.values())[::-1]


def _long(head: Head, name: str) -> int | None:
    """A 32-bit number in two words, the low one first."""
    words = head.numbers("TRIAL", name).ravel()
    if words.size == 0 or not np.isfinite(words).all():
        return None
    if words.size == 1 or words.dtype.kind == "f":
        return int(words[0]) & 0xFFFF if words[0] < 0 else int(words[0])
    return (int(words[0]) & 0xFFFF) + ((int(words[1]) & 0xFFFF) << 16)


def _fitting(choices: Sequence[Layout], size: int) -> Layout | None:
    """The first layout that leaves less than one block unused, or else the first that fits into the file."""
    left = [size - c.start - c.frames * c.frame for c in choices]
    exact = (c for c, rest in zip(choices, left, strict=True) if 0 <= rest < BLOCK)
    room = (c for c, rest in zip(choices, left, strict=True) if rest >= 0)
    return next(exact, None) or next(room, None)


def _tell(choices: Sequence[Layout], chosen: Layout, notes: list[str]) -> None:
    """Adds notes on counts that disagree."""
    for field, what in (
        ("points", "points"),
        ("start", "the start of the data"),
        ("analog", "the analog values per frame"),
    ):
        values = sorted({getattr(c, field) for c in choices})
        if len(values) > 1:
            said = " and ".join(map(str, values))
            notes.append(f"the file states {said} for {what}; {getattr(chosen, field)} fits its size and is used")
    counts = sorted({c.frames for c in choices})
    if len(counts) > 1:
        said = " and ".join(map(str, counts))
        notes.append(f"the file states {said} frames; {chosen.frames} fits its size and is used")
