"""A capsule around points: it contains every point and is nearly the smallest one. Arrays only.

Take a capsule of radius r about a line along the unit vector n, and a point at distance d ≤ r from the line and height
t along it. The capsule contains the point if the line begins at or below  t + √(r² − d²)  and ends at or above  t −
√(r² − d²).  So for a given n the best line goes through the centre of the smallest circle around the points, seen along
n. For a radius of at least the radius of this circle, the shortest line has a closed form. The search varies n (two
numbers) and the radius (one):

    volume = π r² length + 4/3 π r³

The search tries a few hundred directions, then closer and closer ones around the best. It uses only the outermost
points, and circles with an error of one percent. The final capsule is computed from all points with the exact circle.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points, Vector
from manikin.kinematics.capsules import dot

OUTERMOST = 200
"""Only the outermost point in each of this many directions is kept."""
AT_ONCE = 4096
"""Number of points that are thinned at a time."""
IN_CACHE = 512
"""Number of points whose heights are computed at a time, so that these fit into the cache."""
DIRECTIONS = 96
"""Number of directions on half a sphere that the first round tries."""
AROUND = 16
"""Number of directions around the best one that each later round tries."""
NARROWER = (0.12, 0.05, 0.02, 0.008)
"""Angle in radians between these directions and the best one, for each round."""
GROWTH = np.array([0.0, 0.01, 0.04, 0.1, 0.2, 0.4, 1.0])
"""Increases of the radius that are tried, as fractions of the radius of the circle. A wider capsule is shorter."""
CIRCLE_STEPS = 24
"""Steps toward the farthest point. This many give the centre of a circle with an error of about one percent."""
THIN = 1e-6
"""Least radius, as a fraction of the extent of the points. Points on a plane or line need it."""


def covering_capsule(points: Points) -> tuple[Vector, Vector, float] | None:
    """Start, end and radius of a capsule that contains all points (n, 3) to rounding. Start and end are equal for a
    ball.

    None if the points have no extent (no points, or all equal) or are not finite.
    """
    if not len(points) or not np.isfinite(points).all():
        return None
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    extent = float(np.abs(points - middle).max())
    if not 0.0 < extent < np.inf:
        return None
    unit = (points - middle) / extent  # scaled, so that squares of any numbers are safe
    outer = _outermost(unit)
    start, end, radius = _along(unit, outer, _best_direction(outer))
    return middle + extent * start, middle + extent * end, extent * radius


def volume(length: Vector | float, radius: Vector | float) -> Vector | float:
    """Volume of a capsule whose line has the given length."""
    return np.pi * radius * radius * (length + 4.0 / 3.0 * radius)


def distances(points: Points, start: Vector, end: Vector) -> Vector:
    """(n,) from each point (n, 3) to the line from start to end."""
    along = end - start
    square = float(along @ along)
    t = np.clip((points - start) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    away = points - start - t[:, None] * along
    out: Vector = np.sqrt(dot(away, away))
    return out


def smallest_circle(points: Points) -> tuple[Vector, float]:
    """Centre and radius of the smallest circle around points (n, 2), exact to rounding.

    Starts with the circle around a few points. Adds the point that is farthest outside until no point is outside.
    """
    kept = points[:1]
    center, radius = kept[0], 0.0
    for _ in range(100):
        away = np.hypot(*(points - center).T)
        worst = int(np.argmax(away))
        if away[worst] <= radius * (1.0 + 1e-13):
            break
        center, radius, kept = _circle_of_few(np.vstack([kept, points[worst]]))
    return center, max(radius, float(np.hypot(*(points - center).T).max()))


def _circle_of_few(points: Points) -> tuple[Vector, float, Points]:
    """The smallest circle around at most four points (k, 2), and the two or three points on it."""
    best: tuple[Vector, float, Points] | None = None
    for few in [*combinations(range(len(points)), 2), *combinations(range(len(points)), 3)]:
        through = points[list(few)]
        a = through[0]
        if len(few) == 2:
            center = 0.5 * (a + through[1])
        else:
            edges = through[1:] - a
            determinant = edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0]
            if abs(determinant) <= 1e-14 * float((edges * edges).sum()):
                continue
            center = a + np.linalg.solve(2.0 * edges, (edges * edges).sum(axis=1))
        radius = float(np.hypot(*(through - center).T).max())
        holds = np.hypot(*(points - center).T).max() <= radius * (1.0 + 1e-12)
        if holds and (best is None or radius < best[1]):
            best = (center, radius, through)
    if best is None:  # nearly on one line: use the two points that are farthest apart
        apart = np.hypot(*(points[:, None] - points[None]).T)
        i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
        best = (0.5 * (points[i] + points[j]), 0.5 * float(apart[i, j]), points[[i, j]])
    return best


def _along(points: Points, outer: Points, n: Vector) -> tuple[Vector, Vector, float]:
    """The smallest capsule in direction n that holds all points, of which `outer` are the outermost."""
    e1, e2 = _across(n[None])
    center, least = smallest_circle(np.stack([points @ e1[0], points @ e2[0]], axis=1))
    foot = center[0] * e1[0] + center[1] * e2[0]
    d, t = np.hypot(outer @ e1[0] - center[0], outer @ e2[0] - center[1]), outer @ n
    sizes = [_line(t, d, least * (1.0 + g)) for g in np.linspace(0.0, 1.0, 101) ** 2]
    radius = min(sizes, key=lambda s: float(volume(s[1] - s[0], s[2])))[2]
    d, t = np.hypot(points @ e1[0] - center[0], points @ e2[0] - center[1]), points @ n
    low, high, _ = _line(t, d, radius)
    start, end = foot + low * n, foot + high * n
    return start, end, max(float(distances(points, start, end).max()), THIN)


def _line(t: Vector, d: Vector, radius: float) -> tuple[float, float, float]:
    """Start, end and length of the line of a capsule that contains points at heights t and distances d."""
    cap = np.sqrt(np.maximum(radius * radius - d * d, 0.0))
    low, high = float((t + cap).min()), float((t - cap).max())
    return (low, high, radius) if low < high else (0.5 * (low + high), 0.5 * (low + high), radius)


def _best_direction(points: Points) -> Vector:
    """(3,) the direction in which the capsule around the points is smallest."""
    spread = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    tried = np.concatenate([spread, _directions(DIRECTIONS)])
    for narrow in (*NARROWER, 0.0):
        best: Vector = tried[int(np.argmin(_volumes(points, tried)))]
        e1, e2 = _across(best[None])
        angle = 2.399963 * np.arange(AROUND)  # the golden angle
        away = narrow * np.sqrt(np.arange(AROUND) / (AROUND - 1.0))
        tried = best + (away * np.cos(angle))[:, None] * e1 + (away * np.sin(angle))[:, None] * e2
        tried /= np.linalg.norm(tried, axis=1, keepdims=True)
    return best


def _volumes(points: Points, n: Points) -> Vector:
    """(k,) approximate volume of the smallest capsule in each direction (k, 3)."""
    e1, e2 = _across(n)
    x, y, t = points @ e1.T, points @ e2.T, points @ n.T  # (p, k)
    cx, cy = 0.5 * (x.min(axis=0) + x.max(axis=0)), 0.5 * (y.min(axis=0) + y.max(axis=0))
    at = np.arange(len(n))
    for step in range(CIRCLE_STEPS):
        far = np.argmax((x - cx) ** 2 + (y - cy) ** 2, axis=0)
        cx = cx + (x[far, at] - cx) / (step + 3.0)
        cy = cy + (y[far, at] - cy) / (step + 3.0)
    square = (x - cx) ** 2 + (y - cy) ** 2
    r = np.sqrt(square.max(axis=0)) * (1.0 + GROWTH[:, None])  # (g, k)
    cap = np.sqrt(np.maximum(r[:, None] ** 2 - square, 0.0))  # (g, p, k)
    length = np.maximum((t - cap).max(axis=1) - (t + cap).min(axis=1), 0.0)
    out: Vector = np.asarray(volume(length, r)).min(axis=0)
    return out


def _outermost(points: Points) -> Points:
    """The points that are the farthest in one of many directions."""
    n = _directions(OUTERMOST // 2)
    while len(points) > OUTERMOST:
        parts = np.split(points, range(AT_ONCE, len(points), AT_ONCE))
        points = np.concatenate([part[_farthest(part, n)] for part in parts])
    return points


def _farthest(points: Points, n: Points) -> NDArray[np.intp]:
    """The indices of the points that are the farthest in one of the directions n (k, 3) or against it."""
    best = np.full((2, len(n)), -np.inf)
    at = np.zeros((2, len(n)), dtype=np.intp)
    for first in range(0, len(points), IN_CACHE):
        heights = n @ points[first : first + IN_CACHE].T
        for side, found in enumerate((np.argmax(heights, axis=1), np.argmin(heights, axis=1))):
            height = heights[np.arange(len(n)), found] * (1.0 - 2.0 * side)
            higher = height > best[side]
            best[side, higher], at[side, higher] = height[higher], first + found[higher]
    return np.unique(at)


def _directions(count: int) -> Points:
    """(count, 3) directions spread over half a sphere."""
    z = (np.arange(count) + 0.5) / count
    angle = 2.399963 * np.arange(count)
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)


def _across(n: Points) -> tuple[Points, Points]:
    """Two unit vectors perpendicular to each of n (k, 3) and to each other."""
    helper = np.eye(3)[np.argmin(np.abs(n), axis=1)]
    e1 = np.cross(n, helper)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    return e1, np.cross(n, e1)
