"""Small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.base.names import html

MOST_ROWS = 12
"""Largest number of rows of a table. A notebook shows a summary, not everything."""


def html_table(
    caption: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
    most_rows: int = MOST_ROWS,
) -> str:
    """A caption, a table of strings and some lines below it. All texts are escaped.

    Example:
        >>> html_table("a <b>", ["goal"], [["x & y"]])
        '<div><b>a &lt;b&gt;</b><table><tr><th>goal</th></tr><tr><td>x &amp; y</td></tr></table></div>'
    """
    shown = list(rows[:most_rows])
    below = [*([f"… and {len(rows) - most_rows} more"] if len(rows) > most_rows else []), *notes]
    lines = [_row("th", headers)] if any(headers) else []
    lines += [_row("td", row) for row in shown]
    table = f"<table>{''.join(lines)}</table>" if lines else ""
    return f"<div><b>{html(caption)}</b>{table}{''.join(f'<p>{html(line)}</p>' for line in below)}</div>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"
