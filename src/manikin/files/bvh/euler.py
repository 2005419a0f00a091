"""Angles over time without jumps: picks the triple of angles that is nearest to the neighbouring frame.

Two triples of angles, up to whole turns, give the same rotation about three axes: (a, b, c) and (a + π, π − b, c + π).
If the first and last axis are the same, the second triple is (a + π, −b, c + π). If two triples are both flipped in
this way, their distance does not change: only the sign of one difference does. So whether a frame must be flipped
relative to the previous one does not depend on earlier choices. The choice over a whole clip is a running count of
flips, without a loop over frames.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Quaternions

TURN = 2.0 * np.pi
POLE = 2e-9
"""If the cosine of the middle angle (the sine, if first and last axis are the same) is below this, only the sum or
difference of the other two angles is determined."""

Mask = NDArray[np.bool_]


def from_quaternions(order: str, q: Quaternions) -> Matrix:
    """Three angles for each frame, continuous in time. (frames, 4) -> (frames, 3), radians."""
    angles = _settle_poles(order, rotations.to_euler(order, q))
    # Near a pole, the first and the last angle are uncertain, but their combination is exact: the last angle is
    # computed from the rotation that the others leave.
    left = rotations.multiply(rotations.inverse(rotations.from_euler(order[:2], angles[:, :2])), q)
    angles[:, 2] = 2.0 * np.arctan2(left[:, 1 + "XYZ".index(order[2].upper())], left[:, 0])
    return near_neighbours(order, angles, np.ones(len(angles), dtype=bool))


def near_neighbours(order: str, angles: Matrix, edited: Mask) -> Matrix:
    """The same rotations, with the angles of edited frames nearest to those of the previous frame.

    Other frames are unchanged. Edited frames at the beginning follow the frame after them. With one or two angles, only
    whole turns are added.

    Args:
        order: letters X, Y, Z, one for each column.
        angles: (frames, 1 to 3), radians.
        edited: (frames,) whether a frame is edited.

    Returns:
        (frames, columns); a frame that is already nearest keeps its bits.
    """
    if not edited.any():
        return angles
    kept = np.flatnonzero(~edited)
    first = int(kept[0]) if kept.size else 0
    out = np.array(angles)
    out[first:] = _forward(order, out[first:], edited[first:])
    if first > 0:  # the frames before the first unedited one, backward from it
        out[: first + 1] = _forward(order, out[: first + 1][::-1], edited[: first + 1][::-1])[::-1]
    return out


def _forward(order: str, angles: Matrix, edited: Mask) -> Matrix:
    """Moves every edited frame near the previous one. The first frame stays, edited or not."""
    moved = edited[1:]
    if len(order) == 3:
        direct = np.abs(rotations.wrapped(np.diff(angles, axis=0))).sum(axis=1)
        crossed = np.abs(rotations.wrapped(rotations.other_euler(order, angles[1:]) - angles[:-1])).sum(axis=1)
        changes = _running(crossed < direct - 1e-12, moved) % 2 == 1
        angles = np.where(changes[:, None], rotations.other_euler(order, angles), angles)
    turns = -np.round(np.diff(angles, axis=0) / TURN)
    count = np.stack([_running(turns[:, k], moved) for k in range(angles.shape[1])], axis=1)
    return np.where(count == 0.0, angles, angles + TURN * count)


def _running(steps: NDArray[Any], moved: Mask) -> NDArray[Any]:
    """(frames,) sum of the steps since the last frame that was not moved; 0 at such frames. Both arguments are (frames
    − 1,)."""
    total = np.concatenate([[0.0], np.cumsum(np.where(moved, steps, 0.0))])
    last = np.where(np.concatenate([[True], ~moved]), np.arange(len(total)), 0)
    since: NDArray[Any] = total - total[np.maximum.accumulate(last)]
    return since


def _settle_poles(order: str, angles: Matrix) -> Matrix:
    """At a pole, only first ± last is determined. The last angle is copied from the nearest earlier frame that is not
    at a pole."""
    first, middle, last = angles.T
    off, sign = rotations.euler_pole(order, middle)
    pole = off < POLE
    if not pole.any() or pole.all():
        return angles
    frames = np.arange(len(angles))
    earlier = np.maximum.accumulate(np.where(pole, -1, frames))
    earlier[earlier < 0] = int(np.flatnonzero(~pole)[0])  # a pole at the beginning uses the first frame after it
    held = last[earlier]
    return np.where(pole[:, None], np.stack([first + sign * (last - held), middle, held], axis=1), angles)
