"""Solves changed problems: fewer goals, wider limits, other weights, given starts.

Every start is run once and unchanged, without restarts. Only `anew` restarts, as `mk.solve` does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.problem import Problem, level_factors, levels_of
from manikin.reference.tree import BALL
from manikin.report.limits import Limit, wider_view
from manikin.report.starts import NUDGE, rooted
from manikin.solvers.native.answers import STAGES, Answers
from manikin.solvers.native.compiled import Compiled

ITERATIONS = 80
"""Largest number of iterations of one re-solve."""
SLACK = 1e-9
"""A goal is met if its error is at most (1 + this) tolerances. This allows for rounding between the native solver and
NumPy."""
NONE: Mapping[Limit, float] = MappingProxyType({})
NOT_FREED: frozenset[int] = frozenset()
"""No frozen step is released."""


class Cancelled(Exception):
    """The caller cancelled a report."""


@dataclass(frozen=True, eq=False)
class Ends:
    """The results of some starts."""

    poses: Matrix
    """(B, nq)"""
    errors: Matrix
    """(B, goals) in lengths or radians; 0 for dropped goals."""
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
    """Solves changed versions of one problem, and counts the starts in `solves`."""

    def __init__(self, problem: Problem, seed: int = 0, go_on: Callable[[], bool] | None = None) -> None:
        """
        Args:
            problem: the problem to change.
            seed: seed of the random starts.
            go_on: called once in each iteration. If it returns False, the solve raises `Cancelled`.
        """
        self.problem, self.figure = problem, problem.figure
        self._go_on = go_on
        self.solves = 0
        """Number of starts run so far."""
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
            starts: poses (B, nq); clamped to the limits if necessary.
            goals: indices of the goals that count; None means all.
            wider: limits to widen, and by how much.
            weights: factors for the weights of goals.
            moved: goals with another target, which replace the original ones.
            free: frozen steps that may move.
            max_iterations: largest number of iterations of one start, for each stage of priorities.
            near: start exactly there, with all goals at once; otherwise as for a cold start.
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
        """Solves a changed problem as `mk.solve` with default arguments does: from the problem's start, with restarts.

        Args:
            goals, wider, weights, moved, free: as for `solve`.
            last: a goal that gets a separate priority after all others.
            start: (nq,) a pose to start from, without restarts; None means the problem's start, with restarts.
        """
        active = self.all if goals is None else tuple(sorted(goals))
        figure = self._view(wider)
        chosen = [moved.get(j, self.problem.goals[j]) for j in active]
        factors = np.array([weights.get(j, 1.0) for j in active])
        restarts = None if start is None else 0
        starts = np.array(self.problem.start if start is None else start)[None]
        self.solves += 1
        compiled = self._compiled_for(active, figure, wider, free, last)
        own = np.array([g.weight for g in chosen]) * factors
        row = np.concatenate([g.target for g in chosen])[None]
        answer = self._run(compiled, starts, row, own, restarts=restarts, strict=True)
        return self._ends(answer.pose, active, answer.errors, answer.iterations)

    def met(self, ends: Ends, goal: int) -> NDArray[np.bool_]:
        """(B,) whether a goal is within its tolerance."""
        met: NDArray[np.bool_] = ends.errors[:, goal] <= self.problem.tolerances[goal] * (1.0 + SLACK)
        return met

    def cost(self, errors: Matrix, goals: Collection[int] | None = None) -> Vector:
        """(B,) F = Σ w e² of errors (B, goals), in lengths, with the weights of priorities."""
        active = list(self.all if goals is None else goals)
        cost: Vector = np.square(errors[:, active] * self._unit[active]) @ self._weight[active]
        return cost

    # Starts

    def movable(self, free: frozenset[int] = NOT_FREED) -> NDArray[np.bool_]:
        """(nv,) the steps that may move, with some frozen ones released."""
        movable = self.problem.movable
        if free:
            movable = movable.copy()
            movable[list(free)] = True
        return movable

    def toward_middle(
        self, q: Vector, part: float, wider: Mapping[Limit, float] = NONE, free: frozenset[int] = NOT_FREED
    ) -> Vector:
        """A pose with every joint moved by a fraction of the way to the middle of its range."""
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
        """Poses that are uniform within limits. The root, unlimited slides and joints that may not move stay as in
        q."""
        drawn = self._view(wider).random(self._rng, count)
        poses = np.where(self.numbers(self.movable(free)) & ~rooted(self.figure), drawn, q)
        return [self.problem.chart.with_held(pose, q) for pose in poses]

    def kicked(self, q: Vector, size: float) -> Vector:
        """A pose with every joint moved randomly by about `size` radians, within limits."""
        moving = self.problem.movable | self.problem.partly
        v = self._rng.normal(0.0, size, self.figure.nv) * moving * self.problem.step_unit
        return self.problem.chart.with_held(self.figure.clamp(self.figure.integrate(q, v)), q)

    # Inside

    @cached_property
    def levels(self) -> Vector:
        """(goals,) factors of the weights for priorities, in the last stage."""
        return self._levels(STAGES[-1])

    def _levels(self, factor: float) -> Vector:
        ranks = np.array([g.rank for g in self.problem.goals])
        last = ranks[list(self.all)].max(initial=0)  # among the goals that count
        return level_factors(levels_of(np.minimum(ranks, last)), factor)

    @cached_property
    def _weight(self) -> Vector:
        weight: Vector = np.array([g.weight for g in self.problem.goals]) * self.levels
        return weight

    @cached_property
    def _unit(self) -> Vector:
        """(goals,) length per unit of each error."""
        return np.array([self.problem.angle_length if all(g.angular) else 1.0 for g in self.problem.goals])

    def numbers(self, steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(nq,) the numbers of a pose that some steps (nv,) move."""
        tree, out = self.figure.layout.tree, np.zeros(self.figure.nq, dtype=bool)
        for i in np.flatnonzero(tree.number >= 0):
            n = int(tree.number[i])
            ball = tree.kind[i] == BALL
            out[n : n + (4 if ball else 1)] = steps[tree.step[i] : tree.step[i] + (3 if ball else 1)].any()
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
            stages = [own]  # all goals have one priority
        row = np.concatenate([g.target for g in chosen])
        targets = np.repeat(row[None], len(poses), axis=0)
        used = np.zeros(len(poses), dtype=np.int32)
        for k, stage in enumerate(stages):
            answer = self._run(
                compiled, poses, targets, stage, restarts=0, max_iterations=max_iterations, near=near or k > 0
            )
            poses, used = answer.pose, used + answer.iterations
        return self._ends(poses, active, answer.errors, used)

    def _run(self, compiled: Compiled, poses: Matrix, targets: Matrix, weights: Vector, **options: Any) -> Answers:
        """One native call that the caller can cancel."""
        go_on = self._go_on
        if go_on is None:
            return compiled.run(poses, targets, weights, **options)
        answer = compiled.run(poses, targets, weights, watch=lambda *_: go_on(), **options)
        if not go_on():
            raise Cancelled
        return answer

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
            self._compiled[key] = Compiled.of(figure, goals, self.movable(free))
        return self._compiled[key]

    def _ends(self, poses: Matrix, active: tuple[int, ...], errors: Matrix, iterations: NDArray[np.int32]) -> Ends:
        """The ends, with the errors of the active goals put in their places among all goals."""
        every = np.zeros((len(poses), len(self.problem.goals)))
        every[:, list(active)] = errors
        return Ends(poses, every, iterations)
