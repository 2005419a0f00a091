"""The swing and the twist between two rotations of a segment about an axis fixed on it.

R is the rotation of the segment, R* the desired one, a the axis in the segment's space, u = R*a and d = Ra the axis in
the world, Q = R*ᵀR. The swing turns u to d the shortest way. The twist τ is the turn about the axis before it:

    Q = S T,   T = exp(τ a),   S = the swing in the space of the target
    error = (σ, τ),   σ = α (u × d)/|u × d|,   α the angle from u to d
    sin τ : cos τ = a·axial(Q) : trace(Q) − u·d,      axial(Q) = (Q₃₂ − Q₂₃, Q₁₃ − Q₃₁, Q₂₁ − Q₁₂)
    dτ = (u + d)·ω / (1 + u·d)

With the quaternion (w, v) of Q and z = v·a the ratio is 2wz : w² − z², which is that of the angle 2 atan2(z, w). The
derivative of σ is that of `Aim` along a direction. σ does not depend on τ.

Degenerate: if the axis points the opposite way (α = π), the twist is undefined; its error and derivative are 0. At half
a turn of twist, τ and −τ are the same turn, and the error jumps.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure.joint import Numbers
from manikin.goals.aim import turn_of, turn_of_derivative

NO_TWIST = 1e-12
"""The twist is undefined if 1 + u·d is at most this. cpp/model/constants.h has the same value."""


def swing_and_twist(rotation: Matrix, target: Vector, axis: Numbers) -> Vector:
    """(4,) σ and τ, radians, from R (3, 3), the quaternion R* (4,) and a (3,)."""
    wanted = rotations.to_matrix(target)
    u, d = wanted @ np.array(axis), rotation @ np.array(axis)
    between = wanted.T @ rotation
    axial = np.array([between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]])
    along = float(u @ d)
    twist = np.arctan2(axial @ np.array(axis), np.trace(between) - along) if 1.0 + along > NO_TWIST else 0.0
    return np.array([*turn_of(u, d), twist])


def swing_and_twist_derivative(rotation: Matrix, target: Vector, axis: Numbers) -> Matrix:
    """(4, 3) derivative of `swing_and_twist` with respect to the angular velocity ω in world axes."""
    u, d = rotations.to_matrix(target) @ np.array(axis), rotation @ np.array(axis)
    both = 1.0 + float(u @ d)
    twist = (u + d) / both if both > NO_TWIST else np.zeros(3)
    return np.vstack([turn_of_derivative(u, d), twist])
