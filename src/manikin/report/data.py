"""The parts of a report: plain records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from manikin.arrays import Vector
from manikin.base.names import line
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.html_table import html_table
from manikin.goals import Goal
from manikin.report.limits import limit_named, limits_on, with_wider_limits

Kind: TypeAlias = Literal[
    "out_of_reach",
    "frozen",
    "limit",
    "too_few_joints",
    "conflict",
    "held",
    "local_minimum",
    "singular",
    "budget",
    "unsure",
]
"""Why a goal was missed; see `Reason.kind`."""
Confidence: TypeAlias = Literal["certain", "shown", "likely", "unsure"]
"""How sure a reason is; see `Reason.confidence`."""
What: TypeAlias = Literal[
    "release", "widen_limit", "move_target", "ask_less", "drop_goal", "lower_weight", "use_pose", "more_iterations"
]
"""What a change does; see `Change.what`."""
Unit: TypeAlias = Literal["length", "rad", "iterations", ""]
"""Unit of an amount. Lengths are in the unit of the figure."""


@dataclass(frozen=True)
class Reason:
    """One thing that keeps a goal from being met."""

    kind: Kind
    """
    out_of_reach   the target is further than the figure can stretch
    frozen         joints may not move (`freeze=`, `only=`, or equal limits); if they are released, the goal is met
    limit          joint limits prevent the goal, even with all other goals dropped
    too_few_joints position and orientation can each be met, but not both: the joints have too few degrees of freedom
    conflict       another goal pulls the effector elsewhere
    held           other goals stay met, and the target is out of reach while they do: planted feet, balance,
                   clearance (a collision) or a closed loop
    local_minimum  a pose that meets the goal exists; the solver stopped in another minimum
    singular       the effector cannot move toward the target in this pose; a small bend is enough
    budget         the solver had not finished
    unsure         no single cause was found
    """
    culprits: tuple[str, ...] = ()
    """Names of the joints ("LeftForeArm"), limits ("LeftForeArm (upper)", "LeftArm (cone)") or goals that cause the
    miss, the most important first. There are at most three, unless all are needed. If this reason is the root cause of
    another reason (a goal pulls because it is itself out of reach), the name of that goal."""
    together: bool = False
    """Whether all culprits are needed. Otherwise they are alternatives: the goal is met without any one of them."""
    amount: float = 0.0
    """By how much the target is out of reach, or the limit too narrow, as length or radians. For `conflict` and `held`:
    how far the target is out of reach while the other goals are met. 0 if there is nothing to measure."""
    unit: Unit = ""
    """Unit of the amount."""
    geometric: bool = False
    """out_of_reach only: the goal was also missed without any limits."""
    gain_per_unit: float = 0.0
    """limit only: the multiplier, that is, by how much the error falls for each radian (or length) by which the first
    culprit is widened. In units of the error; valid for a few degrees."""
    still: tuple[str, ...] = ()
    """frozen only: all joints above the goal's effectors that may not move, the nearest first."""
    ways: tuple[int, int] = (0, 0)
    """too_few_joints only: the number of independent ways in which the joints can move the effector, and the number of
    values that the goal fixes. The culprits are these joints, if each moves the effector in one separate way."""
    asking: tuple[str, ...] = ()
    """too_few_joints only: the goals that fix these values: the missed goal, or a position and an orientation."""
    confidence: Confidence = "likely"
    """
    certain  lengths alone prove it
    shown    a pose proves it
    likely   all starts failed
    unsure   no single cause was found
    """


