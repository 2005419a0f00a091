"""A case: a missed goal, what may be said of it, and how that is checked; the figures that cases are made on."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from manikin.problem import Problem
from manikin.report import Change, Report
from manikin.report.limits import limit_named, tried, with_wider_limits

STARTS = 40
"""Restarts of the check."""


@dataclass
class Case:
    """A problem with a missed goal, solved, and what may be said of it."""

    kind: str
    """The class of cases."""
    figure: mk.Figure
    goals: list[Any]
    solution: mk.Solution
    subject: int
    """The goal that is asked about."""
    kinds: frozenset[str]
    """Kinds of the first reason that are true."""
    place: str = ""
    """Which figure."""
    together: bool | None = None
    """Whether the culprits must be needed together; None where either is true."""
    cache: dict[Any, bool] = field(default_factory=dict)

    @property
    def report(self) -> Report:
        return self.solution.report[self.subject]

    def right(self) -> bool:
        """Whether the first reason named is true."""
        reason = self.report.reasons[0]
        if reason.kind not in self.kinds:
            return False
        if self.together is not None and reason.kind == "limit" and reason.together != self.together:
            return False
        if reason.kind == "limit":
            names = reason.culprits if reason.together else reason.culprits[:1]
            wide = {limit_named(self.figure, name): 0.0 for name in names}
            wide = {limit: tried(limit, self.figure, np.pi if reason.together else 0.5 * np.pi) for limit in wide}
            return feasible(with_wider_limits(self.figure, wide), [self.goals[self.subject]], 0)
        if reason.kind in ("conflict", "held"):
            names = reason.culprits if reason.together else reason.culprits[:1]
            labels = [g.label for g in self.goals]
            dropped = [labels.index(name) for name in names]
            return self.met_without(dropped)
        return True

    def met_without(self, dropped: Sequence[int]) -> bool:
        left = [k for k in range(len(self.goals)) if k not in dropped]
        return feasible(self.figure, [self.goals[k] for k in left], left.index(self.subject))

    def works(self) -> bool:
        """Whether the first change, made, lets a plain `mk.solve` meet the goal."""
        change: Change = self.report.changes[0]
        pose, solution = self.report.pose, self.solution
        if change.what == "use_pose":
            assert pose is not None
            at = Problem(self.figure, self.goals).at(pose)
            return bool(at.errors[self.subject] <= at.problem.tolerances[self.subject] * (1 + 1e-9))
        start = solution.pose if change.what == "more_iterations" else solution.start
        figure, goals = change.applied(self.figure, solution.goals)
        dropped = change.goals if change.what == "drop_goal" else ()
        index = [k for k in range(len(self.goals)) if k not in dropped].index(self.subject)
        again = mk.solve(figure, goals, start)
        return bool(again.errors[index] <= again.tolerances[index])


def feasible(figure: mk.Figure, goals: list[Any], index: int, start: Any = None) -> bool:
    """Whether the production solver meets a goal, with many restarts and two seeds, or another method from where the
    goal is met alone: where a second goal is far out of reach, the first ends before the others are met to tolerance,
    since the sum of all errors hardly falls any more."""
    for seed in (11, 12):
        found = mk.solve(figure, goals, start, restarts=STARTS, seed=seed)
        if found.errors[index] <= found.tolerances[index]:
            return True
    if len(goals) > 1:
        alone = mk.solve(figure, [goals[index]], found.pose, restarts=STARTS)
        found = mk.solve(figure, goals, alone.pose, method="bounded-dls", iterations=150)
    return bool(found.errors[index] <= found.tolerances[index])


# Figures


@functools.cache
def planar() -> mk.Figure:
    """Six hinges in the plane with limits, the base a quarter turn more than the others."""
    joints = [mk.Hinge(limits=(-np.pi, np.pi)), *[mk.Hinge(limits=(-1.6, 1.9))] * 5]
    return mk.chain([0.5, 0.45, 0.4, 0.35, 0.3, 0.25], joints, name="planar")


@functools.cache
def narrow() -> mk.Figure:
    """Four hinges in the plane with little room each."""
    return mk.chain([0.5, 0.4, 0.35, 0.25], mk.Hinge(limits=(-0.7, 0.9)), name="narrow")


@functools.cache
def panda() -> mk.Figure | None:
    folder = os.environ.get("MANIKIN_DATA", "")
    path = Path(folder) / "urdf" / "panda.urdf"
    return mk.load_figure(path) if folder and path.exists() else None


@functools.cache
def person() -> mk.Figure:
    return mk.human()


@functools.cache
def seated() -> mk.Figure:
    """The person with the hips fixed where they are at rest."""
    figure = mk.human()
    hips = figure.segments[0]
    place = figure.placements(figure.rest, [hips.name])[0]
    fixed = replace(hips.joint, motions=(), rest=(), offset=tuple(place[:3, 3]))
    return figure.replaced(name="seated", segments=[hips.replaced(joint=fixed), *figure.segments[1:]])


PLACES: dict[str, tuple[Callable[[], Any], tuple[str, ...], str]] = {
    "planar": (planar, ("Tip", "Segment4", "Segment6"), "xy"),
    "narrow": (narrow, ("Tip", "Segment3", "Segment4"), "xy"),
    "panda": (panda, ("panda_hand_tcp", "panda_link5", "panda_link7"), "xyz"),
    "seated": (seated, ("LeftHand", "RightHand", "Head"), "xyz"),
    "person": (person, ("LeftHand", "RightFoot", "Head"), "xyz"),
}
"""Figure, effectors, axes."""


def position(place: str, segment: str, pose: Any, **options: Any) -> Any:
    """A Position met by a pose."""
    make, _, axes = PLACES[place]
    at = make().placements(pose, [segment])[0, :3, 3]
    return mk.Position(segment, at[: len(axes)], axes=axes, **options)
