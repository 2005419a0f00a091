"""`manikin chapter`: the examples of the chapter, drawn, measured and put on one page."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manikin.base import names
from manikin.cli import say

if TYPE_CHECKING:
    from manikin.chapter.write import Progress


@click.command()
@click.argument("example", nargs=-1)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("chapter"),
    show_default=True,
    help="Folder to write into. It is created if it does not exist.",
)
@click.option(
    "--frames",
    type=click.IntRange(min=0),
    default=40,
    show_default=True,
    help="Largest number of frames in a GIF; 0 for no GIFs.",
)
@click.option("--compare/--no-compare", default=True, help="Also run all methods on one problem.  [default: compare]")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def chapter(example: tuple[str, ...], out: Path, frames: int, compare: bool, as_json: bool, quiet: bool) -> int:
    """Re-create the chapter's examples: a picture and a GIF each, results.json and chapter.html.

    EXAMPLE is a figure (figure-12 or 12) or the number of an example (7.3, which has four figures). Without it, all are
    made. The exit code is 1 if the numbers contradict a statement of the chapter about its figures.

    \b
    Example:
        manikin chapter 5.7 figure-12 figure-15 --out out
    """
    # The matrices are small, so threads of the linear algebra library make it slower. The library reads this variable
    # when it is loaded, so the line must come before the imports.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from manikin.chapter import write_chapter
    from manikin.cli import report

    with _bar(not (as_json or quiet)) as progress:
        result = write_chapter(out, example, frames=frames, compare=compare, progress=progress)
    holds = all(statement["holds"] for statement in result["statements"])
    if as_json:
        report.echo_json(result)
    elif not quiet:
        _show(result, out)
    return 0 if holds else 1


@contextlib.contextmanager
def _bar(wanted: bool) -> Iterator[Progress]:
    """A progress bar on stderr. It is shown only on a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda *_: None
        return
    from rich.progress import BarColumn, Progress, TimeElapsedColumn

    columns = (say.described(), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=say.console(err=True), transient=True) as shown:
        task = shown.add_task("beginning", total=None)

        def progress(what: str, done: int, total: int) -> None:
            shown.update(task, description=names.line(f"{what:<24}"), completed=done, total=total)

        yield progress


def _show(result: dict[str, Any], out: Path) -> None:
    from manikin.chapter.page import number
    from manikin.cli import tables

    def cells(entry: dict[str, Any], *fields: Callable[[dict[str, Any]], float | None]) -> list[str]:
        return [number(field(entry)) for field in fields]

    rows = [
        [
            entry["label"].removeprefix("Figure "),
            entry["method"],
            "" if entry["damping"] is None else f"{entry['damping']:g}",
            *cells(
                entry,
                lambda e: max(e["final_errors"].values()),
                lambda e: e["largest_deviation"],
                lambda e: e["lag"],
                lambda e: e["largest_step"],
                lambda e: e["condition_number"],
            ),
        ]
        for entry in result["examples"].values()
    ]
    tables.show(["figure", "method", "λ", "error", "off path", "lag", "step", "condition"], rows)
    for contest in result["methods"]:
        say.line()
        tables.show(
            ["method", "iterations", "ms", "error/size", "deviation/size", "points reached"],
            [_contestant(row, number) for row in contest["rows"]],
            contest["title"],
        )
    stated = result["statements"]
    if stated:
        marks = ["good" if s["holds"] else "bad" for s in stated]
        say.line()
        tables.show(["statement", ""], [[s["text"], "holds" if s["holds"] else "FAILS"] for s in stated], marks=marks)
    say.line()
    say.line(f"wrote {len(result['files'])} files; the page is {out / 'chapter.html'}")


def _contestant(row: dict[str, Any], number: Callable[[float | None], str]) -> list[str]:
    if not row["applies"]:
        return [row["method"], "does not apply", "", "", "", ""]
    return [
        row["method"],
        str(row["iterations"]),
        number(1e3 * row["seconds"]),
        number(row["final_error_of_size"]),
        number(row["deviation_of_size"]),
        f"{row['points_reached']} of {row['points']}",
    ]
