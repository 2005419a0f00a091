"""The one place that opens files for reading. A pipe, a socket or a device may never end, so it is refused.

`tests/files/test_never_ending.py` checks that no other module of the package opens a file to read it.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from manikin.errors import BadFile, BadValue

KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: str | os.PathLike[str], links: bool = True) -> BinaryIO:
    """Opens an ordinary file for reading. Without `links`, a link is an error and not followed.

    Raises:
        BadFile: it is a pipe, a socket or a device.
        BadValue: the path contains a zero byte.
        OSError: it does not exist, is a folder, or cannot be opened.
    """
    if "\0" in os.fsdecode(path):
        raise BadValue(f"path is {os.fsdecode(path)!r}; a path cannot contain a zero byte")
    _check(path, os.stat(path).st_mode)  # opening some devices does something, so it is checked before as well
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags if links else flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        _check(path, os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_bytes(path: str | os.PathLike[str], most: int | None = None, content: str = "this file") -> bytes:
    """The content of an ordinary file.

    Args:
        path: the file.
        most: the largest number of bytes that is read.
        content: what the file should hold, for the message about its size.

    Raises:
        BadFile: it is not an ordinary file, or has more bytes.
        OSError: as in `open_file`.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise BadFile(path, f"the file has {size:,} bytes; the limit for {content} is {most:,}")
        return file.read() if most is None else file.read(most)


def _check(path: str | os.PathLike[str], mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in KINDS if test(mode)), "neither a file nor a folder")
        raise BadFile(path, f"this is {kind}; it needs an ordinary file")
