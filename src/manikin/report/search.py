"""Runs several starts of one problem, and decides when there have been enough.

Starts that end in the same minimum give no new information. With w different minima seen in n starts, the share of
minima not seen yet is about  w (w + 1) / (n (n − 1))  (Boender and Rinnooy Kan). The search ends when it is below 0.05.
That takes seven starts if all agree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector
from manikin.report.limits import Limit
from manikin.report.resolver import NONE, Ends, Resolver

ENOUGH = 0.05
"""The search ends when the share of unseen minima is below this."""
SAME = 1.05
"""Costs within this factor belong to the same minimum."""
CHUNK = 4
"""Number of starts that run at once."""


@dataclass(frozen=True, eq=False)
class Search:
    """The ends of the starts of one search."""

    ends: Ends
    costs: Vector
    """(n,) F at the ends."""
    met: int | None
    """Index of the first end that was accepted; None if there is none."""

    @property
    def starts(self) -> int:
        """Number of starts, n."""
        return len(self.ends)

    @property
    def minima(self) -> int:
        """Number of different minima, w."""
        return distinct(self.costs)

    @property
    def unseen(self) -> float:
        """Estimated share of minima that were not seen."""
        return unseen(self.minima, self.starts)

    def best(self, count: int) -> list[Vector]:
        """The poses with the lowest costs. Poses of the same minimum are used only if there are no others."""
        order = np.argsort(self.costs, kind="stable")
        apart = [k for n, k in enumerate(order) if n == 0 or self.costs[k] > 1.001 * self.costs[order[n - 1]]]
        rest = [k for k in order if k not in apart]
        return [self.ends.poses[k] for k in [*apart, *rest][:count]]


def distinct(costs: Vector) -> int:
    """Number of different values. Values within 5 % count as one."""
    count, last = 0, -np.inf
    for value in np.sort(costs):
        if value > SAME * last + 1e-300 or count == 0:
            count, last = count + 1, float(value)
    return count


def unseen(minima: int, starts: int) -> float:
    """w (w + 1) / (n (n − 1)); 1 if there are too few starts for an estimate."""
    return min(1.0, minima * (minima + 1) / (starts * (starts - 1))) if starts > 1 else 1.0


def search(
    resolver: Resolver,
    q: Vector,
    found: Callable[[Ends], NDArray[np.bool_]],
    goals: Collection[int] | None = None,
    *,
    wider: Mapping[Limit, float] = NONE,
    min_starts: int = 8,
    max_starts: int = 30,
    warm: bool = True,
) -> Search:
    """Runs starts until one end is accepted, or there have been enough.

    The order: q itself (if `warm`), q moved 30 % to mid-range, mid-range, then uniform within limits.

    Args:
        resolver: solves.
        q: (nq,) the pose around which to start.
        found: (B,) whether each end is accepted.
        goals: indices of the goals that count; None means all.
        wider: limits to widen.
        min_starts, max_starts: least and largest number of starts.
        warm: whether q itself is a start.
    """
    ends: Ends | None = None
    while True:
        done = 0 if ends is None else len(ends)
        if warm and done == 0:
            more = resolver.solve([q], goals, wider=wider)
        else:
            k = done - warm
            starts = [resolver.toward_middle(q, part, wider) for part in (0.3, 1.0)[k:]] if k < 2 else []
            starts += resolver.uniform(q, CHUNK - len(starts), wider)
            more = resolver.solve(starts, goals, wider=wider, near=False)
        ends = more if ends is None else ends + more
        costs = resolver.cost(ends.errors, goals)
        wanted = np.flatnonzero(found(ends))
        result = Search(ends, costs, int(wanted[0]) if len(wanted) else None)
        if len(wanted) or len(ends) >= max_starts or (len(ends) >= min_starts and result.unseen < ENOUGH):
            return result
