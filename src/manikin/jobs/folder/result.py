"""The result of `mk.batch`: counts, the worst clips, and the failed ones."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from manikin.base.names import line, stacked
from manikin.base.text_table import text_table
from manikin.errors import counted
from manikin.figure.html_table import html_table
from manikin.jobs import Measure
from manikin.jobs.folder.manifest import Record

HEADERS = ("", "median", "worst", "clip")
SHOWN = 5
"""Number of failed clips in the text of a result."""


@dataclass(frozen=True, eq=False, repr=False)
class BatchResult:
    """The outcome of a run."""

    job: str
    records: tuple[Record, ...]
    """The manifest lines of all clips of this run, sorted by name. Clips that an earlier run did are included."""
    kept: int
    """Number of clips that an earlier run did."""
    complete: bool
    """False if the run was stopped. The same call continues it."""
    manifest: str
    """Where the manifest is."""
    report: str | None
    """Where the report is; None if there is none."""
    measures: tuple[Measure, ...]
    """The quality figures of the job."""
    seconds: float
    """Duration of this run."""
    notes: tuple[str, ...] = ()
    """Sentences on files that were left out."""

    @property
    def done(self) -> list[Record]:
        """The records of clips with a result."""
        return [r for r in self.records if r["result"] == "done"]

    @property
    def failed(self) -> list[Record]:
        """The records of clips without a result. Their `error` says why."""
        return [r for r in self.records if r["result"] != "done"]

    @property
    def good(self) -> bool:
        """Whether the run is complete, and every clip has a good result."""
        return self.complete and all(r["result"] == "done" and r["good"] for r in self.records)

    def worst(self, key: str, count: int = 3) -> list[tuple[str, float]]:
        """(clip, value) of the clips with the largest values of a quality figure, largest first."""
        known = [(r["clip"], float(r["quality"][key])) for r in self.done if r["quality"].get(key) is not None]
        return sorted(known, key=lambda pair: (-pair[1], pair[0]))[:count]

    def values(self, key: str) -> list[float]:
        """The known values of a quality figure."""
        return [float(r["quality"][key]) for r in self.done if r["quality"].get(key) is not None]

    def headline(self) -> str:
        """A summary in one line."""
        done, failed = len(self.done), len(self.failed)
        poor = sum(not r["good"] for r in self.done)
        parts = [f"{done} of {counted(len(self.records), 'clip')} done" if failed else f"{counted(done, 'clip')} done"]
        parts += [f"{self.kept} known from earlier runs"] if self.kept else []
        parts += [f"{poor} not good"] if poor else []
        parts += [f"{failed} failed"] if failed else []
        parts += [] if self.complete else ["stopped before the end"]
        return f"{self.job}: {', '.join(parts)}"

    def rows(self) -> list[tuple[str, str, str, str]]:
        """The rows of the table: (quality figure, median, worst, clip)."""
        out = []
        for measure in self.measures:
            values = self.values(measure.key)
            if values:
                clip, value = self.worst(measure.key, 1)[0]
                out.append((measure.words, f"{median(values):.3g}", f"{value:.3g}", line(clip)))
        return out

    def lines(self) -> list[str]:
        """Failed clips and remarks, for people."""
        out = [f"failed: {line(r['clip'])}: {line(r['error']['message'])}" for r in self.failed[:SHOWN]]
        more = len(self.failed) - SHOWN
        return out + ([f"… and {more} more failed"] if more > 0 else []) + list(self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return {
            "job": self.job,
            "clips": len(self.records),
            "done": len(self.done),
            "kept": self.kept,
            "good": sum(bool(r["good"]) for r in self.records),
            "failed": [{"clip": r["clip"], **r["error"]} for r in self.failed],
            "complete": self.complete,
            "worst": {m.key: [{"clip": c, "value": v} for c, v in self.worst(m.key)] for m in self.measures},
            "manifest": self.manifest,
            "report": self.report,
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<BatchResult {self.headline()}>"

    def __str__(self) -> str:
        rows = self.rows()
        return stacked([self.headline(), *(text_table(HEADERS, rows) if rows else []), *self.lines()])

    def _repr_html_(self) -> str:
        return html_table(self.headline(), HEADERS, self.rows(), self.lines())
