"""`Solver`: a figure and goals compiled once; targets, weights and which goals are active change from call to call.

Each method answers natively where its arguments are as the core takes them (cpp/bindings/door.h). What stands below a
method's docstring is the way for all other calls: it converts the arguments, or says what is wrong with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays, rotations
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.figure.batch import check_out
from manikin.figure.figure import Figure
from manikin.figure.movable import movable_steps
from manikin.goals import AnyOf, Goal, Placement
from manikin.goals.goal import LARGEST_WEIGHT
from manikin.goals.loops import with_loops
from manikin.goals.posture import step_stiffness
from manikin.problem import settled
from manikin.solution import Solution, Solutions
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.native.block import callbacks_of, problem_block
from manikin.solvers.native.speeds import MaxSpeed, frame_times, note_on_speeds, number_speeds

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


Targets = ArrayLike | Mapping[str, ArrayLike] | None
Stiffness = ArrayLike | Mapping[str, float] | None


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
    ) -> None:
        """
        Args:
            figure: what is posed.
            goals: at least one; their targets are the default ones.
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None is all but held sliders.
            loops: keep the closed loops of the figure.
        """
        from manikin import _core

        given = [goals] if isinstance(goals, Goal) else list(goals) if isinstance(goals, Iterable) else goals
        wanted: Sequence[Goal] = with_loops(figure, given) if loops else given
        asked = settled(figure, wanted)
        movable = movable_steps(figure, freeze, only)
        widths = np.cumsum([0, *(len(g.target) for g in asked.goals)])
        self.figure = figure
        self.goals: tuple[Goal, ...] = asked.goals
        """The goals given, then those of the closed loops."""
        self.movable: NDArray[np.bool_] = arrays.frozen(movable, bool)
        """(nv,) the steps that are allowed."""
        self.notes: tuple[str, ...] = asked.unseen
        """What goals cannot see of the figure, in words."""
        self._own = len(given)
        self._slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(widths)]
        self.target_layout: list[tuple[str, slice]] = [
            (g.label, at) for g, at in zip(self.goals[: self._own], self._slices, strict=False)
        ]
        """(goal name, slice) of each goal in a row of targets."""
        self.width = int(widths[self._own])
        """How many numbers a row of targets has."""
        targets = np.concatenate([g.target for g in self.goals])
        self.targets: Vector = arrays.frozen(targets[: self.width])
        """(k,) the goals' own targets."""
        self._made_of = (tuple(given), names(freeze), None if only is None else names(only), loops)
        shares = [[m.weight for m in g.members] if isinstance(g, AnyOf) else [1.0] for g in wanted]
        weights = [g.weight for g in given] + [1.0] * (len(self.goals) - len(given))  # loops always count
        self._block = problem_block(figure, self.goals, movable, own=self._own, weights=weights, shares=shares)
        self._query = _core.Query(self._block)
        self._callbacks = callbacks_of(figure, self.goals)

    @native_method
    def solve(
        self,
        start: ArrayLike | None = None,
        targets: Targets = None,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 30,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: ArrayLike | None = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Vector | None = None,
    ) -> Solution:
        """One pose. The same as one row of `solve_many`.

        The GIL is released, except for arms that reach their target within a few microseconds.

        Args:
            start: (nq,) where to start. Outside its limits it is brought in, and `start_violation` and `notes` say so.
                None is the rest pose, turned and moved to the targets where three or more effectors fix a heading.
            targets: (k,), or goals by name (see `row`); None keeps the goals' own.
            weights, active, restarts, iterations, budget, seed, pick, prefer, stiffness, settle: as for `solve_many`,
                each for one row.
            out: (nq,) takes the pose, on the same terms as in `Figure.placements`.
        """
        from manikin import _core

        first = self._start(start)
        if first is not None and first.ndim != 1:
            raise BadShape(f"start pose has shape {first.shape}; solve takes one pose, ({self.figure.nq},)")
        row = self._rows(targets)
        if row is not None and row.ndim != 1:
            raise BadShape(f"targets has shape {row.shape}; solve takes one row, ({self.width},)")
        _check_out(out, (self.figure.nq,), start)
        options = self._options(1, weights, active, restarts, iterations, budget, seed)
        options |= preference_options(self.figure, 1, prefer, stiffness, settle)
        solution: Solution = _core.solve(self, first, row, **options, pick=checked_pick(pick), out=out)
        return solution

    @native_method
    def solve_many(
        self,
        start: ArrayLike | None = None,
        targets: Targets = None,
        threads: int = 1,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 30,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: ArrayLike | None = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Matrix | None = None,
    ) -> Solutions:
        """Many poses, each on its own: the same bits whatever the number of threads, and the same as `solve`.

        Args:
            start: (B, nq), or (nq,) for all. Outside their limits starts are brought in, and `start_violation` and
                `notes` say so. None is the rest pose, in each row turned and moved to its targets where three or more
                of its active effectors fix a heading (see `manikin.solve`).
            targets: (B, k), or (k,) for all; None keeps the goals' own. NaN only where `active` is False.
            threads: over the rows.
            weights: (goals,) or (B, goals), in place of the goals' own.
            active: (goals,) or (B, goals) bool: which goals count; None is all.
            restarts: most restarts, where the first start ends in a local minimum. A restart draws four random poses,
                for an arm eight. With more than 12 degrees of freedom only the best of the four is followed.
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

        first, rows = self._start(start), self._rows(targets)
        counts = [len(a) for a in (first, rows) if a is not None and a.ndim == 2]
        if any(a is not None and a.ndim > 2 for a in (first, rows)):
            shapes = [None if a is None else a.shape for a in (first, rows)]
            raise BadShape(f"start {shapes[0]} and targets {shapes[1]} may have one leading axis, not more")
        count = next((n for n in counts if n != 1), 1)
        if any(n not in (1, count) for n in counts):
            raise BadShape(
                f"there are {counts[0]} starts and {counts[1]} targets; there must be as many, or one for all"
            )
        _check_out(out, (count, self.figure.nq), start)
        options = self._options(count, weights, active, restarts, iterations, budget, seed)
        options |= preference_options(self.figure, count, prefer, stiffness, settle)
        number = whole(threads, "threads", 1)
        solutions: Solutions = _core.solve_many(self, first, rows, number, **options, pick=checked_pick(pick), out=out)
        return solutions

    @native_method
    def track(
        self,
        start: ArrayLike | None,
        targets: Targets,
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
            seconds: (T,) takes how long each frame took, measured natively, without `refine` and `escape`.
        """
        from manikin import _core

        first, rows, last = self._start(start), self._rows(targets), self._rows(before, "before")
        if first is not None and first.ndim != 1:
            raise BadShape(f"start pose has shape {first.shape}; track begins at one pose, ({self.figure.nq},)")
        if rows is None or rows.ndim > 2:
            shape = None if rows is None else rows.shape
            raise BadShape(f"targets has shape {shape}; track needs (T, {self.width}), one row a frame")
        if last is not None and last.ndim != 1:
            raise BadShape(f"before has shape {last.shape}; it needs ({self.width},), the targets of one frame")
        rows = np.atleast_2d(rows)
        _check_out(out, (len(rows), self.figure.nq), start)
        _check_out(seconds, (len(rows),), None)
        steps = frame_times(len(rows) + (last is not None), dt, times, last is not None)
        speeds = None if max_speed is None else number_speeds(self.figure, max_speed)
        options = self._options(len(rows), weights, active, restarts, iterations, budget, seed)
        passes = {"refine": bool(refine), "escape": bool(escape)}
        solutions: Solutions = _core.track(
            self, first, rows, before=last, dt=steps, max_speed=speeds, **passes, **options, seconds=seconds, out=out
        )
        return solutions

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
        out = np.array(self.targets)
        for name, target in targets.items():
            goal, at = self._goal_named(name)
            label = f"targets of {goal.label!r}"
            values = arrays.numbers(target, label, (None,) if np.ndim(target) == 1 else (4, 4), finite=False)
            if values.ndim == 2:
                values = _as_rows(values)
            if values.shape != (at.stop - at.start,):
                raise BadShape(f"{label} has {values.size} numbers; it needs {at.stop - at.start}")
            out[at] = values
        return out

    def to_bytes(self) -> bytes:
        """The compiled problem as one block of named arrays, for other hosts: the C API, a web page, `from_bytes`."""
        return self._block

    def goals_of(self, solution: Solution) -> tuple[Goal, ...]:
        """The goals as one solution has them: its targets and weights, each AnyOf replaced by the member chosen."""
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
        return (_rebuilt, (type(self), self.figure, *self._made_of))

    # Inside

    def _start(self, start: ArrayLike | None) -> Matrix | None:
        """(..., nq) as the core takes it: finite, quaternions of length 1. Limits are not looked at."""
        return None if start is None else _plain(self.figure.check(start, "start pose"))

    def _rows(self, targets: Targets, name: str = "targets") -> Matrix | None:
        """(..., k) as the core takes it; it may have NaN."""
        if targets is None:
            return None
        if isinstance(targets, Mapping):
            return self.row(targets)
        array = arrays.real(targets, name)
        own = self.goals[: self._own]
        if array.ndim >= 2 and array.shape[-2:] == (4, 4) and all(type(g) is Placement for g in own):
            lead = array.shape[: array.ndim - (2 if len(own) == 1 else 3)]
            if len(own) == 1 or array.shape[-3:-2] == (len(own),):
                return _plain(_as_rows(array).reshape(*lead, self.width))
        if array.shape[-1:] != (self.width,):
            widths = ", ".join(f"{label} {at.stop - at.start}" for label, at in self.target_layout)
            hint = "; a Placement takes 7 numbers (position, then quaternion w x y z) or a 4×4 matrix"
            known = hint if any(isinstance(g, Placement) for g in own) else ""
            raise BadShape(f"{name} has shape {array.shape}; it needs (…, {self.width}): {widths}{known}")
        return _plain(array)

    def _options(
        self,
        count: int,
        weights: ArrayLike | None,
        active: ArrayLike | None,
        restarts: int,
        iterations: int,
        budget: float | None,
        seed: int,
    ) -> dict[str, Any]:
        """What all calls have in common, as the core takes it."""
        n = self._own
        given = None if weights is None else arrays.numbers(weights, "weights", (-1, n))
        if given is not None and np.any(given < 0.0):
            raise BadValue(f"weights contains {given.min():g}; each must be at least 0")
        if given is not None and np.any(given > LARGEST_WEIGHT):
            raise BadValue(f"weights contains {given.max():g}; each must be at most {LARGEST_WEIGHT:g}")
        on = None if active is None else arrays.numbers(active, "active", (-1, n)) != 0.0
        for name, array in (("weights", given), ("active", on)):
            if array is not None and array.shape not in ((n,), (count, n)):
                raise BadShape(
                    f"{name} has shape {array.shape}; it needs ({n},), or ({count}, {n}), a row for each target"
                )
        return {
            "weights": None if given is None else _plain(given),
            "active": None if on is None else np.ascontiguousarray(on),
            "restarts": whole(restarts, "restarts"),
            "iterations": whole(iterations, "iterations"),
            "budget": None if budget is None else float(arrays.non_negative(budget, "budget")),
            "seed": whole(seed, "seed", largest=LARGEST_SEED),
        }

    def _goal_named(self, name: str) -> tuple[Goal, slice]:
        """The goal of a name, and where its target stands in a row."""
        own = list(zip(self.goals[: self._own], self._slices, strict=False))
        found = [pair for pair in own if name in (pair[0].name, pair[0].label)]
        found = found or [pair for pair in own if name in {e.segment for e in pair[0].effectors}]
        if len(found) == 1:
            return found[0]
        if found:
            labels = ", ".join(goal.label for goal, _ in found)
            raise BadValue(f"targets: {len(found)} goals are about {name!r} ({labels}); give goals a name and use that")
        raise unknown_name("this solver", "goal", name, [goal.label for goal, _ in own])

    def _note_on_speeds(self, count: int, first: int, number: int, speeds: Vector | None) -> str:
        """What the core cannot say in words: which joint holds frames of a track back."""
        limits = number_speeds(self.figure, None) if speeds is None else speeds
        return note_on_speeds(self.figure, count, first, number, limits)


