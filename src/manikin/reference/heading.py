"""Starts that face the targets: the start pose is turned about the vertical and moved.

The native twin is cpp/solve/starts/heading.cpp.

Let p be points of the start pose, t their targets and w weights, with weighted means p̄ and t̄. The turn about `up` by
θ and the shift that minimise Σ w |R(θ) (p − p̄) + t̄ − t|² are

    a = p − p̄,  b = t − t̄,   tan θ = Σ w (a × b)·up / Σ w (a·b)ₕ,       the root's pivot goes to  t̄ + R(θ)(pivot − p̄)

where (a·b)ₕ is the scalar product of the horizontal parts. An orientation adds the three axes of its segment as such a,
and those of its target as b, each with length `arm`.

Degenerate: the start is unchanged if fewer than three effectors have positions, or if these are above each other in the
start pose or in the targets. If both sums are near 0, for example for mirrored targets, the start is moved but not
turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Points, Rotations, Vector

LEAST_EFFECTORS = 3
"""The start is unchanged if fewer effectors than this have positions."""
LEAST_SPREAD = 0.02
"""Points are above each other if their horizontal distance from their mean (root mean square, in sizes) is less than
this."""
LEAST_SENSE = 1e-3
"""Both sums are near 0 if they are below this fraction of their largest possible value."""
LEAST_ACROSS = 1e-9
"""Two axes are the same if the sine of the angle between them is below this. The split of a turn between their two
angles is then undetermined."""


@dataclass(frozen=True, eq=False)
class HeadingArrays:
    """A start pose, its root, and the points that goals move."""

    start: Vector
    """(nq,)"""
    up: Vector
    """(3,) unit vector in the world."""
    size: float
    """Size of the figure, length."""
    arm: float
    """Length of the axes of orientations."""
    most: float
    """Largest coordinate of a target, length. Coordinates beyond it are clipped to it."""
    slide: Indices
    """(3,) numbers in q of the root's slides."""
    to_slides: Matrix
    """(3, 3) change of the slide numbers for a shift in the world."""
    slide_limits: Matrix
    """(3, 2) lower, upper."""
    pivot: Vector
    """(3,) the point about which the root turns, in the world, in the start pose."""
    turn: Indices
    """(1,) number in q of a quaternion, or (3,) of three angles."""
    turn_axes: Matrix
    """(1, 3) `up` in the axes of the ball; or (3, 3) the axes of the angles in the world when all angles are 0."""
    turn_limits: Matrix
    """(k, 2) lower and upper limits of the angles; empty for a ball."""
    point_goal: Indices
    """(P,) index of the goal."""
    point_target: Indices
    """(P,) index of the first of three numbers of the target in a row of targets."""
    point_effector: Indices
    """(P,) number of the effector; points of the same effector share it."""
    point: Points
    """(P, 3) in the world, in the start pose."""
    axes_goal: Indices
    """(A,) index of the goal of each orientation."""
    axes_target: Indices
    """(A,) index of the quaternion in a row of targets."""
    axes: Rotations
    """(A, 3, 3) columns: axes of the segment in the world, in the start pose."""

    def arguments(self) -> dict[str, Any]:
        """The arrays by name, for the native core."""
        return {
            name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }


class Heading:
    """Computes starts for rows of targets."""

    def __init__(self, arrays: HeadingArrays) -> None:
        self.arrays = arrays

    def starts(self, targets: Matrix, weights: Matrix) -> Matrix:
        """(B, nq) a start for each row of targets (B, k).

        Args:
            targets: the targets of goals with weight 0 are not read.
            weights: (goals,), or (B, goals); 0 for a goal that is ignored.
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
        """Root mean square of the horizontal distances from the mean."""
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
        """Turns the root in a pose. Returns False if its limits do not allow the turn."""
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
    """The two sets of angles (3,) about successive `axes` (3, 3) that give a rotation.

    R = exp(v₁ α) exp(v₂ β) exp(v₃ γ):  v₁·R v₃ = A cos β + B sin β + C,  C = (v₁·v₂)(v₂·v₃),  A = v₁·v₃ − C, B = v₁·(v₂
    × v₃).  Two β solve this equation. Then α turns exp(v₂ β) v₃ to R v₃, and γ is the remaining turn. Degenerate: if
    exp(v₂ β) v₃ is along v₁, α and γ turn about the same axis, and α keeps its value `now`.
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
    """The angles plus whole turns: each as near as possible to its value `now` within its limits. None if one does not
    fit."""
    out = angles - 2.0 * np.pi * np.round((angles - now) / (2.0 * np.pi))
    out = np.where(out < limits[:, 0], out + 2.0 * np.pi, out)
    out = np.where(out > limits[:, 1], out - 2.0 * np.pi, out)
    return out if np.all((out >= limits[:, 0]) & (out <= limits[:, 1])) else None


def _turned(axes: Matrix, angles: Vector) -> Matrix:
    """Successive rotations about axes (n, 3) by angles (n,), as one matrix (3, 3)."""
    out: Matrix = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        out = out @ rotations.to_matrix(rotations.from_axis_angle(axis, angle))
    return out
