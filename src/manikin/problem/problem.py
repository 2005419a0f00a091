"""`Problem`: goals on a figure, a start, and the joints that may move."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import rotations
from manikin.arrays import Matrix, Placements, Vector, copies, frozen
from manikin.errors import BadShape
from manikin.figure.figure import Figure
from manikin.figure.free_root import free_root
from manikin.figure.movable import Hold, held_balls, movable_steps, partly_held
from manikin.goals import AnyOf, Effector, Goal, Reading
from manikin.goals.heading import heading_of
from manikin.kinematics.chart import Chart, chart_of, step_units
from manikin.problem.evaluation import Evaluation
from manikin.problem.levels import levels_of
from manikin.problem.settled import settled

ANGLE_LENGTH = 0.2
"""An error of one radian counts as much as an error of this length, in sizes of the figure. Results hardly change
between half and twice this value."""
MAX_CHOICES = 32
"""At most this many combinations of the members of AnyOf goals are tried."""


class Member(NamedTuple):
    """A goal, or one member of an AnyOf goal."""

    place: int
    """Index of the member in its AnyOf."""
    goal: Goal
    far: float
    """Error at the start, in units of the tolerance; 0 for a goal that is not an AnyOf."""


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
        hold: Hold | None = None,
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
            hold: the parts of balls that keep their values, {joint: "twist" or "swing"}.
        """
        asked = settled(figure, goals)
        self.figure = figure
        self.movable = movable_steps(figure, freeze, only, hold)
        """(nv,) bool: the steps that may change; see `figure.movable` for balls of which a part is held."""
        given = figure.rest if start is None else figure.check(copies(start)[0], "start pose")
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
        self.is_robust = any(g.robust is not None for g in goals)
        """Whether a goal has a robust loss."""
        self.counting: NDArray[np.bool_] = np.array([g.weight > 0.0 for g in goals])
        """(goals,) whether a goal counts. A goal with weight 0 is only reported."""
        self.levels = np.repeat(levels_of([g.rank for g in goals]), [g.rows for g in goals])
        """(m,) priority level of each row; 0 is the highest priority."""
        self.angle_length = ANGLE_LENGTH * self.figure.size
        """An error of one radian counts as much as an error of this length."""
        weights = np.array([g.weight * share for g in goals for share in g.row_weights])
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

    def derivative_at(self, at: Evaluation) -> Matrix:
        """(m, nv) derivative of the rows at a pose with respect to steps."""
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
        out[:, ~(self.movable | self.partly)] = 0.0
        return self.chart.at(q).without_held(out) if self.partly.any() else out

    @cached_property
    def partly(self) -> NDArray[np.bool_]:
        """(nv,) the steps of balls of which only a part may move."""
        return held_balls(self.figure, self.movable)

    # Steps and limits

    @cached_property
    def chart(self) -> Chart:
        """Coordinates in which limits are bounds, in radians and sizes."""
        return chart_of(self.figure, normalised=False, left=partly_held(self.figure, self.movable))

    @cached_property
    def range_chart(self) -> Chart:
        """The same coordinates, in units of the joint ranges."""
        return chart_of(self.figure, normalised=True, left=partly_held(self.figure, self.movable))

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
        if movable is not None:
            other.movable = movable
        if figure is not None or movable is not None:
            for name in ("chart", "range_chart", "partly"):  # they depend on the limits, and on parts that are held
                vars(other).pop(name, None)
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


def notes_on_starts(excess: Vector) -> tuple[str, ...]:
    """The notes on starts that were moved inside their limits. `excess` (B,) is how far outside each start was."""
    outside = int(np.count_nonzero(excess))
    if outside == 0:
        return ()
    worst = int(np.argmax(excess))
    if len(excess) == 1:
        return (f"the start was outside its limits by {excess[0]:.3g} and was clipped to them",)
    return (
        f"starts outside their limits were clipped to them: {outside} of {len(excess)}; start {worst} was the "
        f"furthest outside, by {excess[worst]:.3g}",
    )
