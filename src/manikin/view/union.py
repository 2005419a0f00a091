"""The visible part of intersecting solids: their faces without the parts inside another solid.

Sorting by depth cannot show two surfaces that intersect, as the capsules of neighbouring segments do at every joint.
Without the hidden faces only the outer skin is left, which sorts well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Placements, Points, Vector
from manikin.figure import Box
from manikin.view.hull import Hull
from manikin.view.solids import Solid, normals
from manikin.view.turned import Turned

_SLIVER = 1e-3
"""A piece smaller than this fraction of its face is left out. Its edges, which close thin gaps, would cover all of
it."""


def skin(solids: list[Solid], placements: Placements) -> list[tuple[Points, Points]]:
    """World faces (F, 4, 3) and their unit normals (F, 3), for each solid, without the parts inside another solid.

    If two surfaces coincide, both stay.
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
        upright = normals(faces)  # before cutting, because thin remainders have no reliable normal
        near = np.linalg.norm(middles - middles[i], axis=1) < reaches + reaches[i]
        for j in np.flatnonzero(near):
            other = solids[int(j)]
            if j == i:
                continue
            faces, source = _cut(faces, other.shape, placements[other.segment])
            upright = upright[source]
        kept.append((faces, upright))
    return kept


def _cut(faces: Points, shape: Turned | Hull | Box, placement: Placements) -> tuple[Points, NDArray[np.intp]]:
    """Faces (F, 4, 3) in world space without the parts inside a shape on a segment at `placement` (4, 4).

    A face with some corners inside is split into two triangles. Each is cut where its edges leave the shape, found by
    bisection. Also returns the index of the original face for each remaining face.
    """
    local = (faces - placement[:3, 3]) @ placement[:3, :3]
    inside = _inside(shape, local)  # (F, 4)
    count = inside.sum(axis=1)
    outside, mixed = np.flatnonzero(count == 0), np.flatnonzero((count > 0) & (count < 4))
    if not len(mixed):
        return faces[outside], outside
    source = np.concatenate([mixed, mixed])
    triangles = np.concatenate([local[mixed][:, [0, 1, 2]], local[mixed][:, [0, 2, 3]]])
    within = np.concatenate([inside[mixed][:, [0, 1, 2]], inside[mixed][:, [0, 2, 3]]])
    deep = within.sum(axis=1)
    # The corner that differs from the other two comes first.
    odd = np.where(deep == 1, np.argmax(within, axis=1), np.argmin(within, axis=1))
    order = (odd[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(triangles, order[:, :, None], axis=1), 1, 0)
    pieces = np.stack([a, b, c, c], axis=1)
    one, two = deep == 1, deep == 2
    # From the corner inside, or from the two corners inside, to the points where the edges ab and ac leave the shape.
    start, end = np.concatenate([a[one], a[one], b[two], c[two]]), np.concatenate([b[one], c[one], a[two], a[two]])
    ends = np.cumsum([one.sum(), one.sum(), two.sum()])
    ab, ac, ba, ca = np.split(_leaving(shape, start, end), ends)
    pieces[one] = np.stack([ab, b[one], c[one], ac], axis=1)
    pieces[two] = np.stack([a[two], ba, ca, ca], axis=1)
    left = (deep < 3) & (_area(pieces) > _SLIVER * np.tile(_area(local[mixed]), 2))
    world = pieces[left] @ placement[:3, :3].T + placement[:3, 3]
    return np.concatenate([faces[outside], world]), np.concatenate([outside, source[left]])


def _area(faces: Points) -> Vector:
    """(F,) areas of faces (F, 4, 3)."""
    across = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    result: Vector = 0.5 * np.linalg.norm(across, axis=1)
    return result


def _leaving(shape: Turned | Hull | Box, start: Points, end: Points) -> Points:
    """The points where lines from inside a shape to outside leave it. (n, 3), (n, 3) -> (n, 3)."""
    low, high = np.zeros(len(start)), np.ones(len(start))
    for _ in range(12):
        t = 0.5 * (low + high)
        within = _inside(shape, start + t[:, None] * (end - start))
        low, high = np.where(within, t, low), np.where(within, high, t)
    result: Points = start + high[:, None] * (end - start)
    return result


def _inside(shape: Turned | Hull | Box, points: Points) -> NDArray[np.bool_]:
    """Whether points (..., 3) in the shape's segment space are inside a shape."""
    if not isinstance(shape, Box):
        return shape.contains(points)
    own = rotations.rotate(rotations.inverse(np.array(shape.rotation)), points - np.array(shape.center))
    result: NDArray[np.bool_] = np.all(np.abs(own) < np.array(shape.half), axis=-1)
    return result
