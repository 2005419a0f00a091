"""What can be seen of solids that run into each other: the faces of none that lie inside another.

Sorting faces by depth cannot show two surfaces that pass through each other, as the capsules of neighbouring segments
do at every joint. Without the hidden faces only the outer skin is left, and that sorts well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Placements, Points
from manikin.figure import Box
from manikin.view.solids import Round, Solid, normals

_SKIN = 1e-6
"""A corner counts as inside when it is deeper than this part of the solid's thickness: touching faces stay."""


def skin(solids: list[Solid], placements: Placements) -> list[tuple[Points, Points]]:
    """World faces (F, 4, 3) and their unit normals (F, 3), of each solid, without faces inside one other solid; faces
    half inside are cut off there.

    Of two equal solids in one place the first stays.
    """
    if not solids:
        return []
    world = [solid.in_world(placements) for solid in solids]
    middles = np.array([faces.reshape(-1, 3).mean(axis=0) for faces in world])
    reaches = np.array(
        [np.linalg.norm(f.reshape(-1, 3) - m, axis=1).max() for f, m in zip(world, middles, strict=True)]
    )
    kept = []
    for i, whole in enumerate(world):
        faces = whole
        upright = normals(faces)  # before cutting: a sliver that is left has no reliable normal of its own
        near = np.linalg.norm(middles - middles[i], axis=1) < reaches + reaches[i]
        for j in np.flatnonzero(near):
            other = solids[int(j)]
            if j == i or other.shape is None or (_same(solids[i], other) and j > i):
                continue
            faces, keep = _cut(faces, other.shape, placements[other.segment])
            upright = upright[keep]
        kept.append((faces, upright))
    return kept


def _cut(faces: Points, shape: Round | Box, placement: Placements) -> tuple[Points, NDArray[np.bool_]]:
    """Faces (F, 4, 3) in world space without what lies inside a shape on a segment at `placement` (4, 4).

    A corner inside moves out along the edge to its one neighbour outside, to where that edge leaves the shape (found by
    halving). A corner between two such goes to their middle. One corner inside alone is left as it is. Also says which
    faces are left, (F,).
    """
    local = (faces - placement[:3, 3]) @ placement[:3, :3]
    inside = _inside(shape, local)  # (F, 4)
    keep: NDArray[np.bool_] = np.logical_not(inside.all(axis=1))
    faces, local, inside = faces[keep], local[keep], inside[keep]
    if not inside.any():
        return faces, keep
    before, after = np.roll(inside, 1, axis=1), np.roll(inside, -1, axis=1)
    cut = np.array(local)
    for neighbour, wanted in ((1, inside & ~before & after), (-1, inside & before & ~after)):
        target = np.roll(local, neighbour, axis=1)[wanted]
        cut[wanted] = _leaving(shape, local[wanted], target)
    deep = inside & before & after
    cut[deep] = 0.5 * (np.roll(cut, 1, axis=1) + np.roll(cut, -1, axis=1))[deep]
    return cut @ placement[:3, :3].T + placement[:3, 3], keep


def _leaving(shape: Round | Box, start: Points, end: Points) -> Points:
    """Where lines from points inside a shape to points outside leave it. (n, 3), (n, 3) -> (n, 3)."""
    low, high = np.zeros(len(start)), np.ones(len(start))
    for _ in range(12):
        t = 0.5 * (low + high)
        within = _inside(shape, start + t[:, None] * (end - start))
        low, high = np.where(within, t, low), np.where(within, high, t)
    result: Points = start + high[:, None] * (end - start)
    return result


def _same(one: Solid, other: Solid) -> bool:
    return one.segment == other.segment and one.shape == other.shape


def _inside(shape: Round | Box, points: Points) -> NDArray[np.bool_]:
    """Whether points (..., 3) in the shape's segment space are inside a shape."""
    if isinstance(shape, Box):
        own = rotations.rotate(rotations.inverse(np.array(shape.rotation)), points - np.array(shape.center))
        result: NDArray[np.bool_] = np.all(np.abs(own) < (1.0 - _SKIN) * np.array(shape.half), axis=-1)
        return result
    start = np.array(shape.start)
    along = np.array(shape.end) - start
    square = float(along @ along)
    t = np.clip((points - start) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(points.shape[:-1])
    radius = shape.first + t * (shape.last - shape.first)
    deep: NDArray[np.bool_] = np.linalg.norm(points - start - t[..., None] * along, axis=-1) < (1.0 - _SKIN) * radius
    return deep
