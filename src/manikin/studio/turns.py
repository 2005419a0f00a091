"""How far joints turn between two poses, and the way from one pose to another in small turns."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.reference.tree import BALL, TURN


def largest_turn(figure: Figure, a: Vector, b: Vector) -> float:
    """The largest angle by which a single joint turns between two poses (nq,), in radians. Slides do not count."""
    step, tree = figure.difference(a, b), figure.layout.tree
    free = tree.source < 0
    hinges = np.abs(step[tree.step[(tree.kind == TURN) & free]])
    balls = tree.step[(tree.kind == BALL) & free]
    turned = np.linalg.norm(step[balls[:, None] + np.arange(3)], axis=-1) if len(balls) else np.zeros(0)
    return float(max(hinges.max(initial=0.0), turned.max(initial=0.0)))


class Way:
    """The straight way in joint space from one pose to another."""

    def __init__(self, figure: Figure, start: Vector, end: Vector) -> None:
        self.figure, self.start, self.end = figure, start, end
        self.length = largest_turn(figure, start, end)
        """The largest turn of a joint on the whole way, in radians."""
        self.done = 0.0
        """The part of the way that is done, 0 to 1."""
        self._step = figure.difference(start, end)

    def ahead(self, turn: float) -> float:
        """The part of the way that is done after a further turn, in radians."""
        return min(1.0, self.done + turn / max(self.length, 1e-12))

    def at(self, part: float) -> Vector:
        """(nq,) the pose at a part of the way."""
        return self.end if part >= 1.0 else self.figure.integrate(self.start, part * self._step)
