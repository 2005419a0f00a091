"""Views of a glTF file that meshoptimizer compressed (EXT_meshopt_compression, KHR_meshopt_compression).

The package `meshopt` decodes them. It is imported only if a compressed view is needed. All sizes are checked before
the decoder allocates memory. A view with a fallback buffer is not decoded: the buffer holds the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manikin.errors import BadFile, Unsupported
from manikin.files.gltf.buffers import Buffer
from manikin.files.gltf.document import Document, short

SUFFIX = "_meshopt_compression"
"""The names of both extensions end with this text. They have the same fields."""
MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")
STRIDES = {"OCTAHEDRAL": (4, 8), "QUATERNION": (8,), "COLOR": (4, 8)}
"""Bytes of an element to which a filter applies."""
MOST_STRIDE = 256
"""The vertex codec stores elements of at most this many bytes."""
MOST_RATIO = 1024
"""One compressed byte gives at most this many bytes: the vertex codec can store 256 equal elements of 4 bytes in it."""


@dataclass(frozen=True)
class Compressed:
    """The compressed form of a view."""

    buffer: int
    start: int
    length: int
    """Compressed bytes."""
    count: int
    """Elements."""
    stride: int
    """Bytes of an element."""
    mode: str
    filter: str


def extension(thing: dict[str, Any]) -> dict[str, Any] | None:
    """The extension of a view or a buffer, or None."""
    extensions = thing.get("extensions")
    if not isinstance(extensions, dict):
        return None
    return next((v for k, v in extensions.items() if k.endswith(SUFFIX) and isinstance(v, dict)), None)


def checked(document: Document, buffers: list[Buffer], thing: dict[str, Any], length: int, label: str) -> Compressed:
    """The fields of a compressed view. `length` is the number of bytes of the view after decoding.

    Raises:
        BadFile: a field is wrong, or the decoded view would not have `length` bytes.
    """
    buffer = document.whole(thing, "buffer", label, below=len(buffers))
    start = document.whole(thing, "byteOffset", label, default=0)
    size = document.whole(thing, "byteLength", label, least=1)
    count = document.whole(thing, "count", label, least=1)
    mode, kind = document.text(thing, "mode", label), document.text(thing, "filter", label) or "NONE"
    if mode not in MODES:
        document.fail(f"{label}: mode is {short(mode)!r}; it needs one of {', '.join(MODES)}")
    if kind not in FILTERS:
        document.fail(f"{label}: filter is {short(kind)!r}; it needs one of {', '.join(FILTERS)}")
    stride = document.whole(thing, "byteStride", label, least=1, below=MOST_STRIDE + 1)
    strides = STRIDES.get(kind, range(4, MOST_STRIDE + 1, 4)) if mode == "ATTRIBUTES" else (2, 4)
    if stride not in strides:
        wanted = "a multiple of 4" if len(strides) > 2 else " or ".join(map(str, strides))
        document.fail(f"{label}: byteStride is {stride}; with mode {mode} and filter {kind} it needs {wanted}")
    if mode == "TRIANGLES" and count % 3:
        document.fail(f"{label}: count is {count}; with mode TRIANGLES it needs a multiple of 3")
    if start + size > buffers[buffer].length:
        there = f"at bytes {start} to {start + size}, but buffer {buffer} has {buffers[buffer].length}"
        document.fail(f"{label} is {there}")
    if count * stride != length:
        document.fail(
            f"{label}: {count} elements of {stride} bytes need {count * stride} bytes, but the view has {length}"
        )
    if length > MOST_RATIO * size:
        document.fail(f"{label}: {size} compressed bytes cannot hold {length} bytes")
    return Compressed(buffer, start, size, count, stride, mode, kind)


def decode(document: Document, buffers: list[Buffer], compressed: Compressed, label: str) -> bytes:
    """The bytes of a view.

    Raises:
        BadFile: the compressed bytes are damaged or not in the file.
        Unsupported: the package `meshopt` is not installed.
    """
    try:
        import meshopt
    except ImportError as error:
        raise Unsupported(
            f"{document.path}: {label} is compressed, and the package 'meshopt' is not installed; run pip "
            "install 'manikin[files]' (Python 3.11 or newer), "
            "or decompress the file (gltf-transform copy in.glb out.glb)"
        ) from error
    data = buffers[compressed.buffer].data
    if data is None:
        document.fail(f"{label}: buffer {compressed.buffer} has no bytes")
    part = data[compressed.start : compressed.start + compressed.length]
    try:
        rows = meshopt.decode_gltf_buffer(part, compressed.count, compressed.stride, compressed.mode, compressed.filter)
    except ValueError as error:
        raise BadFile(document.path, f"{label}: the compressed bytes are damaged ({error})") from error
    return bytes(rows.tobytes())
