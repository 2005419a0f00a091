"""Solutions: the results of solvers. All solvers fill the same fields of the same record."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector, frozen
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.html_table import html_table
from manikin.goals import Goal

if TYPE_CHECKING:
    from manikin._core import Answer, AnswerRows

    AnswerBase = Answer
    AnswerRowsBase = AnswerRows
    Class = TypeVar("Class", bound=type)

    def gives_methods(native: type) -> Callable[[Class], Class]: ...

    from manikin.report.data import Report
else:
    try:
        from manikin._core import Answer, AnswerRows
    except ImportError:  # `backend` reports this when something is computed

        class Answer:
            """Placeholder for the native class."""

        class AnswerRows:
            """Placeholder for the native class."""

    AnswerBase = AnswerRowsBase = object

    def gives_methods(native):
        """Adds the definitions of a class to a native class, and returns the native class in its place.

        The core creates native objects without Python. Creating an instance of a Python subclass would take as long as
        solving an arm.
        """

        def moved(own):
            for name, value in vars(own).items():
                if name not in ("__dict__", "__weakref__", "__slots__", "__module__", "__qualname__"):
                    setattr(native, name, value)
            return native

        return moved


class Status(str, Enum):
    """How a solver ended. Equal to its text: `solution.status == "reached"`."""

    REACHED = "reached"
    """Every goal is within its tolerance."""
    STALLED = "stalled"
    """The solver is at a minimum above the tolerance: no step lowers the cost."""
    OUT_OF_ITERATIONS = "out_of_iterations"
    """The solver used all iterations that were allowed."""
    OUT_OF_TIME = "out_of_time"
    """The solver used all the time that was allowed, or the caller cancelled."""

    def __str__(self) -> str:
        return self.value


_SENTENCES = {
    Status.REACHED: "every goal reached",
    Status.STALLED: "stalled: no step brings the goals closer",
    Status.OUT_OF_ITERATIONS: "the iterations allowed were used up",
    Status.OUT_OF_TIME: "the time allowed was used up",
}


@dataclass(frozen=True, eq=False)
class History:
    """A record of the k iterations; row 0 is the start."""

    errors: Matrix
    """(k, goals) error of each goal before the step, in lengths or radians."""
    step_norms: Vector
    """(k,) ‖dθ‖ of the step from this pose, in radians (slides in sizes of the figure); 0 in the last row."""
    damping: Vector
    """(k,) the damping λ, in lengths per radian; 0 for methods without damping."""
    condition_numbers: Vector
    """(k,) (σ₁² + λ²)/(σₘ² + λ²) of the Jacobian, with m the smaller of its number of rows and columns; infinite at a
    singular pose without damping."""
    active_limits: tuple[tuple[str, ...], ...]
    """(k,) names of the limits that the pose touched."""


STATUSES = (Status.REACHED, Status.STALLED, Status.OUT_OF_ITERATIONS, Status.OUT_OF_TIME)
"""The statuses, in the order of their numbers in the native solver."""


@dataclass(frozen=True, eq=False)
class Question:
    """The input of a method: everything that a solution knows besides its result."""

    figure: Figure
    goals: tuple[Goal, ...]
    """The goals as they were solved: tolerances filled in, each AnyOf replaced by the member that was chosen."""
    method: str
    movable: NDArray[np.bool_] | None = None
    """(nv,) the steps that could change; None means all."""
    notes: tuple[str, ...] = ()
    """Sentences about the input."""

    def goals_of(self, _: Solution) -> tuple[Goal, ...]:
        """The goals of a solution."""
        return self.goals


@gives_methods(Answer)
class Solution(AnswerBase):
    """The pose that a solver found, its errors, and how the solve ended.

    `pose`, `errors`, `reached`, `status`, `iterations` and `start_violation` are stored. Everything else is computed
    when it is first read.
    """

    @classmethod
    def of(
        cls,
        question: Question,
        pose: Vector,
        errors: Vector,
        status: Status,
        iterations: int,
        start_violation: float = 0.0,
        notes: tuple[str, ...] = (),
        chosen: tuple[int, ...] | None = None,
        **extra: Any,
    ) -> Solution:
        """Makes the solution of a question. `extra` may hold start, time, history and options."""
        code = STATUSES.index(status)
        return cls(frozen(pose), frozen(errors), code, iterations, start_violation, notes, chosen, question, extra)

    @property
    def figure(self) -> Figure:
        """The figure that was posed."""
        figure: Figure = self._owner.figure
        return figure

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals as they were solved: tolerances filled in, each AnyOf replaced by the member that was chosen."""
        goals: tuple[Goal, ...] = self._kept("goals", lambda: self._owner.goals_of(self))
        return goals

    @property
    def start(self) -> Vector:
        """(nq,) the pose from which the solver started, within limits."""
        start: Vector = self._kept("start", lambda: frozen(self._start))
        return start

    @property
    def targets(self) -> Vector | None:
        """(k,) the row of targets that a `Solver` received; None for other methods."""
        targets: Vector | None = self._kept("targets", lambda: None if self._targets is None else frozen(self._targets))
        return targets

    @property
    def weights(self) -> Vector | None:
        """(goals,) the weights that replaced those of the goals; None if the goals' own weights were used."""
        weights: Vector | None = self._look("weights")
        return weights

    @property
    def method(self) -> str:
        """Name of the solver."""
        method: str = self._owner.method
        return method

    @property
    def time(self) -> float | None:
        """Time of the solve in seconds; None if it was not measured, as in `Solver.solve`."""
        seconds: float | None = self._look("time")
        return seconds

    @property
    def violation(self) -> float:
        """Distance of the pose outside its limits, in radians or lengths; 0 for methods that keep limits."""
        violation: float = self._kept("violation", lambda: float(self.figure.violation(self.pose)))
        return violation

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the input and the result, such as likely mistakes in units. Computed when first read."""
        notes: tuple[str, ...] = self._kept("notes", self._all_notes)
        return notes

    def _all_notes(self) -> tuple[str, ...]:
        hints: tuple[str, ...] = ()
        if isinstance(self.figure, Figure):  # a solver made by `from_bytes` has no Figure
            hints = importlib.import_module("manikin.report.hints").of_solution(self)
        return (*(self._notes or ()), *self._owner.notes, *hints)

    @property
    def history(self) -> History | None:
        """A record of each iteration; None without `history=True`."""
        history: History | None = self._look("history")
        return history

    @property
    def movable(self) -> NDArray[np.bool_] | None:
        """(nv,) the steps that could change; None means all."""
        movable: NDArray[np.bool_] | None = self._owner.movable
        return movable

    @property
    def chosen(self) -> tuple[int, ...]:
        """(goals,) the index of the chosen member of each AnyOf; 0 for other goals."""
        return self._chosen if self._chosen is not None else (0,) * len(self.errors)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that the caller gave to the method: `restarts`, `damping`, …"""
        return self._look("options") or {}

    @property
    def report(self) -> tuple[Report, ...]:
        """Explains why goals were missed and what would help: one record for each goal, in order. See `docs/why.md`.

        The report is computed when it is first read, by solving some changed problems. Reached goals have no reasons.
        """
        if not isinstance(self.figure, Figure):
            raise Unsupported(
                f"this solution is of a solver that was opened from bytes, which have no figure: {self.figure.name!r} "
                "cannot be solved anew for a report; mk.Solver(figure, goals) can"
            )
        # `manikin.report` imports this file, so it is imported when it is needed
        reports: tuple[Report, ...] = self._kept(
            "report", lambda: importlib.import_module("manikin.report").explain(self)
        )
        return reports

    def __repr__(self) -> str:
        shown = ", ".join(_number(e) for e in self.errors[:MOST_ERRORS])
        more = f", … {len(self.errors)} in all" if len(self.errors) > MOST_ERRORS else ""
        return f"<Solution {self.status}: errors ({shown}{more}), {self.iterations} iterations>"

    def __reduce__(self) -> tuple[Any, ...]:
        extra = {**(self._extra or {}), "start": self.start}
        extra.pop("report", None)
        extra.pop("notes", None)
        if self._targets is not None:
            extra["targets"] = self._targets
        values = (self.pose, self.errors, self.code, self.iterations, self.start_violation, self._notes, self._chosen)
        return (Solution, (*values, self._owner, extra))

    def _look(self, name: str) -> Any:
        return None if self._extra is None else self._extra.get(name)

    def _kept(self, name: str, make: Callable[[], Any]) -> Any:
        """The value that is stored under a name. `make` computes it when it is first read."""
        if self._extra is None:
            self._extra = {}
        if name not in self._extra:
            self._extra[name] = make()
        return self._extra[name]

    @property
    def tolerances(self) -> Vector:
        """(goals,) the largest error that counts as reached."""
        return np.array([g.allowed for g in self.goals])

    def __str__(self) -> str:
        """A table with one row for each goal: its error, its tolerance, and whether it is reached or what blocks it.

        The obstacle is a guess that needs no further solve. It is marked "probably" unless segment lengths prove it. If
        `report` was already computed, its sentences are shown below the table instead.
        """
        rows = [("goal", "error", "tolerance", ""), *self._rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(3)]
        lines = [self._headline()]
        for k, (label, error, allowed, verdict) in enumerate(rows):
            line = f"  {label:<{widths[0]}}  {error:>{widths[1]}}  {allowed:>{widths[2]}}  {verdict}"
            lines.append(line.rstrip())
            if k == 0:
                lines.append("  " + "─" * (sum(widths) + 15))
        return "\n".join([*lines, *(f"  {line}" for line in self._below())])

    def _repr_html_(self) -> str:
        return html_table(self._headline(), ("goal", "error", "tolerance", ""), self._rows(), self._below())

    def _headline(self) -> str:
        return f"{self.figure.name}, {self.method}: {_SENTENCES[self.status]} ({self._effort()})"

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """One row for each goal: its error, its tolerance, and "reached" or what blocks it."""
        rows = []
        for goal, error, allowed, why in zip(self.goals, self.errors, self.tolerances, self._guesses(), strict=True):
            unit = " rad" if all(goal.angular) else ""
            verdict = "reached" if error <= allowed else f"misses by {_number(error - allowed)}{unit}"
            verdict += f": {why}" if why else ""
            rows.append((goal.label, _number(error) + unit, _number(allowed) + unit, verdict))
        return rows

    def _below(self) -> list[str]:
        """The lines below the table."""
        lines = []
        if self.violation > 0.0:
            lines.append(f"outside its limits by {_number(self.violation)} (this method does not keep them)")
        return [*lines, *self.notes, *(report.text for report in self._reported() if report.reasons)]

    def _reported(self) -> tuple[Report, ...]:
        """The report, if it was already computed."""
        return self._look("report") or ()

    def _guesses(self) -> tuple[str, ...]:
        """A few words on each missed goal; empty if the report was already computed."""
        none = ("",) * len(self.goals)
        if self._reported() or np.all(self.errors <= self.tolerances) or not isinstance(self.figure, Figure):
            return none
        guesses: tuple[str, ...] = importlib.import_module("manikin.report.guess").guesses(self)
        return guesses

    def _effort(self) -> str:
        steps = "1 iteration" if self.iterations == 1 else f"{self.iterations} iterations"
        return steps if self.time is None else f"{steps}, {1000 * self.time:.3g} ms"


