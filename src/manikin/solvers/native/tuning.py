"""What may be tuned about the production solver. All three are lengths that one radian counts as (docs/tuning.md)."""

from __future__ import annotations

import math
from typing import NamedTuple

from manikin import arrays
from manikin.errors import BadValue
from manikin.problem import ANGLE_LENGTH

DAMPING = math.sqrt(1e-5)
"""The usual damping, in sizes of the figure per radian; `kLeastDamping` in cpp/model/constants.h is its square."""
HOLD = math.sqrt(1e-5)
"""The usual `hold` of a track, in sizes per radian; `kPlainProx` in cpp/model/constants.h is its square."""
LARGEST = 1e3
"""Most sizes of the figure per radian that each of them may be."""


class Tuning(NamedTuple):
    """Numbers of the production solver as its block has them, in sizes of the figure."""

    angle_weight: float = ANGLE_LENGTH
    """Sizes that an error of one radian counts as."""
    least_damping: float = 1e-5
    """Sizes squared per radian squared that a step of one radian costs at least."""


def tuning(size: float, damping: float | None, angle_length: float | None) -> Tuning:
    """The numbers of a solver from its options, which are lengths of a figure of this size; None is the usual one.

    A length that is the usual one gives the usual bits.
    """
    usual, angle, least = Tuning(), ANGLE_LENGTH, DAMPING
    if angle_length is not None and angle_length != ANGLE_LENGTH * size:
        angle = sizes(angle_length, "angle_length", size)
    if damping is not None and damping != DAMPING * size:
        least = sizes(damping, "damping", size)
    return Tuning(angle, usual.least_damping if least == DAMPING else least * least)


def sizes(length: float, name: str, size: float, least: float = 1e-9) -> float:
    """A length per radian in sizes of the figure."""
    value = arrays.scalar(length, name) / size
    if not least <= value <= LARGEST:
        raise BadValue(
            f"{name} is {length!r}; it needs a length per radian, from {least * size:g} to {LARGEST * size:g} here"
        )
    return value
