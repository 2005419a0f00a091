"""The smallest move of a target with which all goals are met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from manikin.arrays import Vector
from manikin.goals import Goal
from manikin.report.data import Change
from manikin.report.judge import NO_WORSE
from manikin.report.known import Known
from manikin.report.targets import FAR_INSIDE, INSIDE, WELL_INSIDE, sizes

MAX_WITHOUT, ROUNDS_WITHOUT, SETTLED_WITHOUT = 200, 10, 1e-9
"""`_without` solves with at most MAX_WITHOUT iterations, up to ROUNDS_WITHOUT times. It stops if the cost falls by
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


def moved_targets(known: Known, goal: int, pose: Vector | None) -> list[Change]:
    """The smallest move of a goal's target, to a place its effector can reach, with which all goals are met.

    The places are tried in this order: the effector with this goal alone (`pose`), with the other goals first, in
    the solution, and with the other goals only. The last one always works.
    """
    change = None
    for at, insides in _places(known, goal, pose):
        for inside in insides:
            change = _moved_target(known, goal, at, inside)
            if change is not None and _works(known, goal, change):
                return [replace(change, verified=True)]
    return [] if change is None else [change]


def others_first(known: Known, goal: int) -> Vector | None:
    """The pose nearest to the target of a goal if all other goals come first; None with the NumPy backend."""
    return next(iter(_nearest_first(known, goal)), None)


def _places(known: Known, goal: int, pose: Vector | None) -> Iterator[tuple[Vector, tuple[float, ...]]]:
    """Poses whose effector may be the new target, and how far inside the reach to put it, in tolerances."""
    settled, left = known.problem.goals[goal], known.others(goal)
    if pose is not None:
        yield pose, _insides(known, settled, pose)
    for kept in _nearest_first(known, goal) if left else ():
        yield kept, _insides(known, settled, kept)
    yield known.pose, _insides(known, settled, known.pose)
    if left:
        yield _without(known, goal), (INSIDE, 0.0)


def _insides(known: Known, settled: Goal, pose: Vector) -> tuple[float, ...]:
    """How far inside the reach to put a target, in tolerances. Distances that add little to the move come first."""
    away = settled.measure(known.problem.variant((settled,)).at(pose).counted) / settled.allowed
    first = (WELL_INSIDE, INSIDE) if LITTLE * away > WELL_INSIDE else (INSIDE, WELL_INSIDE)
    return (*first, FAR_INSIDE) if away > FAR_INSIDE else first


def _nearest_first(known: Known, goal: int) -> list[Vector]:
    """Poses in which all other goals come first: at most three, with different distances, the nearest first."""
    return known.once(("others first", goal), lambda: _with_others_first(known, goal))


def _with_others_first(known: Known, goal: int) -> list[Vector]:
    resolver, left = known.resolver, known.others(goal)
    if _comes_last(known, goal) and "restarts" in vars(known):
        ends = resolver.anew(last=goal, start=known.pose)
        for start in known.restarts.best(BEST_AFTER):
            ends = ends + resolver.anew(last=goal, start=start)
    else:
        ends = resolver.anew(last=goal)
        for start in [known.pose, ends.pose(0), *resolver.uniform(known.pose, STARTS_AFTER)]:
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


def _comes_last(known: Known, goal: int) -> bool:
    """Whether all other goals already have a higher priority. The restarts then solved these goals first."""
    goals = known.problem.goals
    return all(goals[j].rank < goals[goal].rank for j in known.others(goal))


def _without(known: Known, goal: int) -> Vector:
    """The pose at the minimum of all other goals, with this goal dropped."""
    resolver, left = known.resolver, known.others(goal)
    pose = resolver.anew(left).pose(0)
    cost = np.inf
    for _ in range(ROUNDS_WITHOUT):
        ends = resolver.solve([pose], left, max_iterations=MAX_WITHOUT)
        now = float(resolver.cost(ends.errors, left)[0])
        if not now < cost * (1.0 - SETTLED_WITHOUT):
            break
        pose, cost = ends.pose(0), now
    return pose


def _moved_target(known: Known, goal: int, pose: Vector, inside: float = INSIDE) -> Change | None:
    settled = known.problem.goals[goal]
    single = known.problem.variant((settled,)).at(pose)
    moved = settled.met_by(single.readings[0], inside * settled.allowed)
    if moved is None:
        return None
    parts = sizes(settled, single.counted)
    (amount, unit), turn = parts[0], parts[1][0] if len(parts) > 1 else 0.0
    if unit == "length":
        amount += inside * settled.allowed
    target = tuple(float(x) for x in moved.target)
    return Change("move_target", ((known.names[goal], amount),), unit, target=target, turn=turn, goals=(goal,))


def _works(known: Known, goal: int, change: Change) -> bool:
    """Whether a new solve meets the moved target and does not worsen the other goals."""
    resolver, moved = known.resolver, {goal: known.problem.goals[goal].with_target(change.target)}
    kept = others_first(known, goal) if known.others(goal) else None
    ends = resolver.anew(moved=moved)
    stay = [] if kept is None else [j for j in known.others(goal) if known.stays(j, kept)]
    return all(bool(resolver.met(ends, j)[0]) for j in [goal, *stay])
