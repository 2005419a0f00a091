"""The exceptions of manikin. Each is also the kind that Python users expect, so `except ValueError` works too.

Not reaching a goal is not among them: that is an answer (`solution.reached`), never an exception.
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = os.fspath(Path(__file__).parent)


class ManikinError(Exception):
    """Base of every exception that manikin raises on purpose."""


class UnknownName(ManikinError, LookupError):
    """A segment, joint, goal or method was asked for by a name that does not exist."""


class BadShape(ManikinError, ValueError):
    """An array has the wrong shape."""


class BadValue(ManikinError, ValueError):
    """A value is not allowed: NaN, limits upside down, a quaternion of length zero, a cycle of segments."""


class Unsupported(ManikinError, NotImplementedError):
    """What was asked for is meaningful, but this part of manikin does not do it."""


class BadFile(ManikinError, ValueError):
    """A file is cut off, malformed, or contains what we do not understand. Says where."""

    def __init__(
        self, path: str | os.PathLike[str], message: str, line: int | None = None, *, offset: int | None = None
    ) -> None:
        self.path = os.fspath(path)
        """The file, as the caller named it."""
        self.line = line
        """Line number from 1 where one is known."""
        self.offset = offset
        """Byte from 0 where one is known: binary files have no lines."""
        place = f", line {line}" if line is not None else f", byte {offset}" if offset is not None else ""
        super().__init__(f"{self.path}{place}: {message}")

    def found(self, *, line: int | None = None, offset: int | None = None) -> None:
        """Say where it is, where that was found out later."""
        self.line, self.offset = line, offset
        place = f", line {line}" if line is not None else f", byte {offset}"
        self.args = (f"{self.path}{place}{str(self).removeprefix(self.path)}",)

    def __reduce__(self) -> tuple[object, ...]:
        return (_bad_file, (str(self), self.path, self.line, self.offset, type(self)))


class NoMotion(BadFile):
    """A file is whole as far as it goes, but there is no motion in it; it may have a figure."""


class OddFile(UserWarning):
    """A file was read, but something in it was lost, changed or had to be taken in one of several ways. The same
    sentences stand in `source["notes"]` of what was read."""


class MissingShape(UserWarning):
    """A goal keeps shapes apart, but some segments that have a body have no shape. The same sentence stands in `notes`
    of the solution."""


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line outside of manikin that called it."""
    frame, depth = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)


def _bad_file(text: str, path: str, line: int | None, offset: int | None, kind: type[BadFile]) -> BadFile:
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    error.path, error.line, error.offset = path, line, offset
    return error


def listing(names: Sequence[str], max_names: int = 8) -> str:
    """The first names of a list, for a message: `Hips, Spine, Spine1, …`."""
    shown = ", ".join(names[:max_names])
    return shown + ", …" if len(names) > max_names else shown


def unknown_name(owner: str, kind: str, name: object, known: Sequence[str]) -> UnknownName:
    """The one wording for an unknown name: what was asked for, the nearest that exists, and what there is.

    Example:
        >>> print(unknown_name("figure 'dancer'", "segment", "LHand", ["LeftHand", "Hips"]))
        figure 'dancer' has no segment 'LHand'; did you mean 'LeftHand'? It has 2: LeftHand, Hips
    """
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    there = f"It has {len(known)}: {listing(known)}" if known else "It has none"
    if not near:
        there = there[0].lower() + there[1:]
    return UnknownName(f"{owner} has no {kind} {name!r}{hint} {there}")
