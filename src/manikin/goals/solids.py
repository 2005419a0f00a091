"""Solids: the shapes of a figure and of the world as arrays, and the nearest points of pairs of them.

Every shape is a core with a radius around it. The core is a point, a line or a box (`kinematics.capsules`,
`kinematics.boxes`). A half-space is paired with each corner of a core separately, so that each corner gives a smooth
row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Placements, Points, Vector
from manikin.figure.figure import Figure
from manikin.figure.shapes import Box, Capsule, Shape
from manikin.goals.half_space import HalfSpace, Obstacle
from manikin.kinematics.boxes import box_box, capsule_box
from manikin.kinematics.capsules import Nearest, capsule_capsule, dot

Integers = NDArray[np.intp]
SAME_PLACE = 1e-9
"""Joints nearer than this at rest, in sizes of the figure, are at one place."""


class Meetings(NamedTuple):
    """Pairs of shapes that are near each other."""

    distance: Vector
    """(n,) signed distance minus the margin of the pair."""
    a: Integers
    """(n,) owner of the first shape: an index into `Solids.names`."""
    b: Integers
    """(n,) owner of the second shape."""
    normal: Points
    """(n, 3) unit vector from a to b, world."""
    on_a: Points
    """(n, 3) nearest point of a, world."""
    on_b: Points
    """(n, 3) nearest point of b, world."""

    def taken(self, at: NDArray[Any]) -> Meetings:
        """The selected meetings, by index or by flag."""
        return Meetings(self.distance[at], self.a[at], self.b[at], self.normal[at], self.on_a[at], self.on_b[at])


@dataclass(frozen=True, eq=False)
class Solids:
    """Shapes of segments, then shapes of the world. The first `segments` owners move, the others do not."""

    names: tuple[str, ...]
    """Owners: segments that have shapes, then obstacles."""
    segments: int
    """Number of owners that are segments."""
    owner: Integers
    """(n,) owner of each shape. Boxes come last."""
    center: Points
    """(n, 3) centre of the core, in the owner's space, length."""
    edges: Points
    """(n, 3, 3) half edges of the core, edges[:, k] the k-th; 0 if it has none."""
    radius: Vector
    """(n,) radius around the core, length."""
    boxes: int
    """Number of shapes that are boxes."""
    half_spaces: tuple[tuple[int, HalfSpace], ...]
    """Pairs of owner and half-space."""

    @staticmethod
    def of(figure: Figure, obstacles: Mapping[str, Obstacle]) -> Solids:
        """All shapes of a figure, and obstacles by name."""
        having = [s for s in figure.segments if s.shapes]
        names = [s.name for s in having]
        owned: list[tuple[int, Shape]] = [(k, shape) for k, s in enumerate(having) for shape in s.shapes]
        half_spaces = []
        for name, obstacle in obstacles.items():
            if isinstance(obstacle, HalfSpace):
                half_spaces.append((len(names), obstacle))
            else:
                owned.append((len(names), obstacle))
            names.append(name)
        owned.sort(key=lambda pair: isinstance(pair[1], Box))  # a stable sort: boxes last, otherwise in order
        cores = [_core(shape) for _, shape in owned]
        return Solids(
            tuple(names),
            len(having),
            np.array([k for k, _ in owned], dtype=np.intp),
            np.array([center for center, _, _ in cores]).reshape(-1, 3),
            np.array([edges for _, edges, _ in cores]).reshape(-1, 3, 3),
            np.array([radius for _, _, radius in cores]),
            sum(isinstance(shape, Box) for _, shape in owned),
            tuple(half_spaces),
        )

    @cached_property
    def extent(self) -> Vector:
        """(n,) radius of the bounding sphere of each shape."""
        out: Vector = np.sqrt((self.edges * self.edges).sum(axis=(1, 2))) + self.radius
        return out

    def world(self, placements: Placements) -> tuple[Points, Points]:
        """Centres (n, 3) and half edges (n, 3, 3) in the world, with the segments placed (segments, 4, 4)."""
        all_placed = np.concatenate([placements, np.broadcast_to(np.eye(4), (len(self.names) - self.segments, 4, 4))])
        T = all_placed[self.owner]
        R = T[:, :3, :3]
        return (R @ self.center[..., None])[..., 0] + T[:, :3, 3], self.edges @ np.swapaxes(R, 1, 2)


