"""The anatomical axes of each part of a bone map, by which the postures of two figures are compared (`axes`).

They are determined from one standing pose, and from a clip if there is one: a clip shows in which direction elbows and
knees bend.

All parts of an animal on four legs have the axes of its body, because the limbs of animals have no common zero. Two
animals then have the same posture if both stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Poses, Quaternions, Rotations, Vector
from manikin.figure.joint import Hinge
from manikin.figure.parts.axes import BENDS, POSTURES, Drawing, axes_of
from manikin.figure.parts.bone_map import SIDES, BoneMap, following
from manikin.figure.parts.bone_names import Part
from manikin.figure.parts.segment_axes import DrawnSegments
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.skeleton import skeleton_of
from manikin.figure.parts.standing import unit

if TYPE_CHECKING:
    from manikin.figure.parts.calibration import Link

SHOWS_BEND = np.deg2rad(20.0)
"""A frame shows the direction of a bend if the joint is bent by more than this angle, in radians."""
LEAST_FRAMES = 10
"""At least this many frames must show the direction of a bend."""
ALIKE = 0.7
"""The mean of the directions of bends must be at least this long. It is 1 if all directions are equal."""
LEANS = np.deg2rad(8.0)
"""If a shank leans to the side by more than this angle, in radians, the foot leans with it."""
TWISTS = 0.8
"""A hinge twists a bone if the cosine of the angle between its axis and the bone is above this."""
LIMBS = ("upper arm", "forearm", "thigh", "shank")


class DrawnParts(Drawing):
    """A figure in a standing pose, part by part."""

    parts: Sequence[Part]

    def __init__(
        self, bones: BoneMap, links: Mapping[str, Link], pose: Vector, world: Placements, body: Rotations, poses: Poses
    ) -> None:
        """
        Args:
            bones: the parts of the figure.
            links: the joint of each part except the pelvis, parents first.
            pose: (nq,) the standing pose.
            world: (S, 4, 4) placements in the standing pose.
            body: (3, 3) columns: left, up and forward of the body.
            poses: (frames, nq) of a clip; may be empty.
        """
        self.figure, self.bones, self.links = bones.figure, bones, links
        self.skeleton = skeleton_of(bones.figure)
        self.pose, self.world, self.body, self.poses = pose, world, body, poses
        self.names = ["pelvis", *links]
        self.parts = [Part.of(name) for name in self.names]
        self.parents = [-1, *(self.names.index(link.parent) for link in links.values())]
        self.hinges = {i for i, name in enumerate(self.names) if self._hinges(name)}
        self._bones: dict[str, Vector] = {}
        self.notes: list[str] = []
        """Sentences about what was assumed."""

    def axes(self) -> dict[str, Rotations]:
        """(3, 3) the axes of each part in the space of its main segment."""
        if self.bones.four_legged:
            return {part: self._rotation(part).T @ self.body for part in self.bones}
        world = rotations.to_matrix(np.stack(axes_of(self, rotations.from_matrix(self.body), POSTURES)))
        found = dict(zip(self.names, world, strict=True))
        return {part: self._rotation(part).T @ found[part] for part in self.bones}

    # As a drawing

    def along(self, bone: int) -> Vector | None:
        """From the centre of its joint to that of the next; a hand points to its fingers."""
        name = self.names[bone]
        if self.parts[bone].name != "hand":
            own = self._bone(name)
            return np.asarray(self._rotation(name) @ own) if own.any() else None
        fingers = self._segments.along(self._first(name))
        if fingers is None:
            self.notes.append(f"figure {self.figure.name!r} has no fingers; its hands point along the forearms")
        return fingers

    def following(self, bone: int) -> int | None:
        return self.names.index(following(self.names[bone]))

    def bend(self, bone: int) -> Vector | None:
        """From the clip, or from the axis of a hinge."""
        upper = self.names[bone]
        axis = self._clip_bends[upper]
        if axis is None:
            axis = self._hinge_bend(upper)
        R = self._rotation(upper)
        return None if axis is None else rotations.cross(R @ axis, R @ self._bone(upper))

    def across(self, hand: int) -> Vector | None:
        """By the thumb only if no clip shows how the elbow bends, because the elbow is more exact. With the thumb, the
        hands of one motion on the skeletons of CMU and Daz differ by 11° (median) instead of 8°."""
        name = self.names[hand]
        arm = name.replace("hand", "upper arm")
        return self._segments.across(self._first(name), use_thumb=self._clip_bends[arm] is None)

    def level_foot(self, foot: int) -> Quaternions:
        """z points to the toes and is level, y is up. If the shank leans to the side, the foot leans with it."""
        name = self.names[foot]
        shank = self.links[name].parent
        up, main = self.body[:, 1], self.figure.segment_index(self.bones.main(name))
        ankle = self.world[main, :3, :3] @ self.links[name].at_own + self.world[main, :3, 3]
        toes = following(name)
        ends = [self._first(toes)] if toes in self.bones else self.skeleton.below(main)[1:]
        front = (self.world[ends, :3, 3].mean(axis=0) if ends else ankle) - ankle
        front = front - up * (front @ up)
        forward = self.body[:, 2]
        if np.linalg.norm(front) > 0.01 * np.linalg.norm(self.links[name].at_parent) and front @ forward > 0.0:
            forward = unit(front)
        else:
            self.notes.append(f"figure {self.figure.name!r} has no toes; its feet point forward")
        rise = -self._rotation(shank) @ self._bone(shank)
        lean = rise - forward * (rise @ forward)
        if np.arccos(np.clip(unit(lean) @ up, -1.0, 1.0)) > LEANS:
            up = unit(lean)
        return rotations.from_matrix(np.stack([rotations.cross(up, forward), up, forward], axis=1))

    # Inside

    @cached_property
    def _segments(self) -> DrawnSegments:
        """The same figure segment by segment, for its fingers."""
        parts = segment_parts(self.figure, self.bones)
        for name, part in zip(self.names, self.parts, strict=True):
            if part.name == "hand":  # in a robot, names need not identify it
                parts[self._first(name)] = part
        return DrawnSegments(self.skeleton, parts, self.world)

    @cached_property
    def _turns(self) -> dict[str, Rotations]:
        """(frames, 3, 3) rotations of the main segments of all limbs over the clip."""
        parts = [f"{side} {limb}" for side in SIDES for limb in LIMBS]
        placements = self.figure.placements(self.poses, [self.bones.main(part) for part in parts])
        return {part: placements[:, k, :3, :3] for k, part in enumerate(parts)}

    def _first(self, part: str) -> int:
        return self.figure.segment_index(self.bones.first(part))

    def _rotation(self, part: str) -> Rotations:
        """(3, 3) rotation of the main segment of a part."""
        return np.asarray(self.world[self.figure.segment_index(self.bones.main(part)), :3, :3])

    def _bone(self, part: str) -> Vector:
        """(3,) direction from the centre of a part to the centre of the next, in its own space; 0 if it has none."""
        if part not in self._bones:
            after = self.links.get(following(part))
            self._bones[part] = np.zeros(3) if after is None else unit(after.at_parent - self.links[part].at_own)
        return self._bones[part]

    @cached_property
    def _clip_bends(self) -> dict[str, Vector | None]:
        """The axis about which each elbow and knee bends in the clip, by the part above it."""
        return {part: self._clip_bend(part) for part in (f"{side} {limb}" for side in SIDES for limb in BENDS)}

    def _clip_bend(self, upper: str) -> Vector | None:
        """(3,) the axis about which the lower part bends in the clip, in the space of the upper part."""
        if not len(self.poses):
            return None
        lower, bone = following(upper), self._bone(upper)
        along = rotations.each_times(self._turns[lower], self._bone(lower))
        below = np.einsum("fji,fj->fi", self._turns[upper], along)
        across = rotations.cross(bone, below)
        bent = across[np.arctan2(np.linalg.norm(across, axis=1), below @ bone) > SHOWS_BEND]
        total = bent.sum(axis=0)
        if len(bent) < LEAST_FRAMES or np.linalg.norm(total) < ALIKE * np.linalg.norm(bent, axis=1).sum():
            return None
        return np.asarray(unit(total))

    def _hinge_bend(self, upper: str) -> Vector | None:
        """(3,) the axis of a knee or elbow that is a hinge, in the space of the upper part.

        The hinge bends in the direction in which it is bent in the middle of its range, because knees and elbows hardly
        bend backward. The zero of a hinge says nothing: at zero, the elbow of the Unitree G1 is bent by 90°.
        """
        lower = following(upper)
        along = self._rotation(lower) @ self._bone(lower)
        hinges = [i for i in self._hinges(lower) if abs(self._hinge_axis(i) @ along) < TWISTS]
        if len(hinges) != 1:
            return None
        joint = self.figure.segments[hinges[0]].joint
        motion = joint.motions[0]
        assert isinstance(motion, Hinge)
        now = float(self.pose[self.figure.index_of(joint.name)])
        middle = float(np.mean(motion.limits)) if np.isfinite(motion.limits).all() else now
        axis, R = self._hinge_axis(hinges[0]), self._rotation(upper)
        below = rotations.rotate(rotations.from_axis_angle(axis, middle - now), along)
        bent = axis @ rotations.cross(R @ self._bone(upper), below)
        return np.asarray((-1.0 if bent < 0.0 else 1.0) * R.T @ axis)

    def _hinge_axis(self, index: int) -> Vector:
        """(3,) the axis of a hinge in the world."""
        motion = self.figure.segments[index].joint.motions[0]
        assert isinstance(motion, Hinge)
        return np.asarray(self.world[index, :3, :3] @ np.array(motion.axis))

    def _hinges(self, part: str) -> list[int]:
        """The hinges of a part whose moving joints are all hinges; empty otherwise."""
        indices = [self.figure.segment_index(name) for name in self.bones[part]]
        moving = [i for i in indices if self.skeleton.moves[i]]
        return moving if moving and all(self.skeleton.hinge[i] for i in moving) else []
