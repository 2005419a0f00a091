"""Common code of the benchmarks of user calls: arguments, tables, and result files.

A result is a page (Markdown) and its numbers (JSON) with the same name. `--name before` appends the word to that name,
so that two runs can be compared: clips-before.md, clips-after.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.environments import FOLDER

RESULTS = Path(__file__).parent / "results"


def parser(stem: str, description: str) -> argparse.ArgumentParser:
    """The common arguments."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{stem}", description=description)
    made.add_argument("--quick", action="store_true", help="a first look: few targets; not to be quoted")
    made.add_argument("--name", default="", help="a word to append to the name of the results, such as 'before'")
    made.add_argument("--seed", type=int, default=2026)
    made.add_argument("--out", type=Path, default=None, help="folder for the results (benchmarks/results)")
    return made


def save(stem: str, options: argparse.Namespace, results: dict[str, Any], text: str) -> Path:
    """Writes both files and returns the path of the page. Quick runs go to build/bench/results unless a folder is
    given."""
    folder = options.out or (FOLDER / "results" if options.quick else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{stem}-{options.name}" if options.name else stem
    (folder / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    page: Path = folder / f"{name}.md"
    page.write_text(text.rstrip() + "\n")
    return page


def title(words: str, header: dict[str, Any], method: str) -> list[str]:
    """The first lines of a page."""
    return [f"# {words}", "", f"{report.head(header)}.", "", " ".join(method.split()), ""]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A Markdown table that is also readable as plain text. The first `words` columns are left-aligned, numbers
    right-aligned."""
    widths = [max(3, *(len(row[k]) for row in [columns, *rows])) for k in range(len(columns))]

    def line(cells: Sequence[str]) -> str:
        texts = [c.ljust(w) if k < words else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(texts) + " |"

    dashes = ["-" * w if k < words else "-" * (w - 1) + ":" for k, w in enumerate(widths)]
    return [line(columns), line(dashes), *(line(row) for row in rows)]


def percent(share: float | None) -> str:
    """A percentage that is 100 only if nothing is missing."""
    if share is None:
        return ""
    if share >= 1.0:
        return "100"
    return f"{min(100.0 * share, 99.99):.2f}" if share > 0.999 else f"{100.0 * share:.1f}"


def micros(seconds: float | None) -> str:
    """Microseconds with three digits; empty if there is no number."""
    if seconds is None or seconds != seconds:
        return ""
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
