"""Coordinates for steps within limits: every limit of a figure becomes a bound on a single number. Arrays only.

A step v of a figure is written v = B c. The chart at a pose chooses B so that the limits become bounds on c:

- a turn or slide with one number: v = k c, and the bounds are (lower − q)/k and (upper − q)/k;
- a ball with a cone: normalised swing–twist coordinates x = σ₁/r₁, y = σ₂/r₂, t = (τ − mid)/h (see `swing_twist`). In
  them the elliptic cone is the unit disc and the twist range is [−1, 1]. The three directions of a step are normal to
  the rim, along the rim, and twist. With s = |(x, y)| at the present pose, their bounds are [−1 − s, 1 − s], [−1, 1],
  [−1 − t, 1 − t]. These bounds contain the whole disc, so no allowed pose is excluded. `moved` projects steps that
  leave the disc back onto its curved rim;
- a ball without limits, or the rotation of a free root: the exponential step, c = v, no bounds.

`moved` adds c to these coordinates and projects: it divides (x, y) by its length if that is above 1, and clamps the
rest. So a moved pose is always within limits. Coupled numbers follow their source.

A change (dσ, dτ) with X = σ₁, Y = σ₂, θ = |σ| gives the angular velocity, in the axes of the moved segment,

    ω = T(−τ) (dσ₁ + C k Y,  dσ₂ − C k X,  −B k) + (0, 0, dτ)     in the basis e₁, e₂, a,
    k = X dσ₂ − Y dσ₁,   B = (1 − cos θ)/θ²,   C = (θ − sin θ)/θ³.

Degenerate: at s = 0 (the apex) the normal is e₁, which is harmless because all bounds are far. At a swing of half a
turn two of the three directions become parallel, and one direction of motion is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.kinematics import swing_twist
from manikin.kinematics.cones import ChartCones, Flags
from manikin.reference.tree import BALL, FIXED, SLIDE, Tree

LEAST_WEIGHT, LARGEST_WEIGHT = 0.2, 30.0
"""Bounds of the weights 4 / range² of one-number joints in the normalised metric, in rad⁻² (for slides in size⁻²)."""
SLIDE_WEIGHT = 0.3
"""Weight of a slide without limits in the normalised metric, in size⁻²."""
_ALL = np.ones(3, dtype=bool)
APEX = 1e-6
"""Closer to the apex than this (the rim of the cone is at 1), the normal to the rim is e₁."""


class Chart:
    """The coordinates of one figure. `chart.at(q)` gives them at a pose."""

    def __init__(
        self,
        tree: Tree,
        lower: Vector,
        upper: Vector,
        cones: ChartCones,
        size: float,
        normalised: bool,
        held: Flags | None = None,
    ) -> None:
        """
        Args:
            tree: the figure's nodes.
            lower, upper: (nq,) limits of its numbers.
            cones: its balls with limits.
            size: its size, the unit for slides.
            normalised: measure steps in joint ranges (|c| = 1 is half a range). Otherwise in radians and sizes.
            held: (C, 3) coordinates of the balls that keep their values; None means none.
        """
        self.held: Flags = np.zeros((len(cones.number), 3), dtype=bool) if held is None else held
        """(C, 3) coordinates of the balls that keep their values."""
        self.tree, self.lower, self.upper, self.cones, self.normalised = tree, lower, upper, cones, normalised
        own = (tree.kind != FIXED) & (tree.kind != BALL) & (tree.source < 0)
        self.number, self.step = tree.number[own], tree.step[own]
        balls = np.flatnonzero(tree.kind == BALL)
        loose = [i for i in balls if tree.number[i] not in set(cones.number.tolist())]
        self.loose_number, self.loose_step = tree.number[loose], tree.step[loose]
        unit = np.where(tree.kind[own] == SLIDE, size, 1.0)
        if normalised:
            span = (upper - lower)[self.number] / unit
            with np.errstate(divide="ignore"):
                weight = np.clip(4.0 / span**2, LEAST_WEIGHT, LARGEST_WEIGHT)
            endless = np.isinf(span) & (tree.kind[own] == SLIDE)
            unit = unit / np.sqrt(np.where(endless, SLIDE_WEIGHT, weight))
        self.unit: Vector = unit
        """(one-number joints,) v per c."""
        self._coupled = np.flatnonzero(tree.source >= 0)

    def at(self, q: Vector) -> LocalChart:
        """The coordinates at a pose within limits."""
        return LocalChart(self, q)

    def coordinates(self, q: Vector) -> Points:
        """(C, 3) x, y, t of the balls with limits."""
        cones = self.cones
        turn = q[cones.number[:, None] + np.arange(4)]
        sigma_tau = swing_twist.decompose(rotations.multiply(rotations.inverse(cones.reference), turn), cones.basis)
        t = (sigma_tau[:, 2] - cones.middle) / np.where(cones.half > 0.0, cones.half, 1.0)
        return np.concatenate([sigma_tau[:, :2] / cones.swing, t[:, None]], axis=1)

    def composed(self, xyt: Points) -> Quaternions:
        """(C, 4) rotations from normalised coordinates (C, 3)."""
        cones = self.cones
        sigma_tau = np.concatenate([xyt[:, :2] * cones.swing, (cones.middle + cones.half * xyt[:, 2])[:, None]], axis=1)
        return rotations.multiply(cones.reference, swing_twist.compose(sigma_tau, cones.basis))

    def followed(self, q: Vector) -> Vector:
        """Sets coupled numbers from their sources, in place, exactly within their limits."""
        for i in self._coupled:
            n = self.tree.number[i]
            wanted = self.tree.ratio[i] * q[self.tree.source[i]] + self.tree.shift[i]
            q[n] = min(max(wanted, self.lower[n]), self.upper[n])
        return q

    def with_held(self, q: Vector, start: Vector) -> Vector:
        """The pose q (nq,) with the held coordinates of another pose."""
        changed = self.held.any(axis=1)
        if not changed.any():
            return q
        out: Vector = q.copy()
        xyt = np.where(self.held, self.coordinates(start), self.coordinates(q))
        out[(self.cones.number[:, None] + np.arange(4))[changed]] = self.composed(xyt)[changed]
        return out

    def velocities(self, xyt: Points) -> Points:
        """(C, 3, 3) columns: angular velocity, in the axes of the moved segment, if x, y or t grows at rate 1."""
        cones = self.cones
        X, Y = xyt[:, 0] * cones.swing[:, 0], xyt[:, 1] * cones.swing[:, 1]
        theta = np.hypot(X, Y)
        small = theta < 1e-4
        safe = np.where(small, 1.0, theta)
        B = np.where(small, 0.5 - theta**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
        C = np.where(small, 1.0 / 6.0 - theta**2 / 120.0, (safe - np.sin(safe)) / safe**3)
        out = np.zeros((len(X), 3, 3))
        none = np.zeros_like(X)
        for column, (u1, u2) in enumerate(((cones.swing[:, 0], none), (none, cones.swing[:, 1]))):
            k = X * u2 - Y * u1
            out[:, 0, column], out[:, 1, column], out[:, 2, column] = u1 + C * k * Y, u2 - C * k * X, -B * k
        tau = cones.middle + cones.half * xyt[:, 2]
        cos, sin = np.cos(tau)[:, None], np.sin(tau)[:, None]
        out[:, 0], out[:, 1] = cos * out[:, 0] + sin * out[:, 1], -sin * out[:, 0] + cos * out[:, 1]
        out[:, 2, 2] = cones.half
        return np.swapaxes(cones.basis, 1, 2) @ out


class LocalChart:
    """The coordinates at one pose: the matrix B, the bounds of c, and the pose that results from a c."""

    def __init__(self, chart: Chart, q: Vector) -> None:
        self.chart, self.pose = chart, q
        cones, nv = chart.cones, chart.tree.nv
        self.xyt = chart.coordinates(q)
        """(C, 3) normalised swing–twist coordinates."""
        swing = np.hypot(self.xyt[:, 0], self.xyt[:, 1])
        nu = np.where((swing < APEX)[:, None], [1.0, 0.0], self.xyt[:, :2] / np.maximum(swing, APEX)[:, None])
        frame = np.zeros((len(nu), 3, 3))  # columns: normal, along the rim, twist, in (x, y, t)
        frame[:, :2, 0], frame[:, 0, 1], frame[:, 1, 1], frame[:, 2, 2] = nu, -nu[:, 1], nu[:, 0], 1.0
        if not chart.normalised:  # c in radians: divided by the radians of each direction
            across = np.stack([cones.swing[:, 0] * nu[:, 1], cones.swing[:, 1] * nu[:, 0]], axis=1)
            radians = [np.linalg.norm(cones.swing * nu, axis=1), np.linalg.norm(across, axis=1), cones.half]
            lengths = np.stack(radians, axis=1)
            frame /= np.where(lengths > 0.0, lengths, 1.0)[:, None, :]
        self.frame = frame
        """(C, 3, 3) d(x, y, t)/dc."""
        self._blocks = chart.velocities(self.xyt) @ frame  # (C, 3, 3) v of a ball by its c
        self.lower, self.upper = np.full(nv, -np.inf), np.full(nv, np.inf)
        """(nv,) bounds of c."""
        numbers = q[chart.number]
        self.lower[chart.step] = (chart.lower[chart.number] - numbers) / chart.unit
        self.upper[chart.step] = (chart.upper[chart.number] - numbers) / chart.unit
        t, lengths = self.xyt[:, 2], np.linalg.norm(frame, axis=1)
        low = np.stack([-1.0 - swing, -np.ones_like(t), np.where(cones.turning, -np.inf, -1.0 - t)], axis=1)
        high = np.stack([1.0 - swing, np.ones_like(t), np.where(cones.turning, np.inf, 1.0 - t)], axis=1)
        held = chart.held.copy()
        held[:, 2] |= cones.half <= 0.0
        low[held] = high[held] = 0.0
        self._ball_steps = cones.step[:, None] + np.arange(3)
        self.lower[self._ball_steps], self.upper[self._ball_steps] = low / lengths, high / lengths
        # Rounding may have left the pose slightly outside its limits. A step of zero is always allowed.
        np.minimum(self.lower, 0.0, out=self.lower)
        np.maximum(self.upper, 0.0, out=self.upper)

    def columns(self, J: Matrix) -> Matrix:
        """J B, (m, nv), from a Jacobian J with respect to steps v."""
        chart = self.chart
        out: Matrix = J.copy()
        out[:, chart.step] *= chart.unit
        if len(self._ball_steps):
            out[:, self._ball_steps] = np.einsum("mci,cij->mcj", J[:, self._ball_steps], self._blocks)
        return out

    def without_held(self, J: Matrix) -> Matrix:
        """J (m, nv) by steps v, without the motion of held coordinates: J B P B⁻¹, P = 0 for them and 1 otherwise."""
        out: Matrix = J.copy()
        for k in np.flatnonzero(self.chart.held.any(axis=1)):
            B, steps = self._blocks[k], self._ball_steps[k]
            out[:, steps] = (J[:, steps] @ B * ~self.chart.held[k]) @ np.linalg.pinv(B)
        return out

    def steps(self, c: Vector) -> Vector:
        """v = B c, (nv,)."""
        v: Vector = c.copy()
        v[self.chart.step] *= self.chart.unit
        if len(self._ball_steps):
            v[self._ball_steps] = np.einsum("cij,cj->ci", self._blocks, c[self._ball_steps])
        return v

    def coordinates_of(self, v: Vector) -> Vector:
        """The c with B c = v, or the nearest one if a ball is at a swing of half a turn. (nv,) -> (nv,)."""
        c: Vector = v.copy()
        c[self.chart.step] /= self.chart.unit
        if len(self._ball_steps):
            c[self._ball_steps] = np.einsum("cij,cj->ci", np.linalg.pinv(self._blocks), v[self._ball_steps])
        return c

    def to_middle(self) -> Vector:
        """(nv,) the c that leads to the middle of every range; 0 for ranges without a middle."""
        chart = self.chart
        out = np.zeros(chart.tree.nv)
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (chart.lower + chart.upper)[chart.number]
        far = np.isfinite(middle)
        out[chart.step[far]] = (middle[far] - self.pose[chart.number[far]]) / chart.unit[far]
        if len(self._ball_steps):
            wanted = -self.xyt
            wanted[chart.cones.turning, 2] = 0.0
            out[self._ball_steps] = np.where(chart.held, 0.0, np.linalg.solve(self.frame, wanted[..., None])[..., 0])
        return out

    def moved(self, c: Vector) -> Vector:
        """The pose (nq,) after c. Adds c, projects onto the limits, and sets coupled numbers."""
        chart, q = self.chart, self.pose.copy()
        tree = chart.tree
        numbers = q[chart.number] + chart.unit * c[chart.step]
        q[chart.number] = np.clip(numbers, chart.lower[chart.number], chart.upper[chart.number])
        if len(self._ball_steps):
            change = np.einsum("cij,cj->ci", self.frame, c[self._ball_steps])
            turned = np.any(change != 0.0, axis=1)  # a ball that does not move keeps its exact bits
            xyt = inside(self.xyt + change, chart.cones.turning)
            at = chart.cones.number[:, None] + np.arange(4)
            q[at] = np.where(turned[:, None], chart.composed(xyt), q[at])
        if len(chart.loose_number):
            at = chart.loose_number[:, None] + np.arange(4)
            turn = rotations.from_rotation_vector(c[chart.loose_step[:, None] + np.arange(3)])
            q[at] = rotations.normalized(rotations.multiply(q[at], turn))
        return chart.followed(q) if np.any(tree.source >= 0) else q


def inside(xyt: Points, turning: Flags) -> Points:
    """Normalised coordinates (C, 3) projected into the unit disc and the twist range. A twist whose range
    is a whole turn is wrapped."""
    radius = np.maximum(np.hypot(xyt[:, 0], xyt[:, 1]), 1.0)
    t = np.where(turning, np.mod(xyt[:, 2] + 1.0, 2.0) - 1.0, np.clip(xyt[:, 2], -1.0, 1.0))
    return np.stack([xyt[:, 0] / radius, xyt[:, 1] / radius, t], axis=1)


def chart_of(figure: Any, normalised: bool, left: Mapping[int, Flags] | None = None) -> Chart:
    """The chart of a Figure. A cone that allows every rotation is not a limit. (The type is Any because the package
    `figure` depends on this one.)

    Args:
        figure: the Figure.
        normalised: as in `Chart`.
        left: of balls of which only a part may move, by index in q: (3,) the coordinates that are left.
    """
    left = left or {}
    tree, cones = figure.layout.tree, figure.layout.cones
    step_of_number = {int(tree.number[i]): int(tree.step[i]) for i in np.flatnonzero(tree.kind == BALL)}
    half = 0.5 * (cones.twist[:, 1] - cones.twist[:, 0])
    limited = ~((cones.swing >= np.pi).all(axis=1) & (half >= np.pi)) | np.isin(cones.number, list(left))
    own = ChartCones(
        number=cones.number[limited],
        step=np.array([step_of_number[int(n)] for n in cones.number[limited]], dtype=np.int32),
        reference=rotations.inverse(cones.inverse_reference)[limited],
        basis=cones.basis[limited],
        swing=cones.swing[limited],
        middle=0.5 * (cones.twist[limited, 0] + cones.twist[limited, 1]),
        half=half[limited],
    )
    held = np.array([~left.get(int(n), _ALL) for n in own.number], dtype=bool).reshape(-1, 3)
    return Chart(tree, figure.lower, figure.upper, own, figure.size, normalised, held)


def step_units(figure: Any) -> Vector:
    """(nv,) 1 for turns and `figure.size` for slides: the units in which steps of a Figure are compared."""
    tree, out = figure.layout.tree, np.ones(figure.nv)
    out[tree.step[(tree.kind == SLIDE) & (tree.source < 0)]] = figure.size
    return out
