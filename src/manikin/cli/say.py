"""Everything that commands print goes through here, so that no name from a file is obeyed by a terminal or by rich."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import click

from manikin.base import names

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TextColumn
    from rich.text import Text


def prepare() -> None:
    """Makes the streams of this process take any text. Characters that their encoding lacks are escaped, and what is
    printed to a stream that is closed goes nowhere."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def line(text: str = "", err: bool = False) -> None:
    """Prints one line. Control characters and line ends in it are escaped."""
    click.echo(names.line(text), err=err)


def lines(text: str) -> None:
    """Prints a text of several lines. Other control characters in it are escaped."""
    click.echo(names.lines(text))


def json_text(text: str) -> None:
    """Prints a JSON document. Characters that a terminal would obey are written as JSON escapes."""
    click.echo(names.json_line(text))


def cell(*rows: str, **style: Any) -> Text:
    """A text for rich, with one line for each row. Square brackets in it are no markup."""
    from rich.text import Text

    return Text(names.stacked(rows), **style)


def console(err: bool = False) -> Console:
    """The terminal for rich. Plain strings are not searched for markup and emoji codes."""
    from rich.console import Console

    return Console(stderr=err, markup=False, emoji=False)


def described() -> TextColumn:
    """The column of a progress bar with the description of the task, without markup."""
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)
