"""Runs all benchmarks. Results go to benchmarks/results/ (parts and quick runs to build/bench/results/)."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import arms, bodies, growth, large, placements, plot, readme, report, summary
from benchmarks.environments import FOLDER
from benchmarks.machine import header
from benchmarks.peers import CALL, PEERS, THREADS, WHOLE, Contestant
from benchmarks.runs import run
from benchmarks.workload import Workload

CASES = ("placements", "arms", "bodies", "large", "growth")
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"which ones (all): {', '.join(CASES)}")
    parser.add_argument("--peers", action="store_true", help="also run the installed peers (benchmarks.environments)")
    parser.add_argument("--only", default="", help="only workloads or contestants that match, e.g. 'ur5|person'")
    parser.add_argument("--quick", action="store_true", help="a first look: few targets; not to be quoted")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, default=None, help="folder for the results (benchmarks/results)")
    parser.add_argument("--readme", action="store_true", help="measure nothing; write the README from the results")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    if options.readme:
        readme.write(options.out or RESULTS)
        return
    began = time.perf_counter()
    results = measured(options)
    print(f"{time.perf_counter() - began:.0f} s in all")
    partial = options.quick or options.cases or options.only
    out = options.out or (FOLDER / "results" if partial else RESULTS)
    name = "results" if options.peers else "ours"
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    (out / f"{name}.md").write_text(written(results, f"{name}.png") + "\n")
    if results["rows"]:
        plot.save(results["rows"], results["header"], out / f"{name}.png")
    print(report.summary_table(summary.summary(results["rows"], results.get("growth"))))
    print(f"results are in {out}")


def measured(options: argparse.Namespace) -> dict[str, Any]:
    cases = options.cases or CASES
    results: dict[str, Any] = {"header": header(options.quick, options.seed), "rows": []}
    if "placements" in cases and not options.only:
        print("placements of the person …", flush=True)
        results["placements"] = placements.run(options.quick, options.seed)
    folder = FOLDER / "work"
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(w, who) for w in workloads(cases, options) for who in contestants(w, options)]
    began = time.perf_counter()
    for number, (w, who) in enumerate(jobs, start=1):
        if number == 1 or jobs[number - 2][0] is not w:
            w.save(folder)
        print(
            f"[{number}/{len(jobs)}, {time.perf_counter() - began:.0f} s] {w.key}: {who.label} … ", end="", flush=True
        )
        row = run(w, who, folder)
        results["rows"].append(row)
        print(f"could not: {row['failed']}" if "failed" in row else _short(row), flush=True)
    if "growth" in cases and not options.only:
        print("growth …", flush=True)
        results["growth"] = growth.run(options.quick, options.seed)
    return results


def workloads(cases: Any, options: argparse.Namespace) -> Iterator[Workload]:
    for name, module in (("arms", arms), ("bodies", bodies), ("large", large)):
        if name in cases:
            yield from module.workloads(options.seed, options.quick)


def contestants(w: Workload, options: argparse.Namespace) -> list[Contestant]:
    """manikin, then the peers that support the workload."""
    if w.key == "panda-threads":
        who = [WHOLE, THREADS]
    else:
        who = [CALL] if w.mode == "cold" else [CALL, WHOLE]
        who += [PEERS[key] for key in w.peers] if options.peers else []
    pattern = re.compile(options.only)
    return [c for c in who if pattern.search(w.key) or pattern.search(c.key)]


def _short(row: dict[str, Any]) -> str:
    return f"{summary.seconds(row['mean'])}, {summary.share(row['solved'])} of {row['count']:,}"


def written(results: dict[str, Any], picture: str) -> str:
    """The text of the results page."""
    rows = results["rows"]
    parts = ["# Benchmark", "", f"{report.head(results['header'])}. Peers: {report.versions(rows)}.", "", report.METHOD]
    if rows:
        lines = summary.summary(rows, results.get("growth"))
        parts += ["", f"![Time a call, by workload]({picture})", "", "## Ours beside the best peer", ""]
        parts += [report.summary_table(lines), "", "## Everything measured", "", report.details(rows)]
    if "growth" in results:
        parts += ["## Growth", "", report.growth_table(results["growth"])]
    if "placements" in results:
        parts += ["## Placements of the person", "", report.plain_table(results["placements"])]
    return "\n".join(parts)


if __name__ == "__main__":
    main()