MOST_ERRORS = 6
"""A `repr` shows at most this many errors."""


def _number(value: float) -> str:
    return f"{value:.3g}"


@gives_methods(AnswerRows)
class Solutions(AnswerRowsBase):
    """The solutions of `solve_many` or `track`. `poses`, `errors`, `reached` and `status` have one row for each.

    `solutions[3]` is the fourth solution, as a `Solution`. A slice or an index array selects rows.
    """

    @property
    def reached(self) -> NDArray[np.bool_]:
        """(B,) whether every goal is within its tolerance."""
        return np.asarray(self.codes == 0)

    @property
    def status(self) -> NDArray[np.str_]:
        """(B,) "reached", "stalled", "out_of_iterations" or "out_of_time"."""
        return _ENDINGS[self.codes]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the input and the results, such as likely mistakes in units. Computed at each read."""
        hints: tuple[str, ...] = ()
        if isinstance(self._owner.figure, Figure):
            hints = importlib.import_module("manikin.report.hints").of_solutions(self)
        return (*(self._notes or ()), *self._owner.notes, *hints)

    def __len__(self) -> int:
        return len(self.poses)

    def __iter__(self) -> Iterator[Solution]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: Any) -> Any:
        if not isinstance(k, (int, np.integer)):
            return self._taken(k)
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} solutions; there is no number {k}")
        k = int(k) % len(self)
        extra: dict[str, Any] = {}
        for name, rows in (("targets", self._targets), ("start", self._starts), ("weights", self._weights)):
            if rows is not None:
                extra[name] = frozen(rows if rows.ndim == 1 else rows[0 if len(rows) == 1 else k])
        chosen = tuple(int(m) for m in self.chosen[k])
        code, steps, outside = int(self.codes[k]), int(self.iterations[k]), float(self.start_violation[k])
        return Solution(self.poses[k], self.errors[k], code, steps, outside, (), chosen, self._owner, extra)

    def _taken(self, at: Any) -> Solutions:
        """Some of the rows."""

        def some(rows: Any) -> Any:
            return rows if rows is None or rows.ndim == 1 or len(rows) == 1 != len(self) else rows[at]

        rows = (self.poses, self.errors, self.codes, self.iterations, self.start_violation, self.chosen)
        others = (some(self._targets), some(self._starts), some(self._weights))
        taken: tuple[Any, ...] = (*(a[at] for a in rows), self._notes, *others)
        return Solutions(self._owner, *taken)

    def __repr__(self) -> str:
        return f"<Solutions: {int(self.reached.sum())} of {len(self)} reached>"

    def _repr_html_(self) -> str:
        counts = {str(word): int((self.status == word).sum()) for word in np.unique(self.status)}
        rows = [[word, str(count)] for word, count in counts.items()]
        worst = self.errors.max(axis=0, initial=0.0)
        labels = [goal.label for goal in self._owner.goals]
        rows += [[f"largest error of {name}", _number(e)] for name, e in zip(labels, worst, strict=False)]
        return html_table(f"{len(self)} solutions", [], rows, self.notes)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = (self.poses, self.errors, self.codes, self.iterations, self.start_violation, self.chosen, self._notes)
        return (Solutions, (self._owner, *rows, self._targets, self._starts, self._weights))


_ENDINGS = np.array(STATUSES, dtype="<U17")

if hasattr(AnswerRows, "poses"):  # the native classes, not their placeholders
    from manikin import _core

    _core.set_answers(STATUSES, BadValue)
