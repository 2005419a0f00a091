"""The goals that pull the parts of a figure to their ideal placements, and their targets and weights in each frame.

Weights are relative (`WEIGHTS`). Planted soles have a much larger weight (`planting.PLANTED`), so the other goals
hardly move them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from manikin import arrays, rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.errors import BadValue, unknown_name
from manikin.figure.kept import kept
from manikin.figure.parts.bone_map import SIDES, following
from manikin.figure.parts.calibration import Calibration
from manikin.goals import Goal, Orientation, Plane, Position, Relative
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.part_joints import THREE, can_twist, segments_of, turns_of
from manikin.motion.retarget.planting import ABOVE_FLOOR, PLANTED_ANKLE, WRIST_ABOVE, Ground, PlantedPoints
from manikin.motion.soles import Soles
from manikin.problem.problem import ANGLE_LENGTH

WEIGHTS = {
    "hips": 3.0,
    "pelvis": 10.0,
    "chest": 10.0,
    "spine": 0.3,
    "neck": 0.3,
    "head": 3.0,
    "clavicle": 0.2,
    "upper arm": 10.0,
    "forearm": 10.0,
    "hand": 0.2,
    "thigh": 10.0,
    "shank": 10.0,
    "foot": 0.3,
    "toes": 0.1,
    "shoulder": 0.3,
    "knee": 1.0,
    "elbow": 1.0,
    "wrist": 30.0,
    "ankle": 30.0,
}
"""Weight of each kind of goal: the orientations of parts, and the positions of hips and joints. "ankle" is that of a
foot in the air. "shoulder" counts if a clavicle has more than three degrees of freedom, because its orientation then
does not determine where it ends."""
TWIST = 0.1
"""Weight of the turn of a limb about its bone, relative to that of its direction. A limb that cannot twist has only a
direction."""
ATTACHED = 1000.0
"""Weight of the goal that keeps a foot at the end of the shank if it hangs elsewhere in the figure."""
RADIAN = 0.26
"""An error of one radian counts as much as a distance of this many legs. A solver measures angles by the size of the
figure instead, which is 1.3 legs for a robot without a head and 4 legs for a character with long arms."""
LIMBS = ("upper arm", "forearm", "thigh", "shank")
JOINTS = {"upper arm": "elbow", "forearm": "wrist", "thigh": "knee", "shank": "ankle"}
"""The joint at the end of each limb part."""


@dataclass(frozen=True, eq=False)
class Wish:
    """One goal with its targets and weights over the frames."""

    goal: Goal
    kind: str
    """The key of its weight in `WEIGHTS`."""
    rows: Matrix
    """(frames, k) targets in the world of the figure."""
    weights: Vector
    """(frames,)."""


def weights_by_kind(weights: Mapping[str, float] | None, fit: float = 1.0) -> dict[str, float]:
    """The weights, with some of them replaced.

    Args:
        weights: weights that replace the defaults.
        fit: how well the scale fits the ratio of the legs, at most 1. If it is below 1, the steps are too long or too
            short for the legs, so the directions of the legs count less.

    Raises:
        BadValue: `weights` is not a mapping, or a weight is not a number of at least 0.
        UnknownName: a key is not a kind of goal.
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise BadValue(f"weights is {weights!r}; it needs a mapping such as {{'wrist': 10.0}}")
    for key in weights or {}:
        if key not in WEIGHTS:
            raise unknown_name("weights", "kind of goal", key, list(WEIGHTS))
    legs = {kind: WEIGHTS[kind] * fit**4 for kind in ("thigh", "shank")}
    own = {kind: arrays.non_negative(weight, f"weights[{kind!r}]") for kind, weight in (weights or {}).items()}
    return {**WEIGHTS, **legs, **own}


