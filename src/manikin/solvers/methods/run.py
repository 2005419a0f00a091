"""The course of a solve, shared by all solvers: counts iterations, watches time, keeps the best pose and a history."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from manikin.arrays import Matrix, Vector, frozen
from manikin.problem import Evaluation, Problem
from manikin.solution import History, Status
from manikin.solvers.shortfall import misses_less, shortfalls

Progress = Callable[[int, float], object]
"""Called with the iteration and the cost; False cancels."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver gives back: `solve` makes a Solution of it."""

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
        """Whether there is no point in trying another choice: all is reached, or the caller's time is over."""
        return self.status in (Status.REACHED, Status.OUT_OF_TIME)

    def better(self, other: Outcome) -> Outcome:
        """The one of two outcomes, with other members of AnyOf goals, that reached, else the one that misses less."""
        if self.status is Status.REACHED:
            return self
        less = other.status is Status.REACHED or bool(misses_less(self._shortfalls, other._shortfalls)[0])
        return other if less else self

    @property
    def _shortfalls(self) -> Matrix:
        """(1, levels) how far each level of priority is missed."""
        problem = self.problem
        weights = np.array([g.weight for g in problem.goals])
        priorities = np.array([g.priority for g in problem.goals], dtype=np.int64)
        return shortfalls(problem.at(self.pose).errors[None], problem.tolerances, weights, priorities)


@dataclass
class Run:
    """Counts and watches one solve. Solvers call `tick` once an iteration and `outcome` at the end."""

    problem: Problem
    iterations: int
    """How many are allowed, all starts together."""
    budget: float | None = None
    """Seconds allowed; None is without end."""
    keep_history: bool = False
    progress: Progress | None = None
    scale: Vector | None = None
    """(m,) what rows are multiplied with when poses are compared; None is the problem's own."""
    order: list[int] | None = None
    """Goals by importance, where poses are compared goal by goal instead of by the sum."""
    follows_preference: bool = False
    """Whether, of two poses that reach all goals, the later one is better."""
    count: int = 0
    """Iterations done."""
    best: Evaluation | None = None
    """The evaluation with the lowest cost, or the one that reached."""
    last: Evaluation | None = None
    """The evaluation looked at last."""
    status: Status | None = None
    """Set when the run must end."""
    _began: float = field(default_factory=time.perf_counter)
    _rows: list[tuple[Vector, float, float, float, tuple[str, ...]]] = field(default_factory=list)

    def tick(self, at: Evaluation, settled: bool = True) -> bool:
        """Look at the pose of this iteration: keeps the best; says whether to go on.

        `settled` is False while a preference still moves the figure; reaching the goals is then no end.
        """
        self.offer(at)
        self.last = at
        if at.reached and settled:
            self.status = Status.REACHED
        elif self.count >= self.iterations:
            self.status = Status.OUT_OF_ITERATIONS
        elif (self.budget is not None and time.perf_counter() - self._began > self.budget) or self._cancelled(at):
            self.status = Status.OUT_OF_TIME
        if self.status is not None:
            self.record(at, 0.0, 0.0, None)
            return False
        self.count += 1
        return True

    def offer(self, at: Evaluation) -> None:
        """Keep an evaluation if it is the best so far."""
        if self.best is None or (self.follows_preference and at.reached):
            better = True
        else:
            better = not self.best.reached and (at.reached or self._rank(at) < self._rank(self.best))
        if better and np.isfinite(at.rows).all():
            self.best = at

    def _rank(self, at: Evaluation) -> tuple[float, ...]:
        """Poses are compared by this; less is better. Goal by goal, all errors within tolerance are equal."""
        if self.order is None:
            return (self.cost(at),)
        ratios = at.errors / self.problem.tolerances
        return tuple(max(1.0, float(ratios[i])) for i in self.order)

    def cost(self, at: Evaluation) -> float:
        """F = ½ ‖r‖² with the weights by which poses are compared, length²."""
        if self.scale is None:
            return at.cost
        counted = np.where(self.problem.one_sided, np.maximum(at.rows, 0.0), at.rows) * self.scale
        return 0.5 * float(counted @ counted)

    def record(self, at: Evaluation, step_norm: float, damping: float, J: Matrix | None) -> None:
        """Note an iteration in the history, if one is kept. J is the Jacobian of its step, None without one."""
        if self.keep_history:
            condition = condition_number(at.jacobian * self.problem.step_unit if J is None else J, damping)
            self._rows.append((at.errors, step_norm, damping, condition, self.problem.limits_at(at.pose)))

    def stalled(self, at: Evaluation) -> None:
        """End the run: no step helps any more."""
        self.offer(at)
        self.status = Status.STALLED
        self.record(at, 0.0, 0.0, None)

    def outcome(self, *notes: str) -> Outcome:
        """What came of it: the best pose."""
        assert self.best is not None
        status = Status.REACHED if self.best.reached else (self.status or Status.STALLED)
        return Outcome(self.problem, self.best.pose, status, self.count, self._history(), notes)

    def _cancelled(self, at: Evaluation) -> bool:
        return self.progress is not None and self.progress(self.count, at.cost) is False

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
