"""What the steps of an inquiry share: what is known of the solution, and what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.goals import Goal
from manikin.goals.loops import keeps_loop
from manikin.problem import Problem
from manikin.report.data import Change, Kind, Reason
from manikin.report.local import Local
from manikin.report.reach import Lengths
from manikin.report.resolver import SLACK, Ends, Resolver
from manikin.report.search import Search
from manikin.report.targets import FAR_INSIDE, INSIDE, WELL_INSIDE, sizes

T = TypeVar("T")
MAX_WITHOUT, ROUNDS_WITHOUT, SETTLED_WITHOUT = 200, 10, 1e-9
"""Iterations to find where the others bring the effector of a goal that is dropped, how often they are spent, and the
part of the cost by which it must fall each time: where the others pull from afar, a small part is a long way."""
LITTLE = 0.04
"""A part of a move that is little: so much more than needed does not make it another one."""
STARTS_AFTER = 4
"""Uniform starts with a goal after all others, besides what a solve anew does."""
PLACES_AFTER = 3
"""At most so many places of different distance are kept of them: a solve anew may not find the nearest."""
NO_WORSE = 1e-3
"""A cost of at most (1 + this) times that of the solution is no worse."""


@dataclass
class Finding:
    """What an inquiry into one goal has found so far."""

    reasons: list[Reason] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    pose: Vector | None = None
    starts: int = 0
    minima: int = 0
    unseen: float = 0.0

    def counts(self, search: Search) -> None:
        """Notes the search that the finding rests on."""
        self.starts, self.minima, self.unseen = search.starts, search.minima, search.unseen


class Known:
    """A solution as the steps see it: the problem, the pose from which they start, what was worked out there."""

    def __init__(self, problem: Problem, pose: Vector, seed: int) -> None:
        self.problem = problem
        self.resolver = Resolver(problem, seed)
        self.lengths = Lengths(problem, pose)
        self.names = names_of(problem.goals)
        """What each goal is called, no two alike."""
        self._stays: dict[tuple[int, int], bool] = {}
        self._once: dict[object, Any] = {}
        self.move_to(pose, problem.at(pose).errors[None])

    def move_to(self, pose: Vector, errors: Matrix) -> None:
        """Takes another pose to start from; `errors` (1, goals) at it."""
        self.pose, self.errors = pose, errors[0]
        self.cost = float(self.resolver.cost(errors)[0])
        self.local = Local(self.problem, pose, self.resolver.levels)

    def once(self, key: object, work: Callable[[], T]) -> T:
        """What some work gives, done once for each key: much of it serves several missed goals."""
        if key not in self._once:
            self._once[key] = work()
        found: T = self._once[key]
        return found

    def others(self, goal: int) -> list[int]:
        """The other goals that count."""
        return [j for j in self.resolver.all if j != goal]

    def error_at(self, goal: int, pose: Vector) -> Vector:
        """(m,) the error of one goal at a pose, satisfied one-sided rows 0."""
        single = self.problem.variant((self.problem.goals[goal],))
        return single.at(pose).counted

    def opposed_for_certain(self, goal: int) -> list[int]:
        """Other goals whose targets are farther from this one's than lengths allow."""
        mine, goals = self.problem.goals[goal], self.problem.goals
        return [j for j in self.others(goal) if self.lengths.apart(mine, goals[j]) > 0.0]

    def success(self, goal: int, ends: Ends) -> Vector | None:
        """The best end that meets a goal and takes nothing from the others; None if there is none.

        That is: all others are met too; or the cost is no higher than at the solution, and each goal that is missed
        stays missed with this one dropped (else the two only changed places).
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
        """Which end of a changed problem shows that a goal is met in it; None if none does.

        One that meets all of its goals does. Where others are missed, only the end with the lowest cost does, and only
        if that is no higher than what the solution has for the same goals: in a poorer minimum the goal may be met at
        the others' expense, and a solver would not stay there.
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
        """Whether one end meets all of some goals."""
        return all(bool(self.resolver.met(ends, j)[end]) for j in goals)

    def _stays_missed(self, goal: int, dropped: int, pose: Vector) -> bool:
        """Whether a goal is missed with another one dropped."""
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
        """The smallest move of a goal's target to where its effector gets that lets it be met with all the others.

        Tried are: where it gets alone (`pose`), where it gets with the others first, where it is in the solution, and
        where the others bring it without this goal. The last one always does.
        """
        change = None
        for at, insides in self._places(goal, pose):
            for inside in insides:
                change = self._moved_target(goal, at, inside)
                if change is not None and self._works(goal, change):
                    return [replace(change, verified=True)]
        return [] if change is None else [change]

    def _places(self, goal: int, pose: Vector | None) -> Iterator[tuple[Vector, tuple[float, ...]]]:
        """Poses whose effector may be the new target, and how far inside of it, in tolerances."""
        settled, left = self.problem.goals[goal], self.others(goal)
        if pose is not None:
            yield pose, self._insides(settled, pose)
        for kept in self._nearest_first(goal) if left else ():
            yield kept, self._insides(settled, kept)
        yield self.pose, self._insides(settled, self.pose)
        if left:
            yield self.without(goal), (INSIDE, 0.0)

    def _insides(self, settled: Goal, pose: Vector) -> tuple[float, ...]:
        """How far inside of the place that a pose reaches a target is put, in tolerances; what adds little first."""
        away = settled.measure(self.problem.variant((settled,)).at(pose).counted) / settled.allowed
        first = (WELL_INSIDE, INSIDE) if LITTLE * away > WELL_INSIDE else (INSIDE, WELL_INSIDE)
        return (*first, FAR_INSIDE) if away > FAR_INSIDE else first

    def others_first(self, goal: int) -> Vector | None:
        """The pose that brings a goal nearest to its target while all others come before it; None in NumPy."""
        return next(iter(self._nearest_first(goal)), None)

    def _nearest_first(self, goal: int) -> list[Vector]:
        """Poses in which all others come before a goal, at most three of different distance, the nearest first."""
        return self.once(("others first", goal), lambda: self._with_others_first(goal))

    def _with_others_first(self, goal: int) -> list[Vector]:
        resolver, left = self.resolver, self.others(goal)
        ends = resolver.anew(last=goal)
        for start in [self.pose, ends.pose(0), *resolver.uniform(self.pose, STARTS_AFTER)]:
            ends = ends + resolver.anew(last=goal, start=start)
        missed = np.sum([~resolver.met(ends, j) for j in left], axis=0)
        costs = np.where(missed > 0, resolver.cost(ends.errors, left), 0.0)  # those that are met cost nothing
        fewest = missed == missed.min()
        good = np.flatnonzero(fewest & (costs <= costs[fewest].min() * (1.0 + NO_WORSE)))
        found: list[int] = []
        for k in good[np.argsort(ends.errors[good, goal], kind="stable")]:
            if not found or ends.errors[k, goal] > (1.0 + LITTLE) * ends.errors[found[-1], goal]:
                found.append(int(k))
        return [ends.pose(k) for k in found[:PLACES_AFTER]]

    def stays(self, goal: int, at: Vector) -> bool:
        """Whether a goal is met at a pose."""
        errors = self.once(("errors", at.tobytes()), lambda: self.problem.at(at).errors)
        return bool(errors[goal] <= self.problem.tolerances[goal] * (1.0 + SLACK))

    def without(self, goal: int) -> Vector:
        """Where the others bring the figure without a goal: the pose, at its minimum."""
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
        """Whether a moved target is met, and takes nothing from the others: by a solve anew."""
        resolver, moved = self.resolver, {goal: self.problem.goals[goal].with_target(change.target)}
        kept = self.others_first(goal) if self.others(goal) else None
        ends = resolver.anew(moved=moved)
        stay = [] if kept is None else [j for j in self.others(goal) if self.stays(j, kept)]
        return all(bool(resolver.met(ends, j)[0]) for j in [goal, *stay])


def kind_of(problem: Problem, rival: int) -> Kind:
    """What being in the way is called."""
    goal = problem.goals[rival]
    held = goal.whole_figure or keeps_loop(problem.figure, goal)
    return "held" if held else "conflict"


def names_of(goals: tuple[Goal, ...]) -> tuple[str, ...]:
    """Labels of goals; those that occur more than once are numbered."""
    times, seen, names = Counter(g.label for g in goals), Counter[str](), []
    for goal in goals:
        seen[goal.label] += 1
        names.append(f"{goal.label} ({seen[goal.label]})" if times[goal.label] > 1 else goal.label)
    return tuple(names)
