"""The chapter's claims about its figures, as inequalities between numbers of results.json. Each one holds or fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from manikin.chapter.examples import METHODS

EXACTLY = 1e-6
"""An error below this fraction of the figure's size counts as reached in Examples 3.1 and 5.7."""
DAMPED = ("figure-11", "figure-12", "figure-13", "figure-14")
"""The figures with λ = 0.1, 0.25, 1.5, 10."""

Results = Mapping[str, Any]
"""Results of each example by name, as in results.json."""


@dataclass(frozen=True)
class Statement:
    """A claim that the results must confirm."""

    text: str
    holds: bool
    numbers: tuple[float, ...]
    """The numbers on which the claim is based."""


def statements(examples: Results, alpha: Results) -> list[Statement]:
    """All statements whose examples were run."""
    found = [*_reached(examples), *_reached_as_alpha_vanishes(alpha)]
    if {"figure-10", *DAMPED} <= set(examples):
        found += _regularised([examples[name] for name in ("figure-10", *DAMPED)])
    if {"figure-12", "figure-15"} <= set(examples):
        found.append(_bounded(examples["figure-12"], examples["figure-15"]))
    return found


def _reached(examples: Results) -> list[Statement]:
    compared = {name: entry for name, entry in examples.items() if entry["compared"]}
    which = " and ".join(dict.fromkeys(entry["example"] for entry in compared.values()))
    found = []
    for method in METHODS[:-1] if compared else ():
        runs = [run for entry in compared.values() for run in entry["compared"] if run["method"] == method]
        errors = [run["final_error_of_size"] for run in runs]
        text = f"Example {which} by {method}: final errors below 1e-6 of the figure's size"
        found.append(Statement(text, max(errors) < EXACTLY, tuple(errors)))
    return found


def _reached_as_alpha_vanishes(alpha: Results) -> list[Statement]:
    found = []
    for name, errors in alpha["final_error_of_size"].items():
        text = f"{name.replace('-', ' ').capitalize()} by lbfgsb: the error falls with α, below 1e-6 of the size"
        found.append(Statement(text, falling(errors) and errors[-1] < EXACTLY, tuple(errors)))
    return found


def _regularised(runs: Sequence[Results]) -> list[Statement]:
    """Figures 10 to 14, in order."""
    steps, lags = [r["largest_step"] for r in runs], [r["lag"] for r in runs]
    conditions = [r["condition_number"] for r in runs[1:]]
    residuals = [r["residual"]["largest"] for r in runs]
    off = [r["deviation"]["P₅"] for r in runs]
    others = max(d for label, d in runs[0]["deviation"].items() if label != "P₅")
    calm = off[2]  # λ = 0.25
    return [
        Statement(
            "Figure 10: P₅, and only P₅, leaves its path, by more than five times as much as with λ = 0.25",
            off[0] > 5.0 * calm and others < 0.1 * off[0],
            (off[0], calm, others),
        ),
        Statement("Figures 10 to 14: the largest step falls as λ grows", falling(steps), tuple(steps)),
        Statement("Figures 11 to 14: the lag grows with λ", falling(lags[:0:-1]), tuple(lags[1:])),
        Statement(
            "Figures 11 to 14: the condition number falls as λ grows (Lemma 7.1)",
            falling(conditions),
            tuple(conditions),
        ),
        Statement(
            "Figures 10 to 14: the residual grows with λ (Lemma 7.2)", falling(residuals[::-1]), tuple(residuals)
        ),
    ]


def _bounded(free: Results, held: Results) -> Statement:
    """Figures 12 and 15."""
    low, high = held["angle_ranges"][5]
    past = free["angle_ranges"][5][1]
    inside = held["outside_limits"] == 0.0 and high <= 0.0
    text = "Figure 15 keeps −π ≤ θ₆ ≤ 0 exactly, Figure 12 does not"
    return Statement(text, inside and past > 0.0, (low, high, past))


def falling(values: Sequence[float]) -> bool:
    """Whether each value is below the previous one."""
    return all(b < a for a, b in pairwise(values))
