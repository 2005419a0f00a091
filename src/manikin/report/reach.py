"""Proofs from lengths alone: no pose meets this goal, or these two goals together.

A figure is rigid between two joints that move. So the path from the first joint that moves an effector to that effector
has at most the length L: the sum of the distances from joint to joint and of the farthest positions of slides.
Therefore

    |target − first joint| > L          proves that the target is out of reach;
    |target₁ − target₂| > L₁₂           proves that two goals conflict.

L₁₂ is the length of the path between the two effectors. A free root (or a slide without limits) has no such length;
every target is in its reach. Limits of turns are ignored, so a target without a proof may still be out of reach. Joints
that may not move count as rigid in the given pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Points, Vector
from manikin.goals import Effector, Goal
from manikin.problem import Problem
from manikin.reference.tree import BALL, FIXED, SLIDE, ancestors, world_nodes


@dataclass(frozen=True, eq=False)
class Shortfall:
    """The distance of a target and the reach of the figure."""

    distance: float
    """From the first joint that moves the effector to the target, length."""
    reach: float
    """L, length."""
    base: str
    """Name of the first joint."""

    @property
    def amount(self) -> float:
        """The least distance that is missing; below 0 if lengths prove nothing."""
        return self.distance - self.reach


class Lengths:
    """The lengths of a problem's figure in one pose."""

    def __init__(self, problem: Problem, q: Vector) -> None:
        self.problem, figure = problem, problem.figure
        self.tree = tree = figure.layout.tree
        rotation, position = world_nodes(tree, q[None])
        self.rotation, self.after = rotation[0], position[0]
        """(N, 3) position of each node, including its own slide."""
        self.before: Points = position[0].copy()
        """(N, 3) position of each node without its own slide."""
        self.travel = np.zeros(len(tree.parent))
        """(N,) the largest distance by which a slide moves its node."""
        self.moving = np.zeros(len(tree.parent), dtype=bool)
        for i in np.flatnonzero(tree.kind != FIXED):
            self.moving[i] = problem.movable[tree.step[i] : tree.step[i] + (3 if tree.kind[i] == BALL else 1)].any()
            if tree.kind[i] == SLIDE and self.moving[i]:
                n = tree.number[i]
                self.before[i] -= rotation[0, i] @ tree.axis[i] * q[n]
                self.travel[i] = max(abs(figure.lower[n]), abs(figure.upper[n]))

    def shortfall(self, goal: Goal) -> Shortfall | None:
        """How far a goal's target is beyond the figure's reach; None if lengths prove nothing for such a goal."""
        if goal.span is not None:
            one, other = goal.effectors
            between = self.between(one, other)
            return Shortfall(goal.span, between, other.segment) if np.isfinite(between) else None
        if not goal.effectors:
            return None
        base, reach, name = self._way(goal.effectors[0])
        distance = goal.distance_from(base)
        return Shortfall(distance, reach, name) if distance is not None and np.isfinite(reach) else None

    def apart(self, one: Goal, other: Goal) -> float:
        """How much farther apart two targets are than their effectors can be, minus the tolerances; ≤ 0 if they are
        not."""
        if one.wanted_point is None or other.wanted_point is None:
            return 0.0
        (a, kept), (b, kept_too) = one.wanted_point, other.wanted_point
        both = kept & kept_too
        distance = float(np.linalg.norm((a - b)[both]))
        return distance - one.allowed - other.allowed - self.between(one.effectors[0], other.effectors[0])

    def between(self, one: Effector, other: Effector) -> float:
        """The largest possible distance between two effectors."""
        first, second = (ancestors(self.tree, self._node(e)) for e in (one, other))
        shared = sum(1 for a, b in zip(first, second, strict=False) if a == b)
        ways = [[i for i in nodes[shared:] if self.moving[i]] for nodes in (first, second)]
        starts = [
            self.before[nodes[0]] if nodes else self._place(e) for nodes, e in zip(ways, (one, other), strict=True)
        ]
        lengths = [self._length(nodes, e) for nodes, e in zip(ways, (one, other), strict=True)]
        return sum(lengths) + float(np.linalg.norm(starts[0] - starts[1]))

    def _way(self, effector: Effector) -> tuple[Vector, float, str]:
        """Position of the first joint above an effector, the effector's largest distance from it, and the joint's
        name."""
        nodes = [i for i in ancestors(self.tree, self._node(effector)) if self.moving[i]]
        if not nodes:
            return self._place(effector), 0.0, effector.segment
        return self.before[nodes[0]], self._length(nodes, effector), self._name(nodes[0])

    def _length(self, nodes: list[int], effector: Effector) -> float:
        """Length of the path along moving nodes, from the first node to an effector."""
        if not nodes:
            return 0.0
        points = [*(self.before[i] for i in nodes[1:]), self._place(effector)]
        rigid = [float(np.linalg.norm(p - self.after[i])) for i, p in zip(nodes, points, strict=True)]
        return sum(rigid) + float(self.travel[nodes].sum())

    def _node(self, effector: Effector) -> int:
        return int(self.tree.segment[self.problem.figure.segment_index(effector.segment)])

    def _place(self, effector: Effector) -> Vector:
        node = self._node(effector)
        place: Vector = self.after[node] + self.rotation[node] @ np.array(effector.offset)
        return place

    def _name(self, node: int) -> str:
        """The joint that a node belongs to."""
        figure, number = self.problem.figure, int(self.tree.number[node])
        for s in figure.segments:
            first = figure.index_of(s.joint.name)
            if first <= number < first + s.joint.nq:
                return s.joint.name
        raise AssertionError(f"node {node} moves, but belongs to no joint")
