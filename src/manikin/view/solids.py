"""The solids of a figure: surfaces of its shapes and of segments without shapes, and the balls of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Placements, Points, Vector
from manikin.figure import Box, Capsule, Figure, Free, Segment, Slider, Sphere
from manikin.figure.shapes import Shape
from manikin.view.hull import Hull
from manikin.view.trunk import trunk
from manikin.view.turned import Turned, ball, rod

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_BOX_PIECES = 3
"""Each side of a box is cut into 3 × 3 faces, so that depth sorting is right where boxes intersect other solids."""
NEAR = 1.0
"""Obstacles that are farther from every segment than this fraction of the figure's size are not drawn."""
BESIDE = 0.3
"""The drawn piece of an obstacle extends beyond the figure by at most this fraction of the figure's size."""
_OBSTACLE_PIECE = 0.05
"""An obstacle may be larger than the figure. It is cut into faces of about this length, as a fraction of the figure's
size."""
_MAX_PIECES = 24
"""Each side of an obstacle is cut into at most 24 × 24 faces."""
_COLLAR = 1.15
"""The ball of a joint is thicker by this factor than the thinner solid that ends there (and slightly thicker than the
other)."""
_THIN = 0.022
"""Half width of the thickest segment without shapes, as a fraction of the figure's size."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex surface that moves with one segment."""

    segment: int
    """Index of the segment."""
    kind: str
    """"solid", or "joint" for the ball at a joint."""
    shape: Turned | Hull | Box
    """The shape, in the segment's space."""
    faces: Points
    """(F, 4, 3) corners in the segment's space, counter-clockwise seen from outside; two may coincide."""

    @staticmethod
    def of(segment: int, kind: str, shape: Turned | Hull | Box) -> Solid:
        """The solid of a shape."""
        return Solid(segment, kind, shape, _box(shape) if isinstance(shape, Box) else shape.faces)

    def in_world(self, placements: Placements) -> Points:
        """(F, 4, 3) corners in world space, from the placements (S, 4, 4) of all segments."""
        placement = placements[self.segment]
        result: Points = self.faces @ placement[:3, :3].T + placement[:3, 3]
        return result


def solids(figure: Figure, shapes: bool = True, detail: float = 1.0) -> list[Solid]:
    """All surfaces of a figure: its shapes, and for segments without shapes tapered pieces to the joints of their
    children.

    Args:
        figure: the figure.
        shapes: False draws every segment as tapered pieces.
        detail: resolution of round surfaces; 1 for a picture of one pose.
    """
    found: list[Solid] = []
    children: dict[str, list[int]] = {}
    for i, s in enumerate(figure.segments):
        if s.parent is not None:
            children.setdefault(s.parent, []).append(i)
    hulls = trunk(figure, max(9, round(25 * detail)), max(12, round(40 * detail))) if shapes else {}
    for i, s in enumerate(figure.segments):
        if i in hulls:
            found.append(Solid.of(i, "solid", hulls[i]))
            continue
        if shapes and s.shapes:
            kind = "joint" if _is_ball(s) else "solid"
            found += [Solid.of(i, kind, shape) for shape in lathed(s.shapes, figure.size, detail)]
            continue
        for child in children.get(s.name, []):
            joint = figure.segments[child].joint
            if any(isinstance(motion, Free) for motion in joint.motions):
                continue  # a free body is not attached to the place where it starts
            piece = tapered(np.array(joint.offset), figure.size, detail)
            if piece is not None:
                found.append(Solid.of(i, "solid", piece))
    return found + _joint_balls(figure, shapes, detail)


def mostly_shaped(figure: Figure) -> bool:
    """Whether at least half of the segments with children have shapes.

    If fewer have shapes, as in a robot whose meshes are missing, the few shapes would hide the rest.
    """
    leading = {s.parent for s in figure.segments if s.parent is not None and any(s.joint.offset)}
    shaped = [bool(s.shapes) for s in figure.segments if s.name in leading]
    return 2 * sum(shaped) >= len(shaped) if shaped else True


