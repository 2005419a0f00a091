"""Swing–twist coordinates of a rotation about a bone, and the elliptic cone that limits them.

A rotation L of a joint is written L = Q S T. Q is a fixed reference rotation. T is the twist by τ about the axis a of
the bone. S is the swing, the shortest rotation, with a rotation vector σ perpendicular to a. With an orthonormal basis
(e₁, e₂, a) of the reference space, σ = σ₁e₁ + σ₂e₂. The limits of a ball joint are

    (σ₁/r₁)² + (σ₂/r₂)² ≤ 1   and   lower ≤ τ ≤ upper.

Degenerate: at a swing of half a turn (|σ| = π) the twist is undefined and set to 0. At σ = 0, the apex of the cone,
nothing is singular.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Points, Quaternions, Vector

ROUNDING = 1e-12
"""A quaternion within its limits may be off by this angle, in radians; cpp/solve/constants.h has the same value."""
_ATAN_EVEN = (
    1.62858201153657823623e-02,
    4.97687799461593236017e-02,
    6.66107313738753120669e-02,
    9.09088713343650656196e-02,
    1.42857142725034663711e-01,
    3.33333333333329318027e-01,
)
_ATAN_ODD = (
    -3.65315727442169155270e-02,
    -5.83357013379057348645e-02,
    -7.69187620504482999495e-02,
    -1.11111104054623557880e-01,
    -1.99999999998764832476e-01,
)
"""Coefficients of fdlibm's atan, highest powers first: EVEN for t³, t⁷, …, ODD for t⁵, t⁹, …"""
NARROWEST = 1e-15
"""Smaller half angles, in radians, are treated as this. No quaternion is more exact."""


def decompose(relative: Quaternions, basis: Points) -> Points:
    """(σ₁, σ₂, τ) of a rotation M = Q⁻¹L.

    Args:
        relative: M, shape (..., 4).
        basis: rows e₁, e₂, a, shape (..., 3, 3), orthonormal and right-handed.

    Returns:
        shape (..., 3), radians, |σ| ≤ π, −π < τ ≤ π.
    """
    w = relative[..., 0]
    # Sums term by term instead of einsum: the native check of starts adds in this order and gives the same bits.
    across = basis * relative[..., None, 1:]
    x, y, z = np.moveaxis(across[..., 0] + across[..., 1] + across[..., 2], -1, 0)
    length = np.sqrt(w * w + z * z)  # cos(|σ|/2)
    defined = length > 1e-150
    safe = np.where(defined, length, 1.0)
    c, s = np.where(defined, w / safe, 1.0), np.where(defined, z / safe, 0.0)
    # M T⁻¹ has no part along a; it is the swing.
    sx, sy = x * c - y * s, x * s + y * c
    sine = np.sqrt(sx * sx + sy * sy)
    small = sine < rotations.SMALL
    factor = np.where(small, 2.0 + sine**2 / 3.0, _twice_arc(sine, length) / np.where(small, 1.0, sine))
    side = np.where(c < 0.0, -1.0, 1.0)
    twist = _twice_arc(side * s, side * c)
    twist = np.where(twist <= -np.pi, twist + 2 * np.pi, twist)
    return np.stack([factor * sx, factor * sy, twist], axis=-1)


def _twice_arc(s: Vector, c: Vector) -> Vector:
    """2 atan2(s, c) for c ≥ 0, (...) each.

    It gives the same bits as cpp/math/swing_twist.h. The angle is halved twice, so that its tangent is below 0.415,
    where a polynomial is accurate. NumPy's arctan2 may differ from that of C in the last bit.
    """
    whole = np.sqrt(s * s + c * c) + c
    half = s / np.where(whole > 0.0, whole, 1.0)
    t = half / (1.0 + np.sqrt(1.0 + half * half))
    z = t * t
    w = z * z
    even, odd = np.zeros_like(w), np.zeros_like(w)
    for a in _ATAN_EVEN:
        even = a + w * even
    for a in _ATAN_ODD:
        odd = a + w * odd
    return 8.0 * (t - t * (z * even + w * odd))


