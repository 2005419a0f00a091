"""Functions of a figure's limits: the excess of a pose, the clamped pose, and random poses within limits.

Works on the arrays of a `Layout`, for poses (..., nq).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Poses, Vector
from manikin.figure.layout import Layout
from manikin.kinematics import swing_twist
from manikin.reference.tree import follow

ROUNDING = 1e-12
"""An excess of a coupling below this is rounding and not a violation. It is relative to the coupled number if that is
above 1. Quaternions have a separate tolerance (`swing_twist.ROUNDING`), plain numbers have none."""


def violation(layout: Layout, q: Poses) -> Vector:
    """The largest excess over any limit for each pose, in radians or lengths; 0 if all hold. (..., nq) -> (...)."""
    tree, cones = layout.tree, layout.cones
    coupled = tree.source >= 0
    numbers = tree.number[coupled]
    limited = np.flatnonzero(np.isfinite(layout.lower) | np.isfinite(layout.upper))
    led, shift = tree.ratio[coupled] * q[..., tree.source[coupled]], tree.shift[coupled]
    size = np.maximum(np.abs(led) + np.abs(shift), 1.0)  # the size of the rounded numbers
    parts = [
        _outside(layout, q, np.setdiff1d(limited, numbers)),
        _without_rounding(_outside(layout, q, numbers), size),
        _without_rounding(np.abs(led + shift - q[..., numbers]), size),
    ]
    if len(cones.number):
        parts.append(swing_twist.excess(_coordinates(layout, q), cones.swing, cones.twist))
    worst: Vector = np.max(np.concatenate(parts, axis=-1), axis=-1, initial=0.0)
    return worst


def _outside(layout: Layout, q: Poses, numbers: NDArray[np.integer[Any]]) -> Poses:
    """How far some numbers of poses are outside of their limits; 0 if they are inside. (..., nq) -> (..., k)."""
    x = q[..., numbers]
    return np.asarray(np.maximum(np.maximum(layout.lower[numbers] - x, x - layout.upper[numbers]), 0.0))


def clamp(layout: Layout, q: Poses) -> Poses:
    """The pose clamped to all limits: numbers to the nearer end, balls radially onto their cone."""
    cones = layout.cones
    out = np.clip(q, layout.lower, layout.upper)
    if len(cones.number):
        coordinates = _coordinates(layout, q)
        moved = np.nonzero(swing_twist.excess(coordinates, cones.swing, cones.twist) > 0.0)
        c = moved[-1]
        inside = swing_twist.clamp(coordinates[moved], cones.swing[c], cones.twist[c])
        turned = rotations.multiply(
            rotations.inverse(cones.inverse_reference[c]), swing_twist.compose(inside, cones.basis[c])
        )
        at = (*(axis[:, None] for axis in moved[:-1]), cones.number[c][:, None] + np.arange(4))
        out[at] = turned
    return follow(layout.tree, out)


def random(layout: Layout, rng: np.random.Generator, count: int) -> Poses:
    """Poses within limits, (count, nq): numbers are uniform in their range, balls uniform in cone and twist range.

    Continuous angles are uniform in ±π. The free root and unlimited sliders stay as in the rest pose. A ball without
    limits is a uniform rotation.
    """
    cones = layout.cones
    out = np.repeat(layout.rest[None], count, axis=0)  # not np.tile, which gives a read-only array if nq = 0
    lower, upper = layout.lower.copy(), layout.upper.copy()
    for n in layout.angular:
        low, high = lower[n], upper[n]
        if np.isinf(low) and np.isinf(high):
            lower[n], upper[n] = -np.pi, np.pi
        elif np.isinf(low):
            lower[n] = high - 2 * np.pi
        elif np.isinf(high):
            upper[n] = low + 2 * np.pi
    bounded = np.isfinite(lower) & np.isfinite(upper)
    out[:, bounded] = np.clip(
        rng.uniform(lower[bounded], upper[bounded], (count, bounded.sum())), lower[bounded], upper[bounded]
    )
    loose = np.setdiff1d(layout.balls, np.concatenate([cones.number, layout.free_balls]))
    if len(loose):
        out[:, loose[:, None] + np.arange(4)] = rotations.normalized(rng.normal(size=(count, len(loose), 4)))
    if len(cones.number):
        radius = np.sqrt(rng.uniform(size=(count, len(cones.number))))
        around = rng.uniform(0.0, 2 * np.pi, size=(count, len(cones.number)))
        tau = rng.uniform(cones.twist[:, 0], cones.twist[:, 1], size=(count, len(cones.number)))
        sigma = radius[..., None] * np.stack([np.cos(around), np.sin(around)], axis=-1) * cones.swing
        turn = swing_twist.compose(np.concatenate([sigma, tau[..., None]], axis=-1), cones.basis)
        out[:, cones.number[:, None] + np.arange(4)] = rotations.multiply(
            rotations.inverse(cones.inverse_reference), turn
        )
    return follow(layout.tree, out)


def _coordinates(layout: Layout, q: Poses) -> Poses:
    """(σ₁, σ₂, τ) of every ball that has limits. (..., nq) -> (..., C, 3)."""
    cones = layout.cones
    at = cones.number[:, None] + np.arange(4)
    return swing_twist.decompose(rotations.multiply(cones.inverse_reference, q[..., at]), cones.basis)


def _without_rounding(excess: Vector, size: Vector | float = 1.0) -> Vector:
    return np.where(excess > ROUNDING * size, excess, 0.0)
