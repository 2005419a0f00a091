"""Plants the feet of ideal placements and solves for the poses. `retarget` and `plant` share these steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.base.progress import Progress
from manikin.figure import Figure
from manikin.figure.joint import Hinge
from manikin.motion.frames import Flags
from manikin.motion.retarget.caught_arms import arms_among
from manikin.motion.retarget.goals import Wish, floor_wishes, moved, sole_wishes, wishes_for, with_ankles
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.part_joints import segments_of
from manikin.motion.retarget.planting import Ground, planted
from manikin.motion.retarget.solving import CUT, Tracker
from manikin.motion.retarget.watch import turn_angles
from manikin.motion.soles import Soles
from manikin.solvers.native.speeds import TURNING

SLOWEST = 10.0
"""The speed limit of a joint is at least this, in rad/s."""


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


def follow_ideal(
    ideal: Ideal,
    times: Vector,
    only: Sequence[str],
    feet: Feet | None,
    added: Points,
    weights: Mapping[str, float],
    near: Poses | None = None,
    progress: Progress | None = None,
    speeds: Mapping[str, float] | None = None,
) -> Poses:
    """(frames, nq) poses that follow ideal placements within the joint limits.

    Args:
        ideal: the placements of the parts.
        times: (frames,) seconds.
        only: the joints that may move.
        feet: what is planted; None plants nothing.
        added: (frames, 3) a displacement of everything, after planting.
        weights: weights of goals by kind (`goals.weights_by_kind`).
        near: (frames, nq) poses near those to find. A track starts there, and again after a cut; None starts from the
            rest pose.
        progress: called with (frames done, frames). If it returns False, the result has the frames done so far.
        speeds: the largest speed of joints by name, in rad/s; None uses the default of `Solver.track`.
    """
    base = wishes_for(ideal, weights)
    if feet is None:
        wishes = moved(base, added, ideal)
        return _tracker(ideal, wishes, only, times, near, speeds).track(wishes, progress)
    plan = planted(ideal, feet.soles, times, feet.masks, feet.ground)
    led = with_ankles(base, ideal, plan)
    on_floor = [*sole_wishes(ideal, feet.soles, plan), *floor_wishes(ideal, feet.soles, plan, feet.ground)]
    wishes = moved([*led, *on_floor], added, ideal)
    return _tracker(ideal, wishes, only, times, near, speeds).track(wishes, progress)


def _tracker(
    ideal: Ideal,
    wishes: Sequence[Wish],
    only: Sequence[str],
    times: Vector,
    near: Poses | None,
    speeds: Mapping[str, float] | None,
) -> Tracker:
    arms = arms_among(ideal.calibration, wishes, speeds)
    return Tracker(ideal.calibration.figure, wishes, only, times, near, speeds, arms)


def speed_limits(ideal: Ideal, soles: Soles, times: Vector, only: Sequence[str]) -> dict[str, float]:
    """The largest speed of the joints of each part, in rad/s. This is the largest speed of the part in the source,
    relative to its parent part, except at cuts. It is at least `SLOWEST` and at most what the figure allows.

    A robot may have to turn a shoulder by a large angle where it meets a joint limit. This limit spreads such a turn
    over several frames. Joints that carry a foot have no such limit, because planted feet come first.
    """
    target = ideal.calibration
    out: dict[str, float] = {}
    if len(times) < 2:
        return out
    pelvis = ideal.turns["pelvis"]
    whole = turn_angles(pelvis[:-1], pelvis[1:]) <= CUT
    carries = set().union(*(_above(target.figure, name) for name in soles.segments[: soles.feet]))
    for part, link in target.links.items():
        R = np.swapaxes(ideal.turns[link.parent], 1, 2) @ ideal.turns[part]
        fastest = float((turn_angles(R[:-1], R[1:]) / np.diff(times))[whole].max(initial=0.0))
        for name in segments_of(target, part):
            joint = target.figure.segment(name).joint
            if joint.name in only and name not in carries:
                own = [motion.speed for motion in joint.motions if isinstance(motion, Hinge)]
                out[joint.name] = min([TURNING, max(fastest, SLOWEST), *own])
    return out


def _above(figure: Figure, name: str) -> list[str]:
    """A segment and all segments between it and the root."""
    out = [name]
    while (parent := figure.segment(out[-1]).parent) is not None:
        out.append(parent)
    return out
