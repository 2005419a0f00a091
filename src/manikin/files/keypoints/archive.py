"""NumPy files of keypoints. Arrays of Python objects are refused before their data is read."""

from __future__ import annotations

import os
import zipfile
import zlib
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from manikin.errors import BadFile, listing

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
MOST_BYTES = 2**31
"""Largest size of one array, in bytes."""
POINTS = ("points", "keypoints", "keypoints_3d", "joints", "positions")
"""Possible names of the array of points. The first one in the file is used."""
CONFIDENCE = ("confidence", "confidences", "scores", "visibility")
RATES = ("rate", "fps")
BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, OverflowError, SyntaxError)
"""Exceptions that a damaged file may raise."""


def read_array(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The points of an .npy file."""
    with open(path, "rb") as file:
        return {"points": _numbers(path, _array(path, file, os.path.getsize(path), "the array"), "the array")}


def read_archive(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of an .npz file.

    Raises:
        BadFile: the file is damaged, or has no array of points.
        OSError: the file does not exist or cannot be opened.
    """
    with open(path, "rb") as whole:
        return _read_archive(path, whole)


def _read_archive(path: str | os.PathLike[str], whole: BinaryIO) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(whole) as file:
            entries = {e.filename.removesuffix(".npy"): e for e in file.infolist()}
            key = next((name for name in POINTS if name in entries), None)
            if key is None:
                raise BadFile(path, f"the file has no array 'points'; it has {listing(list(entries), 8)}")

            def array(name: str) -> NDArray[Any]:
                with file.open(entries[name]) as data:
                    return _array(path, data, entries[name].file_size, name)  # type: ignore[arg-type]

            out: dict[str, Any] = {"points": _numbers(path, array(key), key)}
            for name in CONFIDENCE:
                if name in entries and "confidence" not in out:
                    out["confidence"] = _numbers(path, array(name), name)
            if "times" in entries:
                out["times"] = _numbers(path, array("times"), "times")
            for name in (*RATES, "unit"):
                if name in entries:
                    out["rate" if name in RATES else name] = _one(path, array(name), name)
            if "names" in entries:
                out["names"] = _names(path, array("names"))
            return out
    except BadFile:
        raise
    except BROKEN as error:
        raise BadFile(path, f"the archive is broken: {str(error)[:200]}") from error


def _array(path: str | os.PathLike[str], data: BinaryIO, size: int, name: str) -> NDArray[Any]:
    if not size:
        raise BadFile(path, f"{name} is empty")
    try:
        version = npy.read_magic(data)
        if version not in HEADERS:
            raise ValueError(f"its version is {version}")
        shape, fortran, kind = HEADERS[version](data)
    except BROKEN as error:
        raise BadFile(path, f"{name} is not a NumPy array: {str(error)[:200]}") from error
    if kind.hasobject:
        raise BadFile(
            path, f"{name} contains Python objects, which are never unpickled; it must contain numbers or text"
        )
    wanted = prod(shape) * kind.itemsize
    if wanted > size:
        raise BadFile(path, f"{name} is cut off: it needs {wanted:,} bytes, but the file has only {size:,}")
    if wanted > MOST_BYTES:
        raise BadFile(path, f"{name} has {wanted:,} bytes; the limit is {MOST_BYTES:,}")
    content = data.read(wanted)
    if len(content) < wanted:
        raise BadFile(path, f"{name} is cut off: it needs {wanted:,} bytes, but has {len(content):,}")
    return np.frombuffer(content, kind, prod(shape)).reshape(shape, order="F" if fortran else "C")


def _numbers(path: str | os.PathLike[str], array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.dtype.kind not in "fiu":
        raise BadFile(path, f"{name} has type {array.dtype}; it needs numbers")
    return array.astype(np.float64)


def _one(path: str | os.PathLike[str], array: NDArray[Any], name: str) -> float:
    values = _numbers(path, array, name)
    if values.size != 1 or not float(values.ravel()[0]) > 0.0:
        raise BadFile(path, f"{name} is {np.array2string(values, threshold=4)}; it needs one number above 0")
    return float(values.ravel()[0])


def _names(path: str | os.PathLike[str], array: NDArray[Any]) -> list[str]:
    if array.ndim != 1 or array.dtype.kind not in "US":
        raise BadFile(path, f"names has type {array.dtype} and shape {array.shape}; it needs (points,) strings")
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in array.tolist()]
