"""Surfaces of shapes and of bare segments, as faces of four corners (two may coincide), all in one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Placements, Points, Vector
from manikin.figure import Box, Capsule, Figure, Segment, Slider, Sphere
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Shape

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_BOX_PIECES = 3
"""Each side of a box is cut into 3 × 3 faces, so that sorting by depth is right where boxes meet other solids."""
_COLLAR = 1.15
"""The ball of a joint is so much thicker than the thinner solid that ends there."""
_THIN = 0.022
"""Half width of the thickest bare segment, in parts of the figure's size."""


@dataclass(frozen=True)
class Round:
    """A sphere, a capsule or a rounded cone: all points within a radius of a line, the radius changing along it."""

    start: Numbers
    """(3,) in the segment's space, length."""
    end: Numbers
    """(3,) may equal `start`."""
    first: float
    """Radius at the start."""
    last: float
    """Radius at the end."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex surface that moves with one segment."""

    segment: int
    """Index of the segment."""
    kind: str
    """"solid", or "joint" for the ball at a joint."""
    faces: Points
    """(F, 4, 3) corners in the segment's space, counter-clockwise seen from outside."""
    shape: Round | Box | None = None
    """What is inside, where that can be told."""

    def in_world(self, placements: Placements) -> Points:
        """(F, 4, 3) corners in world space, from the placements (S, 4, 4) of all segments."""
        placement = placements[self.segment]
        result: Points = self.faces @ placement[:3, :3].T + placement[:3, 3]
        return result


def solids(figure: Figure, shapes: bool = True, detail: float = 1.0) -> list[Solid]:
    """All surfaces of a figure: its shapes and, where a segment has none, tapered pieces to where its children begin.

    Args:
        figure: the figure.
        shapes: False draws every segment as tapered pieces.
        detail: how finely round surfaces are cut, 1 for a picture of one pose.
    """
    found: list[Solid] = []
    children: dict[str, list[int]] = {}
    for i, s in enumerate(figure.segments):
        if s.parent is not None:
            children.setdefault(s.parent, []).append(i)
    for i, s in enumerate(figure.segments):
        if shapes and s.shapes:
            kind = "joint" if _is_ball(s) else "solid"
            for shape in smoothed(s.shapes):
                found.append(Solid(i, kind, surface(shape, figure.size, detail), shape))
            continue
        for child in children.get(s.name, []):
            faces = tapered(np.array(figure.segments[child].joint.offset), figure.size, detail)
            if len(faces):
                found.append(Solid(i, "solid", faces))
    return found + _joint_balls(figure, shapes, detail)


def smoothed(shapes: Sequence[Shape]) -> list[Round | Box]:
    """Shapes as they are drawn: where two capsules of a segment share an end, both taper to the mean of their radii."""
    ends = [
        (np.array(e), s.radius) for s in shapes if isinstance(s, Capsule) and s.start != s.end for e in (s.start, s.end)
    ]

    def radius_at(point: Numbers, own: float) -> float:
        radii = [r for end, r in ends if np.linalg.norm(end - point) < 0.15 * own]
        return float(np.mean(radii)) if len(radii) == 2 else own

    drawn: list[Round | Box] = []
    for shape in shapes:
        if isinstance(shape, Box):
            drawn.append(shape)
        elif isinstance(shape, Sphere):
            drawn.append(Round(shape.center, shape.center, shape.radius, shape.radius))
        else:
            first, last = (radius_at(p, shape.radius) for p in (shape.start, shape.end))
            drawn.append(Round(shape.start, shape.end, first, last))
    return drawn


def surface(shape: Round | Box, size: float, detail: float = 1.0) -> Points:
    """(F, 4, 3) faces of a shape in its segment's space; `size` is the figure's, larger parts are cut more finely."""
    return _box(shape) if isinstance(shape, Box) else _round(shape, size, detail)


def tapered(end: Vector, size: float, detail: float = 1.0) -> Points:
    """A bare segment: thick near its joint, thin at `end` (3,), from the origin. No faces where it has no length."""
    length = float(np.linalg.norm(end))
    if length < 1e-9 * size:
        return np.zeros((0, 4, 3))
    wide = min(0.11 * length, _THIN * size)
    pieces = max(2, round(6 * detail))
    along = np.concatenate([[0.0, 0.06, 0.16], np.linspace(0.16, 1.0, pieces + 1)[1:], [1.0]]) * length
    taper = np.linspace(1.0, 0.35, pieces + 1)[1:]
    radii = np.concatenate([[0.0, 0.72, 1.0], taper, [0.0]]) * wide
    return _revolved(np.zeros(3), end / length, along, radii, max(6, round(16 * detail)))


def silhouette(points: Matrix) -> Matrix:
    """The convex outline of points in a plane, counter-clockwise: the farthest in each of 180 directions.

    For a picture that is exact: a corner is left out only where its edges meet at less than 2°. (n, 2) -> (k, 2).
    """
    turn = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    farthest = np.argmax(points @ np.stack([np.cos(turn), np.sin(turn)]), axis=0)
    corners = points[farthest]
    fresh = np.any(corners != np.roll(corners, 1, axis=0), axis=1)
    result: Matrix = corners[fresh] if fresh.any() else corners[:1]
    return result


