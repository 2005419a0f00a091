"""Finds limits that are too narrow, alone or together, and by how much, or shows that a target is out of reach even
without limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from manikin.arrays import Vector
from manikin.report.data import Change, Reason
from manikin.report.findings import Finding
from manikin.report.freedom import too_few
from manikin.report.judge import counts_as_met
from manikin.report.known import Known
from manikin.report.limits import QUARTER, Limit, excess, limits_of, span, tried
from manikin.report.local import Local
from manikin.report.moves import moved_targets
from manikin.report.named import kind_of
from manikin.report.search import Search
from manikin.report.sentences import rounded_up
from manikin.report.smallest import smallest
from manikin.report.targets import sizes

CANDIDATES = 8
"""Number of limits that are tried one by one."""
NAMED = 3
"""Largest number of alternatives that are named."""
BISECTIONS = 5
"""Number of bisection steps for an amount."""
WORTH_NAMING = np.deg2rad(60.0)
"""A further limit is named if a widening of at most this angle (radians; for slides in proportion) is enough."""

Widening = tuple[dict[Limit, float], Vector]
"""Limits with their widenings, and a pose that meets the goal with them."""


def narrow(known: Known, goal: int, alone: Search) -> tuple[Finding, Vector | None]:
    """Finds why a goal is missed if no start met it alone.

    Returns:
        the finding and None; or an empty finding and a pose, if the goal is met alone after all.
    """
    finding = Finding()
    finding.counts(alone)
    ends = alone.best(3)
    order: dict[Limit, float] = {}
    for end in ends:
        for limit, push, own in _local(known, goal, end).blocking(goal):
            order[limit] = max(order.get(limit, 0.0), push or own)
    candidates = sorted(order, key=lambda limit: -order[limit])[:CANDIDATES]
    found = helpful(known, goal, [goal], candidates, ends[:2])
    if not found:
        together, pose = _all_together(known, goal, ends)
        if pose is None:
            return _unreachable(known, goal, alone, finding), None
        if not together:
            return finding, pose
        found = [(together, pose)]
        if len(together) > 1:  # a single limit may be enough: tries all that affect the goal
            found = helpful(known, goal, [goal], _above(known, goal), [pose], max_found=1) or found
        else:  # another limit may need less than this one, which needs more than a quarter turn
            found += helpful(known, goal, [goal], candidates, [*ends[:2], pose], turn=2.0 * QUARTER)
            found = sorted(_smallest(found), key=lambda widening: _share(known, widening[0]))[:NAMED]
    first = found[0][0]
    names = tuple(limit.name for limit in first) if len(first) > 1 else tuple(next(iter(w)).name for w, _ in found)
    leading = next(iter(first))
    local = _local(known, goal, ends[0])
    finding.reasons.append(
        Reason(
            "limit",
            names,
            together=len(first) > 1,
            amount=max(first.values()),
            unit="length" if leading.slides else "rad",
            gain_per_unit=local.gain(goal, leading),
        )
    )
    finding.changes += [_change(known, goal, *widening) for widening in found]
    if not any(change.verified for change in finding.changes):
        finding.reasons += _rival_too(known, goal, *found[0])
    finding.changes += moved_targets(known, goal, ends[0])
    finding.changes.sort(key=lambda change: not change.verified)
    return finding, None


def also_wider(known: Known, goal: int, poses: Sequence[Vector]) -> Widening | None:
    """A limit whose widening lets a goal be met with all the others kept. None if there is none, or it needs too
    much."""
    candidates = [limit for limit, push, _ in known.local.blocking(goal) if push > 0.0]
    found = helpful(known, goal, known.resolver.all, candidates[:CANDIDATES], poses, max_found=1)
    for wider, pose in found:
        limit, amount = next(iter(wider.items()))
        if amount <= tried(limit, known.problem.figure, float(WORTH_NAMING)):
            return wider, pose
    return None


def helpful(
    known: Known,
    goal: int,
    goals: Collection[int],
    candidates: Sequence[Limit],
    starts: Sequence[Vector],
    max_found: int = NAMED,
    turn: float = QUARTER,
) -> list[Widening]:
    """Single limits whose widening lets a goal be met, each with the least amount. The smallest fraction of a range
    comes first."""
    found = []
    for limit in candidates:
        wide = {limit: tried(limit, known.problem.figure, turn)}
        pose = _met(known, goal, goals, wide, starts)
        if pose is not None and excess(limit, known.problem.figure, pose) > 0.0:  # else the limit does not matter
            found.append(least(known, goal, goals, wide, pose))
            if len(found) >= max_found:
                break
    return sorted(found, key=lambda widening: _share(known, widening[0]))


def _smallest(found: Sequence[Widening]) -> list[Widening]:
    """The smallest of several widenings for each set of limits."""
    by_limits: dict[tuple[Limit, ...], Widening] = {}
    for wider, pose in found:
        key = tuple(wider)
        if key not in by_limits or max(wider.values()) < max(by_limits[key][0].values()):
            by_limits[key] = (wider, pose)
    return list(by_limits.values())


def least(known: Known, goal: int, goals: Collection[int], wide: Mapping[Limit, float], pose: Vector) -> Widening:
    """The smallest common fraction of some widenings that still lets a goal be met. Found by bisection, rounded up."""
    figure, enough = known.problem.figure, 1.0
    low, best = 0.0, pose
    for _ in range(BISECTIONS):
        used = max(excess(limit, figure, best) / amount for limit, amount in wide.items())
        enough = min(enough, used)
        middle = 0.5 * (low + enough)
        part = {limit: middle * amount for limit, amount in wide.items()}
        met = _met(known, goal, goals, part, [best])
        if met is None:
            low = middle
        else:
            enough, best = middle, met
    rounded = {
        limit: rounded_up(enough * amount, "length" if limit.slides else "rad") for limit, amount in wide.items()
    }
    return rounded, best


def _met(
    known: Known, goal: int, goals: Collection[int], wider: Mapping[Limit, float], starts: Sequence[Vector]
) -> Vector | None:
    """A pose that meets a goal with some limits wider; None if none is found."""
    for start in starts:
        ends = known.resolver.solve([start], goals, wider=wider)
        if counts_as_met(known, goal, ends, goals) is not None:
            return ends.pose(0)
    return None


def _all_together(known: Known, goal: int, ends: Sequence[Vector]) -> tuple[dict[Limit, float], Vector | None]:
    """Widens every limit. Returns a smallest set of them that lets the goal be met, and a pose, or None if there is
    no such set.

    Takes the limits that the found pose exceeds, the largest excess first, until enough of them are wider. Then
    restores each limit that is not needed, the smallest excess first.
    """
    resolver, figure = known.resolver, known.problem.figure
    every = list(limits_of(figure, known.problem.chart).values())
    pose = None
    for turn, extra in ((QUARTER, 0), (2.0 * QUARTER, 6)):
        wide = {limit: tried(limit, figure, turn) for limit in every}
        starts = [*ends[:2], known.pose] if not extra else resolver.uniform(known.pose, extra, wide)
        found = resolver.solve(starts, [goal], wider=wide, near=not extra)
        met = np.flatnonzero(resolver.met(found, goal))
        if len(met):
            pose = found.pose(met[0])
            break
    if pose is None:
        return {}, None
    over = {limit: excess(limit, figure, pose) for limit in every}
    order = sorted(
        (limit for limit in every if over[limit] > 0.0), key=lambda limit: -over[limit] / span(limit, figure)
    )
    if not order:
        return {}, pose

    def enough(some: Sequence[Limit], starts: Sequence[Vector]) -> Vector | None:
        wide = {limit: tried(limit, figure, 2.0 * QUARTER) for limit in some}
        return _met(known, goal, [goal], wide, [*starts, ends[0]])

    order, pose = smallest(order, enough, pose)
    assert pose is not None
    wide = {limit: max(excess(limit, figure, pose), 1e-3) for limit in order}
    return least(known, goal, [goal], wide, pose)


def _above(known: Known, goal: int) -> list[Limit]:
    """Limits of the coordinates that move a goal's effector."""
    felt = np.any(_local(known, goal, known.pose).jacobian != 0.0, axis=0)
    table = limits_of(known.problem.figure, known.problem.chart)
    return [limit for (step, _), limit in table.items() if felt[step]]


