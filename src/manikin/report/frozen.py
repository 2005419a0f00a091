"""Frozen and locked joints: finds those whose release would let a goal be met.

Joints that may not move (`still`) matter if they are above an effector of some goal. First all of them are released at
once. If that meets the goal with all other goals kept, the smallest set that does so is searched:

1. each joint alone, the nearest to the goal's effector first;
2. the joints that moved most in the pose found, twice as many each time; then each joint that is not needed is frozen
   again;
3. if three or more are left, pairs of the joints that moved most.

A root without limits comes last. If it is free, everything is in reach, so its release explains little.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Vector
from manikin.report.data import Change, Reason, Unit
from manikin.report.judge import counts_as_met
from manikin.report.known import Known
from manikin.report.limits import Limit, tried
from manikin.report.resolver import Ends
from manikin.report.sentences import rounded_up
from manikin.report.smallest import smallest
from manikin.report.still import Still, above, frozen_names

MAX_SINGLE = 16
"""Number of joints that are released one by one."""
MAX_PAIRED = 6
"""Pairs are formed from this many of the joints that moved most."""
FEW = 3
"""Each joint of a group of at most this size is released again alone, with a new solve."""
MORE_STARTS = 4
"""Number of uniform starts with all still joints released, if the first starts found nothing."""
NAMED = 3
"""Largest number of alternatives that are named."""
LARGER = (1.0, 1.1, 1.25, 1.6, 2.5)
"""Factors for the room of locked joints. They are tried in this order until the room is enough."""


Group = tuple[Still, ...]
"""Joints that are released together."""


@dataclass(frozen=True, eq=False)
class Release:
    """Still joints whose release meets a goal."""

    groups: tuple[Group, ...]
    """Alternatives of one joint each, or a single group of several joints."""
    changes: tuple[Change, ...]
    """The changes; each was checked by a new solve."""
    poses: tuple[Vector, ...]
    """(nq,) a pose that meets the goal, for each group."""
    still: tuple[str, ...]
    """Names of the still joints above the goal's effectors, nearest first."""

    @property
    def reason(self) -> Reason:
        together = len(self.groups[0]) > 1
        named = self.groups[0] if together else [group[0] for group in self.groups]
        culprits = tuple(still.joint for still in named)
        return Reason("frozen", culprits, together=together, still=self.still, confidence="shown")

    @property
    def root(self) -> bool:
        """Whether a root without limits must be released."""
        return any(still.root for still in self.groups[0])


def release(known: Known, goal: int, starts: Sequence[Vector] = ()) -> Release | None:
    """The smallest set of still joints whose release meets a goal with all the others; None if no release does.

    Args:
        known: the solution.
        goal: the missed goal.
        starts: poses to start from in addition to the solution's, such as one that meets the goal alone.
    """
    every = known.still
    if not every:
        return None
    own = above(known.problem, [goal], every)
    others = [still for still in above(known.problem, known.others(goal), every) if still not in own]
    candidates = [*own, *others]
    names = tuple(still.joint for still in own)
    for group in dict.fromkeys((tuple(still for still in candidates if not still.root), tuple(candidates))):
        pose = _all(known, goal, group, starts) if group else None
        found = [] if pose is None else _fewest(known, goal, group, pose)
        if found:
            groups, changes, poses = zip(*found, strict=True)
            return Release(groups, changes, poses, names)
    return None


def _all(known: Known, goal: int, group: Group, starts: Sequence[Vector]) -> Vector | None:
    """A pose that meets a goal with a group released. Uses more starts than `_met`."""
    resolver = known.resolver
    free, wider = _let_go(known, group)
    middle = resolver.toward_middle(known.pose, 1.0, free=free)
    drawn = known.once(("drawn", group), lambda: resolver.uniform(known.pose, MORE_STARTS, wider, free))
    for some in ([known.pose], [resolver.nudged(known.pose, free), *starts], [*drawn, middle]):
        pose = _met(known, goal, group, some)
        if pose is not None:
            return pose
    ends = _anew(known, group)
    return None if counts_as_met(known, goal, ends) is None else ends.pose(0)


