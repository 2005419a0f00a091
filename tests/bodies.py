"""Common code of the tests of built-in figures: places, mirror images, gaps between shapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from manikin import rotations
from manikin.arrays import Points, Poses, Vector
from manikin.figure import Ball, Box, Capsule, Euler, Figure, Free, Hinge


def turn(axis: str, angle: float) -> Vector:
    """The quaternion of a turn about x, y or z, degrees."""
    return rotations.from_axis_angle(rotations.AXES[axis], np.deg2rad(angle))


def place(figure: Figure, q: Vector, segment: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> Points:
    """Where a point of a segment is in the world."""
    T = figure.placements(q, [segment])[0]
    return T[:3, :3] @ np.array(point) + T[:3, 3]


def axes(figure: Figure, q: Vector, segment: str) -> Points:
    """(3, 3) whose columns are the segment's axes in the world."""
    return figure.placements(q, [segment])[0, :3, :3]


def other_side(name: str) -> str:
    """Left for Right and the other way round; names of the middle stay."""
    if name.startswith("Left"):
        return "Right" + name[4:]
    return "Left" + name[5:] if name.startswith("Right") else name


def both(numbers: dict[str, Any]) -> dict[str, Any]:
    """Numbers of joints of the left side, named without it, and the mirrored ones of the right."""
    out: dict[str, Any] = {}
    for name, value in numbers.items():
        v = np.asarray(value, dtype=float)
        out[f"Left{name}"] = v
        out[f"Right{name}"] = v if v.ndim == 0 else v * ([1, 1, -1, -1] if len(v) == 4 else [1, -1])
    return out


def mirrored_pose(figure: Figure, q: Vector) -> Poses:
    """The pose of the same figure seen in a mirror at x = 0."""
    out = q.copy()
    for s in figure.segments:
        other = figure.segment(other_side(s.name))
        n, m = figure.index_of(s.joint.name), figure.index_of(other.joint.name)
        for motion in s.joint.motions:
            if isinstance(motion, Free):
                out[m : m + 7] = q[n : n + 7] * [-1, 1, 1, 1, 1, -1, -1]
            elif isinstance(motion, Ball):
                out[m : m + 4] = q[n : n + 4] * [1, 1, -1, -1]
            elif isinstance(motion, Euler):
                signs = [1 if letter == "X" else -1 for letter in motion.order]
                out[m : m + len(signs)] = q[n : n + len(signs)] * signs
            else:
                assert isinstance(motion, Hinge)
                out[m] = q[n]
    return out


def solids(figure: Figure, q: Vector) -> dict[str, list[tuple[Points, float]]]:
    """The ends (2, 3) in the world and the radius of every capsule (and sphere) of each segment that has one."""
    out: dict[str, list[tuple[Points, float]]] = {}
    for s, T in zip(figure.segments, figure.placements(q), strict=True):
        for shape in s.shapes:
            assert not isinstance(shape, Box)
            ends = (shape.start, shape.end) if isinstance(shape, Capsule) else (shape.center, shape.center)
            out.setdefault(s.name, []).append((np.array(ends) @ T[:3, :3].T + T[:3, 3], shape.radius))
    return out


def extent(figure: Figure, q: Vector) -> tuple[float, float]:
    """The lowest and the highest point of all shapes."""
    pairs = [pair for of_one in solids(figure, q).values() for pair in of_one]
    return min(ends[:, 1].min() - r for ends, r in pairs), max(ends[:, 1].max() + r for ends, r in pairs)


def gaps(figure: Figure) -> dict[tuple[str, str], float]:
    """The gap between the shapes of every two segments at rest; below 0 where they overlap."""
    t = np.linspace(0.0, 1.0, 40)[:, None]
    lines = {
        name: [(ends[0] + t * (ends[1] - ends[0]), r) for ends, r in of_one]
        for name, of_one in solids(figure, figure.rest).items()
    }
    return {
        (one, two): float(min(cdist(p, q).min() - r - s for p, r in lines[one] for q, s in lines[two]))
        for one, two in combinations(lines, 2)
    }


def joints_between(figure: Figure, one: str, two: str) -> int:
    """How many joints lie on the way from one segment to another."""
    ways = []
    for name in (one, two):
        way = [name]
        while (parent := figure.segment(way[-1]).parent) is not None:
            way.append(parent)
        ways.append(way)
    shared = next(name for name in ways[0] if name in ways[1])
    return ways[0].index(shared) + ways[1].index(shared)


def assert_has_no_holes_and_far_parts_apart(figure: Figure) -> None:
    """At rest every segment with a shape overlaps its parent's, and none overlaps one three or more joints away."""
    gap = gaps(figure)
    for pair, apart in gap.items():
        assert apart >= 0.0 or joints_between(figure, *pair) <= 2, (pair, apart)
    for s in figure.segments:
        if s.shapes and s.parent is not None:
            pair = (s.parent, s.name) if (s.parent, s.name) in gap else (s.name, s.parent)
            assert gap[pair] < 0.0, (pair, gap[pair])


def assert_mirror_images(figure: Figure, q: Vector) -> None:
    """The mirrored pose holds the limits and gives mirrored placements."""
    other = mirrored_pose(figure, q)
    assert figure.violation(other) <= 1e-12
    order = [figure.segment_index(other_side(name)) for name in figure.segment_names]
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    apart = np.abs(figure.placements(other) - M @ figure.placements(q)[order] @ M).max()
    assert apart <= 1e-12 * max(1.0, figure.size), apart
