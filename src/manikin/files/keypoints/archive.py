"""NumPy files of keypoints. Arrays of Python objects are refused before their data is read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.base.numpy_file import NumpyFile, load_npy
from manikin.errors import BadFile, listing

POINTS = ("points", "keypoints", "keypoints_3d", "joints", "positions")
"""Possible names of the array of points. The first one in the file is used."""
CONFIDENCE = ("confidence", "confidences", "scores", "visibility")
RATES = ("rate", "fps")


def read_array(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The points of an .npy file."""
    return {"points": _numbers(path, load_npy(path), "the array")}


def read_archive(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of an .npz file.

    Raises:
        BadFile: the file is damaged, or has no array of points.
        OSError: the file does not exist or cannot be opened.
    """
    with NumpyFile(path) as file:
        key = next((name for name in POINTS if name in file.names), None)
        if key is None:
            raise BadFile(path, f"the file has no array 'points'; it has {listing(file.names, 8)}")
        out: dict[str, Any] = {"points": _numbers(path, file.array(key), key)}
        for name in CONFIDENCE:
            if name in file.names and "confidence" not in out:
                out["confidence"] = _numbers(path, file.array(name), name)
        if "times" in file.names:
            out["times"] = _numbers(path, file.array("times"), "times")
        for name in (*RATES, "unit"):
            if name in file.names:
                out["rate" if name in RATES else name] = _one(path, file.array(name), name)
        if "names" in file.names:
            out["names"] = _names(path, file.array("names"))
        return out


def _numbers(path: str | os.PathLike[str], array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.dtype.kind not in "fiu":
        raise BadFile(path, f"{name} has type {array.dtype}; it needs numbers")
    return array.astype(np.float64, copy=False)


def _one(path: str | os.PathLike[str], array: NDArray[Any], name: str) -> float:
    values = _numbers(path, array, name)
    if values.size != 1 or not float(values.ravel()[0]) > 0.0:
        raise BadFile(path, f"{name} is {np.array2string(values, threshold=4)}; it needs one number above 0")
    return float(values.ravel()[0])


def _names(path: str | os.PathLike[str], array: NDArray[Any]) -> list[str]:
    if array.ndim != 1 or array.dtype.kind not in "US":
        raise BadFile(path, f"names has type {array.dtype} and shape {array.shape}; it needs (points,) strings")
    return [x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in array.tolist()]
