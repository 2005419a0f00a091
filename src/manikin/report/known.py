"""A solution as the steps of an inquiry use it: the problem, the pose from which they start, and what they found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector
from manikin.problem import Problem
from manikin.report.local import Local
from manikin.report.named import FULL, NO_GROUPS, Effort, Groups, Rivals, names_of
from manikin.report.reach import Lengths
from manikin.report.resolver import SLACK, Ends, Resolver
from manikin.report.search import Search, search
from manikin.report.still import Still, still_joints

T = TypeVar("T")


class Once:
    """Results by key, each computed once. Several missed goals share many results."""

    def __init__(self) -> None:
        self._found: dict[object, Any] = {}

    def __call__(self, key: object, work: Callable[[], T]) -> T:
        """The result of `work`, computed if this key is new."""
        if key not in self._found:
            self._found[key] = work()
        found: T = self._found[key]
        return found


@dataclass(frozen=True, eq=False)
class Known:
    """The facts about a solution. They do not change; `moved_to` gives those at another pose."""

    problem: Problem
    resolver: Resolver
    pose: Vector
    """The pose from which the steps start. It is within limits."""
    lengths: Lengths
    groups: Groups
    effort: Effort
    given_errors: Vector | None = None
    """(goals,) at the pose, if they are known."""
    once: Once = field(default_factory=Once, init=False)
    """What the steps found at this pose."""

    @staticmethod
    def of(
        problem: Problem,
        pose: Vector,
        seed: int,
        groups: Groups = NO_GROUPS,
        go_on: Callable[[], bool] | None = None,
        effort: Effort = FULL,
    ) -> Known:
        """`seed` is that of the random starts. The rest is as in `Inquiries`."""
        return Known(problem, Resolver(problem, seed, go_on), pose, Lengths(problem, pose), groups, effort)

    def moved_to(self, pose: Vector, errors: Vector) -> Known:
        """The facts at another pose, with the errors there."""
        return replace(self, pose=pose, given_errors=errors)

    @cached_property
    def local(self) -> Local:
        """The derivatives at the pose."""
        return Local(self.problem, self.pose, self.resolver.levels)

    @cached_property
    def errors(self) -> Vector:
        """(goals,) at the pose."""
        return self.local.here.errors if self.given_errors is None else self.given_errors

    @cached_property
    def cost(self) -> float:
        """The cost at the pose."""
        return float(self.resolver.cost(self.errors[None])[0])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Unique name of each goal."""
        return names_of(self.problem.goals)

    @cached_property
    def rivals(self) -> Rivals:
        """Which goals belong together."""
        return Rivals(self.names, self.groups, self.resolver.all)

    @cached_property
    def still(self) -> dict[str, Still]:
        """The joints that may not move, by name."""
        return still_joints(self.problem)

    @cached_property
    def restarts(self) -> Search:
        """Starts of the whole problem, run once for all goals."""
        resolver = self.resolver

        def all_met(ends: Ends) -> NDArray[np.bool_]:
            met: NDArray[np.bool_] = np.all([resolver.met(ends, j) for j in resolver.all], axis=0)
            return met

        return search(resolver, self.pose, all_met, min_starts=7, max_starts=self.effort.starts, warm=False)

    def others(self, goal: int) -> list[int]:
        """The other goals that count."""
        return [j for j in self.resolver.all if j != goal]

    def error_at(self, goal: int, pose: Vector) -> Vector:
        """(m,) the error of one goal at a pose. Satisfied one-sided rows are 0."""
        single = self.problem.variant((self.problem.goals[goal],))
        return single.at(pose).counted

    def stays(self, goal: int, at: Vector) -> bool:
        """Whether a goal is met at a pose."""
        errors = self.once(("errors", at.tobytes()), lambda: self.problem.at(at).errors)
        return bool(errors[goal] <= self.problem.tolerances[goal] * (1.0 + SLACK))
