"""Checks the table of contents of a binary USD file ("crate") before the USD library reads it.

The library allocates memory for the counts that the file states, before it checks that the data is there: a file of
five kilobytes can request eight gigabytes. Only uncompressed data is checked: the positions of the sections and the
counts that they state.
"""

from __future__ import annotations

import struct

from manikin.errors import BadFile

HEAD = 88
"""Number of bytes before the first section."""
MOST_SECTIONS = 64
"""A crate with more sections is refused. The library knows six kinds."""
MOST_THINGS = 50_000_000
"""A section with more tokens, fields, paths or specs is refused. Real files have up to a few million."""
TIGHTEST = 1024
"""One byte of a compressed section can encode at most this many items: LZ4 packs 255 bytes into one, and an integer
takes 2 bits."""


def check(path: str, data: bytes, label: str = "") -> None:
    """Refuses a crate whose stated counts do not fit into its sections.

    Args:
        path: for messages.
        data: the whole file.
        label: the position of the crate in `path`, for messages.

    Raises:
        BadFile: the message names the byte.
    """
    if len(data) < HEAD:
        raise BadFile(path, f"{label}binary USD is cut off after {len(data)} bytes", offset=len(data))
    (contents,) = struct.unpack_from("<q", data, 16)
    if not HEAD <= contents <= len(data) - 8:
        raise BadFile(
            path,
            f"{label}the header puts the table of contents at byte {contents}, but the file has {len(data)} bytes",
            offset=16,
        )
    (count,) = struct.unpack_from("<Q", data, contents)
    if count > MOST_SECTIONS or contents + 8 + 32 * count > len(data):
        raise BadFile(
            path,
            f"{label}the table of contents states {count} sections, which do not fit into the file",
            offset=contents,
        )
    for k in range(count):
        at = contents + 8 + 32 * k
        name, start, size = struct.unpack_from("<16sqq", data, at)
        called = name.split(b"\0")[0].decode("latin-1")
        if start < 0 or size < 8 or start + size > len(data):
            raise BadFile(path, f"{label}section {called!r} has a position outside the file", offset=at)
        _check_section(path, data, label, called, start, size)


def _check_section(path: str, data: bytes, label: str, name: str, start: int, size: int) -> None:
    """Compares the count at the start of a section with the size of the section."""
    (count,) = struct.unpack_from("<Q", data, start)
    room = (size - 8) // 4 if name == "STRINGS" else TIGHTEST * size
    if name == "TOKENS" and data[9] >= 4 and size >= 24:  # compressed since version 0.4
        unpacked, packed = struct.unpack_from("<QQ", data, start + 8)
        room = min(room, unpacked)
        if packed > size - 24 or unpacked > 256 * packed + 64:
            what = (
                f"{label}section {name!r} states {packed} compressed bytes for {unpacked} bytes, which is not possible"
            )
            raise BadFile(path, what, offset=start + 8)
    if count > min(room, MOST_THINGS):
        raise BadFile(
            path,
            f"{label}section {name!r} has {size} bytes, too few for the {count} elements that it states",
            offset=start,
        )
