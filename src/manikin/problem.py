"""Problems: goals on a figure, as errors and Jacobians. The one place where goals and joints meet.

A goal knows where its effectors are, not which joints moved them; a solver knows errors and Jacobians, not joints.
Here the two are multiplied (chain rule):

    rows      = goal.error(reading)                               space only
    jacobian  = goal.derivative(reading) @ figure's Jacobians     (m, nv)

Rows are brought to one unit, lengths: angles are multiplied by `angle_length`, a fifth of `figure.size`, and every
row by the square root of its goal's weight. So the cost is  F = ½ Σ wᵢ ‖rowsᵢ‖²  in lengths², and the same figure in
centimetres has the same minima. Theory: docs/theory/2-state-and-effectors.md.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import rotations
from manikin.arrays import Matrix, Placements, Vector, frozen
from manikin.errors import BadShape, BadValue, MissingShape, warn
from manikin.figure.figure import Figure
from manikin.figure.free_root import free_root
from manikin.figure.movable import movable_steps
from manikin.goals import AnyOf, Effector, Goal, Reading
from manikin.goals.goal import FARTHEST
from manikin.goals.heading import heading_of
from manikin.kinematics.chart import Chart, chart_of, step_units

ANGLE_LENGTH = 0.2
"""How many sizes of the figure an error of one radian weighs. Results are flat from half to twice this."""
WIDEST = 1e60
"""Most between the factors of the first and the last level of priority."""
MAX_CHOICES = 32
"""At most so many combinations of the members of AnyOf goals are tried."""


class Member(NamedTuple):
    """A goal that stands for itself, or a member of an AnyOf that stands for it."""

    place: int
    """Which member."""
    goal: Goal
    far: float
    """Its error at the start, in units of its tolerance; 0 where there is nothing to choose."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A problem at one pose."""

    problem: Problem
    pose: Vector
    """(nq,)"""
    rows: Vector
    """(m,) errors of all goals in order, each in its own unit; rows of one-sided goals are signed: good below 0."""
    readings: tuple[Reading, ...]
    """What each goal was shown."""

    @cached_property
    def errors(self) -> Vector:
        """(goals,) one number a goal, in lengths or radians."""
        counted = self.counted
        problem = self.problem
        return np.array([g.measure(counted[at]) for g, at in zip(problem.goals, problem.slices, strict=True)])

    @cached_property
    def reached(self) -> bool:
        """Whether every goal that counts (weight above 0) is within its tolerance."""
        return bool(np.all((self.errors <= self.problem.tolerances) | ~self.problem.counting))

    @cached_property
    def residual(self) -> Vector:
        """(m,) r, weighted, in lengths; satisfied one-sided rows are 0."""
        residual: Vector = self.problem.scale * self.counted
        return residual

    @property
    def cost(self) -> float:
        """F = ½ ‖r‖², length²."""
        return 0.5 * float(self.residual @ self.residual)

    @cached_property
    def derivative(self) -> Matrix:
        """(m, nv) of `rows` by steps; columns of joints that may not move are 0."""
        return self.problem._derivative(self)

    @cached_property
    def jacobian(self) -> Matrix:
        """(m, nv) J, of `residual` by steps; satisfied one-sided rows are 0."""
        problem = self.problem
        counts = np.where(problem.one_sided & (self.rows <= 0.0), 0.0, problem.scale)
        jacobian: Matrix = counts[:, None] * self.derivative
        return jacobian

    @property
    def counted(self) -> Vector:
        """(m,) `rows` with satisfied one-sided rows at 0."""
        return np.where(self.problem.one_sided, np.maximum(self.rows, 0.0), self.rows)


@dataclass(frozen=True, eq=False)
class Settled:
    """Goals that have met their figure."""

    goals: tuple[Goal, ...]
    """Names checked, tolerances filled in, targets that are too far away clipped."""
    notes: tuple[str, ...]
    """What was done to them, and what they cannot see of the figure, in words."""
    unseen: tuple[str, ...]
    """What they cannot see of the figure."""


