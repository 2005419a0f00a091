"""Small tables in plain text."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: the headers, a rule and the rows, with columns as wide as their longest cell.

    Example:
        >>> print(*text_table(["goal", "error"], [["Tip", "0.1"]]), sep="|")
          goal  error|  ───────────|  Tip   0.1
    """
    shown = [headers, *rows]
    widths = [max(len(row[c]) for row in shown) for c in range(len(headers))]
    lines = ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in shown]
    return [lines[0], "  " + "─" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]]
