"""`Solution`: the result of one solve."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector, frozen
from manikin.errors import Unsupported
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.solution import table
from manikin.solution.native import Answer, AnswerBase, gives_methods
from manikin.solution.records import History, Question
from manikin.solution.status import STATUSES, Status

if TYPE_CHECKING:
    from manikin.report.data import Report

MOST_ERRORS = 6
"""A `repr` shows at most this many errors."""


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
        """Makes the solution of a question.

        Args:
            question: the goals that were solved, and how.
            pose: the pose, shape (nq,).
            errors: the error of each goal, shape (goals,), as length or radians.
            status: why the solve ended.
            iterations: number of iterations.
            start_violation: by how much the start was outside its limits, radians or length.
            notes: sentences about the solve.
            chosen: index of the chosen member of each AnyOf.
            extra: may hold start, time, history and options.
        """
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
    def robust_weights(self) -> Vector:
        """(goals,) the factors by which robust goals (`robust=`) lowered their weights at this pose, from 1e-6 to 1.

        1 for other goals. A target with a factor below 0.25 is probably an outlier.
        """
        pairs = zip(self.goals, self.errors, strict=True)
        return np.array([1.0 if g.robust is None else float(g.robust.weight(e)) for g, e in pairs])

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
                "this solution comes from a solver that was opened from bytes, which contain no figure: "
                f"{self.figure.name!r} cannot be solved again for a report; use mk.Solver(figure, goals)"
            )
        # `manikin.report` imports this file, so it is imported when it is needed
        reports: tuple[Report, ...] = self._kept(
            "report", lambda: importlib.import_module("manikin.report").explain(self)
        )
        return reports

    def __repr__(self) -> str:
        shown = ", ".join(table.number(e) for e in self.errors[:MOST_ERRORS])
        more = f", … {len(self.errors)} in all" if len(self.errors) > MOST_ERRORS else ""
        return f"<Solution {self.status}: errors ({shown}{more}), {self.iterations} iterations>"

    def __str__(self) -> str:
        """A table with one row for each goal: its error, its tolerance, and whether it is reached or what blocks it.

        The obstacle is a guess that needs no further solve. It is marked "probably" unless segment lengths prove it. If
        `report` was already computed, its sentences are shown below the table instead.
        """
        return table.as_text(self, self._look("report") or ())

    def _repr_html_(self) -> str:
        return table.as_html(self, self._look("report") or ())

    def with_notes(self, *notes: str) -> Solution:
        """A copy with further notes, which come before the others.

        Args:
            notes: sentences.
        """
        return Solution(*self._fields((*notes, *(self._notes or ()))))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Solution, self._fields(self._notes))

    def _fields(self, notes: tuple[str, ...] | None) -> tuple[Any, ...]:
        """The arguments that make a copy with these notes. What is computed on demand is left out."""
        extra = {**(self._extra or {}), "start": self.start}
        extra.pop("report", None)
        extra.pop("notes", None)
        if self._targets is not None:
            extra["targets"] = self.targets
        values = (self.pose, self.errors, self.code, self.iterations, self.start_violation, notes, self._chosen)
        return (*values, self._owner, extra)

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
