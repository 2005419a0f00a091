"""The trained model: a net that predicts a body from a few of its effectors, and the uncertainty of each output.

`python -m benchmarks.natural train` writes `natural.npz`. docs/design/natural.md describes the training data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Vector, frozen
from manikin.base.numpy_file import NumpyFile
from manikin.errors import BadFile, BadValue

VERSION = 3
"""Version of the file. The net of version 2 had no pairs of units."""
MATRICES = ("W0", "W1", "W2", "W3")
NAMES = ("mean", "scale", *MATRICES, "b0", "b1", "b2", "out", "center")
"""The names of the arrays of the net; see `reference.natural_arrays.NaturalArrays`."""
MOST = 1e15
"""Largest number of a file."""
NEEDED = (*NAMES, "pose", "sigma")
ARRAYS = (*NEEDED, *(f"{name}_unit" for name in MATRICES), "version")
"""The arrays of a file that are read. It may have others, such as a text about it."""


@dataclass(frozen=True, eq=False)
class Model:
    """A net and its uncertainty."""

    arrays: Mapping[str, Matrix]
    """Arrays by name (`NAMES`), float64."""
    pose: Vector
    """(51,) coordinates of the parts in the mean pose."""
    sigma: Vector
    """(60,) standard deviation of recorded people from the outputs of the net, in radians, then in entries of rotation
    columns, then in legs."""

    @staticmethod
    def of(arrays: Mapping[str, Any]) -> Model:
        """Makes a model from the arrays of a file."""
        whole = {name: np.array(arrays[name], dtype=np.float64) for name in NAMES}
        for name in MATRICES:
            if f"{name}_unit" in arrays:  # whole numbers, with the unit of each column
                whole[name] *= np.asarray(arrays[f"{name}_unit"], dtype=np.float64)
        return Model(
            {name: frozen(value) for name, value in whole.items()},
            frozen(np.array(arrays["pose"], dtype=np.float64)),
            frozen(np.array(arrays["sigma"], dtype=np.float64)),
        )


def read(path: Path) -> Model:
    """Reads the file of a net.

    Raises:
        BadFile: the file is damaged, or an array is missing or has no numbers.
        BadValue: the file has another version.
    """
    with NumpyFile(path) as file:
        held = {name: file.array(name) for name in ARRAYS if name in file.names}
    for name, array in held.items():
        if array.dtype.kind not in "fiu" or not (np.abs(array) <= MOST).all():
            raise BadFile(path, f"{name} has type {array.dtype}; it needs numbers within ±{MOST:g}")
    found = held["version"].item() if "version" in held and held["version"].size == 1 else None
    if found != VERSION:
        raise BadValue(
            f"{path} has version {found}; this package reads version {VERSION}, which "
            "`python -m benchmarks.natural train` writes"
        )
    missing = [name for name in NEEDED if name not in held]
    if missing:
        raise BadFile(path, f"the file has no array {missing[0]!r}")
    try:
        return Model.of(held)
    except ValueError as error:  # a unit for each column of another matrix
        raise BadFile(path, f"the arrays do not fit together: {error}") from error


@cache
def model() -> Model:
    """The net of this package."""
    with resources.as_file(resources.files("manikin.prior") / "natural.npz") as path:
        return read(path)
