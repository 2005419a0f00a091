"""The points of a figure as functions of its pose, of the lengths of its parts, and of the places of the points.

With rotations R and joint offsets o, a point with the offset a on a segment is at

    p = root + Σ over the joints c above it of s_g(parent of c) R_(parent of c) o_c + R_segment (s_g a + b).

The groups g are the parts of a body, left and right tied. ln s_g = common + own_g, so that a prior on `own` holds the
proportions of the figure. b is the correction of the place of a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from manikin import backend
from manikin.arrays import Indices, Matrix, Points, Poses, Vector
from manikin.figure import Figure
from manikin.figure.parts.bone_map import SIDES, BoneMap
from manikin.motion.points.places import PointPlaces
from manikin.reference.kinematics import Kinematics

GROUPS = ("pelvis", "spine", "neck", "clavicle", "upper arm", "forearm", "hand", "thigh", "shank", "foot")
"""Parts whose lengths are calibrated. The head belongs to "neck", the toes to "foot"."""
_GROUP_OF = {"head": "neck", "toes": "foot"}


@dataclass(frozen=True, eq=False)
class PointModel:
    """A figure with points on it. Immutable: `resized` and `moving` return new models."""

    base: Figure
    """The figure before its lengths are changed."""
    bones: BoneMap
    places: PointPlaces
    logs: Vector
    """(G,) ln s of each group."""
    corrections: Points
    """(K, 3) b, in the space of the segments."""
    columns: NDArray[np.intp]
    """(n,) indices of the steps that move."""

    @staticmethod
    def of(figure: Figure, bones: BoneMap, places: PointPlaces, columns: NDArray[np.intp]) -> PointModel:
        """The model with the lengths of the figure."""
        return PointModel(figure, bones, places, np.zeros(len(GROUPS)), np.zeros_like(places.offsets), columns)

    def resized(self, logs: Vector, corrections: Points) -> PointModel:
        """The same model with other lengths and places."""
        return replace(self, logs=logs, corrections=corrections)

    @cached_property
    def figure(self) -> Figure:
        """The figure with the lengths of this model."""
        factors = np.exp(self.logs)
        named = {
            name: float(factors[g])
            for name, g in zip(self.base.segment_names, self._group, strict=True)
            if g >= 0 and factors[g] != 1.0
        }
        return self.base.scaled(named) if named else self.base

    @cached_property
    def offsets(self) -> Points:
        """(K, 3) the place of each point in the space of its segment."""
        return np.asarray(self._grown + self.corrections)

    def points(self, poses: Poses) -> Points:
        """(T, K, 3) positions of the points."""
        placed = self._kinematics.placements(np.ascontiguousarray(poses), self._carriers)
        return np.asarray(np.einsum("tkij,kj->tki", placed[..., :3, :3], self.offsets) + placed[..., :3, 3])

    def jacobian(self, poses: Poses) -> Matrix:
        """(T, 3K, n) derivative of the points with respect to the moving steps."""
        out = np.empty((len(poses), len(self.places.names), 3, len(self.columns)))
        poses = np.ascontiguousarray(poses)
        for k, (segment, offset) in enumerate(zip(self._carriers, self.offsets, strict=True)):
            moved = self._kinematics.jacobian(poses, int(segment), np.ascontiguousarray(offset))
            out[:, k] = moved[:, :3, self.columns]
        return out.reshape(len(poses), -1, len(self.columns))

    def shape_jacobian(self, poses: Poses) -> Matrix:
        """(T, 3K, 1 + G + 3K) derivative with respect to (common, own (G,), b (3K,))."""
        count = len(self.places.names)
        world = self._kinematics.placements(np.ascontiguousarray(poses))
        at = world[:, :, :3, 3]
        apart = at - np.where(self._parent[None, :, None] >= 0, at[:, self._parent], at)
        out = np.zeros((len(poses), count, 3, 1 + len(GROUPS) + 3 * count))
        turns = world[:, self._carriers, :3, :3]
        own = np.einsum("kgs,tsi->tkig", self._chains, apart)
        grown = np.einsum("tkij,kj->tki", turns, self._grown)
        for k, g in enumerate(self._point_group):
            if g >= 0:
                own[:, k, :, g] += grown[:, k]
            out[:, k, :, 1 + len(GROUPS) + 3 * k : 1 + len(GROUPS) + 3 * k + 3] = turns[:, k]
        out[..., 0] = own.sum(axis=-1)
        out[..., 1 : 1 + len(GROUPS)] = own
        return out.reshape(len(poses), 3 * count, -1)

    @cached_property
    def _kinematics(self) -> Kinematics:
        """The kinematics of `figure`, without making the figure. A calibration changes the lengths many times."""
        tree = self.base.layout.tree
        owner = {int(node): i for i, node in enumerate(tree.segment)}
        parents = [owner.get(int(above), -1) for above in tree.parent]
        factors = np.array([*(np.exp(self.logs[g]) if g >= 0 else 1.0 for g in self._group), 1.0])[parents]
        return backend.kinematics(replace(tree, offset=np.ascontiguousarray(tree.offset * factors[:, None])))

    # Facts that do not depend on lengths

    @cached_property
    def _carriers(self) -> Indices:
        """(K,) the index of the segment of each point."""
        return np.array([self.base.segment_index(name) for name in self.places.segments], dtype=np.int32)

    @cached_property
    def _group(self) -> list[int]:
        """(S,) the group of each segment, −1 if it has none. A segment without a part belongs to the group above it."""
        out: list[int] = []
        index = {name: i for i, name in enumerate(self.base.segment_names)}
        for segment in self.base.segments:
            part = self.bones.part_of(segment.name)
            if part is None:
                out.append(-1 if segment.parent is None else out[index[segment.parent]])
                continue
            out.append(GROUPS.index(group_of(part)))
        return out

    @cached_property
    def _parent(self) -> NDArray[np.intp]:
        index = {name: i for i, name in enumerate(self.base.segment_names)}
        return np.array([-1 if s.parent is None else index[s.parent] for s in self.base.segments])

    @cached_property
    def _point_group(self) -> list[int]:
        return [self._group[self.base.segment_index(name)] for name in self.places.segments]

    @cached_property
    def _chains(self) -> Matrix:
        """(K, G, S) 1 if the joint of a segment is above a point and its offset belongs to a group."""
        out = np.zeros((len(self.places.names), len(GROUPS), len(self.base.segments)))
        for k, name in enumerate(self.places.segments):
            at = self.base.segment_index(name)
            while (above := int(self._parent[at])) >= 0:
                if self._group[above] >= 0:
                    out[k, self._group[above], at] = 1.0
                at = above
        return out

    @cached_property
    def _grown(self) -> Points:
        """(K, 3) the places without corrections: they grow with the segments that carry them."""
        factors = np.array([np.exp(self.logs[g]) if g >= 0 else 1.0 for g in self._point_group])
        return np.asarray(self.places.offsets * factors[:, None])


def group_of(part: str) -> str:
    """The group of a part: "left forearm" belongs to "forearm", "spine 2" to "spine"."""
    limb = part.partition(" ")[2] if part.startswith(SIDES) else part.split()[0]
    return _GROUP_OF.get(limb, limb)


def moving_columns(
    figure: Figure, allowed: Sequence[bool], model: PointModel, poses: Poses, seen: Sequence[bool] | None = None
) -> NDArray[np.intp]:
    """(n,) the allowed steps that move at least one point in one of the poses. Points that are not `seen` (K,) do not
    count: a limb that is never seen stays at rest."""
    steps = np.flatnonzero(allowed)
    felt = np.zeros(len(steps), dtype=bool)
    for k, (segment, offset) in enumerate(zip(model.places.segments, model.offsets, strict=True)):
        if seen is None or seen[k]:
            J = figure.jacobian(poses, segment, offset)[:, :3, steps]
            felt |= np.abs(J).max(axis=(0, 1)) > 1e-9 * figure.size
    return np.asarray(steps[felt])
