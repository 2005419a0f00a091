"""Checks of the fields of Markers. The results are read-only copies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadShape, BadValue


def names(given: Iterable[str], owner: str) -> tuple[str, ...]:
    """Strings, each once."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadValue(f"{owner}: names are {given!r}; they must be a list of strings")
    labels = tuple(given)
    seen: set[str] = set()
    for i, label in enumerate(labels):
        arrays.text(label, f"{owner}: names[{i}]")
        if label in seen:
            raise BadValue(f"{owner}: {label!r} is the name of two markers; names must differ")
        seen.add(label)
    return labels


def positions(given: ArrayLike, count: int, owner: str) -> Points:
    """(frames, count, 3), finite or gaps. If one coordinate of a marker is NaN in a frame, all three become NaN."""
    points = arrays.numbers(given, f"{owner}: positions", (None, None, 3), finite=False)
    if points.shape[1] != count:
        raise BadShape(f"{owner}: positions have shape {points.shape}; {count} names need (frames, {count}, 3)")
    if len(points) == 0:
        raise BadShape(f"{owner}: positions have shape {points.shape}; they need at least one frame")
    points = np.array(points)
    gap = np.asarray(np.isnan(points).any(axis=-1))
    arrays.require_finite(np.where(gap[..., None], 0.0, points), f"{owner}: positions")
    points[gap] = np.nan
    points.flags.writeable = False
    return points


def residuals(given: ArrayLike, points: Points, owner: str) -> Matrix:
    """(frames, markers), NaN in the gaps of `points`."""
    values = np.array(_table(given, points.shape[:2], f"{owner}: residuals"))
    values[np.isnan(points[..., 0])] = np.nan
    values.flags.writeable = False
    return values


def cameras(given: ArrayLike, shape: tuple[int, ...], owner: str) -> NDArray[np.uint8]:
    """(frames, markers), one byte each."""
    values = _table(given, shape, f"{owner}: cameras")
    if not ((values >= 0) & (values <= 255) & (values == np.round(values))).all():
        raise BadValue(f"{owner}: cameras need whole numbers from 0 to 255")
    return arrays.frozen(values, np.uint8)


def _table(values: ArrayLike, shape: tuple[int, ...], name: str) -> Matrix:
    table = arrays.numbers(values, name, (None, None), finite=False)
    if table.shape != shape:
        raise BadShape(f"{name} have shape {table.shape}; they need {shape}, one for each marker in each frame")
    return table


def times(given: ArrayLike | None, rate: float | None, count: int, owner: str) -> tuple[Vector, float | None]:
    """(frames,) increasing seconds, and frames per second. If one is not given, it is computed from the other."""
    if rate is not None:
        rate = arrays.positive(rate, f"{owner}: rate")
    if given is None:
        if rate is None and count > 1:
            raise BadValue(f"{owner} have neither times nor rate; they need one of them")
        return arrays.frozen(np.arange(count) / (rate or 1.0)), rate
    t = arrays.numbers(given, f"{owner}: times", (None,))
    if len(t) != count:
        raise BadShape(f"{owner}: times have shape {t.shape}; {count} frames need ({count},)")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if late.size:
        i = int(late[0])
        raise BadValue(f"{owner}: times must increase, but times[{i + 1}] is {t[i + 1]:g} s after {t[i]:g} s")
    if rate is None and count > 1:
        rate = (count - 1) / float(t[-1] - t[0])
    return arrays.frozen(t), rate
