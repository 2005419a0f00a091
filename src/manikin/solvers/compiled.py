"""`Solver`: a figure and goals compiled once; targets, weights and which goals are active change from call to call."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue, Unsupported
from manikin.figure.batch import check_out
from manikin.figure.figure import Figure
from manikin.figure.layout import Layout
from manikin.goals import AnyOf, Goal
from manikin.goals.far import drawn_in
from manikin.goals.goal import LARGEST_WEIGHT
from manikin.goals.loops import with_loops
from manikin.problem import MOST_CHOICES, Problem, notes_on_starts
from manikin.solution import Status
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.choices import Choice, solve_choices
from manikin.solvers.levels import solve_levels
from manikin.solvers.native import Answers, Compiled, is_native
from manikin.solvers.native_goals import unknown
from manikin.solvers.speeds import MaxSpeed, frame_times, note_on_speeds, number_speeds
from manikin.solvers.target_rows import TargetRows
from manikin.solvers.tracking import Track

if TYPE_CHECKING:
    from manikin._core import Pose, Quick

    Method = TypeVar("Method", bound=Callable[..., Any])

    def quick_method(function: Method) -> Method: ...
else:
    try:
        from manikin._core import quick_method
    except ImportError:  # which is told as soon as something is to be computed

        def quick_method(function):
            """The method as it is."""
            return function


STATUSES = (Status.REACHED, Status.STALLED, Status.OUT_OF_ITERATIONS, Status.OUT_OF_TIME)
"""By the native solver's number."""
ENDINGS = np.array(STATUSES, dtype="<U17")
USUAL = (30, 1_000_000, 0)
"""Restarts, iterations and seed of a call that says nothing."""
MOST_COMPILED = 256
"""At most so many combinations of the members of AnyOf goals are compiled."""


@dataclass(frozen=True, eq=False)
class Poses:
    """What `solve_many` and `track` give, B rows."""

    pose: Matrix
    """(B, nq) always finite and within limits."""
    errors: Matrix
    """(B, goals) one norm a goal, in lengths or radians; 0 where a goal is not active."""
    codes: NDArray[np.int32]
    """(B,) how each ended, as a number: 0 is reached."""
    iterations: NDArray[np.int32]
    """(B,) steps computed, all starts together."""
    start_violation: Vector
    """(B,) how far each start was outside its limits before it was brought in, radians or length; 0 where it was
    within. A track has one start, at the first frame."""
    chosen: NDArray[np.int64]
    """(B, goals) which member of each AnyOf was taken; 0 for other goals."""
    notes: tuple[str, ...] = ()
    """What was done to the input, in words."""

    @property
    def reached(self) -> NDArray[np.bool_]:
        """(B,) whether every goal is within its tolerance."""
        return np.asarray(self.codes == 0)

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """(B,) "reached", "stalled", "out_of_iterations" or "out_of_time"."""
        return ENDINGS[self.codes]

    def __len__(self) -> int:
        return len(self.pose)


