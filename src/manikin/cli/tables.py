"""Tables for people: drawn with rich on a terminal, plain text elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from manikin.base import names
from manikin.cli import say

Row = Sequence[str]
WIDEST = 100
"""Largest number of characters in a line of a paragraph."""


def show(headers: Row, rows: Sequence[Row], title: str | None = None, marks: Sequence[str] = ()) -> None:
    """Prints a table.

    Args:
        headers: one text for each column.
        rows: one text for each column in each row.
        title: a line above the table.
        marks: "good", "bad" or "" for each row. It sets the colour of the last cell on a terminal.
    """
    if sys.stdout.isatty():
        _rich(headers, rows, title, marks)
    else:
        say.lines(plain(headers, rows, title))


def paragraph(text: str) -> str:
    """Sentences wrapped into lines on a terminal. Elsewhere they are one line, which is easier to search."""
    text = names.line(text)
    if not sys.stdout.isatty():
        return text
    return click.wrap_text(text, min(shutil.get_terminal_size().columns, WIDEST))


def plain(headers: Row, rows: Sequence[Row], title: str | None = None) -> str:
    """A table as text, with a line under the headers.

    Example:
        >>> print(plain(["goal", "error"], [["RightHand", "0.1 mm"]]))
        goal       error
        ─────────  ──────
        RightHand  0.1 mm
    """
    widths = [max(len(row[c]) for row in [headers, *rows]) for c in range(len(headers))]
    table = [headers, ["─" * w for w in widths], *rows]
    lines = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
    return names.stacked([*([title] if title else []), *lines])


def _rich(headers: Row, rows: Sequence[Row], title: str | None, marks: Sequence[str]) -> None:
    from rich import box
    from rich.table import Table

    console = say.console()
    if title:
        console.print(say.cell(title, style="bold"))  # rich would wrap the title of the table at the width of the table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        table.add_column(say.cell(header))
    colors = {"good": "green", "bad": "red", "": ""}
    for row, mark in zip(rows, [*marks, *[""] * (len(rows) - len(marks))], strict=True):
        table.add_row(*[say.cell(cell) for cell in row[:-1]], say.cell(row[-1], style=colors[mark]))
    console.print(table)
