"""Rotations as unit quaternions wxyz, to parent from local. Every function takes any leading axes.

Formulas stay exact where textbooks divide by zero. Small angles use the power series of the quotient; half turns use
atan2 of the vector part and the scalar part. The functions take arrays only and do not check shapes or lengths (see
`arrays.quaternion`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Points, Quaternions, Rotations, Vector, floats

IDENTITY = (1.0, 0.0, 0.0, 0.0)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SMALL = 1e-4
"""Below this angle (rad) a quotient such as sin θ / θ is computed from its power series. Both agree there to 1e-17."""
POLE = 1e-13
"""Within this angle (rad) of the gimbal pole, the Euler angles are those of the pole itself."""


def multiply(a: Quaternions, b: Quaternions) -> Quaternions:
    """a ⊗ b: first b, then a. (..., 4)."""
    a, b = floats(a, "a"), floats(b, "b")
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: Quaternions) -> Quaternions:
    """The inverse of a unit quaternion. (..., 4)."""
    return np.multiply(floats(q, "q"), [1.0, -1.0, -1.0, -1.0])


def normalized(q: Quaternions) -> Quaternions:
    """q / |q|. (..., 4)."""
    q = floats(q, "q")
    unit: Quaternions = q / np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return unit


def from_rotation_vector(w: Points) -> Quaternions:
    """exp(w/2): the rotation by |w| about w. (..., 3) -> (..., 4)."""
    w = floats(w, "w")
    angle = np.linalg.norm(w, axis=-1)
    safe = np.where(angle < SMALL, 1.0, angle)
    factor = np.where(angle < SMALL, 0.5 - angle**2 / 48.0, np.sin(0.5 * safe) / safe)
    return np.concatenate([np.cos(0.5 * angle)[..., None], factor[..., None] * w], axis=-1)


def to_rotation_vector(q: Quaternions) -> Points:
    """2 log(q): the shortest rotation, of length at most π. (..., 4) -> (..., 3)."""
    q = floats(q, "q")
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1)  # sin(θ/2) ≥ 0, and cos(θ/2) ≥ 0 after the choice of sign
    small = sine < SMALL
    safe = np.where(small, 1.0, sine)
    ratio = sine / np.where(small, q[..., 0], 1.0)
    series = 2.0 * (1.0 - ratio**2 / 3.0) / np.where(small, q[..., 0], 1.0)
    factor = np.where(small, series, 2.0 * np.arctan2(sine, q[..., 0]) / safe)
    turn: Points = factor[..., None] * q[..., 1:]
    return turn


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Quaternions:
    """The rotation by `angle` about the unit vector `axis`. (..., 3), (...) -> (..., 4)."""
    half = 0.5 * floats(angle, "angle")
    axis = floats(axis, "axis")
    w, xyz = np.broadcast_arrays(np.cos(half)[..., None], np.sin(half)[..., None] * axis)
    return np.concatenate([w[..., :1], xyz], axis=-1)


def between(a: ArrayLike, b: ArrayLike) -> Vector:
    """The shortest rotation that takes the unit vector a to the unit vector b. (3,), (3,) -> (4,).

    If b = −a, every rotation by π about an axis perpendicular to a is shortest; one of them is returned.
    """
    a, b = floats(a, "a"), floats(b, "b")
    q = np.concatenate([[1.0 + a @ b], cross(a, b)])
    if np.linalg.norm(q) < 1e-8:
        return np.concatenate([[0.0], perpendicular(a)])
    return normalized(q)


def cross(a: Points, b: Points) -> Points:
    """a × b, (..., 3); faster than NumPy's for small arrays."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0], out[..., 1], out[..., 2] = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return out


def each_times(R: Rotations, x: Points) -> Points:
    """R @ x for many matrices R (N, 3, 3) and one x, a vector (3,) or a matrix (3, 3), as one product. It has the same
    bits as R @ x."""
    return (R.reshape(-1, 3) @ x).reshape(len(R), 3, *x.shape[1:])


def perpendicular(axis: ArrayLike) -> Vector:
    """A unit vector perpendicular to the unit vector `axis`, always the same one. (3,) -> (3,)."""
    axis = floats(axis, "axis")
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    result: Vector = helper - axis * (axis @ helper)
    return np.divide(result, np.linalg.norm(result))


