"""Aims of the head in natural starts, in plain NumPy.

An aim of the head is read as an orientation of the head, if no other goal gives one. Quantities are in the frame of the
figure at rest, in legs, as in `reference.natural`:

    M      the axes of the head in the mean pose; e the aimed axis in them
    d      R M e, the aimed axis in the mean pose that is turned by the heading
    u      the direction of the aim
    B      T R M, the axes of the head, with T the shortest turn from d to u

So the head has no roll other than that of the shortest turn. The heading reads M e and u as one axis of an orientation.

If the target is a point, u depends on the start of the ray. The ray starts where the mean pose has it, relative to the
target of the head. If the head has no target, it starts relative to the mean of all target points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.reference.natural_arrays import NaturalArrays

HEAD = 0
"""Index of the head among the effectors."""
SHORTEST = 1e-9
"""A point to aim at is not read if it is nearer to the start of the ray than this, in legs."""
BEHIND = 1e-6
"""An aim is not read if the cosine from the aimed axis to it is less than −1 plus this: every turn is equally short."""
FARTHEST = 1e3
"""Coordinates of targets are clipped to this distance, in legs."""


@dataclass(frozen=True, eq=False)
class Gaze:
    """An aim of the head, in the frame at rest."""

    axis: Vector
    """(3,) the aimed axis in the mean pose."""
    away: Vector
    """(3,) a direction, or the vector to the target point from the reference point, in legs."""
    ray: Vector
    """(3,) from the reference point to the start of the ray in the mean pose; 0 for a direction."""

    def axes(self, turn: Matrix, mean: Matrix) -> Matrix | None:
        """(3, 3) the axes of the head: those of the mean pose, turned by the heading and then by the shortest turn that
        takes the axis to the target. None if there is no single shortest turn."""
        d, away = turn @ self.axis, self.away - turn @ self.ray
        length = float(np.linalg.norm(away))
        if length <= SHORTEST:
            return None
        u = away / length
        cosine = float(d @ u)
        if 1.0 + cosine < BEHIND:
            return None
        w = np.cross(d, u)
        M = turn @ mean
        return np.asarray(cosine * M + np.cross(w, M.T).T + np.outer(w, w @ M) / (1.0 + cosine))


def gaze_of(on: NaturalArrays, aim: int, targets: Vector, here: Vector, mean: Vector) -> Gaze:
    """One of the aims, for a row of targets. The reference point is at `here` (3,), and at `mean` (3,) in the mean
    pose."""
    target = targets[on.aim_target[aim] : on.aim_target[aim] + 3]
    axis = on.slot_axes[HEAD] @ on.aim_axis[aim]
    if on.aim_far[aim]:
        return Gaze(axis, target @ on.frame, np.zeros(3))
    most = FARTHEST * on.leg
    away = np.clip(target, -most, most) @ on.frame / on.leg - here
    return Gaze(axis, away, on.aim_point[aim] - mean)