def lathed(shapes: Sequence[Shape], size: float, detail: float = 1.0) -> list[Turned | Box]:
    """The shapes of one segment as they are drawn. `size` is the figure's size; larger parts get a finer resolution.

    Capsules that follow each other end to end on a line, such as those of a thigh, become one rod. Its radius at each
    shared end is the mean of the two.
    """
    drawn: list[Turned | Box] = []
    row: list[Capsule] = []
    for shape in shapes:
        if isinstance(shape, Capsule) and shape.start != shape.end:
            if row and not _follows([*row, shape]):
                drawn.append(_rod(row, size, detail))
                row = []
            row.append(shape)
        elif isinstance(shape, Box):
            drawn.append(shape)
        else:
            center = shape.center if isinstance(shape, Sphere) else shape.start
            drawn.append(ball(np.array(center), shape.radius, _around(shape.radius, size, detail)))
    if row:
        drawn.append(_rod(row, size, detail))
    return drawn


def obstacle_faces(shape: Shape, places: Points, size: float) -> Points:
    """(F, 4, 3) corners of the faces of a shape in the world; empty if it is far from all places.

    A wall or a table may be much larger than the figure. Only the piece of a box or capsule near the figure is drawn.

    Args:
        shape: a shape in world coordinates.
        places: (n, 3) positions of the figure's segments.
        size: the figure's size.
    """
    beside = _piece_of(shape, places, size)
    if beside is None:
        return np.zeros((0, 4, 3))
    (drawn,) = lathed([beside], size)
    if isinstance(drawn, Box):
        most = int(np.clip(np.ceil(2.0 * max(drawn.half) / (_OBSTACLE_PIECE * size)), _BOX_PIECES, _MAX_PIECES))
        return _box(drawn, most)
    return drawn.faces


def _piece_of(shape: Shape, places: Points, size: float) -> Shape | None:
    """The piece of a shape near places (n, 3); None if it is far from all of them."""
    if isinstance(shape, Sphere):
        away = np.linalg.norm(places - np.array(shape.center), axis=1).min() - shape.radius
        return shape if away <= NEAR * size else None
    if isinstance(shape, Capsule):
        start, along = np.array(shape.start), np.subtract(shape.end, shape.start)
        square = max(float(along @ along), 1e-300)
        t = (places - start) @ along / square
        away = np.linalg.norm(places - start - np.clip(t, 0.0, 1.0)[:, None] * along, axis=1).min() - shape.radius
        if away > NEAR * size:
            return None
        reach = (_reach(away, size) + shape.radius) / np.sqrt(square)
        low, high = max(0.0, float(t.min()) - reach), min(1.0, float(t.max()) + reach)
        return Capsule(tuple(start + low * along), tuple(start + high * along), shape.radius)
    R = rotations.to_matrix(np.array(shape.rotation))
    local, half = (places - np.array(shape.center)) @ R, np.array(shape.half)
    away = np.linalg.norm(local - np.clip(local, -half, half), axis=1).min()
    if away > NEAR * size:
        return None
    first = np.maximum(local.min(axis=0) - _reach(away, size), -half)
    last = np.minimum(local.max(axis=0) + _reach(away, size), half)
    center = np.array(shape.center) + R @ (0.5 * (first + last))
    return Box(tuple(0.5 * (last - first)), tuple(center), shape.rotation)


def _reach(away: float, size: float) -> float:
    """How far beyond the figure an obstacle at the distance `away` is drawn, so that it is visible in any case."""
    return max(BESIDE * size, away + 0.5 * BESIDE * size)


def tapered(end: Vector, size: float, detail: float = 1.0) -> Turned | None:
    """A segment without shapes from the origin to `end` (3,): thick near its joint, thin at its end. None if it has no
    length."""
    length = float(np.linalg.norm(end))
    if length < 1e-9 * size:
        return None
    wide = min(0.11 * length, _THIN * size)
    pieces = max(2, round(6 * detail))
    along = np.concatenate([[0.0, 0.06, 0.16], np.linspace(0.16, 1.0, pieces + 1)[1:], [1.0 + 1e-6]]) * length
    taper = np.linspace(1.0, 0.35, pieces + 1)[1:]
    radii = np.concatenate([[0.0, 0.72, 1.0], taper, [0.0]]) * wide
    return Turned(np.zeros(3), end / length, along, radii, max(6, round(16 * detail)))


def silhouette(points: Matrix) -> Matrix:
    """The convex outline of points in a plane, counter-clockwise: the farthest point in each of 180 directions.

    This is exact enough for a picture: a corner is left out only if its edges meet at less than 2°. (n, 2) -> (k, 2).
    """
    turn = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    farthest = np.argmax(points @ np.stack([np.cos(turn), np.sin(turn)]), axis=0)
    corners = points[farthest]
    fresh = np.any(corners != np.roll(corners, 1, axis=0), axis=1)
    result: Matrix = corners[fresh] if fresh.any() else corners[:1]
    return result


