"""Opens a USD stage: looked over first, what the library complains about caught, errors as one BadFile."""

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
"""Letters of a message of the library that are told."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A stage, and what was odd about it."""

    path: str
    """The file, as the caller named it."""
    stage: Any
    """Usd.Stage."""
    notes: list[str] = field(default_factory=list)
    """Oddities found so far, sentences for `source["notes"]` and for warnings."""


def open_stage(path: str, within: str | os.PathLike[str] | None = None) -> Opened:
    """The stage of a file, with everything that it refers to.

    Raises:
        BadFile: the file or one that it refers to is broken, hostile or elsewhere.
        Unsupported: it is put together in a way that is not read.
    """
    with speaking(path):
        found = survey(path, within)
        stage = Usd.Stage.Open(next(iter(found.layers.values())))
        opened = Opened(path, stage)
        if found.missing:
            names = listing(sorted(set(found.missing)))
            opened.notes.append(f"files that it refers to are not there, and left out: {names}")
        if found.skipped:
            names = listing(sorted(set(found.skipped)))
            opened.notes.append(f"files that it refers to are not USD, and are skipped: {names}")
        for error in getattr(stage, "GetCompositionErrors", list)():
            kind = type(error).__name__
            if "Cycle" in kind:
                raise BadFile(path, clipped(str(error)))
            if kind != "ErrorInvalidAssetPath":  # those are the missing files
                opened.notes.append(clipped(str(error)))
    return opened


@contextlib.contextmanager
def speaking(path: str) -> Iterator[None]:
    """Errors of the library become one BadFile; its warnings are caught, not printed."""
    hush = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except Tf.ErrorException as error:
        raise _bad(path, _said(error)) from None
    except ManikinError:  # Unsupported is a RuntimeError, too
        raise
    except RuntimeError as error:
        raise _bad(path, [str(error)]) from None
    except UnicodeDecodeError as error:  # a text of the file that the library hands on
        raise BadFile(path, f"there is text that is not UTF-8: {clipped(_decoded(error))}") from None
    finally:
        hush.TakeUncoalescedDiagnostics()
        del hush


def _said(error: Exception) -> list[str]:
    """The messages of an error of the library, which may quote letters of the file that are not UTF-8."""
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
    """Words of the library in one line, without the names of its parts, of bearable length."""
    text = re.sub(r"pxrInternal_v\w+?__pxrReserved__\w*(?:::\w+|<[^>]*>|,\s*)*>*", "", text)
    text = re.sub(r"parse error matching \S*", "parse error", text)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _bad(path: str, said: list[str]) -> BadFile:
    """The first message that knows its line, or the first."""
    for text in said:
        found = re.match(r"(?:.*?)[^:]:(\d+):(?:\d+:)? (.*)", text, re.S)
        if found:
            return BadFile(path, clipped(found.group(2)), int(found.group(1)))
        found = re.match(r"(.*) on line (\d+) in file ", text, re.S)  # until USD 25
        if found:
            return BadFile(path, clipped(found.group(1)), int(found.group(2)))
    return BadFile(path, clipped(said[0]))
