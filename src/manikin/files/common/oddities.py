"""One way to say that a file was odd: a warning for each oddity, and the same sentences in `source["notes"]`.

A reader collects its notes as it goes, puts them into the source of what it read, and tells them once at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from manikin import errors
from manikin.errors import OddFile

MOST = 8
"""So many oddities of one file are told one by one; of more only the count, since all are in the notes."""


def tell(path: str | os.PathLike[str], notes: Iterable[str]) -> None:
    """Warn (`OddFile`) of each note once, at the line outside of manikin that asked for the file."""
    said = list(dict.fromkeys(notes))
    shown = said if len(said) <= MOST else said[: MOST - 1]
    for note in shown:
        warn(f"{os.fspath(path)}: {note}")
    if len(shown) < len(said):
        warn(f"{os.fspath(path)}: {len(said) - len(shown)} more oddities are in source['notes']")


def warn(text: str, category: type[Warning] = OddFile) -> None:
    """Warn at the line outside of manikin that called it."""
    errors.warn(text, category)
