"""Too few degrees of freedom: a position and an orientation can each be met, but not both.

The movable joints move an effector in r independent ways: the largest rank of its Jacobian. Over all poses together
these ways span h directions: six for most arms, three for a chain in a plane. If r is below h, the placements that can
be met are a thin subset, and a target is in it only by chance. This is the reason if the position alone and the
orientation alone are both met, and the two together are not, even with wider limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.goals import Aim, Effector, Goal
from manikin.kinematics.cones import Flags
from manikin.linalg import inverses
from manikin.report.data import Change, Reason
from manikin.report.known import Known
from manikin.report.limits import QUARTER, limits_of, tried
from manikin.report.resolver import Resolver
from manikin.report.search import search

MORE_POSES = 4
"""Number of uniform poses at which the rank is computed, in addition to the known poses."""
AXES = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""Axes of a segment about which the rotation may be left free, in the order in which they are tried."""
WIDE_STARTS = 6
"""Number of uniform starts with all limits wider, for two goals together."""


def too_few(known: Known, goal: int, poses: Sequence[Vector]) -> tuple[Reason, list[Change]] | None:
    """The reason and the changes if a placement is missed because there are too few joints; else None.

    Args:
        known: the solution.
        goal: a goal that is not met alone, even with wider limits.
        poses: poses near the goal alone.
    """
    settled = known.problem.goals[goal]
    if settled.halves is None:
        return None
    reason = _reason(known, settled.effectors[0], poses, (known.names[goal],))
    if reason is None or not all(_met_alone(known, part, poses) for part in settled.halves):
        return None
    return reason, list(_asking_less(known, goal, *settled.halves))


def too_few_with(known: Known, goal: int, rivals: Sequence[int]) -> tuple[Reason, list[Change]] | None:
    """The same for a position and an orientation of one segment that are separate goals, each met alone.

    Args:
        known: the solution.
        goal: a goal that is met alone.
        rivals: other goals, one of which may be the other half.
    """
    found = (_too_few_for_two(known, goal, rival) for rival in rivals)
    return next((few for few in found if few is not None), None)


def _too_few_for_two(known: Known, goal: int, rival: int) -> tuple[Reason, list[Change]] | None:
    pair = [known.problem.goals[j] for j in (goal, rival)]
    place = next((g for g in pair if g.wanted_rotation is None and _whole_point(g)), None)
    turn = next((g for g in pair if g.wanted_rotation is not None and g.wanted_point is None), None)
    if place is None or turn is None or place.effectors[0].segment != turn.effectors[0].segment:
        return None
    reason = _reason(known, place.effectors[0], [known.pose], (known.names[goal], known.names[rival]))
    if reason is None or not _met_alone(known, pair[1], [known.pose]) or _met_with_wider_limits(known, goal, rival):
        return None
    where = rival if pair[1] is turn else goal
    return reason, list(_one_axis_free(known, where, place, turn, ()))


def _reason(known: Known, effector: Effector, poses: Sequence[Vector], asking: tuple[str, ...]) -> Reason | None:
    problem, resolver = known.problem, known.resolver
    figure = problem.figure
    can_move = problem.movable & ~_locked(known)
    seen = [*poses, known.pose, *resolver.uniform(known.pose, MORE_POSES)]
    jacobians = [figure.jacobian(q, effector.segment, effector.offset)[:, can_move] for q in seen]
    for jacobian in jacobians:
        jacobian[:3] /= figure.size  # one unit for all rows, so that the rank does not depend on the unit of length
    ways = max(inverses.rank(jacobian) for jacobian in jacobians)
    asked = inverses.rank(np.hstack(jacobians))
    if ways >= asked:
        return None
    moving = np.flatnonzero(can_move)[np.any([j.any(axis=0) for j in jacobians], axis=0)]
    names = _joints_of(known, moving.tolist())
    each = len(names) == len(moving) == ways
    return Reason(
        "too_few_joints",
        names if each else (),
        together=True,
        ways=(ways, asked),
        asking=asking,
        confidence="likely",
    )


