"""Preferences: secondary objectives in the null space of the goals (the homogeneous term).

Theory: docs/theory/4-pseudo-inverse.md.

A preference is a function h(q) of the pose that should be small. Its desired step is

    Z = −gain · ∇h,

and solvers add the part of Z that lies in the null space common to all goals: dθ = J⁺dX + (I − J⁺J) Z. Gradients are
with respect to steps v (nv). No component of Z is larger than `LARGEST_WISH`.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Points, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.kinematics.chart import chart_of, step_units

LARGEST_WISH = 0.2
"""Largest component of a desired step, in radians (sizes for slides). Longer steps are scaled down, because the
gradient holds only to first order."""
NARROW = 0.5
"""`MidRange` treats half ranges below this angle (radians) as this angle, so that narrow joints do not jitter."""
BRIM = 0.999
"""`LimitAvoidance` stops growing at this fraction of the way from the middle to a limit. Its barrier is infinite at
1."""


@dataclass(frozen=True, eq=False)
class Preference(abc.ABC):
    """Base of all preferences."""

    gain: float = field(default=0.25, kw_only=True)
    """Factor of the desired step: Z = −gain · ∇h."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", arrays.non_negative(self.gain, f"{type(self).__name__}: gain"))

    @abc.abstractmethod
    def value(self, figure: Figure, q: Vector) -> float:
        """h at a pose (nq,).

        Args:
            figure: the figure.
            q: the pose, shape (nq,).
        """

    @abc.abstractmethod
    def gradient(self, figure: Figure, q: Vector) -> Vector:
        """∇h with respect to steps, (nv,).

        Args:
            figure: the figure.
            q: the pose, shape (nq,).
        """

    def wish(self, figure: Figure, q: Vector, unit: Vector) -> Vector:
        """(nv,) the desired step Z: radians for turns, sizes of the figure for slides.

        Z is scaled down if one of its numbers is larger than `LARGEST_WISH`.

        Args:
            figure: the figure.
            q: pose (nq,).
            unit: (nv,) 1 for turns and `figure.size` for slides.
        """
        Z: Vector = -self.gain * unit * self.gradient(figure, q)
        largest = float(np.abs(Z).max(initial=0.0))
        return Z if largest <= LARGEST_WISH else Z * (LARGEST_WISH / largest)


@dataclass(frozen=True, eq=False)
class RestPose(Preference):
    """Close to the rest pose, or to a given pose:  h = ½ ‖difference(pose, q)‖², with slides in sizes of the figure."""

    pose: Any = None
    """The preferred pose (nq,); None stands for `figure.rest`."""

    def value(self, figure: Figure, q: Vector) -> float:
        d = self._difference(figure, q) / step_units(figure)
        return 0.5 * float(d @ d)

    def gradient(self, figure: Figure, q: Vector) -> Vector:
        # The rotation vector φ of a ball has dφ = L v with Lᵀφ = φ. So the gradient of ½|φ|² is φ.
        return self._difference(figure, q) / step_units(figure) ** 2

    def _difference(self, figure: Figure, q: Vector) -> Vector:
        return figure.difference(figure.rest if self.pose is None else self.pose, q)


@dataclass(frozen=True, eq=False)
class MidRange(Preference):
    """Prefers the middle of the joint ranges (Liégeois):  h = ½ Σ ((θ − middle)/half range)².

    For balls, θ are the swing–twist coordinates. Joints without limits are ignored. Half ranges below 0.5 rad are
    treated as 0.5 rad.
    """

    def value(self, figure: Figure, q: Vector) -> float:
        return _Ranges(figure, q).value(lambda u, stiffness: 0.5 * stiffness * u * u)

    def gradient(self, figure: Figure, q: Vector) -> Vector:
        return _Ranges(figure, q).gradient(lambda u, stiffness: stiffness * u)