def settled(figure: Figure, goals: Sequence[Goal] | Goal) -> Settled:
    """Goals settled on a figure. Warns of what they cannot see.

    Raises:
        BadValue: the figure is none, a goal is none, or there are no goals.
    """
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {figure!r}; it needs a Figure, such as manikin.human()")
    if not isinstance(goals, (Goal, Iterable)):
        raise BadValue(f'goals are {goals!r}; it needs a goal such as Position("RightHand", (x, y, z)), or several')
    given = [goals] if isinstance(goals, Goal) else list(goals)
    for goal in given:
        if not isinstance(goal, Goal):
            raise BadValue(f'goals contains {goal!r}; each must be a goal such as Position("RightHand", (x, y, z))')
    if not given:
        raise BadValue("there are no goals; a problem needs at least one")
    placed = [goal.on(figure) for goal in given]
    near = tuple(goal.clipped(figure) for goal in placed)
    clipped = tuple(
        f"{goal.label}: what is farther away than {FARTHEST:g} sizes of the figure was taken to be there"
        for goal, other in zip(placed, near, strict=True)
        if goal is not other
    )
    unseen = tuple(dict.fromkeys(note for goal in placed for note in goal.notes))
    heard = {note for goal in given for note in goal.notes}  # goals of another problem, which has said it
    for note in unseen:
        if note not in heard:
            warn(note, MissingShape)
    return Settled(near, clipped + unseen, unseen)


