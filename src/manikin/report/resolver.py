"""Solving changed problems: goals dropped, limits wider, weights other, from given starts.

Every start is run once, as it is. Nothing restarts by itself, except in `anew`, which does what a caller's own
`mk.solve` would do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.problem import Problem, level_factors, levels_of
from manikin.reference.tree import BALL
from manikin.report.limits import Limit, wider_view
from manikin.report.starts import NUDGE, rooted
from manikin.solvers.native.compiled import STAGES, Compiled

ITERATIONS = 80
"""Most iterations of one re-solve."""
RESTARTS = 30
"""Restarts of `anew`, as many as `mk.solve` has by default."""
SLACK = 1e-9
"""An error of (1 + this) tolerances still meets a goal: rounding between the native solver and NumPy."""
NONE: Mapping[Limit, float] = MappingProxyType({})
NOT_FREED: frozenset[int] = frozenset()
"""No frozen step is let go."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Where some starts ended."""

    poses: Matrix
    """(B, nq)"""
    errors: Matrix
    """(B, goals) in lengths or radians; 0 for goals that were dropped."""
    iterations: NDArray[np.int32]
    """(B,)"""

    def __add__(self, other: Ends) -> Ends:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Ends(*(np.concatenate(pair) for pair in pairs))

    def __len__(self) -> int:
        return len(self.poses)

    def pose(self, k: int) -> Vector:
        """(nq,) the end of start k."""
        pose: Vector = self.poses[k]
        return pose


