"""Tables as NumPy archives: `poses` (frames, nq), `times` (frames,) in seconds, `names` (nq,), `name`."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from manikin.base.numpy_file import NumpyFile
from manikin.errors import BadFile, listing
from manikin.figure import Figure
from manikin.files.finite import MOST
from manikin.files.tables.columns import Table
from manikin.motion.motion import Motion

NAMELESS = "the file has no names for its columns; they are assumed to be the numbers of the figure, in order"
NEEDED, KNOWN = "poses", ("poses", "times", "names", "name")


def read(path: str | os.PathLike[str], figure: Figure) -> Table:
    """Reads the table in an NPZ file. Without `names`, the columns are the numbers of the figure, in order.

    Raises:
        BadFile: an array is missing, has the wrong shape or type, or is larger than the file allows.
    """
    found = _arrays(path)
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


def _arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The known arrays of an archive, by name."""
    with NumpyFile(path) as file:
        if NEEDED not in file.names:
            raise BadFile(
                path, f"the file has no array {NEEDED!r} of shape (frames, numbers); it has {listing(file.names, 8)}"
            )
        return {key: file.array(key) for key in KNOWN if key in file.names}


def _numbers(path: str | os.PathLike[str], array: NDArray[Any], key: str, ndim: int) -> NDArray[np.float64]:
    if array.dtype.kind not in "fiu" or array.ndim != ndim:
        wanted = "(frames, numbers)" if ndim == 2 else "(frames,)"
        raise BadFile(path, f"{key} has type {array.dtype} and shape {array.shape}; it needs numbers of shape {wanted}")
    values = array.astype(np.float64, copy=False)
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
    return tuple(str(x) for x in array)