def _plain(numbers: Matrix) -> Matrix:
    """An array that the core takes as it is: C order, aligned, no subclass."""
    return np.require(numbers, np.float64, ["C", "A", "E"])


def _as_rows(matrices: Matrix) -> Matrix:
    """4×4 matrices (..., 4, 4) as placements (..., 7)."""
    turns = rotations.from_matrix(matrices[..., :3, :3])
    return np.concatenate([matrices[..., :3, 3], turns], axis=-1)


def checked_pick(pick: str) -> str:
    """`pick`, which must be "near" or "first"."""
    if pick not in ("near", "first"):
        raise BadValue(f"pick is {pick!r}; it must be 'near' or 'first'")
    return str(pick)


def preference_options(
    figure: Figure, count: int, prefer: ArrayLike | None, stiffness: Stiffness, settle: bool
) -> dict[str, Any]:
    """A preferred pose with its stiffness as the core takes it."""
    pose = None if prefer is None else _plain(figure.check(prefer, "prefer"))
    if pose is not None and pose.shape not in ((figure.nq,), (count, figure.nq)):
        raise BadShape(f"prefer has shape {pose.shape}; it needs ({figure.nq},), or ({count}, {figure.nq})")
    each = None if stiffness is None else step_stiffness(figure, stiffness, "stiffness", 1.0)
    return {"prefer": pose, "stiffness": None if each is None else _plain(each), "settle": bool(settle)}


def names(given: Sequence[str]) -> tuple[str, ...]:
    """Names of joints as a tuple; a single name needs no list."""
    return (given,) if isinstance(given, str) else tuple(given)


def _rebuilt(
    kind: type[Solver],
    figure: Figure,
    goals: tuple[Goal, ...],
    freeze: tuple[str, ...],
    only: tuple[str, ...] | None,
    loops: bool,
) -> Solver:
    return kind(figure, goals, freeze=freeze, only=only, loops=loops)


def _check_out(out: Matrix | None, shape: tuple[int, ...], starts: ArrayLike | None) -> None:
    """Raise unless `out`, where one is given, takes poses of this shape and is apart from the starts in memory."""
    if out is not None:
        check_out(out, shape, np.empty(0) if starts is None else np.asarray(starts))
