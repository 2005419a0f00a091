"""Solutions: what a solver found. One record for all solvers, the same fields always filled."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal

if TYPE_CHECKING:
    from manikin.report.data import Report


class Status(str, Enum):
    """How a solver ended. Equal to its text: `solution.status == "reached"`."""

    REACHED = "reached"
    """Every goal is within its tolerance."""
    STALLED = "stalled"
    """A minimum above tolerance: no step helps any more."""
    OUT_OF_ITERATIONS = "out_of_iterations"
    """The number of iterations allowed was used up."""
    OUT_OF_TIME = "out_of_time"
    """The time allowed was used up, or the caller cancelled."""

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
    """What happened in each iteration, k of them; row 0 is the start."""

    errors: Matrix
    """(k, goals) error of each goal before the step, in lengths or radians."""
    step_norms: Vector
    """(k,) ‖dθ‖ of the step taken there, radians (slides in sizes of the figure); 0 in the last row."""
    damping: Vector
    """(k,) λ, length per radian; 0 for methods without."""
    condition_numbers: Vector
    """(k,) (σ₁² + λ²)/(σₘ² + λ²) of the Jacobian's singular values, the smaller of rows and columns of them; infinite
    at a singular pose without damping."""
    active_limits: tuple[tuple[str, ...], ...]
    """(k,) names of the limits that the pose touched."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The pose that a solver found, whether it reaches the goals, and how it came there."""

    pose: Vector
    """(nq,) read-only. Always finite."""
    status: Status
    errors: Vector
    """(goals,) one norm a goal, in lengths or radians, in the order of the goals."""
    iterations: int
    """Steps computed, all starts together."""
    figure: Figure = field(repr=False)
    goals: tuple[Goal, ...] = field(repr=False)
    """The goals as they were solved: tolerances filled in, each AnyOf replaced by the member that was chosen."""
    start: Vector = field(repr=False)
    """(nq,) where it started, within limits."""
    method: str
    """Name of the solver."""
    time: float = field(repr=False)
    """Seconds."""
    violation: float = 0.0
    """How far the pose is outside its limits, radians or length; 0 for methods that keep them."""
    start_violation: float = 0.0
    """How far the start was outside its limits before it was brought in, radians or length; 0 where it was within."""
    notes: tuple[str, ...] = ()
    """What else there is to know, in words."""
    history: History | None = field(default=None, repr=False)
    """What happened in each iteration; None unless asked for."""
    movable: NDArray[np.bool_] | None = field(default=None, repr=False)
    """(nv,) the steps that were allowed; None is all."""
    chosen: tuple[int, ...] = field(default=(), repr=False)
    """(goals,) which member of each AnyOf was chosen; 0 for other goals."""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What the method was told by name: `restarts`, `damping`, …; only what was given."""

    @cached_property
    def report(self) -> tuple[Report, ...]:
        """Why goals were missed and what would help, one record for each goal, in order; see `docs/why.md`.

        Worked out when first asked for, by solving some changed problems. Goals that were met have no reasons.
        """
        # rooms come after this one: found by name, when someone asks
        reports: tuple[Report, ...] = importlib.import_module("manikin.report").explain(self)
        return reports

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""
        return self.status is Status.REACHED

    @property
    def tolerances(self) -> Vector:
        """(goals,) the largest error that counts as reached."""
        return np.array([g.allowed for g in self.goals])

    def __str__(self) -> str:
        """A table: each goal, its error, its tolerance, reached or what blocks it.

        The last is a guess without solving anything, marked "probably" unless lengths prove it. Once `report` was asked
        for, its sentences stand below the table instead.
        """
        rows = [("goal", "error", "tolerance", "")]
        for goal, error, allowed, why in zip(self.goals, self.errors, self.tolerances, self._guesses(), strict=True):
            unit = " rad" if all(goal.angular) else ""
            verdict = "reached" if error <= allowed else f"misses by {_number(error - allowed)}{unit}"
            verdict += f": {why}" if why else ""
            rows.append((goal.label, _number(error) + unit, _number(allowed) + unit, verdict))
        widths = [max(len(row[c]) for row in rows) for c in range(3)]
        lines = [f"{self.figure.name}, {self.method}: {_SENTENCES[self.status]} ({self._effort()})"]
        for k, (label, error, allowed, verdict) in enumerate(rows):
            line = f"  {label:<{widths[0]}}  {error:>{widths[1]}}  {allowed:>{widths[2]}}  {verdict}"
            lines.append(line.rstrip())
            if k == 0:
                lines.append("  " + "─" * (sum(widths) + 15))
        if self.violation > 0.0:
            lines.append(f"  outside its limits by {_number(self.violation)} (this method does not keep them)")
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  {report.text}" for report in self._reported() if report.reasons]
        return "\n".join(lines)

    def _reported(self) -> tuple[Report, ...]:
        """The report, if it was asked for already."""
        reports: tuple[Report, ...] = vars(self).get("report", ())
        return reports

    def _guesses(self) -> tuple[str, ...]:
        """A few words on each missed goal; none where the report says more."""
        none = ("",) * len(self.goals)
        if self._reported() or np.all(self.errors <= self.tolerances):
            return none
        guesses: tuple[str, ...] = importlib.import_module("manikin.report.quick").guesses(self)
        return guesses

    def _effort(self) -> str:
        steps = "1 iteration" if self.iterations == 1 else f"{self.iterations} iterations"
        return f"{steps}, {1000 * self.time:.3g} ms"


def _number(value: float) -> str:
    return f"{value:.3g}"
