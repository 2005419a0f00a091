"""A figure as a body that markers are attached to: places of landmarks, groups of lengths, and its free root."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Placements, Poses, Rotations, Vector
from manikin.errors import BadValue
from manikin.figure import Euler, Figure
from manikin.figure.free_root import free_root
from manikin.figure.parts.bone_map import SIDES, BoneMap
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.figure.parts.find import bone_map
from manikin.motion.marker_fit.landmarks import LANDMARKS

HUMAN_LEG = 0.8613510674546787
"""Length of thigh and shank of `mk.human()`, in metres. Landmarks are measured on it."""
TRUNK = ("pelvis", "spine", "neck", "head", "clavicle", "thigh")
"""Groups whose markers show how the whole body stands."""


class MarkerBody:
    """The parts of a figure, in metres."""

    def __init__(self, figure: Figure, bones: str | os.PathLike[str] | Mapping[str, Any] | None = None) -> None:
        """
        Args:
            figure: a person with a free root, in metres.
            bones: as in `mk.bone_map`.

        Raises:
            BadValue: the figure is not a person, or its root does not move freely.
        """
        self.figure = figure
        self.bones: BoneMap = bone_map(figure, bones)
        if self.bones.four_legged:
            raise BadValue(f"figure {figure.name!r} stands on four legs; markers are fitted to persons")
        if free_root(figure, figure.rest) is None or figure.segments[0].joint.nq < 6:
            raise BadValue(f"the root of figure {figure.name!r} does not move freely; load it with root='free'")

    # Landmarks

    @cached_property
    def calibration(self) -> Calibration:
        """The axes and joint centres of the parts. Only places of landmarks need them."""
        return calibrate(self.figure, self.bones, option="bones")

    @property
    def size_ratio(self) -> float:
        """The length of the legs, as a multiple of that of `mk.human()`."""
        return self.calibration.leg / HUMAN_LEG

    @cached_property
    def _stand(self) -> Placements:
        """(S, 4, 4) of the segments in the standing pose."""
        return self.figure.placements(self.calibration.standing.pose)

    def place(self, landmark: str, side: str) -> tuple[str, Vector] | None:
        """The segment that carries a landmark, and the place (3,) in its space; None if the figure lacks the part."""
        found = LANDMARKS[landmark]
        out = -1.0 if side == "right" else 1.0
        away = self.size_ratio * np.array(found.place) * [out, 1.0, 1.0]
        return self.point(found.part, found.joint, side, away, found.first, found.height)

    def point(
        self, part: str, joint: str, side: str, away: Vector, first: bool = False, height: float = 1.0
    ) -> tuple[str, Vector] | None:
        """The segment that carries a point, and the point (3,) in its space; None if the figure lacks the part.

        Args:
            part, joint, first, height: as in `Landmark`.
            side: "left", "right" or "".
            away: (3,) from the joint to the point, in the canonical axes of the part: left, up, forward.
        """
        carrier, start = self._carrier(part, side, height), self._part(joint, side)
        if carrier is None or start is None:
            return None
        segment = self.bones.first(carrier) if first else self.bones.main(carrier)
        at = self._stand[self.figure.segment_index(segment)]
        world = self._joint(start) + self._world_axes(carrier) @ away
        return segment, np.asarray(at[:3, :3].T @ (world - at[:3, 3]))

    def _part(self, part: str, side: str) -> str | None:
        if part == "hips":
            return part
        if part == "neck":
            return next((p for p in ("neck 1", "head") if p in self.bones), None)
        for name in (part, f"{side} {part}"):
            if name in self.bones:
                return name
        return None

    def _carrier(self, part: str, side: str, height: float) -> str | None:
        """The part that carries a landmark. A clavicle that the figure lacks is replaced by the chest."""
        spine = [p for p in self.bones if p.startswith("spine")]
        if part == "spine" or (part == "clavicle" and f"{side} clavicle" not in self.bones):
            low, high = self._joint("hips"), self._shoulders()
            axis = high - low
            share = [float((self._joint(p) - low) @ axis / (axis @ axis)) for p in spine]
            below = [p for p, s in zip(spine, share, strict=True) if s <= height]
            return (below or spine or ["pelvis"])[-1 if below else 0]
        return self._part(part, side)

    def _shoulders(self) -> Vector:
        return np.asarray(np.mean([self._joint(f"{side} upper arm") for side in SIDES], axis=0))

    def _joint(self, part: str) -> Vector:
        """(3,) the centre of a joint in the standing pose."""
        main = self.bones.main("pelvis" if part == "hips" else part)
        at = self._stand[self.figure.segment_index(main)]
        local = self.calibration.hips if part == "hips" else self.calibration.links[part].at_own
        return np.asarray(at[:3, :3] @ local + at[:3, 3])

    def _world_axes(self, part: str) -> Rotations:
        at = self._stand[self.figure.segment_index(self.bones.main(part))]
        return np.asarray(at[:3, :3] @ self.calibration.axes[part])

    # Groups of lengths

    def groups(self, tied: bool = True) -> tuple[list[str], Indices]:
        """The names of the groups of lengths, and (S,) the group of each segment. A segment without a part belongs to
        the group of its parent.

        Args:
            tied: whether left and right belong to one group.
        """
        return self._tied_groups if tied else self._groups(tied)

    @cached_property
    def _tied_groups(self) -> tuple[list[str], Indices]:
        return self._groups(tied=True)

    def _groups(self, tied: bool) -> tuple[list[str], Indices]:
        names: list[str] = []
        of: list[int] = []
        for segment in self.figure.segments:
            part = self.bones.part_of(segment.name)
            if part is None:
                of.append(of[self.figure.segment_index(segment.parent)] if segment.parent else -1)
                continue
            name = group_of(part, tied)
            if name not in names:
                names.append(name)
            of.append(names.index(name))
        if not names:
            names.append("body")
        return names, np.maximum(np.array(of, dtype=np.int32), 0)

    def group_name(self, segment: str) -> str:
        """The group of a segment if sides are tied."""
        names, of = self.groups()
        return names[int(of[self.figure.segment_index(segment)])]

    # The root

    def with_root(self, q: Vector, turns: Rotations, shifts: Vector) -> Poses:
        """Poses (N, nq): the pose q, with every point x of the world moved to R x + t.

        Args:
            q: (nq,)
            turns: (N, 3, 3) R.
            shifts: (N, 3) t.
        """
        root = free_root(self.figure, q)
        assert root is not None
        joint = self.figure.segments[0].joint
        motion = joint.motions[-1]
        before = rotations.to_matrix(np.array(joint.rotation))
        start = self.figure.index_of(joint.name)
        numbers = q[start : start + joint.nq]
        order = motion.order if isinstance(motion, Euler) else None
        now = rotations.from_euler(order, numbers[-3:]) if order else numbers[-4:]
        turned = rotations.from_matrix(np.einsum("ji,njk,kl->nil", before, turns, before))
        turned = rotations.multiply(turned, now)
        out = np.tile(q, (len(turns), 1))
        moved = turns @ root.pivot + shifts - root.pivot
        out[:, root.slide] += np.linalg.solve(root.slide_axes.T, moved.T).T
        if order:
            out[:, root.turn] = rotations.to_euler(order, turned)
        else:
            out[:, root.turn[0] : root.turn[0] + 4] = turned
        return out


def group_of(part: str, tied: bool = True) -> str:
    """The group of lengths of a part: "spine 2" is in "spine", "left toes" in "foot"."""
    side, _, limb = part.partition(" ")
    if side in SIDES:
        limb = "foot" if limb == "toes" else limb
        return limb if tied else f"{side} {limb}"
    return "neck" if side in ("neck", "head") else side
