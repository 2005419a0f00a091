"""The elements of an MJCF file and its includes as one tree. Every element has its file and line.

`xml_safe` reads every file before MuJoCo sees it: entities are refused, and size and depth are limited. An included
file must be in the folder of the main file or below it (`within` widens this), and may be included only once, as in
MuJoCo.
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
"""Deepest nesting, including includes. MuJoCo stops at 500."""
MOST_FILES = 1000
"""Largest number of files that are included, directly or indirectly."""


@dataclass(eq=False)
class Node:
    """An element with its file and line."""

    tag: str
    attributes: dict[str, str]
    path: str
    """The path of its file, relative to the same place as the path of the main file."""
    line: int
    """Line from 1; 0 if it does not come from a file."""
    children: list[Node] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Node]:
        """The children with this tag."""
        return (c for c in self.children if c.tag == tag)

    def first(self, tag: str) -> Node | None:
        """The first child with this tag, or None."""
        return next(self.all(tag), None)

    def walk(self) -> Iterator[Node]:
        """The node and all its descendants in file order. Children may be changed before they are visited."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message, self.line or None)


class Folder:
    """The folder of the main file. Names of other files are relative to it."""

    def __init__(self, path: str, within: str | os.PathLike[str] | None = None) -> None:
        self.shown = os.path.dirname(path)
        """The folder as named by the caller."""
        self.within = Within(path, within)
        """The folder that must contain those files."""

    def find(self, name: str, *below: str) -> str | None:
        """The path of a file that the main file names; None if it is outside `within`.

        Args:
            name: the name in the file.
            below: subfolders of this folder to search; if none has the file, the path in the first is returned.
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
    """Reads files and their includes, and counts their total size."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.files: list[str] = []
        """All files read so far, in order."""
        self._bytes = self._elements = 0

    def read(self, path: str) -> Node:
        """The root element of a file. Every <include> is replaced by the content of the included file.

        Raises:
            BadFile: the message names path and line.
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
            include.fail(f"the included file {name!r} is outside the folder of the file; {self.folder.within.hint}")
        if os.path.abspath(path) in seen:
            include.fail(f"the file {name!r} is included twice, or includes itself")
        if not os.path.isfile(path):
            include.fail(f"the included file {name!r} does not exist")
        seen.add(os.path.abspath(path))
        root = self._file(path, depth)
        if not root.children:
            include.fail(f"the included file {name!r} has no elements")
        return root.children

    def _file(self, path: str, depth: int) -> Node:
        """The root of one file without resolving includes. `depth` is its depth in the whole tree."""
        self.files.append(path)
        if len(self.files) > MOST_FILES:
            raise BadFile(path, f"more than {MOST_FILES} files are included")
        self._bytes += os.path.getsize(path)
        if self._bytes > xml_safe.MOST_BYTES:
            raise BadFile(path, f"the files have {self._bytes:,} bytes; the limit is {xml_safe.MOST_BYTES:,}")
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
