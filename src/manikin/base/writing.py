"""The one writer of files. A file is written completely or not at all: into a temporary file beside it, which then
replaces it.

After a crash, an error or on a full disk the old file is unchanged. A reader never sees an incomplete file. A process
that is killed leaves its temporary file; the next one that saves into that folder removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_NAME = re.compile(r"\.manikin-([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{16}\.part(\.[A-Za-z0-9]{1,8})?")
"""A temporary file: the machine, the process, and random digits. It is short and ASCII, however long the name of the
file is that it becomes."""
_STRANGE = 86_400.0
"""Seconds. Whether a process of another machine still runs is not known, so its file is removed when it is this old."""
_SPARE = 100.0
"""A folder is not looked through again before this many times the time that the last look took."""
_writing: set[str] = set()
"""Names of the temporary files that this process writes now."""
_looked: dict[str, float] = {}
"""The time before which a folder is not looked through again."""
_BINARY = getattr(os, "O_BINARY", 0)


def write(path: str | os.PathLike[str], data: bytes | str, mode: int = 0o666) -> None:
    """Replaces the content of a file. Text is written as UTF-8.

    Args:
        path: the file.
        data: its whole content.
        mode: the mode of a new file, of which the umask is taken away. An existing file keeps its mode.

    Raises:
        OSError: the folder does not exist, or it or the old file cannot be written. The old file is unchanged.
    """
    with writing(path, mode) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[BinaryIO]:
    """A binary file to write to. It replaces `path` when the block ends without an exception.

    A symbolic link keeps its target, and an existing file keeps its mode. A file that may not be written is not
    replaced. Pipes and devices are not replaced but written directly.
    """
    target = _target(path)
    if not _is_plain(target):
        with open(target, "wb") as file:
            yield file
        return
    with _named_by(path), temporary(target.parent, mode=_mode(target, mode)) as part:
        with open(part, "r+b") as file:
            yield file
        put(part, target)


@contextlib.contextmanager
def writing_path(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[Path]:
    """As `writing`, for a library that wants a path: the path of an empty file with the same ending."""
    target = _target(path)
    if not _is_plain(target):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="manikin-") as folder:
            made = Path(folder, f"made{target.suffix}")
            yield made
            with open(target, "wb") as file:
                file.write(made.read_bytes())
        return
    with _named_by(path), temporary(target.parent, target.suffix, _mode(target, mode)) as part:
        yield part
        put(part, target)


@contextlib.contextmanager
def temporary(folder: str | os.PathLike[str], ending: str = "", mode: int = 0o600) -> Iterator[Path]:
    """A new empty file in a folder. It is removed at the end, unless `put` has moved it.

    Files that killed processes left in this folder are removed first.
    """
    _tidy(folder)
    ending = ending if re.fullmatch(r"\.[A-Za-z0-9]{1,8}", ending) else ""
    part = Path(folder, f".manikin-{_machine():08x}-{os.getpid()}-{os.urandom(8).hex()}.part{ending}")
    _writing.add(part.name)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode | 0o600))
        yield part
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)
        _writing.discard(part.name)


def put(part: Path, target: Path) -> None:
    """Moves a temporary file to its name in the same folder, after its content is on the disk.

    An existing file is replaced and keeps its mode.
    """
    with open(part, "r+b") as file:
        os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        os.chmod(part, stat.S_IMODE(os.stat(target).st_mode))
    os.replace(part, target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def _named_by(path: str | os.PathLike[str]) -> Iterator[None]:
    """An error about our temporary file names the file that the caller gave."""
    try:
        yield
    except OSError as error:
        if error.filename is None or _NAME.fullmatch(Path(os.fsdecode(error.filename)).name) is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _target(path: str | os.PathLike[str]) -> Path:
    """The file behind a path. To replace a file, the folder must be writable; whoever protects the file means it."""
    target = Path(os.path.realpath(path))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return target


def _is_plain(target: Path) -> bool:
    """Whether a path is an ordinary file, or nothing yet."""
    try:
        return stat.S_ISREG(os.stat(target).st_mode)
    except FileNotFoundError:
        return True


def _mode(target: Path, new: int) -> int:
    """The mode to write with: that of the old file, so that a private file is private all the time."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode) & 0o777
    except FileNotFoundError:
        return new


def _tidy(folder: str | os.PathLike[str]) -> None:
    """Removes temporary files of processes that are gone. A file of a process that may still run is left alone."""
    key, begun = os.path.realpath(folder), time.monotonic()
    if begun < _looked.get(key, 0.0):
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            with contextlib.suppress(OSError):
                if found and entry.is_file(follow_symlinks=False) and _is_left(entry, int(found[1], 16), int(found[2])):
                    os.unlink(entry.path)
    now = time.monotonic()
    if len(_looked) > 1000:
        _looked.clear()
    _looked[key] = now + _SPARE * (now - begun)


def _is_left(entry: os.DirEntry[str], machine: int, process: int) -> bool:
    """Whether nobody writes to a temporary file any more."""
    if machine != _machine() or os.name != "posix":
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _STRANGE
    if process == os.getpid():  # an earlier process may have had the same number
        return entry.name not in _writing
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _machine() -> int:
    """A number of this machine, and of the container on it, since each counts its processes by itself."""
    inside = 0
    with contextlib.suppress(OSError):
        inside = os.stat("/proc/self/ns/pid").st_ino
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return zlib.crc32(f"{name} {inside}".encode("utf-8", "replace"))


def _sync_folder(folder: Path) -> None:
    """Writes the folder to disk, so that the replacement survives a crash. Windows does not support it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
