"""Converts line ends and byte order marks of text files before they are parsed."""

from __future__ import annotations


def with_newlines(data: bytes) -> bytes:
    """The text as bytes without a byte order mark, with lines that end in "\\n" or "\\r\\n"."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    return data if b"\n" in data or b"\r" not in data else data.replace(b"\r", b"\n")
