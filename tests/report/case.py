"""A case: a missed goal, the reasons and changes that are right for it, and their checks; and the figures of the
cases."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from needs import find_data

import manikin as mk
from manikin.goals import Clearance
from manikin.problem import Problem
from manikin.report import Change, Reason, Report
from manikin.report.limits import limit_named, limits_of, tried, with_wider_limits

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
    """The goal whose report is checked."""
    kinds: frozenset[str]
    """Kinds of the first reason that are true."""
    place: str = ""
    """Which figure."""
    together: bool | None = None
    """Whether the culprits must be needed together; None where either is true."""
    freeze: tuple[str, ...] = ()
    """Joints that are frozen."""
    amount: float | None = None
    """A distance within which the subject can be brought while the other goals stay, where one is known."""
    cache: dict[Any, bool] = field(default_factory=dict)

    @property
    def report(self) -> Report:
        return self.solution.report[self.subject]

    def right(self) -> bool:
        """Whether the first reason named is true."""
        reason = self.report.reasons[0]
        if reason.kind == "held" and "conflict" in self.kinds and not self.stay(reason.culprits):
            return False
        if reason.kind not in self.kinds and not (reason.kind == "held" and "conflict" in self.kinds):
            return False
        if self.amount is not None and not self.least_move():
            return False
        if reason.kind == "frozen":
            return self.fewest(reason)
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
        goals = [self.goals[k] for k in left]
        return feasible(self.figure, goals, left.index(self.subject), freeze=self.freeze)

    def least_move(self) -> bool:
        """Whether the move of the target that is offered, and the amount of the reason, are no more than needed, and
        agree. That the move is enough is what `works` sees."""
        assert self.amount is not None
        move = next(change for change in self.report.changes if change.what == "move_target")
        reason = self.report.reasons[0]
        return reason.amount <= 1.02 * self.amount and reason.amount <= move.amount <= 1.05 * self.amount

    def stay(self, names: Sequence[str]) -> bool:
        """Whether goals are met in the solution, or at the start, where the subject is not; or hold by nature."""
        at_start = Problem(self.figure, self.goals, self.solution.start).at(self.solution.start)
        met = self.solution.errors <= self.solution.tolerances * (1 + 1e-9)
        planted = at_start.errors <= np.maximum(self.solution.tolerances, 0.01 * self.figure.size)
        kept = met | (planted & ~planted[self.subject])
        holding = [isinstance(g, (mk.Balance, Clearance)) for g in self.goals]
        labels = [g.label for g in self.goals]
        return all(kept[labels.index(name)] or holding[labels.index(name)] for name in names)

    def fewest(self, reason: Reason) -> bool:
        """Whether the joints named are enough, and where several are named together, no single one is."""
        names = reason.culprits if reason.together else reason.culprits[:1]
        if not reason.together:
            return self.met_with_free(names)
        return self.met_with_free(names) and not any(
            self.met_with_free([name]) for name in self.freeze if name != self.figure.segments[0].joint.name
        )

    def met_with_free(self, names: Sequence[str]) -> bool:
        """Whether the subject is met with some joints let go."""
        freeze = [name for name in self.freeze if name not in names]
        figure = unlocked(self.figure, names)
        return feasible(figure, self.goals, self.subject, self.solution.start, freeze=freeze)

    def works(self) -> bool:
        """Whether the first change, made, lets a plain `mk.solve` meet the goal."""
        change: Change = self.report.changes[0]
        pose, solution = self.report.pose, self.solution
        if change.what == "use_pose":
            assert pose is not None
            at = Problem(self.figure, self.goals).at(pose)
            assert np.all(pose[self._frozen_numbers()] == solution.start[self._frozen_numbers()])
            return bool(at.errors[self.subject] <= at.problem.tolerances[self.subject] * (1 + 1e-9))
        start = solution.pose if change.what == "more_iterations" else solution.start
        figure, goals = change.applied(self.figure, solution.goals)
        freeze = change.freeze if change.what == "release" else self.freeze
        again = mk.solve(figure, goals, start, freeze=freeze)
        if change.what == "ask_less":
            parts = slice(change.goals[0], change.goals[0] + len(change.instead))
            return bool(np.all(again.errors[parts] <= again.tolerances[parts]))
        dropped = change.goals if change.what == "drop_goal" else ()
        index = [k for k in range(len(self.goals)) if k not in dropped].index(self.subject)
        return bool(again.errors[index] <= again.tolerances[index])

    def _frozen_numbers(self) -> list[int]:
        numbers: list[Any] = []
        for name in self.freeze:
            first = self.figure.index_of(name)
            joint = next(s.joint for s in self.figure.segments if s.joint.name == name)
            numbers += range(first, first + joint.nq)
        return numbers


def unlocked(figure: mk.Figure, names: Sequence[str]) -> mk.Figure:
    """The figure with joints that are locked by their limits given half a turn, or half its size, to either side."""
    chart = Problem(figure, mk.Position(figure.segment_names[-1], (0, 0, 0))).chart
    limits = [limit for limit in limits_of(figure, chart).values() if limit.joint in names]
    wide = {k: tried(k, figure, np.pi) for k in limits if figure.lower[k.number] == figure.upper[k.number]}
    return with_wider_limits(figure, wide) if wide else figure


def feasible(figure: mk.Figure, goals: list[Any], index: int, start: Any = None, freeze: Sequence[str] = ()) -> bool:
    """Whether the production solver meets a goal, with many restarts and two seeds, or another method from where the
    goal is met alone: where a second goal is far out of reach, the first ends before the others are met to tolerance,
    since the sum of all errors hardly falls any more."""
    for seed in (11, 12):
        found = mk.solve(figure, goals, start, restarts=STARTS, seed=seed, freeze=freeze)
        if found.errors[index] <= found.tolerances[index]:
            return True
    if len(goals) > 1:
        alone = mk.solve(figure, [goals[index]], found.pose, restarts=STARTS, freeze=freeze)
        found = mk.solve(figure, goals, alone.pose, method="bounded-dls", iterations=150, freeze=freeze)
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


def robot(name: str) -> mk.Figure | None:
    path = find_data(f"urdf/{name}.urdf")
    return None if path is None else mk.load_figure(path)


@functools.cache
def panda() -> mk.Figure | None:
    return robot("panda")


@functools.cache
def ur5() -> mk.Figure | None:
    return robot("ur5_robot")


@functools.cache
def baxter() -> mk.Figure | None:
    return robot("baxter")


@functools.cache
def dog() -> mk.Figure:
    return mk.quadruped()


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
    "ur5": (ur5, ("tool0",), "xyz"),
    "baxter": (baxter, ("left_wrist", "right_wrist"), "xyz"),
    "quadruped": (dog, ("LeftForePaw", "RightHindPaw", "Head"), "xyz"),
}
"""Figure, effectors, axes."""


def position(place: str, segment: str, pose: Any, **options: Any) -> Any:
    """A Position met by a pose."""
    make, _, axes = PLACES[place]
    at = make().placements(pose, [segment])[0, :3, 3]
    return mk.Position(segment, at[: len(axes)], axes=axes, **options)
