"""The axes and joint centres of each part of a body. They do not depend on how a rig draws its rest pose.

The **canonical axes** of a part are x left, y up, z forward in the neutral stance: upright, with hanging arms and the
palms to the thighs. In the space of the main segment of the part they are a constant rotation A (`part_axes`). The
canonical orientation of the part in a pose is C = Wᵀ R A, with R the rotation of the main segment and W the canonical
axes of the world. Two figures with the same C in every part are in the same posture, whatever their rest poses are.

Parts are connected by joints. The centre of a joint is a fixed point of both parts that meet there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Placements, Poses, Rotations, Vector
from manikin.figure.figure import Figure
from manikin.figure.kept import kept, values_of
from manikin.figure.parts.axes import POSTURES, snapped
from manikin.figure.parts.bone_map import SIDES, BoneMap, following
from manikin.figure.parts.bone_names import Part
from manikin.figure.parts.part_axes import DrawnParts
from manikin.figure.parts.skeleton import skeleton_of
from manikin.figure.parts.standing import STANDS, Standing, body_axes, standing_pose, standing_score, unit

OTHER_UP = 0.8
"""If the trunk of a clip points along another axis than the figure's up axis, with a mean of at least this cosine, that
axis is up."""

FACES = np.deg2rad(60.0)
"""A standing pose that is not the rest pose faces a world axis if the angle to it is less than this, in radians."""


@dataclass(frozen=True, eq=False)
class Link:
    """The joint between a part and the part that it hangs on, toward the pelvis."""

    parent: str
    """The part toward the pelvis."""
    at_parent: Vector
    """(3,) centre of the joint in the space of the main segment of `parent`."""
    at_own: Vector
    """(3,) centre of the joint in the space of the part's own main segment."""
    hangs: bool
    """Whether the part is attached to its parent part. The feet of some rigs are attached to the root."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """Axes and joint centres of the parts of one figure."""

    figure: Figure
    bones: BoneMap
    standing: Standing
    """The pose in which the axes were determined."""
    world: Rotations
    """(3, 3) W: columns are left, up and forward of the figure in the world."""
    axes: Mapping[str, Rotations]
    """(3, 3) A of each part: its canonical axes in the space of its main segment."""
    links: Mapping[str, Link]
    """The joint of each part except the pelvis, parents first."""
    hips: Vector
    """(3,) the point midway between the centres of the thighs, in the space of the pelvis."""
    leg: float
    """Length of thigh and shank, the mean of both sides."""
    notes: tuple[str, ...]
    """Sentences about what was assumed."""

    def mains(self) -> list[str]:
        """The main segment of each part, in the order of `axes`."""
        return [self.bones.main(part) for part in self.axes]

    def bone(self, part: str) -> Vector:
        """(3,) from the centre of a limb part to the centre of the next part, in the space of its main segment."""
        return self.links[following(part)].at_parent - self.links[part].at_own


def calibrate(
    figure: Figure,
    bones: BoneMap,
    poses: Poses | None = None,
    pose: ArrayLike | None = None,
    option: str = "pose",
) -> Calibration:
    """Determines the axes and joint centres of the parts of a figure.

    Args:
        figure: a person, a robot or an animal on four legs.
        bones: the parts of the figure.
        poses: (frames, nq) of a clip. It shows in which direction elbows and knees bend, and it may contain a pose
            that stands; None if there is no clip.
        pose: (nq,) a pose that stands on level feet; None uses that of the map, the rest pose, or a frame of the clip.
        option: the name that the caller uses for `pose`, for messages; "bones" for a map.

    Raises:
        BadValue: no pose stands, or left and right cannot be distinguished.
        UnknownName: the map has no pelvis.
    """
    if poses is not None or pose is not None or figure is not bones.figure:
        return _calibrated(figure, bones, poses, pose, option)
    values = values_of(bones)  # without a clip, it depends on the map alone
    if calibrate not in values:
        values.setdefault(calibrate, _calibrated(figure, bones, poses, pose, option))
    known: Calibration = values[calibrate]
    return known


def _calibrated(
    figure: Figure, bones: BoneMap, poses: Poses | None, pose: ArrayLike | None, option: str
) -> Calibration:
    bones.first("pelvis")  # a map whose parts are all given by hand may lack it
    clip = np.zeros((0, figure.nq)) if poses is None else poses
    by_hand = bones.by_hand.standing(figure)
    if pose is None and by_hand is not None:
        standing = Standing(by_hand, "bones")
    elif pose is None:
        standing = standing_pose(figure, clip, bones, option)
    else:
        standing = Standing(arrays.numbers(figure.check(pose, option), option, (figure.nq,)), "given")
    links, hips = _links(bones)
    world = figure.placements(standing.pose)
    body = body_axes(figure, world, bones)
    drawn = DrawnParts(bones, links, standing.pose, world, body, clip)
    axes = drawn.axes()
    for part, turn in bones.by_hand.turns.items():
        axes[part] = axes[part] @ rotations.to_matrix(np.array(turn))
    up, note = _up(figure, bones, clip, body, axes["pelvis"])
    lengths = [
        np.linalg.norm(links[f"{side} {lower}"].at_parent - links[f"{side} {upper}"].at_own)
        for side in SIDES
        for upper, lower in (("thigh", "shank"), ("shank", "foot"))
    ]
    return Calibration(
        figure,
        bones,
        standing,
        _world(figure, bones, up, body),
        axes,
        links,
        hips,
        float(np.sum(lengths)) / 2.0,
        (*note, *dict.fromkeys(drawn.notes)),
    )


def parent_part(bones: BoneMap, part: str) -> str | None:
    """The part that a part hangs on, toward the pelvis; None for the pelvis."""
    if part == "pelvis":
        return None
    spine = [name for name in bones if name.startswith("spine")]
    necks = [name for name in bones if name.startswith("neck")]
    chest = spine[-1] if spine else "pelvis"
    for stages, below in ((spine, "pelvis"), (necks, chest)):
        if part in stages:
            before = stages.index(part) - 1
            return stages[before] if before >= 0 else below
    if part == "head":
        return necks[-1] if necks else chest
    side, _, limb = part.partition(" ")
    arm, leg = ("clavicle", "upper arm", "forearm", "hand"), ("thigh", "shank", "foot", "toes")
    chain = arm if limb in arm else leg
    above = [f"{side} {name}" for name in chain[: chain.index(limb)] if f"{side} {name}" in bones]
    return above[-1] if above else chest if chain is arm else "pelvis"


@kept
def _links(bones: BoneMap) -> tuple[dict[str, Link], Vector]:
    """The joint of each part, and the hips in the space of the pelvis."""
    figure, skeleton = bones.figure, skeleton_of(bones.figure)
    rest = skeleton.rest
    indices = {part: [figure.segment_index(name) for name in names] for part, names in bones.items()}
    out: dict[str, Link] = {}
    for part in _outward(bones):
        parent = parent_part(bones, part)
        if parent is None:
            continue
        below = bool(skeleton.down(indices[parent][-1], indices[part][0]))
        above = bool(skeleton.down(indices[part][-1], indices[parent][0]))
        # In a figure that is rooted at the chest, the joint belongs to the part nearer to the pelvis.
        center = skeleton.center(indices[parent] if above and not below else indices[part])
        points = [_local(rest[indices[p][-1]], center) for p in (parent, part)]
        out[part] = Link(parent, points[0], points[1], below or above)
    return out, np.asarray(np.mean([out[f"{side} thigh"].at_parent for side in SIDES], axis=0))


def _outward(bones: BoneMap) -> list[str]:
    """The parts, each after the part that it hangs on."""
    rank = ("pelvis", "spine", "neck", "head", "clavicle", "upper arm", "forearm", "hand", "thigh", "shank", "foot")
    order = {name: k for k, name in enumerate((*rank, "toes"))}
    return sorted(bones, key=lambda part: order[Part.of(part).name])


def _local(placement: Placements, point: Vector) -> Vector:
    """A point of the world in the space of a segment."""
    return np.asarray(placement[:3, :3].T @ (point - placement[:3, 3]))


def _up(
    figure: Figure, bones: BoneMap, poses: Poses, body: Rotations, pelvis: Rotations
) -> tuple[Vector, tuple[str, ...]]:
    """The up axis of the world, and a note if it is not the figure's."""
    own = np.eye(3)["xyz".index(figure.up)]
    drawn = snapped(body[:, 1], POSTURES.upright)
    if not len(poses) or bones.four_legged or abs(drawn @ own) > 0.5:
        return own, ()
    turns = figure.placements(poses, [bones.main("pelvis")])[:, 0, :3, :3]
    mean = (turns @ pelvis[:, 1]).mean(axis=0)
    if mean @ drawn < OTHER_UP:
        return own, ()
    axis = "xyz"[int(np.argmax(np.abs(drawn)))]
    return drawn, (f"figure {figure.name!r} has up axis {figure.up}, but its clip stands along {axis}; {axis} is up",)


def _world(figure: Figure, bones: BoneMap, up: Vector, body: Rotations) -> Rotations:
    """The canonical axes of the world. Forward is where the rest pose faces, or else the standing pose."""
    rests = standing_score(figure, figure.rest[None], bones)[0] > STANDS
    facing = (body_axes(figure, skeleton_of(figure).rest, bones) if rests else body)[:, 2]
    ahead = unit(facing - up * (facing @ up))
    if not ahead.any():
        ahead = unit(body[:, 1] - up * (body[:, 1] @ up))
    forward = snapped(ahead, POSTURES.upright if rests else FACES)
    return np.stack([rotations.cross(up, forward), up, forward], axis=1)