def _locked(known: Known) -> Flags:
    """(nv,) bool: steps whose lower and upper limits are equal."""
    figure, tree = known.problem.figure, known.problem.figure.layout.tree
    locked: Flags = np.zeros(figure.nv, dtype=bool)
    for i in np.flatnonzero(tree.number >= 0):
        n = int(tree.number[i])
        if figure.lower[n] == figure.upper[n]:
            locked[tree.step[i]] = True
    return locked


def _joints_of(known: Known, steps: Sequence[int]) -> tuple[str, ...]:
    """Names of the joints to which some steps belong, each once."""
    figure, tree = known.problem.figure, known.problem.figure.layout.tree
    names = []
    for step in steps:
        nodes = np.flatnonzero((tree.step <= step) & (tree.step >= 0) & (tree.source < 0))
        number = int(tree.number[nodes[np.argmax(tree.step[nodes])]])
        names += [
            s.joint.name
            for s in figure.segments
            if figure.index_of(s.joint.name) <= number < figure.index_of(s.joint.name) + s.joint.nq
        ]
    return tuple(dict.fromkeys(names))


def _met_alone(known: Known, part: Goal, poses: Sequence[Vector]) -> bool:
    """Whether a goal is met by itself."""
    resolver = Resolver(known.problem.variant((part,)))
    found = search(resolver, poses[0], lambda ends: resolver.met(ends, 0))
    known.resolver.solves += resolver.solves
    return found.met is not None


def _met_with_wider_limits(known: Known, goal: int, rival: int) -> bool:
    """Whether two goals are met together if limits are wider."""
    resolver, figure = known.resolver, known.problem.figure
    limits = limits_of(figure, known.problem.chart).values()
    for turn in (QUARTER, 2.0 * QUARTER):
        wide = {limit: tried(limit, figure, turn) for limit in limits}
        starts = [known.pose, *resolver.uniform(known.pose, WIDE_STARTS, wide)]
        ends = resolver.solve(starts, [goal, rival], wider=wide)
        if np.any(resolver.met(ends, goal) & resolver.met(ends, rival)):
            return True
    return False


def _whole_point(goal: Goal) -> bool:
    """Whether a goal fixes all three coordinates of its effector."""
    return goal.wanted_point is not None and bool(goal.wanted_point[1].all())


def _asking_less(known: Known, goal: int, place: Goal, turn: Goal) -> Iterator[Change]:
    """First one axis left free, then the position only. Each is solved again with all other goals."""
    yield from _one_axis_free(known, goal, place, turn, (place,))
    only = Change("ask_less", ((known.names[goal], 0.0),), instead=(place,), goals=(goal,), verified=True)
    if _works(known, only):
        yield only


def _one_axis_free(known: Known, goal: int, place: Goal, turn: Goal, kept: tuple[Goal, ...]) -> Iterator[Change]:
    """An orientation that leaves the rotation about one axis of the segment free: only the direction of the axis
    counts.

    `kept` are the goals that replace the changed one, in addition to the aim.
    """
    assert turn.wanted_rotation is not None
    effector = place.effectors[0]
    matrix = rotations.to_matrix(turn.wanted_rotation)
    for axis in AXES:
        aim = Aim(
            effector.segment,
            direction=matrix @ np.array(axis),
            axis=axis,
            tolerance=turn.tolerance,
            weight=turn.weight,
            priority=turn.priority,
        )
        change = Change("ask_less", ((known.names[goal], 0.0),), instead=(*kept, aim), goals=(goal,), verified=True)
        if _works(known, change):
            yield change
            return


def _works(known: Known, change: Change) -> bool:
    """Whether the replacing goals are met together with all other goals."""
    problem = known.problem
    (place,) = change.goals
    _, goals = change.applied(problem.figure, problem.goals)
    resolver = Resolver(problem.variant(goals))
    ends = resolver.anew()
    known.resolver.solves += 1
    return all(bool(resolver.met(ends, place + k)[0]) for k in range(len(change.instead)))
