"""The reports of all goals of a solution, with a table for notebooks."""

from __future__ import annotations

from manikin.figure.html_table import MOST_ROWS, html_table
from manikin.report.data import Report


class Reports(tuple[Report, ...]):
    """One report for each goal, in order. It is a tuple that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        missed = sum(not report.reached for report in self)
        title = f"{missed} of {len(self)} goals missed" if missed else f"all {len(self)} goals reached"
        rows = []
        for report in self:
            reasons = ", ".join(dict.fromkeys(reason.kind.replace("_", " ") for reason in report.reasons))
            rows.append([report.goal, "reached" if report.reached else "missed", reasons])
        lines = [report.text for report in self if report.reasons][:MOST_ROWS]
        return html_table(title, ["goal", "", "reasons"], rows, lines)
