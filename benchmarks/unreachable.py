"""Unreachable or contradictory goals: the cost that `mk.solve` leaves, compared with the best of 50 random starts of
L-BFGS-B.

    OPENBLAS_NUM_THREADS=1 MANIKIN_DATA=... python -m benchmarks.unreachable

It is not timed; 1,000 cases take one or two hours of one core. The least costs of L-BFGS-B go to unreachable.jsonl as
they are found. So a run can be interrupted and resumed, and a changed solver can be judged again in a minute. The table
goes to unreachable.md. tests/unreachable makes the cases.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from unreachable.case import Case
from unreachable.judge import STARTS, WITHIN, Verdict, judged, least_known
from unreachable.kinds import KINDS, made

from benchmarks.machine import header

FOLDER = Path(__file__).parent / "results"
ENOUGH = 0.95
"""This share of all cases must be within 1 % of the least known cost."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unreachable", description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=100, help="cases of each of the ten kinds (100)")
    parser.add_argument("--starts", type=int, default=STARTS, help="random starts of L-BFGS-B (50)")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    store = options.out / "unreachable.jsonl"
    known = stored(store, options.seed, options.starts)
    wanted = [(kind, index) for kind in KINDS for index in range(options.each)]
    cases = [case for kind, index in wanted if (case := made(kind, index, options.seed)) is not None]
    if len(cases) < len(wanted):
        print(f"{len(wanted) - len(cases)} cases left out: their figures are not at hand (MANIKIN_DATA)")
    search([case for case in cases if case.key not in known], store, options, known)
    verdicts = [judged(case, known[case.key]) for case in cases]
    text = table(verdicts, header(quick=False, seed=options.seed), options.starts)
    (options.out / "unreachable.md").write_text(text + "\n")
    print(text)
    good = np.mean([v.good for v in verdicts])
    return 0 if good >= ENOUGH and all(v.sound for v in verdicts) else 1


def stored(path: Path, seed: int, starts: int) -> dict[str, float]:
    """Least costs found in earlier runs, by case."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["case"]: row["least"] for row in rows if (row["seed"], row["starts"]) == (seed, starts)}


def search(cases: list[Case], path: Path, options: argparse.Namespace, known: dict[str, float]) -> None:
    """Runs L-BFGS-B on the cases that are not known yet. Each result is written when it is done."""
    began = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(_least, c.kind, c.index, options.seed, options.starts) for c in cases]
        for count, job in enumerate(as_completed(jobs), 1):
            key, least = job.result()
            known[key] = least
            row = {"case": key, "seed": options.seed, "starts": options.starts, "least": least}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            left = (time.perf_counter() - began) / count * (len(jobs) - count) / 60
            print(f"\r{count} of {len(jobs)}, {left:.0f} min left ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def _least(kind: str, index: int, seed: int, starts: int) -> tuple[str, float]:
    case = made(kind, index, seed)
    assert case is not None
    return case.key, least_known(case, starts)


COLUMNS = ("cases", "finite, within limits, honest", "within 1 %", "better by 1 %", "worst ratio", "ms, median")


def table(verdicts: list[Verdict], head: dict[str, Any], starts: int) -> str:
    """One line for each kind, one for each figure, then the cases that fail."""
    places = list(dict.fromkeys(v.case.place for v in verdicts))
    lines = [
        f"{head['date']}, manikin {head['manikin']} ({head['kernels']} kernels), numpy {head['versions']['numpy']}, "
        f"seed {head['seed']}: cost left by `mk.solve` with default arguments, beside the least of {starts} random "
        "starts of L-BFGS-B.",
        *_head("kind"),
        *(_row(kind, [v for v in verdicts if v.case.kind == kind]) for kind in KINDS),
        _row("**all**", verdicts),
        *_head("figure"),
        *(_row(place, [v for v in verdicts if v.case.place == place]) for place in places),
        "",
    ]
    for v in verdicts:
        if not (v.good and v.sound):
            lines.append(f"- {v.case.key}: {v.cost:.4g}, least {v.least:.4g}{'' if v.sound else ', NOT SOUND'}")
    return "\n".join(lines).rstrip()


def _head(first: str) -> list[str]:
    return ["", "| " + " | ".join((first, *COLUMNS)) + " |", "|" + " --- |" * (len(COLUMNS) + 1)]


def _row(name: str, verdicts: Iterable[Verdict]) -> str:
    these = list(verdicts)
    if not these:
        return f"| {name} | 0 | | | | | |"
    sound, good = sum(v.sound for v in these), sum(v.good for v in these)
    better = sum(WITHIN * v.cost < v.least for v in these)
    worst = max(v.cost / v.least if v.least > 0 else 1.0 for v in these)
    middle = 1000 * float(np.median([v.seconds for v in these]))
    return f"| {name} | {len(these)} | {sound} | {good} | {better} | {worst:.3g} | {middle:.2g} |"


if __name__ == "__main__":
    sys.exit(main())
