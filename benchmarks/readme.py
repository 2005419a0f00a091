"""Writes the benchmark section of the README from the stored results: `python -m benchmarks --readme`."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.asked import Line, summary
from benchmarks.report import METHOD, head, summary_table, versions

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- benchmark: begin (written by python -m benchmarks --readme) -->", "<!-- benchmark: end -->"


def write(results: Path, readme: Path = ROOT / "README.md") -> None:
    """Between the two comments, which must be there."""
    stored = json.loads((results / "results.json").read_text())
    if stored["header"]["quick"]:
        raise SystemExit("these are the results of a quick run; the README shows full ones only")
    text = readme.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{readme} needs the lines\n{BEGIN}\n{END}\nonce each, where the benchmark is to stand")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines: list[Line] = summary(stored["rows"], stored.get("growth"))
    picture = (results / "results.png").relative_to(readme.parent)
    section = [
        BEGIN,
        f"![Time a call of manikin and of its peers, by workload]({picture})",
        "",
        summary_table(lines),
        "",
        f"{head(stored['header'])}. {METHOD} Peers: {versions(stored['rows'])}. "
        f"All figures: [results.md]({picture.with_suffix('.md')}); again with `make bench`.",
        END,
    ]
    readme.write_text(before + "\n".join(section) + after)
    print(f"wrote the benchmark section of {readme.name}")
