"""`Solutions`: the results of many rows or frames."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, frozen
from manikin.figure.figure import Figure
from manikin.figure.html_table import html_table
from manikin.solution.native import AnswerRows, AnswerRowsBase, gives_methods
from manikin.solution.solution import Solution
from manikin.solution.status import STATUSES
from manikin.solution.table import number

_ENDINGS = np.array(STATUSES, dtype="<U17")


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
    def robust_weights(self) -> Matrix:
        """(B, goals) the factors by which robust goals (`robust=`) lowered their weights, as in `Solution`. Computed at
        each read."""
        out = np.ones_like(self.errors)
        for k, members in enumerate(self._owner.members):
            for m, member in enumerate(members):
                if member.robust is not None:
                    rows = self.chosen[:, k] == m
                    out[rows, k] = member.robust.weight(self.errors[rows, k])
        return out

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
            raise IndexError(f"there are {len(self)} solutions; number {k} does not exist")
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
        rows += [[f"largest error of {name}", number(e)] for name, e in zip(labels, worst, strict=False)]
        return html_table(f"{len(self)} solutions", [], rows, self.notes)

    def with_notes(self, *notes: str) -> Solutions:
        """A copy with further notes, which come before the others.

        Args:
            notes: sentences.
        """
        return Solutions(*self._fields((*notes, *(self._notes or ()))))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Solutions, self._fields(self._notes))

    def _fields(self, notes: tuple[str, ...] | None) -> tuple[Any, ...]:
        """The arguments that make a copy with these notes."""
        rows = (self.poses, self.errors, self.codes, self.iterations, self.start_violation, self.chosen, notes)
        return (self._owner, *rows, self._targets, self._starts, self._weights)
