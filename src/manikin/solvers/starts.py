"""Where to start again: the order of starts of a search that may have ended in a local minimum.

1. the pose given;  2. the same, every joint moved 30 % toward mid-range;  3. the best so far, with every joint that
has a bad goal below it at mid-range;  then in turn, each the best of four samples: joints with any bad goal below
them uniform in their limits; all joints so; joints with only bad goals below them so. A goal is bad when its residual
is above a tenth of the worst one. Endless hinges are drawn in a whole turn, at the limit that they have if they have
one; slides with one limit within two sizes of the figure that hold the place where they are. The root and endless
slides keep their place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.kinematics.chart import Chart
from manikin.problem import Evaluation, Problem
from manikin.reference.tree import BALL, FIXED, SLIDE

NUDGE = 0.3
"""Part of the way to mid-range of the second start."""
BAD = 0.1
"""A goal is bad above this fraction of the worst residual."""
SAMPLES = 4
"""Random poses tried for each random start; the one with the lowest cost is taken."""


class Starts:
    """The starts of one solve, in order; seeded, so the same every time."""

    def __init__(self, problem: Problem, chart: Chart, cost: Callable[[Evaluation], float], seed: int) -> None:
        self.problem, self.chart, self.cost = problem, chart, cost
        self.rng = np.random.default_rng(seed)
        tree = problem.figure._layout.tree
        self._step_of = np.full(problem.figure.nq, -1)  # first step of the joint that each number belongs to
        for i in np.flatnonzero((tree.kind != FIXED) & (tree.source < 0)):
            n = int(tree.number[i])
            self._step_of[n : n + (4 if tree.kind[i] == BALL else 1)] = tree.step[i]
        self._rooted = _rooted(problem.figure)
        self._half_open = _half_open_slides(problem.figure)

    def start(self, index: int, best: Evaluation) -> Vector:
        """Start number `index` from 1 (0 is the given pose), given the best evaluation so far."""
        movable = self.problem.movable
        if index == 1:
            return self._toward_middle(self.problem.start, NUDGE * movable.astype(np.float64))
        any_bad, only_bad = self._blamed(best)
        if index == 2:
            return self._toward_middle(best.pose, (any_bad & movable).astype(np.float64))
        kind = (index - 3) % 3
        chosen = (any_bad, np.ones_like(any_bad), only_bad)[kind] & movable
        return self._sampled(best.pose, chosen)

    def _toward_middle(self, q: Vector, part: Vector) -> Vector:
        local = self.chart.at(q)
        return local.moved(part * local.to_middle())

    def _sampled(self, q: Vector, chosen: NDArray[np.bool_]) -> Vector:
        """The best of some poses in which the chosen steps are uniform in their limits."""
        figure = self.problem.figure
        numbers = (self._step_of >= 0) & chosen[self._step_of]
        samples = figure.random(self.rng, SAMPLES)
        at, size = self._half_open, figure.size
        low = np.maximum(figure.lower[at], np.minimum(figure.upper[at] - size, q[at]) - size)
        drawn = self.rng.uniform(low, low + 2.0 * size, (SAMPLES, len(at)))
        samples[:, at] = np.clip(drawn, figure.lower[at], figure.upper[at])
        poses = [self.chart.followed(np.where(numbers & ~self._rooted, sample, q)) for sample in samples]
        return min(poses, key=lambda pose: self.cost(self.problem.at(pose)))

    def _blamed(self, best: Evaluation) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(nv,) steps with any bad goal below them, and those with only bad goals below."""
        problem = self.problem
        sizes = np.array([np.linalg.norm(best.residual[rows]) for rows in problem.slices])
        felt = np.array([np.any(best.derivative[rows] != 0.0, axis=0) for rows in problem.slices])
        bad = sizes > BAD * sizes.max()
        any_bad = felt[bad].any(axis=0)
        return any_bad, any_bad & ~felt[~bad].any(axis=0)


def _rooted(figure: Figure) -> NDArray[np.bool_]:
    """(nq,) numbers that are not drawn: free roots and endless slides."""
    layout = figure._layout
    out = np.isinf(layout.lower) & np.isinf(layout.upper)
    out[list(layout.angular)] = False
    out[layout.balls[:, None] + np.arange(4)] = False
    out[layout.free_balls[:, None] + np.arange(4)] = True
    return out


def _half_open_slides(figure: Figure) -> NDArray[np.int64]:
    """(k,) numbers of slides with one limit."""
    tree, layout = figure._layout.tree, figure._layout
    slides = tree.number[(tree.kind == SLIDE) & (tree.source < 0)]
    one: NDArray[np.int64] = slides[np.isinf(layout.lower[slides]) != np.isinf(layout.upper[slides])].astype(np.int64)
    return one
