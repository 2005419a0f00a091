"""Warnings for oddities of a file. The same sentences are in `source["notes"]`.

A reader collects its notes, stores them in the source of its result, and warns once at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from manikin import errors
from manikin.errors import OddFile

MOST = 8
"""Largest number of warnings for one file. Further oddities are counted; all are in the notes."""


def tell(path: str | os.PathLike[str], notes: Iterable[str]) -> None:
    """Raises a warning (`OddFile`) for each note, at the line outside manikin that loaded the file."""
    said = list(dict.fromkeys(notes))
    shown = said if len(said) <= MOST else said[: MOST - 1]
    for note in shown:
        warn(f"{os.fspath(path)}: {note}")
    if len(shown) < len(said):
        warn(f"{os.fspath(path)}: {len(said) - len(shown)} more warnings are in source['notes']")


def warn(text: str, category: type[Warning] = OddFile) -> None:
    """Raises a warning at the line outside manikin that made the call."""
    errors.warn(text, category)