class Resolver:
    """Solves changes of one problem. Counts what it does in `solves`."""

    def __init__(self, problem: Problem, seed: int = 0) -> None:
        self.problem, self.figure = problem, problem.figure
        self.solves = 0
        """Starts run so far."""
        self.all: tuple[int, ...] = tuple(int(j) for j in np.flatnonzero(problem.counting))
        """The goals that count."""
        self._rng = np.random.default_rng(seed)
        self._compiled: dict[object, Compiled] = {}
        self._views: dict[object, Figure] = {}

    # Solving

    def solve(
        self,
        starts: Sequence[Vector] | Matrix,
        goals: Collection[int] | None = None,
        *,
        wider: Mapping[Limit, float] = NONE,
        weights: Mapping[int, float] = MappingProxyType({}),
        moved: Mapping[int, Goal] = MappingProxyType({}),
        free: frozenset[int] = NOT_FREED,
        max_iterations: int = ITERATIONS,
        near: bool = True,
    ) -> Ends:
        """
        Args:
            starts: poses (B, nq); brought within the limits if need be.
            goals: which goals count; None is all.
            wider: limits to widen, and by how much.
            weights: what the weight of a goal is multiplied with.
            moved: goals with another target, in place of those that they are.
            free: frozen steps that may move.
            max_iterations: most iterations of one start, for each stage of priorities.
            near: start exactly there, all goals at once; else as a cold start is done.
        """
        active = self.all if goals is None else tuple(sorted(goals))
        figure = self._view(wider)
        poses = np.array(starts, dtype=np.float64).reshape(len(starts), self.figure.nq)
        outside = figure.violation(poses) > 0.0
        if np.any(outside):
            poses[outside] = figure.clamp(poses[outside])
        self.solves += len(poses)
        chosen = [moved.get(j, self.problem.goals[j]) for j in active]
        factors = np.array([weights.get(j, 1.0) for j in active])
        compiled = self._compiled_for(active, figure, wider, free)
        return self._solved(compiled, poses, active, chosen, factors, max_iterations, near)

    def anew(
        self,
        goals: Collection[int] | None = None,
        *,
        wider: Mapping[Limit, float] = NONE,
        weights: Mapping[int, float] = MappingProxyType({}),
        moved: Mapping[int, Goal] = MappingProxyType({}),
        free: frozenset[int] = NOT_FREED,
        last: int | None = None,
        start: Vector | None = None,
    ) -> Ends:
        """A changed problem as `mk.solve` with default arguments solves it: from the problem's start, with restarts.

        Args:
            goals, wider, weights, moved, free: as for `solve`.
            last: a goal that comes in a priority of its own after all others.
            start: (nq,) a pose to start from, without restarts; None is the problem's start, with restarts.
        """
        active = self.all if goals is None else tuple(sorted(goals))
        figure = self._view(wider)
        chosen = [moved.get(j, self.problem.goals[j]) for j in active]
        factors = np.array([weights.get(j, 1.0) for j in active])
        restarts = RESTARTS if start is None else 0
        starts = np.array(self.problem.start if start is None else start)[None]
        self.solves += 1
        compiled = self._compiled_for(active, figure, wider, free, last)
        own = np.array([g.weight for g in chosen]) * factors
        row = np.concatenate([g.target for g in chosen])[None]
        answer = compiled.solve(starts, row, own, restarts=restarts, strict=True)
        return self._ends(answer.pose, active, answer.errors, answer.iterations)

    def met(self, ends: Ends, goal: int) -> NDArray[np.bool_]:
        """(B,) where a goal is within its tolerance."""
        met: NDArray[np.bool_] = ends.errors[:, goal] <= self.problem.tolerances[goal] * (1.0 + SLACK)
        return met

    def cost(self, errors: Matrix, goals: Collection[int] | None = None) -> Vector:
        """(B,) F = Σ w e² of errors (B, goals), in lengths, with the weights of priorities."""
        active = list(self.all if goals is None else goals)
        cost: Vector = np.square(errors[:, active] * self._unit[active]) @ self._weight[active]
        return cost

    # Starts

    def movable(self, free: frozenset[int] = NOT_FREED) -> NDArray[np.bool_]:
        """(nv,) the steps that are allowed, with some frozen ones let go."""
        movable = self.problem.movable
        if free:
            movable = movable.copy()
            movable[list(free)] = True
        return movable

    def toward_middle(
        self, q: Vector, part: float, wider: Mapping[Limit, float] = NONE, free: frozenset[int] = NOT_FREED
    ) -> Vector:
        """A pose with every joint moved part of the way to the middle of its range."""
        from manikin.kinematics.chart import chart_of

        figure = self._view(wider)
        chart = self.problem.chart if figure is self.figure else chart_of(figure, normalised=False)
        local = chart.at(q if figure is self.figure else figure.clamp(q))
        return local.moved(part * local.to_middle() * self.movable(free))

    def nudged(self, q: Vector, free: frozenset[int] = NOT_FREED) -> Vector:
        """A pose with every joint moved a little to the middle of its range: the second start."""
        return self.toward_middle(q, NUDGE, free=free)

    def uniform(
        self, q: Vector, count: int, wider: Mapping[Limit, float] = NONE, free: frozenset[int] = NOT_FREED
    ) -> list[Vector]:
        """Poses uniform within limits; the root, endless slides and joints that may not move stay as in q."""
        drawn = self._view(wider).random(self._rng, count)
        return list(np.where(self.numbers(self.movable(free)) & ~rooted(self.figure), drawn, q))

    def kicked(self, q: Vector, size: float) -> Vector:
        """A pose with every joint moved by chance, about `size` radians, within limits."""
        v = self._rng.normal(0.0, size, self.figure.nv) * self.problem.movable * self.problem.step_unit
        return self.figure.clamp(self.figure.integrate(q, v))

    # Inside

    @cached_property
    def levels(self) -> Vector:
        """(goals,) what weights are multiplied with for priorities, in the last stage."""
        return self._levels(STAGES[-1])

    def _levels(self, factor: float) -> Vector:
        priorities = np.array([g.priority for g in self.problem.goals])
        last = priorities[list(self.all)].max(initial=0)  # of those that count
        return level_factors(levels_of(np.minimum(priorities, last)), factor)

    @cached_property
    def _weight(self) -> Vector:
        weight: Vector = np.array([g.weight for g in self.problem.goals]) * self.levels
        return weight

    @cached_property
    def _unit(self) -> Vector:
        """(goals,) lengths for a unit of each error."""
        return np.array([self.problem.angle_length if all(g.angular) else 1.0 for g in self.problem.goals])

    def numbers(self, steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(nq,) the numbers of a pose that some steps (nv,) move."""
        tree, out = self.figure.layout.tree, np.zeros(self.figure.nq, dtype=bool)
        for i in np.flatnonzero(tree.number >= 0):
            n = int(tree.number[i])
            out[n : n + (4 if tree.kind[i] == BALL else 1)] = steps[tree.step[i]]
        return out

    def _view(self, wider: Mapping[Limit, float]) -> Figure:
        if not wider:
            return self.figure
        key = frozenset(wider.items())
        if key not in self._views:
            self._views[key] = wider_view(self.figure, wider)
        return self._views[key]

    def _solved(
        self,
        compiled: Compiled,
        poses: Matrix,
        active: tuple[int, ...],
        chosen: Sequence[Goal],
        factors: Vector,
        max_iterations: int,
        near: bool,
    ) -> Ends:
        own = np.array([self.problem.goals[j].weight for j in active]) * factors
        stages = [own * self._levels(f)[list(active)] for f in STAGES]
        if np.ptp(stages[1] / own) == 0.0:
            stages = [own]  # all of one priority
        row = np.concatenate([g.target for g in chosen])
        targets = np.repeat(row[None], len(poses), axis=0)
        used = np.zeros(len(poses), dtype=np.int32)
        for k, stage in enumerate(stages):
            answer = compiled.solve(
                poses, targets, stage, restarts=0, max_iterations=max_iterations, near=near or k > 0
            )
            poses, used = answer.pose, used + answer.iterations
        return self._ends(poses, active, answer.errors, used)

    def _compiled_for(
        self,
        active: tuple[int, ...],
        figure: Figure,
        wider: Mapping[Limit, float],
        free: frozenset[int],
        last: int | None = None,
    ) -> Compiled:
        key = (active, frozenset(wider.items()), free, last)
        if key not in self._compiled:
            goals = [self.problem.goals[j] for j in active]
            if last is not None:
                after = 1 + max(g.priority for g in goals)
                goals = [replace(g, priority=after) if j == last else g for j, g in zip(active, goals, strict=True)]
            self._compiled[key] = Compiled(figure, goals, self.movable(free))
        return self._compiled[key]

    def _ends(self, poses: Matrix, active: tuple[int, ...], errors: Matrix, iterations: NDArray[np.int32]) -> Ends:
        """Errors of the goals that counted, in their places among all."""
        every = np.zeros((len(poses), len(self.problem.goals)))
        every[:, list(active)] = errors
        return Ends(poses, every, iterations)
