"""Goals as the parts and links that the native solver knows (cpp/include/manikin/problem.h).

A *part* is an error of one effector (position, orientation, aim, plane, line); a *link* feels several branches of the
figure (relative placements, distances, poles, balance, clearance); postures are felt by every joint. Lengths go in as
they are; the native side works in units of the figure's size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manikin import backend
from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.goals import (
    Aim,
    Balance,
    Clearance,
    Distance,
    Goal,
    Line,
    Orientation,
    Placement,
    Plane,
    Pole,
    Position,
    Posture,
    Relative,
)
from manikin.goals.effector import Effector

POSITION, ORIENTATION, AIM, PLANE, LINE = range(5)
RELATIVE_POSITION, RELATIVE_ORIENTATION, PAIR_DISTANCE, POLE, BALANCE, CLEARANCE = range(6)
MOST_CONTACTS = 64
"""Most contact points of a balance goal."""


@dataclass
class GoalArrays:
    """The arrays of parts and links, growing goal by goal."""

    figure: Figure
    part_kind: list[int] = field(default_factory=list)
    part_goal: list[int] = field(default_factory=list)
    part_segment: list[int] = field(default_factory=list)
    part_target: list[int] = field(default_factory=list)
    part_flags: list[int] = field(default_factory=list)
    part_offset: list[Sequence[float]] = field(default_factory=list)
    part_axis: list[Sequence[float]] = field(default_factory=list)
    part_tolerance: list[float] = field(default_factory=list)
    link_kind: list[int] = field(default_factory=list)
    link_goal: list[int] = field(default_factory=list)
    link_segments: list[int] = field(default_factory=list)
    link_target: list[int] = field(default_factory=list)
    link_flags: list[int] = field(default_factory=list)
    link_offset: list[float] = field(default_factory=list)
    link_tolerance: list[float] = field(default_factory=list)
    link_margin: list[float] = field(default_factory=list)
    link_counts: list[int] = field(default_factory=list)
    contact_segment: list[int] = field(default_factory=list)
    contact_point: list[Sequence[float]] = field(default_factory=list)
    solid_segment: list[int] = field(default_factory=list)
    solid_center: list[Sequence[float]] = field(default_factory=list)
    solid_box: list[int] = field(default_factory=list)
    solid_edges: list[Sequence[float]] = field(default_factory=list)
    solid_radius: list[float] = field(default_factory=list)
    apart_solids: list[int] = field(default_factory=list)
    apart_margin: list[float] = field(default_factory=list)
    corner_segment: list[int] = field(default_factory=list)
    corner_point: list[Sequence[float]] = field(default_factory=list)
    corner_normal: list[Sequence[float]] = field(default_factory=list)
    corner_numbers: list[Sequence[float]] = field(default_factory=list)
    posture_goal: list[int] = field(default_factory=list)
    posture_target: list[int] = field(default_factory=list)
    posture_tolerance: list[float] = field(default_factory=list)
    posture_stiffness: list[Vector] = field(default_factory=list)

    def part(
        self,
        goal: int,
        kind: int,
        effector: Effector,
        target: int,
        tolerance: float,
        flags: int = 0,
        axis: Sequence[float] = (0.0, 0.0, 1.0),
    ) -> None:
        self.part_kind.append(kind)
        self.part_goal.append(goal)
        self.part_segment.append(self.figure.segment_index(effector.segment))
        self.part_target.append(target)
        self.part_flags.append(flags)
        self.part_offset.append(tuple(effector.offset))
        self.part_axis.append(tuple(axis))
        self.part_tolerance.append(tolerance)

    def link(
        self,
        goal: int,
        kind: int,
        effectors: Sequence[Effector],
        target: int,
        tolerance: float,
        flags: int = 0,
        margin: float = 0.0,
        point: Sequence[float] | None = None,
        counts: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """`point` is a second end fixed in the world; `counts` of contacts, or of solids, pairs and corners."""
        self.link_kind.append(kind)
        self.link_goal.append(goal)
        self.link_target.append(target)
        self.link_flags.append(flags)
        self.link_tolerance.append(tolerance)
        self.link_margin.append(margin)
        self.link_counts += counts
        ends = [(self.figure.segment_index(e.segment), tuple(e.offset)) for e in effectors]
        if point is not None:
            ends.append((-1, tuple(point)))
        ends += [(-1, (0.0, 0.0, 0.0))] * (3 - len(ends))
        self.link_segments += [segment for segment, _ in ends]
        self.link_offset += [x for _, offset in ends for x in offset]

    def arguments(self) -> dict[str, Any]:
        """For the constructor of the native solver."""
        real = {"part_offset": 3, "part_axis": 3, "part_tolerance": 0, "link_offset": 0, "link_tolerance": 0}
        real |= {"link_margin": 0, "contact_point": 3, "solid_center": 3, "solid_edges": 3, "solid_radius": 0}
        real |= {"apart_margin": 0, "corner_point": 3, "corner_normal": 3, "corner_numbers": 3}
        real |= {"posture_tolerance": 0, "posture_stiffness": 0}
        out: dict[str, Any] = {}
        for name, values in vars(self).items():
            if name == "figure":
                continue
            array = np.array(values, dtype=np.float64 if name in real else np.int32)
            out[name] = array.reshape(-1, 3) if real.get(name) == 3 else array
        return out


def _position(arrays: GoalArrays, goal: int, position: Any, target: int) -> None:
    flags = sum(1 << "xyz".index(axis) for axis in position.axes)
    arrays.part(goal, POSITION, position.effectors[0], target, position.allowed, flags)


def _orientation(arrays: GoalArrays, goal: int, orientation: Any, target: int) -> None:
    arrays.part(goal, ORIENTATION, orientation.effectors[0], target, orientation.allowed)


def _placement(arrays: GoalArrays, goal: int, placement: Any, target: int) -> None:
    length, angle = placement.tolerance
    arrays.part(goal, POSITION, placement.effectors[0], target, length, 7)
    arrays.part(goal, ORIENTATION, placement.effectors[0], target + 3, angle)


def _aim(arrays: GoalArrays, goal: int, aim: Any, target: int) -> None:
    arrays.part(goal, AIM, aim.effectors[0], target, aim.allowed, axis=aim.axis)


def _plane(arrays: GoalArrays, goal: int, plane: Any, target: int) -> None:
    flags = {None: 0, "above": 1, "below": 2}[plane.side]
    arrays.part(goal, PLANE, plane.effectors[0], target, plane.allowed, flags)


def _line(arrays: GoalArrays, goal: int, line: Any, target: int) -> None:
    arrays.part(goal, LINE, line.effectors[0], target, line.allowed)


def _distance(arrays: GoalArrays, goal: int, distance: Any, target: int) -> None:
    flags = {"equal": 0, "at_least": 1, "at_most": 2}[distance.kind]
    point = None if isinstance(distance.to, str) else distance.to
    arrays.link(goal, PAIR_DISTANCE, distance.effectors, target, distance.allowed, flags, point=point)


def _relative(arrays: GoalArrays, goal: int, relative: Any, target: int) -> None:
    both = relative.position and relative.orientation
    length, angle = relative.tolerance if both else (relative.tolerance, relative.tolerance)
    if relative.position:
        arrays.link(goal, RELATIVE_POSITION, relative.effectors, target, length)
    if relative.orientation:
        arrays.link(goal, RELATIVE_ORIENTATION, relative.effectors, target + 3, angle)


def _pole(arrays: GoalArrays, goal: int, pole: Any, target: int) -> None:
    bend, root, tip = pole.effectors
    arrays.link(goal, POLE, (root, bend, tip), target, pole.allowed)


def _posture(arrays: GoalArrays, goal: int, posture: Any, target: int) -> None:
    arrays.posture_goal.append(goal)
    arrays.posture_target.append(target)
    arrays.posture_tolerance.append(posture.allowed)
    arrays.posture_stiffness.append(np.square(posture.scale))


def _balance(arrays: GoalArrays, goal: int, balance: Any, target: int) -> None:
    up = "xyz".index(balance.up or arrays.figure.up)
    contacts = sum(map(len, balance.points.values()))
    arrays.link(goal, BALANCE, (), target, balance.allowed, up, balance.margin, counts=(contacts, 0, 0))
    for name, points in balance.points.items():
        arrays.contact_segment += [arrays.figure.segment_index(name)] * len(points)
        arrays.contact_point += [tuple(p) for p in points]


def _clearance(arrays: GoalArrays, goal: int, clearance: Any, target: int) -> None:
    pairs = clearance.pairs
    solids = pairs.solids
    counts = (len(solids.owner), len(pairs.a), len(pairs.corner))
    arrays.link(goal, CLEARANCE, (), target, clearance.allowed, counts=counts)
    segment = [arrays.figure.segment_index(name) for name in solids.names[: solids.segments]]
    segment += [-1] * (len(solids.names) - solids.segments)
    arrays.solid_segment += [segment[owner] for owner in solids.owner]
    arrays.solid_center += solids.center.tolist()
    arrays.solid_box += [0] * (len(solids.owner) - solids.boxes) + [1] * solids.boxes
    arrays.solid_edges += solids.edges.reshape(-1, 3).tolist()
    arrays.solid_radius += solids.radius.tolist()
    arrays.apart_solids += np.stack([pairs.a, pairs.b], axis=1).ravel().tolist()
    arrays.apart_margin += pairs.margin.tolist()
    for shape, point, wall, margin in zip(pairs.corner, pairs.point, pairs.wall, pairs.wall_margin, strict=True):
        half_space = solids.half_spaces[wall][1]
        arrays.corner_segment.append(segment[solids.owner[shape]])
        arrays.corner_point.append(point.tolist())
        arrays.corner_normal.append(tuple(half_space.normal))
        level = float(np.dot(half_space.normal, half_space.point))
        arrays.corner_numbers.append((float(solids.radius[shape]), float(margin), level))


_COMPILE: dict[type[Goal], Callable[[GoalArrays, int, Any, int], None]] = {
    Position: _position,
    Orientation: _orientation,
    Placement: _placement,
    Aim: _aim,
    Plane: _plane,
    Line: _line,
    Distance: _distance,
    Relative: _relative,
    Pole: _pole,
    Balance: _balance,
    Clearance: _clearance,
    Posture: _posture,
}


def compiled_arrays(figure: Figure, goals: Sequence[Goal], slices: Sequence[slice]) -> GoalArrays:
    """The arrays of goals whose targets stand at these slices of a row of targets."""
    arrays = GoalArrays(figure)
    for k, (goal, at) in enumerate(zip(goals, slices, strict=True)):
        _COMPILE[type(goal)](arrays, k, goal, at.start)
    return arrays


def is_native(goals: Iterable[Goal]) -> bool:
    """Whether the native solver knows all of these goals (settled on a figure)."""
    return backend.native and not unknown(list(goals))


def unknown(goals: Sequence[Goal]) -> list[str]:
    """What of these goals (settled on a figure) the native solver does not know, in words."""
    out = [f"{g.label} is a goal in Python" for g in goals if type(g) not in _COMPILE]
    for goal in goals:
        if isinstance(goal, Balance) and sum(map(len, goal.points.values())) > MOST_CONTACTS:
            out.append(f"{goal.label} has more than {MOST_CONTACTS} points of contact")
        if isinstance(goal, Position) and list(goal.axes) != sorted(goal.axes):
            out.append(f"{goal.label} has its axes in the order {goal.axes!r}, not x, y, z")
    return out
