"""Pole: the direction in which an elbow or a knee points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, set_field
from manikin.goals.limb import limb_root, limb_tip
from manikin.goals.native_terms import LinkTerm

ON_LINE = 1e-9
"""A point nearer than this to the line, as a fraction of the lengths involved, is on the line and has no angle about
it."""


@dataclass(frozen=True, eq=False)
class Pole(Goal):
    """The bend of a limb points toward a given point, the pole. The error is the angle from the pole to the bend,
    measured about the line from root to tip.

    With a, b, c the origins of root, segment and tip, p the pole, n = (c − a)/|c − a|, and for x = b, p

        t_x = n·(x − a)/|c − a|,    x⊥ = (x − a) − n n·(x − a),    k_x = n × x⊥ / |x⊥|²

        error = θ = atan2(n·(p⊥ × b⊥), p⊥·b⊥)                    from −π to π, one row
        dθ = k_b·(db − (1 − t_b) da − t_b dc) + k_p·((1 − t_p) da + t_p dc)

    (If a or c moves, the line turns. This turns the plane in which both angles are measured, so the effect cancels.)
    The lengths of the limb and the distance of the pole do not matter. The goal reads only origins, no rotations.

    Degenerate: a stretched limb (b on the line) has no bend, a pole on the line has no side, and a folded limb (c = a)
    has no line. The error and the derivative are 0 in these cases, until the limb bends. If the bend points exactly
    away from the pole (θ = π), the error jumps from π to −π. Both directions lead to the pole.

    Example:
        >>> Pole("LeftForeArm", (0.5, 1.0, -1.0)).label
        'Pole LeftForeArm'
    """

    segment: str
    """Name of the segment that starts at the bend: the forearm for the elbow, the lower leg for the knee."""
    point: Any
    """(3,) p, the pole, world, length."""
    root: str | None = field(default=None, kw_only=True)
    """Name of the segment at whose origin the limb starts. None: the parent (`limb.limb_root`)."""
    tip: str | None = field(default=None, kw_only=True)
    """Name of the segment at whose origin the limb ends. None: downward from the segment (`limb.limb_tip`), for example
    the hand for a forearm."""

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [n for n in (self.segment, self.root, self.tip) if n is not None]
        for name in names:
            Effector(name)
        if len(set(names)) < len(names):
            raise BadValue(
                f"{self.label}: segment, root and tip are {', '.join(names)}; they must be three different segments"
            )
        set_field(self, "point", arrays.frozen(arrays.vector3(self.point, f"{self.label}: target")))

    @property
    def label(self) -> str:
        return self.name if self.name is not None else f"Pole {self.segment}"

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        """The segment, the root, the tip."""
        if self.root is None or self.tip is None:
            raise BadValue(f"{self.label} has no root or tip yet; goal.on(figure) takes them from the figure")
        return (Effector(self.segment), Effector(self.root), Effector(self.tip))

    @property
    def rows(self) -> int:
        return 1

    @property
    def angular(self) -> tuple[bool, ...]:
        return (True,)

    @property
    def target(self) -> Vector:
        return np.array(self.point)

    def with_target(self, target: ArrayLike) -> Pole:
        return replace(self, point=target)

    def on(self, figure: Figure) -> Pole:
        root = limb_root(figure, self.segment, self.label) if self.root is None else self.root
        tip = limb_tip(figure, self.segment, self.label) if self.tip is None else self.tip
        return Goal.on(replace(self, root=root, tip=tip), figure)

    def error(self, reading: Reading) -> Vector:
        line = _line(reading)
        if line is None:
            return np.zeros(1)
        a, n, length = line
        b = _across(reading.position - a, n, length)
        p = _across(self.point - a, n, length)
        if b is None or p is None:
            return np.zeros(1)
        return np.array([math.atan2(float(n @ _cross(p[0], b[0])), float(p[0] @ b[0]))])

    def derivative(self, reading: Reading) -> Matrix:
        out = np.zeros((1, 18))
        line = _line(reading)
        if line is None:
            return out
        a, n, length = line
        b = _across(reading.position - a, n, length)
        p = _across(self.point - a, n, length)
        if b is None or p is None:
            return out
        (across_b, t_b), (across_p, t_p) = b, p
        k_b = _cross(n, across_b) / (across_b @ across_b)
        k_p = _cross(n, across_p) / (across_p @ across_p)
        out[0, 0:3] = k_b
        out[0, 6:9] = (1.0 - t_p) * k_p - (1.0 - t_b) * k_b
        out[0, 12:15] = t_p * k_p - t_b * k_b
        return out

    # Capabilities

    def native_terms(self) -> Sequence[LinkTerm]:
        bend, root, tip = self.effectors
        return (LinkTerm("pole", (root, bend, tip), self.allowed),)


def _line(reading: Reading) -> tuple[Vector, Vector, float] | None:
    """a, n and |c − a|; None if the limb is folded."""
    b, a, c = reading.placements[:, :3, 3]
    along: Vector = c - a
    length = float(np.sqrt(along @ along))
    if length <= ON_LINE * float(np.linalg.norm(b - a)) or length == 0.0:
        return None
    return a, along / length, length


def _across(away: Vector, n: Vector, length: float) -> tuple[Vector, float] | None:
    """x⊥ and t_x from x − a; None if x is on the line."""
    along = float(n @ away)
    across: Vector = away - along * n
    if float(np.sqrt(across @ across)) <= ON_LINE * (length + abs(along)):
        return None
    return across, along / length


def _cross(a: Vector, b: Vector) -> Vector:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
