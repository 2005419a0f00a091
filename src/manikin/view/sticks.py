"""A figure as round sticks, for animations. Pictures of single poses show shaded solids (`solids.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Indices, Matrix, Points, Poses, Vector
from manikin.figure import Box, Capsule, Figure
from manikin.view import camera
from manikin.view.solids import mostly_shaped

THIN = 0.014
"""Radius of a segment without a shape, as a fraction of the figure's size. Short segments are thinner."""


@dataclass(frozen=True, eq=False)
class Sticks:
    """Sticks fixed to segments."""

    segment: Indices
    """(K,) index of the segment of each stick."""
    ends: Points
    """(K, 2, 3) both ends, in the space of the segment."""
    radius: Vector
    """(K,) radius of each stick, length."""

    def moving(self, figure: Figure, poses: Poses) -> Points:
        """(T, K, 2, 3) both ends of each stick over time: forward, left, up."""
        placed = figure.placements(poses)[:, self.segment]  # (T, K, 4, 4)
        world = np.einsum("tkij,kej->tkei", placed[..., :3, :3], self.ends) + placed[:, :, None, :3, 3]
        return np.asarray(world @ camera.upright(figure.up).T)


def sticks(figure: Figure) -> Sticks:
    """The sticks of a figure: its shapes if most segments have them, otherwise a line from each joint to the next."""
    found: list[tuple[int, Matrix, float]] = []
    if mostly_shaped(figure):
        for i, segment in enumerate(figure.segments):
            for shape in segment.shapes:
                found.append((i, *_of_shape(shape)))
    else:
        rest = figure.placements(figure.rest)
        for i, segment in enumerate(figure.segments):
            if segment.parent is not None:
                above = figure.segment_index(segment.parent)
                end = rest[above, :3, :3].T @ (rest[i, :3, 3] - rest[above, :3, 3])
                length = float(np.linalg.norm(end))
                if length > 1e-9:
                    radius = min(THIN * figure.size, 0.22 * length)
                    found.append((above, np.stack([np.zeros(3), end]), radius))
    if not found:
        found = [(0, np.zeros((2, 3)), THIN * figure.size)]
    segment_of, ends, radii = zip(*found, strict=True)
    return Sticks(np.array(segment_of, dtype=np.int32), np.stack(ends), np.array(radii))


def _of_shape(shape: object) -> tuple[Matrix, float]:
    """Ends (2, 3) and radius of the stick that stands for a shape."""
    if isinstance(shape, Capsule):
        return np.stack([np.array(shape.start), np.array(shape.end)]), float(shape.radius)
    if isinstance(shape, Box):
        from manikin import rotations

        half, center = np.array(shape.half), np.array(shape.center)
        k = int(np.argmax(half))
        radius = float(np.sqrt(np.prod(np.delete(half, k))))
        axis = rotations.to_matrix(np.array(shape.rotation))[:, k] * max(half[k] - radius, 0.0)
        return np.stack([center - axis, center + axis]), radius
    sphere: Any = shape
    return np.tile(np.array(sphere.center), (2, 1)), float(sphere.radius)
