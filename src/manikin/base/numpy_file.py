"""Reads NumPy files from strangers: .npy and .npz. Nothing is unpickled.

Arrays are read without NumPy's loader. Arrays of objects are refused by type before their data is read. Sizes are
compared with the file before memory is allocated: a compressed file may state a thousand times its own size.
"""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from manikin.base.packed import require_bounded
from manikin.base.reading import open_file
from manikin.errors import BadFile, listing

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
ROOM, RATIO = 256 * 2**20, 64
"""The arrays of a file may take this many bytes of memory, and this many more for each byte of the file."""
NUMBER, TEXT = 8, 256
"""Bytes of memory for a number, and for a text without its characters. A file may have numbers of one byte, which
become 64-bit numbers, and texts of one byte, which become Python strings in lists and sets."""
LAST = 0x10FFFF
"""The last character of Unicode. NumPy fails on text with larger numbers."""
CHUNK = 2**20
"""Bytes that are read at a time."""


class NumpyFile:
    """An open .npz file. `names` has its arrays; `array` reads one. Use it in a `with` statement."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """
        Raises:
            BadFile: the file is not a ZIP archive, is damaged, is packed with an unusual method, or has two arrays of
                one name.
            OSError: it does not exist, is a folder, or cannot be opened.
        """
        self.path = path
        self._file = open_file(path)
        try:
            self._room = ROOM + RATIO * os.fstat(self._file.fileno()).st_size
            try:
                self._zip = zipfile.ZipFile(self._file)
                entries = self._zip.infolist()
            except Exception as error:  # zipfile raises many kinds for a damaged file
                raise BadFile(path, f"the archive is broken: {str(error)[:200]}") from error
            require_bounded(path, entries)
            names = [e.filename.removesuffix(".npy") for e in entries]
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise BadFile(path, f"the archive has two arrays with the same name: {listing(twice, 4)}")
            self._entries = dict(zip(names, entries, strict=True))
        except BaseException:
            self._file.close()
            raise

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays."""
        return tuple(self._entries)

    def array(self, name: str) -> NDArray[Any]:
        """One of the arrays.

        Raises:
            BadFile: it is damaged, has Python objects, or is too large.
        """
        entry = self._entries[name]
        try:
            with self._zip.open(entry) as data:
                array = read_array(self.path, data, entry.file_size, name, self._room)  # type: ignore[arg-type]
        except BadFile:
            raise
        except Exception as error:
            raise BadFile(self.path, f"the archive is broken: {name}: {str(error)[:200]}") from error
        self._room -= _memory(array.shape, array.dtype)
        return array

    def __enter__(self) -> NumpyFile:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()


def load_npy(path: str | os.PathLike[str], name: str = "the array") -> NDArray[Any]:
    """The array of an .npy file. `name` is for messages.

    Raises:
        BadFile: it is damaged, has Python objects, or is too large.
        OSError: it does not exist, is a folder, or cannot be opened.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        return read_array(path, file, size, name, ROOM + RATIO * size)


def read_array(path: str | os.PathLike[str], data: BinaryIO, size: int, name: str, room: int = ROOM) -> NDArray[Any]:
    """Reads an array in NumPy's format.

    Args:
        path: the file, for messages.
        data: an open file at the start of the array.
        size: the number of bytes that the file has for it.
        name: the name of the array, for messages.
        room: the number of bytes of memory that it may take.

    Raises:
        BadFile: it is not an array, has Python objects, is cut off, or is too large.
    """
    if not size:
        raise BadFile(path, f"{name} is empty")
    try:
        version = npy.read_magic(data)
        if version not in HEADERS:
            raise ValueError(f"its version is {version}")
        shape, fortran, kind = HEADERS[version](data)
        if any(type(n) is not int or n < 0 for n in shape):
            raise ValueError(f"its shape is {shape}")
    except Exception as error:  # the header is parsed as Python, which raises many kinds
        raise BadFile(path, f"{name} is not a NumPy array: {str(error)[:200]}") from error
    if kind.hasobject:
        raise BadFile(
            path, f"{name} contains Python objects, which are never unpickled; it must contain numbers or text"
        )
    needed, memory = prod(shape) * kind.itemsize, _memory(shape, kind)
    if needed > size:
        raise BadFile(path, f"{name} is cut off: it needs {needed:,} bytes, but the file has only {size:,}")
    if memory > room:
        raise BadFile(
            path, f"{name} would take {memory:,} bytes of memory; the limit for a file of this size is {room:,}"
        )
    try:
        array = np.empty(shape, kind, order="F" if fortran else "C")
    except ValueError as error:  # too many axes
        raise BadFile(path, f"{name} is not a NumPy array: {str(error)[:200]}") from error
    flat = array.reshape(-1, order="F" if fortran else "C")
    _fill(path, data, flat, name)
    if kind.kind == "U" and needed and (flat.view(np.dtype(np.uint32).newbyteorder(kind.byteorder)) > LAST).any():
        raise BadFile(path, f"{name} has text with numbers that are not characters")
    return array


def _memory(shape: tuple[int, ...], kind: np.dtype[Any]) -> int:
    """Bytes of memory that an array takes, or that its numbers and texts take when they are used. Each axis counts by
    itself too: an array without numbers may have one that is long."""
    each = 2 * kind.itemsize + TEXT if kind.kind in "SU" else max(kind.itemsize, NUMBER)
    return max(prod(shape) * each, NUMBER * max(shape, default=0))


def _fill(path: str | os.PathLike[str], data: BinaryIO, flat: NDArray[Any], name: str) -> None:
    """Reads the bytes of an array in pieces, so that they are in memory only once."""
    if not flat.nbytes:
        return
    raw, at = flat.view(np.uint8), 0
    while at < len(raw):
        piece = data.read(min(CHUNK, len(raw) - at))
        if not piece:
            raise BadFile(path, f"{name} is cut off: it needs {len(raw):,} bytes, but has {at:,}")
        raw[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)
