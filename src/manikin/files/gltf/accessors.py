"""Accessors of a glTF file as arrays: strides, offsets, normalised integers, sparse values.

All buffers, views and accessors are checked when a file is read, including those of meshes. So an error is reported
before anything is computed. Arrays are made only of the accessors that are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.files.gltf import meshopt
from manikin.files.gltf.buffers import Buffer, read_buffers
from manikin.files.gltf.document import MOST, Document, short

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
MOST_EMPTY = 1 << 20
"""Largest number of elements of an accessor without bytes in the file. It contains zeros and sparse values."""
MOST_NUMBERS = 50_000_000
"""Largest total of numbers that are made into arrays, unless the file has more bytes. Accessors may overlap, so without
a limit a small file could request any amount."""


@dataclass(frozen=True, eq=False)
class View:
    """A part of a buffer."""

    buffer: int
    start: int
    length: int
    stride: int
    """Bytes from one element to the next. 0 if the elements are adjacent."""
    compressed: dict[str, Any] | None
    """The extension that says how to decode the view. None if the buffer holds the numbers."""


class Accessors:
    """The accessors of a document."""

    def __init__(self, document: Document) -> None:
        """Raises BadFile if a buffer, a view or an accessor is wrong."""
        self.document = document
        self.buffers = read_buffers(document)
        """All buffers."""
        self._views = _read_views(document, self.buffers)
        self._things = document.objects("accessors")
        self._read: dict[int, NDArray[np.float64]] = {}
        self._decoded: dict[int, bytes] = {}
        self._numbers, self._most = 0, max(MOST_NUMBERS, sum(b.length for b in self.buffers if b.data is not None))
        for i, thing in enumerate(self._things):
            self._check(i, thing)

    def __len__(self) -> int:
        return len(self._things)

    def values(self, index: int, label: str, kinds: tuple[str, ...]) -> NDArray[np.float64]:
        """(count, width), read-only. Normalised integers become numbers from −1 or 0 to 1.

        Raises:
            BadFile: it has another type, or contains NaN or a number that is too large.
            Unsupported: it is compressed, and the package that decodes it is not installed.
        """
        thing = self._things[index]
        if thing["type"] not in kinds:
            self.document.fail(f"{label}: accessor {index} is {thing['type']}; it needs {' or '.join(kinds)}")
        if thing["type"] != "SCALAR":
            return self._make(index, thing)
        if index not in self._read:  # times are shared by channels
            self._read[index] = self._make(index, thing)
        return self._read[index]

    def view_bytes(self, view: int) -> bytes:
        """The bytes of a view, such as those of a picture.

        Raises:
            BadFile: the file does not contain them.
        """
        part = self._views[view]
        data = self.buffers[part.buffer].data
        if data is None or part.compressed is not None:
            self.document.fail(f"view {view} is compressed, so its bytes cannot be used directly")
        return data[part.start : part.start + part.length]

    def _make(self, index: int, thing: dict[str, Any]) -> NDArray[np.float64]:
        label, width, count = f"accessor {index}", WIDTHS[thing["type"]], int(thing["count"])
        component = np.dtype(COMPONENTS[int(thing["componentType"])])
        offset = int(thing.get("byteOffset") or 0)
        self._numbers += width * count
        if self._numbers > self._most and thing.get("bufferView") is not None:
            self.document.fail(
                f"animations and skins have more than {self._most} numbers, which is more than a file of this "
                "size can hold"
            )
        if thing.get("bufferView") is None:
            if count > MOST_EMPTY:
                self.document.fail(f"{label} has {count} elements without bytes in the file; the limit is {MOST_EMPTY}")
            raw = np.zeros((count, width), component)
        else:
            raw = self._elements(int(thing["bufferView"]), offset, component, count, width, label)
        sparse = thing.get("sparse")
        if sparse is not None:
            raw = self._with_sparse(raw, sparse, component, label)
        values = raw.astype(np.float64)
        if thing.get("normalized") and component.kind != "f":
            values = np.maximum(values / np.iinfo(component).max, -1.0)
        if not (np.abs(values) <= MOST).all():
            at = tuple(int(k) for k in np.argwhere(~(np.abs(values) <= MOST))[0])
            self.document.fail(
                f"{label}: element {at[0]} has the number {values[at]}; numbers must lie within ±{MOST:g}"
            )
        values.flags.writeable = False
        return values

    def _elements(
        self, view: int, offset: int, component: np.dtype[Any], count: int, width: int, label: str
    ) -> NDArray[Any]:
        """(count, width) elements of a view, in the type of the file."""
        part = self._views[view]
        data, start = self.buffers[part.buffer].data, part.start + offset
        stride = part.stride or component.itemsize * width
        if part.compressed is not None:
            data, start = self._decode(view, part.compressed, part.length), offset
            self._check_room({"byteOffset": offset}, view, count, component.itemsize * width, label, decoded=True)
        if data is None:
            self.document.fail(f"{label}: buffer {part.buffer} has no bytes")
        shape, strides = (count, width), (stride, component.itemsize)
        elements: NDArray[Any] = np.ndarray(shape, component, data, start, strides)
        return elements

    def _decode(self, view: int, extension: dict[str, Any], length: int) -> bytes:
        """The bytes of a compressed view."""
        if view not in self._decoded:
            label = f"view {view}, compressed with meshopt"
            compressed = meshopt.checked(self.document, self.buffers, extension, length, label)
            if sum(map(len, self._decoded.values())) + length > 8 * self._most:
                self.document.fail(f"{label}: the decoded views have more than {8 * self._most} bytes")
            self._decoded[view] = meshopt.decode(self.document, self.buffers, compressed, label)
        return self._decoded[view]

    def _with_sparse(
        self, raw: NDArray[Any], sparse: dict[str, Any], component: np.dtype[Any], label: str
    ) -> NDArray[Any]:
        count, width = int(sparse["count"]), raw.shape[1]
        places, values = sparse["indices"], sparse["values"]
        kind = np.dtype(COMPONENTS[int(places["componentType"])])
        at = self._elements(int(places["bufferView"]), int(places.get("byteOffset") or 0), kind, count, 1, label)
        at = at[:, 0].astype(np.int64)
        if (at >= len(raw)).any() or (np.diff(at) <= 0).any():
            self.document.fail(f"{label}: sparse indices must increase and stay below {len(raw)}")
        out = np.array(raw)
        start = int(values.get("byteOffset") or 0)
        out[at] = self._elements(int(values["bufferView"]), start, component, count, width, label)
        return out

    # Checks

    def _check(self, index: int, thing: dict[str, Any]) -> None:
        document, label = self.document, f"accessor {index}"
        kind, component = self._kind(thing, label, COMPONENTS)
        width = WIDTHS[kind]
        count = document.whole(thing, "count", label, least=1)
        view = document.index(thing, "bufferView", label, len(self._views))
        # Columns of small matrices are aligned to 4 bytes. Only meshes use such accessors, and they are not read here.
        size = width * component.itemsize
        if view is not None:
            self._check_room(thing, view, count, size, label)
        sparse = document.object(thing, "sparse", label)
        if sparse:
            few = document.whole(sparse, "count", f"{label}: sparse", least=1, below=count + 1)
            for key in ("indices", "values"):
                part, name = document.object(sparse, key, f"{label}: sparse"), f"{label}: sparse {key}"
                number = document.whole(part, "bufferView", name, below=len(self._views))
                if key == "indices":
                    whole = {k: v for k, v in COMPONENTS.items() if "u" in v}
                    size_of_one = self._kind({"type": "SCALAR", **part}, name, whole)[1].itemsize
                    self._check_room(part, number, few, size_of_one, name)
                else:
                    self._check_room(part, number, few, size, name)

    def _kind(self, thing: dict[str, Any], label: str, known: dict[int, str]) -> tuple[str, np.dtype[Any]]:
        kind, component = thing.get("type"), thing.get("componentType")
        if not isinstance(kind, str) or kind not in WIDTHS:
            self.document.fail(f"{label}: type is {short(kind)}; it needs one of {', '.join(WIDTHS)}")
        if isinstance(component, bool) or not isinstance(component, (int, float)) or component not in known:
            wanted = ", ".join(map(str, known))
            self.document.fail(f"{label}: componentType is {short(component)}; it needs one of {wanted}")
        return kind, np.dtype(known[int(component)])

    def _check_room(
        self, thing: dict[str, Any], view: int, count: int, size: int, label: str, decoded: bool = False
    ) -> None:
        """Checks that `count` elements of `size` bytes lie within a view. Compressed views are checked when decoded."""
        part = self._views[view]
        offset = self.document.whole(thing, "byteOffset", label, default=0)
        stride = part.stride or size
        if stride < size:
            self.document.fail(f"{label}: its elements have {size} bytes, but the stride of view {view} is {stride}")
        needed = offset + stride * (count - 1) + size
        if needed > part.length and (decoded or part.compressed is None):
            self.document.fail(f"{label}: {count} elements need {needed} bytes, but view {view} has {part.length}")


def _read_views(document: Document, buffers: list[Buffer]) -> list[View]:
    views: list[View] = []
    for i, thing in enumerate(document.objects("bufferViews")):
        label = f"view {i}"
        buffer = document.whole(thing, "buffer", label, below=len(buffers))
        start = document.whole(thing, "byteOffset", label, default=0)
        length = document.whole(thing, "byteLength", label, least=1)
        stride = document.whole(thing, "byteStride", label, least=1, below=253, default=0)
        if start + length > buffers[buffer].length:
            there = f"at bytes {start} to {start + length}, but buffer {buffer} has {buffers[buffer].length}"
            document.fail(f"{label} is {there}")
        document.object(thing, "extensions", label)
        # The buffer of a compressed view is the fallback. If it has bytes, they are the numbers without compression.
        compressed = meshopt.extension(thing) if buffers[buffer].data is None else None
        views.append(View(buffer, start, length, stride, compressed))
    return views
