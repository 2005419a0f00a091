"""The canonical axes of each part, determined from one standing pose, and from a clip if there is one.

- **Thigh and upper arm**: −y points to the next joint. The twist about it is given by the direction in which knee or
  elbow bends: in the clip, or by the axis of the hinge, or by a bend of at least 15° in the standing pose. Otherwise
  the axes of the body are turned by the shortest rotation.
- **Shank and forearm**: −y points to the next joint. The axes of the part above are turned by the shortest rotation.
- **Pelvis, spine, neck, head, clavicle**: the axes of the body.
- **Foot and toes**: z points from the ankle to the toes and is level, y is up. If the shank leans to the side, the foot
  leans with it.
- **Hand**: −y points to the middle finger, z to the side of the index finger or the thumb.

An elbow that is bent by less than 25° and a wrist that is bent by less than 30° count as straight, because rigs draw a
relaxed arm and mean a straight one. Hinges are excluded, because the zero of a hinge has an anatomical meaning.

All parts of an animal on four legs have the axes of its body, because the limbs of animals have no common zero. Two
animals then have the same posture if both stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Poses, Rotations, Vector
from manikin.figure.figure import Figure
from manikin.figure.joint import Hinge
from manikin.figure.parts.bone_map import SIDES, BoneMap
from manikin.figure.parts.skeleton import Skeleton
from manikin.figure.parts.standing import unit

if TYPE_CHECKING:
    from manikin.figure.parts.calibration import Link

ELBOW_TURN = np.deg2rad(15.0)
"""Rotation of the elbow about a hanging arm, in radians: the forearm bends forward and this much outward. Rigs differ
between 0° (Rokoko) and 30° (CMU)."""
SHOWS_BEND = np.deg2rad(20.0)
"""A frame shows the direction of a bend if the joint is bent by more than this angle, in radians."""
LEAST_FRAMES = 10
"""At least this many frames must show the direction of a bend."""
ALIKE = 0.7
"""The mean of the directions of bends must be at least this long. It is 1 if all directions are equal."""
LEAST_BEND = np.deg2rad(15.0)
"""A standing pose shows the direction of a bend if the joint is bent by more than this angle, in radians."""
STRAIGHT = {"forearm": np.deg2rad(25.0), "hand": np.deg2rad(30.0)}
"""Joints that are bent by less than this angle, in radians, count as straight."""
LEANS = np.deg2rad(8.0)
"""If a shank leans to the side by more than this angle, in radians, the foot leans with it."""
TWISTS = 0.8
"""A hinge twists a bone if the cosine of the angle between its axis and the bone is above this."""
LIMBS = ("upper arm", "forearm", "thigh", "shank")
DOWN = np.array([0.0, -1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure in a standing pose, from which the axes are determined."""

    figure: Figure
    bones: BoneMap
    skeleton: Skeleton
    pose: Vector
    """(nq,) the standing pose."""
    world: Placements
    """(S, 4, 4) placements in the standing pose."""
    body: Rotations
    """(3, 3) columns: left, up and forward of the body."""
    links: Mapping[str, Link]
    poses: Poses
    """(frames, nq) of a clip; may be empty."""

    @cached_property
    def turns(self) -> dict[str, Rotations]:
        """(frames, 3, 3) rotations of the main segments of all limbs over the clip."""
        parts = [f"{side} {limb}" for side in SIDES for limb in LIMBS]
        placements = self.figure.placements(self.poses, [self.bones.main(part) for part in parts])
        return {part: placements[:, k, :3, :3] for k, part in enumerate(parts)}

    def rotation(self, part: str) -> Rotations:
        """(3, 3) rotation of the main segment of a part."""
        return np.asarray(self.world[self.figure.segment_index(self.bones.main(part)), :3, :3])

    def bone(self, part: str, after: str) -> Vector:
        """(3,) direction from the centre of a part to the centre of the next, in its own space; 0 if it has none."""
        if after not in self.links:
            return np.zeros(3)
        return np.asarray(unit(self.links[after].at_parent - self.links[part].at_own))


def part_axes(drawn: Drawn) -> tuple[dict[str, Rotations], list[str]]:
    """(3, 3) the axes of each part in the space of its main segment; and notes on what was assumed."""
    world = dict.fromkeys(drawn.bones, drawn.body)  # the axes of each part in the world
    notes: list[str] = []
    if not drawn.bones.four_legged:
        for side in SIDES:
            _arm(drawn, side, world, notes)
            _leg(drawn, side, world, notes)
    return {part: drawn.rotation(part).T @ axes for part, axes in world.items()}, notes


