"""Markers at exactly (0, 0, 0). Many programs write this for a marker that was not seen, without marking it as a gap.

No camera measures three exact zeros. A sample there is a gap unless the marker comes from nearby and goes on nearby, as
the markers of a computed trial may. A marker that is at (0, 0, 0) in every frame was never seen if other markers move.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points, Vector
from manikin.errors import BadValue, counted, listing
from manikin.files.common import oddities
from manikin.motion.markers import Markers

CHOICES = (None, "missing", "data")
FASTER = 3.0
"""A marker may come to (0, 0, 0) this many times as fast as it moves in all but a hundredth of its other frames."""
STILL = 1e-9
"""A marker that moves by less than this part of the size of the trial does not move."""


def check(zeros: str | None) -> None:
    """Raises BadValue if the option is not one of its values."""
    if zeros not in CHOICES:
        raise BadValue(f"zeros is {zeros!r}; it must be 'missing', 'data', or None to decide by the motion")


def without_zeros(path: str | os.PathLike[str], markers: Markers, zeros: str | None, always: bool = True) -> Markers:
    """The markers with gaps in the place of (0, 0, 0), with one warning that counts them.

    Args:
        path: the file, for the warning.
        markers: as they were read.
        zeros: "missing" makes a gap of each, "data" of none, and None of those that cannot be data.
        always: whether a marker that is there in every frame was never seen, with None.
    """
    if zeros == "data":
        return markers
    at: NDArray[np.bool_] = (markers.positions == 0.0).all(axis=-1)
    gone = at if zeros == "missing" else _not_data(markers.positions, at, always)
    if not gone.any():
        return markers
    names = [markers.names[k] for k in np.flatnonzero(gone.any(axis=0))]
    note = (
        f"{counted(int(gone.sum()), 'sample')} at exactly (0, 0, 0) of {counted(len(names), 'marker')} "
        f"({listing(names, 4)}) became gaps; zeros='data' keeps them"
    )
    oddities.tell(path, [note])
    source = {**markers.source, "notes": (*markers.notes, note)}
    residuals = None if markers.residuals is None else np.where(gone, np.nan, markers.residuals)
    return markers.replaced(
        positions=np.where(gone[..., None], np.nan, markers.positions), residuals=residuals, source=source
    )


def _not_data(positions: Points, at: NDArray[np.bool_], always: bool) -> NDArray[np.bool_]:
    """(frames, markers) the samples at (0, 0, 0) that cannot be data."""
    gone = np.zeros_like(at)
    seen = ~np.isnan(positions[..., 0]) & ~at
    moves = always and _moves(positions, seen)
    for k in np.flatnonzero(at.any(axis=0)):
        frames = np.flatnonzero(seen[:, k])
        if len(frames):
            gone[:, k] = at[:, k] & ~_near(positions[frames, k], frames, np.flatnonzero(at[:, k]), len(at))
        else:
            gone[:, k] = at[:, k] & moves
    return gone


def _near(points: Points, frames: NDArray[np.intp], zero: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    """(count,) frames at (0, 0, 0) that go on from the frames around them.

    Args:
        points: (n, 3) the marker where it is seen elsewhere.
        frames: (n,) the frames of these points.
        zero: the frames in which it is at (0, 0, 0).
        count: the number of frames of the trial.
    """
    away: Vector = np.linalg.norm(points, axis=1)
    near = np.zeros(count, dtype=bool)
    if len(frames) < 2:
        return near
    speeds = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(frames)
    fast = FASTER * float(np.percentile(speeds, 99))
    after = np.searchsorted(frames, zero)
    near[zero] = True
    for side in (after - 1, after):
        there = (side >= 0) & (side < len(frames))
        index = np.clip(side, 0, len(frames) - 1)
        near[zero] &= ~there | (away[index] <= fast * np.abs(frames[index] - zero))
    return near


def _moves(positions: Points, seen: NDArray[np.bool_]) -> bool:
    """Whether some marker that is seen moves."""
    there = np.where(seen[..., None], positions, np.nan)[:, seen.any(axis=0)]
    if not there.size:
        return False
    spans = np.nanmax(there, axis=0) - np.nanmin(there, axis=0)
    return bool(spans.max() > STILL * np.nanmax(np.abs(there)))
