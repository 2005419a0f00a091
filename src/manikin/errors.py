"""The exceptions of manikin. Each one also derives from a built-in exception, so `except ValueError` works too.

A goal that is not reached does not raise an exception. It is an answer: `solution.reached`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = os.fspath(Path(__file__).parent)


class ManikinError(Exception):
    """Base of every exception that manikin raises on purpose.

    Its text can be printed: names from files have their control characters escaped. `args` has it unchanged.
    """

    def __str__(self) -> str:
        return printable(super().__str__(), keep="\n\t")


class UnknownName(ManikinError, LookupError):
    """There is no segment, joint, goal or method with this name."""


class BadShape(ManikinError, ValueError):
    """An array has the wrong shape."""


class BadValue(ManikinError, ValueError):
    """A value is not allowed: NaN, a lower limit above the upper limit, a quaternion of length zero, a cycle of
    segments."""


class Unsupported(ManikinError, NotImplementedError):
    """The request is meaningful, but this part of manikin does not support it."""


class BadFile(ManikinError, ValueError):
    """A file is cut off, malformed, or contains something that manikin does not understand. The message says where."""

    def __init__(
        self, path: str | os.PathLike[str], message: str, line: int | None = None, *, offset: int | None = None
    ) -> None:
        self.path = os.fspath(path)
        """Path of the file, as the caller passed it."""
        self.line = line
        """Line number, counted from 1; None if it is not known."""
        self.offset = offset
        """Byte offset, counted from 0; None if it is not known. Binary files have an offset instead of a line."""
        place = f", line {line}" if line is not None else f", byte {offset}" if offset is not None else ""
        super().__init__(f"{self.path}{place}: {message}")

    def found(self, *, line: int | None = None, offset: int | None = None) -> None:
        """Adds the position to an error that was raised without one."""
        self.line, self.offset = line, offset
        place = f", line {line}" if line is not None else f", byte {offset}"
        self.args = (f"{self.path}{place}{self.args[0].removeprefix(self.path)}",)

    def __reduce__(self) -> tuple[object, ...]:
        return (_bad_file, (self.args[0], self.path, self.line, self.offset, type(self)))


class NoMotion(BadFile):
    """A file contains no motion. It is not damaged, and it may contain a figure."""


class OddFile(UserWarning):
    """A file was read, but something in it was lost, changed or ambiguous. The same sentences are in `source["notes"]`
    of the object that was read."""


class OddMarkers(UserWarning):
    """Markers were fitted, but names were exchanged or not known, or many samples were rejected. The same sentences are
    in `notes` of the fit."""


class MissingShape(UserWarning):
    """A goal keeps shapes apart, but some segments that have a body have no shape. The same sentence is in `notes` of
    the solution."""


def warn(text: str, category: type[Warning]) -> None:
    """Warns, and points at the line outside of manikin that made the call."""
    frame, depth = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(printable(text, keep="\n\t"), category, stacklevel=depth)


def _bad_file(text: str, path: str, line: int | None, offset: int | None, kind: type[BadFile]) -> BadFile:
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    error.path, error.line, error.offset = path, line, offset
    return error


_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200c\u200d\u202f\u205f\u3000"
"""Blanks of other scripts, and the two marks that join or part the letters of a word. They change nothing else."""


def printable(text: str, keep: str = "") -> str:
    """A text that can be printed or logged as one line. What a terminal would obey is escaped: control characters,
    line ends, marks that turn the direction of writing, and halves of surrogate pairs. Ordinary text is unchanged.

    Args:
        text: any text, such as a name from a file.
        keep: characters that are left as they are, such as the line ends of a text of several lines.

    Example:
        >>> print(printable("hand\\x1b[31m"))
        hand\\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _BLANKS or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun, for a message: `1 frame`, `0 frames`, `1,000 frames`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def listing(names: Sequence[str], max_names: int = 8) -> str:
    """The first names of a list, for a message: `Hips, Spine, Spine1, …`."""
    shown = ", ".join(printable(name) for name in names[:max_names])
    return shown + ", …" if len(names) > max_names else shown


def unknown_name(owner: str, kind: str, name: object, known: Sequence[str]) -> UnknownName:
    """The exception for an unknown name. The message contains the name, the most similar known name, and the known
    names. A name that differs only in case, spaces, hyphens or underscores is the most similar one.

    Example:
        >>> print(unknown_name("figure 'dancer'", "segment", "LHand", ["LeftHand", "Hips"]))
        figure 'dancer' has no segment 'LHand'; did you mean 'LeftHand'? It has 2: LeftHand, Hips
    """
    import difflib  # here, because only mistakes need it

    plain = {_plain(k): k for k in reversed(known)}  # of names that are alike, the first is suggested
    near = [plain[_plain(str(name))]] if _plain(str(name)) in plain else []
    near = near or difflib.get_close_matches(str(name), known, n=1)
    near = near or [plain[k] for k in difflib.get_close_matches(_plain(str(name)), list(plain), n=1)]
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    there = f"It has {len(known)}: {listing(known)}" if known else "It has none"
    if not near:
        there = there[0].lower() + there[1:]
    return UnknownName(f"{owner} has no {kind} {name!r}{hint} {there}")


def _plain(name: str) -> str:
    """A name in lower case, without spaces, hyphens and underscores."""
    return name.lower().replace(" ", "").replace("-", "").replace("_", "")
