"""Collision meshes of a URDF file: finds them on disk and fits shapes around them.

A name `package://robot/meshes/arm.stl` is searched in the folders above the file, the nearest first: in a folder named
`robot`, or in one that contains a folder `robot`. A relative name starts from the folder of the file. It must stay
inside the package: the nearest folder with a `package.xml`, or else the parent of the folder of the file. Absolute
paths are not followed. If a mesh is not found or cannot be read, it is noted, and the link has no shape for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from manikin import rotations
from manikin.arrays import Points
from manikin.errors import BadFile, Unsupported
from manikin.figure.joint import Numbers, as_tuple
from manikin.figure.shapes import Capsule, Shape, Sphere
from manikin.files.common.fitted import fitted
from manikin.files.common.mesh import MOST_BYTES, read_points

MOST_TOGETHER = 4 * MOST_BYTES
"""Largest total size of all meshes of a file, in bytes."""
MOST_FITTED = 1000
"""Largest number of meshes of a file. A mesh that is used at several scales counts once for each."""


class NotRead(Exception):
    """A mesh gets no shape; the message says why."""


class BrokenMesh(NotRead):
    """A mesh gets no shape because its file is broken."""


@dataclass(eq=False)
class Meshes:
    """The meshes of one file, each read and fitted once."""

    path: str | os.PathLike[str]
    """The URDF file."""
    _points: dict[str, Points] = field(default_factory=dict)
    _shapes: dict[tuple[str, Numbers], Capsule | Sphere] = field(default_factory=dict)
    _bytes: int = 0

    def shape(self, name: str, scale: Numbers, center: Numbers, rotation: Numbers) -> Shape:
        """The shape around a mesh that is scaled, rotated and moved.

        Raises:
            NotRead: the message gives the reason.
        """
        path = self._find(name)
        key = (path, scale)
        if key not in self._shapes:
            if len(self._shapes) >= MOST_FITTED:
                raise NotRead(f"there are more than {MOST_FITTED} meshes")
            found = fitted(self._read(path) * np.array(scale))
            if found is None:
                raise NotRead("it has no volume")
            self._shapes[key] = found
        return _placed(self._shapes[key], center, rotation)

    def _read(self, path: str) -> Points:
        if path not in self._points:
            try:
                self._bytes += os.path.getsize(path)
                if self._bytes > MOST_TOGETHER:
                    raise NotRead(f"the meshes together have more than {MOST_TOGETHER:,} bytes")
                self._points[path] = read_points(path)
            except OSError as error:
                raise NotRead(f"it cannot be opened: {error.strerror or error}") from error
            except Unsupported as error:
                raise NotRead(str(error)) from error
            except BadFile as error:
                raise BrokenMesh(str(error)) from error
        return self._points[path]

    def _find(self, name: str) -> str:
        name = name.strip().replace("\\", "/")
        scheme, _, rest = name.rpartition("://")
        if not name or "\0" in name:
            raise NotRead("it has no file name")
        folder = Path(os.path.abspath(self.path)).parent
        if scheme in ("package", "model"):
            package, _, inside = rest.lstrip("/").partition("/")
            if package in ("", ".", ".."):
                raise NotRead("its name has no package")
            places = [(root, inside) for root in _packages(folder, package)]
        elif scheme or os.path.isabs(name) or name[1:2] == ":":
            raise NotRead("absolute paths and other schemes are not allowed, only package://… and relative paths")
        else:
            root = next((f for f in (folder, *folder.parents) if (f / "package.xml").is_file()), folder.parent)
            places = [(root, os.path.relpath(folder, root) + "/" + name)]
        for root, inside in places:
            at = os.path.normpath(root / inside)
            if os.path.isfile(at):
                real = os.path.join(os.path.realpath(root), "")
                if not os.path.realpath(at).startswith(real):
                    raise NotRead("it is outside its package")
                return at
        raise NotRead("the file does not exist")


def _packages(folder: Path, name: str) -> Iterator[Path]:
    """Folders that may be the package, nearest first."""
    for above in (folder, *folder.parents):
        if above.name == name:
            yield above
        yield above / name


def _placed(shape: Capsule | Sphere, center: Numbers, rotation: Numbers) -> Shape:
    """The shape, rotated and moved."""
    q, at = np.array(rotation), np.array(center)
    if isinstance(shape, Sphere):
        return Sphere(as_tuple(rotations.rotate(q, np.array(shape.center)) + at), shape.radius)
    start, end = (as_tuple(rotations.rotate(q, np.array(end)) + at) for end in (shape.start, shape.end))
    return Capsule(start, end, shape.radius)
