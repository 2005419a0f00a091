"""A look at the table of contents of a binary USD file ("crate") before the USD library believes it.

The library sets memory aside for as many things as the file says it has, before it sees that they are not there: a file
of five kilobytes can ask for eight gigabytes. What is checked is what stands uncompressed: where sections are, and how
many things they say they hold.
"""

from __future__ import annotations

import struct

from manikin.errors import BadFile

HEAD = 88
"""Bytes before the first section."""
MOST_SECTIONS = 64
"""The library knows six."""
MOST_THINGS = 50_000_000
"""Tokens, fields, paths or specs; real files have up to some millions."""
TIGHTEST = 1024
"""Things that one byte of a compressed section can stand for: LZ4 packs 255 bytes into one, integers take 2 bits."""


def check(path: str, data: bytes, label: str = "") -> None:
    """Refuse a crate that says it holds what it cannot hold.

    Args:
        path: for messages.
        data: the whole file.
        label: where in `path` it is, for messages.

    Raises:
        BadFile: with the byte.
    """
    if len(data) < HEAD:
        raise BadFile(path, f"{label}binary USD is cut off after {len(data)} bytes", offset=len(data))
    (contents,) = struct.unpack_from("<q", data, 16)
    if not HEAD <= contents <= len(data) - 8:
        raise BadFile(path, f"{label}the table of contents is said to be at byte {contents} of {len(data)}", offset=16)
    (count,) = struct.unpack_from("<Q", data, contents)
    if count > MOST_SECTIONS or contents + 8 + 32 * count > len(data):
        raise BadFile(path, f"{label}the table of contents is said to have {count} sections", offset=contents)
    for k in range(count):
        at = contents + 8 + 32 * k
        name, start, size = struct.unpack_from("<16sqq", data, at)
        called = name.split(b"\0")[0].decode("latin-1")
        if start < 0 or size < 8 or start + size > len(data):
            raise BadFile(path, f"{label}section {called!r} is said to be outside of the file", offset=at)
        _check_section(path, data, label, called, start, size)


def _check_section(path: str, data: bytes, label: str, name: str, start: int, size: int) -> None:
    """The number of things that a section begins with, against the bytes it has."""
    (count,) = struct.unpack_from("<Q", data, start)
    room = (size - 8) // 4 if name == "STRINGS" else TIGHTEST * size
    if name == "TOKENS" and data[9] >= 4 and size >= 24:  # since version 0.4 they are compressed
        unpacked, packed = struct.unpack_from("<QQ", data, start + 8)
        room = min(room, unpacked)
        if packed > size - 24 or unpacked > 256 * packed + 64:
            what = f"{label}section {name!r} is said to unpack {packed} bytes to {unpacked}"
            raise BadFile(path, what, offset=start + 8)
    if count > min(room, MOST_THINGS):
        raise BadFile(path, f"{label}section {name!r} of {size} bytes is said to hold {count}", offset=start)
