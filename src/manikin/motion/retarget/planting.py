"""Where feet and hands are while they stay on the floor, blended into where they would be otherwise.

A foot has two sole points. While one is on the floor, it is **locked** to one place: the median of where it would be.
Outside of contacts the offset from the ideal place fades within `FADE` seconds. It continues with its slope, so that
the foot does not jerk when it leaves the floor. Afterwards both points are put back at the length of the sole from each
other, so that the foot can follow them exactly.

Positions are in canonical axes of the world: y is up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Points, Vector
from manikin.motion.contacts import Contacts
from manikin.motion.floor import WINDOW
from manikin.motion.frames import Flags, middle, runs
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.soles import Soles

FADE = 0.2
"""Offsets of locked points fade within this time before and after a contact, in seconds."""
PLANTED = 5000.0
"""Weight of a point on the floor."""
IN_AIR = {"foot": 0.3, "hand": 0.01}
"""Weight of a sole point or a wrist in the air."""
PLANTED_ANKLE = 0.1
"""Weight of the ankle of a planted foot. In the air the ankle leads the foot, on the floor the sole does."""
PIVOT = 0.7
"""A foot pivots if one of its points is put down again this far from its first place, in lengths of the sole. With 0.5,
the limbs of a pirouette on RobotExpressive are off by 1.00° instead of 0.97°."""
HAND_ABOVE = 0.03
"""A wrist on the floor is at least this far above it, in legs."""
ABOVE_FLOOR = 30000.0
"""Weight of a point that is below the floor. With 3000, soles are up to 5.8 mm below it just after they leave it, with
30000 up to 0.9 mm."""
WRIST_ABOVE = 0.02
"""A wrist is kept at least this far above the floor, in legs."""

Ground = Callable[[Points], Vector]
"""Heights (N,) of the floor below points (N, 3)."""


@dataclass(frozen=True, eq=False)
class PlantedPoints:
    """Targets and weights of the points that touch the floor."""

    indices: tuple[int, ...]
    """The points, as indices of `Soles.names`."""
    wanted: Points
    """(points, frames, 3) where each point belongs."""
    weights: Matrix
    """(points, frames)."""
    ankles: dict[str, tuple[Points, Vector]]
    """For each side: (frames, 3) displacement of the ankle, and (frames,) how far its foot is in the air, from 0 on the
    floor to 1."""


def contact_masks(soles: Soles, contacts: Contacts) -> Flags:
    """(points, frames) whether each point of the target is on the floor."""
    none = np.zeros(len(contacts.motion), dtype=bool)
    return np.array([contacts.mask(name) if name in contacts.soles.names else none for name in soles.names])


def planted(ideal: Ideal, soles: Soles, times: Vector, masks: Flags, ground: Ground) -> PlantedPoints:
    """Plants the feet, and the hands that touch the floor.

    Args:
        ideal: the placements of the parts.
        soles: the points that can touch the floor.
        times: (frames,) seconds.
        masks: (points, frames) whether each point is on the floor.
        ground: the height of the floor.
    """
    indices: list[int] = []
    wanted: list[Points] = []
    weights: list[Vector] = []
    ankles: dict[str, tuple[Points, Vector]] = {}
    for side in ("left", "right"):
        pair = [soles.names.index(f"{side} {name}") for name in ("toe", "heel")]
        places = np.stack([ideal.at(f"{side} foot", soles.points[k]) for k in pair])
        moved = planted_foot(times, places, masks[pair], ground)
        indices += pair
        wanted += list(moved)
        weights += [ramp(nearness(times, masks[k]), IN_AIR["foot"]) for k in pair]
        near = nearness(times, np.asarray(masks[pair].any(axis=0)))
        ankles[side] = ((moved - places).mean(axis=0), 1.0 - near)
    for k, part in enumerate(soles.parts):
        if k not in soles.under_feet and masks[k].any():
            indices.append(k)
            if k < soles.feet:
                place, above = ideal.at(part, soles.points[k]), None
            else:
                place, above = ideal.center(part), HAND_ABOVE * soles.leg
            wanted.append(_planted_point(times, place, masks[k], ground, above))
            weights.append(ramp(nearness(times, masks[k]), IN_AIR["hand"]))
    return PlantedPoints(tuple(indices), np.array(wanted), np.array(weights), ankles)


def planted_foot(times: Vector, places: Points, masks: Flags, ground: Ground) -> Points:
    """(2, frames, 3) where toe and heel of a foot belong.

    Args:
        times: (frames,) seconds.
        places: (2, frames, 3) where they would be.
        masks: (2, frames) whether each is on the floor.
        ground: the height of the floor.
    """
    offsets = np.zeros_like(places)
    length = float(np.linalg.norm(places[0, 0] - places[1, 0]))
    for first, last in runs(np.asarray(masks.any(axis=0))):
        here = slice(first, last + 1)
        offsets[:, here] = _locks(places[:, here], masks[:, here], ground, length) - places[:, here]
    moved = places.copy()
    for k in range(2):
        moved[k] += faded(times, offsets[k], masks[k])
        moved[k, :, 1] = np.maximum(moved[k, :, 1], ground(moved[k]))
    return _rigid(moved, np.stack([nearness(times, mask) for mask in masks]), length)


def _planted_point(times: Vector, place: Points, mask: Flags, ground: Ground, above: float | None) -> Points:
    """(frames, 3) where a wrist or a forefoot belongs.

    A wrist is locked at its own height, at least `above` the floor. A forefoot (`above` is None) is locked on the
    floor.
    """
    offset = np.zeros_like(place)
    for first, last in runs(mask):
        lock = middle(place[first : last + 1])
        floor = float(ground(lock[None])[0])
        lock[1] = floor if above is None else max(lock[1], floor + above)
        offset[first : last + 1] = lock - place[first : last + 1]
    return np.asarray(place + faded(times, offset, mask))


def _locks(places: Points, masks: Flags, ground: Ground, length: float) -> Points:
    """(2, frames, 3) the places of toe and heel in the frames of a contact of the foot.

    Usually each has one place. A foot that pivots on one point puts the other down again elsewhere. A contact of the
    other point that is apart from its first one then has a separate place, at the length of the sole from the pivot.
    """
    locks = np.repeat(_locked(places, masks, ground, length)[:, None], places.shape[1], axis=1)
    spans = [runs(mask) for mask in masks]
    middles = [[middle(place[a : b + 1]) for a, b in own] for place, own in zip(places, spans, strict=True)]
    if not any(np.linalg.norm(at - own[0]) > PIVOT * length for own in middles for at in own[1:]):
        return locks
    known = np.zeros_like(masks)
    ordered = sorted((first - last, first, which) for which in range(2) for first, last in spans[which])
    for minus, first, k in ordered:  # a long contact shows its place best, so others follow it
        last = first - minus
        here = np.arange(first, last + 1)
        both = here[known[1 - k, here]]
        place = middle(places[k, here])
        if len(both):
            way = middle(places[k, both] - places[1 - k, both])
            way[1] = 0.0
            place = locks[1 - k, both[0]] + way * (length / max(float(np.linalg.norm(way)), 1e-300))
        place[1] = float(ground(place[None])[0])
        locks[k, here] = place
        known[k, here] = True
    return locks


def _locked(places: Points, masks: Flags, ground: Ground, length: float) -> Points:
    """(2, 3) the places of toe and heel during a contact.

    If both are down together at some time, these frames determine both places. Otherwise each point has the median of
    its own frames. A point that is never down moves with the other one.
    """
    both = masks.all(axis=0)
    if both.any():
        lock = np.stack([middle(place[both]) for place in places])
        lock[:, 1] = ground(lock)
        return _apart(lock, length)
    own: list[Vector | None] = [
        middle(place[mask]) if mask.any() else None for place, mask in zip(places, masks, strict=True)
    ]
    for one in own:
        if one is not None:
            one[1] = float(ground(one[None])[0])
    for here, other in ((0, 1), (1, 0)):
        down, known = masks[other], own[other]
        if own[here] is None and known is not None:
            own[here] = middle(places[here, down]) + known - middle(places[other, down])
    return np.array(own)


def _apart(pair: Points, length: float) -> Points:
    """(2, 3) two points moved along their line until they are `length` apart."""
    way = pair[0] - pair[1]
    now = float(np.linalg.norm(way))
    if now == 0.0:
        return pair
    middle, half = pair.mean(axis=0), way * (0.5 * length / now)
    return np.stack([middle + half, middle - half])


def _rigid(pair: Points, near: Matrix, length: float) -> Points:
    """(2, frames, 3) two points put at the length of the sole from each other.

    A point on the floor stays, and the other one moves. In the air, the point that is farther in time from a contact
    moves more, so that none jumps when it leaves the floor.

    Args:
        pair: (2, frames, 3) toe and heel.
        near: (2, frames) `nearness` of each to its contacts.
        length: length of the sole.
    """
    way = pair[0] - pair[1]
    now = np.linalg.norm(way, axis=1)
    error = way * (length / np.where(now > 0.0, now, 1.0) - 1.0)[:, None]
    free = 1.0 - near
    total = free.sum(axis=0)
    share = np.where(total > 0.0, free[0] / np.where(total > 0.0, total, 1.0), 0.5)[:, None]
    return np.stack([pair[0] + share * error, pair[1] - (1.0 - share) * error])


def faded(times: Vector, offsets: Points, mask: Flags) -> Points:
    """(frames, 3) offsets that are given inside of contacts, faded outside of them.

    After a contact, the offset continues with its slope and is multiplied by a smooth step down to 0. Before a contact
    likewise. Between two contacts that are nearer than `FADE`, one offset is blended into the other.
    """
    out = np.where(mask[:, None], offsets, 0.0)
    spans = runs(mask)
    if not spans:
        return out
    step = max(1, round(WINDOW * (len(times) - 1) / max(times[-1] - times[0], 1e-300)))
    for first, last in runs(~mask):
        t = times[first : last + 1]
        before, after = first - 1, last + 1
        left = _continued(times, offsets, before, max(before - step, _start(spans, before)), t) if first else None
        right = None
        if after < len(times):
            right = _continued(times, offsets, after, min(after + step, _end(spans, after)), t)
        near = left is not None and right is not None and times[after] - times[before] < FADE
        if left is not None and right is not None and near:
            part = smooth((t - times[before]) / (times[after] - times[before]))[:, None]
            out[first : last + 1] = left * (1.0 - part) + right * part
            continue
        if left is not None:
            out[first : last + 1] += left * smooth(1.0 - (t - times[before]) / FADE)[:, None]
        if right is not None:
            out[first : last + 1] += right * smooth(1.0 - (times[after] - t) / FADE)[:, None]
    return out


def _continued(times: Vector, offsets: Points, edge: int, inside: int, t: Vector) -> Points:
    """The offset at the edge of a contact, continued to times t with its slope."""
    slope = np.zeros(3)
    if inside != edge:
        slope = (offsets[edge] - offsets[inside]) / (times[edge] - times[inside])
    return np.asarray(offsets[edge] + (t - times[edge])[:, None] * slope)


def _start(spans: list[tuple[int, int]], frame: int) -> int:
    return next(first for first, last in spans if first <= frame <= last)


def _end(spans: list[tuple[int, int]], frame: int) -> int:
    return next(last for first, last in spans if first <= frame <= last)


def smooth(x: Vector) -> Vector:
    """The smooth step 3x² − 2x³, 0 below 0 and 1 above 1."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def nearness(times: Vector, mask: Flags) -> Vector:
    """(frames,) 1 where a mask is true, falling to 0 linearly within `FADE` seconds."""
    if not mask.any():
        return np.zeros(len(times))
    at = times[mask]
    k = np.searchsorted(at, times)
    left, right = at[np.maximum(k - 1, 0)], at[np.minimum(k, len(at) - 1)]
    apart = np.minimum(np.abs(times - left), np.abs(right - times))
    return np.asarray(1.0 - np.minimum(apart / FADE, 1.0))


def ramp(near: Vector, least: float, most: float = PLANTED) -> Vector:
    """(frames,) weights that grow geometrically from `least` to `most`."""
    return np.asarray(least * (most / least) ** near)
