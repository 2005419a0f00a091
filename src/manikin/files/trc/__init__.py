"""TRC files of markers: text with one line per frame, as written by Cortex and OpenSim."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.base import writing
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.files.common import oddities
from manikin.files.common.marker_words import metres, word_of
from manikin.files.common.names import require
from manikin.files.common.newlines import cells, with_newlines
from manikin.files.trc.header import MOST_HEAD, Header, read_header
from manikin.files.trc.numbers import read_numbers
from manikin.motion.markers import Markers

_SEPARATED = re.compile(r"\s*pathfiletype\s*([,;])", re.IGNORECASE)
"""The first line of a file whose cells are separated by commas or semicolons."""


def load_markers(path: str | os.PathLike[str]) -> Markers:
    """Reads the markers of a TRC file. The format does not state the up axis, so `up` is None.

    If a stated count or rate disagrees with the data, the data is used and a warning is raised. `source` has "header"
    (the values in the third line, by their names in the second), "frames" (the numbers of the first column), "units",
    "notes".

    Raises:
        BadFile: the file is cut off or wrong; the message names the line.
    """
    lines, whole_end = _lines(path)
    notes: list[str] = []
    header, line = read_header(path, lines, notes)
    stated = header.number(path, "numframes", line)
    rate = header.number(path, "datarate", line)
    table = read_numbers(path, lines, header.end, len(header.names), notes, whole_end)
    if len(table) == 0:
        raise BadFile(path, "the file has no frames, so there are no markers to load", len(lines))
    if stated is not None and stated != len(table):
        notes.append(f"NumFrames is {stated:g}, but the file has {len(table)} frames; all of them are used")
    times, rate = _times(table, rate, notes)
    positions = table[:, 2:].reshape(len(table), -1, 3)
    partly = np.isnan(positions).any(axis=-1) & ~np.isnan(positions).all(axis=-1)
    if partly.any():
        frame, marker = np.argwhere(partly)[0]
        notes.append(
            f"{int(partly.sum())} positions have only one or two of x, y and z, first {header.names[marker]} in "
            f"frame {table[frame, 0]:g}; they become gaps"
        )
    try:
        markers = Markers(
            header.names,
            positions,
            times,
            rate=rate,
            unit=_unit(header, notes),
            name=Path(path).stem,
            source={
                "format": "trc",
                "header": dict(header.stated),
                "frames": _frames(table),
                "units": header.stated.get("units", ""),
                "notes": tuple(notes),
            },
        )
    except ManikinError as error:  # times too large to be distinguished
        raise BadFile(path, str(error)) from error
    oddities.tell(path, notes)
    return markers


def save(markers: Markers, path: str | os.PathLike[str]) -> None:
    """Writes markers as TRC. Reading the file returns the same numbers. Gaps are empty cells.

    TRC does not store the up axis, residuals and cameras. A unit without an abbreviation is converted to metres.

    Raises:
        BadValue: a name contains a tab or a line break.
    """
    if markers.unit is None:
        word = str(markers.source.get("units", ""))
        if not word:
            oddities.warn(f"markers {markers.name!r} have no unit, so the file states none; some programs require one")
    else:
        short = word_of(markers.unit)
        markers = markers.in_metres() if short is None else markers
        word = short or "m"
    for name in markers.names:
        if re.search(r"[\t\r\n]", name):
            raise BadValue(f"marker {name!r} has a tab or line break in its name, which TRC cannot store")
    require(markers.names, "marker", "TRC", r"\x00", trimmed=True)
    with writing.writing(path) as file:
        file.writelines(text.encode() for text in _text(markers, word, Path(path).name))


def _lines(path: str | os.PathLike[str]) -> tuple[list[str], bool]:
    """The lines of a file, and whether the last one is terminated."""
    data = with_newlines(read_bytes(path))
    if b"\0" in data:
        raise BadFile(path, "this is not a text file: it contains a zero byte", offset=data.index(b"\0"))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.split("\n")
    if (found := _SEPARATED.match(text)) is not None and not any("\t" in line for line in lines[:MOST_HEAD]):
        lines = ["\t".join(cells(path, line, k, found[1])) for k, line in enumerate(lines, start=1)]
    ended = lines[-1].strip() == ""
    return (lines[:-1] if ended else lines), ended


def _times(table: Matrix, rate: float | None, notes: list[str]) -> tuple[Vector, float | None]:
    """(frames,) seconds, and frames per second.

    Programs round the time of a frame, some to milliseconds. If the times are those of evenly spaced frames at the
    stated rate, up to this rounding, the exact times are used.
    """
    times = table[:, 1].copy()
    count = len(times)
    if rate is not None and not (1e-9 < rate < 1e9):
        notes.append(f"DataRate is {rate:g}, which is not a valid rate; it is ignored")
        rate = None
    if count == 1:
        return times, rate
    steps = np.diff(times)
    if (steps <= 0.0).any():
        frame = int(np.argmax(steps <= 0.0)) + 1
        if rate is None:
            notes.append(f"times do not increase in frame {table[frame, 0]:g}; frames are assumed to be 1 s apart")
            return np.arange(count, dtype=np.float64), None
        notes.append(f"times do not increase in frame {table[frame, 0]:g}; they are computed from DataRate")
        return times[0] + np.arange(count) / rate, rate
    if rate is None:
        return times, None
    even = np.arange(count) / rate
    apart = times - even
    half = 0.5 * _rounded_to(times) * (1.0 + 1e-6)
    for start in (times[0], 0.5 * (apart.min() + apart.max())):
        off = np.abs(times - start - even).max()
        if off <= half:
            return (times if off < 1e-12 * max(1.0, abs(times[-1])) else start + even), rate
    real = (count - 1) / float(times[-1] - times[0])
    if abs(real - rate) > 0.01 * rate:
        notes.append(f"DataRate says {rate:g} frames per second, the times say {real:g}; the times are used")
        return times, real
    return times, rate


def _rounded_to(times: Vector) -> float:
    """The unit of the last decimal place of the times, in seconds. At most six places are considered."""
    for digits in range(6):
        unit = 10.0**-digits
        if (np.abs(times - np.round(times, digits)) < 1e-7 * unit).all():
            return unit
    return 1e-6


def _frames(table: Matrix) -> range | tuple[float, ...]:
    """The frame numbers from the first column."""
    numbers = table[:, 0]
    first = numbers[0]
    if first == np.round(first) and (numbers == first + np.arange(len(numbers))).all():
        return range(int(first), int(first) + len(numbers))
    return tuple(int(n) if n == np.round(n) else float(n) for n in numbers)


def _unit(header: Header, notes: list[str]) -> float | None:
    word = header.stated.get("units", "")
    unit = metres(word)
    if unit is None:
        said = f"Units is {word!r}, which is not a known unit" if word else "the file does not state its unit"
        notes.append(f"{said}; lengths are not converted, and unit is None")
    return unit


def _text(markers: Markers, word: str, name: str) -> Iterator[str]:
    """The file, line by line. Numbers have enough digits to be read back exactly."""
    count, points = len(markers), len(markers.names)
    rate = markers.rate or 1.0
    frames = markers.source.get("frames")
    if frames is None or len(frames) != count:
        frames = range(1, count + 1)
    stated = [_number(rate), _number(rate), str(count), str(points), word, _number(rate), str(frames[0]), str(count)]
    name = re.sub(r"[\t\r\n]", " ", name)
    yield f"PathFileType\t4\t(X/Y/Z)\t{name}\n"
    yield "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    yield "\t".join(stated) + "\n"
    yield "Frame#\tTime\t" + "\t\t\t".join(markers.names) + "\t\t\n"
    yield "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, points + 1)) + "\n"
    yield "\n"
    for frame, time, row in zip(frames, markers.times.tolist(), markers.positions.reshape(count, -1), strict=True):
        numbers = "\t".join("" if x != x else repr(x) for x in row.tolist())
        yield f"{frame}\t{time!r}\t{numbers}\n"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
