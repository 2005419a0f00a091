"""Arms that do not snap where the place of a hand leaves them no direction.

An arm whose wrist is moved (`hands`) has no direction where the wrist passes the shoulder, and no side where it is
straight. If its forearm is longer than its upper arm, wrists near the shoulder are out of its reach as well. Near such
places a small step of the wrist turns the arm by a large angle. Here such a turn is spread over the frames around it,
in which the wrist is not where it belongs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin import rotations
from manikin.arrays import Rotations, Vector
from manikin.motion.retarget.planting import smooth
from manikin.motion.retarget.watch import turn_angles

AROUND = 0.1
"""An arm may turn as fast as the same arm of the source within this time before and after, in seconds."""
FREE = 15.0
"""An arm may always turn as fast as this, in rad/s."""
SNAP = 2.0
"""An arm snaps if it turns faster than it may by this factor, or faster than it may in any frame of the clip. With a
factor of 1, arms that are only a little faster than those of the source would leave the places of their hands too."""


def most_turns(arm: Sequence[Rotations], times: Vector) -> Vector:
    """(frames − 1,) the angle by which an arm may turn in each step, from its parts (frames, 3, 3) in the source."""
    seconds = np.diff(times)
    speeds = _steps(arm) / seconds
    middles = 0.5 * (times[1:] + times[:-1])
    first, last = np.searchsorted(middles, middles - AROUND), np.searchsorted(middles, middles + AROUND, "right")
    fastest = np.array([speeds[a:b].max() for a, b in zip(first, last, strict=True)])
    return np.asarray(np.maximum(fastest, FREE) * seconds)


def calm(arm: Sequence[Rotations], most: Vector) -> list[Rotations]:
    """Parts (frames, 3, 3) of an arm without snaps. `most` (frames − 1,) is how far it may turn in each step.

    Around a snap, the parts turn evenly from a frame before to a frame after. These frames are as near as they can be
    while no step between them is larger than it may be. In a clip that is too short for this they are its ends.
    """
    out = [np.array(R) for R in arm]
    snaps = np.maximum(np.minimum(SNAP * most, most.max()), most * (1.0 + 1e-9))
    steps, step = _steps(out), 0
    while len(late := np.flatnonzero(steps[step:] > snaps[step:])):
        first, last = _frames_around(out, step + int(late[0]), most)
        for R in out:
            R[first : last + 1] = _evenly(R[first], R[last], last - first)
        steps[first:last] = _steps([R[first : last + 1] for R in out])
        step = last
    return out


def _frames_around(arm: Sequence[Rotations], step: int, most: Vector) -> tuple[int, int]:
    """The nearest frames before and after a step between which the parts can turn evenly."""
    end = len(most)
    for wide in range(1, end + 1):
        first, last = max(step - wide, 0), min(step + 1 + wide, end)
        angle = max(float(turn_angles(R[first], R[last])) for R in arm)
        if (angle * np.diff(_shares(last - first)) <= most[first:last]).all():
            break
    return first, last


def _shares(steps: int) -> Vector:
    """(steps + 1,) shares of a turn, which begins and ends slowly."""
    return smooth(np.linspace(0.0, 1.0, steps + 1))


def _evenly(a: Rotations, b: Rotations, steps: int) -> Rotations:
    """(steps + 1, 3, 3) rotations that turn evenly from a to b."""
    q = rotations.from_matrix(np.stack([a, b]))
    out = rotations.to_matrix(rotations.slerp(q[0], q[1], _shares(steps)))
    out[0], out[-1] = a, b
    return np.asarray(out)


def _steps(arm: Sequence[Rotations]) -> Vector:
    """(frames − 1,) the larger turn of the parts in each step, in radians."""
    return np.asarray(np.max([turn_angles(R[:-1], R[1:]) for R in arm], axis=0))
