"""`Solver`: a figure and goals compiled once; targets, weights and which goals are active change from call to call.

Each method answers natively where its arguments are as the core takes them (cpp/bindings/door.h). What stands below a
method's docstring is the way for all other calls: it converts the arguments, or says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.movable import movable_steps
from manikin.goals import AnyOf, Goal
from manikin.goals.loops import with_loops
from manikin.problem import settled
from manikin.solution import Solution, Solutions
from manikin.solvers import whole
from manikin.solvers.native.arguments import (
    Stiffness,
    checked_out,
    checked_pick,
    names,
    one_pose,
    poses,
    preference_options,
    row_count,
    shared_options,
    track_options,
)
from manikin.solvers.native.block import callbacks_of, problem_block
from manikin.solvers.native.natural import NaturalWords, Start
from manikin.solvers.native.speeds import MaxSpeed, frame_times, note_on_speeds, number_speeds
from manikin.solvers.native.stored import Stored
from manikin.solvers.native.targets import TargetRows, Targets, goal_targets
from manikin.solvers.native.tuning import tuning

if TYPE_CHECKING:
    Method = TypeVar("Method", bound=Callable[..., Any])

    def native_method(function: Method) -> Method: ...
else:
    try:
        from manikin._core import native_method
    except ImportError:  # reported as soon as something is to be computed (`backend`)

        def native_method(function):
            """The method as it is."""
            return function


class Solver:
    """Goals on a figure, compiled once; the production solver. Nothing in it changes, so threads may share it.

    `targets` is one row of numbers for the goals in order (`target_layout`): Position 3 (or its axes), Orientation 4,
    Placement 7, Aim 3, Plane 6 (point, normal), Balance 0, AnyOf the sum of its members. `row` makes such a row of
    targets by name. Where all goals are placements, 4×4 matrices are taken too.

    The closed loops of the figure are goals too, after those given and before them in priority (see `solve`); they have
    errors, but no targets, weights or activity that could be changed.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> solver = Solver(arm, [mk.Position("Tip", (1.0, 1.0), axes="xy")])
        >>> solver.target_layout
        [('Position Tip', slice(0, 2, None))]
        >>> solver.solve_many(arm.rest, [[1.0, 1.0], [0.0, 2.5], [9.0, 0.0]]).reached
        array([ True,  True, False])
    """

    method = "auto"
    """What solutions say they were found by."""

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal] | Goal,
        *,
        freeze: Sequence[str] = (),
        only: Sequence[str] | None = None,
        loops: bool = True,
        damping: float | None = None,
        angle_length: float | None = None,
    ) -> None:
        """
        Args:
            figure: what is posed.
            goals: at least one; their targets are the default ones.
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None is all but held sliders.
            loops: keep the closed loops of the figure.
            damping: lengths per radian: a step of one radian costs at least as much as a goal missed by this length.
                More makes steps shorter where a pose is nearly singular, and solves slower. None is 0.00316
                `figure.size`.
            angle_length: lengths per radian: an error of one radian counts as much as one of this length. None is 0.2
                `figure.size`. With another `damping` or `angle_length` arms are solved like all other figures, which is
                slower. See docs/tuning.md.
        """
        from manikin import _core

        given = [goals] if isinstance(goals, Goal) else list(goals) if isinstance(goals, Iterable) else goals
        wanted: Sequence[Goal] = with_loops(figure, given) if loops else given
        asked = settled(figure, wanted)
        movable = movable_steps(figure, freeze, only)
        tuned = tuning(figure.size, damping, angle_length)
        shares = [[m.weight for m in g.members] if isinstance(g, AnyOf) else [1.0] for g in wanted]
        weights = [g.weight for g in given] + [1.0] * (len(asked.goals) - len(given))  # loops always count
        self.figure = figure
        self.goals: tuple[Goal, ...] = asked.goals
        """The goals given, then those of the closed loops."""
        self.movable: NDArray[np.bool_] = arrays.frozen(movable, bool)
        """(nv,) the steps that are allowed."""
        self.notes: tuple[str, ...] = asked.unseen
        """What goals cannot see of the figure, in words."""
        named = goal_targets(self.goals)
        width = named[len(given) - 1].at.stop if given else 0
        own = np.concatenate([g.target for g in self.goals])[:width]
        self._take_targets(TargetRows(named[: len(given)], arrays.frozen(own)))
        self._slices = [goal.at for goal in named]
        self._stored: Stored | None = None
        options: dict[str, Any] = {"freeze": names(freeze), "only": None if only is None else names(only)}
        options |= {"loops": loops, "damping": damping, "angle_length": angle_length}
        self._made_of = (tuple(given), options)
        self._block = problem_block(
            figure, self.goals, movable, own=len(given), weights=weights, shares=shares, tuned=tuned
        )
        self._query = _core.Query(self._block)
        self._callbacks = callbacks_of(figure, self.goals)
        self._natural = NaturalWords(figure, self.goals, movable)

    def _take_targets(self, rows: TargetRows) -> None:
        self._targets = rows
        self.target_layout: list[tuple[str, slice]] = [(goal.label, goal.at) for goal in rows.goals]
        """(goal name, slice) of each goal in a row of targets."""
        self.width = rows.width
        """How many numbers a row of targets has."""
        self.targets: Vector = rows.own
        """(k,) the goals' own targets."""

    @native_method
    def solve(
        self,
        start: Start = None,
        targets: Targets = None,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int | None = None,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: Start = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Vector | None = None,
    ) -> Solution:
        """One pose. The same as one row of `solve_many`.

        The GIL is released, except for arms that reach their target within a few microseconds.

        Args:
            start: (nq,) where to start. Outside its limits it is brought in, and `start_violation` and `notes` say so.
                None is the rest pose, turned and moved to the targets where three or more effectors fix a heading;
                "natural" is as a person would stand (see `manikin.natural`).
            targets: (k,), or goals by name (see `row`); None keeps the goals' own.
            weights, active, restarts, iterations, budget, seed, pick, prefer, stiffness, settle: as for `solve_many`,
                each for one row.
            out: (nq,) takes the pose, on the same terms as in `Figure.placements`.
        """
        from manikin import _core

        row = self._targets.one(targets, "targets", "solve takes one row,")
        wished = self._natural.wished(start, row, weights, active, prefer, stiffness)
        first = one_pose(self.figure, wished.start, "solve takes")
        checked_out(out, (self.figure.nq,), wished.start)
        options = shared_options(self._own, 1, weights, active, restarts, iterations, budget, seed)
        options |= preference_options(self.figure, 1, wished.prefer, wished.stiffness) | {"settle": bool(settle)}
        solution: Solution = _core.solve(self, first, row, **options, pick=checked_pick(pick), out=out)
        return wished.noted(solution)

    @native_method
    def solve_many(
        self,
        start: Start = None,
        targets: Targets = None,
        threads: int = 1,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int | None = None,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: Start = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Matrix | None = None,
    ) -> Solutions:
        """Many poses, each on its own: the same bits whatever the number of threads, and the same as `solve`.

        Args:
            start: (B, nq), or (nq,) for all. Outside their limits starts are brought in, and `start_violation` and
                `notes` say so. None is the rest pose, in each row turned and moved to its targets where three or more
                of its active effectors fix a heading (see `manikin.solve`). "natural" is, in each row, as a person
                would stand (see `manikin.natural`).
            targets: (B, k), or (k,) for all; None keeps the goals' own. NaN only where `active` is False.
            threads: over the rows.
            weights: (goals,) or (B, goals), in place of the goals' own.
            active: (goals,) or (B, goals) bool: which goals count; None is all.
            restarts: most other starts that one search follows, where the first ends in a local minimum. It means the
                same for every figure, and 0 is one start. None is the usual number, which docs/tuning.md lists: 30, and
                more where starts are cheap.
            iterations: most iterations of one row, all its starts together.
            budget: seconds for the whole call; None is without end. With it, results may depend on the machine.
            seed: of the random starts.
            pick: which of several solutions an arm takes (one Placement at the end of six to eight joints): "near",
                the one nearest to its start, or "first", the first that is found, which is several times as fast.
            prefer: (nq,) or (B, nq) a pose to pull toward on the way to the goals. The pull vanishes with the error, so
                it biases no goal, and it never counts for `reached`. None pulls to the middle of the ranges.
            stiffness: of that pull: one number for each step (nv,), or {joint: number} with 1 for joints that are not
                named; only ratios count. None is 1, and 0 for a free root.
            settle: where the goals are met, go on along the poses that meet them to the one nearest to the preferred
                pose. Which pose that is does not depend on the start, where there is only one.
            out: (B, nq) takes the poses, on the same terms as in `Figure.placements`.
        """
        from manikin import _core

        rows = self._targets.rows(targets)
        wished = self._natural.wished(start, rows, weights, active, prefer, stiffness)
        first = poses(self.figure, wished.start)
        count = row_count(first, rows)
        checked_out(out, (count, self.figure.nq), wished.start)
        options = shared_options(self._own, count, weights, active, restarts, iterations, budget, seed)
        options |= preference_options(self.figure, count, wished.prefer, wished.stiffness) | {"settle": bool(settle)}
        number = whole(threads, "threads", 1)
        solutions: Solutions = _core.solve_many(self, first, rows, number, **options, pick=checked_pick(pick), out=out)
        return wished.noted(solutions)

    @native_method
    def track(
        self,
        start: Start,
        targets: Targets,
        *,
        before: ArrayLike | None = None,
        dt: float | None = None,
        times: ArrayLike | None = None,
        max_speed: MaxSpeed = None,
        hold: float | None = None,
        prefer: Start = None,
        stiffness: Stiffness = None,
        refine: bool = False,
        escape: bool = False,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 0,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        seconds: Vector | None = None,
        out: Matrix | None = None,
    ) -> Solutions:
        """Frame after frame, each from the one before, in one native call: (T, k) targets -> T poses.

        A frame depends on the pose before it and on its own targets, never on a later frame. From one frame to the next
        no joint moves faster than `max_speed`. The work of a frame is bounded: where its goals cannot all be met it
        ends as soon as little more is to be gained. Every frame is reached that `solve(restarts=0)` reaches from the
        pose before without moving a joint too fast; the others are missed, and `notes` says where the speed limit holds
        them back. The first frame is solved like `solve`, from the start as it is, unless the track is continued.

        For offline work there are two more passes. Neither turns a reached frame into a missed one.

        - `refine` solves the frames around the edge of reach together, so that a hand comes to its closest point in
          time. It looks ahead, and takes up to 200 solves for each of those frames: some milliseconds, and up to
          0.1 s where a `Balance` or a `Posture` is among the goals.
        - `escape` leaves a pose in which the figure is caught: after eight missed frames it searches for a pose that
          reaches, or misses by less, and moves there as fast as joints may. Each search takes some milliseconds.

        A redundant arm leans toward a pose far from singular ones while its target moves, so that a closed path settles
        instead of drifting.

        The member of an AnyOf is chosen as in `solve` in the first frame in which it is active, and kept, so that the
        figure does not jump from one to another; with `restarts` a missed frame may change to another member.

        Args:
            start: (nq,) the pose before the first frame. Outside its limits it is brought in, and `start_violation` (at
                the first frame) and `notes` say so. None is the rest pose, turned and moved to the targets of the first
                frame (of `before`, where that is given) as in `solve_many`.
            targets: (T, k).
            before: (k,) the targets of the frame that `start` is the pose of, where a track is continued: as when a
                hand is dragged and frames come one by one. A track in pieces is the same track, to the bit.
            dt: seconds between two frames; 1/30 where neither `dt` nor `times` is given.
            times: (T,) seconds, when each frame is; where a track is continued (T + 1,), the frame before first.
            max_speed: radians a second that a joint may turn; a dict gives joints their own by name (lengths a second
                for sliders). None takes what the file says (`Hinge.speed`, `Slider.speed`), and 60 rad/s for other
                joints that turn. A joint of three axes counts by its rotation, one of two axes by each of its angles.
                Sliders without a speed, and where a free root is, have no limit.
            hold: lengths per radian: to turn a joint by one radian since the frame before counts as much as a goal
                missed by this length. More makes redundant joints calmer, and frames that are hard to reach slower. 0
                lets them go. None is 0.00316 `figure.size`.
            prefer: (nq,) or (T, nq) a pose to pull toward while the targets move, as for `solve_many`. The pull
                vanishes with the error that a frame begins with, so it biases no goal, and joints rest where targets
                do.
            stiffness: of that pull, as for `solve_many`.
                With `hold` or `prefer` an arm is tracked like all other figures, which is slower (docs/tuning.md).
            refine, escape: see above; they know neither `hold` nor `prefer`.
            restarts: with more than 0 a missed frame is searched anew, and the pose may jump there.
            weights, active, iterations, budget, seed, out: as for `solve_many`, T rows.
            seconds: (T,) takes how long each frame took, measured natively, without `refine` and `escape`.
        """
        from manikin import _core

        rows = self._targets.rows(targets)
        last = self._targets.one(before, "before", "it needs the targets of one frame,")
        wished = self._natural.wished_for_track(start, rows, last, weights, active, prefer, stiffness)
        first = one_pose(self.figure, wished.start, "track begins at")
        if rows is None or rows.ndim > 2:
            shape = None if rows is None else rows.shape
            raise BadShape(f"targets has shape {shape}; track needs (T, {self.width}), one row a frame")
        rows = np.atleast_2d(rows)
        checked_out(out, (len(rows), self.figure.nq), wished.start)
        checked_out(seconds, (len(rows),), None)
        steps = frame_times(len(rows) + (last is not None), dt, times, last is not None)
        speeds = None if max_speed is None else number_speeds(self.figure, max_speed)
        options = shared_options(self._own, len(rows), weights, active, restarts, iterations, budget, seed)
        options |= track_options(self.figure, len(rows), wished.prefer, wished.stiffness, hold)
        passes = {"refine": bool(refine), "escape": bool(escape)}
        solutions: Solutions = _core.track(
            self, first, rows, before=last, dt=steps, max_speed=speeds, **passes, **options, seconds=seconds, out=out
        )
        return wished.noted(solutions)

    def row(self, targets: Mapping[str, ArrayLike]) -> Vector:
        """(k,) a row of targets by the names of goals, in place of the goals' own.

        A name is that of a goal (`goal.name`, or its label such as "Position RightHand"), or of the segment that only
        one goal is about ("RightHand"). The target of a Placement may be a 4×4 matrix.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> Solver(arm, [mk.Position("Tip", (1.0, 1.0), axes="xy")]).row({"Tip": (0.5, 0.5)})
            array([0.5, 0.5])
        """
        return self._targets.by_name(targets)

    def to_bytes(self) -> bytes:
        """The compiled problem as one block of named arrays, for `from_bytes` and other hosts: the C API, a web page.

        Raises:
            Unsupported: a goal is evaluated in Python (`Custom`); bytes cannot hold it.
        """
        if self._callbacks:
            label = next(g.label for g in self.goals if any(m.evaluated_in_python for m in g.alternatives))
            raise Unsupported(
                f"{label} is evaluated in Python, which bytes cannot hold; leave it out to write the rest"
            )
        return self._block

    @classmethod
    def from_bytes(cls, block: bytes) -> Solver:
        """The solver whose `to_bytes` these are. `solve`, `solve_many` and `track` give the same bits as there.

        It has the names of its goals and numbers (`row`, `target_layout`, messages), and no figure: reports,
        `stiffness` and `max_speed` by the names of joints, and goals as objects raise `Unsupported`.

        The bytes may come from anywhere: what does not fit together is an error. How long a solve takes is bounded by
        `iterations` and `budget`, as for any problem.

        Raises:
            BadValue: the bytes are no compiled problem, or a damaged one, or of another version.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> solver = mk.Solver(arm, mk.Position("Tip", (1.0, 1.0), axes="xy"))
            >>> other = mk.Solver.from_bytes(solver.to_bytes())
            >>> bool((other.solve(arm.rest).pose == solver.solve(arm.rest).pose).all())
            True
        """
        from manikin import _core

        if not isinstance(block, (bytes, bytearray, memoryview)):
            raise BadValue(f"block is {type(block).__name__}; it needs the bytes that Solver.to_bytes() gives")
        solver = object.__new__(cls)
        solver._block = bytes(block)
        try:
            solver._query = _core.Query(solver._block)
        except ValueError as error:
            raise BadValue(str(error)) from None
        stored = solver._stored = Stored(solver._block, solver._query)
        solver.figure, solver.movable, solver.notes = stored.figure, stored.movable, ()  # type: ignore[assignment]
        solver.goals = tuple(members[0] for members in stored.members)  # type: ignore[misc]
        solver._take_targets(TargetRows(stored.goal_targets, stored.targets))
        solver._callbacks = ()
        solver._natural = NaturalWords.without_figure()
        return solver

    def goals_of(self, solution: Solution) -> tuple[Goal, ...]:
        """The goals as one solution has them: its targets and weights, each AnyOf replaced by the member chosen."""
        if self._stored is not None:
            return tuple(m[k] for m, k in zip(self._stored.members, solution.chosen, strict=True))  # type: ignore[misc]
        row, weights, out = solution.targets, solution.weights, []
        for k, (goal, at) in enumerate(zip(self.goals, self._slices, strict=True)):
            moved = (
                goal.with_target(row[at]) if k < self._own and row is not None and np.isfinite(row[at]).all() else goal
            )
            member = moved.members[solution.chosen[k]] if isinstance(moved, AnyOf) else moved
            if weights is not None and k < self._own and weights[k] != member.weight:
                member = replace(member, weight=float(weights[k]))
            out.append(member)
        return tuple(out)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was made of, and compiled anew where it arrives."""
        if self._stored is not None:
            return (type(self).from_bytes, (self._block,))
        return (_rebuilt, (type(self), self.figure, *self._made_of))

    @property
    def _own(self) -> int:
        """How many goals are the caller's."""
        return len(self._targets.goals)

    def _note_on_speeds(self, count: int, first: int, number: int, speeds: Vector | None) -> str:
        """What the core cannot say in words: which joint holds frames of a track back."""
        if speeds is None:
            speeds = number_speeds(self.figure, None) if self._stored is None else self._stored.figure.speed
        return note_on_speeds(self.figure, count, first, number, speeds)


def _rebuilt(kind: type[Solver], figure: Figure, goals: tuple[Goal, ...], options: dict[str, Any]) -> Solver:
    return kind(figure, goals, **options)
