"""Refuses numbers that are so large that their squares and products are not accurate.

Each reader refuses text that is not a number. This check follows all readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import BadFile
from manikin.figure.figure import Figure
from manikin.figure.shapes import Box, Capsule, Sphere

if TYPE_CHECKING:
    from manikin.motion import Markers, Motion

MOST = 1e15
"""Lengths, angles and masses above this are refused."""


def check(path: str, thing: Figure | Motion | Markers) -> None:
    """Raises BadFile if a number of a figure, a motion or markers is too large."""
    if isinstance(thing, Figure):
        _check_figure(path, thing)
        return
    from manikin.motion import Motion

    if isinstance(thing, Motion):
        _check_figure(path, thing.figure)
        names, values, what = thing.figure.number_names, thing.poses, "frame"
    else:
        names, values, what = thing.names, thing.positions, "frame"
    if values.size == 0 or not (np.nanmax(values, initial=0.0) > MOST or np.nanmin(values, initial=0.0) < -MOST):
        return
    at = np.argwhere(np.abs(np.nan_to_num(values)) > MOST)[0]
    found = float(values[tuple(at)])
    raise BadFile(path, f"{names[at[1]]} is {found:g} in {what} {at[0] + 1}; numbers must lie within ±{MOST:g}")


def _check_figure(path: str, figure: Figure) -> None:
    for segment in figure.segments:
        for what, numbers in _numbers(segment):
            for value in numbers:
                if not abs(value) <= MOST:
                    where = f"segment {segment.name!r}: {what} has {value:g}"
                    raise BadFile(path, f"{where}; numbers must lie within ±{MOST:g}")
    for what, values in (("lower limit", figure.lower), ("upper limit", figure.upper), ("rest", figure.rest)):
        large = np.flatnonzero(np.isfinite(values) & (np.abs(values) > MOST))
        if large.size:
            name, value = figure.number_names[large[0]], values[large[0]]
            raise BadFile(path, f"{name}: {what} is {value:g}; numbers must lie within ±{MOST:g}")


def _numbers(segment: Any) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The lengths and masses of a segment."""
    yield "offset", segment.joint.offset
    yield "mass", (segment.mass,)
    yield "centre of mass", segment.center
    yield "inertia", segment.inertia
    if segment.joint.coupling is not None:
        yield "coupling", (segment.joint.coupling.ratio, segment.joint.coupling.offset)
    for shape in segment.shapes:
        if isinstance(shape, Sphere):
            yield "a sphere", (*shape.center, shape.radius)
        elif isinstance(shape, Capsule):
            yield "a capsule", (*shape.start, *shape.end, shape.radius)
        elif isinstance(shape, Box):
            yield "a box", (*shape.center, *shape.half)
