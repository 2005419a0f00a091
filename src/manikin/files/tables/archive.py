"""Tables as NumPy archives: `poses` (frames, nq), `times` (frames,) in seconds, `names` (nq,) and the motion's `name`.

Arrays are read without NumPy's loader. Object arrays are refused by type before their data is read, and sizes are
compared with the archive before memory is allocated.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from manikin.errors import BadFile, listing
from manikin.figure import Figure
from manikin.files.finite import MOST
from manikin.files.tables.columns import Table
from manikin.motion.motion import Motion

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
MOST_BYTES = 2**30
"""Largest size of one array, in bytes."""
NAMELESS = "the file has no names for its columns; they are assumed to be the numbers of the figure, in order"
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError, OverflowError)
"""Exceptions that a damaged archive may raise."""
NEEDED, KNOWN = "poses", ("poses", "times", "names", "name")


def read(path: str | os.PathLike[str], figure: Figure) -> Table:
    """Reads the table in an NPZ file. Without `names`, the columns are the numbers of the figure, in order.

    Raises:
        BadFile: an array is missing, has the wrong shape or type, or is larger than the file allows.
    """
    with open(path, "rb") as whole:
        found = _arrays(path, whole)
    poses = _numbers(path, found["poses"], "poses", 2)
    if len(poses) == 0:
        raise BadFile(path, "the file has no frames, so there is no motion to load")
    times = _numbers(path, found["times"], "times", 1) if "times" in found else None
    names = _texts(path, found["names"]) if "names" in found else figure.number_names
    notes = () if "names" in found else (NAMELESS,)
    if poses.shape[1] != len(names):
        raise BadFile(path, f"poses has shape {poses.shape}, but there are {len(names)} names")
    if len(set(names)) < len(names):
        raise BadFile(path, "names has the same name twice")
    name = found.get("name")
    called = str(name) if name is not None and name.shape == () and name.dtype.kind == "U" else ""
    return Table(names, poses, times, called, notes)


def write(motion: Motion, file: BinaryIO) -> None:
    np.savez_compressed(
        file,
        poses=motion.poses,
        times=motion.times,
        names=np.array(motion.figure.number_names, dtype=str),
        name=np.array(motion.name),
    )


def _arrays(path: str | os.PathLike[str], whole: BinaryIO) -> dict[str, NDArray[Any]]:
    """The known arrays of an archive, by name."""
    try:
        with zipfile.ZipFile(whole) as file:
            entries = {e.filename.removesuffix(".npy"): e for e in file.infolist()}
            if NEEDED not in entries:
                raise BadFile(
                    path,
                    f"the file has no array {NEEDED!r} of shape (frames, numbers); it has {listing(list(entries), 8)}",
                )
            return {key: _array(path, file, entries[key], key) for key in KNOWN if key in entries}
    except BadFile:
        raise
    except BROKEN as error:
        raise BadFile(path, f"the archive is broken: {error}") from error


def _array(path: str | os.PathLike[str], file: zipfile.ZipFile, entry: zipfile.ZipInfo, key: str) -> NDArray[Any]:
    with file.open(entry) as data:
        try:
            version = npy.read_magic(data)
            if version not in HEADERS:
                raise ValueError(f"its version is {version}")
            shape, fortran, kind = HEADERS[version](data)
        except (ValueError, TypeError, SyntaxError) as error:
            raise BadFile(path, f"{key} is not a NumPy array: {str(error)[:200]}") from error
        if kind.hasobject:
            raise BadFile(path, f"{key} contains Python objects, which are never unpickled; it must contain numbers")
        size = prod(shape) * kind.itemsize
        if size > min(entry.file_size, MOST_BYTES):
            least = min(entry.file_size, MOST_BYTES)
            raise BadFile(path, f"{key} states {size:,} bytes; the limit is {least:,}")
        content = data.read(size)
    if len(content) < size:
        raise BadFile(path, f"{key} is cut off: it needs {size:,} bytes, but has {len(content):,}")
    return np.frombuffer(content, kind, prod(shape)).reshape(shape, order="F" if fortran else "C")


def _numbers(path: str | os.PathLike[str], array: NDArray[Any], key: str, ndim: int) -> NDArray[np.float64]:
    if array.dtype.kind not in "fiu" or array.ndim != ndim:
        wanted = "(frames, numbers)" if ndim == 2 else "(frames,)"
        raise BadFile(path, f"{key} has type {array.dtype} and shape {array.shape}; it needs numbers of shape {wanted}")
    values = array.astype(np.float64)
    bad = np.argwhere(~(np.abs(values) <= MOST))
    if bad.size:
        where = tuple(int(k) for k in bad[0])
        raise BadFile(path, f"{key}{list(where)} is {values[where]:g}; numbers must lie within ±{MOST:g}")
    return values


def _texts(path: str | os.PathLike[str], array: NDArray[Any]) -> tuple[str, ...]:
    if array.ndim != 1 or array.dtype.kind not in "US":
        raise BadFile(
            path, f"names has type {array.dtype} and shape {array.shape}; it needs strings of shape (numbers,)"
        )
    if array.dtype.kind == "S":
        return tuple(bytes(x).decode("utf-8", "replace") for x in array)
    try:
        return tuple(str(x) for x in array)
    except (ValueError, UnicodeError) as error:  # numbers that are not characters
        raise BadFile(path, f"names has a string that cannot be read: {error}") from error
