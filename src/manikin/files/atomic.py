"""Writes a file completely or not at all: into a temporary file in the same folder, which then replaces the file.

After a crash, an error or on a full disk the old file is unchanged. A reader never sees an incomplete file.
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
    """Replaces the content of a file. Text is written as UTF-8.

    Raises:
        OSError: the folder does not exist or cannot be written. The old file is unchanged.
    """
    with writing(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to. It replaces `path` when the block ends without an exception.

    A symbolic link keeps its target, and an existing file keeps its mode. Pipes and devices are not
    replaced but written directly.
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
    except OSError as error:  # the error names the file that the caller gave
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
    """Writes the folder to disk, so that the replacement survives a crash. Windows does not support it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
