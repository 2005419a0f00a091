"""`retarget`: the motion of one figure on another, in six steps.

1. **map**: which segments are which parts, in both figures (`mk.bone_map`).
2. **calibrate**: the axes and joint centres of the parts, from geometry (`figure.parts.calibration`).
3. **watch**: the canonical orientations of the parts of the source, frame by frame (`watch`).
4. **ideal**: where the parts of the target would be if its joints were free (`ideal`).
5. **plant**: where its feet and hands stay on the floor (`planting`).
6. **solve**: joint angles within the limits, by one `Solver.track` (`goals`, `solving`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from manikin.base.blas import one_thread
from manikin.base.progress import Progress, require_progress
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.figure.kept import kept
from manikin.figure.parts.bone_map import BoneMap
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.figure.parts.find import bone_map
from manikin.motion.contacts import Contacts
from manikin.motion.floor import Floor
from manikin.motion.motion import Motion
from manikin.motion.retarget.calm_hands import with_calm_hands
from manikin.motion.retarget.fingers import with_fingers
from manikin.motion.retarget.follow_ideal import follow_ideal, speed_limits
from manikin.motion.retarget.goals import carrying_joint, joints_to_move, limbs_to_move, weights_by_kind
from manikin.motion.retarget.hands import checked_hands
from manikin.motion.retarget.measure import bone_errors, contact_figures, measure
from manikin.motion.retarget.notes import notes, stop_notes
from manikin.motion.retarget.prepare import prepare
from manikin.motion.retarget.results import Retargeted
from manikin.motion.retarget.verdict import shortcomings
from manikin.motion.retarget.watch import observed

HELD = ["the body is held, so the limbs follow the motion relative to the pelvis and no foot is planted"]
"""The note on a result with `hold_body`."""
HOLD = ", or let only its limbs follow with hold_body=True"
"""What can be done with a figure that cannot move freely."""
MapLike = BoneMap | str | os.PathLike[str] | Mapping[str, Any] | None
"""A map, a map file, the segments of some parts by name, or None to find the parts."""


@one_thread
def retarget(
    motion: Motion,
    figure: Figure,
    bones: MapLike = None,
    source_bones: MapLike = None,
    *,
    hands: str = "arms",
    plant: bool = True,
    in_place: bool | None = None,
    floor: Floor = None,
    scale: float | None = None,
    pose: ArrayLike | None = None,
    source_pose: ArrayLike | None = None,
    hold_body: bool = False,
    contacts: Contacts | None = None,
    weights: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Retargeted:
    """Puts a motion on another figure.

    The figures may have different rest poses, proportions, numbers of joints, up axes and units. The orientations of
    the body parts are transferred, the lengths are those of the target. Feet and hands that stay on the floor in the
    source stay on the floor in the result. All joint limits hold. The floor of the result is at height 0, unless a
    function gives it.

    If the first frame is a separate pose, such as a T-pose before the clip, it is left out.

    Args:
        motion: the motion of the source.
        figure: the target: a person, a robot or an animal. It must be able to move freely in space, unless
            `hold_body` is true.
        bones: parts of the target (a `BoneMap`, a map file or a dict); None uses `mk.bone_map`.
        source_bones: parts of the source, likewise.
        hands: what is kept of the arms. "arms" keeps the directions of upper arms and forearms, "body" the distance of
            a hand to what it is near (the other hand, hips, knees, head, chest), "world" its scaled place relative to
            the hips.
        plant: whether feet and hands that touch the floor in the source are kept in place.
        in_place: None keeps the travel of the source: a motion on the spot stays on the spot. True removes the mean
            travel. False lets a motion on the spot travel.
        floor: the height of the floor in the source along its up axis, or a function that gives it for points (N, 3);
            None finds it.
        scale: size of the result relative to the source; None means the ratio of the lengths of the legs.
        pose: (nq,) a pose of the target in which it stands upright on level feet; None uses the rest pose.
        source_pose: (nq,) a pose of the source, likewise; None uses the rest pose or a frame of the motion.
        hold_body: keeps the pelvis where it is in the rest pose, as for a robot on a stand (one that is loaded with
            root="fixed" needs this). The limbs follow the motion relative to the pelvis, and nothing is planted.
        contacts: the contacts of `motion` with the floor; None finds them with `mk.contacts`.
        weights: weights of goals that differ from the defaults (`manikin.motion.retarget.goals.WEIGHTS`).
        progress: called with (frames done, frames). If it returns False, the result has the frames done so far.

    Returns:
        a `Retargeted` with the motion of `figure`, and how well it follows the source.

    Raises:
        BadValue: a figure has no arms or legs, does not stand in any known pose, cannot move freely, or one figure
            stands on two legs and the other on four.

    Example:
        >>> import manikin as mk
        >>> person = mk.human()
        >>> motion = mk.Motion(person, [person.rest, person.rest])
        >>> mk.retarget(motion, mk.human(height=1.2)).motion.figure.name
        'human'
    """
    # Check the arguments, map and calibrate.
    if not isinstance(motion, Motion):
        raise BadValue(f"motion is {type(motion).__name__}; retarget needs a Motion")
    hands = checked_hands(hands)
    if plant not in (True, False):
        raise BadValue(f"plant is {plant!r}; it must be True or False")
    if hold_body not in (True, False):
        raise BadValue(f"hold_body is {hold_body!r}; it must be True or False")
    require_progress(progress)
    source, target = _calibrated(motion, figure, bones, source_bones, pose, source_pose)
    plant = plant and not hold_body
    # Watch the source, and plan where the parts of the target should be.
    ready = prepare(motion, source, target, hands, plant, in_place, floor, scale, contacts)
    ready = ready.held() if hold_body else ready
    watched, ideal, feet, first, times = ready.watched, ready.ideal, ready.feet, ready.first, ready.times
    soles, added, fit = feet.soles, ready.ways.added, ready.scale * source.leg / target.leg
    # Solve.
    by_kind = weights_by_kind(weights, min(fit, 1.0 / fit))
    only = limbs_to_move(target) if hold_body else joints_to_move(target, carrying_joint(target, HOLD))
    speeds = speed_limits(ideal, soles, times, only)
    found = follow_ideal(ideal, times, only, feet if plant else None, added, by_kind, None, progress, speeds)
    found = with_calm_hands(ideal, found, times)
    used = motion.poses[first : first + len(found)]
    poses = with_fingers(source, target, used, times[: len(used)], found)
    # Measure the result.
    mains = target.mains()
    placements = figure.placements(poses, [*mains, *soles.segments])
    places = soles.at(placements[:, len(mains) :]) @ target.world - added[: len(poses)]
    wanted, got = ideal.moved(added), observed(target, placements[:, : len(mains)])
    off = bone_errors(wanted, got)
    measures = measure(wanted, watched, poses, got, off)
    measures |= contact_figures(soles, feet.masks[:, : len(poses)], places, feet.heights(places))
    said = stop_notes(len(poses), len(times)) + (HELD if hold_body else [])
    return Retargeted(
        motion=Motion(figure, poses, times[: len(poses)], motion.name),
        notes=(*said, *notes(watched, wanted, first, ready.touching, off)),
        complete=len(poses) == len(times),
        bones={part: tuple(names) for part, names in target.bones.items()},
        source_bones={part: tuple(names) for part, names in source.bones.items()},
        pose=target.standing.where,
        source_pose=source.standing.where,
        hands=hands,
        scale=ready.scale,
        floor=ready.touching.floor,
        first_frame=first,
        on_the_spot=ready.touching.on_the_spot,
        contacts=tuple((c.point, c.first, c.last) for c in ready.touching),
        measures=measures,
        shortcomings=tuple(shortcomings(measures, plant)),
    )


def _calibrated(
    motion: Motion,
    figure: Figure,
    bones: MapLike,
    source_bones: MapLike,
    pose: ArrayLike | None,
    source_pose: ArrayLike | None,
) -> tuple[Calibration, Calibration]:
    """The calibrations of source and target."""
    theirs, ours = as_map(motion.figure, source_bones, "source_bones"), as_map(figure, bones, "bones")
    if theirs.four_legged != ours.four_legged:
        legs = {True: "four legs", False: "two"}
        raise BadValue(
            f"figure {figure.name!r} stands on {legs[ours.four_legged]} and clip {motion.name!r} on "
            f"{legs[theirs.four_legged]}; give bones= with the parts that are to follow"
        )
    if source_bones is None and source_pose is None:
        source = calibration_of(motion)
    else:
        source = calibrate(motion.figure, theirs, motion.poses, source_pose, option="source_pose")
    same = dict(ours.parts) == dict(theirs.parts) and ours.by_hand == theirs.by_hand
    if same and pose is None and figure == motion.figure:
        return source, source  # the clip shows more than the rest pose alone
    return source, calibrate(figure, ours, None, pose)


@kept
def calibration_of(motion: Motion) -> Calibration:
    """The calibration of a source whose parts and standing pose are found. It is the same for every target."""
    return calibrate(motion.figure, bone_map(motion.figure), motion.poses, option="source_pose")


def as_map(figure: Figure, given: MapLike, option: str) -> BoneMap:
    """The parts of a figure, found or given.

    Raises:
        BadValue: a `BoneMap` of another figure is given, or something that is no map.
    """
    if not isinstance(given, (BoneMap, Mapping, str, os.PathLike, type(None))):
        raise BadValue(
            f"{option} is {given!r}; it needs a BoneMap, the path of a map file, or a dict such as "
            "{'left thigh': [...]}"
        )
    if not isinstance(given, BoneMap):
        return bone_map(figure, given)
    if given.figure != figure:
        raise BadValue(
            f"{option} is a map of figure {given.figure.name!r}; it needs a map of figure {figure.name!r}, or a dict "
            f"of its parts"
        )
    return given
