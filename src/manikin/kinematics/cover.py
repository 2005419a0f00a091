"""The smallest capsule around points: every point is in it, and it is nearly as small as one can be. Arrays only.

A capsule of radius r about a line along the unit vector n holds a point at distance d ≤ r from the line and height t
along it if the line reaches from  t + √(r² − d²)  or below to  t − √(r² − d²)  or above. So for a direction n the best
line goes through the centre of the smallest circle around the points as seen along n, and for a radius of at least that
circle's the shortest line is known in closed form. What is searched is n (two numbers) and the radius (one):

    volume = π r² length + 4/3 π r³

The search looks at a few hundred directions, then nearer and nearer around the best, on the outermost points only and
with circles that are known to a percent. The capsule itself is then made of all points with the exact circle.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from manikin.arrays import Points, Vector
from manikin.kinematics.capsules import dot

OUTERMOST = 200
"""Points are thinned to those that are the outermost in one of so many directions."""
AT_ONCE = 4096
"""So many points are thinned at a time."""
DIRECTIONS = 96
"""Directions on half a sphere that are tried first."""
AROUND = 16
"""Directions around the best that are tried in each round after that."""
NARROWER = (0.12, 0.05, 0.02, 0.008)
"""How far those are from the best, in radians, round after round."""
GROWTH = np.array([0.0, 0.01, 0.04, 0.1, 0.2, 0.4, 1.0])
"""Radii that are tried, above that of the circle, as parts of it. Wider is shorter."""
CIRCLE_STEPS = 24
"""Steps toward the farthest point that give the centre of a circle to about a percent."""
THIN = 1e-6
"""Least radius, as a part of the extent of the points: flat or straight ones have none of their own."""


def covering_capsule(points: Points) -> tuple[Vector, Vector, float] | None:
    """Start, end and radius of a capsule that holds all points (n, 3) to rounding; start and end are equal for a ball.

    None where the points have no extent (there are none, or all are one) or are not finite.
    """
    if not len(points) or not np.isfinite(points).all():
        return None
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    extent = float(np.abs(points - middle).max())
    if not 0.0 < extent < np.inf:
        return None
    unit = (points - middle) / extent  # numbers of any size are squared below
    n = _best_direction(_outermost(unit))
    start, end, radius = _along(unit, n)
    return middle + extent * start, middle + extent * end, extent * radius


def volume(length: Vector | float, radius: Vector | float) -> Vector | float:
    """Of a capsule whose line has that length."""
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

    The circle around a few of them grows by the point that is farthest outside, until there is none.
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
    """The smallest circle around at most four points (k, 2), and the two or three that it goes through."""
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
    if best is None:  # nearly on one line: the two that are farthest apart
        apart = np.hypot(*(points[:, None] - points[None]).T)
        i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
        best = (0.5 * (points[i] + points[j]), 0.5 * float(apart[i, j]), points[[i, j]])
    return best


def _along(points: Points, n: Vector) -> tuple[Vector, Vector, float]:
    """The smallest capsule in direction n that holds all points."""
    e1, e2 = _across(n[None])
    center, least = smallest_circle(np.stack([points @ e1[0], points @ e2[0]], axis=1))
    foot = center[0] * e1[0] + center[1] * e2[0]
    outer = _outermost(points)
    d, t = np.hypot(outer @ e1[0] - center[0], outer @ e2[0] - center[1]), outer @ n
    sizes = [_line(t, d, least * (1.0 + g)) for g in np.linspace(0.0, 1.0, 101) ** 2]
    radius = min(sizes, key=lambda s: float(volume(s[1] - s[0], s[2])))[2]
    d, t = np.hypot(points @ e1[0] - center[0], points @ e2[0] - center[1]), points @ n
    low, high, _ = _line(t, d, radius)
    start, end = foot + low * n, foot + high * n
    return start, end, max(float(distances(points, start, end).max()), THIN)


def _line(t: Vector, d: Vector, radius: float) -> tuple[float, float, float]:
    """From where to where the line of a capsule must reach."""
    cap = np.sqrt(np.maximum(radius * radius - d * d, 0.0))
    low, high = float((t + cap).min()), float((t - cap).max())
    return (low, high, radius) if low < high else (0.5 * (low + high), 0.5 * (low + high), radius)


def _best_direction(points: Points) -> Vector:
    """(3,) the direction in which the capsule around points is smallest."""
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
    """(k,) about the volume of the smallest capsule in each direction (k, 3)."""
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
    """Those that are the farthest in one of many directions."""
    n = _directions(OUTERMOST // 2)
    while len(points) > OUTERMOST:
        kept = []
        for part in np.split(points, range(AT_ONCE, len(points), AT_ONCE)):
            heights = part @ n.T
            kept.append(part[np.unique([np.argmax(heights, axis=0), np.argmin(heights, axis=0)])])
        points = np.concatenate(kept)
    return points


def _directions(count: int) -> Points:
    """(count, 3) spread over half a sphere."""
    z = (np.arange(count) + 0.5) / count
    angle = 2.399963 * np.arange(count)
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)


def _across(n: Points) -> tuple[Points, Points]:
    """Two unit vectors across each of n (k, 3) and each other."""
    helper = np.eye(3)[np.argmin(np.abs(n), axis=1)]
    e1 = np.cross(n, helper)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    return e1, np.cross(n, e1)
