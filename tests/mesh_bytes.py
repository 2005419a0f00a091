"""Small mesh files, made by hand."""

from __future__ import annotations

import struct

import numpy as np

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
FACES = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]


def stl(corners=CORNERS, faces=FACES) -> bytes:
    out = b"solid of bytes".ljust(80, b" ") + struct.pack("<I", len(faces))
    for face in faces:
        out += struct.pack("<12fH", 0, 0, 0, *np.asarray(corners)[list(face)].ravel(), 0)
    return out


def stl_text(corners=CORNERS, faces=FACES) -> bytes:
    lines = ["solid thing"]
    for face in faces:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += [f"  vertex {x} {y} {z}" for x, y, z in np.asarray(corners)[list(face)]]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid thing"]).encode()