class Solver:
    """Goals on a figure, compiled once; the production solver. Nothing in it changes, so threads may share it.

    `targets` is one row of numbers for the goals in order (`target_layout`): Position 3 (or its axes), Orientation 4,
    Placement 7, Aim 3, Plane 6 (point, normal), Balance 0, AnyOf the sum of its members.

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

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal] | Goal,
        *,
        freeze: Sequence[str] = (),
        only: Sequence[str] | None = None,
        loops: bool = True,
    ) -> None:
        """
        Args:
            figure: what is posed.
            goals: at least one; their targets are the default ones.
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None is all but held sliders.
            loops: keep the closed loops of the figure.
        """
        given = [goals] if isinstance(goals, Goal) else list(goals) if isinstance(goals, Iterable) else goals
        wanted: Sequence[Goal] = with_loops(figure, given) if loops else given
        problem = Problem(figure, wanted, freeze=freeze, only=only)
        settled = [drawn_in(goal.on(figure), figure) for goal in wanted]
        widths = np.cumsum([0, *(len(g.target) for g in settled)])
        self._slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(widths)]
        self.figure = figure
        self._unseen = problem.unseen
        self.goals: tuple[Goal, ...] = tuple(settled)
        """The goals given, then those of the closed loops."""
        self._own = len(given)
        self.target_layout: list[tuple[str, slice]] = [
            (g.label, at) for g, at in zip(settled[: self._own], self._slices, strict=False)
        ]
        """(goal name, slice) of each goal in a row of targets."""
        self.width = int(widths[self._own])
        """How many numbers a row of targets has."""
        targets = np.concatenate([g.target for g in settled])
        self.targets: Vector = arrays.frozen(targets[: self.width])
        """(k,) the goals' own targets."""
        self._loop_targets: Vector = arrays.frozen(targets[self.width :])
        self._target_rows = TargetRows(figure, settled)
        self._made_of = (tuple(given), _names(freeze), None if only is None else _names(only), loops)
        self._weights: Vector = arrays.frozen([g.weight for g in given])
        self._any_of = [k for k, g in enumerate(settled) if isinstance(g, AnyOf)]
        self._shares = [[m.weight for m in g.members] if isinstance(g, AnyOf) else [1.0] for g in wanted]
        self._choices = [self._compiled(problem, members) for members in self._combinations()]
        self._quick = self._quick_one(targets)

    @quick_method
    def solve(
        self,
        q: ArrayLike | None = None,
        targets: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 30,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        out: Vector | None = None,
    ) -> Pose:
        """One pose, from the start q (None: the rest pose, turned and moved to the targets as in `solve_many`).

        The GIL is released, but for arms that reach their target within some microseconds.

        Args:
            q: (nq,) where to start. Outside its limits it is brought in, and `start_violation` and `notes` say so.
            targets: (k,); None keeps the goals' own.
            weights, active, restarts, iterations, budget, seed: as for `solve_many`, each for one row.
            out: (nq,) takes the pose, on the same terms as in `Figure.placements`.
        """
        from manikin._core import Pose

        start, excess, row = self._one(q, targets)
        _check_out(out, (self.figure.nq,), q)
        said = float(excess[0]), notes_on_starts(excess)
        plain = weights is None and active is None and budget is None and out is None
        whole_numbers = type(restarts) is type(iterations) is type(seed) is int
        if plain and whole_numbers and (restarts, iterations, seed) == USUAL and self._quick is not None:
            # not plain arrays, or to be checked and brought inside: `quick_method` does the others
            self._target_rows.check(self._whole(row, 1), np.ones(len(self.goals), dtype=bool))
            found = self._quick.solve(None if q is None else start, row)
            return Pose(found.pose, found.errors, found.code, found.iterations, *said) if said[0] > 0.0 else found
        many = self.solve_many(
            None if q is None else start,
            row[None],
            weights=weights,
            active=active,
            restarts=restarts,
            iterations=iterations,
            budget=budget,
            seed=seed,
        )
        return Pose(_into(out, many.pose[0]), many.errors[0], int(many.codes[0]), int(many.iterations[0]), *said)

    def solve_many(
        self,
        starts: ArrayLike | None = None,
        targets: ArrayLike | None = None,
        threads: int = 1,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 30,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        out: Matrix | None = None,
    ) -> Poses:
        """Many poses, each on its own: the same bits whatever the number of threads.

        Arms (one Placement at the end of six to eight joints) take the first pose that is found; `solve` looks for one
        near the start.

        Args:
            starts: (B, nq), or (nq,) for all. Outside their limits they are brought in, and `start_violation` and
                `notes` say so. None is the rest pose, in each row turned and moved to its targets where three or more
                of its active effectors fix a heading (see `manikin.solve`).
            targets: (B, k), or (k,) for all; None keeps the goals' own. NaN only where `active` is False.
            threads: over the rows.
            weights: (goals,) or (B, goals), in place of the goals' own.
            active: (goals,) or (B, goals) bool: which goals count; None is all.
            restarts: most starts after the first, where that ends in a local minimum; for figures of up to 12 degrees
                of freedom, where starts are cheap, each is four of them.
            iterations: most iterations of one row, all its starts together.
            budget: seconds for the whole call; None is without end. With it, results may depend on the machine.
            seed: of the random starts.
            out: (B, nq) takes the poses, on the same terms as in `Figure.placements`.
        """
        wanted, q, excess = self._rows(starts, targets)
        _check_out(out, (len(q), self.figure.nq), starts)
        rows, counting = self._asked(wanted, len(q), weights, active)
        until = _until(budget)
        most = whole(iterations, "iterations")
        options = {
            "restarts": whole(restarts, "restarts"),
            "seed": whole(seed, "seed", most=LARGEST_SEED),
            "threads": whole(threads, "threads", 1),
        }

        def solve(
            compiled: Compiled, starts: Matrix, targets: Matrix, weights: Matrix, used: NDArray[np.int64] | None
        ) -> Answers:
            rest = most if used is None else np.maximum(most - used, 0)
            left = max(until - time.perf_counter(), 0.0)
            return solve_levels(compiled, starts, targets, weights, most=rest, budget=left, **options)

        best, picked = solve_choices(self._choices, self._any_of, q, rows, counting, solve, starts is None)
        chosen = np.array([choice.members for choice in self._choices])[picked]
        said = np.broadcast_to(excess, len(rows)), chosen, self._unseen + notes_on_starts(excess)
        return Poses(_into(out, best.pose), best.errors, best.status, best.iterations, *said)

    def track(
        self,
        start: ArrayLike | None,
        targets: ArrayLike,
        *,
        before: ArrayLike | None = None,
        dt: float | None = None,
        times: ArrayLike | None = None,
        max_speed: MaxSpeed = None,
        refine: bool = False,
        escape: bool = False,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 0,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        out: Matrix | None = None,
    ) -> Poses:
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

        A redundant arm leans toward the middle of its ranges while its target moves, so that a closed path settles
        instead of drifting.

        The member of an AnyOf is chosen as in `solve` in the first frame in which it is active, and kept, so that the
        figure does not jump from one to another; with `restarts` a missed frame may go over to another member.

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
            refine, escape: see above.
            restarts: with more than 0 a missed frame is searched anew, and the pose may jump there.
            weights, active, iterations, budget, seed, out: as for `solve_many`, T rows.
        """
        (first, excess), wanted = self._within(start), self._wanted(targets)
        if first.ndim != 1:
            raise BadShape(f"start pose has shape {first.shape}; track begins at one pose, ({self.figure.nq},)")
        if wanted.ndim > 2:
            raise BadShape(f"targets has shape {wanted.shape}; track needs (T, {self.width}), one row a frame")
        if before is not None:
            row = self._wanted(before)
            if row.ndim != 1:
                raise BadShape(f"before has shape {row.shape}; it needs ({self.width},), the targets of one frame")
            wanted = np.vstack([np.where(np.isfinite(row), row, wanted if wanted.ndim == 1 else wanted[:1]), wanted])
            weights, active = _first_twice(weights, "weights"), _first_twice(active, "active")
        rows, counting = self._asked(wanted, len(wanted) if wanted.ndim == 2 else 1, weights, active)
        _check_out(out, (len(rows) - (before is not None), self.figure.nq), start)
        speeds = self._own_speeds if max_speed is None else number_speeds(self.figure, max_speed)
        answer, chosen = Track(
            self._choices,
            self._any_of,
            first,
            rows,
            np.broadcast_to(counting, (len(rows), len(self.goals))) if self._any_of else counting,
            restarts=whole(restarts, "restarts"),
            most=whole(iterations, "iterations"),
            seed=whole(seed, "seed", most=LARGEST_SEED),
            until=_until(budget),
            dt=frame_times(len(rows), dt, times, before is not None),
            speeds=speeds,
            continues=before is not None,
            headed=start is None,
            refine=bool(refine),
            escape=bool(escape),
        ).answers()
        new = slice(0 if before is None else 1, None)
        slow = note_on_speeds(self.figure, answer.limited[new], speeds)
        said = np.zeros(len(rows[new])), chosen[new], self._unseen + notes_on_starts(excess) + slow
        said[0][:1] = excess
        found = answer.pose[new], answer.errors[new], answer.status[new], answer.iterations[new]
        return Poses(_into(out, found[0]), *found[1:], *said)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was made of, and compiled anew where it arrives."""
        return (_rebuilt, (type(self), self.figure, *self._made_of))

    # Inside

    @cached_property
    def _own_speeds(self) -> Vector:
        """(nq,) how fast numbers may change in a track that says nothing of it."""
        return number_speeds(self.figure, None)

    def _combinations(self) -> list[tuple[int, ...]]:
        """A member for each goal: 0, or one of an AnyOf."""
        counts = [len(g.members) if isinstance(g, AnyOf) else 1 for g in self.goals]
        if math.prod(counts) > MOST_COMPILED:
            raise Unsupported(
                f"the AnyOf goals have {math.prod(counts)} combinations of members; Solver compiles at most "
                f"{MOST_COMPILED}, mk.solve tries the {MOST_CHOICES} nearest"
            )
        return list(itertools.product(*map(range, counts)))

    def _compiled(self, problem: Problem, members: tuple[int, ...]) -> Choice:
        """One combination, compiled."""
        goals: list[Goal] = []
        columns: list[int] = []
        for goal, member, at in zip(self.goals, members, self._slices, strict=True):
            several = goal.members if isinstance(goal, AnyOf) else (goal,)
            first = at.start + sum(len(m.target) for m in several[:member])
            goals.append(several[member])
            columns.extend(range(first, first + len(goals[-1].target)))
        if not is_native(goals):
            reasons = "; ".join(unknown(goals)) or "the native core is switched off"
            raise Unsupported(f"Solver cannot take these goals natively: {reasons}. mk.solve takes them, in NumPy")
        compiled = Compiled(self.figure, goals, problem.movable)
        shares = [own[member] for own, member in zip(self._shares, members, strict=True)]
        return Choice(compiled, np.array(columns, dtype=np.int64), members, np.array(shares))

    def _quick_one(self, targets: Vector) -> Quick | None:
        """For one query at a time; None where priorities or an AnyOf need several solves."""
        from manikin import _core

        _core.set_statuses(STATUSES)
        compiled = self._choices[0].compiled
        if self._any_of or len(set(compiled.levels)) > 1:
            return None
        weights = np.concatenate([self._weights, np.ones(len(self.goals) - self._own)])  # loops always count
        return compiled.quick(weights, targets, self.width, self._target_rows)

    def _one(self, q: ArrayLike | None, targets: ArrayLike | None) -> tuple[Vector, Vector, Vector]:
        """A start (nq,) within limits, (1,) how far it was outside, and a row of targets (k,) that may have NaN."""
        start, excess = self._within(q)
        if start.ndim != 1:
            raise BadShape(f"start pose has shape {start.shape}; solve takes one pose, ({self.figure.nq},)")
        row = self.targets if targets is None else arrays.numbers(targets, "targets", (self.width,), finite=False)
        return _plain(start), excess, _plain(row)

    def _rows(self, starts: ArrayLike | None, targets: ArrayLike | None) -> tuple[Matrix, Matrix, Vector]:
        """Targets (B, k) or (k,); starts (B, nq) within limits; how far they were outside, (B,), or (1,) for one."""
        (q, excess), given = self._within(starts), self._wanted(targets)
        if q.ndim > 2 or given.ndim > 2:
            raise BadShape(f"starts {q.shape} and targets {given.shape} may have one leading axis, not more")
        counts = [len(a) for a in (q, given) if a.ndim == 2]
        count = next((n for n in counts if n != 1), 1)
        if any(n not in (1, count) for n in counts):
            raise BadShape(f"there are {len(q)} starts and {len(given)} targets; there must be as many, or one for all")
        return given, np.broadcast_to(q, (count, self.figure.nq)), excess

    def _within(self, starts: ArrayLike | None) -> tuple[Matrix, Vector]:
        """Starts (..., nq), brought inside their limits, and (B,) how far each was outside; one is a row too."""
        if starts is not None and self._quick is not None and self._quick.sound_poses(starts):
            sound = cast("Matrix", starts)
            return sound, np.zeros(sound.shape[:-1] or 1)
        figure, layout = self.figure, self.figure._layout
        q = figure.check(figure.rest if starts is None else starts, "start pose")
        if not len(layout.cones.number) and _plainly_within(layout, q):  # much cheaper to ask
            return q, np.zeros(q.shape[:-1] or 1)
        excess = np.atleast_1d(figure.violation(q))
        return (figure.clamp(q), excess) if np.any(excess > 0.0) else (q, excess)

    def _wanted(self, targets: ArrayLike | None) -> Matrix:
        """Targets (..., k); NaN is not looked for yet."""
        if type(targets) is np.ndarray and targets.dtype == np.float64 and targets.shape[-1:] == (self.width,):
            return targets
        return self.targets if targets is None else arrays.numbers(targets, "targets", (-1, self.width), finite=False)

    def _whole(self, targets: Matrix, count: int) -> Matrix:
        """(count, k) rows of targets, a copy, with those of the loops."""
        rows = np.empty((count, self.width + len(self._loop_targets)))
        rows[:, : self.width], rows[:, self.width :] = targets, self._loop_targets
        return rows

    def _sound(self, rows: Matrix) -> bool:
        """Whether all rows of targets (B, k) are known to be good."""
        return self._quick is not None and self._own == len(self.goals) and self._quick.sound_targets(rows)

    def _asked(
        self, targets: Matrix, count: int, weights: ArrayLike | None, active: ArrayLike | None
    ) -> tuple[Matrix, Matrix]:
        """(count, k) whole rows of targets that are checked, and the weights: (goals,) or (count, goals)."""
        plain = weights is None and active is None and targets.shape == (count, self.width)
        if plain and targets.flags.c_contiguous and not len(self._loop_targets) and self._sound(targets):
            return targets, self._weights  # as they are: nothing to add, nothing to clear
        rows = self._whole(targets, count)
        return rows, self._counting(count, weights, active, rows)

    def _counting(self, count: int, weights: ArrayLike | None, active: ArrayLike | None, rows: Matrix) -> Matrix:
        """(goals,) or (B, goals) weights, 0 where a goal is not active; checks the targets of the others."""
        if weights is None and active is None and self._sound(rows):
            return self._weights
        n = self._own
        given = self._weights if weights is None else arrays.numbers(weights, "weights", (-1, n))
        if np.any(given < 0.0):
            raise BadValue(f"weights contains {given.min():g}; each must be at least 0")
        if np.any(given > LARGEST_WEIGHT):
            raise BadValue(f"weights contains {given.max():g}; each must be at most {LARGEST_WEIGHT:g}")
        on = np.ones(n, dtype=bool) if active is None else arrays.numbers(active, "active", (-1, n)) != 0.0
        for name, array in (("weights", given), ("active", on)):
            if array.shape not in ((n,), (count, n)):
                raise BadShape(
                    f"{name} has shape {array.shape}; it needs ({n},), or ({count}, {n}), a row for each target"
                )
        loops = len(self.goals) - n
        if loops:  # which always count
            given, on = (np.concatenate([a, np.ones((*a.shape[:-1], loops), a.dtype)], axis=-1) for a in (given, on))
        out = np.where(on, given, 0.0)
        self._target_rows.check(rows, on)
        if not np.isfinite(rows).all():
            rows[~np.isfinite(rows)] = 0.0
        return np.ascontiguousarray(out)