def _fewest(known: Known, goal: int, group: Group, pose: Vector) -> list[tuple[Group, Change, Vector]]:
    """The single joints whose release is enough, or one smallest group, each with its change and a pose."""
    found: list[tuple[Group, Change, Vector]] = []
    for still in group[:MAX_SINGLE]:
        met = _met(known, goal, (still,), _starts(known, (still,), pose))
        change = None if met is None else _change(known, goal, (still,), met)
        if met is not None and change is not None:
            found.append(((still,), change, met))
            if len(found) >= NAMED:
                break
    if found:
        return found
    moved = np.abs(known.problem.figure.difference(known.pose, pose))
    order = sorted(group, key=lambda still: -float(moved[_steps(still)].max(initial=0.0)))
    fewer, fewer_pose = _put_back(known, goal, order, pose)
    for still in fewer if len(fewer) <= FEW else ():  # a full solve, before a single joint is called not enough
        ends = _anew(known, (still,))
        change = None if counts_as_met(known, goal, ends) is None else _change(known, goal, (still,), ends.pose(0))
        if change is not None:
            found.append(((still,), change, ends.pose(0)))
    if found:
        return found
    if len(fewer) > 2:
        for pair in itertools.combinations(order[:MAX_PAIRED], 2):
            met = _met(known, goal, pair, _starts(known, pair, pose))
            if met is not None:
                fewer, fewer_pose = pair, met
                break
    for some, some_pose in ((fewer, fewer_pose), (group, pose)):
        change = _change(known, goal, some, some_pose)
        if change is not None:
            return [(some, change, some_pose)]
    return []


def _put_back(known: Known, goal: int, order: Sequence[Still], pose: Vector) -> tuple[Group, Vector]:
    """A group from which no joint can be removed. `order` lists the joints that moved most first. A single joint is not
    tried, because each was tried before."""

    def met(some: Sequence[Still], starts: Sequence[Vector]) -> Vector | None:
        return _met(known, goal, tuple(some), _starts(known, tuple(some), *starts))

    kept, found = smallest(order, met, pose, least=2)
    assert found is not None
    return tuple(kept), found


def _starts(known: Known, group: Group, pose: Vector) -> list[Vector]:
    """Starts: the pose found with the other joints back at the solution's values, the solution's pose, and poses near
    it."""
    resolver = known.resolver
    free, _ = _let_go(known, group)
    movable = resolver.movable(free)
    return [
        np.where(resolver.numbers(movable), pose, known.pose),
        known.pose,
        resolver.nudged(known.pose, free),
        resolver.toward_middle(known.pose, 1.0, free=free),
    ]


def _met(known: Known, goal: int, group: Group, starts: Sequence[Vector]) -> Vector | None:
    """A pose that meets a goal with some joints released and all other goals kept."""
    ends = known.once(("let go", group, *(start.tobytes() for start in starts)), lambda: _solved(known, group, starts))
    shown = counts_as_met(known, goal, ends)
    return None if shown is None else ends.pose(shown)


def _solved(known: Known, group: Group, starts: Sequence[Vector]) -> Ends:
    free, wider = _let_go(known, group)
    return known.resolver.solve(starts, wider=wider, free=free)


def _anew(known: Known, group: Group, room: dict[str, float] | None = None) -> Ends:
    """The whole problem with some joints released, solved as `mk.solve` does."""
    free, wider = _let_go(known, group, room)
    key = ("anew", group, *(room or {}).items())
    return known.once(key, lambda: known.resolver.anew(free=free, wider=wider))


def _let_go(
    known: Known, group: Group, room: dict[str, float] | None = None
) -> tuple[frozenset[int], dict[Limit, float]]:
    """The steps to release and the limits to widen. Locked joints get half a turn, unless `room` gives an amount."""
    free = frozenset[int]().union(*(still.steps for still in group))
    wider = {
        limit: tried(limit, known.problem.figure, np.pi) if room is None else room[still.joint]
        for still in group
        for limit in still.limits
    }
    return free, wider


def _steps(still: Still) -> list[int]:
    return [*still.steps, *(limit.step for limit in still.limits)]


def _change(known: Known, goal: int, group: Group, pose: Vector) -> Change | None:
    """The release of a group, checked by a new solve. Locked joints get the room that the pose needs, or a little
    more."""
    figure = known.problem.figure
    needed = {
        still.joint: max((abs(float(pose[k.number] - figure.lower[k.number])) for k in still.limits), default=0.0)
        for still in group
    }
    slides = {still.joint: any(limit.slides for limit in still.limits) for still in group}
    locked = [slides[still.joint] for still in group if still.limits]
    unit: Unit = "" if not locked else "length" if all(locked) else "rad"
    stays = frozen_names(known.problem, [still.joint for still in group])
    for part in LARGER if locked else LARGER[:1]:
        room = {j: rounded_up(part * amount, "length" if slides[j] else "rad") for j, amount in needed.items()}
        change = Change("release", tuple(room.items()), unit, verified=True, freeze=stays)
        if counts_as_met(known, goal, _anew(known, group, room)) is not None:
            return change
    return None
