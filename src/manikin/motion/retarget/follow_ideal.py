"""Plants the feet of ideal placements and solves for the poses. `retarget` and `plant` share these steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.motion.frames import Flags
from manikin.motion.retarget.goals import moved, sole_wishes, weights_by_kind, wishes_for, with_ankles
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.measure import sole_places
from manikin.motion.retarget.planting import Ground, lifted, planted
from manikin.motion.retarget.solving import Progress, Tracker
from manikin.motion.soles import Soles


@dataclass(frozen=True, eq=False)
class Feet:
    """What planting needs to know."""

    soles: Soles
    masks: Flags
    """(points, frames) whether each point is on the floor."""
    ground: Ground
    """The height of the floor, in canonical axes."""

    def heights(self, places: Points) -> Matrix:
        """(P, frames) heights of points (P, frames, 3) above the floor."""
        return np.stack([at[:, 1] - self.ground(at) for at in places])


@dataclass(frozen=True, eq=False)
class Followed:
    """Solved poses."""

    poses: Poses
    """(frames, nq)."""
    passes: int
    """1, or 2 if points sank into the floor and were lifted."""


def follow_ideal(
    ideal: Ideal,
    times: Vector,
    only: Sequence[str],
    feet: Feet | None,
    added: Points,
    weights: Mapping[str, float] | None = None,
    start: Vector | None = None,
    progress: Progress | None = None,
) -> Followed:
    """Poses that follow ideal placements within the joint limits.

    Args:
        ideal: the placements of the parts.
        times: (frames,) seconds.
        only: the joints that may move.
        feet: what is planted; None plants nothing.
        added: (frames, 3) a displacement of everything, after planting.
        weights: weights of goals that differ from `goals.WEIGHTS`.
        start: (nq,) a pose near the first frame; None starts from the rest pose.
        progress: called with (frames done, frames). If it returns False, the result has the frames done so far.
    """
    base = wishes_for(ideal, weights_by_kind(weights))
    if feet is None:
        wishes = moved(base, added, ideal)
        tracker = Tracker(ideal.calibration.figure, wishes, only, times, start)
        return Followed(tracker.track(wishes, progress), 1)
    plan = planted(ideal, feet.soles, times, feet.masks, feet.ground)
    led = with_ankles(base, ideal, plan)
    wishes = moved([*led, *sole_wishes(ideal, feet.soles, plan)], added, ideal)
    tracker = Tracker(ideal.calibration.figure, wishes, only, times, start)
    poses = tracker.track(wishes, progress)
    if len(poses) < len(times):
        return Followed(poses, 1)
    places = sole_places(ideal, feet.soles, poses) - added
    plan, sinks = lifted(plan, feet.soles, places, times, feet.ground)
    if not sinks:
        return Followed(poses, 1)
    wishes = moved([*led, *sole_wishes(ideal, feet.soles, plan)], added, ideal)
    tracker = Tracker(ideal.calibration.figure, wishes, only, times, poses[0])
    return Followed(tracker.track(wishes, progress), 2)
