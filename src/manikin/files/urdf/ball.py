"""A ball joint as three hinges: L = Q R₁(α) R₂(β) R₃(γ).

Q is the reference of the ball's cone. The axes f₁, f₂, f₃ are fixed in the moved segment: f₃ is the bone a, and f₁ and
f₂ are e₁ and e₂ in the order that gives the middle hinge the narrower swing (f₁ = e₂, f₂ = −e₁ if e₁ has the narrower
one). So the pole, |β| = π/2, stays outside the cone unless both half angles reach π/2. Without limits, the axes are x,
y, z.

The limits of the hinges are the smallest box that contains the cone. Let ρ₁, ρ₂ be the half angles about f₁, f₂, and
let σ = θ (cos φ, sin φ) be the swing. In the axes f, the direction of the bone is

    (sin β, −sin α cos β, cos α cos β) = (sin θ sin φ, −sin θ cos φ, cos θ).

The hinges twist the segment by δ = 2 atan(tan(α/2) tan(β/2)) more than the swing alone, so γ = τ − δ. |α| and |δ| are
largest on the rim, θ = R(φ), 1/R² = cos²φ/ρ₁² + sin²φ/ρ₂². |β| is largest on the rim too, or at θ = π/2 if the rim is
beyond that. The box is larger than the cone, so a pose inside the box may be outside the cone. A ball without limits
becomes hinges without limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Quaternions, Vector
from manikin.figure.joint import Ball, Hinge, Numbers, Pair, as_tuple

MARGIN = 1e-5
"""The box is widened by this angle, in radians, because the largest angles are found by sampling the rim."""
_SAMPLES = 20_001
FULL: Pair = (-np.pi, np.pi)


@dataclass(frozen=True, eq=False)
class Chart:
    """The three angles that replace a ball."""

    reference: Numbers
    """(4,) Q."""
    basis: Vector
    """(3, 3) rows f₁, f₂, f₃."""
    limits: tuple[Pair, Pair, Pair]
    """Limits of α, β, γ in radians."""
    labels: tuple[str, str, str]
    """Names of the three hinges."""

    def hinges(self) -> list[Hinge]:
        return [Hinge(as_tuple(axis), limits) for axis, limits in zip(self.basis, self.limits, strict=True)]

    def angles(self, ball: Quaternions) -> Points:
        """(α, β, γ) for the ball's quaternion. Of the values γ + 2πk, the one nearest to mid-range is returned.

        (..., 4) -> (..., 3).
        """
        turn = rotations.multiply(rotations.inverse(np.array(self.reference)), ball)
        seen = np.concatenate([turn[..., :1], turn[..., 1:] @ self.basis.T], axis=-1)
        angles = rotations.to_euler("xyz", seen) + 0.0  # turns −0 into 0
        low, high = self.limits[2]
        if np.isfinite(low) and np.isfinite(high):
            angles[..., 2] += 2 * np.pi * np.round((0.5 * (low + high) - angles[..., 2]) / (2 * np.pi))
        return angles

    def ball(self, angles: Points) -> Quaternions:
        """The ball's quaternion: the inverse of `angles`. (..., 3) -> (..., 4)."""
        turn = np.array(self.reference)
        for k in range(3):
            turn = rotations.multiply(turn, rotations.from_axis_angle(self.basis[k], angles[..., k]))
        return rotations.normalized(turn)


def chart(ball: Ball) -> Chart:
    """The hinges that replace a ball."""
    cone = ball.limits
    if cone is None:
        free = (-np.inf, np.inf)
        return Chart(rotations.IDENTITY, np.eye(3), (free, free, free), ("x", "y", "z"))
    e1, e2, a = cone.basis
    r1, r2 = cone.swing
    narrow_second = r2 <= r1
    basis = np.array([e1, e2, a] if narrow_second else [e2, -e1, a])
    alpha, beta, delta = _box(max(r1, r2), min(r1, r2))
    low, high = cone.twist[0] - delta, cone.twist[1] + delta
    gamma = FULL if high - low >= 2 * np.pi else (low, high)
    return Chart(cone.reference, basis, ((-alpha, alpha), (-beta, beta), gamma), ("swing1", "swing2", "twist"))


@lru_cache(maxsize=1024)
def _box(wide: float, narrow: float) -> tuple[float, float, float]:
    """Largest |α|, |β|, |δ| in the cone with half angles `wide` about f₁ and `narrow` about f₂, widened by MARGIN."""
    if narrow >= 0.5 * np.pi - MARGIN:
        return np.pi, 0.5 * np.pi, np.pi
    phi = np.linspace(0.0, 0.5 * np.pi, _SAMPLES)
    rim = 1.0 / np.hypot(np.cos(phi) / wide, np.sin(phi) / narrow)
    alpha = np.arctan2(np.sin(rim) * np.cos(phi), np.cos(rim))
    beta = np.arcsin(np.clip(np.sin(rim) * np.sin(phi), -1.0, 1.0))
    most_beta = np.arcsin(np.max(np.sin(np.minimum(rim, 0.5 * np.pi)) * np.sin(phi)))
    delta = 2.0 * np.arctan(np.tan(0.5 * alpha) * np.tan(0.5 * beta))
    return (
        float(min(alpha.max() + MARGIN, np.pi)),
        float(min(most_beta + MARGIN, 0.5 * np.pi)),
        float(min(delta.max() + MARGIN, np.pi)),
    )
