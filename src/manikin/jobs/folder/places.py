"""Folders of clips and of results: local folders here, other storage in `remote`.

A name is a path below the folder with "/" between its parts. No name leaves the folder, and links are not followed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from manikin.base.reading import open_file, read_bytes
from manikin.errors import BadFile, BadValue

OURS = ".batch"
"""Folder inside the folder of results. It holds the lock and unfinished files during a run."""
CHUNK = 1 << 20
"""Bytes that are read at a time."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Place(Protocol):
    """A folder of files."""

    shown: str
    """Its name in messages."""
    local: bool
    """Whether other processes of this machine see it as an ordinary folder."""

    def names(self) -> tuple[list[str], int]:
        """The names of all files, sorted, and the number of links, which are left out. Hidden files are left out."""

    def digest(self, name: str) -> str | None:
        """The SHA-256 of a file; None if there is no such file."""

    def fetched(self, name: str, folder: str) -> str:
        """The path of a local copy of a file, in `folder`; or of the file itself if it is local."""

    def workspace(self) -> contextlib.AbstractContextManager[str]:
        """A private local folder, from which `publish` takes files. It is removed at the end."""

    def publish(self, path: str, name: str) -> None:
        """Moves a file from a workspace to a name in this folder."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is no such file."""

    def write(self, name: str, data: bytes) -> None:
        """Replaces the content of a file."""

    def remove(self, name: str) -> None:
        """Removes a file."""

    def described(self) -> dict[str, Any]:
        """Plain data from which `opened` makes the same place in another process."""


def opened(text: str | os.PathLike[str], protocols: Sequence[str] = (), make: bool = False) -> Place:
    """The folder of a path or of a URL.

    Args:
        text: a path, or a URL such as memory://clips. The protocols `file` and `memory` are allowed.
        protocols: further protocols of fsspec that are allowed.
        make: make the folder if it does not exist.

    Raises:
        BadValue: the folder does not exist, or the protocol is not allowed.
    """
    if not isinstance(text, (str, os.PathLike)):
        raise BadValue(f"the folder is {text!r}; it needs a path or a URL")
    name = os.fspath(text)
    protocol, mark, rest = name.partition("://")
    if mark and protocol != "file":
        from manikin.jobs.folder.remote import RemotePlace

        return RemotePlace(name, protocols)
    return LocalPlace(rest if mark else name, make)


def digest_of(file: IO[bytes]) -> str:
    """The SHA-256 of the rest of an open file."""
    found = hashlib.sha256()
    while chunk := file.read(CHUNK):
        found.update(chunk)
    return found.hexdigest()


def checked_name(name: str) -> str:
    """The name, if it stays below its folder.

    Raises:
        BadValue: it does not.
    """
    parts = name.split("/")
    odd = any(part in ("", ".", "..") for part in parts) or "\0" in name
    if odd or (os.name == "nt" and ("\\" in name or ":" in name)):
        raise BadValue(f"the name {name!r} leaves its folder; a name needs parts such as walks/walk.bvh")
    return name


class LocalPlace:
    """A folder of this machine, or one that is mounted."""

    local = True

    def __init__(self, root: str, make: bool = False) -> None:
        if make and not os.path.exists(root):
            os.makedirs(root, exist_ok=True)
        if not os.path.isdir(root):
            raise BadValue(f"{root!r} is not a folder")
        self.shown, self.root = root, os.path.realpath(root)

    def described(self) -> dict[str, Any]:
        return {"text": self.root}

    def names(self) -> tuple[list[str], int]:
        found: list[str] = []
        links, folders = 0, [("", self.root)]
        while folders:
            before, path = folders.pop()
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_symlink():
                        links += 1
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append((f"{before}{entry.name}/", entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        found.append(before + entry.name)
        return sorted(found), links

    def path(self, name: str) -> str:
        """The path of a file that is there, if neither it nor a folder above it is a link.

        Raises:
            OSError: it is not there, or it is not an ordinary file, or a part of its name is a link.
        """
        path = self.root
        parts = checked_name(name).split("/")
        for k, part in enumerate(parts):
            path = os.path.join(path, part)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                raise OSError(errno.ELOOP, "this is a link, which is not followed", path)
            if k == len(parts) - 1 and not stat.S_ISREG(mode):
                raise OSError(errno.EINVAL, "this is not an ordinary file", path)
        return path

    def digest(self, name: str) -> str | None:
        try:
            with open_file(self.path(name), links=False) as file:
                return digest_of(file)
        except (BadFile, OSError):
            return None

    def fetched(self, name: str, folder: str) -> str:  # noqa: ARG002
        return self.path(name)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        ours = os.path.join(self.root, OURS)
        os.makedirs(ours, exist_ok=True)
        if os.path.islink(ours):
            raise OSError(errno.ELOOP, "this is a link, which is not followed", ours)
        folder = tempfile.mkdtemp(dir=ours)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def publish(self, path: str, name: str) -> None:
        """Moves a file to its name. Folders are opened one by one, so that a folder replaced by a link is an error."""
        *folders, last = checked_name(name).split("/")
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
        if os.open not in os.supports_dir_fd or os.rename not in os.supports_dir_fd:  # Windows
            target = Path(self.root, *folders)
            target.mkdir(parents=True, exist_ok=True)
            if os.path.realpath(target) != os.fspath(target):
                raise OSError(errno.ELOOP, "a part of this path is a link, which is not followed", os.fspath(target))
            os.replace(path, target / last)
            return
        with self._folder(folders) as handle:
            os.replace(path, last, dst_dir_fd=handle)
            os.fsync(handle)

    def remove(self, name: str) -> None:
        os.unlink(self.path(name))

    @contextlib.contextmanager
    def _folder(self, parts: Sequence[str]) -> Iterator[int]:
        """An open folder below the root. Missing folders are made."""
        flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
        handle = os.open(self.root, flags)
        try:
            for k, part in enumerate(parts):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
                try:
                    inner = os.open(part, flags | _NO_LINK, dir_fd=handle)
                except OSError as error:
                    path = os.path.join(self.root, *parts[: k + 1])
                    raise OSError(error.errno, "this is a link or not a folder", path) from error
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def read(self, name: str) -> bytes | None:
        try:
            return read_bytes(self.path(name))
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        with self.workspace() as folder:
            path = os.path.join(folder, "new")
            Path(path).write_bytes(data)
            self.publish(path, name)
