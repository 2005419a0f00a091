"""Times natural starts, and whole solves from them, from the heading alone and from rest."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import cmu, pages
from benchmarks.machine import header
from benchmarks.natural_judge import CONDITIONS, from_rest, goals_of, targets_of, with_heading
from benchmarks.timing import in_turns

POSES = 100
"""Number of poses of each person, evenly spaced."""
ROUNDS, SECONDS = 15, 0.02
"""Each way runs this many times for about so many seconds. The least time counts."""
WAYS = ("start", "natural", "heading", "rest")


def measured(person: cmu.Person) -> dict[str, dict[str, float]]:
    """For each condition, microseconds of CPU time for one row in each way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure, poses = person.limited()
    poses = poses[np.linspace(0, len(poses) - 1, min(POSES, len(poses))).astype(int)]
    out = {}
    for condition in CONDITIONS:
        solver = mk.Solver(figure, goals_of(condition))
        targets = targets_of(figure, poses, condition)
        calls = {
            "start": lambda s=solver._natural, t=targets: s.wished("natural", t),
            "natural": lambda s=solver, t=targets: s.solve_many("natural", t),
            "heading": lambda s=solver, t=targets: with_heading(s, t),
            "rest": lambda s=solver, t=targets: from_rest(s, t),
        }
        times = in_turns(calls, ROUNDS, SECONDS)
        out[condition] = {name: 1e6 * times[name].best / len(targets) for name in WAYS}
    return out


def table(found: dict[int, dict[str, dict[str, float]]], head: dict[str, Any]) -> str:
    """The means over people, and for how many people a natural start is slower."""
    rows = []
    for condition in CONDITIONS:
        each = {name: np.array([p[condition][name] for p in found.values()]) for name in WAYS}
        slower = [int((each["natural"] > each[other]).sum()) for other in ("heading", "rest")]
        rows.append([condition, *(f"{each[name].mean():.1f}" for name in WAYS), *map(str, slower)])
    method = (
        f"`python -m benchmarks.natural time`. {len(found)} people, at most {POSES} poses each, in one call of "
        f"`solve_many`. Microseconds of CPU time for one pose, the least of {ROUNDS} rounds, in turns. *Start*: the "
        "natural start alone; the other columns are whole solves. *Slower*: people whose solves take longer from a "
        "natural start than from the heading alone, or from the rest pose. Conditions as in natural.md."
    )
    heads = ["", "start", "natural", "heading", "rest", "slower than heading", "slower than rest"]
    return "\n".join([*pages.title("Time of natural starts", head, method), *pages.table(heads, rows), ""])


def write(folder: Path, which: str) -> None:
    found = {person.subject: measured(person) for person in cmu.people(which)}
    text = table(found, header(False, 0))
    (folder / "natural-time.md").write_text(text)
    print(text)
