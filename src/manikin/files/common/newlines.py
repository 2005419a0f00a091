"""Converts line ends and byte order marks of text files before they are parsed, and splits lines of tables."""

from __future__ import annotations

import csv
import os
import re

from manikin.errors import BadFile

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