def _arm(drawn: Drawn, side: str, world: dict[str, Rotations], notes: list[str]) -> None:
    upper, lower, hand = (f"{side} {name}" for name in ("upper arm", "forearm", "hand"))
    out = 1.0 if side == "left" else -1.0
    way = np.array([out * np.sin(ELBOW_TURN), 0.0, np.cos(ELBOW_TURN)])
    world[upper] = _upper(drawn, upper, lower, hand, way)
    along = drawn.rotation(lower) @ drawn.bone(lower, hand)
    world[lower] = _carried(drawn, lower, world[upper], along)
    if hand in drawn.bones:
        world[hand] = _hand(drawn, hand, world[lower], notes)


def _leg(drawn: Drawn, side: str, world: dict[str, Rotations], notes: list[str]) -> None:
    upper, lower, foot, toes = (f"{side} {name}" for name in ("thigh", "shank", "foot", "toes"))
    world[upper] = _upper(drawn, upper, lower, foot, np.array([0.0, 0.0, -1.0]))
    along = drawn.rotation(lower) @ drawn.bone(lower, foot)
    world[lower] = _turned(world[upper], along)
    world[foot] = _foot(drawn, foot, along, notes)
    if toes in drawn.bones:
        world[toes] = world[foot]


def _upper(drawn: Drawn, upper: str, lower: str, last: str, way: Vector) -> Rotations:
    """The axes of an upper arm or a thigh. `way` is the direction in which the lower part bends, in these axes."""
    R, bone = drawn.rotation(upper), drawn.bone(upper, lower)
    axes = _turned(drawn.body, R @ bone)
    axis = _clip_bend(drawn, upper, lower, last)
    if axis is None:
        axis = _hinge_bend(drawn, upper, lower, last)
    if axis is None:
        axis = _drawn_bend(drawn, upper, lower, last)
    if axis is None:
        return axes
    return _twisted(axes, R @ bone, rotations.cross(DOWN, way), R @ axis)


def _carried(drawn: Drawn, part: str, above: Rotations, along: Vector) -> Rotations:
    """The axes of a part of an arm: those of the part above if the joint is straight, otherwise turned."""
    angle = np.arccos(np.clip(-above[:, 1] @ along, -1.0, 1.0))
    limb = part.partition(" ")[2]
    if not along.any() or (angle < STRAIGHT[limb] and not _hinges(drawn, part)):
        return above
    return _turned(above, along)


def _hand(drawn: Drawn, hand: str, above: Rotations, notes: list[str]) -> Rotations:
    side = hand.split()[0]
    first = drawn.figure.segment_index(drawn.bones.first(hand))
    points: dict[str, Vector] = {}
    for i in drawn.skeleton.below(first):
        words = drawn.bones.words(drawn.figure.segment_names[i])
        if words.startswith(side) and words not in drawn.bones:
            points.setdefault(words.removeprefix(f"{side} "), drawn.world[i, :3, 3])
    origin = drawn.world[first, :3, 3]
    tips = [points[name] for name in ("middle 1", "index 1", "ring 1", "fingers", "pinky 1") if name in points]
    along = unit(tips[0] - origin) if tips else np.zeros(3)
    if not along.any():
        notes.append(f"figure {drawn.figure.name!r} has no fingers; its hands point along the forearms")
        return above
    axes = _carried(drawn, hand, above, along)
    if "index 1" in points and "pinky 1" in points:
        return _twisted(axes, -axes[:, 1], np.array([0.0, 0.0, 1.0]), points["index 1"] - points["pinky 1"])
    if "thumb 1" in points:
        thumb = points.get("thumb 3", points.get("thumb 2", points["thumb 1"]))
        return _twisted(axes, -axes[:, 1], np.array([0.0, 0.0, 1.0]), thumb - origin)
    return axes


def _foot(drawn: Drawn, foot: str, shank: Vector, notes: list[str]) -> Rotations:
    up, main = drawn.body[:, 1], drawn.figure.segment_index(drawn.bones.main(foot))
    ankle = drawn.world[main, :3, :3] @ drawn.links[foot].at_own + drawn.world[main, :3, 3]
    toes = foot.replace("foot", "toes")
    if toes in drawn.bones:
        ends = [drawn.figure.segment_index(drawn.bones.first(toes))]
    else:
        ends = drawn.skeleton.below(main)[1:]
    front = (drawn.world[ends, :3, 3].mean(axis=0) if ends else ankle) - ankle
    front = front - up * (front @ up)
    forward = drawn.body[:, 2]
    if np.linalg.norm(front) > 0.01 * np.linalg.norm(drawn.links[foot].at_parent) and front @ forward > 0.0:
        forward = unit(front)
    else:
        notes.append(f"figure {drawn.figure.name!r} has no toes; its feet point forward")
    lean = -shank - forward * (-shank @ forward)
    if np.arccos(np.clip(unit(lean) @ up, -1.0, 1.0)) > LEANS:
        up = unit(lean)
    return np.stack([rotations.cross(up, forward), up, forward], axis=1)