def wishes_for(ideal: Ideal, weights: Mapping[str, float]) -> list[Wish]:
    """The goals of all parts except the soles."""
    target = ideal.calibration
    out = [_position(ideal, "hips", "pelvis", target.hips, ideal.hips(), weights["hips"])]
    spine = [part for part in target.axes if part.startswith("spine")]
    turns = rotations.from_matrix(target.world @ np.stack([ideal.turns[part] for part in target.axes]))
    for k, part in enumerate(target.axes):
        kind = "chest" if spine and part == spine[-1] else part.split()[0] if part.startswith(("spine", "neck")) else ""
        kind = kind or (part.partition(" ")[2] if part.startswith(SIDES) else part)
        out.append(_orientation(target, kind, part, turns[k], weights[kind]))
    for side in SIDES:
        clavicle, upper = f"{side} clavicle", f"{side} upper arm"
        if clavicle in target.axes and turns_of(target, clavicle) > THREE:
            point = target.links[upper].at_parent
            out.append(_position(ideal, "shoulder", clavicle, point, ideal.center(upper), weights["shoulder"]))
        for limb, kind in JOINTS.items():
            part, after = f"{side} {limb}", following(f"{side} {limb}")
            if after not in target.links:
                continue
            link = target.links[after]
            out.append(_position(ideal, kind, part, link.at_parent, ideal.center(after), weights[kind]))
            if not link.hangs:
                out.append(_attached(ideal, after))
    return out


def sole_wishes(ideal: Ideal, soles: Soles, planted: PlantedPoints) -> list[Wish]:
    """The goals of sole points and wrists."""
    target, out = ideal.calibration, []
    for k, wanted, weights in zip(planted.indices, planted.wanted, planted.weights, strict=True):
        segment, offset = _sole_point(target, soles, k)
        goal = _position_goal(target, segment, offset, soles.names[k])
        out.append(Wish(goal, "sole", wanted @ target.world.T, weights))
    return out


def floor_wishes(ideal: Ideal, soles: Soles, planted: PlantedPoints, ground: Ground) -> list[Wish]:
    """Goals that keep sole points and wrists above the floor. They count only where a point is below it."""
    target, out = ideal.calibration, []
    wanted = dict(zip(planted.indices, planted.wanted, strict=True))
    for k, part in enumerate(soles.parts):
        hand = k >= soles.feet
        if part not in target.links:
            continue
        place = wanted[k] if k in wanted else ideal.at(part, soles.points[k])
        at = place.copy()
        at[:, 1] = ground(place) + (WRIST_ABOVE * soles.leg if hand else 0.0)
        segment, offset = _sole_point(target, soles, k)
        goal = _plane_goal(target, segment, offset, f"{soles.names[k]} above the floor")
        up = np.broadcast_to(target.world[:, 1], at.shape)
        rows = np.concatenate([at @ target.world.T, up], axis=1)
        out.append(Wish(goal, "floor", rows, np.full(len(at), ABOVE_FLOOR)))
    return out


def _sole_point(target: Calibration, soles: Soles, k: int) -> tuple[str, tuple[float, ...]]:
    """The segment and the offset of a sole point. A wrist is a point of the forearm."""
    if k < soles.feet:
        return soles.segments[k], tuple(soles.points[k])
    link = target.links[soles.parts[k]]
    return target.bones.main(link.parent), tuple(link.at_parent)


def with_ankles(wishes: list[Wish], ideal: Ideal, planted: PlantedPoints) -> list[Wish]:
    """The goals with ankles that follow the planted soles, and that have little weight while a foot is on the floor."""

    def led(wish: Wish) -> Wish:
        way, air = planted.ankles[(wish.goal.name or "").split()[0]]
        rows = wish.rows + way @ ideal.calibration.world.T
        return replace(wish, rows=rows, weights=PLANTED_ANKLE * (wish.weights / PLANTED_ANKLE) ** air)

    return [led(wish) if wish.kind == "ankle" else wish for wish in wishes]


def moved(wishes: list[Wish], way: Points, ideal: Ideal) -> list[Wish]:
    """The goals with all positions displaced by (frames, 3), in canonical axes."""
    if not way.any():
        return wishes
    world = way @ ideal.calibration.world.T
    out = []
    for wish in wishes:
        rows = wish.rows.copy()
        if isinstance(wish.goal, (Position, Plane)):
            rows[:, :3] += world
        out.append(replace(wish, rows=rows))
    return out


@kept
def joints_to_move(calibration: Calibration, carrier: str) -> list[str]:
    """The joints of all parts, those between pelvis and chest, and the one that carries the body.

    The three slides of a foot that is attached elsewhere are named one by one, because such slides are held.
    """
    figure, bones = calibration.figure, calibration.bones
    names = {name for part in calibration.axes for name in segments_of(calibration, part)} | {carrier}
    out = []
    for segment in figure.segments:
        if segment.name in names and segment.joint.nq and segment.joint.coupling is None:
            out.append(segment.joint.name)
    for part, link in calibration.links.items():
        if not link.hangs:
            joint = figure.segment(bones.first(part)).joint
            first = figure.index_of(joint.name)
            out += [n for n in figure.number_names[first : first + joint.nq] if n.rpartition(".")[2].startswith("t")]
    return out


