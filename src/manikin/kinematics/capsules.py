"""Distances between capsules, and the parts that all distances between solid shapes share. Arrays only, many pairs at
once.

A capsule is the set of points within a radius of the line from c − u to c + u. With u = 0 it is a sphere. A half-space
is the set of points x with n·x ≤ level. Boxes are in `kinematics.boxes`.

The *signed distance* d of two shapes a and b is the distance between them. If they intersect, it is minus the shortest
translation after which they only touch. With n the unit vector along this distance, from a to b, and x_a, x_b the
nearest points,

    x_b = x_a + d n,        d' = n·(v_b − v_a)

where v_a, v_b are the velocities of the points of a and b that are at x_a and x_b. The nearest points also slide along
the shapes, but that does not change d to first order. So a derivative needs only n, x_a and x_b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manikin.arrays import Points, Vector
from manikin.rotations import cross

TIE = 4.0 * np.finfo(np.float64).eps
"""Squared distances are equal if they differ by at most this fraction of the squared lengths. The middle is then
used."""
TOUCH = 1e-10
"""Cores that are nearer than this fraction of their extent touch. The vector between them then has no direction."""
PARALLEL = 1e-14
"""Lines are parallel if the squared sine of the angle between them, computed from dot products, is at most this."""
PARALLEL_CROSS = 1e-28
"""Lines are parallel if the squared sine of the angle between them, computed from a cross product, is at most this. The
cross product loses no digits."""
ANYWHERE = np.full(3, 1.0 / np.sqrt(3.0))
"""The direction that is used if all directions are equally good."""


class Nearest(NamedTuple):
    """The nearest points of n pairs of shapes."""

    distance: Vector
    """(n,) signed distance."""
    normal: Points
    """(n, 3) unit vector from a to b."""
    on_a: Points
    """(n, 3) nearest point of a."""
    on_b: Points
    """(n, 3) nearest point of b."""


def capsule_capsule(c: Points, u: Points, r: Vector, other_c: Points, other_u: Points, other_r: Vector) -> Nearest:
    """Signed distance between capsules a (c, u, r) and b (other_c, other_u, other_r). It is exact.

    Degenerate: parallel capsules are nearest along a whole interval; its middle is used. If the lines cross, the normal
    is perpendicular to both lines, on the side of the other's centre. If the lines are parallel too, it is
    perpendicular to the line of a. If the lines almost cross, the direction has a relative error of rounding divided by
    the distance between them.

    Args:
        c, u, r: (n, 3) middle of the line, (n, 3) vector from there to its end, (n,) radius.
        other_c, other_u, other_r: the same for b.
    """
    s, t = nearest_on_lines(c, u, other_c, other_u)
    on_a, on_b = c + s[:, None] * u, other_c + t[:, None] * other_u
    away = on_b - on_a
    distance = np.sqrt(dot(away, away))
    extent = np.sqrt(dot(u, u)) + np.sqrt(dot(other_u, other_u)) + r + other_r
    touching = distance <= TOUCH * extent
    normal = away / np.where(touching, 1.0, distance)[:, None]
    if touching.any():
        normal[touching] = _way_out(u[touching], other_u[touching], (other_c - c)[touching])
    return Nearest(distance - r - other_r, normal, on_a + r[:, None] * normal, on_b - other_r[:, None] * normal)


def nearest_on_lines(c: Points, u: Points, other_c: Points, other_u: Points) -> tuple[Vector, Vector]:
    """(s, t), each in [−1, 1]: c + s u and other_c + t other_u are nearest to each other. (n, 3) -> (n,), (n,).

    |w + s u − t v|² with w = c − other_c, v = other_u is convex in (s, t). Its minimum on the square is where the
    gradient is 0 if that point is inside. Otherwise it is on one of the four edges, where the function is a clipped
    parabola. All five candidates are compared, which stays exact for almost parallel lines.
    """
    w, v = c - other_c, other_u
    A, E, B, C, F = dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)
    determinant = A * E - B * B
    parallel = determinant <= PARALLEL * A * E
    over_A, over_E = 1.0 / np.where(A > 0.0, A, np.inf), 1.0 / np.where(E > 0.0, E, np.inf)
    # Candidate inside the square: the gradient is 0, or the middle of the interval that parallel lines share.
    over = 1.0 / np.where(parallel, 1.0, determinant)
    inner = (B * F - E * C) * over
    shared = 0.5 * (_clipped((B - C) * over_A) + _clipped((-B - C) * over_A))
    s0 = np.where(parallel, shared, inner)
    t0 = np.where(parallel, _clipped((F + B * shared) * over_E), (A * F - B * C) * over)
    outside = (np.abs(s0) > 1.0) | (np.abs(t0) > 1.0)
    one = np.ones_like(A)
    s = np.stack([s0, one, -one, _clipped((B - C) * over_A), _clipped((-B - C) * over_A)])
    t = np.stack([t0, _clipped((F + B) * over_E), _clipped((F - B) * over_E), one, -one])
    square = s * (s * A + 2.0 * (C - t * B)) + t * (t * E - 2.0 * F)  # without |w|², which is the same for all
    square[0] = np.where(outside, np.inf, square[0] - TIE * (A + E + dot(w, w)))
    best = np.argmin(square, axis=0)
    at = np.arange(len(best))
    return s[best, at], t[best, at]


def _way_out(u: Points, v: Points, toward: Points) -> Points:
    """(n, 3) unit vectors perpendicular to both lines, on the side of `toward`."""
    normal = cross(u, v)
    flat = dot(normal, normal) <= PARALLEL_CROSS * dot(u, u) * dot(v, v)
    for i in np.flatnonzero(flat):
        line = u[i] if np.any(u[i]) else v[i]
        aside = toward[i] - line * (line @ toward[i]) / max(line @ line, 1e-300)
        if not aside @ aside > TOUCH * TOUCH * max(line @ line, toward[i] @ toward[i]):
            aside = ANYWHERE if not np.any(line) else np.cross(line, np.eye(3)[np.argmin(np.abs(line))])
        normal[i] = aside
    normal *= np.where(dot(normal, toward) < 0.0, -1.0, 1.0)[:, None]
    unit: Points = normal / np.sqrt(dot(normal, normal))[:, None]
    return unit


def dot(a: Points, b: Points) -> Vector:
    """(..., 3), (..., 3) -> (...)."""
    out: Vector = np.einsum("...i,...i->...", a, b)
    return out


def _clipped(x: Vector) -> Vector:
    return np.minimum(np.maximum(x, -1.0), 1.0)
