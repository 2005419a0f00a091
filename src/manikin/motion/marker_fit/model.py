"""Where markers are, as a function of poses, scales and attachments; with derivatives.

A marker m on a segment is at

    p = x_root + Σ_c s_g(c) R_parent(c) o_c + R_segment a_m

where c runs over the joints above the marker, o_c is the offset of a joint in its parent segment and s_g(c) is the
scale of the group to which that parent belongs. For given rotations, p is linear in the scales s and in the attachments
a:

    ∂p/∂s_g = Σ_{c in g} R_parent(c) o_c,      ∂p/∂a_m = R_segment.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manikin import backend
from manikin.arrays import Indices, Matrix, Points, Poses, Rotations, Vector
from manikin.figure import Figure
from manikin.reference.kinematics import Kinematics
from manikin.reference.tree import BALL

Mask = NDArray[np.bool_]


class MarkerModel:
    """Markers on the segments of a figure whose lengths are scaled in groups."""

    def __init__(self, figure: Figure, segments: Indices, groups: Indices, count: int) -> None:
        """
        Args:
            figure: the figure with scale 1.
            segments: (M,) index of the segment of each marker.
            groups: (S,) index of the group of each segment.
            count: number of groups G.
        """
        self.figure, self.segments, self.groups, self.count = figure, segments, groups, count
        tree = figure.layout.tree
        owner = {int(node): i for i, node in enumerate(tree.segment)}
        carrier = np.array([owner.get(int(i), -1) for i in tree.parent])
        self._node_group = np.where(carrier >= 0, groups[carrier], -1)
        """(nodes,) the group that scales the offset of each node; −1 if there is none."""
        index = {name: i for i, name in enumerate(figure.segment_names)}
        self._parent = np.array([-1 if s.parent is None else index[s.parent] for s in figure.segments])
        self._offset = np.array([s.joint.offset for s in figure.segments])
        self._on_chain = np.zeros((len(segments), count, len(figure.segments)))
        for m, segment in enumerate(segments):
            c = int(segment)
            while self._parent[c] >= 0:
                self._on_chain[m, groups[self._parent[c]], c] = 1.0
                c = int(self._parent[c])
        below = np.zeros(len(figure.segments), dtype=bool)
        for segment in segments:
            c = int(segment)
            while c >= 0:
                below[c] = True
                c = int(self._parent[c])
        self.felt: Mask = below
        """(S,) whether a marker is on the segment or below it."""

    def scaled(self, scales: Vector) -> Kinematics:
        """The kinematics of the figure with these scales (G,)."""
        tree = self.figure.layout.tree
        factor = np.append(scales, 1.0)[self._node_group]
        return backend.kinematics(replace(tree, offset=np.ascontiguousarray(tree.offset * factor[:, None])))

    def positions(self, poses: Poses, scales: Vector, offsets: Points) -> Points:
        """(N, M, 3) markers in poses (N, nq), for scales (G,) and attachments (M, 3)."""
        placed = self.scaled(scales).placements(poses, self.segments)
        return np.asarray(np.einsum("nmij,mj->nmi", placed[..., :3, :3], offsets) + placed[..., :3, 3])

    def derivatives(self, poses: Poses, scales: Vector, offsets: Points) -> tuple[Points, Matrix, Matrix, Rotations]:
        """Positions (N, M, 3), and their derivatives with respect to the steps of the figure (N, M, 3, nv), the scales
        (N, M, 3, G) and the marker's own attachment (N, M, 3, 3)."""
        kinematics = self.scaled(scales)
        placed = kinematics.placements(poses)
        own = placed[:, self.segments]
        turns = own[..., :3, :3]
        points = np.einsum("nmij,mj->nmi", turns, offsets) + own[..., :3, 3]
        by_step = np.empty((len(poses), len(self.segments), 3, self.figure.nv))
        for m, segment in enumerate(self.segments):
            by_step[:, m] = kinematics.jacobian(poses, int(segment), np.ascontiguousarray(offsets[m]))[:, :3]
        bones = np.einsum("nsij,sj->nsi", placed[:, np.maximum(self._parent, 0), :3, :3], self._offset)
        by_scale = np.einsum("mgs,nsi->nmig", self._on_chain, bones, optimize=True)
        return points, by_step, by_scale, turns


def posture(figure: Figure, poses: Poses) -> tuple[Matrix, Matrix]:
    """The steps d (N, nv) from the rest pose to poses (N, nq), and ∂d/∂v as (N, nv, nv) for small steps v of the poses.

    A number has the derivative 1. A ball has d = log(rest⁻¹ q), so its derivative is the inverse of the right Jacobian
    of the rotation vector:  I + ½ [d] + (1/θ² − (1 + cos θ) / (2 θ sin θ)) [d]²  with θ = |d|.
    """
    tree = figure.layout.tree
    steps = figure.difference(np.tile(figure.rest, (len(poses), 1)), poses)
    by_step = np.tile(np.eye(figure.nv), (len(poses), 1, 1))
    for k in tree.step[tree.kind == BALL]:
        d = steps[:, k : k + 3]
        square = (d * d).sum(axis=1)
        theta = np.sqrt(square)
        small = theta < 1e-3
        safe = np.where(small, 1.0, theta)
        half = 0.5 * safe
        exact = (1.0 - half * np.cos(half) / np.sin(half)) / (safe * safe)
        factor = np.where(small, 1.0 / 12.0 + square / 720.0, exact)
        cross = np.zeros((len(poses), 3, 3))
        cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -d[:, 2], d[:, 1], -d[:, 0]
        cross -= np.swapaxes(cross, 1, 2)
        by_step[:, k : k + 3, k : k + 3] += 0.5 * cross + factor[:, None, None] * (cross @ cross)
    return steps, by_step