@dataclass(frozen=True)
class Change:
    """Something to change so that the goal is met."""

    what: What
    """
    release          let joints move: solve with `freeze=change.freeze`. The limits of a locked joint are widened by
                     `amount` on both sides
    widen_limit      widen the limits by `amount`; all `parts` together
    move_target      move the target to `target`, `amount` away
    ask_less         replace the goal by the goals in `instead`
    drop_goal        drop the goals; all `parts` together
    lower_weight     multiply the weight by `amount`
    use_pose         use the pose of the report
    more_iterations  continue from the solution's pose; `amount` iterations were enough
    """
    parts: tuple[tuple[str, float], ...]
    """The name of each thing that is changed, and by how much, as length or radians."""
    unit: Unit = ""
    """Unit of the amounts."""
    verified: bool = False
    """Whether the change was tried on the whole problem and the goal was then met."""
    target: tuple[float, ...] = ()
    """move_target only: the new target, in the form and unit of `goal.target`."""
    turn: float = 0.0
    """move_target only: the angle by which the target is also turned, radians; 0 if it is only moved."""
    instead: tuple[Goal, ...] = ()
    """ask_less only: the goals that replace the changed one."""
    freeze: tuple[str, ...] = ()
    """release only: the joints that stay frozen, in the form that `freeze=` takes."""
    goals: tuple[int, ...] = ()
    """Indices of the changed goals among the solution's goals."""

    @property
    def subject(self) -> str:
        """The names of the changed things, in words."""
        return " and ".join(name for name, _ in self.parts)

    @property
    def amount(self) -> float:
        """Size of the change; the largest amount if there are several parts."""
        return max((amount for _, amount in self.parts), default=0.0)

    def applied(self, figure: Figure, goals: Sequence[Goal]) -> tuple[Figure, tuple[Goal, ...]]:
        """The figure and the goals with this change applied, for another `solve`.

        Pass `solution.figure` and `solution.goals`.

        The start, the number of iterations and frozen joints are arguments of `solve`. They are not part of the figure
        or the goals, so `use_pose` and `more_iterations` change nothing here. `release` only widens the limits of
        joints whose lower and upper limits are equal.

        Args:
            figure: the figure that was solved.
            goals: the goals that were solved.
        """
        if any(k >= len(goals) for k in self.goals):
            raise BadValue(f"the change concerns goal number {max(self.goals)}, but there are only {len(goals)} goals")
        if self.what == "widen_limit":
            wider = {limit_named(figure, name): amount for name, amount in self.parts}
            return with_wider_limits(figure, wider), tuple(goals)
        if self.what == "release":
            room = {limit: amount for name, amount in self.parts if amount > 0.0 for limit in limits_on(figure, name)}
            return (with_wider_limits(figure, room) if room else figure), tuple(goals)
        if self.what == "drop_goal":
            return figure, tuple(g for k, g in enumerate(goals) if k not in self.goals)
        if self.what == "ask_less":
            (place,) = self.goals
            return figure, (*goals[:place], *self.instead, *goals[place + 1 :])
        made = list(goals)
        for k in self.goals:
            if self.what == "move_target":
                made[k] = made[k].with_target(self.target)
            elif self.what == "lower_weight":
                made[k] = replace(made[k], weight=made[k].weight * self.amount)
        return figure, tuple(made)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Why one goal was missed, and which changes would help. `print(report)` prints it in sentences."""

    goal: str
    """Name of the goal."""
    error: float
    """The remaining error, in `unit`."""
    tolerance: float
    """The largest error that counts as reached, as length or radians."""
    unit: Unit
    """ "length" (the figure's own) or "rad"."""
    reasons: tuple[Reason, ...] = ()
    """The first reason is the main one. Empty for a goal that was met."""
    changes: tuple[Change, ...] = ()
    """Changes that would help. Those of the first reason come first; within a kind, the smallest comes first."""
    starts: int = 0
    """Number of starts of the search behind this report."""
    distinct_minima: int = 0
    """Number of different minima in which they ended."""
    unseen: float = 0.0
    """Estimated share of minima that were not seen, w (w + 1) / (n (n − 1)) for w minima of n starts (Boender and
    Rinnooy Kan). 0 if the report does not depend on a search."""
    re_solves: int = 0
    """Number of changed problems that were solved for this report."""
    pose: Vector | None = field(default=None, repr=False)
    """(nq,) a pose that meets the goal, stays within limits and does not worsen other goals; None if none was found."""
    text: str = field(default="", repr=False)
    """The report in sentences."""

    @property
    def reached(self) -> bool:
        """Whether the goal was met."""
        return self.error <= self.tolerance

    def __str__(self) -> str:
        return line(self.text)

    def __repr__(self) -> str:
        kinds = ", ".join(reason.kind for reason in self.reasons)
        return f"<Report {self.goal!r}: {'reached' if self.reached else kinds or 'missed'}>"

    def _repr_html_(self) -> str:
        verdict = "reached" if self.reached else "missed"
        changes = [[change.what.replace("_", " "), change.subject] for change in self.changes]
        lines = [self.text] if self.text else []
        return html_table(f"{self.goal}: {verdict}", ["what would help", ""] if changes else [], changes, lines)