def to_matrix(q: Quaternions) -> Rotations:
    """The rotation matrix. A small deviation of |q| from 1 is divided out. (..., 3, 3)."""
    q = floats(q, "q")
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    s = 2.0 / (q * q).sum(axis=-1)
    R = np.empty((*q.shape[:-1], 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)
    return R


def from_matrix(R: Rotations) -> Quaternions:
    """The quaternion with w ≥ 0 of a rotation matrix. (..., 3, 3) -> (..., 4).

    It is computed from the row of 4 q qᵀ with the largest diagonal element, so that no digits are lost.
    """
    given = floats(R, "R")
    R = given.reshape(-1, 3, 3)
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    ww, xx, yy, zz = 1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    # These are the rows of the symmetric matrix 4 q qᵀ. The row with the largest diagonal element loses no digits.
    rows = ((ww, wx, wy, wz), (wx, xx, xy, xz), (wy, xy, yy, yz), (wz, xz, yz, zz))
    q, most = np.stack(rows[0], axis=-1), ww
    for k in (1, 2, 3):
        larger = rows[k][k] > most
        if larger.any():
            q[larger] = np.stack([x[larger] for x in rows[k]], axis=-1)
            most = np.maximum(most, rows[k][k])
    q = normalized(q)
    q *= np.where(q[:, :1] < 0.0, -1.0, 1.0)
    return q.reshape(*given.shape[:-2], 4)


def rotate(q: Quaternions, points: Points) -> Points:
    """Points rotated by q. (..., 4), (..., 3) -> (..., 3)."""
    q, points = floats(q, "q"), floats(points, "points")
    u, w = q[..., 1:], q[..., :1]
    twice = 2.0 * cross(u, points)
    return points + w * twice + cross(u, twice)


def slerp(a: Quaternions, b: Quaternions, t: ArrayLike) -> Quaternions:
    """From a (t = 0) to b (t = 1) at constant speed along the shorter arc. (..., 4)."""
    turn = to_rotation_vector(multiply(inverse(a), b))
    return multiply(a, from_rotation_vector(floats(t, "t")[..., None] * turn))


def axis_matrix(axis: str, angle: ArrayLike) -> Rotations:
    """The matrix of a rotation about "x", "y" or "z". (...) -> (..., 3, 3)."""
    return to_matrix(from_axis_angle(AXES[axis.lower()], angle))


def from_euler(order: str, angles: ArrayLike) -> Quaternions:
    """The product of rotations in the order of the letters. "zxy" is Rz Rx Ry: the y rotation acts first on a point.

    (..., len(order)) -> (..., 4).
    """
    angles = floats(angles, "angles")
    q = from_axis_angle(AXES[order[0].lower()], angles[..., 0])
    for k, letter in enumerate(order[1:], start=1):
        q = multiply(q, from_axis_angle(AXES[letter.lower()], angles[..., k]))
    return q


def to_euler(order: str, q: Quaternions) -> Points:
    """The Euler angles of q: `from_euler(order, angles)` equals q. The middle angle is in [−π/2, π/2], or in [0, π] if
    the first and last axis are the same. At the gimbal pole only the sum or the difference of the first and last angle
    is determined; there the last angle is 0.

    To compute the last angle, the first rotation is removed from q. Near the pole each of the two angles is uncertain,
    but the product of the rotations stays accurate.

    (..., 4) -> (..., 3).
    """
    i, j, k = ("xyz".index(letter) for letter in order.lower())
    proper = k == i
    k = 3 - i - j
    R = to_matrix(q)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # even or odd order of the axes
    if proper:
        off = np.hypot(R[..., i, j], R[..., i, k])  # sine of the middle angle
        middle = np.arctan2(off, R[..., i, i])
        first = np.arctan2(R[..., j, i], -sign * R[..., k, i])
    else:
        off = np.hypot(R[..., i, i], R[..., i, j])  # its cosine
        middle = np.arctan2(sign * R[..., i, k], off)
        first = np.arctan2(-sign * R[..., j, k], R[..., k, k])
    pole = off < POLE
    first = np.where(pole, np.arctan2(sign * R[..., k, j], R[..., j, j]), first)
    # Row j of (first rotation)⁻¹ R is row j of the last rotation alone.
    row = np.cos(first)[..., None] * R[..., j, :] + sign * np.sin(first)[..., None] * R[..., k, :]
    last = np.arctan2(-sign * row[..., k] if proper else sign * row[..., i], row[..., j])
    return np.stack([first, middle, np.where(pole, 0.0, last)], axis=-1)


def other_euler(order: str, angles: Matrix) -> Matrix:
    """The other triple of Euler angles of the same rotations, up to whole turns. (..., 3) -> (..., 3).

    (a + π, π − b, c + π), or (a + π, −b, c + π) if the first and the last axis are the same.
    """
    a, b, c = np.moveaxis(np.asarray(angles, dtype=np.float64), -1, 0)
    return np.stack([a + np.pi, (-b if order[0] == order[2] else np.pi - b), c + np.pi], axis=-1)


def euler_pole(order: str, middle: ArrayLike) -> tuple[Vector, Vector]:
    """Distance of Euler triples from the gimbal pole, computed from their middle angles. (...) -> (...), (...).

    Returns the sine of the angle to the pole, at least 0, and the sign ±1. At the pole only first + sign · last is
    determined.
    """
    middle = np.asarray(middle, dtype=np.float64)
    i, j = ("xyz".index(letter) for letter in order[:2].lower())
    toward = np.cos(middle) if order[0] == order[2] else np.sin(middle) * (1.0 if (j - i) % 3 == 1 else -1.0)
    off: Vector = np.abs(np.sin(middle) if order[0] == order[2] else np.cos(middle))
    return off, np.where(toward > 0.0, 1.0, -1.0)


def wrapped(angles: ArrayLike) -> Matrix:
    """Angles wrapped to ±π. Any shape."""
    angles = np.asarray(angles, dtype=np.float64)
    within: Matrix = angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi))
    return within


def cross_matrix(w: Points) -> Matrix:
    """[w]×, with [w]× p = w × p. (..., 3) -> (..., 3, 3)."""
    w = floats(w, "w")
    x, y, z = np.moveaxis(w, -1, 0)
    o = np.zeros_like(x)
    rows = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def placement(q: Quaternions, origin: Points) -> Rotations:
    """The 4×4 placement with the given rotation and origin. (..., 4), (..., 3) -> (..., 4, 4)."""
    R, p = to_matrix(q), floats(origin, "origin")
    out = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = R, p, 1.0
    return out
