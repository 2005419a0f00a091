"""Collects arrays for a new glTF file, and writes its JSON and bytes."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.errors import BadValue

FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5123, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


@dataclass
class Arrays:
    """Accessors, their views, and their bytes; `add` appends to them. They may continue those of an existing file."""

    first_accessor: int = 0
    """Number of accessors before these."""
    first_view: int = 0
    """Number of views before these."""
    buffer: int = 0
    """Index of the buffer for the bytes."""
    start: int = 0
    """Byte in this buffer at which they begin; a multiple of 4."""
    accessors: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    length: int = 0
    """Number of bytes so far; a multiple of 4."""

    def add(self, values: NDArray[Any], target: int | None = None, bounds: bool = False) -> int:
        """Adds an array (n,) or (n, k), with k = 2, 3, 4 or 16, of float32 or indices. Returns its accessor."""
        if np.issubdtype(values.dtype, np.floating):
            with np.errstate(over="ignore"):  # reported below
                kind, data = FLOAT, np.ascontiguousarray(values, dtype="<f4")
            if not np.isfinite(data).all():
                raise BadValue("a number is too large for the 32 bits of glTF; scale the figure down")
        else:
            small = values.max(initial=0) < 65535  # the largest value of each type means "restart" and must not be used
            kind = UNSIGNED_SHORT if small else UNSIGNED_INT
            data = np.ascontiguousarray(values, dtype="<u2" if small else "<u4")
        view: dict[str, Any] = {
            "buffer": self.buffer,
            "byteOffset": self.start + self.length,
            "byteLength": data.nbytes,
        }
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": self.first_view + len(self.views),
            "componentType": kind,
            "count": len(data),
            "type": TYPES[1 if data.ndim == 1 else data.shape[1]],
        }
        if bounds:
            accessor["min"] = np.atleast_1d(data.min(axis=0)).astype(float).tolist()
            accessor["max"] = np.atleast_1d(data.max(axis=0)).astype(float).tolist()
        self._append(data.tobytes())
        self.views.append(view)
        self.accessors.append(accessor)
        return self.first_accessor + len(self.accessors) - 1

    def add_bytes(self, data: bytes) -> int:
        """Adds bytes, such as those of a picture, to the buffer, and returns their view."""
        self.views.append({"buffer": self.buffer, "byteOffset": self.start + self.length, "byteLength": len(data)})
        self._append(data)
        return self.first_view + len(self.views) - 1

    def _append(self, data: bytes) -> None:
        padded = data + b"\0" * (-len(data) % 4)
        self.pieces.append(padded)
        self.length += len(padded)


@dataclass
class Document:
    """A new file."""

    root: dict[str, Any]
    """The JSON without accessors, bufferViews and buffers."""
    arrays: Arrays = field(default_factory=Arrays)

    def chunks(self) -> Iterator[bytes]:
        """The file as a GLB."""
        return glb(self._whole({}), self.arrays.pieces)

    def text(self) -> bytes:
        """The file as a .gltf, with its bytes in a data URI."""
        return encoded(self._whole({"uri": data_uri(self.arrays.pieces)}), indent=2)

    def _whole(self, place: dict[str, Any]) -> dict[str, Any]:
        if not self.arrays.length:
            return self.root
        buffer = {"byteLength": self.arrays.length, **place}
        return self.root | {
            "accessors": self.arrays.accessors,
            "bufferViews": self.arrays.views,
            "buffers": [buffer],
        }


def glb(root: dict[str, Any], binary: Iterable[bytes], more: Iterable[tuple[bytes, bytes]] = ()) -> Iterator[bytes]:
    """A GLB: header, JSON chunk, binary chunk (omitted if there are no bytes), further chunks given as (type,
    content)."""
    text = encoded(root)
    text += b" " * (-len(text) % 4)
    pieces = list(binary)
    length = sum(map(len, pieces))
    pieces.append(b"\0" * (-length % 4))
    length += -length % 4
    others = [struct.pack("<I4s", len(content), kind) + content for kind, content in more]
    total = 12 + 8 + len(text) + (8 + length if length else 0) + sum(map(len, others))
    if total >= 1 << 32:
        raise BadValue(f"the GLB would have {total} bytes; the limit is 4 GiB, so save the motion in parts")
    yield struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text
    if length:
        yield struct.pack("<I4s", length, b"BIN\0")
        yield from pieces
    yield from others


def encoded(root: dict[str, Any], indent: int | None = None) -> bytes:
    """JSON as UTF-8."""
    separators = (",", ":") if indent is None else (",", ": ")
    try:
        text = json.dumps(root, separators=separators, indent=indent, ensure_ascii=False, allow_nan=False)
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can represent only as an escape
        return json.dumps(root, separators=separators, indent=indent, allow_nan=False).encode()


def data_uri(pieces: Iterable[bytes], kind: str = "application/octet-stream") -> str:
    """Bytes as a data URI."""
    return f"data:{kind};base64,{base64.b64encode(b''.join(pieces)).decode()}"
