"""Opens a USD stage: checks its files first, catches the library's warnings, and turns its errors into one BadFile."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pxr import Tf, Usd, UsdUtils

from manikin.errors import BadFile, ManikinError, listing
from manikin.files.usd.layers import survey

LONGEST = 300
"""Longest part of a library message that is quoted, in characters."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A stage and the oddities found in it."""

    path: str
    """The file, as the caller named it."""
    stage: Any
    """Usd.Stage."""
    notes: list[str] = field(default_factory=list)
    """Oddities found so far, as sentences for `source["notes"]` and for warnings."""


def open_stage(path: str, within: str | os.PathLike[str] | None = None) -> Opened:
    """Opens the stage of a file, with all files that it refers to.

    Raises:
        BadFile: the file or one that it refers to is broken, hostile or outside the folder.
        Unsupported: the stage uses composition that is not supported.
    """
    with speaking(path):
        found = survey(path, within)
        stage = Usd.Stage.Open(next(iter(found.layers.values())))
        opened = Opened(path, stage)
        if found.missing:
            names = listing(sorted(set(found.missing)))
            opened.notes.append(f"files to which it refers do not exist and are left out: {names}")
        if found.skipped:
            names = listing(sorted(set(found.skipped)))
            opened.notes.append(f"files to which it refers are not USD and are skipped: {names}")
        for error in getattr(stage, "GetCompositionErrors", list)():
            kind = type(error).__name__
            if "Cycle" in kind:
                raise BadFile(path, clipped(str(error)))
            if kind != "ErrorInvalidAssetPath":  # these are the missing files
                opened.notes.append(clipped(str(error)))
    return opened


@contextlib.contextmanager
def speaking(path: str) -> Iterator[None]:
    """Turns errors of the library into one BadFile. Its warnings are caught and not printed."""
    hush = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except Tf.ErrorException as error:
        raise _bad(path, _said(error)) from None
    except ManikinError:  # Unsupported is also a RuntimeError
        raise
    except RuntimeError as error:
        raise _bad(path, [str(error)]) from None
    except UnicodeDecodeError as error:  # text of the file that the library passes on
        raise BadFile(path, f"the file has text that is not UTF-8: {clipped(_decoded(error))}") from None
    finally:
        hush.TakeUncoalescedDiagnostics()
        del hush


def _said(error: Exception) -> list[str]:
    """The messages of a library error. They may quote bytes of the file that are not UTF-8."""
    said = []
    for part in error.args or (error,):
        try:
            said.append(str(getattr(part, "commentary", part)))
        except UnicodeDecodeError as wrong:
            said.append(_decoded(wrong))
    return said


def _decoded(error: UnicodeDecodeError) -> str:
    return bytes(error.object).decode("utf-8", "replace")


def clipped(text: str) -> str:
    """A library message on one line, without names of library parts, cut to LONGEST."""
    text = re.sub(r"pxrInternal_v\w+?__pxrReserved__\w*(?:::\w+|<[^>]*>|,\s*)*>*", "", text)
    text = re.sub(r"parse error matching \S*", "parse error", text)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _bad(path: str, said: list[str]) -> BadFile:
    """Uses the first message that has a line number, or else the first message."""
    for text in said:
        found = re.match(r"(?:.*?)[^:]:(\d+):(?:\d+:)? (.*)", text, re.S)
        if found:
            return BadFile(path, clipped(found.group(2)), int(found.group(1)))
        found = re.match(r"(.*) on line (\d+) in file ", text, re.S)  # up to USD 25
        if found:
            return BadFile(path, clipped(found.group(1)), int(found.group(2)))
    return BadFile(path, clipped(said[0]))
