"""Zip files from the page: a .gltf with its buffers and pictures becomes one file."""

from __future__ import annotations

import io
import lzma
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from manikin.base.packed import require_bounded
from manikin.errors import BadFile, ManikinError
from manikin.files.safe import load

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What `zipfile` raises for archives that are damaged, or made in a way that it does not know."""
MOST_FILES = 1_000
"""Largest number of files in an archive."""
MOST_UNPACKED = 512 * 2**20
"""Largest size of all files of an archive together, in bytes."""
MOST_LISTED = 8 * 2**20
"""Largest size of an archive's list of files, in bytes. Python takes several times as much memory for it."""
DEEPEST = 20
"""Largest number of folders in each other."""


def gltf_of(path: Path) -> bytes:
    """The .gltf file of an archive with everything that it refers to.

    Raises:
        BadFile: it is not an archive, it is too large or packed with an unusual method, a name leads out of it, or it
            does not hold exactly one .gltf.
    """
    with tempfile.TemporaryDirectory(prefix="manikin-") as folder:
        try:
            with _InPieces(path) as file, zipfile.ZipFile(file) as archive:
                names = _unpack(archive, path, Path(folder))
        except BadFile:
            raise
        except DAMAGED as error:
            raise BadFile(path, f"the archive cannot be read: {error}") from error
        models = [name for name in names if name.suffix.lower() == ".gltf"]
        if len(models) != 1:
            raise BadFile(path, f"the archive has {len(models)} .gltf files; it needs exactly one")
        try:
            data = load("whole", str(models[0]), {"within": folder})
        except ManikinError as error:  # it names a file in a folder that the user never saw
            raise BadFile(path, str(error).replace(f"{folder}{os.sep}", "")) from error
        assert isinstance(data, bytes)
        return data


def _unpack(archive: zipfile.ZipFile, path: Path, folder: Path) -> list[Path]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise BadFile(path, f"the archive is too large; at most {MOST_FILES} files and {MOST_UNPACKED // 2**20} MB fit")
    require_bounded(path, entries)
    out, left = [], MOST_UNPACKED
    for entry in entries:
        name = PurePosixPath(entry.filename)
        if name.is_absolute() or ".." in name.parts or "\\" in entry.filename or ":" in entry.filename:
            raise BadFile(path, f"the archive holds the name {entry.filename[:60]!r}, which leads out of it")
        if len(name.parts) > DEEPEST:
            raise BadFile(path, f"the archive holds a name with {len(name.parts)} parts; at most {DEEPEST} are read")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadFile(path, f"the archive holds a link, {entry.filename[:60]!r}")
        target = folder.joinpath(*name.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as source, open(target, "xb") as file:
            shutil.copyfileobj(_Limited(source, left, path), file)
        left -= target.stat().st_size
        out.append(target)
    return out


class _InPieces(io.FileIO):
    """A file that is never read in one large piece, because an archive's list of files is."""

    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes."""
        left = os.fstat(self.fileno()).st_size - self.tell()
        if min(left, left if size is None or size < 0 else size) > MOST_LISTED:
            raise BadFile(Path(os.fsdecode(self.name)), f"its list of files is larger than {MOST_LISTED // 2**20} MB")
        return super().read(size) or b""


class _Limited:
    """A stream that raises an error after a number of bytes, because an archive may state sizes that are too small."""

    def __init__(self, source: object, most: int, path: Path) -> None:
        self._source, self._left, self._path = source, most, path

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes."""
        data: bytes = self._source.read(size)  # type: ignore[attr-defined]
        self._left -= len(data)
        if self._left < 0:
            raise BadFile(self._path, f"the archive is too large; at most {MOST_UNPACKED // 2**20} MB fit")
        return data