def normals(faces: Points) -> Points:
    """Unit normals (F, 3) of faces (F, 4, 3), outward; zero for a face without area."""
    across = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    result: Points = np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
    return result


def _around(radius: float, size: float, detail: float) -> int:
    """Number of corners of the polygon that approximates a circle."""
    return max(6, round(float(np.clip(14.0 + 400.0 * radius / size, 14.0, 42.0)) * detail))


def _follows(row: Sequence[Capsule]) -> bool:
    """Whether the last capsule of a row begins at the end of the previous one and all are nearly on one line."""
    before, last = row[-2:]
    near = 0.15 * min(before.radius, last.radius)
    if np.linalg.norm(np.array(last.start) - np.array(before.end)) > near:
        return False
    points = np.array([row[0].start, *[capsule.end for capsule in row]])
    along = points[-1] - points[0]
    length = float(np.linalg.norm(along))
    if length < 1e-9 or np.any(np.diff(points @ along) <= 0.0):
        return False
    off = points - points[0] - np.outer((points - points[0]) @ along / length**2, along)
    return bool(np.linalg.norm(off, axis=1).max() < 2.7 * near)


def _rod(row: Sequence[Capsule], size: float, detail: float) -> Turned:
    points = np.array([row[0].start, *[capsule.end for capsule in row]])
    own = np.array([capsule.radius for capsule in row])
    radii = np.concatenate([own[:1], 0.5 * (own[1:] + own[:-1]), own[-1:]])
    return rod(points, radii, _around(float(own.max()), size, detail), min(detail, 1.0))


def _box(box: Box, pieces: int = _BOX_PIECES) -> Points:
    corners = rotations.rotate(np.array(box.rotation), _CORNERS * np.array(box.half)) + np.array(box.center)
    steps = np.linspace(0.0, 1.0, pieces + 1)
    u, v = np.meshgrid(steps, steps, indexing="ij")
    faces = []
    for side in _SIDES:
        a, b, c, d = corners[list(side)]
        weights = [(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]
        grid = sum(w[..., None] * p for w, p in zip(weights, (a, b, c, d), strict=True))
        assert isinstance(grid, np.ndarray)
        parts = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
        faces.append(parts.reshape(-1, 4, 3))
    return np.concatenate(faces)


def _joint_balls(figure: Figure, shapes: bool, detail: float) -> list[Solid]:
    """A ball at every joint that turns: between segments without shapes, and where solids meet end to end as in an
    elbow."""
    balls = []
    for i, s in enumerate(figure.segments):
        if not any(not isinstance(motion, Slider) for motion in s.joint.motions) or s.joint.kind == "free":
            continue
        own = s.shapes if shapes else ()
        parent = figure.segment(s.parent).shapes if shapes and s.parent is not None else ()
        radius = 0.9 * _THIN * figure.size
        if own or parent:
            here = _ending(own, np.zeros(3), 0.6) if own else None
            there = _ending(parent, np.array(s.joint.offset), 0.3) if parent else None
            both = [r for r in (here, there) if r is not None]
            radius = max(_COLLAR * min(both), 1.06 * max(both)) if min(both) > 0.0 else 0.0
        if radius > 0.0:
            balls.append(Solid.of(i, "joint", ball(np.zeros(3), radius, _around(radius, figure.size, detail))))
    return balls


def _is_ball(segment: Segment) -> bool:
    """Whether a segment is only a ball in its socket, such as an eye."""
    shapes = segment.shapes
    centred = len(shapes) == 1 and isinstance(shapes[0], Sphere) and not any(shapes[0].center)
    return bool(segment.joint.motions) and segment.parent is not None and centred


def _ending(shapes: tuple[Shape, ...], point: Vector, near: float) -> float:
    """The radius of the capsule that ends nearest to a point in its segment's space; 0 if none ends within `near` times
    its radius from there."""
    nearest, radius = near, 0.0
    for shape in shapes:
        if isinstance(shape, Capsule):
            gap = min(float(np.linalg.norm(np.array(end) - point)) for end in (shape.start, shape.end)) / shape.radius
            if gap < nearest:
                nearest, radius = gap, shape.radius
    return radius
