"""Folders in storage of fsspec: in memory, in an object store or on another host. Most protocols need permission.

The storage may have no rename, so a file is written directly under its final name. A result counts once the manifest
names its hash. A file that was cut off has another hash and is made again.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from manikin.errors import BadValue, Unsupported
from manikin.jobs.folder.places import checked_name, digest_of

ALLOWED = ("file", "memory")
"""Protocols that need no permission. Others may open connections to other machines."""


class RemotePlace:
    """A folder in a file system of fsspec."""

    local = False

    def __init__(self, url: str, protocols: Sequence[str] = ()) -> None:
        self.shown, self.protocols = url, tuple(protocols)
        protocol = url.partition("://")[0]
        allowed = (*ALLOWED, *self.protocols)
        if protocol not in allowed:
            raise BadValue(
                f"{url}: the protocol {protocol!r} is not allowed; allowed are {', '.join(allowed)}. "
                f"protocols= (--protocol) allows others"
            )
        try:
            import fsspec
        except ModuleNotFoundError as error:
            raise Unsupported(
                f"{url} needs the package 'fsspec', which is not installed; run pip install 'manikin[cluster]'"
            ) from error
        try:
            self.files, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise Unsupported(f"{url}: fsspec cannot open it: {error}") from error
        self.root = root.rstrip("/")

    def described(self) -> dict[str, Any]:
        return {"text": self.shown, "protocols": list(self.protocols)}

    def _at(self, name: str) -> str:
        return f"{self.root}/{checked_name(name)}"

    def names(self) -> tuple[list[str], int]:
        found, links = [], 0
        for path, info in self.files.find(self.root, detail=True).items():
            name = path[len(self.root) :].lstrip("/")
            if any(part.startswith(".") for part in name.split("/")):
                continue
            if info.get("islink") or info.get("type") == "link":
                links += 1
            elif info.get("type") == "file":
                found.append(checked_name(name))
        return sorted(found), links

    def digest(self, name: str) -> str | None:
        try:
            with self.files.open(self._at(name), "rb") as file:
                return digest_of(file)
        except FileNotFoundError:
            return None

    def fetched(self, name: str, folder: str) -> str:
        path = os.path.join(folder, checked_name(name).rpartition("/")[2])
        self.files.get_file(self._at(name), path)
        return path

    @contextlib.contextmanager
    def workspace(self) -> Iterator[str]:
        with tempfile.TemporaryDirectory(prefix="manikin-batch-") as folder:
            yield folder

    def publish(self, path: str, name: str) -> None:
        at = self._at(name)
        self.files.makedirs(at.rpartition("/")[0], exist_ok=True)
        self.files.put_file(path, at)

    def remove(self, name: str) -> None:
        self.files.rm_file(self._at(name))

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self.files.cat_file(self._at(name)))
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        at = self._at(name)
        self.files.makedirs(at.rpartition("/")[0], exist_ok=True)
        self.files.pipe_file(at, data)
