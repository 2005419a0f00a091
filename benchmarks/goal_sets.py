"""Seventeen sets of goals that a given pose reaches, so the goals are known to be reachable.

Each function takes a kind of figure, a target pose and a generator, and returns the goals. It returns None if the pose
does not meet such a goal (a figure that touches itself is not clear of itself).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import manikin as mk
from benchmarks.kinds import Kind, Rng
from benchmarks.turns import Array
from manikin.goals import Goal
from manikin.problem import Problem

Goals = list[Goal]
Made = Goals | None


class Meant:
    """A target pose, and the data that goals need."""

    def __init__(self, kind: Kind, pose: Array, rng: Rng) -> None:
        self.kind, self.figure, self.pose, self.rng = kind, kind.figure, pose, rng
        self.first, self.second = kind.first, kind.second

    def placed(self, segment: str) -> Array:
        """(4, 4) in the world."""
        return self.figure.placements(self.pose, [segment])[0]

    def at(self, segment: str) -> Array:
        """(3,) in the world."""
        return self.placed(segment)[:3, 3]

    def direction(self) -> Array:
        """(3,) any unit vector."""
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)


def position(m: Meant) -> Made:
    return [mk.Position(m.first, m.at(m.first))]


def orientation(m: Meant) -> Made:
    return [mk.Orientation(m.first, m.placed(m.first)[:3, :3])]


def placement(m: Meant) -> Made:
    return [mk.Placement(m.first, m.placed(m.first))]


def _aim(m: Meant, segment: str) -> mk.Aim:
    """Aims at a point along the segment's x axis, half a size to two sizes away."""
    P = m.placed(segment)
    return mk.Aim(segment, P[:3, 3] + m.figure.size * m.rng.uniform(0.5, 2.0) * P[:3, 0], axis=(1.0, 0.0, 0.0))


def aim(m: Meant) -> Made:
    return [_aim(m, m.first)]


def plane(m: Meant) -> Made:
    return [mk.Plane(m.first, m.at(m.first), m.direction())]


def line(m: Meant) -> Made:
    return [mk.Line(m.first, m.at(m.first), m.direction())]


def distance(m: Meant) -> Made:
    return [mk.Distance(m.first, m.second, float(np.linalg.norm(m.at(m.first) - m.at(m.second))))]


def relative(m: Meant) -> Made:
    return [mk.Relative.as_now(m.figure, m.pose, m.first, m.second)]


def pole(m: Meant) -> Made:
    """The effector at its place, and the bend toward a point further out on the same side."""
    names = list(m.figure.segment_names)
    above = m.figure.segments[names.index(m.kind.bend)]
    while above.parent is not None and np.allclose(m.at(above.name), m.at(m.kind.bend)):
        above = m.figure.segments[names.index(above.parent)]
    a, b, c = m.at(above.name), m.at(m.kind.bend), m.at(m.first)
    n = (c - a) / max(float(np.linalg.norm(c - a)), 1e-12)
    out = (b - a) - n * (n @ (b - a))
    if np.linalg.norm(out) < 1e-3 * m.figure.size:  # almost no bend, so it has no direction
        return None
    return [
        mk.Position(m.first, c),
        mk.Pole(m.kind.bend, b + m.figure.size * out / np.linalg.norm(out), root=above.name, tip=m.first),
    ]


def posture(m: Meant) -> Made:
    return [mk.Posture(m.pose)]


def balance(m: Meant) -> Made:
    """The effector at its place, and the centre of mass above a square on the second effector."""
    P, half = m.placed(m.second), 0.05 * m.figure.size
    below = m.figure.center_of_mass(m.pose)
    ground = [i for i in range(3) if i != "xyz".index(m.figure.up)]
    corners = np.repeat(below[None], 4, axis=0)
    corners[:, ground] += half * np.array([(-1, -1), (-1, 1), (1, 1), (1, -1)])
    local = (corners - P[:3, 3]) @ P[:3, :3]
    return [mk.Position(m.first, m.at(m.first)), mk.Balance([m.second], points={m.second: local})]


def clearance(m: Meant) -> Made:
    """The effector at its place, and the figure clear of itself and of a ball beside the path."""
    center = m.at(m.second) + 0.25 * m.figure.size * m.direction()
    goal = mk.Clearance(0.0, obstacles=[mk.Sphere(tuple(center), 0.05 * m.figure.size)])
    goals: Goals = [mk.Position(m.first, m.at(m.first)), goal]
    for pose in (m.pose, m.figure.rest):  # a start inside an obstacle may have no path out
        if Problem(m.figure, [goal], pose).at(pose).errors[0] > 0.0:
            return None
    return goals


def any_of(m: Meant) -> Made:
    """Two alternatives, of which the second is out of reach."""
    far = m.at(m.first) + 3.0 * m.figure.size * m.direction()
    return [mk.AnyOf(mk.Position(m.first, far), mk.Position(m.first, m.at(m.first)))]


def two_positions(m: Meant) -> Made:
    return [mk.Position(m.first, m.at(m.first)), mk.Position(m.second, m.at(m.second))]


def placement_and_aim(m: Meant) -> Made:
    return [mk.Placement(m.first, m.placed(m.first)), _aim(m, m.second)]


def weights(m: Meant) -> Made:
    """One goal has ten thousand times the weight of the other."""
    turned = m.placed(m.second)[:3, :3]
    return [mk.Position(m.first, m.at(m.first), weight=100.0), mk.Orientation(m.second, turned, weight=0.01)]


def priorities(m: Meant) -> Made:
    turned = m.placed(m.first)[:3, :3]
    return [
        mk.Position(m.first, m.at(m.first)),
        mk.Position(m.second, m.at(m.second), priority=1),
        mk.Orientation(m.first, turned, priority=2),
    ]


SETS: dict[str, Callable[[Meant], Made]] = {
    "Position": position,
    "Orientation": orientation,
    "Placement": placement,
    "Aim": aim,
    "Plane": plane,
    "Line": line,
    "Distance": distance,
    "Relative": relative,
    "Pole": pole,
    "Posture": posture,
    "Balance": balance,
    "Clearance": clearance,
    "AnyOf": any_of,
    "two positions": two_positions,
    "placement, aim": placement_and_aim,
    "weights": weights,
    "priorities": priorities,
}
