"""`MarkerFit`: the result of `fit_markers`, and its sheet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.arrays import Matrix
from manikin.base.names import csv_cell, stacked
from manikin.errors import counted
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.marker_fit.landmarks import BONY, JOINT, TRACKING
from manikin.motion.marker_fit.model import Mask
from manikin.motion.marker_fit.untangle import Swap
from manikin.motion.motion import Motion

if TYPE_CHECKING:
    from manikin.motion.quality import Quality

UNSEEN = 0.05
"""A scale whose standard deviation is above this is not seen in the data."""
HEAD = ("marker", "kind", "segment", "RMS mm", "worst mm", "in frame", "missing %", "rejected %")


@dataclass(frozen=True, eq=False, repr=False)
class MarkerFit:
    """A figure fitted to markers. Lengths are in metres."""

    figure: Figure
    """The person with the fitted lengths. Its joint ranges are wider by `slack`, so that all poses are within them."""
    motion: Motion
    """The poses, with the up axis of the figure."""
    attachments: Attachments
    """Calibrated places of the markers, and scales. Save them for other trials of the same person."""
    names: tuple[str, ...]
    """Names of the fitted markers, as in the columns below."""
    residuals: Matrix
    """(T, M) distance of each marker from the model, in metres; NaN in gaps."""
    rejected: Mask
    """(T, M) samples that the robust fit ignores."""
    scales: Mapping[str, float] = field(default_factory=dict)
    """Factors of lengths by group."""
    deviations: Mapping[str, float] = field(default_factory=dict)
    """Standard deviation of each scale from these data; empty if the calibration was finished before."""
    swaps: tuple[Swap, ...] = ()
    """Markers that had exchanged their names."""
    at_limits: Mapping[str, float] = field(default_factory=dict)
    """Joints at or beyond the limits of the person without `slack`, with their share of the frames."""
    rounds: tuple[float, ...] = ()
    """RMS on the calibration frames in metres: at the start, then after each round."""
    notes: tuple[str, ...] = ()
    """Sentences about assumptions and warnings."""
    complete: bool = True
    """Whether all frames were fitted. False if `progress` ended the calibration or the fit earlier."""

    def rms(self, kind: str | None = None) -> float:
        """Root mean square of the residuals in metres, of all markers or of one kind. Gaps do not count."""
        chosen = [k for k, name in enumerate(self.names) if kind in (None, self.attachments[name].kind)]
        values = self.residuals[:, chosen]
        known = values[~np.isnan(values)]
        return float(np.sqrt((known**2).mean())) if len(known) else float("nan")

    @property
    def unseen(self) -> tuple[str, ...]:
        """Groups whose scale is not seen in these data: it comes from the other lengths."""
        return tuple(name for name, sigma in self.deviations.items() if not sigma <= UNSEEN)

    def quality(self) -> Quality:
        """`motion.quality()`: foot slide, speeds, use of limits."""
        return self.motion.quality()

    def rows(self) -> list[tuple[Any, ...]]:
        """For each marker: name, kind, segment, RMS in mm, worst in mm, its frame, share missing, share rejected."""
        known = ~np.isnan(self.residuals)
        values = np.where(known, self.residuals, 0.0)
        seen = known.sum(axis=0)
        rms = 1e3 * np.sqrt((values * values).sum(axis=0) / np.maximum(seen, 1))
        worst = values.argmax(axis=0) if len(values) else np.zeros(len(self.names), dtype=int)
        lost = (self.rejected & known).sum(axis=0) / np.maximum(seen, 1)
        out: list[tuple[Any, ...]] = []
        for k, name in enumerate(self.names):
            head = (name, self.attachments[name].kind, self.attachments[name].segment)
            if not seen[k]:
                out.append((*head, None, None, None, 1.0, 0.0))
                continue
            at = int(worst[k])
            missing = 1.0 - float(seen[k]) / len(values)
            out.append((*head, float(rms[k]), 1e3 * float(values[at, k]), at, missing, float(lost[k])))
        return out

    def sheet(self) -> str:
        """A table for each kind of marker, the scales with their deviations, and notes."""
        lines = [self._headline()]
        for kind in (BONY, TRACKING, JOINT):
            rows = [_cells(row) for row in self.rows() if row[1] == kind]
            if rows:
                lines += ["", f"{kind} markers: RMS {1e3 * self.rms(kind):.1f} mm", *_table(HEAD, rows)]
        if self.scales:
            lines += ["", "scales", *_table(("group", "factor", "deviation"), self._scale_rows())]
        if self.at_limits:
            words = [f"{name} {share:.0%}" for name, share in self.at_limits.items()]
            lines += ["", f"joints at the limits of the person, share of the frames: {', '.join(words)}"]
        return stacked([*lines, *(["", *self.notes] if self.notes else [])])

    def to_csv(self) -> str:
        """The rows of the sheet as CSV, with a header. Empty cells are unknown."""
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["marker", "kind", "segment", "rms_mm", "worst_mm", "worst_frame", "missing", "rejected"])
        for row in self.rows():
            cells = ["" if c is None else f"{c:.4f}" if isinstance(c, float) else csv_cell(str(c)) for c in row]
            writer.writerow(cells)
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The sheet for programs. Lengths are in millimetres; null is unknown."""
        keys = ("marker", "kind", "segment", "rms_mm", "worst_mm", "worst_frame", "missing", "rejected")
        known = ~np.isnan(self.residuals)
        kinds = {kind: _number(1e3 * self.rms(kind)) for kind in (BONY, TRACKING, JOINT)}
        return {
            "figure": self.figure.name,
            "frames": len(self.motion),
            "complete": self.complete,
            "rms_mm": _number(1e3 * self.rms()),
            "rms_by_kind_mm": kinds,
            "rejected": float(self.rejected[known].mean()) if known.any() else 0.0,
            "markers": [dict(zip(keys, row, strict=True)) for row in self.rows()],
            "scales": dict(self.scales),
            "deviations": {name: _number(value) for name, value in self.deviations.items()},
            "unseen": list(self.unseen),
            "swaps": [{"names": list(s.names), "first": s.first, "last": s.last} for s in self.swaps],
            "at_limits": dict(self.at_limits),
            "rounds_mm": [1e3 * r for r in self.rounds],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def _scale_rows(self) -> list[tuple[str, ...]]:
        out: list[tuple[str, ...]] = []
        for name, scale in self.scales.items():
            sigma = self.deviations.get(name)
            words = "" if sigma is None else f"{sigma:.1%}" if sigma <= UNSEEN else "not seen in these data"
            out.append((name, f"{scale:.3f}", words))
        return out

    def _headline(self) -> str:
        part = "" if self.complete else ", not complete"
        size = f"{counted(len(self.names), 'marker')}, {counted(len(self.motion), 'frame')}{part}"
        return f"{self.motion.name}: {size}, RMS {1e3 * self.rms():.1f} mm"

    def __repr__(self) -> str:
        return f"<MarkerFit {self._headline()}>"

    def __str__(self) -> str:
        return self.sheet()

    def _repr_html_(self) -> str:
        return html_table(self._headline(), HEAD, [_cells(row) for row in self.rows()], self.notes, most_rows=200)


def _cells(row: tuple[Any, ...]) -> tuple[str, ...]:
    name, kind, segment, rms, worst, frame, missing, lost = row
    known = ("", "", "") if rms is None else (f"{rms:.1f}", f"{worst:.1f}", str(frame))
    return (name, kind, segment, *known, f"{100 * missing:.1f}", f"{100 * lost:.1f}")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[c]) for row in (head, *rows)) for c in range(len(head))]
    return ["  " + "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
