"""A start that faces the targets: the pose of a figure, turned about the vertical and moved.

The native twin is cpp/solve/heading.cpp.

With points p of the start pose, their targets t and weights w, the turn about `up` by θ and the shift that minimise
Σ w |R(θ) (p − p̄) + t̄ − t|², p̄ and t̄ being the weighted means, are

    a = p − p̄,  b = t − t̄,   tan θ = Σ w (a × b)·up / Σ w (a·b)ₕ,       the root's pivot goes to  t̄ + R(θ)(pivot − p̄)

where (a·b)ₕ is the scalar product of the horizontal parts. An orientation adds the three axes of its segment as such
a, those of its target as b, of length `arm`.

Degenerate: where fewer than three effectors have positions, or these stand above each other, in the start pose or in
the targets, the start stays as it is. Where both sums are near 0, as for targets that are a mirror image, it is moved
but not turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Points, Rotations, Vector

LEAST_EFFECTORS = 3
"""So many effectors must have positions, or the start stays as it is."""
LEAST_SPREAD = 0.02
"""Points whose horizontal distance from their mean is less (root mean square, in sizes) stand above each other."""
LEAST_SENSE = 1e-3
"""Both sums are near 0 below this share of what they can be at most."""
LEAST_ACROSS = 1e-9
"""Sine below which two axes are the same: which of two angles about them turns is then open."""


@dataclass(frozen=True, eq=False)
class HeadingArrays:
    """A start pose, the root that carries it, and the points that goals ask for."""

    start: Vector
    """(nq,)"""
    up: Vector
    """(3,) unit vector in the world."""
    size: float
    """Of the figure, length."""
    arm: float
    """Length of the axes of orientations."""
    most: float
    """Targets farther away are taken to be there, coordinate by coordinate; length."""
    slide: Indices
    """(3,) numbers in q of the root's slides."""
    to_slides: Matrix
    """(3, 3) what their numbers change by for a shift in the world."""
    slide_limits: Matrix
    """(3, 2) lower, upper."""
    pivot: Vector
    """(3,) what the root turns about, in the world, in the start pose."""
    turn: Indices
    """(1,) number in q of a quaternion, or (3,) of three angles."""
    turn_axes: Matrix
    """(1, 3) `up` in the axes of the ball; (3, 3) the axes of the angles in the world where all angles are 0."""
    turn_limits: Matrix
    """(k, 2) lower, upper of the angles; none for a ball."""
    point_goal: Indices
    """(P,) index of the goal."""
    point_target: Indices
    """(P,) where the three numbers of its target start in a row of targets."""
    point_effector: Indices
    """(P,) points of the same effector have the same number."""
    point: Points
    """(P, 3) in the world, in the start pose."""
    axes_goal: Indices
    """(A,) of orientations: index of the goal."""
    axes_target: Indices
    """(A,) where the quaternion starts in a row of targets."""
    axes: Rotations
    """(A, 3, 3) columns: axes of the segment in the world, in the start pose."""

    def arguments(self) -> dict[str, Any]:
        """By name, for the native core."""
        return {
            name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }


