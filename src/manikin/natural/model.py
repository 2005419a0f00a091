"""What was learned: a net that fills in a body from a few of its effectors, and how sure it is of each number.

`natural.npz` is written by `python -m benchmarks.natural train`; docs/design/natural.md says what it was learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Vector, frozen

NAMES = ("mean", "scale", "W0", "b0", "W1", "b1", "W2", "out")
"""The arrays of the net, see `reference.natural.NaturalArrays`."""


@dataclass(frozen=True, eq=False)
class Model:
    """A net and its doubts."""

    arrays: Mapping[str, Matrix]
    """By name (`NAMES`), float64."""
    pose: Vector
    """(51,) coordinates of the parts in the mean pose."""
    sigma: Vector
    """(60,) standard deviation of what people do about what the net says: radians, then columns, then legs."""

    @staticmethod
    def of(arrays: Mapping[str, Any]) -> Model:
        """From the arrays of a file."""
        return Model(
            {name: frozen(np.array(arrays[name], dtype=np.float64)) for name in NAMES},
            frozen(np.array(arrays["pose"], dtype=np.float64)),
            frozen(np.array(arrays["sigma"], dtype=np.float64)),
        )


@cache
def model() -> Model:
    """The net of this package."""
    with resources.as_file(resources.files("manikin.natural") / "natural.npz") as path, np.load(path) as file:
        return Model.of(file)
