"""`plant`: removes foot slide from a motion on its own figure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manikin.arrays import Poses
from manikin.base.progress import Progress, require_progress
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.figure.movable import numbers_of
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.contacts import Contacts
from manikin.motion.floor import Floor
from manikin.motion.motion import Motion
from manikin.motion.retarget.feet_stand import feet_stand
from manikin.motion.retarget.follow_ideal import Feet, follow_ideal
from manikin.motion.retarget.goals import carrying_joint, joints_to_move, weights_by_kind
from manikin.motion.retarget.ground import own_ground, travel
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.measure import contact_figures, sole_places
from manikin.motion.retarget.planting import contact_masks
from manikin.motion.retarget.prepare import contacts_from
from manikin.motion.retarget.results import Planted
from manikin.motion.retarget.retarget import MapLike, as_map
from manikin.motion.retarget.watch import frames_apart, watch

LEGS = ("pelvis", "thigh", "shank", "foot", "toes")
PASSES = 3
"""Most times that a motion is planted. A foot that is lifted onto the floor may touch it longer than before, so that
new contacts are found in the result."""


def plant(
    motion: Motion,
    contacts: Contacts | None = None,
    *,
    floor: Floor = None,
    bones: MapLike = None,
    progress: Progress | None = None,
) -> Planted:
    """Removes foot slide: feet that touch the floor stay in one place and do not sink into it.

    Only the joints of the legs and the joint that carries the body move. All other numbers stay unchanged. A motion on
    the spot stays on the spot: its feet move evenly with the floor. A motion whose feet stand on the floor already
    stays as it is, unless `contacts` or `floor` are given. So a second call changes nothing, also after the motion was
    saved and read.

    Args:
        motion: a clip of a person, a robot or an animal.
        contacts: when the feet touch the floor; None finds this with `mk.contacts`.
        floor: the height of the floor along the up axis, or a function that gives it for points (N, 3); None finds it.
            If `contacts` are given, it must be the floor for which they were found.
        bones: parts of the figure (a `BoneMap`, a map file or a dict); None uses `mk.bone_map`.
        progress: called with (frames done, frames). If it returns False, the result has the frames done so far.

    Returns:
        a `Planted` with the motion, the contacts, and how far the feet slid before and after.

    Raises:
        BadValue: the figure has no arms or legs, or it does not stand in its rest pose or any frame.

    Example:
        >>> clean = mk.plant(mk.load_motion("walk.bvh"))  # doctest: +SKIP
        >>> print(clean); mk.save(clean, "planted.bvh")  # doctest: +SKIP
    """
    if not isinstance(motion, Motion):
        raise BadValue(f"motion is {type(motion).__name__}; plant needs a Motion")
    require_progress(progress)
    out = _planted(motion, contacts, floor, bones, progress)
    for _ in range(PASSES - 1 if contacts is None and floor is None and out.motion is not motion else 0):
        if not out.complete:
            break
        again = _planted(out.motion, None, None, bones, progress)
        if again.motion is out.motion:
            break
        out = replace(again, before=out.before)
    return out


def _planted(
    motion: Motion, contacts: Contacts | None, floor: Floor, bones: MapLike, progress: Progress | None
) -> Planted:
    """Plants once. Without given contacts or floor, a motion whose feet stand stays as it is."""
    figure = motion.figure
    own_contacts = contacts is None and floor is None
    whole = calibrate(figure, as_map(figure, bones, "bones"), motion.poses, option="bones")
    first = frames_apart(watch(whole, motion.poses), motion.times)
    contacts = contacts_from(motion, first, floor, whole, contacts)
    used = contacts.motion
    carrier = carrying_joint(whole)
    body = _legs(whole, carrier, used.poses)
    watched = watch(whole, used.poses)
    ways = travel(contacts, watched, used.times, 1.0, None)
    ideal = _own(body, used).moved(-ways.floor_way)
    soles = contacts.soles if body is whole else contacts.soles.only_feet()
    feet = Feet(soles, contact_masks(soles, contacts), own_ground(contacts, floor, whole.world))
    before = sole_places(ideal, soles, used.poses) - ways.added
    figures = contact_figures(soles, feet.masks, before, feet.heights(before))
    if own_contacts and feet_stand(figures):
        return _result(motion, contacts, first, True, figures, figures)
    only = joints_to_move(body, carrier)
    found = follow_ideal(ideal, used.times, only, feet, ways.added, weights_by_kind(None), used.poses, progress)
    frames = first + len(found)
    poses = np.array(motion.poses[:frames])
    moving = _numbers(figure, only)
    poses[first:, moving] = found[:, moving]
    count = len(found)
    after = sole_places(ideal, soles, poses[first:]) - ways.added[:count]
    figures, planted_figures = (
        contact_figures(soles, feet.masks[:, :count], places, feet.heights(places))
        for places in (before[:, :count], after)
    )
    done = motion[:frames].replaced(poses=poses)
    return _result(done, contacts, first, frames == len(motion), figures, planted_figures)


def _result(
    motion: Motion, contacts: Contacts, first: int, complete: bool, before: dict[str, float], after: dict[str, float]
) -> Planted:
    return Planted(
        motion=motion,
        complete=complete,
        contacts=tuple((c.point, c.first + first, c.last + first) for c in contacts),
        floor=contacts.floor,
        before=before,
        after=after,
    )


def _legs(whole: Calibration, carrier: str, poses: Poses) -> Calibration:
    """The legs and the pelvis alone. It is the whole body for an animal that stands on four legs, and for a figure
    whose legs are carried by other moving joints, such as one that is rooted at the chest."""
    if whole.bones.four_legged:
        return whole
    figure = whole.figure
    axes = {part: A for part, A in whole.axes.items() if part.endswith(LEGS)}
    links = {part: link for part, link in whole.links.items() if part in axes}
    legs = replace(whole, axes=axes, links=links)
    free = set(_numbers(figure, joints_to_move(legs, carrier)))
    for part in axes:
        name: str | None = whole.bones.first(part)
        while name is not None:
            segment = figure.segment(name)
            start = figure.index_of(segment.joint.name)
            held = [n for n in range(start, start + segment.joint.nq) if n not in free]
            if held and np.ptp(poses[:, held], axis=0).any():
                return whole
            name = segment.parent
    return legs


def _own(calibration: Calibration, motion: Motion) -> Ideal:
    """The placements that the parts have in the motion, as ideal placements."""
    W = calibration.world
    placements = motion.figure.placements(motion.poses, calibration.mains())
    parts = list(calibration.axes)
    turns = {part: W.T @ placements[:, k, :3, :3] for k, part in enumerate(parts)}
    return Ideal(calibration, turns, {part: placements[:, k, :3, 3] @ W for k, part in enumerate(parts)})


def _numbers(figure: Figure, only: list[str]) -> list[int]:
    """Indices in q of the numbers that may change."""
    held = figure.layout.held
    out: set[int] = set()
    for name in only:
        numbers = numbers_of(figure, name, "only")
        out.update([n for n in numbers if n not in held] or numbers)
    return sorted(out)
