"""Data that the steps of an inquiry share: the known facts about the solution, and the findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.report.data import Change, Reason
from manikin.report.local import Local
from manikin.report.named import FULL, NO_GROUPS, Effort, Groups, names_of
from manikin.report.reach import Lengths
from manikin.report.resolver import SLACK, Ends, Resolver
from manikin.report.search import Search, search
from manikin.report.still import Still, still_joints
from manikin.report.targets import FAR_INSIDE, INSIDE, WELL_INSIDE, sizes

T = TypeVar("T")
MAX_WITHOUT, ROUNDS_WITHOUT, SETTLED_WITHOUT = 200, 10, 1e-9
"""`Known.without` solves with at most MAX_WITHOUT iterations, up to ROUNDS_WITHOUT times. It stops if the cost falls by
less than the fraction SETTLED_WITHOUT. The fraction is small, because the pose can still be far from the minimum if
targets are far away."""
LITTLE = 0.04
"""A target may be moved this fraction farther than needed and still counts as the same move."""
STARTS_AFTER = 4
"""Number of uniform starts in which the goal comes after all others, in addition to a new solve."""
PLACES_AFTER = 3
"""Number of results with different distances that are kept. A new solve may not find the nearest one."""
BEST_AFTER = 1
"""Number of results of the restarts that are solved again, if the goal comes after all others anyway."""
NO_WORSE = 1e-3
"""A cost is no worse if it is at most (1 + this) times the cost of the solution."""


@dataclass
class Finding:
    """The findings of an inquiry into one goal so far."""

    reasons: list[Reason] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    pose: Vector | None = None
    starts: int = 0
    minima: int = 0
    unseen: float = 0.0

    def counts(self, search: Search) -> None:
        """Records the search behind the finding."""
        self.starts, self.minima, self.unseen = search.starts, search.minima, search.unseen


class Known:
    """A solution as the steps use it: the problem, the pose from which they start, and cached results at this pose."""

    def __init__(
        self,
        problem: Problem,
        pose: Vector,
        seed: int,
        groups: Groups = NO_GROUPS,
        go_on: Callable[[], bool] | None = None,
        effort: Effort = FULL,
    ) -> None:
        """`pose` is within limits. `seed` is that of the random starts. The rest is as in `Inquiries`."""
        self.problem, self.effort = problem, effort
        self.resolver = Resolver(problem, seed, go_on)
        self.groups = groups
        self.lengths = Lengths(problem, pose)
        self.names = names_of(problem.goals)
        """Unique name of each goal."""
        self._stays: dict[tuple[int, int], bool] = {}
        self._once: dict[object, Any] = {}
        self.move_to(pose)

    def move_to(self, pose: Vector, errors: Matrix | None = None) -> None:
        """Changes the pose from which the steps start; `errors` are (1, goals) at it, if they are known."""
        self.pose = pose
        self.local = Local(self.problem, pose, self.resolver.levels)
        self.errors = self.local.here.errors if errors is None else errors[0]
        self.cost = float(self.resolver.cost(self.errors[None])[0])

    def once(self, key: object, work: Callable[[], T]) -> T:
        """Result of `work`, computed once for each key. Several missed goals share many results."""
        if key not in self._once:
            self._once[key] = work()
        found: T = self._once[key]
        return found

    @cached_property
    def still(self) -> dict[str, Still]:
        """The joints that may not move, by name."""
        return still_joints(self.problem)

    def others(self, goal: int) -> list[int]:
        """The other goals that count."""
        return [j for j in self.resolver.all if j != goal]

    def rivals_of(self, goal: int) -> list[tuple[int, ...]]:
        """The other goals that count. Goals that belong together are in one tuple, unless this goal is among them."""
        others, found = self.others(goal), list[tuple[int, ...]]()
        for j in others:
            together = next((group for group in self.groups.values() if j in group and goal not in group), (j,))
            some = tuple(k for k in together if k in others)
            if some not in found:
                found.append(some)
        return found

    def title(self, goals: tuple[int, ...], seen_from: int) -> str:
        """The name of a rival of the goal `seen_from`: that of its group if it has one, otherwise its own."""
        found = [n for n, group in self.groups.items() if goals[0] in group and seen_from not in group]
        return found[0] if found else self.names[goals[0]]

    def whole_group(self, goals: tuple[int, ...], seen_from: int) -> tuple[int, ...]:
        """A rival of the goal `seen_from`: all goals of its group, also those that do not count."""
        return next((g for g in self.groups.values() if goals[0] in g and seen_from not in g), goals)

    def error_at(self, goal: int, pose: Vector) -> Vector:
        """(m,) the error of one goal at a pose. Satisfied one-sided rows are 0."""
        single = self.problem.variant((self.problem.goals[goal],))
        return single.at(pose).counted

    def opposed_for_certain(self, goal: int) -> list[int]:
        """Other goals whose targets are farther from this goal's target than lengths allow."""
        mine, goals = self.problem.goals[goal], self.problem.goals
        return [j for j in self.others(goal) if self.lengths.apart(mine, goals[j]) > 0.0]

    def success(self, goal: int, ends: Ends) -> Vector | None:
        """The best end that meets a goal and does not worsen the others; None if there is none.

        An end qualifies if all other goals are met too. It also qualifies if its cost is no higher than at the
        solution, and each missed goal stays missed when this goal is dropped. Otherwise the two goals only changed
        places.
        """
        resolver, tolerances = self.resolver, self.problem.tolerances
        costs = resolver.cost(ends.errors)
        for k in np.argsort(costs, kind="stable"):
            if not resolver.met(ends, goal)[k]:
                continue
            left = [j for j in self.others(goal) if ends.errors[k, j] > tolerances[j] * (1.0 + SLACK)]
            if not left:
                return ends.pose(k)
            if costs[k] > self.cost * (1.0 + NO_WORSE):
                return None
            if all(self._stays_missed(j, goal, ends.poses[k]) for j in left):
                return ends.pose(k)
        return None

    def counts_as_met(self, goal: int, ends: Ends, goals: Collection[int] | None = None) -> int | None:
        """The index of an end of a changed problem that shows that a goal is met in it; None if there is none.

        An end that meets all of its goals qualifies. If other goals are missed, only the end with the lowest cost can
        qualify, and only if the solution's cost for the same goals is not lower. In a worse minimum the goal may be met
        at the expense of the others, and a solver would not stay there.
        """
        resolver = self.resolver
        met = resolver.met(ends, goal)
        everything = np.all([resolver.met(ends, j) for j in (resolver.all if goals is None else goals)], axis=0)
        if everything.any():
            return int(np.argmax(everything))
        costs = resolver.cost(ends.errors, goals)
        best = int(np.argmin(costs))
        before = float(resolver.cost(self.errors[None], goals)[0])
        return best if met[best] and costs[best] <= before * (1.0 + NO_WORSE) else None

    def all_met(self, ends: Ends, end: int, goals: Collection[int]) -> bool:
        """Whether one end meets all of the given goals."""
        return all(bool(self.resolver.met(ends, j)[end]) for j in goals)

    def _stays_missed(self, goal: int, dropped: int, pose: Vector) -> bool:
        """Whether a goal is missed when another one is dropped."""
        short = self.lengths.shortfall(self.problem.goals[goal])
        if short is not None and short.amount > self.problem.tolerances[goal]:
            return True
        key = (goal, dropped)
        if key not in self._stays:
            resolver = self.resolver
            ends = resolver.solve([self.pose, resolver.nudged(self.pose), pose], self.others(dropped))
            self._stays[key] = not resolver.met(ends, goal).any()
        return self._stays[key]

    def moved_targets(self, goal: int, pose: Vector | None) -> list[Change]:
        """The smallest move of a goal's target, to a place its effector can reach, with which all goals are met.

        The places are tried in this order: the effector with this goal alone (`pose`), with the other goals first, in
        the solution, and with the other goals only. The last one always works.
        """
        change = None
        for at, insides in self._places(goal, pose):
            for inside in insides:
                change = self._moved_target(goal, at, inside)
                if change is not None and self._works(goal, change):
                    return [replace(change, verified=True)]
        return [] if change is None else [change]

    def _places(self, goal: int, pose: Vector | None) -> Iterator[tuple[Vector, tuple[float, ...]]]:
        """Poses whose effector may be the new target, and how far inside the reach to put it, in tolerances."""
        settled, left = self.problem.goals[goal], self.others(goal)
        if pose is not None:
            yield pose, self._insides(settled, pose)
        for kept in self._nearest_first(goal) if left else ():
            yield kept, self._insides(settled, kept)
        yield self.pose, self._insides(settled, self.pose)
        if left:
            yield self.without(goal), (INSIDE, 0.0)

    def _insides(self, settled: Goal, pose: Vector) -> tuple[float, ...]:
        """How far inside the reach to put a target, in tolerances. Distances that add little to the move come first."""
        away = settled.measure(self.problem.variant((settled,)).at(pose).counted) / settled.allowed
        first = (WELL_INSIDE, INSIDE) if LITTLE * away > WELL_INSIDE else (INSIDE, WELL_INSIDE)
        return (*first, FAR_INSIDE) if away > FAR_INSIDE else first

    def others_first(self, goal: int) -> Vector | None:
        """The pose nearest to the target of a goal if all other goals come first; None with the NumPy backend."""
        return next(iter(self._nearest_first(goal)), None)

    def _nearest_first(self, goal: int) -> list[Vector]:
        """Poses in which all other goals come first: at most three, with different distances, the nearest first."""
        return self.once(("others first", goal), lambda: self._with_others_first(goal))

    def _with_others_first(self, goal: int) -> list[Vector]:
        resolver, left = self.resolver, self.others(goal)
        if self._comes_last(goal) and "restarts" in vars(self):
            ends = resolver.anew(last=goal, start=self.pose)
            for start in self.restarts.best(BEST_AFTER):
                ends = ends + resolver.anew(last=goal, start=start)
        else:
            ends = resolver.anew(last=goal)
            for start in [self.pose, ends.pose(0), *resolver.uniform(self.pose, STARTS_AFTER)]:
                ends = ends + resolver.anew(last=goal, start=start)
        missed = np.sum([~resolver.met(ends, j) for j in left], axis=0)
        costs = np.where(missed > 0, resolver.cost(ends.errors, left), 0.0)  # goals within tolerance add no cost
        fewest = missed == missed.min()
        good = np.flatnonzero(fewest & (costs <= costs[fewest].min() * (1.0 + NO_WORSE)))
        found: list[int] = []
        for k in good[np.argsort(ends.errors[good, goal], kind="stable")]:
            if not found or ends.errors[k, goal] > (1.0 + LITTLE) * ends.errors[found[-1], goal]:
                found.append(int(k))
        return [ends.pose(k) for k in found[:PLACES_AFTER]]

    def _comes_last(self, goal: int) -> bool:
        """Whether all other goals already have a higher priority. The restarts then solved these goals first."""
        goals = self.problem.goals
        return all(goals[j].rank < goals[goal].rank for j in self.others(goal))

    @cached_property
    def restarts(self) -> Search:
        """Starts of the whole problem, run once for all goals."""
        resolver = self.resolver

        def all_met(ends: Ends) -> NDArray[np.bool_]:
            met: NDArray[np.bool_] = np.all([resolver.met(ends, j) for j in resolver.all], axis=0)
            return met

        return search(resolver, self.pose, all_met, min_starts=7, max_starts=self.effort.starts, warm=False)

    def stays(self, goal: int, at: Vector) -> bool:
        """Whether a goal is met at a pose."""
        errors = self.once(("errors", at.tobytes()), lambda: self.problem.at(at).errors)
        return bool(errors[goal] <= self.problem.tolerances[goal] * (1.0 + SLACK))

    def without(self, goal: int) -> Vector:
        """The pose at the minimum of all other goals, with this goal dropped."""
        resolver, left = self.resolver, self.others(goal)
        pose = resolver.anew(left).pose(0)
        cost = np.inf
        for _ in range(ROUNDS_WITHOUT):
            ends = resolver.solve([pose], left, max_iterations=MAX_WITHOUT)
            now = float(resolver.cost(ends.errors, left)[0])
            if not now < cost * (1.0 - SETTLED_WITHOUT):
                break
            pose, cost = ends.pose(0), now
        return pose

    def _moved_target(self, goal: int, pose: Vector, inside: float = INSIDE) -> Change | None:
        settled = self.problem.goals[goal]
        single = self.problem.variant((settled,)).at(pose)
        moved = settled.met_by(single.readings[0], inside * settled.allowed)
        if moved is None:
            return None
        parts = sizes(settled, single.counted)
        (amount, unit), turn = parts[0], parts[1][0] if len(parts) > 1 else 0.0
        if unit == "length":
            amount += inside * settled.allowed
        target = tuple(float(x) for x in moved.target)
        return Change("move_target", ((self.names[goal], amount),), unit, target=target, turn=turn, goals=(goal,))

    def _works(self, goal: int, change: Change) -> bool:
        """Whether a new solve meets the moved target and does not worsen the other goals."""
        resolver, moved = self.resolver, {goal: self.problem.goals[goal].with_target(change.target)}
        kept = self.others_first(goal) if self.others(goal) else None
        ends = resolver.anew(moved=moved)
        stay = [] if kept is None else [j for j in self.others(goal) if self.stays(j, kept)]
        return all(bool(resolver.met(ends, j)[0]) for j in [goal, *stay])
