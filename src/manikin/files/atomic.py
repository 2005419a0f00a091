"""Writes a file whole or not at all: into a temporary file in the same folder, then put in place in one move.

A crash, a full disk or an error half-way leaves the old file as it was; a reader never sees half of the new one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def write(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Replace the content of a file; text is written as UTF-8.

    Raises:
        OSError: where the folder does not exist or cannot be written; the old file is then untouched.
    """
    with writing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write into; it takes the place of `path` when the block ends without an exception.

    A symbolic link keeps pointing where it did; the mode of an existing file stays. Pipes and devices, which cannot be
    replaced, are written into.
    """
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            yield file
        return
    name = target.parent / f".{target.name[:100]}.{secrets.token_hex(8)}.part"
    try:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:  # said of the file that the caller named
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(name, stat.S_IMODE(mode))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(target.parent)


def _mode(path: Path) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Make the move itself lasting; where a system has no such thing (Windows), nothing is lost but that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
