"""`Compiled`: a figure and its goals, compiled once into the block that the native core opens.

`mk.solve`, `Solver`, reports and retargeting all solve with such objects; what is compiled for one call is kept in one
cache for the next (`recent`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.movable import Hold, movable_steps
from manikin.goals import AnyOf, Goal
from manikin.goals.loops import with_loops
from manikin.problem import levels_of, settled
from manikin.solution import Solution
from manikin.solvers.native.answers import Answers, Uncompiled, Watch
from manikin.solvers.native.arguments import names
from manikin.solvers.native.block import callbacks_of, figure_arrays, goal_arrays, opened, packed, shares_of
from manikin.solvers.native.natural import NaturalWords
from manikin.solvers.native.recent import recent
from manikin.solvers.native.replaced import Form, Offsets, replaced, with_offsets
from manikin.solvers.native.speeds import note_on_speeds
from manikin.solvers.native.stored import Stored, speeds_of
from manikin.solvers.native.targets import TargetRows, goal_targets
from manikin.solvers.native.tuning import DEFAULTS, Tuning, tuning

if TYPE_CHECKING:
    from typing_extensions import Self

    from manikin._core import QueryHolder
else:
    try:
        from manikin._core import QueryHolder
    except ImportError:  # `backend` reports this when something is computed
        QueryHolder = object


CHANGING = ("targets", "goal_weight")
"""Arrays of a query that a call may replace."""


class Compiled(QueryHolder):
    """Goals on a figure, compiled once, with their targets and names. It is immutable, so threads may share it."""

    method = "auto"
    """The `method` of its solutions."""

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal] | Goal,
        *,
        freeze: Sequence[str] = (),
        only: Sequence[str] | None = None,
        hold: Hold | None = None,
        loops: bool = True,
        damping: float | None = None,
        angle_length: float | None = None,
    ) -> None:
        """
        Args:
            figure: the figure to pose.
            goals: at least one goal. Their targets are the defaults.
            freeze: names of joints, or of single numbers ("Spine.x"), that must not move.
            only: names of the joints, or of the single numbers, that may move; None means all except held sliders.
            hold: parts of balls that stay as in the start of each call: {"LeftFoot": "twist"} or {"LeftFoot": "swing"}
                (see `manikin.solve`). In a track they stay as before the first frame.
            loops: whether to keep the loops of the figure closed.
            damping: in lengths per radian. A step of one radian costs at least as much as a goal error of this length.
                Larger values shorten steps near singular poses and make the solver slower. None means 0.00316
                `figure.size`.
            angle_length: in lengths per radian. An error of one radian counts as much as an error of this length. None
                means 0.2 `figure.size`. If `damping` or `angle_length` is given, arms are solved by the general solver,
                which is slower. See docs/tuning.md.
        """
        given = [goals] if isinstance(goals, Goal) else list(goals) if isinstance(goals, Iterable) else goals
        wanted: Sequence[Goal] = with_loops(figure, given) if loops else given
        asked = settled(figure, wanted)
        options: dict[str, Any] = {"freeze": names(freeze), "only": None if only is None else names(only)}
        options |= {"hold": None if hold is None else dict(hold)}
        options |= {"loops": loops, "damping": damping, "angle_length": angle_length}
        self._given, self._options = tuple(given), options
        self._compile(
            figure,
            asked.goals,
            movable_steps(figure, freeze, only, hold),
            weights=[g.weight for g in given] + [1.0] * (len(asked.goals) - len(given)),  # loops always have weight 1
            shares=shares_of(wanted),
            own=len(given),
            tuned=tuning(figure.size, damping, angle_length),
            notes=asked.unseen,
        )

    @classmethod
    def of(cls, figure: Figure, goals: Sequence[Goal], movable: NDArray[np.bool_], **options: Any) -> Self:
        """Compiles goals that are settled on the figure (`goal.on`).

        Args:
            figure: the figure to pose.
            goals: the settled goals.
            movable: (nv,) the steps that may change.
            options: as in `_compile`.
        """
        made = object.__new__(cls)
        made._compile(figure, tuple(goals), movable, **options)
        return made

    def _compile(
        self,
        figure: Figure,
        goals: tuple[Goal, ...],
        movable: NDArray[np.bool_],
        *,
        weights: Sequence[float] | None = None,
        shares: Sequence[Sequence[float]] | None = None,
        own: int | None = None,
        tuned: Tuning = DEFAULTS,
        notes: tuple[str, ...] = (),
        shared: bool = False,
    ) -> None:
        """
        Args:
            figure: the figure to pose.
            goals: settled on the figure, an AnyOf with its members.
            movable: (nv,) the steps that may change.
            weights: (goals,); None means the goals' own weights.
            shares: factors on the weight of each goal, one for each of its members; None means 1.
            own: number of goals that the caller gave. The goals of closed loops follow them. None means all.
            tuned: tuning of the solver.
            notes: sentences about the goals and the figure.
            shared: whether a query of the same goals with other targets and weights will do, because each call gives
                its own. Such an object has no bytes.
        """
        self.figure = self._first_figure = figure
        self.goals = self._first_goals = goals
        self.movable: NDArray[np.bool_] = arrays.frozen(movable, bool)
        """(nv,) the steps that may change."""
        self.notes = notes
        """Sentences about facts of the figure that the goals ignore."""
        own = len(goals) if own is None else own
        weights = [g.weight for g in goals] if weights is None else weights
        named = goal_targets(goals)
        row = np.concatenate([g.target for g in goals])[: named[own - 1].at.stop if own else 0]
        self._take_targets(TargetRows(named[:own], arrays.frozen(row)))
        self._slices = [goal.at for goal in named]
        self._weights: Vector = arrays.frozen(weights[:own])
        self._angle_length = tuned.angle_weight * figure.size
        self._stored: Stored | None = None
        self._offsets: dict[int, tuple[float, ...]] = {}
        self._scales: tuple[dict[str, float], ...] = ()
        described = goal_arrays(figure, goals, movable, own, weights, shares, tuned)
        if shared:
            structure = packed({name: array for name, array in described.items() if name not in CHANGING})
            made = lambda: opened(packed({**figure_arrays(figure), **described}))  # noqa: E731
            self._query = recent(("query", id(figure), structure), (figure,), made)
        else:
            self._block = packed({**figure_arrays(figure), **described})
            self._query = opened(self._block)
        self._callbacks = callbacks_of(figure, goals)

    @cached_property
    def figure(self) -> Figure:
        """The figure to pose."""
        figure = self._first_figure
        for factors in self._scales:
            figure = figure.scaled(factors)
        return figure

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """The given goals, then the goals of the closed loops."""
        if self._scales:
            return settled(self.figure, self._made_of[0]).goals
        return with_offsets(self._first_goals, self._offsets)

    @cached_property
    def _natural(self) -> NaturalWords:
        return NaturalWords(self.figure, self.goals, self.movable, self._angle_length)

    @cached_property
    def _form(self) -> Form:
        return Form(self.figure, self._given, self._block)

    @property
    def _made_of(self) -> tuple[tuple[Goal, ...], dict[str, Any]]:
        """The given goals, with replaced offsets, and the options."""
        return with_offsets(self._given, self._offsets), self._options

    def _take_targets(self, rows: TargetRows) -> None:
        self._targets = rows
        self.target_layout: list[tuple[str, slice]] = [(goal.label, goal.at) for goal in rows.goals]
        """(goal name, slice) of each goal in a row of targets."""
        self.width = rows.width
        """Length k of a row of targets."""
        self.targets: Vector = rows.own
        """(k,) the goals' own targets."""

    def row(self, targets: Mapping[str, ArrayLike]) -> Vector:
        """Makes a row of targets (k,) from targets by name. Goals that are not named keep their own targets.

        A name is the name of a goal (`goal.name`), its label ("Position RightHand"), or a segment ("RightHand") that
        belongs to only one goal. The target of a Placement may be a 4×4 matrix.

        Args:
            targets: targets by name, each an array (n,) as wide as the goal's target, lengths and unit quaternions.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> mk.Solver(arm, [mk.Position("Tip", (1.0, 1.0), axes="xy")]).row({"Tip": (0.5, 0.5)})
            array([0.5, 0.5])
        """
        return self._targets.by_name(targets)

    def replaced(self, *, offsets: Offsets | None = None, lengths: Mapping[str, float] | None = None) -> Self:
        """The same solver with other offsets of effectors and other lengths of segments, for calibrations.

        The result equals `mk.Solver(figure.scaled(lengths), goals)` with the offsets in the goals and the same options.
        Its answers have the same bits. `figure` and `goals` of the result are made when they are first read.

        The call takes a fraction of a millisecond if only numbers change. The goals are compiled again, which takes
        some milliseconds, in these cases:

        - A goal with a new offset is not a Position, Aim, Plane, Line or Placement, or its tool is rotated.
        - A goal with a new offset has alternatives.
        - `lengths` are given, and some goal concerns several effectors.
        - `lengths` are given, and a scaled segment carries a slider.

        Args:
            offsets: offsets (3,) by goal name, as in `row`, or an array (goals, 3) with NaN in the rows of goals that
                keep their offset.
            lengths: factors of the lengths of segments, as in `Figure.scaled`. They multiply those of this solver.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3)
            >>> solver = mk.Solver(arm, mk.Position("Tip", (1.0, 1.0, 0.0), name="pen"))
            >>> longer = solver.replaced(offsets={"pen": (0.2, 0.0, 0.0)}, lengths={arm.segment_names[1]: 1.1})
            >>> longer.goals[0].offset
            (0.2, 0.0, 0.0)
        """
        return replaced(self, offsets, lengths)

    def to_bytes(self) -> bytes:
        """The compiled problem as one block of named arrays, for `from_bytes`, the C API or a web page.

        Raises:
            Unsupported: a goal is evaluated in Python (`Custom`), so bytes cannot store it.
        """
        if self._callbacks:
            label = next(g.label for g in self.goals if any(m.evaluated_in_python for m in g.alternatives))
            raise Unsupported(
                f"{label} is evaluated in Python and cannot be stored in bytes; leave it out to store the rest"
            )
        return self._block

    @classmethod
    def from_bytes(cls, block: bytes) -> Self:
        """Makes a solver from the bytes of `to_bytes`.

        `solve`, `solve_many` and `track` return the same bits as those of the original solver. The solver knows the
        names of its goals and numbers (for `row`, `target_layout` and messages), but it has no figure. Reports,
        `stiffness` and `max_speed` by joint name, and goals as objects raise `Unsupported`.

        The bytes may come from an untrusted source: inconsistent data raises an error. `iterations` and `budget` bound
        the time of a solve, as for any problem.

        Args:
            block: the bytes.

        Raises:
            BadValue: the bytes are not a compiled problem, are damaged, or have another version.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> solver = mk.Solver(arm, mk.Position("Tip", (1.0, 1.0), axes="xy"))
            >>> other = mk.Solver.from_bytes(solver.to_bytes())
            >>> bool((other.solve(arm.rest).pose == solver.solve(arm.rest).pose).all())
            True
        """
        if not isinstance(block, (bytes, bytearray, memoryview)):
            raise BadValue(f"block is {type(block).__name__}; it needs the bytes that Solver.to_bytes() returns")
        solver = object.__new__(cls)
        solver._block = bytes(block)
        solver._query = opened(solver._block)
        stored = solver._stored = Stored(solver._block, solver._query)
        solver.figure, solver.movable, solver.notes = stored.figure, stored.movable, ()  # type: ignore[assignment]
        solver.goals = tuple(members[0] for members in stored.members)  # type: ignore[misc]
        solver._take_targets(TargetRows(stored.goal_targets, stored.targets))
        solver._weights = stored.weights
        solver._callbacks = ()
        solver._natural = NaturalWords.without_figure()
        return solver

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """(goals,) priority levels without gaps; 0 is the highest priority."""
        return levels_of([g.rank for g in self.goals])

    @cached_property
    def tolerances(self) -> Vector:
        """(goals,) the largest error that counts as reached."""
        return np.array([g.allowed for g in self.goals])

    def run(
        self,
        starts: Matrix,
        targets: Matrix,
        weights: Matrix,
        *,
        restarts: int | None,
        seed: int = 0,
        max_iterations: int = 1_000_000,
        budget: float | None = None,
        near: bool = False,
        strict: bool = False,
        watch: Watch | None = None,
    ) -> Answers:
        """Solves rows that are not checked.

        Args:
            starts: (B, nq) within limits.
            targets: (B, k).
            weights: (goals,) or (B, goals); 0 for goals that do not count.
            restarts: largest number of restarts after the first start; None means the default.
            seed: seed of the random starts.
            max_iterations: largest number of iterations, over all starts.
            budget: time limit in seconds; None means no limit.
            near: whether the start is near the solution. It is then used unchanged, with all goals at once.
            strict: whether to respect the priorities of the goals. Otherwise all goals count at once, by their weights.
            watch: called once in each iteration. If it returns False, the call ends.
        """
        pose = np.array(starts, dtype=np.float64, order="C")
        rows = np.broadcast_to(weights, (len(pose), len(self.goals)))
        errors, counts = np.zeros((len(pose), len(self.goals))), np.zeros((len(pose), 3), dtype=np.int32)
        self._query.run(
            pose,
            np.ascontiguousarray(targets),
            np.ascontiguousarray(rows),
            errors,
            counts,
            self._callbacks,
            restarts=restarts,
            seed=seed,
            iterations=max_iterations,
            budget=budget,
            near=near,
            strict=strict,
            watch=watch,
        )
        return Answers(pose, errors, counts[:, 0], counts[:, 1], counts[:, 2])

    def errors_at(self, poses: Matrix, targets: Matrix, weights: Matrix) -> Answers:
        """The errors at poses, without solving.

        Args:
            poses: (B, nq).
            targets, weights: as in `run`.
        """
        return self.run(poses, targets, weights, restarts=0, max_iterations=0, near=True)

    @property
    def members(self) -> tuple[tuple[Goal, ...], ...]:
        """(goals) the members of each AnyOf; for other goals the goal itself."""
        if self._stored is not None:
            return self._stored.members  # type: ignore[return-value]
        return tuple(goal.members if isinstance(goal, AnyOf) else (goal,) for goal in self.goals)

    def goals_of(self, solution: Solution) -> tuple[Goal, ...]:
        """The goals of one solution, with its targets and weights. Each AnyOf is replaced by the chosen member.

        Args:
            solution: a solution of this solver.
        """
        if self._stored is not None:
            return tuple(m[k] for m, k in zip(self._stored.members, solution.chosen, strict=True))  # type: ignore[misc]
        row, weights, out = solution.targets, solution.weights, []
        for k, (goal, at) in enumerate(zip(self.goals, self._slices, strict=True)):
            moved = goal
            if row is not None and k < self._own and np.isfinite(row[at]).all() and (row[at] != self.targets[at]).any():
                moved = goal.with_target(row[at])
            member = moved.members[solution.chosen[k]] if isinstance(moved, AnyOf) else moved
            if weights is not None and k < self._own and weights[k] != self._weights[k]:
                member = replace(member, weight=float(weights[k]))
            out.append(member)
        return tuple(out)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the figure, goals and options, or the bytes if it has no figure. Unpickling compiles them again.

        What a solution of `mk.solve` knows of its goals is pickled uncompiled, because nobody solves them again.
        """
        if type(self) is Compiled:
            return (Uncompiled, (self.figure, self.goals, self.method, self.movable, self.notes))
        if self._stored is not None:
            return (type(self).from_bytes, (self._block,))
        return (type(self)._rebuilt, (self.figure, *self._made_of))

    @classmethod
    def _rebuilt(cls, figure: Figure, goals: tuple[Goal, ...], options: dict[str, Any]) -> Self:
        return cls(figure, goals, **options)

    @property
    def _own(self) -> int:
        """Number of goals that the caller gave, without closed loops."""
        return len(self._targets.goals)

    def _note_on_speeds(self, count: int, first: int, number: int, speeds: Vector | float | None) -> str:
        """The note that names the joint whose speed limit makes a track miss frames."""
        each = speeds if isinstance(speeds, np.ndarray) else speeds_of(self.figure, speeds)
        return note_on_speeds(self.figure, count, first, number, each)
