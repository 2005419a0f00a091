"""Contacts in which a foot keeps its place, whatever the speed of a motion and its noise.

The thresholds of `contacts` are those of a person who moves at ordinary speed. In a slow motion, a foot that slides or
pivots may be slower than they are. `staying` looks at such contacts again with lower speeds. The thresholds also allow
for floors that are not even, so a heel that is lifted slowly is below them for long. `resting` ends a contact where the
point leaves its resting height. And they allow for the noise of recordings. In a motion without noise, as after
planting, a contact therefore begins before the foot stands and ends after it has left its place. `without_edges` cuts
such contacts to the frames in which the foot stands. Recordings are not affected by this: their points are hardly ever
as slow as `STILL_SPEED`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from manikin.arrays import Matrix, Points, Vector
from manikin.motion.floor import WINDOW, velocities
from manikin.motion.frames import Flags, middle, runs

FARTHEST = 0.08
"""A point on the floor is at most this far from its place, in legs. In walk, dance, PyMO walk and dab it is at most
0.054."""
SLOWER = (0.5, 0.25, 0.125)
"""Fractions of the speed thresholds with which a contact is looked at again if its point goes farther than that."""
LIFTED = {"toe": 0.012, "heel": 0.0175}
"""A point has left the floor if it is this far above its resting height in a contact, in legs. This is how contacts are
labelled by hand (10 and 15 mm); points that are neither, as those of paws, count as toes."""
LANDING = 0.7
"""A heel that lands may slip as fast as this, in legs per second."""
SLIP = 0.03
"""A heel that lands slips at most this far, in legs. In a pirouette, a heel that swings around the toe goes farther."""
STILL_SPEED = 0.001
"""A point stands if it is slower than this, in legs per second."""
STILL = 0.0005
"""A standing point is at most this far from its place, in legs."""
LEAST = 0.25
"""At least this fraction of the frames of all contacts must be slower than `STILL_SPEED`, or the motion is a recording.
In the first 500 frames of walk, dance, PyMO walk and dab it is at most 0.03 in the recordings, and at least 0.48 after
planting or retargeting, also at 60, 30 and 24 frames per second."""
EDGE = 0.15
"""A foot that leaves its place or comes to it does so within this time, in seconds."""


def staying(find: Callable[[float], Flags], points: Points, leg: float) -> Flags:
    """(frames,) contacts of one point in which it stays near one place.

    Args:
        find: finds contacts (frames,) with a fraction of the ordinary speed thresholds.
        points: (frames, 3) the point, relative to the floor.
        leg: the unit of lengths.
    """
    out: Flags = find(1.0)
    for part in SLOWER:
        far = _far(out, points, FARTHEST * leg)
        if not far:
            return out
        slower = find(part)
        for first, last in far:
            out[first : last + 1] = slower[first : last + 1]
    for first, last in _far(out, points, FARTHEST * leg):
        out[first : last + 1] = False
    return out


def _far(mask: Flags, points: Points, most: float) -> list[tuple[int, int]]:
    """The contacts in which a point is farther from its place, the median, than `most`."""
    out = []
    for first, last in runs(mask):
        here = points[first : last + 1]
        if np.linalg.norm(here - middle(here), axis=1).max() > most:
            out.append((first, last))
    return out


def resting(times: Vector, points: Points, height: Vector, mask: Flags, name: str, leg: float) -> Flags:
    """(frames,) contacts of one point, which end when it leaves the height at which it rests.

    The resting height of a contact is the median over the slower half of its frames. A heel lands below it, because the
    toes are still up. Its contact begins there, although it may slip.

    Args:
        times: (frames,) seconds.
        points: (frames, 3) the point, relative to the floor.
        height: (frames,) height of the point above the floor.
        mask: (frames,) the contacts.
        name: name of the point, such as "left heel".
        leg: the unit of lengths.
    """
    heel = name.endswith("heel")
    speed = np.linalg.norm(velocities(times, points), axis=-1)
    out: Flags = np.zeros_like(mask)
    for first, last in runs(mask):
        here = slice(first, last + 1)
        rest = middle(height[here][speed[here] <= middle(speed[here])])
        above = height - rest
        low = np.flatnonzero(above[here] <= LIFTED["heel" if heel else "toe"] * leg)
        near = np.linalg.norm(points[:first] - points[first], axis=1) < SLIP * leg
        slips: Flags = (above[:first] < 0.0) & (speed[:first] < LANDING * leg) & near
        start = int(np.flatnonzero(~slips)[-1]) + 1 if not slips.all() else 0
        out[(start if heel else first) : first + low[-1] + 1] = True
    return out


def without_edges(times: Vector, points: Points, masks: Flags, parts: Sequence[str], leg: float) -> Flags:
    """(P, frames) contacts without the frames in which a standing foot leaves its place or comes to it.

    Args:
        times: (frames,) seconds.
        points: (P, frames, 3) the points of feet, relative to the floor.
        masks: (P, frames) whether each point is on the floor.
        parts: (P,) the foot of each point.
        leg: the unit of lengths.
    """
    slow: Flags = masks & (_speeds(times, points) < STILL_SPEED * leg)
    if not slow.any() or slow.sum() < LEAST * masks.sum():
        return masks
    stands = np.array([_grown(at, s, m, STILL * leg) for at, s, m in zip(points, slow, masks, strict=True)])
    out: Flags = masks.copy()
    for part in dict.fromkeys(parts):
        own = [k for k, name in enumerate(parts) if name == part]
        standing = times[stands[own].any(axis=0)]
        for k in own:
            for first, last in runs(masks[k] & ~stands[k]):
                edge = len(standing) and _farthest(times[first : last + 1], standing) <= EDGE
                out[k, first : last + 1] = not edge
    return out


def _speeds(times: Vector, points: Points) -> Matrix:
    """(P, frames) the speed of each point over `WINDOW` seconds before or after a frame, whichever is less."""
    frames = len(times)
    out = np.full(points.shape[:-1], np.inf)
    step = max(1, round(WINDOW * (frames - 1) / (times[-1] - times[0]))) if frames > 1 else 1
    if frames > step:
        speeds = np.linalg.norm(points[:, step:] - points[:, :-step], axis=-1) / (times[step:] - times[:-step])
        out[:, :-step] = speeds
        out[:, step:] = np.minimum(out[:, step:], speeds)
    return out


def _grown(points: Points, slow: Flags, mask: Flags, still: float) -> Flags:
    """(frames,) the frames of contacts around those that are slow, as long as the point stays at its place."""
    out = np.zeros(len(slow), dtype=bool)
    for first, last in runs(slow):
        place = middle(points[first : last + 1])
        here = mask & (np.linalg.norm(points - place, axis=1) <= still)
        here[first : last + 1] = True
        start, end = next((a, b) for a, b in runs(here) if a <= first <= b)
        out[start : end + 1] = True
    return out


def _farthest(times: Vector, others: Vector) -> float:
    """The largest distance of a time to the nearest of other times, which are sorted."""
    k = np.searchsorted(others, times)
    left, right = others[np.maximum(k - 1, 0)], others[np.minimum(k, len(others) - 1)]
    return float(np.minimum(np.abs(times - left), np.abs(right - times)).max())
