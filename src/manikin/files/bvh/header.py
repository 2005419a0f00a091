"""The head of a BVH file: the tree of joints, the number of frames and the time between them.

The tree is read token by token, independent of line breaks. An explicit stack replaces recursion, so a tree may be ten
thousand levels deep. A name is the text up to the brace, including blanks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, NoReturn

from manikin.errors import BadFile

Path = str | os.PathLike[str]

CHANNELS = {
    f"{axis.lower()}{kind}": f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ"
}  # as compared, as written
MOST_JOINTS = 100_000
"""A tree with more joints and end sites is refused. Real files have at most a few hundred."""
MOST_LETTERS = 1000
"""A longer name, in characters, is refused."""
MOST = 1e15
"""Larger lengths and angles are refused, because their squares and products would overflow."""
_TOKEN = re.compile(rb"\n|[{}]|[^\s{}]+")


@dataclass(frozen=True)
class Node:
    """A joint or an end site."""

    name: str
    """The name in the file; empty for an end site without one."""
    parent: int
    """Index of the parent node, always less than its own index; −1 for a root."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Length, in the parent's space."""
    channels: tuple[str, ...] = ()
    """Channels such as Xposition, Zrotation, in file order."""
    end: bool = False
    """Whether it is an end site."""


@dataclass(frozen=True)
class Header:
    """The content before the numbers of the frames."""

    nodes: tuple[Node, ...]
    """Parents first, in file order. This is the order of the channels in a frame."""
    text: bytes = b""
    """The text of the file from its start to the last brace, unchanged."""
    frames: int | None = None
    """The number of frames that the file states; None if it has no MOTION part."""
    frame_time: float = 1.0 / 30.0
    """Seconds between frames."""
    frame_time_text: str = ""
    """The text of the frame time in the file."""
    motion_text: bytes = b""
    """The text from the last brace to the numbers of the first frame, unchanged: MOTION, Frames:, Frame Time:."""
    data: int = 0
    """Byte at which the numbers begin."""
    line: int = 0
    """Line of that byte, from 1."""
    notes: tuple[str, ...] = ()
    """Notes on oddities of the file, for the user."""

    @property
    def channel_count(self) -> int:
        """The count of numbers in a frame."""
        return sum(len(n.channels) for n in self.nodes)


class _Token(NamedTuple):
    text: bytes
    line: int
    end: int


@dataclass
class _Draft:
    name: str
    parent: int
    line: int
    end: bool
    offset: tuple[float, float, float] | None = None
    channels: tuple[str, ...] | None = None


@dataclass
class _Reader:
    """The tokens of one file, with a lookahead of one, and the messages that name the file."""

    path: Path
    data: bytes
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = self._scan()
        self._last = _Token(b"", 1, 0)
        self._next = next(self._tokens, None)

    def _scan(self) -> Iterator[_Token]:
        line = 1
        for match in _TOKEN.finditer(self.data):
            if match[0] == b"\n":
                line += 1
            else:
                yield _Token(match[0], line, match.end())

    @property
    def line(self) -> int:
        return self._last.line if self._next is None else self._next.line

    @property
    def last_line(self) -> int:
        """Line of the last token read."""
        return self._last.line

    @property
    def at(self) -> int:
        """Byte at which the last token ends."""
        return self._last.end

    def peek(self) -> str:
        """The next token in lower case; empty at the end of the file."""
        return "" if self._next is None else _text(self._next.text[:80]).lower()

    def take(self, wanted: str) -> _Token:
        if self._next is None:
            self.fail(f"the file ends before {wanted}", self._last.line)
        self._last, self._next = self._next, next(self._tokens, None)
        return self._last

    def number(self, wanted: str) -> tuple[float, str]:
        token = self.take(wanted)
        return self.value(token.text[:80].decode("ascii", "replace"), wanted, token.line)

    def value(self, text: str, wanted: str, line: int) -> tuple[float, str]:
        """The number that a text represents, and the text."""
        try:
            number = float(text.replace("_", "?"))  # Python reads 1_000 as a number; BVH does not allow it
        except ValueError:
            self.fail(f"{wanted}, got {text!r}", line)
        if not abs(number) <= MOST:
            self.fail(f"{wanted} within ±{MOST:g}, got {text!r}", line)
        return number, text

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        raise BadFile(self.path, message, self.line if line is None else line)


