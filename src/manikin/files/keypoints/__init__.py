"""Files of 3-D keypoints: .npy, .npz, .csv, and .trc or .c3d as markers. `mk.fit_points` takes the result.

- **.npy**: an array (frames, points, 3), or 4 with a confidence. The points have no names, so `fit_points` needs
  `layout=`.
- **.npz**: the same under "points" or "keypoints"; and, if known, "confidence" (frames, points), "times" or "rate",
  "names" and "unit". Python objects are never unpickled.
- **.csv**: a line of names, then a line for each frame. Columns are named after a point and an axis: nose_x, nose_y,
  nose_z, and nose_c for a confidence. A column "time" has seconds.
- **.trc**: triangulated keypoints as Pose2Sim writes them, with names such as RHip or LBigToe.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import arrays
from manikin.errors import BadFile, ManikinError
from manikin.files import load_markers
from manikin.files.keypoints.archive import read_archive, read_array
from manikin.files.keypoints.text import read_text
from manikin.motion.markers import Markers
from manikin.motion.points.inputs import two_dimensional, wrong_shape

READERS = {".npy": read_array, ".npz": read_archive, ".csv": read_text}
USUAL_RATE = 30.0
"""Frames per second of a file that does not state them, if the caller does not pass a rate."""


def load_points(path: str, *, rate: float | None = None, unit: float | None = None) -> Markers:
    """Loads the keypoints of a file. See `manikin.load_points`."""
    for name, value in (("rate", rate), ("unit", unit)):
        if value is not None:
            arrays.positive(value, name)
    ending = Path(path).suffix.lower()
    if ending not in READERS:
        markers = load_markers(path, zeros="data")
        return markers if unit is None else markers.replaced(unit=unit)
    found = READERS[ending](path)
    # Three coordinates, or four numbers with the confidence last.
    points = found["points"]
    if points.ndim == 3 and points.shape[2] == 2:
        raise BadFile(path, two_dimensional("the file"))
    if points.ndim != 3 or points.shape[2] not in (3, 4) or not len(points):
        raise BadFile(path, wrong_shape(points.shape))
    confidence = found.get("confidence")
    if points.shape[2] == 4:
        points, confidence = points[..., :3], points[..., 3] if confidence is None else confidence
    if confidence is not None and confidence.shape != points.shape[:2]:
        raise BadFile(path, f"confidence has shape {confidence.shape}; it needs {points.shape[:2]}")
    # Names, times and unit: those of the file, then those of the arguments.
    names = found.get("names") or [str(k) for k in range(points.shape[1])]
    times, stated = found.get("times"), found.get("rate")
    if times is not None and rate is not None:
        raise BadFile(path, f"the file states its times; leave out rate={rate:g}")
    source = {"format": ending[1:]} | ({} if confidence is None else {"confidence": np.asarray(confidence)})
    try:
        return Markers(
            names,
            points,
            times,
            rate=None if times is not None else rate or stated or USUAL_RATE,
            unit=found.get("unit", 1.0) if unit is None else unit,
            name=Path(path).stem,
            source=source | _rate_note(times, rate or stated),
        )
    except ManikinError as error:
        raise BadFile(path, str(error)) from error


def _rate_note(times: NDArray[np.float64] | None, rate: float | None) -> dict[str, Any]:
    if times is not None or rate is not None:
        return {}
    return {"notes": (f"the file does not state its rate; {USUAL_RATE:g} frames per second are used",)}
