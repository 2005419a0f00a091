"""Checks of the input of `fit_points`: shapes, names, confidence, times, unit and up axis."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Points, Rotations, Vector
from manikin.errors import BadShape, BadValue, counted, listing
from manikin.figure import Figure
from manikin.motion import marker_checks
from manikin.motion.markers import Markers
from manikin.motion.points.layouts import LAYOUTS, layout_points, point_named, points_by_names

PIXELS = 20.0
"""A third column from 0 to 1 is a confidence if the values of the first two spread by more than this."""
UPS = tuple(sign + axis for sign in ("", "+", "-") for axis in "xyz")
"""The axes that may point up."""
STANDS = 0.7
"""An axis counts as the up axis if the mean cosine of the angle between it and the trunk is at least this."""
LARGEST = 1e100
"""A sample with a larger coordinate is a gap, because its square would overflow."""
USUAL_RATE = 30.0
"""Frames per second if neither `times` nor `rate` is given."""


@dataclass(frozen=True, eq=False)
class GivenPoints:
    """Checked input."""

    names: tuple[str, ...]
    """(K,) points of the body."""
    points: Points
    """(T, K, 3) in metres, or in the unit of the input if that is not known; NaN in gaps."""
    confidence: Matrix
    """(T, K) from 0 to 1."""
    times: Vector
    name: str
    layout: str
    """The layout, or "names"."""
    unit: float
    """The unit of the input in metres; 1 if it is not known."""
    known_unit: bool
    notes: tuple[str, ...]

    @property
    def ever(self) -> list[bool]:
        """(K,) whether a point is seen in any frame."""
        there = np.isfinite(self.points).all(axis=-1) & (self.confidence > 0.0)
        return [bool(np.any(there[:, k])) for k in range(there.shape[1])]


def without(given: GivenPoints, dropped: Sequence[str], note: str) -> GivenPoints:
    """The input without some points."""
    if not dropped:
        return given
    kept = [k for k, name in enumerate(given.names) if name not in dropped]
    return replace(
        given,
        names=tuple(given.names[k] for k in kept),
        points=given.points[:, kept],
        confidence=given.confidence[:, kept],
        notes=(*given.notes, note),
    )


def two_dimensional(what: str) -> str:
    """The message for points in images."""
    return (
        f"{what} has two coordinates for each point; fit_points needs three: triangulate the points of two or more "
        "calibrated cameras first, for example with Pose2Sim, or use an estimator of 3-D points"
    )


def wrong_shape(shape: tuple[int, ...]) -> str:
    """The message for an array that is not (frames, points, 3)."""
    if len(shape) == 3 and not shape[0]:
        return f"points has shape {shape}; there must be at least one frame"
    people = "; of several people, choose one, as in points[:, 0]" if len(shape) == 4 else ""
    return f"points has shape {shape}; it needs (frames, points, 3), or 4 with a confidence{people}"


def check_options(figure: Any, lengths: Any, robust: Any, smooth: Any, travel: Any) -> None:
    """Checks arguments of `fit_points` whose value does not depend on the points.

    Raises:
        BadValue: the message names the argument.
    """
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {type(figure).__name__}; fit_points needs a Figure")
    for name, value in (("lengths", lengths), ("robust", robust)):
        if not isinstance(value, (bool, np.bool_)):
            raise BadValue(f"{name} is {value!r}; it must be True or False")
    if isinstance(smooth, (bool, np.bool_)):
        raise BadValue(f"smooth is {smooth!r}; it needs a frequency in Hz such as 6, or None")
    if not (travel is None or isinstance(travel, (bool, np.bool_))):
        raise BadValue(f"travel is {travel!r}; it must be None, True or False")


def checked(
    points: ArrayLike | Markers,
    layout: str | None,
    confidence: ArrayLike | None,
    times: ArrayLike | None,
    rate: float | None,
    unit: float | None,
) -> GivenPoints:
    """The input, checked and converted.

    Raises:
        BadShape, BadValue, UnknownName: the message names the argument.
    """
    notes: list[str] = []
    if isinstance(points, (str, os.PathLike)):
        raise BadValue(
            f"points is {os.fspath(points)!r}; read the file first, as in mk.load_points({os.fspath(points)!r})"
        )
    if not (layout is None or isinstance(layout, str)):
        raise BadValue(f"layout is {layout!r}; it needs the name of a layout: {listing(list(LAYOUTS))}")
    if isinstance(points, Markers):
        if times is not None or rate is not None:
            raise BadValue("the points are Markers, which have times; leave out times= and rate=")
        given, own = np.array(points.positions), points.source.get("confidence")
        confidence = own if confidence is None else confidence
        seconds, name = points.times, points.name
        unit = points.unit if unit is None else unit
        names, layout = _named(points.names, layout, notes)
    else:
        given, own = _split(points)
        confidence = own if confidence is None else confidence
        if layout is None:
            raise _no_layout(given.shape[1])
        names = list(layout_points(layout, given.shape[1]))
        seconds, name = _times(times, rate, len(given)), "points"
        unit = 1.0 if unit is None else unit
    given = np.where((np.abs(given) < LARGEST).all(axis=-1, keepdims=True), given, np.nan)
    sure = _confidence(confidence, given.shape[:2])
    kept = [k for k, point in enumerate(names) if point is not None]
    if unit is None:
        notes.append("the unit of the points is not known; the person gets the size of the figure")
    factor = 1.0 if unit is None else arrays.positive(unit, "unit")
    return GivenPoints(
        tuple(str(names[k]) for k in kept),
        given[:, kept] * factor,
        sure[:, kept],
        np.asarray(seconds),
        name,
        layout or "names",
        factor,
        unit is not None,
        tuple(notes),
    )


def _split(points: ArrayLike) -> tuple[Points, Matrix | None]:
    """(T, K, 3) and the fourth column, which is a confidence."""
    given = arrays.real(points, "points")
    if given.ndim != 3 or given.shape[2] not in (2, 3, 4):
        raise BadShape(wrong_shape(given.shape))
    if given.shape[2] == 2:
        raise BadShape(two_dimensional(f"points of shape {given.shape}"))
    if not given.shape[0]:
        raise BadShape(wrong_shape(given.shape))
    third = given[..., 2][np.isfinite(given[..., 2])]
    flat = given[..., :2][np.isfinite(given[..., :2])]
    sure = third.size and third.min() >= 0.0 and third.max() <= 1.0
    if given.shape[2] == 3 and sure and flat.size and np.ptp(flat) > PIXELS:
        raise BadValue(two_dimensional("points (pixels, and a third column from 0 to 1 that is a confidence)"))
    return given[..., :3], (given[..., 3] if given.shape[2] == 4 else None)


def _named(names: Sequence[str], layout: str | None, notes: list[str]) -> tuple[list[str | None], str | None]:
    """The points of named columns. If no name is known, the order of the layout decides."""
    if layout is None and all(name.isdigit() for name in names):
        raise _no_layout(len(names))
    try:
        found = list(points_by_names(names))
    except BadValue:
        if layout is None:
            raise
        return list(layout_points(layout, len(names))), layout
    if layout is not None and layout in LAYOUTS:
        found = [point if point in LAYOUTS[layout] else None for point in found]
    elif layout is not None:
        layout_points(layout, len(names))
    dropped = [name for name, point in zip(names, found, strict=True) if point is None]
    again = [name for name in dropped if (point := point_named(name)) is not None and point in found]
    unknown = [name for name in dropped if name not in again]
    if again:
        notes.append(f"ignored, because another column has the same point of the body: {listing(again, 6)}")
    if unknown:
        some = counted(len(unknown), "point")
        notes.append(f"no place on the body is known for {some}, which the fit ignores: {listing(unknown, 6)}")
    return found, layout


def _no_layout(count: int) -> BadValue:
    fits = [name for name, points in LAYOUTS.items() if len(points) == count]
    known = f"these have {count} points: {listing(fits)}" if fits else f"known are {listing(list(LAYOUTS))}"
    return BadValue(f"layout is missing; say which points of the body the columns are ({known})")


def _confidence(confidence: ArrayLike | None, shape: tuple[int, ...]) -> Matrix:
    if confidence is None:
        return np.ones(shape)
    given = arrays.real(confidence, "confidence")
    if given.shape != shape:
        raise BadShape(f"confidence has shape {given.shape}; it needs {shape}, a number for each point of each frame")
    given = np.nan_to_num(given, nan=0.0)
    wrong = np.argwhere((given < 0.0) | (given > 1.0 + 1e-6))
    if wrong.size:
        t, k = (int(i) for i in wrong[0])
        raise BadValue(f"confidence[{t}, {k}] is {given[t, k]:g}; it must be from 0 (not seen) to 1")
    return np.minimum(given, 1.0)


def _times(times: ArrayLike | None, rate: float | None, count: int) -> Vector:
    if times is not None and rate is not None:
        raise BadValue(f"times= and rate={rate} are both given; one of them is needed")
    if times is None and rate is None:
        rate = USUAL_RATE
    return marker_checks.times(times, rate, count, "points")[0]


# The up axis


def turn_to(up: str | None, given: GivenPoints, figure_up: str) -> tuple[Rotations, str]:
    """(3, 3) the rotation from the axes of the points to those of the figure, and a note.

    Args:
        up: the up axis of the points, "x", "y", "z", "-y" and so on; None finds it from the trunk.
        given: the points.
        figure_up: "x", "y" or "z".
    """
    note = ""
    if up is None:
        up = _found_up(given)
        if up is None:
            up, note = figure_up, f"the up axis of the points is not known; {figure_up} is assumed; set it with up="
        elif up != figure_up:
            note = f"the person stands along {up}, so that axis of the points is up; set another one with up="
    if up not in UPS:
        raise BadValue(f"up is {up!r}; it must be one of 'x', 'y', 'z', '-x', '-y', '-z', or None to find it")
    axis = "xyz".index(up[-1])
    turn = np.eye(3)
    if up.startswith("-"):  # half a turn about the third axis
        turn[axis, axis] = turn[(axis + 1) % 3, (axis + 1) % 3] = -1.0
    return np.asarray(np.roll(np.eye(3), "xyz".index(figure_up) - axis, axis=0) @ turn), note


def _found_up(given: GivenPoints) -> str | None:
    """The axis along which the trunk points in most frames; None if there is none."""
    ends = []
    for words in ("shoulder", "hip"):
        at = [given.names.index(f"{side} {words}") for side in ("left", "right") if f"{side} {words}" in given.names]
        if len(at) < 2:
            return None
        there = np.isfinite(given.points[:, at]).all(axis=-1, keepdims=True)
        both = np.where(there, given.points[:, at], 0.0).sum(axis=1)
        ends.append(np.where(np.any(there, axis=1), both / np.maximum(there.sum(axis=1), 1), np.nan))
    trunk = ends[0] - ends[1]
    trunk = trunk[np.isfinite(trunk).all(axis=1)]
    if not len(trunk):
        return None
    mean = (trunk / np.maximum(np.linalg.norm(trunk, axis=1, keepdims=True), 1e-300)).mean(axis=0)
    axis = int(np.argmax(np.abs(mean)))
    return None if abs(mean[axis]) < STANDS else ("-" if mean[axis] < 0.0 else "") + "xyz"[axis]
