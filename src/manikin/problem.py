"""Problems: goals on a figure, as errors and Jacobians. Only this file connects goals with joints.

A goal sees where its effectors are, but not the joints. A solver sees errors and Jacobians, but not the joints. A
problem multiplies the derivatives of the goals by the Jacobians of the figure (chain rule):

    rows      = goal.error(reading)                               space only
    jacobian  = goal.derivative(reading) @ figure's Jacobians     (m, nv)

All rows are converted to lengths. Angles are multiplied by `angle_length`, which is a fifth of `figure.size`. Every
row is then multiplied by the square root of its goal's weight. The cost is  F = ½ Σ wᵢ ‖rowsᵢ‖²  in lengths². The same
figure in centimetres has the same minima. Theory: docs/theory/2-state-and-effectors.md.
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
"""An error of one radian counts as much as an error of this length, in sizes of the figure. Results hardly change
between half and twice this value."""
WIDEST = 1e60
"""Largest ratio between the weight factors of the first and the last priority level."""
MAX_CHOICES = 32
"""At most this many combinations of the members of AnyOf goals are tried."""


class Member(NamedTuple):
    """A goal, or one member of an AnyOf goal."""

    place: int
    """Index of the member in its AnyOf."""
    goal: Goal
    far: float
    """Error at the start, in units of the tolerance; 0 for a goal that is not an AnyOf."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A problem at one pose."""

    problem: Problem
    pose: Vector
    """(nq,)"""
    rows: Vector
    """(m,) errors of all goals in order, as lengths or radians. Rows of one-sided goals are signed: a negative value is
    satisfied."""
    readings: tuple[Reading, ...]
    """The reading that each goal received."""

    @cached_property
    def errors(self) -> Vector:
        """(goals,) one number for each goal, in lengths or radians."""
        counted = self.counted
        problem = self.problem
        return np.array([g.measure(counted[at]) for g, at in zip(problem.goals, problem.slices, strict=True)])

    @cached_property
    def reached(self) -> bool:
        """Whether every goal that counts (weight above 0) is within its tolerance."""
        return bool(np.all((self.errors <= self.problem.tolerances) | ~self.problem.counting))

    @cached_property
    def residual(self) -> Vector:
        """(m,) the weighted residual r, in lengths; satisfied one-sided rows are 0."""
        residual: Vector = self.problem.scale * self.counted
        return residual

    @property
    def cost(self) -> float:
        """F = ½ ‖r‖², length²."""
        return 0.5 * float(self.residual @ self.residual)

    @cached_property
    def derivative(self) -> Matrix:
        """(m, nv) derivative of `rows` with respect to steps; the columns of joints that may not move are 0."""
        return self.problem._derivative(self)

    @cached_property
    def jacobian(self) -> Matrix:
        """(m, nv) J, the derivative of `residual` with respect to steps; satisfied one-sided rows are 0."""
        problem = self.problem
        counts = np.where(problem.one_sided & (self.rows <= 0.0), 0.0, problem.scale)
        jacobian: Matrix = counts[:, None] * self.derivative
        return jacobian

    @property
    def counted(self) -> Vector:
        """(m,) `rows`, with satisfied one-sided rows set to 0."""
        return np.where(self.problem.one_sided, np.maximum(self.rows, 0.0), self.rows)


@dataclass(frozen=True, eq=False)
class Settled:
    """Goals that were checked against a figure."""

    goals: tuple[Goal, ...]
    """The goals, with checked names, with tolerances, and with targets clipped if they are too far away."""
    notes: tuple[str, ...]
    """Changes that were made to the goals, and facts about the figure that the goals ignore."""
    unseen: tuple[str, ...]
    """Facts about the figure that the goals ignore."""


