"""The result of `fit_points`: a motion, the figure with the lengths of the person, and a sheet of quality figures."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points
from manikin.base.names import csv_cell, line, stacked
from manikin.errors import counted
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.motion.motion import Motion

UNSEEN = 0.05
"""The length of a part is "not seen in these data" if its standard deviation is above this fraction."""
HEADERS = ("point", "RMS", "worst", "in frame", "missing", "rejected")


@dataclass(frozen=True, eq=False, repr=False)
class PointsFit:
    """A motion that follows keypoints. Lengths are in the unit of the figure."""

    motion: Motion
    """The motion. `source["points"]` has the figures of the sheet."""
    names: tuple[str, ...]
    """The points of the body that were followed."""
    layout: str
    """The layout, or "names" if the names of the points decided."""
    scales: dict[str, float]
    """Length of each part relative to the given figure, left and right alike."""
    deviations: dict[str, float]
    """Standard deviation of each length, as a fraction of it."""
    attachments: dict[str, tuple[str, tuple[float, ...]]]
    """The segment of each point, and its calibrated place (3,), length, in the space of that segment."""
    targets: Points
    """(T, K, 3) the points in the axes and the unit of the figure; NaN where a point was not seen."""
    residuals: Matrix
    """(T, K) distance of each point from its place on the figure; NaN where a point was not seen."""
    rejected: NDArray[np.bool_]
    """(T, K) samples that are outliers and have little influence."""
    at_limits: dict[str, float]
    """Joints that the points push against their limits, with the share of frames."""
    travel: str
    """ "seen", "rebuilt" from the feet, or "missing" because the points are centred on the hips."""
    notes: tuple[str, ...]
    """Sentences about the input and the result."""
    complete: bool = True
    """False if `progress` stopped the call. The motion then has the frames that are done."""

    @property
    def figure(self) -> Figure:
        """The figure with the lengths of the person."""
        return self.motion.figure

    @property
    def rms(self) -> float:
        """Root mean square of the residuals of all samples that are not rejected; NaN if there are none."""
        return _rms(self.residuals[~self.rejected])

    def sheet(self) -> str:
        """A table with a row for each point, then the lengths of the parts, then the notes."""
        widths = [max(len(row[c]) for row in (HEADERS, *self._rows())) for c in range(len(HEADERS))]
        lines = [self._headline(), *(_line(row, widths) for row in (HEADERS, *self._rows()))]
        lines.insert(2, "  " + "─" * (sum(widths) + 2 * len(widths) - 2))
        lines.append("lengths relative to the given figure:")
        lines += [f"  {part:<10}  {text}" for part, text in self._lengths()]
        return stacked([*lines, *self.notes])

    __str__ = sheet

    def csv(self) -> str:
        """The rows of the points as CSV, lengths in the unit of the figure, shares from 0 to 1."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("point", "rms", "worst", "worst_frame", "missing", "rejected"))
        for row in self.data()["points"]:
            writer.writerow(
                [csv_cell(row["name"]), *(row[key] for key in ("rms", "worst", "worst_frame", "missing", "rejected"))]
            )
        return out.getvalue()

    def data(self) -> dict[str, Any]:
        """The sheet for programs. A value that is not known is None."""
        points = []
        for k, name in enumerate(self.names):
            errors, seen = self.residuals[:, k], np.isfinite(self.residuals[:, k])
            used = errors[seen & ~self.rejected[:, k]]
            worst = int(np.nanargmax(errors)) if seen.any() else None
            points.append(
                {
                    "name": name,
                    "rms": _rms(used) if used.size else None,
                    "worst": None if worst is None else float(errors[worst]),
                    "worst_frame": worst,
                    "missing": float(1.0 - seen.mean()),
                    "rejected": float(self.rejected[:, k].sum() / seen.sum()) if seen.any() else 0.0,
                }
            )
        return {
            "layout": self.layout,
            "frames": len(self.motion),
            "complete": self.complete,
            "rms": self.rms if np.isfinite(self.rms) else None,
            "points": points,
            "scales": dict(self.scales),
            "deviations": dict(self.deviations),
            "attachments": {name: [segment, list(at)] for name, (segment, at) in self.attachments.items()},
            "at_limits": dict(self.at_limits),
            "travel": self.travel,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return line(f"<PointsFit {self._headline()}>")

    def _repr_html_(self) -> str:
        return html_table(self._headline(), HEADERS, self._rows(), self.notes)

    # Inside

    def _headline(self) -> str:
        stopped = "" if self.complete else ", stopped"
        size = counted(len(self.motion), "frame")
        return f"{self.motion.name}: {size}, {self.layout}, RMS {self._length(self.rms)}{stopped}"

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for row in self.data()["points"]:
            if row["worst"] is None:
                rows.append((row["name"], "", "", "", "100 %", ""))
                continue
            rms = "" if row["rms"] is None else self._length(row["rms"])
            shares = (f"{100.0 * row[key]:.1f} %" if row[key] else "" for key in ("missing", "rejected"))
            rows.append((row["name"], rms, self._length(row["worst"]), str(row["worst_frame"]), *shares))
        return rows

    def _lengths(self) -> list[tuple[str, str]]:
        return [
            (part, f"{factor:.3f} ± {self.deviations[part]:.3f}" + (" not seen in these data" if unseen else ""))
            for part, factor in self.scales.items()
            for unseen in (self.deviations[part] > UNSEEN,)
        ]

    def _length(self, length: float) -> str:
        unit = self.motion.figure.unit
        return f"{length:.3g}" if unit is None else f"{1000.0 * unit * length:.1f} mm"


def _rms(errors: Matrix) -> float:
    errors = errors[np.isfinite(errors)]
    return float(np.sqrt((errors**2).mean())) if errors.size else float("nan")


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return ("  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True))).rstrip()
