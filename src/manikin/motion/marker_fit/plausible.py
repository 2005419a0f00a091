"""Whether markers can be those of the person: checks of the unit of lengths, and of left and right."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Points
from manikin.errors import BadValue
from manikin.motion.marker_fit.start import LEAST, crossed

SMALLEST, LARGEST = 0.2, 5.0
"""Smallest and largest size of a person, relative to the figure. Wrong units differ by a factor of at least 10."""
UNITS = {"metres": 1.0, "centimetres": 0.01, "millimetres": 0.001, "inches": 0.0254, "feet": 0.3048}
FLAT = 0.05
"""The markers of a trunk are flat, and equal to their mirror image, if their extent along the thinnest direction is
below this share of that along the longest one."""
MOST_FRAMES = 40
"""Number of frames that are looked at."""


def check_size(name: str, common: float, unit: float) -> None:
    """Checks the size of a body.

    Args:
        name: of the markers.
        common: size of the body in the markers, relative to the figure.
        unit: of the markers, in metres.

    Raises:
        BadValue: it is not the size of a person, so the unit is probably wrong; or it has no size.
    """
    if SMALLEST <= common <= LARGEST:
        return
    if not common > 0.0:
        raise BadValue(f"the markers of the trunk in {name!r} are all at one place; they must show a body")
    likely, metres = min(UNITS.items(), key=lambda pair: abs(np.log(pair[1] * common / unit)))
    fits = SMALLEST <= metres * common / unit <= LARGEST
    way = f"{likely} would fit: markers.replaced(unit={metres:g}), or --unit {metres:g}"
    way = way if fits else "set it in metres, as in markers.replaced(unit=…), or --unit"
    raise BadValue(
        f"the body in {name!r} is {common:.4g} times as large as the figure, so the unit of the markers ({unit:g} m) "
        f"is probably wrong; {way}"
    )


def is_mirrored(points: Points, targets: Points, seen: Matrix) -> bool:
    """Whether the markers of a trunk (M, 3) fit better to the mirror image of the measured ones (T, M, 3) in most
    frames: left and right are then exchanged in the names of the markers."""
    some = np.flatnonzero(seen.sum(axis=1) > LEAST)
    some = some[np.unique(np.linspace(0, len(some) - 1, MOST_FRAMES).round().astype(int))] if len(some) else some
    if not len(some):
        return False
    u, s, v = np.linalg.svd(crossed(points, targets[some], seen[some])[0])
    turned = (np.linalg.det(u @ v) < 0.0) & (s[:, 2] > FLAT**2 * s[:, 0])
    return bool(turned.mean() > 0.5)