def normals(faces: Points) -> Points:
    """Unit normals (F, 3) of faces (F, 4, 3), outward; zero where a face has no area."""
    across = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    result: Points = np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
    return result


def _round(shape: Round, size: float, detail: float) -> Points:
    """Half a sphere at each end, and what is between."""
    start, end, radius = np.array(shape.start), np.array(shape.end), max(shape.first, shape.last)
    around = max(6, round(float(np.clip(14.0 + 400.0 * radius / size, 14.0, 32.0)) * detail))
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length if length > 1e-9 * radius else np.array([0.0, 1.0, 0.0])
    angles = np.linspace(0.0, 0.5 * np.pi, max(2, around // 3) + 1)
    if length <= 1e-9 * radius:
        angles = angles[1:]  # the two halves share their widest ring
        turns = np.concatenate([-angles[::-1], [0.0], angles])
        return _revolved(start, axis, radius * np.sin(turns), radius * np.cos(turns), around)
    side = _stations(length, radius / min(detail, 1.0))[1:-1]
    along = np.concatenate([-shape.first * np.sin(angles[::-1]), side, length + shape.last * np.sin(angles)])
    between = shape.first + (shape.last - shape.first) * side / length
    radii = np.concatenate([shape.first * np.cos(angles[::-1]), between, shape.last * np.cos(angles)])
    return _revolved(start, axis, along, radii, around)


def _stations(length: float, radius: float) -> Vector:
    """Where the side of a capsule is cut: finely near both ends, where other solids run into it, from 0 to length."""
    fine = np.array([0.0, 0.3, 0.6, 1.0, 1.5]) * radius
    fine = fine[fine < 0.5 * length]
    between = np.linspace(fine[-1], length - fine[-1], int(np.clip(np.ceil(0.5 * length / radius), 1, 12)) + 1)
    return np.unique(np.concatenate([fine, between, length - fine]))


def _revolved(origin: Vector, axis: Vector, along: Vector, radii: Vector, around: int) -> Points:
    """The surface swept by a line turned about an axis: station k lies `along[k]` up the axis, `radii[k]` from it."""
    first = rotations.perpendicular(axis)
    second = np.cross(axis, first)
    turn = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = np.cos(turn)[:, None] * first + np.sin(turn)[:, None] * second  # (around, 3)
    points = origin + along[:, None, None] * axis + radii[:, None, None] * circle  # (stations, around, 3)
    ahead = np.roll(points, -1, axis=1)
    faces = np.stack([points[:-1], ahead[:-1], ahead[1:], points[1:]], axis=2)
    return faces.reshape(-1, 4, 3)


def _box(box: Box) -> Points:
    corners = rotations.rotate(np.array(box.rotation), _CORNERS * np.array(box.half)) + np.array(box.center)
    steps = np.linspace(0.0, 1.0, _BOX_PIECES + 1)
    u, v = np.meshgrid(steps, steps, indexing="ij")
    faces = []
    for side in _SIDES:
        a, b, c, d = corners[list(side)]
        weights = [(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]
        grid = sum(w[..., None] * p for w, p in zip(weights, (a, b, c, d), strict=True))
        assert isinstance(grid, np.ndarray)
        pieces = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
        faces.append(pieces.reshape(-1, 4, 3))
    return np.concatenate(faces)


def _joint_balls(figure: Figure, shapes: bool, detail: float) -> list[Solid]:
    """A ball at every joint that turns: between bare segments, and where solids meet end to end as in an elbow."""
    balls = []
    for i, s in enumerate(figure.segments):
        if not any(not isinstance(motion, Slider) for motion in s.joint.motions) or s.joint.kind == "free":
            continue
        own = s.shapes if shapes else ()
        parent = figure.segment(s.parent).shapes if shapes and s.parent is not None else ()
        radius = 0.9 * _THIN * figure.size
        if own or parent:
            here = _ending(own, np.zeros(3), 0.6) if own else np.inf
            there = _ending(parent, np.array(s.joint.offset), 0.3) if parent else np.inf
            radius = _COLLAR * min(here, there)
        if radius > 0.0:
            ball = Round((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), radius, radius)
            balls.append(Solid(i, "joint", surface(ball, figure.size, detail), ball))
    return balls


def _is_ball(segment: Segment) -> bool:
    """Whether a segment is nothing but a ball in its socket, as an eye is."""
    shapes = segment.shapes
    return (
        bool(segment.joint.motions) and len(shapes) == 1 and isinstance(shapes[0], Sphere) and not any(shapes[0].center)
    )


def _ending(shapes: tuple[Shape, ...], point: Vector, near: float) -> float:
    """The radius of the capsule that ends nearest to a point of its segment's space; 0 where none ends within `near` of
    its radius from there."""
    nearest, radius = near, 0.0
    for shape in shapes:
        if isinstance(shape, Capsule):
            gap = min(float(np.linalg.norm(np.array(end) - point)) for end in (shape.start, shape.end)) / shape.radius
            if gap < nearest:
                nearest, radius = gap, shape.radius
    return radius