class Problem:
    """Goals on a figure, a start, and which joints may move. `problem.at(q)` gives errors and Jacobians at a pose.

    In place of an `AnyOf` stands one of its members, the one nearest at the start; `choices` gives the other
    combinations.
    """

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal] | Goal,
        start: ArrayLike | None = None,
        *,
        freeze: Sequence[str] = (),
        only: Sequence[str] | None = None,
    ) -> None:
        """
        Args:
            figure: what is posed.
            goals: at least one.
            start: pose (nq,) to start from; None is the rest pose, turned and moved to the targets where three or more
                effectors fix a heading (see `solve`). Outside its limits it is brought in (`notes`).
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None is all but held sliders.
        """
        asked = settled(figure, goals)
        self.figure = figure
        self.movable = movable_steps(figure, freeze, only)
        """(nv,) bool: steps that are allowed."""
        given = figure.rest if start is None else figure.check(start, "start pose")
        if given.shape != (figure.nq,):
            raise BadShape(f"start pose has shape {given.shape}; one solve needs one pose, ({figure.nq},)")
        self.start_violation = float(figure.violation(given))
        """How far the start given was outside its limits, radians or length."""
        self.start: Vector = frozen(figure.clamp(given) if self.start_violation > 0.0 else given)
        """(nq,) where solvers start, within limits."""
        self._rest: Vector | None = self.start if start is None else None  # what is turned and moved to the targets
        self.notes: tuple[str, ...] = notes_on_starts(np.array([self.start_violation]))
        """What was done to the input, in words."""
        self.notes += asked.notes
        self.unseen: tuple[str, ...] = asked.unseen
        """What goals cannot see of the figure, in words; also among the notes."""
        near = asked.goals
        plain = [goal for goal in near if not isinstance(goal, AnyOf)]
        if len(plain) < len(near):  # members are ranked at the start that the other goals ask for
            self._turn_to(plain)
        self._options = [self._ranked(goal) for goal in near]
        self._combinations = self._nearest_first()
        self._choose(self._combinations[0])

    def _choose(self, members: Sequence[Member]) -> None:
        """One member for each goal."""
        self.chosen: tuple[int, ...] = tuple(member.place for member in members)
        """(goals,) which member of each AnyOf stands in for it; 0 for other goals."""
        self._settle(tuple(member.goal for member in members))
        self._turn_to(self.goals)

    def _turn_to(self, goals: Sequence[Goal]) -> None:
        """The start turned and moved to the targets of these goals, where the caller gave none."""
        if self._rest is None:
            return
        heading = heading_of(self.figure, goals, self._rest, self.movable)
        if heading is None:
            self.start = self._rest
            return
        row, weights = np.concatenate([g.target for g in goals]), np.array([g.weight for g in goals])
        self.start = frozen(heading.starts(row[None], weights)[0])

    def _settle(self, goals: tuple[Goal, ...]) -> None:
        """What follows from the goals."""
        self.goals: tuple[Goal, ...] = goals
        """The goals, with all that depends on the figure settled, and each AnyOf replaced by one of its members."""
        ends = np.cumsum([0, *(g.rows for g in goals)])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        """Rows of each goal."""
        self.rows = int(ends[-1])
        """m, the number of rows."""
        self.angular: NDArray[np.bool_] = np.array([a for g in goals for a in g.angular], dtype=bool)
        """(m,) rows that are angles."""
        self.one_sided: NDArray[np.bool_] = np.repeat([bool(g.one_sided) for g in goals], [g.rows for g in goals])
        """(m,) rows that count only above 0."""
        self.tolerances = frozen([g.allowed for g in goals])
        """(goals,) the largest error that counts as reached."""
        self.counting: NDArray[np.bool_] = np.array([g.weight > 0.0 for g in goals])
        """(goals,) whether a goal counts; one of weight 0 is only reported."""
        self.levels = np.repeat(levels_of([g.priority for g in goals]), [g.rows for g in goals])
        """(m,) level of priority of each row; 0 first."""
        self.angle_length = ANGLE_LENGTH * self.figure.size
        """Length that an error of one radian counts as."""
        weights = np.repeat([g.weight for g in goals], [g.rows for g in goals])
        self.scale = frozen(np.sqrt(weights) * np.where(self.angular, self.angle_length, 1.0))
        """(m,) what each row is multiplied with."""
        self._effectors: list[Effector] = list(dict.fromkeys(e for g in goals for e in g.effectors))
        self._segments = list(dict.fromkeys(e.segment for e in self._effectors))
        self._places = [
            (
                self._segments.index(e.segment),
                np.array(e.offset) if any(e.offset) else None,
                rotations.to_matrix(np.array(e.rotation)) if e.turned else None,
            )
            for e in self._effectors
        ]
        place = {e: i for i, e in enumerate(self._effectors)}
        self._reads = [[place[e] for e in g.effectors] for g in goals]
        self._reads_mass = any(g.reads_mass for g in goals)

    def at(self, q: Vector) -> Evaluation:
        """The problem at a pose (nq,)."""
        placed = self._placements(q)
        center = self.figure.center_of_mass(q) if self._reads_mass else None
        readings = tuple(
            Reading(placed[reads], center if g.reads_mass else None, q if g.reads_pose else None)
            for g, reads in zip(self.goals, self._reads, strict=True)
        )
        rows = [g.error(reading) for g, reading in zip(self.goals, readings, strict=True)]
        return Evaluation(self, frozen(q), np.concatenate(rows), readings)

    def _placements(self, q: Vector) -> Placements:
        """(effectors, 4, 4): rotation and position of each effector."""
        segments = self.figure.placements(q, self._segments)
        out = segments[[i for i, _, _ in self._places]]
        for k, (_, offset, turn) in enumerate(self._places):
            if offset is not None:
                out[k, :3, 3] += out[k, :3, :3] @ offset
            if turn is not None:
                out[k, :3, :3] = out[k, :3, :3] @ turn
        return out

    def _derivative(self, at: Evaluation) -> Matrix:
        q, figure = at.pose, self.figure
        effector_jacobians = [figure.jacobian(q, e.segment, e.offset) for e in self._effectors]
        mass_jacobian = figure.com_jacobian(q) if self._reads_mass else None
        out = np.zeros((self.rows, figure.nv))
        for goal, reading, reads, rows in zip(self.goals, at.readings, self._reads, self.slices, strict=True):
            parts = [effector_jacobians[i] for i in reads]
            if goal.reads_mass:
                assert mass_jacobian is not None
                parts.append(mass_jacobian)
            if goal.reads_pose:
                parts.append(np.eye(figure.nv))
            out[rows] = goal.derivative(reading) @ np.concatenate(parts)
        out[:, ~self.movable] = 0.0
        return out

    # Steps and limits

    @cached_property
    def chart(self) -> Chart:
        """Coordinates in which limits are bounds, in radians and sizes."""
        return chart_of(self.figure, normalised=False)

    @cached_property
    def range_chart(self) -> Chart:
        """The same, measured by the ranges of the joints."""
        return chart_of(self.figure, normalised=True)

    @cached_property
    def step_unit(self) -> Vector:
        """(nv,) 1 for turns and `figure.size` for slides: the step in which solvers without limits count."""
        return step_units(self.figure)

    def limits_at(self, q: Vector, slack: float = 1e-9) -> tuple[str, ...]:
        """Names of the limits that a pose touches: "LeftForeArm (upper)", "LeftArm (cone)", "LeftArm (twist)"."""
        figure, names = self.figure, self.figure.number_names
        found = [
            f"{names[n]} ({side})"
            for side, bound in (("lower", figure.lower), ("upper", figure.upper))
            for n in np.flatnonzero(np.abs(q - bound) <= slack)
        ]
        chart = self.chart
        for c, (x, y, t) in enumerate(chart.coordinates(q)):
            joint = names[chart.cones.number[c]].removesuffix(".w")
            if np.hypot(x, y) >= 1.0 - slack:
                found.append(f"{joint} (cone)")
            if abs(t) >= 1.0 - slack and not chart.cones.turning[c] and chart.cones.half[c] > 0.0:
                found.append(f"{joint} (twist)")
        return tuple(found)

    # AnyOf

    def choices(self) -> Iterator[Problem]:
        """The problems that come of choosing members of the `AnyOf` goals: this one first, then the others.

        In order of the sum of the errors at the start (each in units of its tolerance), at most `MAX_CHOICES`. A start
        that has the heading of the targets is another one for each of them.
        """
        for k, combo in enumerate(self._combinations[:MAX_CHOICES]):
            yield self if k == 0 else self._with_members(combo)

    def _nearest_first(self) -> list[tuple[Member, ...]]:
        """The combinations of members, in the order in which they are tried."""
        combinations = list(itertools.islice(itertools.product(*self._options), 4 * MAX_CHOICES))
        if len(combinations) > 1 and self._rest is not None and free_root(self.figure, self._rest) is not None:
            return sorted(combinations, key=self._far)
        return sorted(combinations, key=lambda combo: sum(member.far for member in combo))

    def _far(self, members: Sequence[Member]) -> float:
        """The errors of the members of AnyOf goals, in units of tolerance, at the start that goes with them."""
        problem = self._with_members(members)
        ratios = problem.at(problem.start).errors / problem.tolerances
        return float(sum(r for r, options in zip(ratios, self._options, strict=True) if len(options) > 1))

    def _ranked(self, goal: Goal) -> list[Member]:
        """The goal, or the members of an AnyOf, nearest first."""
        if not isinstance(goal, AnyOf):
            return [Member(0, goal, 0.0)]
        members = [Member(k, m, 0.0) for k, m in enumerate(goal.members)]
        far = [float(self._with_members([m]).at(self.start).errors[0]) / m.goal.allowed for m in members]
        return sorted((m._replace(far=f) for m, f in zip(members, far, strict=True)), key=lambda member: member.far)

    def variant(
        self,
        goals: Sequence[Goal] | None = None,
        *,
        figure: Figure | None = None,
        movable: NDArray[np.bool_] | None = None,
        start: Vector | None = None,
    ) -> Problem:
        """The same problem with some things changed; what is None stays.

        Args:
            goals: settled on the figure (`goal.on`), none an AnyOf.
            figure: the same but for its limits.
            movable: (nv,) steps that are allowed.
            start: (nq,) within limits.
        """
        other = copy.copy(self) if goals is None else self._with_members([Member(0, goal, 0.0) for goal in goals])
        if figure is not None:
            other.figure = figure
            for chart in ("chart", "range_chart"):  # limits are part of them
                vars(other).pop(chart, None)
        if movable is not None:
            other.movable = movable
        if start is not None:
            other.start = frozen(start)
        return other

    def _with_members(self, members: Sequence[Member]) -> Problem:
        """The same problem with other goals, which are settled already."""
        other = object.__new__(Problem)
        other.figure, other.movable, other.start = self.figure, self.movable, self.start
        other.start_violation, other.notes, other.unseen = self.start_violation, self.notes, self.unseen
        other._rest = self._rest
        other._options, other._combinations = [[member] for member in members], [tuple(members)]
        other._choose(members)
        return other