def twist(relative: Quaternions, axis: Points) -> Vector:
    """τ of a rotation M = Q⁻¹L about the axis of the bone, for building figures. (..., 4), (3,) -> (...)."""
    w, z = relative[..., 0], relative[..., 1:] @ axis
    length = np.hypot(w, z)
    return 2.0 * np.arctan2(z / length, w / length)


def compose(coordinates: Points, basis: Points) -> Quaternions:
    """M = S T from (σ₁, σ₂, τ): the inverse of `decompose`. (..., 3), (..., 3, 3) -> (..., 4)."""
    e1, e2, a = basis[..., 0, :], basis[..., 1, :], basis[..., 2, :]
    swing = rotations.from_rotation_vector(coordinates[..., :1] * e1 + coordinates[..., 1:2] * e2)
    return rotations.multiply(swing, rotations.from_axis_angle(a, coordinates[..., 2]))


def excess(coordinates: Points, swing: Points, twist: Points) -> Vector:
    """Angle by which a rotation is outside its limits, in radians. 0 inside, and for excesses within rounding of the
    quaternion.

    It is the larger of two distances: the radial distance of σ from the rim of the cone, and the distance of τ from its
    range. The latter is measured on the circle: −π + 0.1 is 0.1 beyond an upper limit of π.

    A quaternion with an error of ε gives |σ| with an error of ε. It gives the twist and the direction of the swing with
    an error of ε / cos(|σ|/2). Near a swing of half a turn only their sum is known; at half a turn any twist is equally
    good. So τ is outside if it exceeds its range by more than ε / cos(|σ|/2). σ is outside if ρ = |(σ₁/r₁, σ₂/r₂)|
    exceeds 1 by more than such an error changes it:

        ρ − 1  >  ε (∂ρ along σ  +  ∂ρ across σ / cos(|σ|/2)),   ε = ROUNDING.

    On the long sides of a flat cone this is much more than ε: 1e-16 rad across the cone is 1e-10 rad along σ.

    Args:
        coordinates: (σ₁, σ₂, τ), shape (..., 3).
        swing: (r₁, r₂), shape (..., 2), above 0.
        twist: (lower, upper), shape (..., 2).
    """
    (s1, s2), (r1, r2) = np.moveaxis(coordinates[..., :2], -1, 0), np.moveaxis(np.maximum(swing, NARROWEST), -1, 0)
    ratio = np.hypot(s1 / r1, s2 / r2)
    length = np.hypot(s1, s2)
    known = np.maximum(np.cos(0.5 * length), 1e-300)  # above 0: the size of a swing is known at half a turn too
    safe_ratio, safe_length = np.maximum(ratio, 1.0), np.where(length > 0.0, length, 1.0)
    along = safe_ratio / safe_length
    across = np.abs(s1 * s2 * (1.0 / (r2 * r2) - 1.0 / (r1 * r1))) / (safe_length * safe_ratio)
    outside = (ratio - 1.0) * known > ROUNDING * (along * known + across)
    below, above, inside = _around(coordinates[..., 2], twist)
    twisted = np.where(inside, 0.0, np.minimum(below, above))
    result: Vector = np.maximum(
        np.where(outside, length * (1.0 - 1.0 / safe_ratio), 0.0), np.where(twisted * known > ROUNDING, twisted, 0.0)
    )
    return result


def clamp(coordinates: Points, swing: Points, twist: Points) -> Points:
    """The coordinates projected into their limits: σ radially to the rim, τ to the end of its range that is nearer on
    the circle."""
    ratio = np.hypot(coordinates[..., 0] / swing[..., 0], coordinates[..., 1] / swing[..., 1])
    factor = 1.0 / np.maximum(ratio, 1.0)
    tau = coordinates[..., 2]
    below, above, inside = _around(tau, twist)
    tau = np.where(inside, tau, np.where(below < above, twist[..., 0], twist[..., 1]))
    return np.stack([factor * coordinates[..., 0], factor * coordinates[..., 1], tau], axis=-1)


def _around(tau: Vector, twist: Points) -> tuple[Vector, Vector, NDArray[np.bool_]]:
    """Angles on the circle from τ up to the lower end of its range and down to the upper end, and whether τ is
    inside."""
    lower, upper = twist[..., 0], twist[..., 1]
    return np.mod(lower - tau, 2 * np.pi), np.mod(tau - upper, 2 * np.pi), (tau >= lower) & (tau <= upper)
