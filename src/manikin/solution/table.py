"""A solution as a table: one row for each goal, with its error, its tolerance, and what blocks it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.base.names import stacked
from manikin.figure.figure import Figure
from manikin.figure.html_table import html_table
from manikin.solution.status import SENTENCES

if TYPE_CHECKING:
    from manikin.report.data import Report
    from manikin.solution.solution import Solution

Row = tuple[str, str, str, str]
HEAD: Row = ("goal", "error", "tolerance", "")


def number(value: float) -> str:
    """A number as tables show it."""
    return f"{value:.3g}"


def as_text(solution: Solution, reports: Sequence[Report]) -> str:
    """The table in plain text. `reports` are shown below it; without them, missed goals have a guess in their row."""
    rows = [HEAD, *_rows(solution, reports)]
    widths = [max(len(row[c]) for row in rows) for c in range(3)]
    lines = [_headline(solution)]
    for k, (label, error, allowed, verdict) in enumerate(rows):
        line = f"  {label:<{widths[0]}}  {error:>{widths[1]}}  {allowed:>{widths[2]}}  {verdict}"
        lines.append(line.rstrip())
        if k == 0:
            lines.append("  " + "─" * (sum(widths) + 15))
    return stacked([*lines, *(f"  {line}" for line in _below(solution, reports))])


def as_html(solution: Solution, reports: Sequence[Report]) -> str:
    """The same table in HTML."""
    return html_table(_headline(solution), HEAD, _rows(solution, reports), _below(solution, reports))


def _headline(solution: Solution) -> str:
    effort = "1 iteration" if solution.iterations == 1 else f"{solution.iterations} iterations"
    if solution.time is not None:
        effort += f", {1000 * solution.time:.3g} ms"
    return f"{solution.figure.name}, {solution.method}: {SENTENCES[solution.status]} ({effort})"


def _rows(solution: Solution, reports: Sequence[Report]) -> list[Row]:
    """One row for each goal: its error, its tolerance, and "reached" or what blocks it."""
    rows = []
    guesses = _guesses(solution, reports)
    for goal, error, allowed, why in zip(solution.goals, solution.errors, solution.tolerances, guesses, strict=True):
        unit = " rad" if all(goal.angular) else ""
        verdict = "reached" if error <= allowed else f"misses by {number(error - allowed)}{unit}"
        verdict += f": {why}" if why else ""
        rows.append((goal.label, number(error) + unit, number(allowed) + unit, verdict))
    return rows


def _below(solution: Solution, reports: Sequence[Report]) -> list[str]:
    """The lines below the table."""
    lines = []
    if solution.violation > 0.0:
        lines.append(f"outside its limits by {number(solution.violation)} (this method does not keep them)")
    return [*lines, *solution.notes, *(report.text for report in reports if report.reasons)]


def _guesses(solution: Solution, reports: Sequence[Report]) -> tuple[str, ...]:
    """A few words on each missed goal; empty if there are reports."""
    if reports or np.all(solution.errors <= solution.tolerances) or not isinstance(solution.figure, Figure):
        return ("",) * len(solution.goals)
    guesses: tuple[str, ...] = importlib.import_module("manikin.report.guess").guesses(solution)
    return guesses