def read_header(path: Path, data: bytes) -> Header:
    """Reads up to the first number of the first frame. Lines of `data` end with "\\n" (see `numbers`)."""
    reader = _Reader(path, data)
    if reader.peek() != "hierarchy":
        reader.fail(f"a BVH file begins with HIERARCHY, got {reader.peek()[:40]!r}", 1)
    reader.take("HIERARCHY")
    drafts = _read_tree(reader)
    text = data[: reader.at]
    nodes = tuple(Node(d.name, d.parent, d.offset or (0.0, 0.0, 0.0), d.channels or (), d.end) for d in drafts)
    if not reader.peek():
        reader.notes.append("the file has no MOTION part")
        return Header(nodes, text, notes=tuple(reader.notes), data=len(data), line=reader.line)
    frames, frame_time, frame_time_text = _read_motion_head(reader)
    return Header(
        nodes,
        text,
        frames,
        frame_time,
        frame_time_text,
        motion_text=data[len(text) : reader.at],
        data=reader.at,
        line=reader.last_line,
        notes=tuple(reader.notes),
    )


def _read_tree(reader: _Reader) -> list[_Draft]:
    """All joints and end sites of all roots, in file order."""
    drafts: list[_Draft] = []
    open_nodes: list[int] = []
    while True:
        word = reader.peek()
        if not open_nodes and drafts and word in ("motion", ""):
            return drafts
        token = reader.take("ROOT" if not open_nodes else "a closing brace")
        if word == ("joint" if open_nodes else "root") or (word == "end" and open_nodes):
            parent = open_nodes[-1] if open_nodes else -1
            if parent >= 0 and drafts[parent].end:
                reader.fail(f"an end site has only an OFFSET, got {word.upper()}", token.line)
            open_nodes.append(len(drafts))
            drafts.append(_open(reader, token, word == "end", parent, len(drafts)))
            if len(drafts) > MOST_JOINTS:
                reader.fail(f"there are more than {MOST_JOINTS} joints", token.line)
        elif not open_nodes:
            reader.fail(f"expected ROOT or MOTION, got {word[:40]!r}", token.line)
        elif word == "}":
            _close(reader, drafts[open_nodes.pop()])
        elif word == "offset":
            _read_offset(reader, drafts[open_nodes[-1]])
        elif word == "channels":
            _read_channels(reader, drafts[open_nodes[-1]])
        else:
            label = _label(drafts[open_nodes[-1]])
            wanted = "OFFSET, CHANNELS, JOINT, End Site or a brace"
            reader.fail(f"{label}: expected {wanted}, got {word[:40]!r}", token.line)


def _open(reader: _Reader, token: _Token, end: bool, parent: int, index: int) -> _Draft:
    """A name, possibly with blanks inside, and the opening brace."""
    start, stop = token.end, token.end
    words = 0
    while reader.peek() != "{":
        if reader.peek() == "}" or (words and reader.peek() in ("offset", "channels", "joint", "end", "motion")):
            break
        stop = reader.take("an opening brace").end
        words += 1
        if stop - start > MOST_LETTERS:
            reader.fail(f"a name has more than {MOST_LETTERS} characters; is an opening brace missing?", token.line)
    name = _text(b" ".join(reader.data[start:stop].split(b"\n"))).strip()
    if end:
        name = name[4:].strip() if name.lower().startswith("site") else name
    elif not name:
        name = f"joint{index + 1}"
        reader.notes.append(f"line {token.line}: a joint has no name; it is called {name}")
    brace = reader.take("an opening brace")
    if brace.text != b"{":
        reader.fail(f"{name or 'End Site'}: expected an opening brace, got {_text(brace.text[:40])!r}", brace.line)
    return _Draft(name, parent, token.line, end)


