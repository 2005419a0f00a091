"""The head of a TRC file: rates, unit and the names of the markers.

    PathFileType  4         (X/Y/Z)    walk.trc
    DataRate      CameraRate  NumFrames  NumMarkers  Units  OrigDataRate  OrigDataStartFrame  OrigNumFrames
    100           100         5          2           mm     100           1                   5
    Frame#        Time        LASI                   RASI
                              X1   Y1   Z1           X2   Y2   Z2

Cells are separated by tabs; some programs write spaces, commas or two tabs.
The values in the third line belong to the words in the second
line, in the same order, and words may be missing from both. A name should be above the first of its three columns, but
some programs are off by one column, or write too few tabs between names. The line of X1 Y1 Z1 may be missing,
malformed, or followed by empty lines.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from manikin.errors import BadFile, listing
from manikin.files.common.marker_words import unique

MOST_HEAD = 64
"""The head must end within this many lines."""
MOST_MARKERS = 100_000
"""A file with more markers is refused."""
_KEYS = ("datarate", "camerarate", "numframes", "nummarkers", "units", "origdatarate", "origdatastartframe")


@dataclass(frozen=True)
class Header:
    """The content before the numbers."""

    names: tuple[str, ...]
    """Names of the markers, without repetition."""
    stated: dict[str, str]
    """The values in the third line, unchanged, by their names in the second line in lower case."""
    path_line: str
    """The first line."""
    end: int
    """Index (from 0) of the first line after the head."""

    def number(self, path: str | os.PathLike[str], key: str, line: int) -> float | None:
        """A number of the third line; None if it is missing."""
        text = self.stated.get(key, "")
        if not text:
            return None
        value = to_number(text)
        if value is None:
            raise BadFile(path, f"{key} is {text[:40]!r}{hint(text)}; it needs a number", line)
        return value


def read_header(path: str | os.PathLike[str], lines: list[str], notes: list[str]) -> tuple[Header, int]:
    """Reads the head of a file. Also returns the line (from 1) of its values.

    Raises:
        BadFile: it is not a TRC file, or it is cut off; the message names the line.
    """
    top = lines[:MOST_HEAD]
    at = next((i for i, line in enumerate(top) if _words(line)[:1] and _words(line)[0].lower() in _KEYS), None)
    columns = next((i for i, line in enumerate(top) if _words(line)[:1] and _is_frame(_words(line)[0])), None)
    if not any(line.lstrip().lower().startswith("pathfiletype") for line in top[:2]):
        if at is None or columns is None:
            raise BadFile(path, "this is not a TRC file: it does not begin with PathFileType", 1)
        notes.append("the file does not begin with PathFileType")
    if columns is None:
        raise BadFile(path, "the file is cut off: no line begins with Frame# and Time", len(lines))
    if at is None or at + 1 >= columns:
        raise BadFile(
            path, "the lines with DataRate, NumMarkers, Units … are missing above the line with Frame#", columns + 1
        )
    keys, values = cells(lines[at]), cells(lines[at + 1])
    if len(_full(keys)) == len(_full(values)):  # some programs write two tabs between the words
        keys, values = _full(keys), _full(values)
    stated = {k.strip().lower(): v.strip() for k, v in zip(keys, values, strict=False) if k.strip()}
    header = Header((), stated, lines[0].strip(), columns + 1)
    count = header.number(path, "nummarkers", at + 2)
    end = _end_of_axes(lines, columns + 1)
    room = max((len(cells(line)) - 2 for line in lines[end : end + MOST_HEAD]), default=0) // 3
    names = _names(path, lines[columns], count, room, columns + 1, notes)
    return Header(names, stated, header.path_line, end), at + 2


def cells(line: str) -> list[str]:
    """The cells of a line: separated by tabs if it has any, otherwise by blanks."""
    return [c.strip() for c in line.rstrip("\r\n").split("\t")] if "\t" in line else line.split()


def _full(row: list[str]) -> list[str]:
    return [cell for cell in row if cell]


def to_number(text: str) -> float | None:
    """The number in a text, possibly NaN; None if it is not a number. Underscores, which Python allows, are not
    accepted."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def hint(text: str) -> str:
    """A guess at what is wrong with a number, for a message."""
    return " (a comma instead of the decimal point)" if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", text) else ""


def _words(line: str) -> list[str]:
    return line.split(None, 1)


def _is_frame(word: str) -> bool:
    return word.lower().rstrip("#:") in ("frame", "field")


def _names(
    path: str | os.PathLike[str], line: str, count: float | None, room: int, number: int, notes: list[str]
) -> tuple[str, ...]:
    """Reads the names of the markers from the line that begins with Frame# and Time.

    Args:
        path: for messages.
        line: the text of that line.
        count: the number of markers that the file states.
        room: the number of markers that the columns have room for.
        number: the number of the line, from 1.
        notes: oddities are added to this list.
    """
    row = cells(line)
    while len(row) > 2 and not row[1]:
        del row[1]
    if len(row) < 2 or not row[1].lower().startswith("time"):
        raise BadFile(
            path, f"the word after Frame# must be Time, got {(row[1] if len(row) > 1 else '')[:40]!r}", number
        )
    there = row[2:]
    filled = [c for c in there if c]
    if count is not None and count != len(filled):
        # Fewer names than markers: if the names are in every third column, the empty ones show which are missing.
        places = there[::3]
        if len(filled) < count <= room and [c for c in places if c] == filled:
            filled = (places + [""] * room)[: int(count)]
        elif "\t" not in line:
            raise BadFile(
                path,
                f"NumMarkers is {count:g}, but the line has {len(filled)} words; if names contain spaces, "
                "separate them with tabs",
                number,
            )
        else:
            notes.append(f"NumMarkers is {count:g}, but the line has {len(filled)} names; these names are used")
    if not filled:
        raise BadFile(path, "the file has no marker names, so there are no markers to load", number)
    if len(filled) > MOST_MARKERS:
        raise BadFile(path, f"the file has {len(filled)} marker names; the limit is {MOST_MARKERS}", number)
    names, twice, empty = unique(filled)
    if twice:
        notes.append(f"markers with the same name get a number: {listing(twice)}")
    if empty:
        notes.append(f"{len(empty)} markers have no name; they are called {listing([names[i] for i in empty])}")
    return tuple(names)


def _end_of_axes(lines: list[str], at: int) -> int:
    """The index of the first line of numbers: after the line of X1 Y1 Z1, if there is one, and after empty lines."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at < len(lines):
        first = next(c for c in cells(lines[at]) if c)
        if to_number(first) is None and not hint(first):
            at += 1
    return at