def _core(shape: Shape) -> tuple[Vector, Points, float]:
    """Centre, half edges and radius."""
    if isinstance(shape, Box):
        R = rotations.to_matrix(np.array(shape.rotation))
        return np.array(shape.center), np.array(shape.half)[:, None] * R.T, 0.0
    edges = np.zeros((3, 3))
    if isinstance(shape, Capsule):
        start, end = np.array(shape.start), np.array(shape.end)
        edges[0] = 0.5 * (end - start)
        return 0.5 * (start + end), edges, shape.radius
    return np.array(shape.center), edges, shape.radius


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of shapes, and of corners and half-spaces, that are kept apart, each with a margin."""

    solids: Solids
    a: Integers
    """(p,) the first shape of each pair. It is a box only if the second is a box too."""
    b: Integers
    """(p,) the second shape."""
    margin: Vector
    """(p,)"""
    corner: Integers
    """(c,) the shape to whose core each corner belongs."""
    point: Points
    """(c, 3) the corner, in the owner's space, length."""
    wall: Integers
    """(c,) the half-space: an index into `solids.half_spaces`."""
    wall_margin: Vector
    """(c,)"""

    @staticmethod
    def of(solids: Solids, wanted: NDArray[np.bool_], margin: Vector) -> Pairs:
        """The pairs of the wanted owners (o, o), with margins (o, o). Both arrays are symmetric."""
        a, b = np.triu_indices(len(solids.owner), 1)  # boxes are last, so the first is a box only if both are
        keep = wanted[solids.owner[a], solids.owner[b]]
        a, b = a[keep], b[keep]
        first_box = len(solids.owner) - solids.boxes
        order = np.argsort((a >= first_box).astype(int) + (b >= first_box), kind="stable")
        a, b = a[order], b[order]
        corner, point, wall, wall_margin = [], [], [], []
        for w, (owner, _) in enumerate(solids.half_spaces):
            for shape in np.flatnonzero(wanted[solids.owner, owner]):
                corners = _corners(solids.center[shape], solids.edges[shape])
                corner += [shape] * len(corners)
                point += list(corners)
                wall += [w] * len(corners)
                wall_margin += [margin[solids.owner[shape], owner]] * len(corners)
        return Pairs(
            solids,
            a,
            b,
            margin[solids.owner[a], solids.owner[b]],
            np.array(corner, dtype=np.intp),
            np.array(point).reshape(-1, 3),
            np.array(wall, dtype=np.intp),
            np.array(wall_margin),
        )

    def __len__(self) -> int:
        return len(self.a) + len(self.corner)

    @cached_property
    def _kinds(self) -> tuple[int, int]:
        """Index of the first pair with one box, and of the first pair with two boxes."""
        boxes = (self.b >= len(self.solids.owner) - self.solids.boxes).astype(int)
        boxes += self.a >= len(self.solids.owner) - self.solids.boxes
        return int(np.searchsorted(boxes, 1)), int(np.searchsorted(boxes, 2))

    def near(self, placements: Placements, horizon: float = np.inf) -> Meetings:
        """The pairs whose distance minus margin is below `horizon`, with the segments placed (segments, 4, 4)."""
        solids = self.solids
        center, edges = solids.world(placements)
        w = center[self.b] - center[self.a]
        bound = horizon + self.margin + solids.extent[self.a] + solids.extent[self.b]
        candidates = np.flatnonzero(dot(w, w) < bound * bound)
        found = [*self._meet(candidates, center, edges), *self._walls(placements)]
        meetings = Meetings(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
        close = meetings.distance < horizon
        return meetings if close.all() else meetings.taken(close)

    def kept_at(self, placements: Placements, touching: NDArray[np.bool_]) -> Pairs:
        """The pairs with smaller margins: those of touching owners (o, o) need no more distance than they have here."""
        lower = touching[self.solids.owner[self.a], self.solids.owner[self.b]]
        if not lower.any():
            return self
        here = self.near(placements).distance[: len(self.a)] + self.margin  # of all pairs, in order
        return replace(self, margin=np.where(lower, np.minimum(here, self.margin), self.margin))

    def _meet(self, candidates: Integers, center: Points, edges: Points) -> list[Meetings]:
        """Pairs of cores."""
        solids = self.solids
        split = np.searchsorted(candidates, self._kinds)
        out = []
        for kind, at in enumerate(np.split(candidates, split)):
            if len(at) or kind == 0:
                a, b = self.a[at], self.b[at]
                nearest = _NEAREST[kind](solids, center, edges, a, b)
                distance = nearest.distance - self.margin[at]
                out.append(Meetings(distance, solids.owner[a], solids.owner[b], *nearest[1:]))
        return out

    def _walls(self, placements: Placements) -> list[Meetings]:
        """Corners in front of or inside half-spaces: the half-space is a, the corner is b."""
        if not len(self.corner):
            return []
        solids = self.solids
        owner = solids.owner[self.corner]
        moving = owner < solids.segments
        x = self.point.copy()
        T = placements[owner[moving]]
        x[moving] = (T[:, :3, :3] @ x[moving][..., None])[..., 0] + T[:, :3, 3]
        normal = np.array([h.normal for _, h in solids.half_spaces])[self.wall]
        behind = np.array([h.point for _, h in solids.half_spaces])[self.wall]
        radius = solids.radius[self.corner]
        distance = dot(normal, x - behind) - radius
        on_b = x - radius[:, None] * normal
        of = np.array([k for k, _ in solids.half_spaces], dtype=np.intp)[self.wall]
        on_a = on_b - distance[:, None] * normal
        return [Meetings(distance - self.wall_margin, of, owner, normal, on_a, on_b)]


def _corners(center: Vector, edges: Points) -> Points:
    """The corners of a core, (1, 2 or 8, 3)."""
    corners = center[None]
    for edge in edges:
        if np.any(edge):
            corners = np.concatenate([corners - edge, corners + edge])
    return corners


def _capsules(solids: Solids, center: Points, edges: Points, a: Integers, b: Integers) -> Nearest:
    return capsule_capsule(center[a], edges[a, 0], solids.radius[a], center[b], edges[b, 0], solids.radius[b])


def _capsule_and_box(solids: Solids, center: Points, edges: Points, a: Integers, b: Integers) -> Nearest:
    return capsule_box(center[a], edges[a, 0], solids.radius[a], center[b], edges[b])


def _boxes(solids: Solids, center: Points, edges: Points, a: Integers, b: Integers) -> Nearest:  # noqa: ARG001
    return box_box(center[a], edges[a], center[b], edges[b])


_NEAREST = (_capsules, _capsule_and_box, _boxes)
"""The distance function by the number of boxes in the pair."""


def owner_distances(pairs: Pairs, placements: Placements) -> Vector:
    """(o, o) least distance minus margin between the shapes of every two owners; infinite if they have no pair."""
    o = len(pairs.solids.names)
    out = np.full((o, o), np.inf)
    found = pairs.near(placements)
    np.minimum.at(out, (found.a, found.b), found.distance)
    symmetric: Vector = np.minimum(out, out.T)
    return symmetric


def adjacent(figure: Figure, names: Sequence[str]) -> NDArray[np.bool_]:
    """(o, o) whether owners cannot move relative to each other, or are segments connected by one joint.

    Names that are not segments do not move in the world, and neither do segments without a moving joint. Segments fixed
    to each other count as one: a joint to one of them is a joint to all.
    """
    world = 0
    body: dict[str, int] = {}  # number of the rigid body to which each segment belongs
    above: dict[int, int] = {}
    for k, s in enumerate(figure.segments, start=1):  # parents first
        parent = world if s.parent is None else body[s.parent]
        if s.joint.motions:
            body[s.name], above[k] = k, parent if s.parent is not None else -1
        else:
            body[s.name] = parent
    own = np.array([body.get(name, world) for name in names], dtype=np.intp)
    segment = np.array([name in body for name in names], dtype=bool)
    hung = np.array([above.get(int(b), -1) for b in own], dtype=np.intp)
    joined = (hung[:, None] == own[None, :]) & segment[None, :]
    out: NDArray[np.bool_] = (own[:, None] == own[None, :]) | joined | joined.T
    return out


def joint_places(figure: Figure, one: str, two: str) -> int:
    """Number of places with joints between two segments. The joints of a hip made of three hinges are at one place."""
    above = {s.name: s.parent for s in figure.segments}

    def chain(name: str | None) -> list[str]:
        found = []
        while name is not None:
            found.append(name)
            name = above[name]
        return found

    up, down = chain(one), chain(two)
    shared = set(up) & set(down)
    way = [s for s in up if s not in shared] + [s for s in reversed(down) if s not in shared]
    way = [s for s in way if figure.segment(s).joint.motions]
    at = figure.placements(figure.rest, way)[:, :3, 3] if way else np.zeros((0, 3))
    apart = np.linalg.norm(np.diff(at, axis=0), axis=1) > SAME_PLACE * figure.size
    return min(len(way), 1) + int(np.count_nonzero(apart))
