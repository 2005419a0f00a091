"""The tuning of the production solver. All three values are lengths per radian (docs/tuning.md)."""

from __future__ import annotations

import math
from typing import NamedTuple

from manikin import arrays
from manikin.errors import BadValue
from manikin.problem import ANGLE_LENGTH

DAMPING = math.sqrt(1e-5)
"""The default damping, in sizes of the figure per radian; `kLeastDamping` in cpp/model/constants.h is its square."""
STAY = math.sqrt(1e-5)
"""The default `stay` of a track, in sizes per radian; `kPlainProx` in cpp/model/constants.h is its square."""
LARGEST = 1e3
"""Largest value of each of them, in sizes of the figure per radian."""


class Tuning(NamedTuple):
    """The tuning of the production solver in the form of its block, in sizes of the figure."""

    angle_weight: float = ANGLE_LENGTH
    """An error of one radian counts as much as an error of this length, in sizes."""
    least_damping: float = 1e-5
    """Smallest cost of a step of one radian, in sizes² per rad²."""


DEFAULTS = Tuning()


def tuning(size: float, damping: float | None, angle_length: float | None) -> Tuning:
    """The tuning of a solver from its options, which are lengths. `size` is the size of the figure. None means the
    default.

    A length that equals the default gives the same bits as None.
    """
    usual, angle, least = Tuning(), ANGLE_LENGTH, DAMPING
    if angle_length is not None and angle_length != ANGLE_LENGTH * size:
        angle = sizes(angle_length, "angle_length", size)
    if damping is not None and damping != DAMPING * size:
        least = sizes(damping, "damping", size)
    return Tuning(angle, usual.least_damping if least == DAMPING else least * least)


def sizes(length: float, name: str, size: float, least: float = 1e-9) -> float:
    """Converts a length per radian to sizes of the figure per radian."""
    value = arrays.scalar(length, name) / size
    if not least <= value <= LARGEST:
        raise BadValue(
            f"{name} is {length!r}; it needs a length per radian, from {least * size:g} to {LARGEST * size:g} here"
        )
    return value
