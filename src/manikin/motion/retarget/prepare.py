"""Preparation of the solve: the contacts of the source, and where the parts of the target would be if its joints were
free."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from manikin import arrays
from manikin.arrays import Points, Vector
from manikin.errors import BadValue
from manikin.figure.kept import kept
from manikin.figure.parts.calibration import Calibration
from manikin.motion.contacts import Contacts
from manikin.motion.contacts import contacts as find_contacts
from manikin.motion.floor import Floor
from manikin.motion.motion import Motion
from manikin.motion.retarget.follow_ideal import Feet
from manikin.motion.retarget.ground import Travel, source_height, target_ground, travel
from manikin.motion.retarget.hands import with_hands
from manikin.motion.retarget.ideal import Ideal, ideal_placements, sole_depth
from manikin.motion.retarget.planting import WRIST_ABOVE, contact_masks, nearness, smooth
from manikin.motion.retarget.watch import Observed, frames_apart, watch
from manikin.motion.soles import Soles, find_soles


@dataclass(frozen=True, eq=False)
class Prepared:
    """Ideal placements of a target, and what was found in the source."""

    watched: Observed
    """The source, from frame `first` on."""
    ideal: Ideal
    """Where the parts of the target would be, relative to the floor."""
    feet: Feet
    """The sole points of the target, and when they are on the floor."""
    touching: Contacts
    """The contacts of the source."""
    ways: Travel
    first: int
    """The first frame that is used: 1 if frame 0 is a separate pose, and more if several frames are."""
    times: Vector
    """(frames,) seconds."""
    scale: float
    """The size of the result relative to the source."""

    def held(self) -> Prepared:
        """The same for a target whose body is held: relative to its pelvis, without travel, contacts and floor."""
        feet = Feet(self.feet.soles, np.zeros_like(self.feet.masks), lambda points: np.full(len(points), -np.inf))
        still = Travel(np.zeros_like(self.ways.floor_way), np.zeros_like(self.ways.added))
        return replace(self, ideal=self.ideal.held(), feet=feet, ways=still)


def prepare(
    motion: Motion,
    source: Calibration,
    target: Calibration,
    hands: str = "arms",
    plant: bool = True,
    in_place: bool | None = None,
    floor: Floor = None,
    scale: float | None = None,
    contacts: Contacts | None = None,
) -> Prepared:
    """Does steps 3 to 5 of `retarget`. The arguments are those of `retarget`."""
    watched = watch(source, motion.poses)
    first = frames_apart(watched, motion.times)
    watched, times = watched.part_from(first), motion.times[first:]
    touching = contacts_from(motion, first, floor, source, contacts)
    size = target.leg / source.leg if scale is None else arrays.positive(scale, "scale")
    soles = target_soles(target)
    ways = travel(touching, watched, times, size, in_place)
    hips = _hips(watched, touching, size) + np.array([0.0, sole_depth(target, soles), 0.0]) - ways.floor_way
    feet = Feet(soles, contact_masks(soles, touching), target_ground(floor, source.world, size))
    level = _on_the_floor(ideal_placements(watched, target, hips), feet, touching, watched, size, plant)
    placed = with_hands(level, watched, hands, size, times)
    placed = _lifted(placed, feet, times) if plant else placed
    return Prepared(watched, placed, feet, touching, ways, first, times, size)


@kept
def target_soles(target: Calibration) -> Soles:
    """The sole points of a target in its standing pose."""
    pose = target.standing.pose
    return find_soles(target.figure, pose[None], target.bones, pose)


@kept
def found_contacts(source: Calibration, motion: Motion, first: int) -> Contacts:
    """The contacts of a motion from frame `first` on. The floor is found. They are the same for every target."""
    used = motion[first:] if first else motion
    return find_contacts(used, bones=source.bones, pose=source.standing.pose)


def contacts_from(motion: Motion, first: int, floor: Floor, source: Calibration, given: Contacts | None) -> Contacts:
    """The contacts of the frames from `first` on, found or given.

    Raises:
        BadValue: `given` belongs to another motion.
    """
    if given is None:
        if floor is None:
            return found_contacts(source, motion, first)
        return find_contacts(motion[first:], floor, bones=source.bones, pose=source.standing.pose)
    wanted = f"the contacts of motion {motion.name!r}"
    if not isinstance(given, Contacts):
        raise BadValue(f"contacts is {given!r}; it needs {wanted}")
    if len(given.motion) != len(motion):
        raise BadValue(f"contacts has {len(given.motion)} frames; it needs {wanted}, which has {len(motion)}")
    if given.motion.figure != motion.figure:
        raise BadValue(f"contacts belongs to figure {given.motion.figure.name!r}; it needs {wanted}")
    return given.from_frame(first)


def _hips(watched: Observed, touching: Contacts, scale: float) -> Points:
    """(frames, 3) the hips of the source, scaled. Heights are measured from the ankles of level feet on the floor."""
    hips = watched.hips.copy()
    hips[:, 1] -= source_height(touching, watched.calibration.world, hips)
    hips[:, 1] -= sole_depth(watched.calibration, touching.soles)
    return np.asarray(scale * hips)


def _on_the_floor(ideal: Ideal, feet: Feet, touching: Contacts, watched: Observed, scale: float, plant: bool) -> Ideal:
    """Ideal placements, raised or lowered by one constant so that the soles rest on the floor when they should.

    With planting, soles that are down have a median height of 0 above the floor. Without, they keep the scaled height
    that they have in the source.
    """
    under = feet.soles.under_feet
    down = feet.masks[under]
    if not down.any():
        return _on_the_hands(ideal, feet, touching, watched, scale)
    places = np.stack([ideal.at(feet.soles.parts[k], feet.soles.points[k]) for k in under])
    shift = -float(np.median(feet.heights(places)[down]))
    if not plant:
        motion, world = touching.motion, watched.calibration.world
        own = touching.soles.over(motion.figure, motion.poses)[touching.soles.under_feet] @ world
        heights = np.stack([at[:, 1] - source_height(touching, world, at) for at in own])
        shift += scale * float(np.median(heights[down]))
    return ideal.moved(np.array([0.0, shift, 0.0]))


def _lifted(ideal: Ideal, feet: Feet, times: Vector) -> Ideal:
    """Ideal placements, lifted while the feet are in the air until no wrist is below the floor.

    Arms that are longer than those of the source, relative to the legs, would reach into the floor in a cartwheel.
    """
    soles = feet.soles
    hands = [part for part in soles.parts[soles.feet :] if part in ideal.calibration.links]
    places = [ideal.center(part) for part in hands]
    depths = [feet.ground(at) + WRIST_ABOVE * soles.leg - at[:, 1] for at in places]
    need = np.maximum(np.max(depths, axis=0), 0.0) if depths else np.zeros(len(ideal))
    if not need.any():
        return ideal
    air = smooth(1.0 - nearness(times, np.asarray(feet.masks[soles.under_feet].any(axis=0))))
    return ideal.moved(np.outer(need * air, [0.0, 1.0, 0.0]))


def _on_the_hands(ideal: Ideal, feet: Feet, touching: Contacts, watched: Observed, scale: float) -> Ideal:
    """Ideal placements of a motion whose feet never touch the floor. If hands do, one constant raises or lowers the
    body until their wrists have the scaled height that they have in the source."""
    world, shifts = watched.calibration.world, []
    for part, mask in zip(feet.soles.parts, feet.masks, strict=True):
        if mask.any() and part in watched.centers and part in ideal.calibration.links:
            own = watched.centers[part]
            height = scale * (own[:, 1] - source_height(touching, world, own))
            place = ideal.center(part)
            shifts.append((height - place[:, 1] + feet.ground(place))[mask])
    return ideal.moved(np.array([0.0, float(np.median(np.concatenate(shifts))), 0.0])) if shifts else ideal