def limbs_to_move(calibration: Calibration) -> list[str]:
    """The joints of all parts except those that carry the pelvis, for a body that is held.

    In a figure that is rooted at the chest, moving joints lie between the root and the pelvis. They stay in the list,
    and so does the joint that carries the body.
    """
    figure = calibration.figure
    path = [calibration.bones.main("pelvis")]
    while (above := figure.segment(path[-1]).parent) is not None:
        path.append(above)
    moving = [name for name in path if figure.segment(name).joint.nq]
    if len(moving) > 1:
        return joints_to_move(calibration, carrying_joint(calibration))
    held = {figure.segment(name).joint.name for name in moving}
    return [name for name in joints_to_move(calibration, path[0]) if name not in held]


@kept
def carrying_joint(calibration: Calibration, otherwise: str = "") -> str:
    """The segment whose joint moves and turns the whole body: the lowest one with six degrees of freedom above all
    parts.

    Args:
        calibration: of the figure.
        otherwise: what the caller can do with a figure that has none, for the message.

    Raises:
        BadValue: there is none.
    """
    figure = calibration.figure
    index = {name: i for i, name in enumerate(figure.segment_names)}
    paths = []
    for part in calibration.bones:
        path = [calibration.bones.first(part)]
        while (above := figure.segments[index[path[-1]]].parent) is not None:
            path.append(above)
        paths.append(set(path))
    common = set.intersection(*paths)
    held = figure.layout.held
    for segment in reversed(figure.segments):
        first = figure.index_of(segment.joint.name)
        free = set(range(first, first + segment.joint.nq)) - held
        if segment.name in common and len(free) >= 6:
            return segment.name
    raise BadValue(
        f"figure {figure.name!r} cannot move freely in space; load it with root='free', as in "
        f"mk.load_figure('robot.urdf', root='free'){otherwise}"
    )


def _position(ideal: Ideal, kind: str, part: str, point: Vector, at: Points, weight: float) -> Wish:
    goal = _position_goal(ideal.calibration, ideal.calibration.bones.main(part), tuple(point), f"{part} {kind}")
    return Wish(goal, kind, at @ ideal.calibration.world.T, np.full(len(at), weight))


def _attached(ideal: Ideal, part: str) -> Wish:
    """The goal that keeps a part at the end of the one before it, although it hangs elsewhere in the figure."""
    goal = _attached_goal(ideal.calibration, part)
    return Wish(goal, "attached", np.tile(goal.placement, (len(ideal), 1)), np.full(len(ideal), ATTACHED))


def _orientation(target: Calibration, kind: str, part: str, turns: Quaternions, weight: float) -> Wish:
    goal = _orientation_goal(target, kind, part)
    radian = RADIAN * target.leg / (ANGLE_LENGTH * target.figure.size)
    return Wish(goal, kind, turns, np.full(len(turns), radian**2 * weight))


# The goals of a target are the same in every call, so its solver need not be compiled again.


@kept
def _position_goal(_: Calibration, segment: str, offset: tuple[float, ...], name: str) -> Position:
    return Position(segment, (0.0, 0.0, 0.0), offset=offset, name=name)


@kept
def _plane_goal(_: Calibration, segment: str, offset: tuple[float, ...], name: str) -> Plane:
    return Plane(segment, above=True, offset=offset, name=name)


@kept
def _attached_goal(target: Calibration, part: str) -> Relative:
    link = target.links[part]
    ends = (target.bones.main(part), target.bones.main(link.parent))
    return Relative(*ends, link.at_parent, orientation=False, offset=tuple(link.at_own), name=f"{part} attached")


@kept
def _orientation_goal(target: Calibration, kind: str, part: str) -> Orientation:
    segment, name, start = target.bones.main(part), f"{part} turn", (1.0, 0.0, 0.0, 0.0)
    if kind not in LIMBS or following(part) not in target.links:
        return Orientation(segment, start, name=name)
    twist = TWIST if can_twist(target, part) else 0.0
    return Orientation(segment, start, name=name, axis=tuple(target.bone(part)), twist=twist)