def _unreachable(known: Known, goal: int, alone: Search, finding: Finding) -> Finding:
    """The finding for a goal that is not met without limits either: out of reach, or too few joints."""
    pose = alone.best(1)[0]
    few = too_few(known, goal, alone.best(2))
    if few is not None:
        reason, changes = few
        finding.reasons.append(reason)
        finding.changes += [*changes, *moved_targets(known, goal, pose)]
        return finding
    amount, unit = sizes(known.problem.goals[goal], known.error_at(goal, pose))[0]
    finding.reasons.append(Reason("out_of_reach", amount=amount, unit=unit, geometric=True))
    finding.changes += moved_targets(known, goal, pose)
    return finding


def _change(known: Known, goal: int, wider: dict[Limit, float], pose: Vector) -> Change:
    """The change that widens limits, tried on the whole problem, where more may be needed."""
    resolver = known.resolver
    starts = [pose, known.pose, resolver.nudged(known.pose)]
    verified = _met(known, goal, resolver.all, wider, starts) is not None
    if not verified:
        widest = {limit: max(amount, tried(limit, known.problem.figure)) for limit, amount in wider.items()}
        met = _met(known, goal, resolver.all, widest, starts)
        if met is not None:
            wider, _ = least(known, goal, resolver.all, widest, met)
            verified = True
    parts = tuple((limit.name, amount) for limit, amount in wider.items())
    slides = next(iter(wider)).slides
    return Change("widen_limit", parts, "length" if slides else "rad", verified=verified)


def _rival_too(known: Known, goal: int, wider: dict[Limit, float], pose: Vector) -> list[Reason]:
    """The other goal that prevents this one once the limits are wider; empty if no single goal does."""
    local = Local(known.problem, known.pose, known.resolver.levels)
    for j in sorted(known.others(goal), key=lambda j: local.opposition(goal, j)):
        left = [k for k in known.resolver.all if k != j]
        if _met(known, goal, left, wider, [pose, known.pose]) is not None:
            return [Reason(kind_of(known.problem, j), (known.rivals.title((j,), goal),))]
    return []


def _share(known: Known, wider: Mapping[Limit, float]) -> float:
    """The widening as a fraction of the range."""
    return max(amount / span(limit, known.problem.figure) for limit, amount in wider.items())


def _local(known: Known, goal: int, pose: Vector) -> Local:
    """The facts at a pose for a goal alone; the other goals have no weight."""
    levels = np.zeros(len(known.problem.goals))
    levels[goal] = 1.0
    return Local(known.problem, pose, levels)
