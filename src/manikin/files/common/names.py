"""Names that a format cannot hold are refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from manikin.errors import BadValue

NO_TEXT = "\ud800-\udfff"
"""Halves of surrogate pairs, as a range of characters. UTF-8 cannot encode them."""


def require(names: Iterable[str], kind: str, format_name: str, letters: str = "", trimmed: bool = False) -> None:
    """Checks names before they are written.

    Args:
        names: the names to be written.
        kind: the kind of object that has the names, such as "marker".
        format_name: the format for the message, such as "C3D".
        letters: characters that the format cannot hold, as a character set of a regular expression.
        trimmed: whether readers of the format remove blanks around a name.

    Raises:
        BadValue: the format cannot hold a name.
    """
    unfit = re.compile(f"[{letters}{NO_TEXT}]")
    for name in names:
        found = unfit.search(name)
        if found:
            raise BadValue(
                f"{kind} {name!r} has the character {found[0]!r}, which {format_name} cannot store; rename it"
            )
        if trimmed and name != name.strip():
            raise BadValue(f"{kind} {name!r} has spaces around its name, which {format_name} does not keep; rename it")