@dataclass(frozen=True, eq=False)
class LimitAvoidance(Preference):
    """Prefers poses away from the limits:  h = Σ 1/(1 − u²),  u from −1 at the lower limit to 1 at the upper one.

    That is Σ ¼ range² / ((upper − θ)(θ − lower)), flat in the middle and steep near the ends. For the cone of a ball, u
    is the relative distance from its centre: 0 at the centre, 1 at the rim. Joints without limits are ignored. Within a
    thousandth of a limit, h stops growing.
    """

    def value(self, figure: Figure, q: Vector) -> float:
        return _Ranges(figure, q).value(lambda u, _: 1.0 / (1.0 - np.minimum(np.abs(u), BRIM) ** 2))

    def gradient(self, figure: Figure, q: Vector) -> Vector:
        def slope(u: Vector, _: Vector) -> Vector:
            near: Vector = np.clip(u, -BRIM, BRIM)
            result: Vector = 2.0 * near / (1.0 - near**2) ** 2
            return result

        return _Ranges(figure, q).gradient(slope)


@dataclass(frozen=True, eq=False)
class CustomPreference(Preference):
    """A function of the pose and its gradient, both given by the user."""

    function: Callable[[Vector], float] | None = None
    """h: takes a pose (nq,), returns a number."""
    derivative: Callable[[Vector], Any] | None = None
    """∇h: takes a pose (nq,), returns the gradient with respect to steps, (nv,)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function) or not callable(self.derivative):
            raise BadValue("CustomPreference needs two functions: one for the value, one for its gradient (nv,)")

    def value(self, figure: Figure, q: Vector) -> float:  # noqa: ARG002
        assert self.function is not None
        return arrays.scalar(self.function(q), "value of a Custom preference")

    def gradient(self, figure: Figure, q: Vector) -> Vector:
        assert self.derivative is not None
        return arrays.numbers(self.derivative(q), "gradient of a Custom preference", (figure.nv,))


Curve = Callable[[Vector, Vector], Any]
"""Takes u (−1 to 1 within limits) and a stiffness; returns a value or a slope for each."""


class _Ranges:
    """Position of each joint in its range: u = 0 in the middle, ±1 at the limits."""

    def __init__(self, figure: Figure, q: Vector) -> None:
        self.nv, self.chart = figure.nv, chart_of(figure, normalised=False)
        chart, unit = self.chart, step_units(figure)
        half = 0.5 * (figure.upper[chart.number] - figure.lower[chart.number])
        limited = np.isfinite(half) & (half > 0.0)
        self.step, self.half, number = chart.step[limited], half[limited], chart.number[limited]
        self.u = (q[number] - 0.5 * (figure.lower[number] + figure.upper[number])) / self.half
        self.stiffness = _stiffness(self.half / unit[self.step])
        self.xyt: Points = chart.coordinates(q)
        self.twists = (chart.cones.half > 0.0) & ~chart.cones.turning

    def value(self, curve: Curve) -> float:
        """Σ curve(u) over numbers, cones (u is the radius) and twists."""
        cones = self.chart.cones
        radius, lean = self._cone()
        twist = curve(self.xyt[:, 2], _stiffness(cones.half)) * self.twists
        return float(np.sum(curve(self.u, self.stiffness)) + np.sum(curve(radius, lean)) + np.sum(twist))

    def gradient(self, slope: Curve) -> Vector:
        """Gradient (nv,) of `value`, from the derivative of the curve with respect to u."""
        out = np.zeros(self.nv)
        out[self.step] = slope(self.u, self.stiffness) / self.half
        if len(self.xyt):
            cones = self.chart.cones
            radius, lean = self._cone()
            safe = np.where(radius > 0.0, radius, 1.0)
            by_xy = (slope(radius, lean) / safe)[:, None] * self.xyt[:, :2]
            by_t = slope(self.xyt[:, 2], _stiffness(cones.half)) * self.twists
            by_xyt = np.concatenate([by_xy, by_t[:, None]], axis=1)
            velocities = self.chart.velocities(self.xyt)  # v = velocities @ d(x, y, t)
            at = cones.step[:, None] + np.arange(3)
            out[at] = np.einsum("cij,ci->cj", np.linalg.pinv(velocities), by_xyt)
        return out

    def _cone(self) -> tuple[Vector, Vector]:
        """The radius in each cone, and the stiffness of each cone."""
        radius = np.hypot(self.xyt[:, 0], self.xyt[:, 1])
        return radius, _stiffness(self.chart.cones.swing.min(axis=1, initial=np.pi))


def _stiffness(half: Vector) -> Vector:
    """(half range / at least 0.5 rad)²: 1 for wide ranges, less for narrow ones."""
    return np.minimum(half / NARROW, 1.0) ** 2