# The direction of a bend


def _clip_bend(drawn: Drawn, upper: str, lower: str, last: str) -> Vector | None:
    """(3,) the axis about which the lower part bends in the clip, in the space of the upper part."""
    if not len(drawn.poses):
        return None
    bone = drawn.bone(upper, lower)
    below = np.einsum("fji,fjk,k->fi", drawn.turns[upper], drawn.turns[lower], drawn.bone(lower, last))
    across = rotations.cross(bone, below)
    bent = across[np.arctan2(np.linalg.norm(across, axis=1), below @ bone) > SHOWS_BEND]
    total = bent.sum(axis=0)
    if len(bent) < LEAST_FRAMES or np.linalg.norm(total) < ALIKE * np.linalg.norm(bent, axis=1).sum():
        return None
    return np.asarray(unit(total))


def _drawn_bend(drawn: Drawn, upper: str, lower: str, last: str) -> Vector | None:
    """(3,) the same in the standing pose."""
    R = drawn.rotation(upper)
    across = rotations.cross(drawn.bone(upper, lower), R.T @ drawn.rotation(lower) @ drawn.bone(lower, last))
    return np.asarray(unit(across)) if np.linalg.norm(across) > np.sin(LEAST_BEND) else None


def _hinge_bend(drawn: Drawn, upper: str, lower: str, last: str) -> Vector | None:
    """(3,) the axis of a knee or elbow that is a hinge, in the space of the upper part.

    The hinge bends in the direction in which it is bent in the middle of its range, because knees and elbows hardly
    bend backward. The zero of a hinge says nothing: at zero, the elbow of the Unitree G1 is bent by 90°.
    """
    figure, along = drawn.figure, drawn.rotation(lower) @ drawn.bone(lower, last)
    hinges = [i for i in _hinges(drawn, lower) if abs(_hinge_axis(drawn, i) @ along) < TWISTS]
    if len(hinges) != 1:
        return None
    index = hinges[0]
    motion = figure.segments[index].joint.motions[0]
    assert isinstance(motion, Hinge)
    number = figure.index_of(figure.segments[index].joint.name)
    now = float(drawn.pose[number])
    middle = float(np.mean(motion.limits)) if np.isfinite(motion.limits).all() else now
    axis = _hinge_axis(drawn, index)
    below = rotations.rotate(rotations.from_axis_angle(axis, middle - now), along)
    bent = axis @ rotations.cross(drawn.rotation(upper) @ drawn.bone(upper, lower), below)
    return np.asarray((-1.0 if bent < 0.0 else 1.0) * drawn.rotation(upper).T @ axis)


def _hinge_axis(drawn: Drawn, index: int) -> Vector:
    """(3,) the axis of a hinge in the world."""
    motion = drawn.figure.segments[index].joint.motions[0]
    assert isinstance(motion, Hinge)
    return np.asarray(drawn.world[index, :3, :3] @ np.array(motion.axis))


def _hinges(drawn: Drawn, part: str) -> list[int]:
    """The hinges of a part whose moving joints are all hinges; empty otherwise."""
    indices = [drawn.figure.segment_index(name) for name in drawn.bones[part]]
    moving = [i for i in indices if drawn.skeleton.moves[i]]
    return moving if moving and all(drawn.skeleton.hinge[i] for i in moving) else []


# Turns


def _turned(axes: Rotations, along: Vector) -> Rotations:
    """Axes turned by the shortest rotation so that −y points along a direction; unchanged if that is 0."""
    if not along.any():
        return axes
    return np.asarray(rotations.to_matrix(rotations.between(-axes[:, 1], along)) @ axes)


def _twisted(axes: Rotations, along: Vector, local: Vector, wanted: Vector) -> Rotations:
    """Axes twisted about a direction so that `local`, a vector in these axes, points as nearly as possible to
    `wanted`."""
    now, target = axes @ local, wanted - along * (wanted @ along)
    now = now - along * (now @ along)
    if not np.linalg.norm(target) > 1e-6 * np.linalg.norm(wanted) or not along.any():
        return axes
    angle = np.arctan2(rotations.cross(now, target) @ along, now @ target)
    return np.asarray(rotations.to_matrix(rotations.from_axis_angle(along, angle)) @ axes)
