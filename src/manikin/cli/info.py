"""`manikin info FILE`: shows the contents of a file or of a built-in figure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from manikin.base import names
from manikin.cli import say

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from manikin.jobs.loading import Loaded


@click.command()
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--clip", help="Which motion, if the file has several.  [default: the first]")
@click.option("--of", metavar="FIGURE", help="The figure of a table (.csv, .npz): a file, or a built-in figure.")
@click.option("--root", type=click.Choice(["free", "fixed"]), help="How a robot's root moves.")
@click.option("--brief", is_flag=True, help="Do not show the tree of segments or the table of markers.")
@click.option(
    "--within", type=click.Path(), metavar="FOLDER", help="Allow FILE to refer to other files anywhere below FOLDER."
)
@click.option("--safe", is_flag=True, help="Read in a separate process with limits, for files from strangers.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON.")
def info(file: str, brief: bool, as_json: bool, **options: Any) -> None:
    """Show the contents of FILE (or of human, quadruped): tree, joints, limits, frames, unit, axes and oddities.

    \b
    Example:
        manikin info dancer.bvh
    """
    from manikin.cli import facts, report
    from manikin.cli.loading import load

    loaded = load(file, lenient=True, **options)
    if as_json:
        report.echo_json(facts.data(loaded))
    elif sys.stdout.isatty():
        show(loaded, say.console(), brief)
    else:
        say.lines(plain(loaded, brief))


def plain(loaded: Loaded, brief: bool = False) -> str:
    """All facts as plain lines, for pipes and files."""
    from manikin.cli import facts, tables

    lines: list[str] = []
    if loaded.markers is not None:
        rows = facts.marker_facts(loaded.markers)
        if not brief:
            lines.append(tables.plain(MARKER_COLUMNS, facts.marker_rows(loaded.markers)))
    else:
        assert loaded.figure is not None
        rows = facts.figure_facts(loaded)
        if not brief:
            lines.append(loaded.figure.describe())
    below = [f"{label}: {text}" for label, text in rows]
    return "\n".join([*lines, names.stacked([*below, *(f"warning: {line}" for line in loaded.warnings)])])


GAP = 3
"""Blank characters between two columns of a table."""
MARKER_COLUMNS = ["marker", "seen", "gaps", "longest", "moves in"]
"""Columns of the table of markers. The longest gap is in frames. The box in which a marker moves is in the unit of the
file."""


def show(loaded: Loaded, console: Console, brief: bool = False) -> None:
    """Shows all facts on a terminal of any width."""
    from rich.rule import Rule
    from rich.table import Table

    from manikin.cli import facts

    console.print(Rule(say.cell(f"{loaded.name} · {loaded.format}", style="bold"), align="left", style="cyan"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    lines = facts.figure_facts(loaded) if loaded.markers is None else facts.marker_facts(loaded.markers)
    for label, text in lines:
        grid.add_row(label, say.cell(text))
    console.print(grid)
    if not brief:
        console.print()
        console.print(_tree(loaded, console.width) if loaded.markers is None else _marker_table(loaded))
    for line in loaded.warnings:
        mark = Table.grid(padding=(0, 1))
        mark.add_row(say.cell("warning", style="bold yellow"), say.cell(line, overflow="fold"))
        console.print(mark)


def _tree(loaded: Loaded, width: int) -> RenderableType:
    """The tree of segments. It is never wider than the terminal. Names are cut only if the terminal is too narrow."""
    from textwrap import wrap

    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from manikin.figure.describe import describe_loop, tree

    assert loaded.figure is not None
    rows = [row._replace(name=names.line(row.name), joint=names.line(row.joint)) for row in tree(loaded.figure)]
    heavy = max(len(row.mass) for row in rows)
    room = width - (heavy + GAP if heavy else 0) - GAP
    left, right = max(len(row.lead + row.name) for row in rows), max(len(row.joint) for row in rows)
    if left + right > room:  # indent the tree by one column instead of two
        rows = [row._replace(lead=row.lead[::2], under=row.under[::2]) for row in rows]
        left = max(len(row.lead + row.name) for row in rows)
    left = max(min(left, room - min(right, 30)), 10)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="cyan")
    table.add_column("segment", no_wrap=True, overflow="ellipsis", width=max(left, len("segment")))
    table.add_column("joint and limits", overflow="fold")
    if heavy:
        table.add_column("mass", justify="right", no_wrap=True)
    for row in rows:
        joint = wrap(row.joint, max(room - left, 10))
        name = Text.assemble((row.lead, "dim"), (row.name, "bold"), *(("\n" + row.under, "dim") for _ in joint[1:]))
        cells = [name, say.cell(*joint, style="dim" if row.joint == "fixed" else "")]
        table.add_row(*cells, *([say.cell(row.mass)] if heavy else []))
    return Group(table, *(say.cell(describe_loop(loop)) for loop in loaded.figure.loops))


def _marker_table(loaded: Loaded) -> RenderableType:
    from rich import box
    from rich.table import Table

    from manikin.cli import facts

    assert loaded.markers is not None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="cyan")
    for i, column in enumerate(MARKER_COLUMNS):
        table.add_column(column, justify="right" if 0 < i < 4 else "left", overflow="fold" if i == 4 else "ellipsis")
    for row in facts.marker_rows(loaded.markers):
        whole = row[1] == "100.0 %"
        name, seen, gaps, longest, box_text = row
        table.add_row(
            say.cell(name, style="bold"), say.cell(seen, style="green" if whole else "yellow"), gaps, longest, box_text
        )
    return table
