"""A pose as one vector x with bounds, for minimisers that support only bounds: every limit is a box in x.

- a turn or slide of one number: the number (slides in sizes of the figure) with its limits;
- a ball with a cone: (u, v, t), each in [−1, 1]. The square of (u, v) is mapped to the unit disc of the cone,

      x = u √(1 − v²/2),    y = v √(1 − u²/2),

  so that its sides become the rim (x, y, t as in `kinematics.chart`);
- a ball without limits and the rotation of a free root: the rotation vector from the original rotation, without bounds.

Degenerate: at the corners of the square the derivative loses one direction of (x, y). At a whole turn a rotation vector
loses two. The minimiser can pass through these points.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.kinematics.chart import inside
from manikin.problem import Problem

ROOT_2 = float(np.sqrt(2.0))


class Coordinates:
    """The vector x of a problem, relative to one pose. It contains only joints that may move."""

    def __init__(self, problem: Problem, origin: Vector) -> None:
        chart, movable = problem.chart, problem.movable
        self.chart, self.origin = chart, origin
        own = movable[chart.step]
        self._number, self._step, self._unit = chart.number[own], chart.step[own], chart.unit[own]
        self._cones = np.flatnonzero(~chart.held.all(axis=1) & (movable[chart.cones.step] | chart.held.any(axis=1)))
        free = movable[chart.loose_step]
        self._loose_number, self._loose_step = chart.loose_number[free], chart.loose_step[free]
        lower, upper = chart.lower[self._number] / self._unit, chart.upper[self._number] / self._unit
        box = np.ones((len(self._cones), 3))
        turning = chart.cones.turning[self._cones]
        box[turning, 2] = np.inf
        loose = np.full(3 * len(self._loose_number), np.inf)
        self.lower = np.concatenate([lower, -box.ravel(), -loose])
        """(k,) bounds of x."""
        self.upper = np.concatenate([upper, box.ravel(), loose])
        self._xyt = chart.coordinates(origin)
        square = _to_square(self._xyt[self._cones])
        self.start = np.concatenate([origin[self._number] / self._unit, square.ravel(), np.zeros_like(loose)])
        """(k,) x of the pose to which x is relative."""
        held = len(lower) + np.flatnonzero(chart.held[self._cones])
        self.lower[held] = self.upper[held] = self.start[held]

    def pose(self, x: Vector) -> Vector:
        """The pose (nq,) of x, within limits."""
        chart, q = self.chart, self.origin.copy()
        numbers, square, turns = self._parts(x)
        q[self._number] = np.clip(numbers * self._unit, chart.lower[self._number], chart.upper[self._number])
        if len(self._cones):
            xyt = self._xyt.copy()
            xyt[self._cones] = _to_disc(square)
            at = (chart.cones.number[:, None] + np.arange(4))[self._cones]
            q[at] = chart.composed(inside(xyt, chart.cones.turning))[self._cones]
        if len(turns):
            at = self._loose_number[:, None] + np.arange(4)
            q[at] = rotations.normalized(rotations.multiply(q[at], rotations.from_rotation_vector(turns)))
        return chart.followed(q)

    def gradient(self, x: Vector, by_steps: Vector) -> Vector:
        """(k,) the gradient with respect to x of a function whose gradient with respect to steps v is given, (nv,)."""
        chart = self.chart
        _, square, turns = self._parts(x)
        parts = [by_steps[self._step] * self._unit]
        if len(self._cones):
            xyt = self._xyt.copy()
            xyt[self._cones] = _to_disc(square)
            velocities = chart.velocities(xyt)[self._cones] @ _disc_derivative(square)
            steps = (chart.cones.step[:, None] + np.arange(3))[self._cones]
            parts.append(np.einsum("cij,ci->cj", velocities, by_steps[steps]).ravel())
        if len(turns):
            steps = self._loose_step[:, None] + np.arange(3)
            parts.append(np.einsum("cij,ci->cj", _right_jacobians(turns), by_steps[steps]).ravel())
        return np.concatenate(parts)

    def _parts(self, x: Vector) -> tuple[Vector, Points, Points]:
        """Numbers (a,), squares (C, 3), rotation vectors (K, 3)."""
        a, b = len(self._number), len(self._number) + 3 * len(self._cones)
        return x[:a], x[a:b].reshape(-1, 3), x[b:].reshape(-1, 3)


def _to_disc(uvt: Points) -> Points:
    u, v, t = uvt.T
    return np.stack([u * np.sqrt(1.0 - 0.5 * v * v), v * np.sqrt(1.0 - 0.5 * u * u), t], axis=1)


def _to_square(xyt: Points) -> Points:
    """The inverse of `_to_disc`."""
    x, y, t = inside(xyt, np.zeros(len(xyt), dtype=bool)).T
    plus, minus = 2.0 + x * x - y * y, 2.0 - x * x + y * y

    def difference(base: Vector, z: Vector) -> Vector:
        above, below = (np.sqrt(np.maximum(base + sign * 2.0 * ROOT_2 * z, 0.0)) for sign in (1.0, -1.0))
        return np.clip(0.5 * (above - below), -1.0, 1.0)

    return np.stack([difference(plus, x), difference(minus, y), t], axis=1)


def _disc_derivative(uvt: Points) -> Matrix:
    """(C, 3, 3) d(x, y, t)/d(u, v, t)."""
    u, v, _ = uvt.T
    a, b = np.sqrt(1.0 - 0.5 * v * v), np.sqrt(1.0 - 0.5 * u * u)
    out = np.zeros((len(u), 3, 3))
    out[:, 0, 0], out[:, 0, 1], out[:, 1, 0], out[:, 1, 1], out[:, 2, 2] = a, -0.5 * u * v / a, -0.5 * u * v / b, b, 1.0
    return out


def _right_jacobians(w: Points) -> Matrix:
    """(K, 3, 3) the step v of exp(w) per dw: I − B [w]× + C [w]×²,  B = (1 − cos θ)/θ², C = (θ − sin θ)/θ³."""
    theta = np.linalg.norm(w, axis=1)
    small = theta < 1e-4
    safe = np.where(small, 1.0, theta)
    B = np.where(small, 0.5 - theta**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    C = np.where(small, 1.0 / 6.0 - theta**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    cross = rotations.cross_matrix(w)
    out: Matrix = np.eye(3) - B[:, None, None] * cross + C[:, None, None] * (cross @ cross)
    return out
