"""A glTF document under construction: its JSON, and the one binary buffer that its accessors look into."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.errors import BadValue

FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5123, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


@dataclass
class Document:
    """Grows by `add`; `chunks` is the finished file."""

    root: dict[str, Any]
    """The JSON, but for accessors, bufferViews and buffers."""
    accessors: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    length: int = 0
    """Bytes in the buffer so far; a multiple of 4."""

    def add(self, values: NDArray[Any], target: int | None = None, bounds: bool = False) -> int:
        """Put an array (n,), (n, 3) or (n, 4) into the buffer, float32 or indices; returns the accessor."""
        if np.issubdtype(values.dtype, np.floating):
            kind, data = FLOAT, np.ascontiguousarray(values, dtype="<f4")
            if not np.isfinite(data).all():
                raise BadValue("a number is too large for glTF, which has 32 bits for each; scale the figure down")
        else:
            small = values.max(initial=0) < 65535  # the largest value of each type means "restart" and may not be used
            kind = UNSIGNED_SHORT if small else UNSIGNED_INT
            data = np.ascontiguousarray(values, dtype="<u2" if small else "<u4")
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.length, "byteLength": data.nbytes}
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
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
        return len(self.accessors) - 1

    def chunks(self) -> Iterator[bytes]:
        """A GLB file: header, JSON chunk, binary chunk."""
        document = dict(self.root)
        if self.length:
            document |= {
                "accessors": self.accessors,
                "bufferViews": self.views,
                "buffers": [{"byteLength": self.length}],
            }
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + (8 + self.length if self.length else 0)
        if total >= 1 << 32:
            raise BadValue(f"the GLB would have {total} bytes; the format ends at 4 GiB, so save the motion in parts")
        yield struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text
        if self.length:
            yield struct.pack("<I4s", self.length, b"BIN\0")
            yield from self.pieces

    def _append(self, data: bytes) -> None:
        padded = data + b"\0" * (-len(data) % 4)
        self.pieces.append(padded)
        self.length += len(padded)
