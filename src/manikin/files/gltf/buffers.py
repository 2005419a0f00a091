"""The buffers of a glTF file: in its binary chunk, in data URIs, or in separate files.

A file may refer only to files in its own folder or below, or in the folder `within`. Lengths are checked before memory
is allocated.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from manikin.base.reading import open_file
from manikin.errors import BadFile
from manikin.files.common.within import Within
from manikin.files.gltf.document import Document, short

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, eq=False)
class Buffer:
    """One buffer."""

    length: int
    """Number of bytes that the file states."""
    data: bytes | None
    """At least `length` bytes. None if the file does not contain them (the placeholder of a compressed buffer)."""
    uri: str | None
    """Its URI, or None for the binary chunk."""


def read_buffers(document: Document) -> list[Buffer]:
    """Reads and checks all buffers.

    Raises:
        BadFile: a buffer is shorter than stated, or its URI is wrong or leads out of the folder of the file.
    """
    buffers: list[Buffer] = []
    for i, thing in enumerate(document.objects("buffers")):
        label = f"buffer {i}"
        length = document.whole(thing, "byteLength", label, least=1)
        uri = document.text(thing, "uri", label) if thing.get("uri") is not None else None
        data = document.binary if uri is None and i == 0 and not _stands_in(thing) else None
        if uri is not None and is_data(uri):
            data = from_data_uri(document, uri, label)
        elif uri is not None:
            data = _from_file(document, uri, length, label)
        elif i == 0 and document.binary is None and not _stands_in(thing):
            document.fail(f"{label} has no URI, and the file has no binary chunk")
        if data is not None and len(data) < length:
            document.fail(f"{label} states {length} bytes, but it has {len(data)}")
        buffers.append(Buffer(length, data, uri))
    return buffers


def beside(document: Document, uri: str) -> Path:
    """The file of a URI. It must be in the folder of the document or below, or in `within`.

    Raises:
        BadFile: it is elsewhere, or is not an ordinary file.
    """
    path, name = document.path, unquote(uri)
    within = document.within or Within(path)
    if not name or "\0" in name or "\\" in name or name.startswith("/") or SCHEME.match(name):
        raise BadFile(path, f"{short(uri)!r} is not a relative path; only files in the folder of this file are read")
    target = Path(os.path.realpath(Path(path).parent / name))
    if not within.holds(str(target)):
        raise BadFile(path, f"{short(uri)!r} is outside the folder of this file; {within.hint}")
    try:
        mode = os.stat(target).st_mode
    except (OSError, ValueError) as error:
        raise BadFile(path, f"the file {short(uri)!r}, to which this file refers, does not exist") from error
    if not stat.S_ISREG(mode):
        raise BadFile(path, f"{short(uri)!r}, to which this file refers, is not an ordinary file")
    return target


def is_data(uri: str) -> bool:
    """Whether a URI contains the data itself."""
    return uri[:5].lower() == "data:"


def _from_file(document: Document, uri: str, length: int, label: str) -> bytes:
    target = beside(document, uri)
    size = target.stat().st_size
    if size < length:
        document.fail(f"{label} states {length} bytes, but {short(uri)!r} has {size}")
    with open_file(target) as file:
        return file.read(length)


def from_data_uri(document: Document, uri: str, label: str) -> bytes:
    """The content of a data URI."""
    head, comma, content = uri.partition(",")
    if not comma:
        document.fail(f"{label}: the data URI has no comma and therefore no content")
    if not head.endswith(";base64"):
        return unquote_to_bytes(content)
    try:
        raw = content.encode("ascii")
        return base64.b64decode(raw + b"=" * (-len(raw) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise BadFile(document.path, f"{label}: the data URI is not base64: {error}") from error


def _stands_in(thing: dict[str, object]) -> bool:
    """Whether a buffer is the fallback of a compressed one. It has the uncompressed numbers, or no bytes."""
    extensions = thing.get("extensions")
    return isinstance(extensions, dict) and any(name.endswith("_meshopt_compression") for name in extensions)
