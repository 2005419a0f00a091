"""Reads untrusted XML. Entities are never expanded, nothing outside the file is loaded, depth and size are limited, and
every element has its line.

Python's ElementTree drops line numbers and expands entities, so this module builds a small tree with Expat. Tags are
kept as written (`drake:capsule`). Prefixes need no declaration, because hand-written files often omit it. Only the
prefix of the root element is removed everywhere, so that `<ns0:robot>` reads like `<robot>`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from manikin.base.names import xml_attribute, xml_text
from manikin.base.reading import read_bytes
from manikin.errors import BadFile

MOST_BYTES = 64 * 2**20
"""Largest file that is read, in bytes. The largest robot in a dozen collections has a thousandth of this."""
MOST_ELEMENTS = 200_000
"""Largest number of elements in one file."""
MOST_ATTRIBUTES = 1000
"""Largest number of attributes of one element: native readers compare each attribute with all others."""
DEEPEST = 256
"""Default for the deepest nesting that is read."""


@dataclass(frozen=True, eq=False)
class Element:
    """An element of an XML file."""

    tag: str
    """Its name, with its prefix unless that is the prefix of the root."""
    attributes: dict[str, str]
    line: int
    """Line from 1 on which it starts."""
    content: list[Element | str] = field(default_factory=list)
    """Elements and texts inside it, in order, without comments."""

    @property
    def children(self) -> list[Element]:
        """The elements directly inside."""
        return [c for c in self.content if isinstance(c, Element)]

    def all(self, tag: str) -> Iterator[Element]:
        """The children with this tag."""
        return (c for c in self.content if isinstance(c, Element) and c.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with this tag, or None."""
        return next(self.all(tag), None)


def read(path: str | os.PathLike[str], deepest: int = DEEPEST) -> Element:
    """Reads the root element of an XML file.

    Raises:
        BadFile: the file is not XML, declares entities, or exceeds a limit; the message names the line.
        OSError: the file cannot be opened.
    """
    size = Path(path).stat().st_size
    if size > MOST_BYTES:
        raise BadFile(path, f"the file has {size:,} bytes; the limit is {MOST_BYTES:,}")
    return parse(read_bytes(path), path, deepest)


def parse(data: bytes, path: str | os.PathLike[str], deepest: int = DEEPEST) -> Element:
    """The root element of XML text; `path` is for messages."""
    return _Builder(path, deepest).run(data)


class _Builder:
    """Builds a tree from Expat's events."""

    def __init__(self, path: str | os.PathLike[str], deepest: int) -> None:
        self.path, self.deepest = path, deepest
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0
        self.prefix = ""
        self.skipped_lines = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.skipped
        self.parser.ExternalEntityRefHandler = self.skipped
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def run(self, data: bytes) -> Element:
        # Blank lines before <?xml ...?> are an error for Expat, but some URDF generators write them.
        start = len(data) - len(data.lstrip(b" \t\r\n"))
        self.skipped_lines = data[:start].count(b"\n")
        # Some programs written in C leave zero bytes at the end.
        end = len(data.rstrip(b"\0")) if data[:2] not in (b"\xff\xfe", b"\xfe\xff") else len(data)
        try:
            self.parser.Parse(data[start:end], True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "malformed")
            raise BadFile(self.path, f"not well-formed XML: {reason}", error.lineno + self.skipped_lines) from None
        except (LookupError, ValueError) as error:  # the declared encoding is unknown or multi-byte
            if isinstance(error, BadFile):
                raise
            raise BadFile(self.path, f"the encoding of the XML cannot be read: {error}", self.line) from None
        assert self.root is not None
        return self.root

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped_lines

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message, self.line)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) >= self.deepest:
            self.fail(f"<{tag[:40]}> is nested more than {self.deepest} levels deep")
        if self.count > MOST_ELEMENTS:
            self.fail(f"the file has more than {MOST_ELEMENTS:,} elements")
        if len(attributes) > MOST_ATTRIBUTES:
            self.fail(f"<{tag[:40]}> has {len(attributes):,} attributes; the limit is {MOST_ATTRIBUTES:,}")
        if not self.open:
            self.prefix = tag[: tag.find(":") + 1]
        element = Element(tag.removeprefix(self.prefix), attributes, self.line)
        if self.open:
            self.open[-1].content.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def text(self, data: str) -> None:
        if self.open and data.strip():
            self.open[-1].content.append(data)

    def entity(self, name: str, *_rest: object) -> None:
        self.fail(
            f"the file declares the entity {name[:40]!r}; entities are not allowed, because they can exhaust memory"
        )

    def skipped(self, name: str | None, *_rest: object) -> int:
        self.fail(f"the file uses the entity {str(name)[:40]!r}, which it does not define")


def to_text(element: Element, indent: int = 0) -> str:
    """An element as XML text. Children are on separate lines, and the text ends with a line break."""
    pad = "  " * indent
    head = pad + "<" + element.tag + "".join(f" {k}={xml_attribute(v)}" for k, v in element.attributes.items())
    if not element.content:
        return head + "/>\n"
    if not element.children:
        return head + ">" + "".join(xml_text(c) for c in element.content if isinstance(c, str)) + f"</{element.tag}>\n"
    inner = "".join(
        "  " * (indent + 1) + xml_text(c.strip()) + "\n" if isinstance(c, str) else to_text(c, indent + 1)
        for c in element.content
    )
    return f"{head}>\n{inner}{pad}</{element.tag}>\n"
