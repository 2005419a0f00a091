"""A solution as a table and as data."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from manikin.cli import tables
from manikin.goals import Goal
from manikin.solution import Solution


def data(solution: Solution) -> dict[str, Any]:
    """Everything that a program wants to know of a solution; lengths in the figure's unit, angles in radians."""
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
            }
            for goal, error, allowed in zip(solution.goals, solution.errors, solution.tolerances, strict=True)
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
        click.echo(note)


def headline(solution: Solution) -> str:
    """One line on the whole."""
    figure, met = solution.figure, int(np.sum(solution.errors <= solution.tolerances))
    steps = "1 iteration" if solution.iterations == 1 else f"{solution.iterations} iterations"
    return (
        f"{figure.name}, {figure.nv} degrees of freedom: {met} of {len(solution.goals)} goals reached "
        f"in {1000.0 * solution.time:.3g} ms, {steps}"
    )


def quantity(goal: Goal, value: float, unit: float | None) -> str:
    """An error or tolerance for reading: 0.153 mm, 0.057°, or a bare number where the figure has no unit."""
    if all(goal.angular):
        return f"{np.degrees(value):.3f}°"
    if unit is None:
        return f"{value:.2g}"
    metres = value * unit
    if metres >= 1.0:
        return f"{metres:.2f} m"
    return f"{100.0 * metres:.1f} cm" if metres >= 0.01 else f"{1000.0 * metres:.3f} mm"


def echo_json(value: Any) -> None:
    """Print one JSON document. Numbers that JSON does not have (NaN, infinity) are an error of ours."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