def _close(reader: _Reader, draft: _Draft) -> None:
    if draft.offset is None:
        reader.fail(f"{_label(draft)} has no OFFSET", draft.line)


def _read_offset(reader: _Reader, draft: _Draft) -> None:
    if draft.offset is not None:
        reader.fail(f"{_label(draft)} has two OFFSETs", reader.last_line)
    x, y, z = (reader.number(f"OFFSET of {_label(draft)} needs three numbers")[0] for _ in range(3))
    draft.offset = (x, y, z)


def _read_channels(reader: _Reader, draft: _Draft) -> None:
    line = reader.last_line
    if draft.channels is not None:
        reader.fail(f"{_label(draft)} has two lists of CHANNELS", line)
    count = reader.number(f"CHANNELS of {_label(draft)} needs a count")[0]
    names: list[str] = []
    while reader.peek() not in ("joint", "end", "offset", "channels", "{", "}", ""):
        token = reader.take("a channel")
        word = _text(token.text[:40])
        name = CHANNELS.get(word.lower())
        if name is None:
            known = "one of Xposition … Zposition, Xrotation … Zrotation"
            reader.fail(f"{_label(draft)}: channel {word!r} is unknown; it must be {known}", token.line)
        names.append(name)
        if len(names) > 100:
            reader.fail(f"{_label(draft)} has more than 100 channels", token.line)
    if names and draft.end:
        reader.fail("an end site has no CHANNELS", line)
    if len(names) != count:
        says = f"states {count:.15g} channels but names {len(names)}"
        reader.notes.append(f"line {line}: {_label(draft)} {says}; the named channels are used")
    axes = "".join(n[0] for n in names if n.endswith("rotation"))
    if len(axes) > 3 or any(a == b for a, b in pairwise(axes)):
        reader.fail(
            f"{_label(draft)} rotates about {axes}; it needs at most three axes, without the same axis twice in a row",
            line,
        )
    positions = [n for n in names if n.endswith("position")]
    if len(set(positions)) < len(positions):
        reader.fail(f"{_label(draft)} has the same position channel twice", line)
    draft.channels = tuple(names)


def _read_motion_head(reader: _Reader) -> tuple[int, float, str]:
    """MOTION, Frames: n, Frame Time: t."""
    reader.take("MOTION")
    count, _ = _labelled(reader, "Frames", "frames")
    if count < 0 or count != int(count):
        reader.fail(f"Frames: needs a whole number, 0 or more, got {count:g}", reader.last_line)
    seconds, text = _labelled(reader, "Frame Time", "frametime")
    if seconds < 0.0:
        reader.fail(f"Frame Time: needs a number of seconds, 0 or more, got {seconds:g}", reader.last_line)
    return int(count), seconds, text


def _labelled(reader: _Reader, label: str, key: str) -> tuple[float, str]:
    """The number after a label such as `Frame Time:`, with any blanks around the colon."""
    seen = ""
    while True:
        token = reader.take(f"{label}:")
        words, colon, rest = _text(token.text[:80]).partition(":")
        seen += words.lower()
        if not key.startswith(seen) or (colon and seen != key):
            reader.fail(f"expected {label}:, got {_text(token.text[:40])!r}", token.line)
        if rest:
            return reader.value(rest, f"{label}: needs a number", token.line)
        if colon or (seen == key and not reader.peek().startswith(":")):
            return reader.number(f"{label}: needs a number")


def _label(draft: _Draft) -> str:
    return f"End Site {draft.name}".strip() if draft.end else draft.name


def _text(raw: bytes) -> str:
    """Decodes a name as UTF-8, or else as Latin-1, in which every byte is a character."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
