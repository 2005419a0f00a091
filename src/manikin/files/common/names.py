"""Names that a format cannot hold are refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from manikin.errors import BadValue

NO_TEXT = "\ud800-\udfff"
"""Halves of surrogate pairs, for a set of letters: no text in UTF-8 holds them."""


def require(names: Iterable[str], kind: str, format_name: str, letters: str = "", trimmed: bool = False) -> None:
    """Check the names of a thing before it is written.

    Args:
        names: to be written.
        kind: of thing that has them, such as "marker".
        format_name: for the message, such as "C3D".
        letters: that the format cannot hold, as the inside of a set of a regular expression.
        trimmed: whether readers of the format drop blanks around a name.

    Raises:
        BadValue: a name would not come back.
    """
    unfit = re.compile(f"[{letters}{NO_TEXT}]")
    for name in names:
        found = unfit.search(name)
        if found:
            raise BadValue(f"{kind} {name!r} has the letter {found[0]!r}, which {format_name} cannot hold; rename it")
        if trimmed and name != name.strip():
            raise BadValue(f"{kind} {name!r} has blanks around its name, which {format_name} does not keep; rename it")
