"""Distances of the shapes of a posed figure, computed without the package's own functions for shapes.

The distance of two shapes is that of their cores, minus their radii. The core of a capsule is a line; the other core is
a line or a box. The distance from a point of the line to the other core is a convex function of the place on the line,
so a search by thirds finds its least value.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.turns import Array

ROUNDS = 80
"""Rounds of the search by thirds. Each leaves two thirds of the interval."""


class Judge:
    """The pairs of shapes that a Clearance of margin 0 keeps apart, and how near they may be."""

    def __init__(self, figure: mk.Figure, goal: mk.Clearance) -> None:
        """
        Args:
            figure: has spheres and capsules only.
            goal: settled on the figure; its obstacles are boxes.
        """
        self.figure = figure
        self.names = [s.name for s in figure.segments if s.shapes]
        exempt = {frozenset(pair) for pair in goal.exempt}
        parent = {s.name: s.parent for s in figure.segments}
        moves = {s.name: bool(s.joint.motions) for s in figure.segments}
        solids = [(s.name, shape) for s in figure.segments for shape in s.shapes]
        self.owner = [self.names.index(name) for name, _ in solids]
        self.ends = np.array([_ends(shape) for _, shape in solids])
        self.radius = np.array([shape.radius for _, shape in solids])
        self.pairs = np.array(
            [
                (i, j)
                for i, j in combinations(range(len(solids)), 2)
                if not _joined(solids[i][0], solids[j][0], parent, moves)
                and frozenset((solids[i][0], solids[j][0])) not in exempt
            ]
        )
        self.boxes = _boxes(goal.obstacles)
        self.moving = np.array([_moves(name, parent, moves) for name, _ in solids])
        self.least = np.minimum(self._own(figure.rest), 0.0)  # pairs that overlap at rest may overlap as much

    def depth(self, pose: Array) -> float:
        """How far the worst pair is nearer than it may be, length; 0 if none is."""
        worst = float((self.least - self._own(pose)).max(initial=0.0))
        a, b = (x[self.moving] for x in self._world(pose))
        for center, turn, half in self.boxes:
            local = ((a - center) @ turn, (b - center) @ turn)
            away = _least(lambda t, local=local, half=half: _outside(_at(*local, t), half), len(a))
            worst = max(worst, float((self.radius[self.moving] - away).max()))
        return worst

    def _world(self, pose: Array) -> tuple[Array, Array]:
        placed = self.figure.placements(pose, self.names)[self.owner]
        a, b = (np.einsum("nij,nj->ni", placed[:, :3, :3], self.ends[:, k]) + placed[:, :3, 3] for k in (0, 1))
        return a, b

    def _own(self, pose: Array) -> Array:
        a, b = self._world(pose)
        i, j = self.pairs.T
        c, d = a[j], b[j] - a[j]
        square = np.einsum("ni,ni->n", d, d)

        def away(t: Array) -> Array:
            x = _at(a[i], b[i], t)
            along = np.einsum("ni,ni->n", x - c, d) / np.where(square > 0.0, square, 1.0)
            return np.asarray(np.linalg.norm(x - c - np.clip(along, 0.0, 1.0)[:, None] * d, axis=1))

        return _least(away, len(i)) - self.radius[i] - self.radius[j]


def _at(a: Array, b: Array, t: Array) -> Array:
    return a + t[:, None] * (b - a)


def _least(distance: Any, count: int) -> Array:
    """(count,) the least value of a convex function on [0, 1], for each row."""
    low, high = np.zeros(count), np.ones(count)
    for _ in range(ROUNDS):
        third = (high - low) / 3.0
        left = distance(low + third) < distance(high - third)
        low, high = np.where(left, low, low + third), np.where(left, high - third, high)
    out: Array = distance(0.5 * (low + high))
    return out


def _outside(x: Array, half: Array) -> Array:
    """Distance of points from a box; below 0 inside."""
    over = np.abs(x) - half
    return np.asarray(np.linalg.norm(np.maximum(over, 0.0), axis=1) + np.minimum(over.max(axis=1), 0.0))


def _ends(shape: Any) -> list[Any]:
    return [shape.start, shape.end] if isinstance(shape, mk.Capsule) else [shape.center, shape.center]


def _boxes(obstacles: Mapping[str, Any]) -> list[tuple[Array, Array, Array]]:
    out = []
    for box in obstacles.values():
        w, x, y, z = box.rotation
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        out.append((np.array(box.center), turn, np.array(box.half)))
    return out


def _joined(one: str, two: str, parent: Mapping[str, str | None], moves: Mapping[str, bool]) -> bool:
    """Whether at most one moving joint is between two segments, and none of them is beside the other."""

    def body(name: str) -> str:  # the first segment of those fixed to each other
        above = parent[name]
        return name if moves[name] or above is None else body(above)

    a, b = body(one), body(two)
    over_a, over_b = parent[a], parent[b]
    return a == b or (over_a is not None and body(over_a) == b) or (over_b is not None and body(over_b) == a)


def _moves(name: str | None, parent: Mapping[str, str | None], moves: Mapping[str, bool]) -> bool:
    """Whether a joint between a segment and the world moves."""
    return name is not None and (moves[name] or _moves(parent[name], parent, moves))
