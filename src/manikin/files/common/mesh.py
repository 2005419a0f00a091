"""The points of a mesh file: STL, OBJ and COLLADA (.dae). A figure has no meshes; shapes are fitted around the points.

The size of a file is checked before it is read. An inconsistent file raises BadFile with the line or byte. No other
file is opened, because materials and textures are not needed.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from manikin.arrays import Points
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, Unsupported
from manikin.files.common import collada
from manikin.files.finite import MOST

MOST_BYTES = 32 * 2**20
"""Largest mesh that is read, in bytes."""
HEAD, TRIANGLE = 84, 50
"""Bytes before the first triangle of a binary STL, and bytes of each triangle."""
ENDINGS = (".stl", ".obj", ".dae")


def read_points(path: str | os.PathLike[str]) -> Points:
    """(n, 3) the corners of a mesh's faces, at least one, in the unit of the file; for COLLADA in metres.

    Raises:
        BadFile: it is too large, malformed, or has no points.
        Unsupported: its extension is not .stl, .obj or .dae.
        OSError: the file does not exist or cannot be opened.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise Unsupported(f"{os.fspath(path)}: a mesh must be {', '.join(ENDINGS)}, got {ending!r}")
    data = read_bytes(path, MOST_BYTES, "a mesh")
    reader = {".stl": _stl, ".obj": _obj, ".dae": collada.points}[ending]
    points = reader(data, path)
    if not len(points):
        raise BadFile(path, "the mesh has no points")
    wrong = np.flatnonzero(~(np.abs(points) <= MOST).all(axis=1))
    if len(wrong):
        raise BadFile(path, f"point {wrong[0] + 1} is {points[wrong[0]].tolist()}; numbers must lie within ±{MOST:g}")
    return points


def _stl(data: bytes, path: str | os.PathLike[str]) -> Points:
    """Binary if the file size matches its triangle count, or else text that begins with "solid"."""
    count = int.from_bytes(data[80:HEAD], "little") if len(data) >= HEAD else 0
    needed = HEAD + TRIANGLE * count
    text = data[:80].lstrip().startswith(b"solid") and b"facet" in data[: 4 * 1024]
    if len(data) == needed or (not text and len(data) >= max(needed, HEAD)):
        corners = np.frombuffer(data, np.uint8, TRIANGLE * count, HEAD).reshape(count, TRIANGLE)[:, 12:48]
        return np.ascontiguousarray(corners).view("<f4").reshape(-1, 3).astype(np.float64)
    if not text:
        raise BadFile(path, f"{count} triangles need {needed:,} bytes, the file has {len(data):,}", offset=len(data))
    return _after(data, path, b"vertex")


def _obj(data: bytes, path: str | os.PathLike[str]) -> Points:
    """The points that faces use, or all points if there is no face. A backslash at the end of a line continues it."""
    data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    points = _after(data, path, b"v")
    used = np.zeros(len(points), dtype=bool)
    before = 0
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        if words[:1] == [b"v"]:
            before += 1
        elif words[:1] == [b"f"]:
            used[[_index(word, before, len(points), path, number) for word in words[1:]]] = True
    return points[used] if used.any() else points


def _index(word: bytes, before: int, count: int, path: str | os.PathLike[str], line: int) -> int:
    """The index of the point in a word of a face: from 1, or negative and counted back from the last point (−1)."""
    try:
        number = int(word.split(b"/")[0])
    except ValueError:
        number = 0
    at = number - 1 if number > 0 else before + number
    if number == 0 or not 0 <= at < count:
        raise BadFile(path, f"a face refers to point {word[:40].decode('latin-1')!r}; there are {count}", line)
    return at


def _after(data: bytes, path: str | os.PathLike[str], key: bytes) -> Points:
    """(n, 3) the three numbers after a word at the start of a line."""
    rows = []
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        if words and words[0].lower() == key:
            try:
                x, y, z = (float(word) for word in words[1:4])
            except ValueError:
                said = line.strip()[:60].decode("latin-1")
                raise BadFile(path, f"{words[0].decode()} needs three numbers, got {said!r}", number) from None
            rows.append((x, y, z))
    return np.array(rows, dtype=np.float64).reshape(-1, 3)
