"""Bookkeeping that all solvers share: counts iterations, checks the time, keeps the best pose and a history."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from manikin.arrays import Matrix, Vector, frozen
from manikin.base.progress import Progress, goes_on
from manikin.problem import Evaluation, Problem
from manikin.solution import History, Status
from manikin.solvers.shortfall import misses_less, shortfalls


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a solver, from which `solve` makes a Solution."""

    problem: Problem
    """The problem as solved."""
    pose: Vector
    """(nq,)"""
    status: Status
    iterations: int
    history: History | None = None
    notes: tuple[str, ...] = ()

    @property
    def final(self) -> bool:
        """Whether no other choice needs to be tried: all goals are reached, or the time is used up."""
        return self.status in (Status.REACHED, Status.OUT_OF_TIME)

    def better(self, other: Outcome) -> Outcome:
        """The better of two outcomes with different members of AnyOf goals: one that reached, or the one that misses by
        less."""
        if self.status is Status.REACHED:
            return self
        less = other.status is Status.REACHED or bool(misses_less(self._shortfalls, other._shortfalls)[0])
        return other if less else self

    @property
    def _shortfalls(self) -> Matrix:
        """(1, levels) the shortfall of each priority level."""
        problem = self.problem
        weights = np.array([g.weight for g in problem.goals])
        priorities = np.array([g.rank for g in problem.goals], dtype=np.int64)
        return shortfalls(problem.at(self.pose).errors[None], problem.tolerances, weights, priorities)


@dataclass
class Run:
    """Monitors one solve. Solvers call `tick` once in each iteration and `outcome` at the end."""

    problem: Problem
    iterations: int
    """Largest number of iterations, over all starts."""
    budget: float | None = None
    """Time limit in seconds; None means no limit."""
    keep_history: bool = False
    progress: Progress | None = None
    scale: Vector | None = None
    """(m,) factors of the rows when poses are compared; None means the factors of the problem."""
    order: list[int] | None = None
    """Goals by importance, if poses are compared goal by goal instead of by the sum of their costs."""
    follows_preference: bool = False
    """Whether the later of two poses that reach all goals is the better one."""
    count: int = 0
    """Iterations done."""
    best: Evaluation | None = None
    """The evaluation that reached, or the one with the lowest cost."""
    last: Evaluation | None = None
    """The latest evaluation."""
    status: Status | None = None
    """Set when the run must end."""
    _began: float = field(default_factory=time.perf_counter)
    _rows: list[tuple[Vector, float, float, float, tuple[str, ...]]] = field(default_factory=list)

    def tick(self, at: Evaluation, settled: bool = True) -> bool:
        """Records the pose of this iteration and keeps the best. Returns whether to continue.

        `settled` is False while a preference still moves the figure. The run then continues after the goals are
        reached.
        """
        self.offer(at)
        self.last = at
        if at.reached and settled:
            self.status = Status.REACHED
        elif self.count >= self.iterations:
            self.status = Status.OUT_OF_ITERATIONS
        elif (self.budget is not None and time.perf_counter() - self._began > self.budget) or self._cancelled():
            self.status = Status.OUT_OF_TIME
        if self.status is not None:
            self.record(at, 0.0, 0.0, None)
            return False
        self.count += 1
        return True

    def offer(self, at: Evaluation) -> None:
        """Keeps an evaluation if it is the best so far."""
        if self.best is None or (self.follows_preference and at.reached):
            better = True
        else:
            better = not self.best.reached and (at.reached or self._rank(at) < self._rank(self.best))
        if better and np.isfinite(at.rows).all():
            self.best = at

    def _rank(self, at: Evaluation) -> tuple[float, ...]:
        """The key by which poses are compared; lower is better. Goal by goal, all errors within tolerance are equal."""
        if self.order is None:
            return (self.cost(at),)
        ratios = at.errors / self.problem.tolerances
        return tuple(max(1.0, float(ratios[i])) for i in self.order)

    def cost(self, at: Evaluation) -> float:
        """F = ½ ‖r‖² in lengths², with the weights that are used to compare poses."""
        if self.scale is None:
            return at.cost
        counted = np.where(self.problem.one_sided, np.maximum(at.rows, 0.0), at.rows) * self.scale
        return 0.5 * float(counted @ counted)

    def record(self, at: Evaluation, step_norm: float, damping: float, J: Matrix | None) -> None:
        """Adds an iteration to the history, if one is kept. J is the Jacobian of the step; None without a Jacobian."""
        if self.keep_history:
            condition = condition_number(at.jacobian * self.problem.step_unit if J is None else J, damping)
            self._rows.append((at.errors, step_norm, damping, condition, self.problem.limits_at(at.pose)))

    def stalled(self, at: Evaluation) -> None:
        """Ends the run because no step lowers the cost."""
        self.offer(at)
        self.status = Status.STALLED
        self.record(at, 0.0, 0.0, None)

    def outcome(self, *notes: str) -> Outcome:
        """The outcome, with the best pose."""
        assert self.best is not None
        status = Status.REACHED if self.best.reached else (self.status or Status.STALLED)
        return Outcome(self.problem, self.best.pose, status, self.count, self._history(), notes)

    def _cancelled(self) -> bool:
        return not goes_on(self.progress, self.count)

    def _history(self) -> History | None:
        if not self.keep_history:
            return None
        errors, steps, dampings, conditions, limits = zip(*self._rows, strict=True)
        return History(frozen(errors), frozen(steps), frozen(dampings), frozen(conditions), tuple(limits))


def condition_number(J: Matrix, damping: float) -> float:
    """(σ₁² + λ²)/(σ² + λ²) with the largest and smallest singular value of J; columns that are all 0 are left out."""
    values = np.linalg.svd(J[:, np.any(J != 0.0, axis=0)], compute_uv=False)
    if not len(values):
        return 1.0
    largest, smallest = float(values[0]) ** 2 + damping**2, float(values[-1]) ** 2 + damping**2
    return largest / smallest if smallest > 0.0 else float("inf")