def _plain(numbers: Vector) -> Vector:
    """An array that the native solver takes as it is: C order, aligned, no subclass."""
    return np.require(numbers, np.float64, ["C", "A", "E"])


def _plainly_within(layout: Layout, q: Matrix) -> bool:
    """Whether all numbers are within their bounds, and coupled ones exactly where they follow their source."""
    tree = layout.tree
    coupled = np.flatnonzero(tree.source >= 0)
    led = tree.ratio[coupled] * q[..., tree.source[coupled]] + tree.shift[coupled]
    apart = np.any(q[..., tree.number[coupled]] != led)
    return not (apart or np.any(q < layout.lower) or np.any(q > layout.upper))


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)  # a single name needs no list


def _rebuilt(
    kind: type[Solver],
    figure: Figure,
    goals: tuple[Goal, ...],
    freeze: tuple[str, ...],
    only: tuple[str, ...] | None,
    loops: bool,
) -> Solver:
    return kind(figure, goals, freeze=freeze, only=only, loops=loops)


def _first_twice(values: ArrayLike | None, name: str) -> ArrayLike | None:
    """Rows with the first one twice; what is the same for all rows as it is."""
    rows = None if values is None else arrays.real(values, name)
    return rows if rows is None or rows.ndim < 2 else np.concatenate([rows[:1], rows])


def _check_out(out: Matrix | None, shape: tuple[int, ...], starts: ArrayLike | None) -> None:
    """Raise unless `out`, where one is given, takes poses of this shape and is apart from the starts in memory."""
    if out is not None:
        check_out(out, shape, np.empty(0) if starts is None else np.asarray(starts))


def _into(out: Matrix | None, pose: Matrix) -> Matrix:
    """The poses, in `out` where one is given."""
    if out is None:
        return pose
    out[:] = pose
    return out


def _until(budget: float | None) -> float:
    """When a call must end that may take so many seconds from now."""
    return np.inf if budget is None else time.perf_counter() + arrays.non_negative(budget, "budget")
