"""The goals that pull the parts of a figure to their ideal placements, and their targets and weights in each frame.

Weights are relative. The positions of knees, elbows and wrists are directions of bones in disguise: they have weight 1.
A planted sole has weight 100, so nothing else moves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadValue, unknown_name
from manikin.figure.joint import Ball, Euler, Free, Hinge
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration, following
from manikin.goals import Goal, Orientation, Position
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.planting import PLANTED_ANKLE, Planted
from manikin.motion.soles import Soles

WEIGHTS = {
    "hips": 1.0,
    "pelvis": 3.0,
    "chest": 3.0,
    "spine": 0.3,
    "neck": 0.3,
    "head": 1.0,
    "clavicle": 0.2,
    "upper arm": 0.3,
    "forearm": 0.3,
    "hand": 0.2,
    "thigh": 0.3,
    "shank": 0.3,
    "foot": 0.3,
    "toes": 0.1,
    "shoulder": 0.3,
    "knee": 1.0,
    "elbow": 1.0,
    "wrist": 1.0,
    "ankle": 10.0,
}
"""Weight of each kind of goal: the orientations of parts, and the positions of hips and joints. "ankle" is that of a
foot in the air. "shoulder" counts if a clavicle has more than three degrees of freedom, because its orientation then
does not determine where it ends."""
THREE = 3
"""A part with this many degrees of freedom can have any orientation."""
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


def weights_by_kind(weights: Mapping[str, float] | None) -> dict[str, float]:
    """The weights, with some of them replaced.

    Raises:
        UnknownName: a key is not a kind of goal.
    """
    for key in weights or {}:
        if key not in WEIGHTS:
            raise unknown_name("weights", "kind of goal", key, list(WEIGHTS))
    return {**WEIGHTS, **(weights or {})}


def wishes_for(ideal: Ideal, weights: Mapping[str, float]) -> list[Wish]:
    """The goals of all parts except the soles."""
    target = ideal.calibration
    out = [_position(ideal, "hips", "pelvis", target.hips, ideal.hips(), weights["hips"])]
    spine = [part for part in target.axes if part.startswith("spine")]
    for part in target.axes:
        kind = "chest" if spine and part == spine[-1] else part.split()[0] if part.startswith(("spine", "neck")) else ""
        kind = kind or (part.partition(" ")[2] if part.startswith(SIDES) else part)
        if kind in LIMBS and turns_of(target, part) < THREE:
            continue
        out.append(_orientation(ideal, kind, part, weights[kind]))
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
            if not link.hangs:  # a foot that is attached elsewhere must follow the end of the shank
                out.append(_position(ideal, kind, after, link.at_own, ideal.center(after), weights[kind]))
    return out


def sole_wishes(ideal: Ideal, soles: Soles, planted: Planted) -> list[Wish]:
    """The goals of sole points and wrists."""
    target, out = ideal.calibration, []
    for k, wanted, weights in zip(planted.indices, planted.wanted, planted.weights, strict=True):
        name = soles.names[k]
        if k >= soles.feet:
            link = target.links[name]
            segment, offset = target.bones.main(link.parent), link.at_parent
        else:
            segment, offset = soles.segments[k], soles.points[k]
        goal = Position(segment, (0.0, 0.0, 0.0), offset=tuple(offset), name=name)
        out.append(Wish(goal, "sole", wanted @ target.world.T, weights))
    return out


def with_ankles(wishes: list[Wish], ideal: Ideal, planted: Planted) -> list[Wish]:
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
    return [replace(w, rows=w.rows + world) if isinstance(w.goal, Position) else w for w in wishes]


def turns_of(calibration: Calibration, part: str) -> int:
    """Number of directions in which a part turns relative to the part that it hangs on."""
    count = 0
    for name in calibration.bones[part]:
        for motion in calibration.figure.segment(name).joint.motions:
            if isinstance(motion, (Ball, Free)):
                count += 3
            elif isinstance(motion, Euler):
                count += len(motion.order)
            elif isinstance(motion, Hinge):
                count += 1
    return count


def joints_to_move(calibration: Calibration, carrier: str) -> list[str]:
    """The joints of all parts, those between pelvis and chest, and the one that carries the body.

    The three slides of a foot that is attached elsewhere are named one by one, because such slides are held.
    """
    figure, bones = calibration.figure, calibration.bones
    names = {name for part in calibration.axes for name in bones[part]} | {carrier}
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


def carrying_joint(calibration: Calibration) -> str:
    """The segment whose joint moves and turns the whole body: the lowest one with six degrees of freedom above all
    parts.

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
        f"mk.load_figure('robot.urdf', root='free')"
    )


def _position(ideal: Ideal, kind: str, part: str, point: Vector, at: Points, weight: float) -> Wish:
    goal = Position(ideal.calibration.bones.main(part), (0.0, 0.0, 0.0), offset=tuple(point), name=f"{part} {kind}")
    return Wish(goal, kind, at @ ideal.calibration.world.T, np.full(len(at), weight))


def _orientation(ideal: Ideal, kind: str, part: str, weight: float) -> Wish:
    turns = rotations.from_matrix(ideal.calibration.world @ ideal.turns[part])
    goal = Orientation(ideal.calibration.bones.main(part), (1.0, 0.0, 0.0, 0.0), name=f"{part} turn")
    return Wish(goal, kind, turns, np.full(len(turns), weight))
