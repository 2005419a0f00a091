"""Joints that may not move: frozen (`freeze=`, `only=`), or locked by equal limits (lower = upper)."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from manikin.figure.figure import Figure
from manikin.figure.joint import Joint
from manikin.problem import Problem
from manikin.reference.tree import BALL, FIXED
from manikin.report.limits import Limit, limits_of
from manikin.report.starts import rooted


@dataclass(frozen=True)
class Still:
    """A joint that may not move."""

    joint: str
    """Name of the joint."""
    steps: frozenset[int]
    """The frozen steps to release; empty if the joint is only locked."""
    limits: tuple[Limit, ...]
    """The limits that lock it; empty if the joint is only frozen."""
    root: bool
    """Whether it is a root without limits."""


def still_joints(problem: Problem) -> dict[str, Still]:
    """The joints that may not move, by name.

    Sliders of a rig that are held on purpose do not count, and stay held. A joint that follows another counts as
    part of that joint.
    """
    figure, tree = problem.figure, problem.figure.layout.tree
    by_joint: dict[str, list[Limit]] = {}
    for limit in limits_of(figure, problem.chart).values():
        by_joint.setdefault(limit.joint, []).append(limit)
    carried, held, found = rooted(figure), _held(figure), {}
    for segment in figure.segments:
        joint = segment.joint
        if joint.nq == 0 or joint.coupling is not None:
            continue
        first = figure.index_of(joint.name)
        numbers = slice(first, first + joint.nq)
        nodes = _nodes(figure, joint)
        root = segment.parent is None and bool(carried[numbers].any())
        steps = frozenset(
            int(tree.step[i]) + k
            for i in nodes
            for k in range(3 if tree.kind[i] == BALL else 1)
            if not _moves(problem, i) and int(tree.number[i]) not in held
        )
        locked = bool(np.all(figure.lower[numbers] == figure.upper[numbers]))
        if steps or locked:
            found[joint.name] = Still(joint.name, steps, tuple(by_joint[joint.name]) if locked else (), root)
    return found


def frozen_names(problem: Problem, released: Iterable[str]) -> tuple[str, ...]:
    """The names that stay frozen without the released joints, in the form that `freeze=` takes: joints whose steps are
    all frozen, and single numbers of other joints. Held sliders are left out, because they are always held."""
    figure, tree, names = problem.figure, problem.figure.layout.tree, []
    let_go = set(released)
    for segment in figure.segments:
        joint = segment.joint
        if joint.nq == 0 or joint.coupling is not None or joint.name in let_go:
            continue
        nodes = _nodes(figure, joint)
        frozen = [i for i in nodes if not _moves(problem, i)]
        if len(frozen) == len(nodes):
            names.append(joint.name)
        else:
            held = _held(figure)
            names += [figure.number_names[n] for n in map(int, tree.number[frozen]) if n not in held]
    return tuple(names)


def above(problem: Problem, goals: Iterable[int], every: dict[str, Still]) -> list[Still]:
    """The still joints above the effectors of some goals, directly or through a coupling. The nearest to an effector
    comes first, roots last."""
    figure = problem.figure
    far: dict[str, int] = {}
    for goal in goals:
        for effector in problem.goals[goal].effectors:
            name: str | None = effector.segment
            for steps in itertools.count():
                if name is None:
                    break
                segment = figure.segment(name)
                coupling = segment.joint.coupling
                joint = segment.joint.name if coupling is None else coupling.source
                if joint in every:
                    far[joint] = min(steps, far.get(joint, steps))
                name = segment.parent
    return [every[joint] for joint in sorted(far, key=lambda joint: (every[joint].root, far[joint]))]


def _moves(problem: Problem, node: int) -> bool:
    """Whether a node, or a part of a ball, may move."""
    tree = problem.figure.layout.tree
    step = int(tree.step[node])
    return bool(problem.movable[step : step + (3 if tree.kind[node] == BALL else 1)].any())


def _held(figure: Figure) -> Collection[int]:
    """The numbers of sliders that a figure holds by default."""
    return figure.layout.held


def _nodes(figure: Figure, joint: Joint) -> list[int]:
    """The nodes of a joint that move."""
    tree, first = figure.layout.tree, figure.index_of(joint.name)
    own = (tree.number >= first) & (tree.number < first + joint.nq) & (tree.kind != FIXED)
    return [int(i) for i in np.flatnonzero(own)]
