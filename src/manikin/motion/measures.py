"""Computes the curves of `Quality`: speed and jerk of joints, use of limits; slide, sinking and balance of the feet.

Contacts with the floor come from `contacts`. A toe or heel in contact should rest. Its slide is its horizontal distance
from the median of its positions during the contact. A contact of more than a second is cut into equal pieces, so that
small shifts of a person who stands for a long time do not add up. A foot that slides faster than the thresholds of
`contacts` counts as a foot in the air.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector, frozen
from manikin.errors import BadShape, BadValue
from manikin.figure import Figure
from manikin.goals.support import edges, ground_axes
from manikin.kinematics import swing_twist
from manikin.motion.contacts import Contacts, contacts
from manikin.motion.quality import Quality
from manikin.motion.triples import Triples
from manikin.reference.tree import BALL, SLIDE, TURN

if TYPE_CHECKING:
    from manikin.motion.motion import Motion
    from manikin.motion.motion_solution import MotionSolution

PIECE = 1.0
"""A contact is cut into pieces of at most this many seconds."""


def quality(
    motion: Motion, figure: Figure | None = None, clip: MotionSolution | None = None, floor: float | None = None
) -> Quality:
    """See `Motion.quality`."""
    if figure is not None and not isinstance(figure, Figure):
        raise BadValue(
            f"figure is {figure!r}; it needs a Figure, such as motion.figure.with_limits('human', balls=True), or None"
        )
    posed = motion if figure is None else motion.on(figure)
    owner, count = posed.figure, len(posed)
    speed, jerk = speed_and_jerk(posed)
    feet = _feet(posed, floor)
    errors, tolerances = np.zeros((count, 0)), np.zeros(0)
    names: tuple[str, ...] = ()
    if clip is not None:
        if len(clip.errors) != count:
            raise BadShape(
                f"clip has {len(clip.errors)} frames, but the motion has {count}; they must have the same frames"
            )
        errors, tolerances = np.array(clip.errors), np.array(clip.tolerances)
        names = tuple(goal.label for goal in clip.goals)
    return Quality(
        motion.name,
        posed.times,
        owner.unit,
        owner.size,
        frozen(feet.slide),
        frozen(feet.sinking),
        frozen(_padded(speed.max(axis=1, initial=0.0), count, 1)),
        frozen(_padded(jerk.max(axis=1, initial=0.0), count, 2)),
        frozen(_limit_use(owner, posed.poses)),
        frozen(np.atleast_1d(owner.violation(posed.poses))),
        frozen(feet.balance),
        frozen(errors),
        names,
        frozen(tolerances),
        float(np.percentile(jerk, 99)) if jerk.size else 0.0,
        float(np.percentile(speed, 99)) if speed.size else 0.0,
        feet.soles,
        feet.unknown,
    )


# Joints


def speed_and_jerk(motion: Motion) -> tuple[Matrix, Matrix]:
    """(T − 1, joints) rad/s and (T − 3, joints) rad/s³ of every joint that turns. Joints of three axes are measured as
    rotations."""
    figure, poses = motion.figure, motion.poses
    rate = motion.rate or 1.0
    tree, triples = figure.layout.tree, Triples.of(figure)
    steps = figure.difference(poses[:-1], poses[1:]) if len(motion) > 1 else np.zeros((0, figure.nv))
    turning = np.unique(tree.step[(tree.kind == TURN) & (tree.step >= 0)])
    steps[:, turning] = rotations.wrapped(steps[:, turning])
    if len(steps):
        turns = triples.rotations(poses)
        steps[:, triples.steps.ravel()] = triples.between(turns[:-1], turns[1:])
    balls = tree.step[tree.kind == BALL][:, None] + np.arange(3)
    threes = np.concatenate([balls, triples.steps]).astype(np.intp)
    slides = tree.step[(tree.kind == SLIDE) & (tree.step >= 0)]
    alone = np.setdiff1d(np.arange(figure.nv), np.concatenate([threes.ravel(), slides]))

    def sizes(values: Matrix) -> Matrix:
        return np.concatenate([np.abs(values[:, alone]), np.linalg.norm(values[:, threes], axis=2)], axis=1)

    return sizes(steps) * rate, sizes(np.diff(steps, n=2, axis=0)) * rate**3


def _padded(values: Vector, count: int, before: int) -> Vector:
    """(count,) values at their frames, with 0 at the ends."""
    out = np.zeros(count)
    at = min(before, count)
    out[at : at + len(values)] = values[: count - at]
    return out


def _limit_use(figure: Figure, poses: Matrix) -> Vector:
    """(T,) limit use of the joint nearest to a limit; NaN if no joint has limits."""
    layout = figure.layout
    bounded = np.isfinite(layout.lower) & np.isfinite(layout.upper) & (layout.upper > layout.lower)
    uses: list[Sequence[Vector]] = []
    if bounded.any():
        low, high = layout.lower[bounded], layout.upper[bounded]
        uses.append(np.abs((2.0 * poses[:, bounded] - low - high) / (high - low)).T)
    cones = layout.cones
    for k in range(len(cones.number)):
        turn = poses[:, cones.number[k] : cones.number[k] + 4]
        relative = rotations.multiply(cones.inverse_reference[k], turn)
        one, two, twist = (np.asarray(x) for x in np.moveaxis(swing_twist.decompose(relative, cones.basis[k]), -1, 0))
        least, most = cones.twist[k]
        uses.append([np.hypot(one / cones.swing[k, 0], two / cones.swing[k, 1])])
        if most > least:
            uses.append([np.abs((2.0 * twist - least - most) / (most - least))])
    if not uses:
        return np.full(len(poses), np.nan)
    return np.asarray(np.max(np.concatenate([np.atleast_2d(np.asarray(u)) for u in uses]), axis=0))


# Feet


@dataclass(frozen=True, eq=False)
class _Feet:
    slide: Vector
    sinking: Vector
    balance: Vector
    soles: tuple[str, ...] = ()
    unknown: str = ""


def _feet(motion: Motion, floor: float | None) -> _Feet:
    """Slide, sinking and balance of each frame; NaN if the figure has no feet that can be found."""
    nothing = np.full(len(motion), np.nan)
    if len(motion) < 3:
        return _Feet(nothing, nothing, nothing, unknown="the motion has fewer than three frames")
    try:
        found = contacts(motion, floor)
    except BadValue as error:
        return _Feet(nothing, nothing, nothing, unknown=str(error))
    soles = found.soles
    feet = list(range(soles.feet))
    points = soles.over(motion.figure, motion.poses)
    still = points - (motion.times - motion.times[0])[:, None] * np.array(found.floor_velocity)
    ground = ground_axes(motion.figure.up)
    slide = np.zeros(len(motion))
    for contact in found:
        k, frames = soles.names.index(contact.point), np.arange(contact.first, contact.last + 1)
        seconds = float(motion.times[contact.last] - motion.times[contact.first])
        for during in np.array_split(frames, max(1, int(np.ceil(seconds / PIECE)))) if k in feet else ():
            flat = still[k, during] @ ground.T
            slide[during] = np.maximum(slide[during], np.linalg.norm(flat - np.median(flat, axis=0), axis=1))
    segments = tuple(dict.fromkeys(soles.segments[k] for k in feet))
    sinking = _sinking(found, still[feet], [soles.names[k] for k in feet], given=floor is not None)
    return _Feet(slide, sinking, _balance(motion, found, points, ground), segments)


def _sinking(found: Contacts, points: Points, names: Sequence[str], given: bool) -> Vector:
    """(T,) depth of the lowest point below the floor. If the floor was found from the clip, each point is compared with
    the height at which it rests, because the shape of the sole is only estimated."""
    up = np.eye(3)["xyz".index(found.motion.figure.up)]
    plane = (found.floor or 0.0) + (points - found.soles.over(found.motion.figure, found.motion.poses[:1])[0, 0]) @ (
        np.array(found.floor_slope)
    )
    above = points @ up - plane
    if not given:
        for k, name in enumerate(names):
            stands = found.mask(name)
            above[k] -= np.median(above[k, stands]) if stands.any() else 0.0
    return np.asarray(np.maximum(-above, 0.0).max(axis=0))


def _balance(motion: Motion, found: Contacts, points: Points, ground: Matrix) -> Vector:
    """(T,) distance of the centre of mass outside the points on the floor; NaN if none is, or without masses."""
    out = np.full(len(motion), np.nan)
    if not motion.figure.mass > 0.0:
        return out
    down = np.stack([found.mask(name) for name in found.soles.names])
    center = motion.figure.center_of_mass(motion.poses) @ ground.T
    for t in np.flatnonzero(down.any(axis=0)):
        out[t] = edges(points[down[:, t], t] @ ground.T, center[t])[0].max()
    return out
