"""Whether the feet of a motion stand already, so that planting has nothing to do."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Points, Vector
from manikin.motion.frames import Flags, runs
from manikin.motion.retarget.measure import LEG
from manikin.motion.soles import Soles

STILL = 1.0
"""A point stands in a frame if it is at most this far from its place, in millimetres of a person."""
EDGE = 0.15
"""A foot that leaves its place or comes to it does so within this time, in seconds."""
DEPTH = 10.0
"""No sole may be deeper below the floor than this, in millimetres of a person."""
LEAST = 0.4
"""At least this fraction of the frames of all contacts must stand. It is 0.3 in a foot that sways to and fro."""


def feet_stand(soles: Soles, masks: Flags, places: Points, heights: Matrix, times: Vector) -> bool:
    """Whether no sole is below the floor, and each contact keeps its place, except for a short time at its ends.

    Contacts that are found in a planted motion begin and end a little outside of those that were planted. In the first
    500 frames of 13 clips, their frames are at most 0.09 s from one in which the foot stands, and at least 43 % of them
    stand. Before planting, 9 of the clips have frames more than 0.3 s away, and 2 others have at most 25 % that stand.
    The constants were chosen on these clips.

    Args:
        soles: the points.
        masks: (P, frames) whether each point is on the floor.
        places: (P, frames, 3) the points, relative to the floor.
        heights: (P, frames) their heights above the floor.
        times: (frames,) seconds.
    """
    feet = range(soles.feet)
    unit = 1000.0 * LEG / soles.leg
    if unit * heights[: soles.feet].min() < -DEPTH:
        return False
    if not masks[: soles.feet].any():
        return True
    still = np.zeros_like(masks)
    for k in feet:
        for first, last in runs(masks[k]):
            here = places[k, first : last + 1]
            speed = np.linalg.norm(np.gradient(here, axis=0), axis=1) if last > first else np.zeros(1)
            place = np.median(here[speed <= np.median(speed)], axis=0)  # the slower half of the contact
            far = np.linalg.norm(here - place, axis=1)
            still[k, first : last + 1] = unit * far <= STILL
    if still.sum() < LEAST * masks[: soles.feet].sum():
        return False
    for part in dict.fromkeys(soles.parts[: soles.feet]):
        points = [k for k in feet if soles.parts[k] == part]
        standing = times[still[points].any(axis=0)]
        moving = times[(masks[points] & ~still[points]).any(axis=0)]
        if len(moving) and (not len(standing) or _farthest(moving, standing) > EDGE):
            return False
    return True


def _farthest(times: Vector, others: Vector) -> float:
    """The largest distance of a time to the nearest of other times, which are sorted."""
    k = np.searchsorted(others, times)
    left, right = others[np.maximum(k - 1, 0)], others[np.minimum(k, len(others) - 1)]
    return float(np.minimum(np.abs(times - left), np.abs(right - times)).max())
