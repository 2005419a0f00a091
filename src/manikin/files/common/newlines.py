"""Converts line ends and byte order marks of text files before they are parsed, and splits lines of tables."""

from __future__ import annotations

import csv
import os
import re

from manikin.errors import BadFile

SEPARATORS = ",;\t"
"""Characters that may stand between the cells of a table."""
_ALONE = re.compile(rb"\r(?!\n)")


def with_newlines(data: bytes) -> bytes:
    """The text as bytes without a byte order mark, with lines that end in "\\n" or "\\r\\n".

    A "\\r" alone ends a line too.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    return _ALONE.sub(b"\n", data) if b"\r" in data else data


def separator_of(path: str | os.PathLike[str], head: str, row: str, number: int) -> str:
    """The character between the cells of a table: the one that splits the line of names into as many cells as a line of
    numbers, because names may have any of them.

    Args:
        path: for messages.
        head: the line of names.
        row: a line of numbers; empty if there is none.
        number: the number of the line of names, from 1.
    """
    often = sorted(SEPARATORS, key=head.count, reverse=True)
    for separator in often:
        count = row.count(separator)
        if count and len(cells(path, head, number, separator)) in (count, count + 1):  # it may end with a separator
            return separator
    return often[0]


def cells(path: str | os.PathLike[str], line: str, number: int, separator: str) -> list[str]:
    """The cells of one line of a table, without blanks around them.

    Args:
        path: for messages.
        line: the text of the line.
        number: its number, from 1.
        separator: the character between cells.

    Raises:
        BadFile: the line cannot be split; the message names the line.
    """
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error as error:
        raise BadFile(path, f"the cells of this line cannot be read: {error}", number) from error
    return [cell.strip() for cell in row]
