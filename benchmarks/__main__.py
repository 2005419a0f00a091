"""One entry to all benchmarks. Results go to benchmarks/results/ as JSON and Markdown."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks import placements
from benchmarks.machine import header

CASES = {"placements": placements.run}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="which ones (all)")
    parser.add_argument("--quick", action="store_true", help="a first look: fewer poses and rounds; not to be quoted")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, default=None, help="folder for results.json and results.md")
    options = parser.parse_args()
    head = header(options.quick, options.seed)
    rows: list[dict[str, Any]] = []
    for name in options.cases or CASES:
        rows += CASES[name](options.quick, options.seed)
    text = markdown(head, rows)
    print(text)
    out = options.out or (None if options.quick else Path(__file__).parent / "results")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "results.json").write_text(json.dumps({"header": head, "rows": rows}, indent=1) + "\n")
        (out / "results.md").write_text(text + "\n")


def markdown(head: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Header lines and one table."""
    versions = ", ".join(f"{k} {v}" for k, v in head["versions"].items())
    lines = [
        f"{head['date']}, {head['processor']} ({head['cores']} cores, {head['system']}), Python {head['python']}, "
        f"manikin {head['manikin']} ({head['kernels']} kernels), {versions}, seed {head['seed']}"
        + (", quick" if head["quick"] else ""),
        "",
    ]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines.append("| " + " | ".join(columns) + " |")
    lines.append("|" + " --- |" * len(columns))
    for row in rows:
        lines.append("| " + " | ".join(_cell(row.get(c)) for c in columns) + " |")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


main()
