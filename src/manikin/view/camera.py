"""The camera of a picture: its direction, and how much of the scene it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadValue

VIEWS = {
    "three-quarter": (-38.0, 11.0),
    "front": (0.0, 4.0),
    "back": (180.0, 4.0),
    "left": (90.0, 4.0),
    "right": (-90.0, 4.0),
    "top": (-90.0, 89.9),
}
"""Named views: (azimuth, elevation) in degrees. At azimuth 0 the camera sees the figure's front (+z of a figure with y
up, +x of one with z up). Azimuth grows toward the figure's left, elevation grows upward."""


def upright(up: str) -> Matrix:
    """(3, 3) rotates world axes so that the figure's up axis becomes the third: forward, left, up."""
    order = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}[up]
    return np.eye(3)[list(order)]


def angles(view: Any) -> tuple[float, float]:
    """(azimuth, elevation) in degrees of a named view, or of a given pair."""
    if isinstance(view, str):
        if view not in VIEWS:
            raise BadValue(
                f"view is {view!r}; it must be one of {', '.join(VIEWS)}, or (azimuth, elevation) in degrees"
            )
        return VIEWS[view]
    pair = arrays.numbers(view, "view", (2,))
    return float(pair[0]), float(pair[1])


@dataclass(frozen=True, eq=False)
class Eye:
    """The viewer's axes in upright space, unit length."""

    right: Vector
    up: Vector
    toward: Vector
    """Direction from the scene to the eye."""

    @staticmethod
    def at(azimuth: float, elevation: float) -> Eye:
        a, e = np.radians([azimuth, elevation])
        toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return Eye(right, np.cross(toward, right), toward)


def outline(points: Points, eye: Eye) -> tuple[float, float]:
    """(width, height) of points (n, 3) as the eye sees them, without perspective; neither is 0."""
    seen = np.ptp(points @ np.stack([eye.right, eye.up]).T, axis=0)
    least = 1e-9 + 0.05 * float(seen.max())
    return max(float(seen[0]), least), max(float(seen[1]), least)


def frame(ax: Any, points: Points, eye: Eye, room: tuple[float, float, float, float]) -> None:
    """Sets the limits of a 3D axes, with equal scale on all three, so that points (n, 3) just fill a part of it.

    Moves the look-at point across the view and changes the range until the projected points fit. With perspective the
    fit depends on the range, so a few rounds are needed; each gains about two digits.

    Args:
        ax: a 3D axes, its view already set.
        points: in upright space.
        eye: the same view.
        room: left, bottom, right, top of the part to fill, as fractions of the axes (0 to 1).
    """
    from mpl_toolkits.mplot3d import proj3d

    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    reach = 0.5 * max(outline(points, eye))
    ax.set_box_aspect((1.0, 1.0, 1.0))
    (x0, x1), (y0, y1) = ax.viewLim.intervalx, ax.viewLim.intervaly
    left, bottom, right, top = room
    want_low = np.array([x0 + left * (x1 - x0), y0 + bottom * (y1 - y0)])
    want_high = np.array([x0 + right * (x1 - x0), y0 + top * (y1 - y0)])
    for _ in range(12):
        for set_limits, c in zip((ax.set_xlim3d, ax.set_ylim3d, ax.set_zlim3d), center, strict=True):
            set_limits(c - reach, c + reach)
        projection = ax.get_proj()
        x, y, _z = proj3d.proj_transform(*points.T, projection)
        low, high = np.array([np.min(x), np.min(y)]), np.array([np.max(x), np.max(y)])
        # The size in the picture of one length across the view, at the look-at point.
        probe = np.stack([center, center + 0.01 * reach * eye.right])
        px, _, _ = proj3d.proj_transform(*probe.T, projection)
        per_length = abs(px[1] - px[0]) / (0.01 * reach)
        aside = (0.5 * (low + high) - 0.5 * (want_low + want_high)) / per_length
        ratio = float(np.max((high - low) / (want_high - want_low)))
        center = center + aside[0] * eye.right + aside[1] * eye.up
        reach *= ratio
        if abs(ratio - 1.0) < 1e-4 and np.max(np.abs(aside)) < 1e-4 * reach:
            break


def nice_step(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most the given length.

    Example:
        >>> nice_step(0.37)
        0.2
    """
    power = 10.0 ** np.floor(np.log10(length))
    fitting = [m * power for m in (1.0, 2.0, 5.0) if m * power <= length * (1.0 + 1e-9)]
    return float(fitting[-1])
