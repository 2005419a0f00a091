"""What a report consists of: plain records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from manikin.arrays import Vector
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
"""Lengths are in the figure's own unit."""


@dataclass(frozen=True)
class Reason:
    """One thing that keeps a goal from being met."""

    kind: Kind
    """
    out_of_reach   the target is further than the figure can stretch
    frozen         joints may not move, by `freeze=`, `only=` or limits without room; released, they let it be met
    limit          limits of joints are in the way, even with all other goals dropped
    too_few_joints position and orientation can each be met, but not both: the joints move it in too few ways
    conflict       another goal wants something else
    held           other goals stay met, and while they do the target is out of reach: feet that are planted, balance,
                   clearance (a collision) or a closed loop
    local_minimum  a pose that meets it exists; the solver was caught elsewhere
    singular       the target lies where the effector cannot move at this moment; a little bend would do
    budget         the solver had not finished
    unsure         no single cause was found
    """
    culprits: tuple[str, ...] = ()
    """Names of the joints ("LeftForeArm"), limits ("LeftForeArm (upper)", "LeftArm (cone)") or goals to blame, the
    first most of all; three at most unless all are needed. Where it is the root cause of another reason (a goal that
    pulls since it is out of reach itself), the goal that is meant."""
    together: bool = False
    """Whether all culprits are needed; else they are alternatives: without any one of them the goal is met."""
    amount: float = 0.0
    """By how much: out of reach by this, this limit is too narrow by this; for a conflict or what holds, how far it is
    out of reach while the other goals are met; 0 where there is nothing to measure."""
    unit: Unit = ""
    """Of the amount."""
    geometric: bool = False
    """out_of_reach only: it was missed without any limit too."""
    gain_per_unit: float = 0.0
    """limit only: the multiplier, by how much the error falls for each radian (or length) that the first culprit is
    widened, in units of the error; good for a few degrees."""
    still: tuple[str, ...] = ()
    """frozen only: all joints above the goal's effectors that may not move, the nearest first."""
    ways: tuple[int, int] = (0, 0)
    """too_few_joints only: in how many ways the joints can move the effector, and how many numbers are asked for. The
    culprits are these joints, where each moves it in one way of its own."""
    asking: tuple[str, ...] = ()
    """too_few_joints only: the goals that ask for them: the one missed, or a position and an orientation."""
    confidence: Confidence = "likely"
    """
    certain  by lengths alone
    shown    a pose is in hand
    likely   rests on starts that failed
    unsure   no single cause was found
    """


@dataclass(frozen=True)
class Change:
    """Something to change so that the goal is met."""

    what: What
    """
    release          let joints move: solve with `freeze=change.freeze`. A joint that is locked by its limits gets
                     `amount` of room on both sides
    widen_limit      by `amount`; all `parts` together
    move_target      to `target`, `amount` away
    ask_less         `instead` in place of the goal
    drop_goal        all `parts` together
    lower_weight     to `amount` times what it is
    use_pose         the pose of the report
    more_iterations  go on from the solution's pose; `amount` of them did it
    """
    parts: tuple[tuple[str, float], ...]
    """Each thing that is changed, by name, and by how much."""
    unit: Unit = ""
    """Of the amounts."""
    verified: bool = False
    """Whether it was tried on the whole problem, and the goal was then met."""
    target: tuple[float, ...] = ()
    """move_target only: the new target, as `goal.target` spells it."""
    turn: float = 0.0
    """move_target only: by how much the target is turned as well, radians; 0 where it is only moved."""
    instead: tuple[Goal, ...] = ()
    """ask_less only: the goals that take the place of the one that is changed."""
    freeze: tuple[str, ...] = ()
    """release only: the joints that stay frozen, as `freeze=` takes them."""
    goals: tuple[int, ...] = ()
    """Which goals are changed, by their place among the solution's."""

    @property
    def subject(self) -> str:
        """What is changed, in words."""
        return " and ".join(name for name, _ in self.parts)

    @property
    def amount(self) -> float:
        """By how much; the largest, where there are several parts."""
        return max((amount for _, amount in self.parts), default=0.0)

    def applied(self, figure: Figure, goals: Sequence[Goal]) -> tuple[Figure, tuple[Goal, ...]]:
        """The figure and the goals with this change made, for another `solve`. Takes `solution.figure`, `.goals`.

        Poses, iterations and frozen joints are no part of either: `use_pose` and `more_iterations` change nothing, and
        `release` only makes room for joints that are locked by their limits.
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
    """Why one goal was missed, and what would help. `print(report)` says it in sentences."""

    goal: str
    """Name of the goal."""
    error: float
    """What is left, in `unit`."""
    tolerance: float
    """The largest error that counts as reached."""
    unit: Unit
    """ "length" (the figure's own) or "rad"."""
    reasons: tuple[Reason, ...] = ()
    """The first is the one to name; none for a goal that was met."""
    changes: tuple[Change, ...] = ()
    """What would help, what belongs to the first reason first, smallest first within a kind."""
    starts: int = 0
    """How many starts the search rests on."""
    distinct_minima: int = 0
    """In how many different places they ended."""
    unseen: float = 0.0
    """Estimate of the share of places not seen, w (w + 1) / (n (n − 1)) for w minima of n starts (Boender and Rinnooy
    Kan); 0 where nothing rests on it."""
    re_solves: int = 0
    """How many changed problems were solved for this report."""
    pose: Vector | None = field(default=None, repr=False)
    """(nq,) a pose that meets the goal, where one was found that keeps limits and takes nothing from other goals."""
    text: str = field(default="", repr=False)
    """All this in sentences."""

    @property
    def reached(self) -> bool:
        """Whether the goal was met."""
        return self.error <= self.tolerance

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        kinds = ", ".join(reason.kind for reason in self.reasons)
        return f"<Report {self.goal!r}: {'reached' if self.reached else kinds or 'missed'}>"

    def _repr_html_(self) -> str:
        verdict = "reached" if self.reached else "missed"
        changes = [[change.what.replace("_", " "), change.subject] for change in self.changes]
        lines = [self.text] if self.text else []
        return html_table(f"{self.goal}: {verdict}", ["what would help", ""] if changes else [], changes, lines)
