"""The elements of an MJCF file and of those it includes, as one tree in which each knows its file and line.

Every file is read by `xml_safe` before MuJoCo sees any of it: no entities, bounded size and depth. An included file
must lie in the folder of the main file or below it (`within` widens that), and may be included once, as in MuJoCo
itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from manikin.errors import BadFile
from manikin.files.common import xml_safe
from manikin.files.common.within import Within

DEEPEST = 480
"""Deepest nesting, includes and all; MuJoCo itself stops at 500."""
MOST_FILES = 1000
"""Most files that a file may include, and those include."""


@dataclass(eq=False)
class Node:
    """An element, with its place."""

    tag: str
    attributes: dict[str, str]
    path: str
    """The file it stands in, as named from where the main file was."""
    line: int
    """Line from 1; 0 where it was not in a file."""
    children: list[Node] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Node]:
        """The children of that tag."""
        return (c for c in self.children if c.tag == tag)

    def first(self, tag: str) -> Node | None:
        """The first child of that tag, or None."""
        return next(self.all(tag), None)

    def walk(self) -> Iterator[Node]:
        """The node and all below it, in the order of the file. Children may be changed before they are reached."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message, self.line or None)


class Folder:
    """The folder of the main file, from which other files are named."""

    def __init__(self, path: str, within: str | os.PathLike[str] | None = None) -> None:
        self.shown = os.path.dirname(path)
        """As the caller named it."""
        self.within = Within(path, within)
        """Where those files must lie."""

    def find(self, name: str, *below: str) -> str | None:
        """The path of a file that is named in the main file; None where `within` does not hold it.

        Args:
            name: as it stands in the file.
            below: folders in this one in which it is looked for first; where it is in none, the first is taken.
        """
        found = [self._inside(os.path.join(place, name.replace("\\", "/"))) for place in below or ("",)]
        inside = [path for path in found if path is not None]
        return next((path for path in inside if os.path.isfile(path)), inside[0] if inside else None)

    def _inside(self, name: str) -> str | None:
        if "\0" in name:
            return None
        path = os.path.join(self.shown, os.path.normpath(name))
        return path if self.within.holds(path) else None


class TreeReader:
    """Reads files and what they include; counts what all of them take together."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.files: list[str] = []
        """All files read, in order."""
        self._bytes = self._elements = 0

    def read(self, path: str) -> Node:
        """The root element of a file with every <include> replaced by what the file it names has inside.

        Raises:
            BadFile: with path and line.
            OSError: the file cannot be opened.
        """
        seen = {os.path.abspath(path)}
        root = self._file(path, 1)
        stack = [(root, 1)]
        while stack:
            node, depth = stack.pop()
            at = 0
            while at < len(node.children):
                child = node.children[at]
                if child.tag == "include":
                    node.children[at : at + 1] = self._included(child, seen, depth)
                    continue
                stack.append((child, depth + 1))
                at += 1
        return root

    def _included(self, include: Node, seen: set[str], depth: int) -> list[Node]:
        name = include.attributes.get("file", "")
        if not name:
            include.fail("an include has no 'file'; <include> needs file=\"…\"")
        if include.children:
            include.fail("an include has elements inside; it must be empty")
        own = os.path.relpath(os.path.dirname(include.path) or os.curdir, self.folder.shown or os.curdir)
        path = self.folder.find(name, "", own)
        if path is None:
            include.fail(
                f"the included file {name!r} lies outside of the folder of the file, which is refused; "
                f"{self.folder.within.hint}"
            )
        if os.path.abspath(path) in seen:
            include.fail(f"the file {name!r} is included a second time, or in a circle")
        if not os.path.isfile(path):
            include.fail(f"the included file {name!r} is not there")
        seen.add(os.path.abspath(path))
        root = self._file(path, depth)
        if not root.children:
            include.fail(f"the included file {name!r} has nothing inside")
        return root.children

    def _file(self, path: str, depth: int) -> Node:
        """The root of one file, includes as they are; `depth` is how deep it will stand."""
        self.files.append(path)
        if len(self.files) > MOST_FILES:
            raise BadFile(path, f"more than {MOST_FILES} files are included in one another")
        self._bytes += os.path.getsize(path)
        if self._bytes > xml_safe.MOST_BYTES:
            raise BadFile(path, f"the files have {self._bytes:,} bytes; at most {xml_safe.MOST_BYTES:,} are read")
        root = xml_safe.read(path, deepest=max(DEEPEST - depth + 1, 1))
        made = Node(root.tag, dict(root.attributes), path, root.line)
        stack = [(root, made)]
        while stack:
            element, node = stack.pop()
            for child in element.children:
                copy = Node(child.tag, dict(child.attributes), path, child.line)
                node.children.append(copy)
                stack.append((child, copy))
                self._elements += 1
        if self._elements > xml_safe.MOST_ELEMENTS:
            raise BadFile(path, f"the files have more than {xml_safe.MOST_ELEMENTS:,} elements")
        return made
