"""Surfaces of revolution, as a lathe makes them. Most parts of a wooden figure are such surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Points, Vector

_FINE = np.array([0.0, 0.3, 0.6, 1.0, 1.5])
"""Positions of the cuts near the ends of a part, in radii. They are close together, because other parts intersect it
there."""
_COARSE = 2.0
"""Largest distance between cuts elsewhere, in radii."""


@dataclass(frozen=True, eq=False)
class Turned:
    """A closed surface around an axis. At `along[k]` from the origin it is a regular polygon of radius `radii[k]`. Flat
    faces join the polygons of neighbouring stations. It begins and ends in a point."""

    origin: Vector
    """(3,) on the axis, where `along` is 0."""
    axis: Vector
    """(3,) unit."""
    along: Vector
    """(k,) increasing."""
    radii: Vector
    """(k,) the first and the last are 0."""
    around: int
    """Corners of each polygon."""

    @property
    def faces(self) -> Points:
        """(F, 4, 3) corners, counter-clockwise seen from outside."""
        turn = np.linspace(0.0, 2.0 * np.pi, self.around, endpoint=False)
        first, second = self._across
        circle = np.cos(turn)[:, None] * first + np.sin(turn)[:, None] * second  # (around, 3)
        points = self.origin + self.along[:, None, None] * self.axis + self.radii[:, None, None] * circle
        ahead = np.roll(points, -1, axis=1)
        return np.stack([points[:-1], ahead[:-1], ahead[1:], points[1:]], axis=2).reshape(-1, 4, 3)

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Whether points (..., 3) are inside the drawn faces (not inside an ideal round surface)."""
        away = points - self.origin
        first, second = self._across
        x, y, z = away @ first, away @ second, away @ self.axis
        radius = np.interp(z, self.along, self.radii, left=0.0, right=0.0)
        half = np.pi / self.around
        side = np.mod(np.arctan2(y, x), 2.0 * half) - half  # from the middle of the polygon's side
        inside: NDArray[np.bool_] = np.hypot(x, y) * np.cos(side) < radius * np.cos(half)
        return inside

    @cached_property
    def _across(self) -> tuple[Vector, Vector]:
        first = rotations.perpendicular(self.axis)
        return first, np.cross(self.axis, first)


def ball(center: Vector, radius: float, around: int) -> Turned:
    """A sphere."""
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 2 * _rings(around) + 1)
    return Turned(center, np.array([0.0, 1.0, 0.0]), radius * np.sin(turn), radius * _cosine(turn), around)


def rod(points: Points, radii: Vector, around: int, fine: float = 1.0) -> Turned:
    """Half a ball at each end, and between them straight pieces through the stations nearest to points (k, 3), k ≥ 2.

    Args:
        points: nearly on a line; the first and the last are on the axis and differ.
        radii: (k,) at the points.
        around: corners of each polygon.
        fine: resolution of the side; 1 for a picture of one pose.
    """
    length = float(np.linalg.norm(points[-1] - points[0]))
    axis = (points[-1] - points[0]) / length
    places = (points - points[0]) @ axis
    side = _stations(places, float(radii.max()) / fine)
    turn = np.linspace(0.0, 0.5 * np.pi, _rings(around) + 1)[1:]
    along = np.concatenate([-radii[0] * np.sin(turn[::-1]), side, length + radii[-1] * np.sin(turn)])
    profile = np.concatenate(
        [radii[0] * _cosine(turn[::-1]), np.interp(side, places, radii), radii[-1] * _cosine(turn)]
    )
    return Turned(points[0], axis, along, profile, around)


def _stations(places: Vector, radius: float) -> Vector:
    """The cuts of a side from places[0] = 0 to places[-1]."""
    length = float(places[-1])
    fine = _FINE[_FINE * radius < 0.5 * length] * radius
    count = int(np.clip(np.ceil((length - 2.0 * fine[-1]) / (_COARSE * radius)), 1, 12))
    between = np.linspace(fine[-1], length - fine[-1], count + 1)
    cuts = np.sort(np.concatenate([fine, between, places, length - fine]))
    apart = np.concatenate([[True], np.diff(cuts) > 1e-6 * length])
    stations: Vector = cuts[apart]
    return stations


def _rings(around: int) -> int:
    """Number of rings of half a ball."""
    return max(2, around // 3)


def _cosine(turn: Vector) -> Vector:
    """cos, exactly 0 at a quarter turn, so that a pole is a point."""
    return np.where(np.abs(turn) > 0.5 * np.pi - 1e-12, 0.0, np.cos(turn))
