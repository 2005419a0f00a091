"""Changes poses as little as possible so that they meet goals. `edit` and `inbetween` use this file.

Every frame is solved separately. Its original pose is both the start and the preferred pose. Among the poses that meet
the goals, the solver finds the one nearest to the original. So the change is a continuous function of the targets, and
a target that does not change leaves the pose unchanged. In frames whose goals cannot be met, `unreached.py` makes the
change continuous over time. Only the joints that the goals need may move. The first try uses the limb of each effector,
up to where it branches off. If that is not enough, further tries use more joints on the way to the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Vector
from manikin.errors import BadValue
from manikin.figure import Figure, Free, Slider
from manikin.goals import Goal
from manikin.motion.goal_errors import goal_errors
from manikin.motion.unreached import Unreached
from manikin.solvers.native.solver import Solver

Mask = NDArray[np.bool_]
UNCHANGED = 1e-12
"""A number that would change by less than this keeps its bits."""


@dataclass(frozen=True, eq=False)
class Adapted:
    """Poses that meet goals."""

    poses: Poses
    """(n, nq)."""
    errors: Matrix
    """(n, goals), NaN where a goal is not active."""
    goals: tuple[Goal, ...]
    """Settled on the figure."""
    joints: tuple[str, ...]
    """The joints that could move."""


def adapt(
    figure: Figure,
    base: Poses,
    goals: Sequence[Goal],
    rows: Matrix,
    active: Mask,
    parts: Matrix,
    times: Vector,
    joints: Sequence[str] | str | None = None,
) -> Adapted:
    """Poses near `base` (n, nq) that meet goals with targets `rows` (n, k) where they are active (n, goals).

    Args:
        figure: the figure of the poses.
        base: (n, nq).
        goals: at least one.
        rows: (n, k).
        active: (n, goals).
        parts: (n, goals) the ramps u of the goals; 1 where they count in full.
        times: (n,) seconds.
        joints: names of the joints that may move; "all", or None to use as few as possible.
    """
    best: Adapted | None = None
    fewest = 0
    for only in _stages(figure, goals, joints):
        found = _with_joints(figure, base, goals, rows, active, only)
        tolerances = np.array([g.allowed for g in found.goals])
        missed = int((np.nan_to_num(found.errors) > tolerances).any(axis=1).sum())
        if best is None or missed < fewest:
            best, fewest = found, missed
        if missed == 0:
            break
    assert best is not None
    return best if fewest == 0 else _calmed(figure, base, goals, rows, active, parts, times, best)


def _calmed(
    figure: Figure,
    base: Poses,
    goals: Sequence[Goal],
    rows: Matrix,
    active: Mask,
    parts: Matrix,
    times: Vector,
    found: Adapted,
) -> Adapted:
    """`found` without jumps in the frames that miss their goals."""
    solver = Solver(figure, goals, only=list(found.joints))
    clip = Unreached(solver, base, found.poses, rows, active, parts, found.errors, times)
    poses = _kept(figure, base, clip.calmed(), found.joints)
    return replace(found, poses=poses, errors=goal_errors(figure, found.goals, rows, active, poses))


def _with_joints(
    figure: Figure, base: Poses, goals: Sequence[Goal], rows: Matrix, active: Mask, only: Sequence[str]
) -> Adapted:
    """`adapt` with the given joints."""
    solver = Solver(figure, goals, only=list(only))
    found = solver.solve_many(base, rows, active=active, prefer=base, settle=True, restarts=0)
    poses, missed = np.array(found.poses), np.flatnonzero(~found.reached)
    if len(missed) and len(missed) < len(base):
        # Start from the change of the nearest frame that was reached.
        good = np.flatnonzero(found.reached)
        near = good[np.abs(missed[:, None] - good).argmin(axis=1)]
        change = figure.difference(base[near], poses[near])
        starts = figure.integrate(base[missed], change)
        again = solver.solve_many(starts, rows[missed], active=active[missed], prefer=base[missed], settle=True)
        better = again.reached | (again.errors.sum(axis=1) < found.errors[missed].sum(axis=1))
        poses[missed[better]] = again.poses[better]
    poses = _kept(figure, base, poses, only)
    settled = solver.goals[: len(goals)]
    return Adapted(poses, goal_errors(figure, settled, rows, active, poses), settled, tuple(only))


def _kept(figure: Figure, base: Poses, poses: Poses, joints: Sequence[str]) -> Poses:
    """Poses (n, nq) with the bits of `base` where joints may not move or have not moved."""
    same = ~_numbers(figure, joints)[None] | (np.abs(poses - base) < UNCHANGED)
    return np.where(same, base, poses)


def _numbers(figure: Figure, joints: Sequence[str]) -> Mask:
    """(nq,) whether each number belongs to these joints or to joints coupled to them."""
    out = np.zeros(figure.nq, dtype=bool)
    wanted = set(joints)
    for segment in figure.segments:
        joint = segment.joint
        leads = joint.coupling.source if joint.coupling is not None else joint.name
        if joint.name in wanted or leads in wanted:
            first = figure.index_of(joint.name)
            out[first : first + joint.nq] = True
    return out


def _stages(figure: Figure, goals: Sequence[Goal], joints: Sequence[str] | str | None) -> list[tuple[str, ...]]:
    """Sets of joints, each larger than the one before."""
    if joints == "all":
        return [tuple(s.joint.name for s in figure.segments if s.joint.nq)]
    if joints is not None:
        if not isinstance(joints, Iterable):
            raise BadValue(f'joints is {joints!r}; it needs names of joints, "all", or None')
        return [tuple([joints] if isinstance(joints, str) else joints)]
    ways = [_ways(figure, e.segment) for goal in goals for e in goal.on(figure).effectors]
    if not ways:
        return [tuple(s.joint.name for s in figure.segments if s.joint.nq)]
    stages: list[tuple[str, ...]] = []
    for depth in range(1, max(map(len, ways)) + 1):
        names = [name for way in ways for part in way[:depth] for name in part]
        unique = tuple(dict.fromkeys(names))
        if unique and (not stages or unique != stages[-1]):
            stages.append(unique)
    if not stages:
        raise BadValue(f"no joint of figure {figure.name!r} moves the effectors of these goals")
    return stages


def _ways(figure: Figure, segment: str) -> list[list[str]]:
    """The joints from a segment to the root, split where another limb branches off, without a root that travels.

    The joint of a fixed root, such as the first joint of an arm, comes last; a root that slides is left out."""
    names = list(figure.segment_names)
    parents = [names.index(s.parent) if s.parent is not None else -1 for s in figure.segments]
    moving = [bool(s.joint.nq) for s in figure.segments]
    for i in range(len(names) - 1, 0, -1):  # children come after their parents
        if parents[i] >= 0:
            moving[parents[i]] = moving[parents[i]] or moving[i]
    branches = [sum(moving[c] for c in range(len(names)) if parents[c] == i) for i in range(len(names))]
    way: list[list[str]] = [[]]
    i = names.index(segment)
    first = True
    while parents[i] >= 0:
        if not first and branches[i] > 1 and way[-1]:
            way.append([])
        joint = figure.segments[i].joint
        if joint.nq and joint.coupling is None:
            way[-1].append(joint.name)
        i, first = parents[i], False
    joint = figure.segments[i].joint
    if not any(way):
        return [[joint.name]] if joint.nq else []
    if joint.nq and joint.coupling is None and not any(isinstance(m, (Free, Slider)) for m in joint.motions):
        way.append([joint.name])
    return way
