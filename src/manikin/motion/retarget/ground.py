"""The floor and the travel of a clip, in canonical axes: what is subtracted from a clip, and what is added again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Points, Rotations, Vector
from manikin.errors import BadValue
from manikin.motion.contacts import Contacts
from manikin.motion.floor import Floor
from manikin.motion.retarget.planting import Ground
from manikin.motion.retarget.watch import Observed


@dataclass(frozen=True, eq=False)
class Travel:
    """How the result travels over the floor."""

    floor_way: Points
    """(frames, 3) displacement of the floor below a clip that walks on the spot; otherwise 0. It is subtracted before
    feet are planted."""
    added: Points
    """(frames, 3) displacement that the result gets after its feet are planted."""


def source_height(contacts: Contacts, world: Rotations, points: Points) -> Vector:
    """(N,) the height of the floor of a clip below points (N, 3) in canonical axes; 0 if a function gives the floor.

    Floors of recordings are level or slightly tilted planes. The result stands on a level floor at height 0. A floor
    that is given by a function keeps its heights.
    """
    if contacts.floor is None:
        return np.zeros(len(points))
    start = contacts.soles.over(contacts.motion.figure, contacts.motion.poses[:1])[0, 0]
    slope = np.array(contacts.floor_slope)
    return np.asarray(contacts.floor + (points @ world.T - start) @ slope)


def target_ground(floor: Floor, source_world: Rotations, scale: float) -> Ground:
    """The height of the floor of the result below points (N, 3), in canonical axes and the unit of the target."""
    if not callable(floor):
        return lambda points: np.zeros(len(points))
    return lambda points: scale * np.asarray(floor(points @ source_world.T / scale), dtype=np.float64)


def own_ground(contacts: Contacts, floor: Floor, world: Rotations) -> Ground:
    """The height of the floor of a clip below points (N, 3), in canonical axes."""
    if callable(floor):
        return lambda points: np.asarray(floor(points @ world.T), dtype=np.float64)
    return lambda points: source_height(contacts, world, points)


def travel(contacts: Contacts, watched: Observed, times: Vector, scale: float, in_place: bool | None) -> Travel:
    """The displacement of the floor, and of the result.

    Args:
        contacts: the contacts of the source.
        watched: the source.
        times: (frames,) seconds.
        scale: size of the target relative to the source.
        in_place: None keeps the travel of the source: a clip on the spot stays on the spot. True removes the mean
            travel. False lets a clip on the spot travel.
    """
    if in_place not in (None, True, False):
        raise BadValue(f"in_place is {in_place!r}; it must be None, True or False")
    seconds = (times - times[0])[:, None]
    velocity = np.array(contacts.floor_velocity) @ watched.calibration.world
    floor_way = scale * seconds * velocity
    if contacts.on_the_spot:
        return Travel(floor_way, np.zeros_like(floor_way) if in_place is False else floor_way)
    added = np.zeros_like(floor_way)
    if in_place and len(times) > 1:
        way = watched.hips[-1] - watched.hips[0]
        added = -scale * seconds / (times[-1] - times[0]) * np.array([way[0], 0.0, way[2]])
    return Travel(floor_way, added)
