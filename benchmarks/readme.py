"""Writes the benchmark section of the README from the stored results: `python -m benchmarks --readme`."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.report import head, summary_table
from benchmarks.summary import Line, summary

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- benchmark: begin (written by python -m benchmarks --readme) -->", "<!-- benchmark: end -->"


def write(results: Path, readme: Path = ROOT / "README.md") -> None:
    """Replaces the text between the two comments, which must be present."""
    stored = json.loads((results / "results.json").read_text())
    if stored["header"]["quick"]:
        raise SystemExit("these are the results of a quick run; the README shows full ones only")
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{readme} needs the lines\n{BEGIN}\n{END}\nonce each, where the benchmark belongs")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines: list[Line] = [line for line in summary(stored["rows"], None) if line.in_readme]
    page = (results / "results.md").relative_to(readme.parent)
    workloads = len({row["workload"] for row in stored["rows"]})
    section = [
        BEGIN,
        summary_table(lines),
        "",
        f"{head(stored['header'])}. Every pose is judged by one independent checker. The best peer is the fastest of "
        "the peers that solve at least 0.7 times as many targets as the peer that solves most. Its time and its share "
        f"of solved targets are in the same column. [results.md]({page}) has all {workloads} workloads, the method, "
        "the peers and their versions. `make bench` measures again.",
        END,
    ]
    readme.write_text(before + "\n".join(section) + after)
    print(f"wrote the benchmark section of {readme.name}")
