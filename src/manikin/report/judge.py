"""Judges the ends of changed problems: whether a goal is met in them and no other goal pays for it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from manikin.arrays import Vector
from manikin.report.known import Known
from manikin.report.resolver import SLACK, Ends

NO_WORSE = 1e-3
"""A cost is no worse if it is at most (1 + this) times the cost of the solution."""


def success(known: Known, goal: int, ends: Ends) -> Vector | None:
    """The best end that meets a goal and does not worsen the others; None if there is none.

    An end qualifies if all other goals are met too. It also qualifies if its cost is no higher than at the
    solution, and each missed goal stays missed when this goal is dropped. Otherwise the two goals only changed
    places.
    """
    resolver, tolerances = known.resolver, known.problem.tolerances
    costs = resolver.cost(ends.errors)
    for k in np.argsort(costs, kind="stable"):
        if not resolver.met(ends, goal)[k]:
            continue
        left = [j for j in known.others(goal) if ends.errors[k, j] > tolerances[j] * (1.0 + SLACK)]
        if not left:
            return ends.pose(k)
        if costs[k] > known.cost * (1.0 + NO_WORSE):
            return None
        if all(_stays_missed(known, j, goal, ends.poses[k]) for j in left):
            return ends.pose(k)
    return None


def counts_as_met(known: Known, goal: int, ends: Ends, goals: Collection[int] | None = None) -> int | None:
    """The index of an end of a changed problem that shows that a goal is met in it; None if there is none.

    An end that meets all of its goals qualifies. If other goals are missed, only the end with the lowest cost can
    qualify, and only if the solution's cost for the same goals is not lower. In a worse minimum the goal may be met
    at the expense of the others, and a solver would not stay there.
    """
    resolver = known.resolver
    met = resolver.met(ends, goal)
    everything = np.all([resolver.met(ends, j) for j in (resolver.all if goals is None else goals)], axis=0)
    if everything.any():
        return int(np.argmax(everything))
    costs = resolver.cost(ends.errors, goals)
    best = int(np.argmin(costs))
    before = float(resolver.cost(known.errors[None], goals)[0])
    return best if met[best] and costs[best] <= before * (1.0 + NO_WORSE) else None


def all_met(known: Known, ends: Ends, end: int, goals: Collection[int]) -> bool:
    """Whether one end meets all of the given goals."""
    return all(bool(known.resolver.met(ends, j)[end]) for j in goals)


def opposed_for_certain(known: Known, goal: int) -> list[int]:
    """Other goals whose targets are farther from this goal's target than lengths allow."""
    mine, goals = known.problem.goals[goal], known.problem.goals
    return [j for j in known.others(goal) if known.lengths.apart(mine, goals[j]) > 0.0]


def _stays_missed(known: Known, goal: int, dropped: int, pose: Vector) -> bool:
    """Whether a goal is missed when another one is dropped."""
    short = known.lengths.shortfall(known.problem.goals[goal])
    if short is not None and short.amount > known.problem.tolerances[goal]:
        return True
    resolver = known.resolver

    def missed() -> bool:
        ends = resolver.solve([known.pose, resolver.nudged(known.pose), pose], known.others(dropped))
        return not resolver.met(ends, goal).any()

    return known.once(("stays missed", goal, dropped), missed)
