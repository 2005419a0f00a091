"""The convex hull of balls as one smooth surface, such as the chest of a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector

_WIDEST = 1.55
"""The search covers normals that differ from a direction by at most this angle, in radians."""
_ROUNDS = 20
"""Rounds of a golden section. The angle is then exact to 2e-4 rad."""
_SAG = 0.994
"""The distance of a flat face is at least this fraction of the distance of the round surface, also in its middle."""


@dataclass(frozen=True, eq=False)
class Hull:
    """A closed surface around a point. It is given by its distance from the point in the directions of a grid of
    latitudes and longitudes, with the poles on an axis."""

    center: Vector
    """(3,) inside the surface."""
    axis: Vector
    """(3,) unit, toward the last pole."""
    radii: Matrix
    """(latitudes, longitudes) distances from the centre. The first and the last row are those of the poles."""

    @property
    def faces(self) -> Points:
        """(F, 4, 3) corners, counter-clockwise seen from outside."""
        points = self.center + self.radii[..., None] * directions(self.axis, *self.radii.shape)
        ahead = np.roll(points, -1, axis=1)
        return np.stack([points[:-1], ahead[:-1], ahead[1:], points[1:]], axis=2).reshape(-1, 4, 3)

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Whether points (..., 3) are inside the drawn faces.

        Between the directions of the grid, distances are interpolated. Flat faces are slightly nearer to the centre
        (`_SAG`), so a point just below a face may count as outside.
        """
        away = points - self.center
        distance = np.linalg.norm(away, axis=-1)
        first = rotations.perpendicular(self.axis)
        x, y, z = away @ first, away @ np.cross(self.axis, first), away @ self.axis
        rows, columns = self.radii.shape
        row = (np.arctan2(z, np.hypot(x, y)) / np.pi + 0.5) * (rows - 1)
        column = np.mod(np.arctan2(y, x), 2.0 * np.pi) / (2.0 * np.pi) * columns
        k, i = np.minimum(row.astype(int), rows - 2), column.astype(int) % columns
        s, t = row - k, column - np.floor(column)
        after = (i + 1) % columns
        low = (1.0 - t) * self.radii[k, i] + t * self.radii[k, after]
        high = (1.0 - t) * self.radii[k + 1, i] + t * self.radii[k + 1, after]
        inside: NDArray[np.bool_] = distance < _SAG * ((1.0 - s) * low + s * high)
        return inside


def hull(centers: Points, sizes: Vector, axis: Vector, latitudes: int, longitudes: int) -> Hull:
    """The convex hull of balls.

    Args:
        centers: (n, 3) of the balls.
        sizes: (n,) radii of the balls.
        axis: (3,) unit: the poles of the grid are on it.
        latitudes: rows of the grid, including the poles.
        longitudes: columns of the grid.
    """
    center = 0.5 * (centers.min(axis=0) + centers.max(axis=0))
    ways = directions(axis, latitudes, longitudes).reshape(-1, 3)
    radii = _reach(centers - center, sizes, ways).reshape(latitudes, longitudes)
    return Hull(center, axis, radii)


def directions(axis: Vector, latitudes: int, longitudes: int) -> Points:
    """(latitudes, longitudes, 3) the directions of a grid, from one pole to the other."""
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, latitudes)[:, None, None]
    turn = np.linspace(0.0, 2.0 * np.pi, longitudes, endpoint=False)[:, None]
    first = rotations.perpendicular(axis)
    circle = np.cos(turn) * first + np.sin(turn) * np.cross(axis, first)
    return np.asarray(np.cos(latitude) * circle + np.sin(latitude) * axis)


def _reach(centers: Points, sizes: Vector, ways: Points) -> Vector:
    """(n,) how far the hull of balls extends from the origin, which is inside it, in directions (n, 3).

    Every plane that touches the hull bounds it. With the normal u + a e + b f, where u is the direction and e, f are
    perpendicular to it, the bound is max_i (c_i · n + r_i |n|). It is convex in a and b, so two nested searches by
    golden section find its minimum. They run over arctan a and arctan b.
    """
    helper = np.eye(3)[np.argmin(np.abs(ways), axis=1)]
    e = np.cross(ways, helper)
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    f = np.cross(ways, e)

    def bound(alpha: Vector, beta: Vector) -> Vector:
        normals = ways + np.tan(alpha)[:, None] * e + np.tan(beta)[:, None] * f
        lengths = np.sqrt(1.0 + np.tan(alpha) ** 2 + np.tan(beta) ** 2)
        out: Vector = (normals @ centers.T + lengths[:, None] * sizes).max(axis=1)
        return out

    return _least(lambda alpha: _least(lambda beta: bound(alpha, beta), len(ways)), len(ways))


def _least(value: Callable[[Vector], Vector], count: int) -> Vector:
    """(count,) the minima of unimodal functions within ±_WIDEST, by golden section."""
    golden = 0.5 * (5.0**0.5 - 1.0)
    low, high = np.full(count, -_WIDEST), np.full(count, _WIDEST)
    left, right = high - golden * (high - low), low + golden * (high - low)
    below, above = value(left), value(right)
    for _ in range(_ROUNDS):
        lower = below < above
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        kept, kept_value = np.where(lower, left, right), np.where(lower, below, above)
        new = np.where(lower, high - golden * (high - low), low + golden * (high - low))
        new_value = value(new)
        left, right = np.where(lower, new, kept), np.where(lower, kept, new)
        below, above = np.where(lower, new_value, kept_value), np.where(lower, kept_value, new_value)
    return np.minimum(below, above)