def settled(figure: Figure, goals: Sequence[Goal] | Goal) -> Settled:
    """Checks goals against a figure and fills in values that depend on it. Warns of facts that the goals ignore.

    Raises:
        BadValue: `figure` is not a Figure, a goal is not a Goal, or there are no goals.
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
    heard = {note for goal in given for note in goal.notes}  # an earlier problem with the same goals has already warned
    for note in unseen:
        if note not in heard:
            warn(note, MissingShape)
    return Settled(near, clipped + unseen, unseen)


class Problem:
    """Goals on a figure, a start, and the joints that may move. `problem.at(q)` has errors and Jacobians at a pose.

    Each `AnyOf` is replaced by the member with the smallest error at the start. `choices` returns the other
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
            figure: the figure to pose.
            goals: at least one goal.
            start: pose (nq,) to start from. None means the rest pose, turned and moved to the targets if three or more
                effectors determine a heading (see `solve`). A start outside the limits is moved inside them (see
                `notes`).
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None means all except held sliders.
        """
        asked = settled(figure, goals)
        self.figure = figure
        self.movable = movable_steps(figure, freeze, only)
        """(nv,) bool: the steps that may change."""
        given = figure.rest if start is None else figure.check(start, "start pose")
        if given.shape != (figure.nq,):
            raise BadShape(f"start pose has shape {given.shape}; one solve needs one pose, ({figure.nq},)")
        self.start_violation = float(figure.violation(given))
        """Distance of the given start outside its limits, in radians or lengths."""
        self.start: Vector = frozen(figure.clamp(given) if self.start_violation > 0.0 else given)
        """(nq,) the pose from which solvers start, within limits."""
        self._rest: Vector | None = self.start if start is None else None  # the pose to turn and move to the targets
        self.notes: tuple[str, ...] = notes_on_starts(np.array([self.start_violation]))
        """Sentences about changes that were made to the input."""
        self.notes += asked.notes
        self.unseen: tuple[str, ...] = asked.unseen
        """Sentences about facts of the figure that the goals ignore. They are also among the notes."""
        near = asked.goals
        plain = [goal for goal in near if not isinstance(goal, AnyOf)]
        if len(plain) < len(near):  # rank members at the start that the other goals determine
            self._turn_to(plain)
        self._options = [self._ranked(goal) for goal in near]
        self._combinations = self._nearest_first()
        self._choose(self._combinations[0])

    def _choose(self, members: Sequence[Member]) -> None:
        """Uses one member for each goal."""
        self.chosen: tuple[int, ...] = tuple(member.place for member in members)
        """(goals,) the index of the chosen member of each AnyOf; 0 for other goals."""
        self._settle(tuple(member.goal for member in members))
        self._turn_to(self.goals)

    def _turn_to(self, goals: Sequence[Goal]) -> None:
        """Turns and moves the start to the targets of these goals, if the caller gave no start."""
        if self._rest is None:
            return
        heading = heading_of(self.figure, goals, self._rest, self.movable)
        if heading is None:
            self.start = self._rest
            return
        row, weights = np.concatenate([g.target for g in goals]), np.array([g.weight for g in goals])
        self.start = frozen(heading.starts(row[None], weights)[0])

    def _settle(self, goals: tuple[Goal, ...]) -> None:
        """Sets the attributes that depend on the goals."""
        self.goals: tuple[Goal, ...] = goals
        """The goals, checked against the figure; each AnyOf is replaced by one of its members."""
        ends = np.cumsum([0, *(g.rows for g in goals)])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        """Rows of each goal."""
        self.rows = int(ends[-1])
        """m, the number of rows."""
        self.angular: NDArray[np.bool_] = np.array([a for g in goals for a in g.angular], dtype=bool)
        """(m,) rows that are angles."""
        self.one_sided: NDArray[np.bool_] = np.repeat([bool(g.one_sided) for g in goals], [g.rows for g in goals])
        """(m,) rows that count only if they are positive."""
        self.tolerances = frozen([g.allowed for g in goals])
        """(goals,) the largest error that counts as reached."""
        self.counting: NDArray[np.bool_] = np.array([g.weight > 0.0 for g in goals])
        """(goals,) whether a goal counts. A goal with weight 0 is only reported."""
        self.levels = np.repeat(levels_of([g.priority for g in goals]), [g.rows for g in goals])
        """(m,) priority level of each row; 0 is the highest priority."""
        self.angle_length = ANGLE_LENGTH * self.figure.size
        """An error of one radian counts as much as an error of this length."""
        weights = np.repeat([g.weight for g in goals], [g.rows for g in goals])
        self.scale = frozen(np.sqrt(weights) * np.where(self.angular, self.angle_length, 1.0))
        """(m,) the factor of each row."""
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
        """The same coordinates, in units of the joint ranges."""
        return chart_of(self.figure, normalised=True)

    @cached_property
    def step_unit(self) -> Vector:
        """(nv,) 1 for turns and `figure.size` for slides: the unit of a step in solvers without limits."""
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
        """The problems for all combinations of members of the `AnyOf` goals. This problem is the first.

        They are ordered by the sum of the errors at the start, each in units of its tolerance. There are at most
        `MAX_CHOICES`. If the start was turned to the targets, each combination has a different start.
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
        """The errors of the members of AnyOf goals at the start of their combination, in units of tolerance."""
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
        """The same problem with some parts changed. An argument that is None leaves its part unchanged.

        Args:
            goals: settled on the figure (`goal.on`), none an AnyOf.
            figure: the same figure with other limits.
            movable: (nv,) the steps that may change.
            start: (nq,) within limits.
        """
        other = copy.copy(self) if goals is None else self._with_members([Member(0, goal, 0.0) for goal in goals])
        if figure is not None:
            other.figure = figure
            for chart in ("chart", "range_chart"):  # charts depend on the limits
                vars(other).pop(chart, None)
        if movable is not None:
            other.movable = movable
        if start is not None:
            other.start = frozen(start)
        return other

    def _with_members(self, members: Sequence[Member]) -> Problem:
        """The same problem with other goals, which were already checked against the figure."""
        other = object.__new__(Problem)
        other.figure, other.movable, other.start = self.figure, self.movable, self.start
        other.start_violation, other.notes, other.unseen = self.start_violation, self.notes, self.unseen
        other._rest = self._rest
        other._options, other._combinations = [[member] for member in members], [tuple(members)]
        other._choose(members)
        return other


def levels_of(priorities: Sequence[int]) -> NDArray[np.int64]:
    """The levels 0, 1, … of priorities. Priorities may have gaps: (0, 5, 5, 9) become (0, 1, 1, 2)."""
    levels: NDArray[np.int64] = np.unique(priorities, return_inverse=True)[1].astype(np.int64)
    return levels


def level_factors(levels: NDArray[np.int64], factor: float) -> Vector:
    """The factors of weights that make every level count `factor` times as much as the next.

    The factors differ by at most `WIDEST`. The levels below that share one factor.
    """
    most = min(int(levels.max(initial=0)), int(np.log(WIDEST) / np.log(factor)))
    out: Vector = factor ** np.maximum(most - levels, 0).astype(np.float64)
    return out


def notes_on_starts(excess: Vector) -> tuple[str, ...]:
    """The notes on starts that were moved inside their limits. `excess` (B,) is how far outside each start was."""
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