def levels_of(priorities: Sequence[int]) -> NDArray[np.int64]:
    """The levels 0, 1, … of priorities, which may leave numbers out: (0, 5, 5, 9) are (0, 1, 1, 2)."""
    levels: NDArray[np.int64] = np.unique(priorities, return_inverse=True)[1].astype(np.int64)
    return levels


def level_factors(levels: NDArray[np.int64], factor: float) -> Vector:
    """What weights are multiplied with so that every level is `factor` times the next.

    From the first level down to where factors would differ by more than `WIDEST`; the levels below that count as one.
    """
    most = min(int(levels.max(initial=0)), int(np.log(WIDEST) / np.log(factor)))
    out: Vector = factor ** np.maximum(most - levels, 0).astype(np.float64)
    return out


def notes_on_starts(excess: Vector) -> tuple[str, ...]:
    """What to say of starts that were brought inside their limits: (B,) how far outside they were."""
    outside = int(np.count_nonzero(excess))
    if outside == 0:
        return ()
    worst = int(np.argmax(excess))
    if len(excess) == 1:
        return (f"the start was outside its limits by {excess[0]:.3g} and was brought in",)
    return (
        f"starts outside their limits were brought in: {outside} of {len(excess)}, start {worst} the furthest outside, "
        f"by {excess[worst]:.3g}",
    )
