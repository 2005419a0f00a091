"""Decides whether a figure is planar, and how its plane is oriented on paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Vector
from manikin.figure import Figure, Hinge, Slider

FLAT = 1e-9
"""A figure is planar if its joints are at most this far from one plane, as a fraction of the figure's size."""


@dataclass(frozen=True, eq=False)
class Paper:
    """A plane in world space with a right and an up direction, both of length 1."""

    right: Vector
    up: Vector

    def flatten(self, points: Points) -> Points:
        """(..., 3) world -> (..., 2) on paper."""
        result: Points = np.asarray(points) @ np.stack([self.right, self.up]).T
        return result


def paper_of(figure: Figure) -> Paper | None:
    """The plane in which a figure moves, or None if it moves in space.

    A figure is planar if every turn is about one world axis n, every slide is perpendicular to n, and all joints and
    tips are in one plane perpendicular to n. (A turn about n keeps this true, so the rest pose decides for all poses.)
    The figure's up axis is up on paper. If the up axis is n itself, the figure is seen from above.
    """
    at = figure.placements(figure.rest)  # (S, 4, 4)
    index = {name: i for i, name in enumerate(figure.segment_names)}
    turns, slides = [], []
    for s in figure.segments:
        if not s.joint.motions:
            continue
        base = np.eye(3) if s.parent is None else at[index[s.parent], :3, :3]
        base = base @ rotations.to_matrix(np.array(s.joint.rotation))
        for motion in s.joint.motions:
            if isinstance(motion, Hinge):
                turns.append(base @ np.array(motion.axis))
            elif isinstance(motion, Slider):
                slides.append(base @ np.array(motion.axis))
            else:
                return None
    if not turns:
        return None
    n = turns[0]
    parallel = all(np.linalg.norm(np.cross(n, turn)) < 1e-9 for turn in turns)
    across = all(abs(float(n @ slide)) < 1e-9 for slide in slides)
    flat = np.ptp(at[:, :3, 3] @ n) <= FLAT * figure.size
    return _paper(n, figure.up) if parallel and across and flat else None


def _paper(normal: Vector, up: str) -> Paper:
    """The plane perpendicular to `normal`, with x to the right if possible."""
    vertical = np.array(rotations.AXES[up])
    vertical = vertical - normal * (normal @ vertical)
    if np.linalg.norm(vertical) < 1e-6:  # seen from above: the axis after the up axis is up on paper
        vertical = np.roll(np.array(rotations.AXES[up]), 2)
        vertical = vertical - normal * (normal @ vertical)
    vertical = vertical / np.linalg.norm(vertical)
    right = np.cross(vertical, normal)
    # The plane is seen from the side on which the first world axis across the view points right.
    lead = right[np.argmax(np.abs(right))]
    return Paper(right if lead > 0.0 else -right, vertical)
