"""A solution as a table and as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.cli import say, tables
from manikin.goals import Goal
from manikin.solution import Solution

if TYPE_CHECKING:
    from manikin.report.data import Report


def data(solution: Solution) -> dict[str, Any]:
    """A solution as data for programs. Lengths are in the unit of the figure, angles in radians.

    Missed goals contain the sentences, reasons and changes of `solution.report`.
    """
    return {
        "figure": solution.figure.name,
        "method": solution.method,
        "status": str(solution.status),
        "reached": solution.reached,
        "iterations": solution.iterations,
        "seconds": solution.time,
        "goals": [
            {
                "name": goal.label,
                "error": float(error),
                "tolerance": float(allowed),
                "unit": "rad" if all(goal.angular) else "length",
                "reached": bool(error <= allowed),
                **why,
            }
            for goal, error, allowed, why in zip(
                solution.goals, solution.errors, solution.tolerances, map(_why, _reports(solution)), strict=True
            )
        ],
        "violation": solution.violation,
        "notes": list(solution.notes),
        "pose": [float(x) for x in solution.pose],
    }


def show(solution: Solution) -> None:
    """Print the table of a solution: each goal, its error, its tolerance, reached or not."""
    unit = solution.figure.unit
    rows, marks = [], []
    for goal, error, allowed in zip(solution.goals, solution.errors, solution.tolerances, strict=True):
        met = bool(error <= allowed)
        rows.append(
            [goal.label, quantity(goal, error, unit), quantity(goal, allowed, unit), "reached" if met else "missed"]
        )
        marks.append("good" if met else "bad")
    tables.show(["goal", "error", "tolerance", ""], rows, headline(solution), marks)
    for note in solution.notes:
        say.line(note)
    for report in _reports(solution):
        if report is not None and report.reasons:
            say.line()
            say.lines(tables.paragraph(report.text))


def _reports(solution: Solution) -> Sequence[Report | None]:
    """One report for each goal. If all goals were reached, nothing is computed and the entries are None."""
    return [None] * len(solution.goals) if solution.reached else solution.report


def _why(report: Report | None) -> dict[str, Any]:
    """Why a goal was missed, as data. Empty if it was reached."""
    if report is None or not report.reasons:
        return {}
    return {
        "why": report.text,
        "reasons": [
            {
                "kind": reason.kind,
                "culprits": list(reason.culprits),
                "together": reason.together,
                "amount": reason.amount,
                "unit": reason.unit,
                "confidence": reason.confidence,
            }
            for reason in report.reasons
        ],
        "changes": [
            {
                "what": change.what,
                "parts": [{"name": name, "amount": amount} for name, amount in change.parts],
                "unit": change.unit,
                "verified": change.verified,
                "target": list(change.target),
            }
            for change in report.changes
        ],
    }


def headline(solution: Solution) -> str:
    """A summary in one line."""
    figure, met = solution.figure, int(np.sum(solution.errors <= solution.tolerances))
    steps = "1 iteration" if solution.iterations == 1 else f"{solution.iterations} iterations"
    effort = steps if solution.time is None else f"{1000.0 * solution.time:.3g} ms, {steps}"
    return f"{figure.name}, {figure.nv} degrees of freedom: {met} of {len(solution.goals)} goals reached in {effort}"


def quantity(goal: Goal, value: float, unit: float | None) -> str:
    """An error or a tolerance as text: 0.153 mm, 0.057°, or a plain number if the figure has no unit."""
    if all(goal.angular):
        return f"{np.degrees(value):.3f}°"
    if unit is None:
        return f"{value:.2g}"
    metres = value * unit
    if metres >= 1.0:
        return f"{metres:.2f} m"
    return f"{100.0 * metres:.1f} cm" if metres >= 0.01 else f"{1000.0 * metres:.3f} mm"


def echo_json(value: Any) -> None:
    """Prints one JSON document. NaN and infinity raise an exception, since JSON cannot hold them."""
    say.json_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