class Heading:
    """Starts for rows of targets."""

    def __init__(self, arrays: HeadingArrays) -> None:
        self.arrays = arrays

    def starts(self, targets: Matrix, weights: Matrix) -> Matrix:
        """(B, nq) a start for each row of targets (B, k).

        Args:
            targets: what goals that do not count ask for is not read.
            weights: (goals,), or (B, goals); 0 where a goal does not count.
        """
        every = np.broadcast_to(weights, (len(targets), weights.shape[-1]))
        rows = [self._start(row, own) for row, own in zip(targets, every, strict=True)]
        return np.array(rows).reshape(len(targets), len(self.arrays.start))

    def _start(self, targets: Vector, weights: Vector) -> Vector:
        """(nq,)"""
        on = self.arrays
        counts = weights[on.point_goal] > 0.0
        p, weight = on.point[counts], weights[on.point_goal][counts]
        t = np.clip(targets[on.point_target[counts, None] + np.arange(3)], -on.most, on.most)
        if len(np.unique(on.point_effector[counts])) < LEAST_EFFECTORS:
            return on.start
        if min(self._spread(p), self._spread(t)) < LEAST_SPREAD * on.size:
            return on.start
        weight = weight / weight.max()
        middle, wanted = (np.average(x, axis=0, weights=weight) for x in (p, t))
        cosine, sine = self._turn(p - middle, t - wanted, weight, targets, weights / weights[on.point_goal].max())
        up = on.up
        arm = on.pivot - middle
        arm = cosine * arm + sine * np.cross(up, arm) + (1.0 - cosine) * (up @ arm) * up
        out: Vector = on.start.copy()
        if not self._put_turn(out, cosine, sine):
            return on.start
        slides = on.start[on.slide] + on.to_slides @ (wanted + arm - on.pivot)
        out[on.slide] = np.clip(slides, on.slide_limits[:, 0], on.slide_limits[:, 1])
        return out

    def _spread(self, points: Points) -> float:
        """How far points are from standing above each other."""
        flat = points - points.mean(axis=0)
        flat = flat - np.outer(flat @ self.arrays.up, self.arrays.up)
        return float(np.sqrt(np.mean(np.sum(flat * flat, axis=1))))

    def _turn(self, a: Points, b: Points, weight: Vector, targets: Vector, weights: Vector) -> tuple[float, float]:
        """Cosine and sine of the turn."""
        on = self.arrays
        counts = weights[on.axes_goal] > 0.0
        own = on.arm**2 * weights[on.axes_goal][counts]
        wanted = rotations.to_matrix(targets[on.axes_target[counts, None] + np.arange(4)])
        a = np.concatenate([a, on.axes[counts].transpose(0, 2, 1).reshape(-1, 3)])
        b = np.concatenate([b, wanted.transpose(0, 2, 1).reshape(-1, 3)])
        w = np.concatenate([weight, np.repeat(own, 3)])
        a, b = (x - np.outer(x @ on.up, on.up) for x in (a, b))
        cosine, sine = float(np.sum(w @ (a * b))), float(w @ np.cross(a, b) @ on.up)
        length, most = np.hypot(cosine, sine), np.sqrt(np.sum(w @ (a * a)) * np.sum(w @ (b * b)))
        return (cosine / length, sine / length) if length > LEAST_SENSE * most else (1.0, 0.0)

    def _put_turn(self, q: Vector, cosine: float, sine: float) -> bool:
        """Turns the root in a pose; False where its limits forbid that."""
        on = self.arrays
        if len(on.turn) == 1:
            c = np.sqrt(0.5 * (1.0 + abs(cosine)))
            s = 0.5 * abs(sine) / c
            c, s = (c, s) if cosine >= 0.0 else (s, c)
            s = np.copysign(s, sine)
            at = slice(on.turn[0], on.turn[0] + 4)
            q[at] = rotations.multiply(np.array([c, *(s * on.turn_axes[0])]), q[at])
            return True
        turn = np.outer(on.up, on.up) * (1.0 - cosine) + sine * rotations.cross_matrix(on.up) + cosine * np.eye(3)
        now = q[on.turn]
        wanted = turn @ _turned(on.turn_axes, now)
        found = [nearest(angles, now, on.turn_limits) for angles in angles_of(on.turn_axes, wanted, now)]
        within = [angles for angles in found if angles is not None]
        if not within:
            return False
        q[on.turn] = min(within, key=lambda angles: float(np.abs(angles - now).sum()))
        return True


def angles_of(axes: Matrix, wanted: Matrix, now: Vector) -> list[Vector]:
    """The two sets of angles (3,) about `axes` (3, 3), one after the other, that make a rotation.

    R = exp(v₁ α) exp(v₂ β) exp(v₃ γ):  v₁·R v₃ = A cos β + B sin β + C,  C = (v₁·v₂)(v₂·v₃),  A = v₁·v₃ − C,
    B = v₁·(v₂ × v₃), which two β solve; α then brings exp(v₂ β) v₃ to R v₃, and γ is what is left. Degenerate: where
    exp(v₂ β) v₃ is along v₁, α and γ turn about the same axis, and α stays as it is `now`.
    """
    v1, v2, v3 = axes
    tip = wanted @ v3
    C = (v1 @ v2) * (v2 @ v3)
    A, B = v1 @ v3 - C, v1 @ np.cross(v2, v3)
    middle, most = np.arctan2(B, A), np.hypot(A, B)
    away = np.arccos(np.clip((v1 @ tip - C) / most, -1.0, 1.0))
    out = []
    for beta in (middle + away, middle - away):
        second = _turned(axes[1:2], np.array([beta]))
        y = second @ v3
        flat, to = y - (v1 @ y) * v1, tip - (v1 @ tip) * v1
        small = min(np.linalg.norm(flat), np.linalg.norm(to)) < LEAST_ACROSS
        alpha = now[0] if small else np.arctan2(v1 @ np.cross(flat, to), flat @ to)
        rest = second.T @ _turned(axes[:1], np.array([alpha])).T @ wanted
        across = rotations.perpendicular(v3)
        gamma = np.arctan2(v3 @ np.cross(across, rest @ across), across @ rest @ across)
        out.append(np.array([alpha, beta, gamma]))
    return out


def nearest(angles: Vector, now: Vector, limits: Matrix) -> Vector | None:
    """The same angles with the whole turns that bring each nearest to where it is `now` within its limits, or None."""
    out = angles - 2.0 * np.pi * np.round((angles - now) / (2.0 * np.pi))
    out = np.where(out < limits[:, 0], out + 2.0 * np.pi, out)
    out = np.where(out > limits[:, 1], out - 2.0 * np.pi, out)
    return out if np.all((out >= limits[:, 0]) & (out <= limits[:, 1])) else None


def _turned(axes: Matrix, angles: Vector) -> Matrix:
    """Turns about axes (n, 3) by angles (n,), one after the other: (3, 3)."""
    out: Matrix = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        out = out @ rotations.to_matrix(rotations.from_axis_angle(axis, angle))
    return out
