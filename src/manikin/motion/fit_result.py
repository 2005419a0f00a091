"""`FitResult`: the result of `fit_markers` and `fit_points`, with the distances of the points from the figure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points
from manikin.base.names import csv_cell
from manikin.figure.joint import Numbers
from manikin.goals import Goal, Position
from manikin.motion.result import MotionResult

UNSEEN = 0.05
"""A scale whose standard deviation is above this is not seen in the data."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitResult(MotionResult):
    """A motion that follows points. Lengths are in the unit of the figure."""

    names: tuple[str, ...]
    """Names of the points that were followed, as in the columns below."""
    targets: Points
    """(T, K, 3) the points in the axes and the unit of the figure; NaN in gaps."""
    residuals: Matrix
    """(T, K) distance of each point from its place on the figure, a length; NaN in gaps."""
    rejected: NDArray[np.bool_]
    """(T, K) samples that are outliers and have little influence."""
    scales: Mapping[str, float]
    """Factors of lengths relative to the given figure, by group of parts."""
    deviations: Mapping[str, float]
    """Standard deviation of each scale, as a fraction of it; empty if the calibration was finished before."""
    at_limits: Mapping[str, float]
    """Joints that the points push to or beyond their limits, with their share of the frames."""

    thing: ClassVar[str] = "point"
    """What one of the points is called."""
    suffix: ClassVar[str] = ""
    """Ending of the keys of lengths in `table`: "_mm" if they are in millimetres."""
    rejected_count: ClassVar[bool] = False
    """Whether rejected samples count in the RMS."""

    def attached(self, name: str) -> tuple[str, Numbers]:
        """The segment that carries a point, and its place (3,), a length, in the space of that segment.

        Args:
            name: one of `names`.
        """
        raise NotImplementedError

    @property
    def goals(self) -> tuple[Goal, ...]:
        """A `Position` for each point, as pictures show them."""
        places = ((name, *self.attached(name)) for name in self.names)
        return tuple(Position(segment, (0.0, 0.0, 0.0), offset=at, name=name) for name, segment, at in places)

    @property
    def errors(self) -> Matrix:
        """(T, K) the residuals, which are the errors of `goals`."""
        return self.residuals

    @property
    def met(self) -> NDArray[np.bool_]:
        """(T, K) the samples that were not rejected."""
        return ~self.rejected

    @property
    def rms(self) -> float:
        """Root mean square of the residuals, a length; NaN if there are none. Gaps do not count."""
        return self._rms(slice(None))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Groups whose scale is not seen in these data: it comes from the other lengths."""
        return tuple(name for name, sigma in self.deviations.items() if not sigma <= UNSEEN)

    def table(self) -> list[dict[str, Any]]:
        """For each point: its name, the RMS, the worst residual and its frame, and the shares of samples that are
        missing or rejected (0 to 1). A value that is not known is None."""
        seen, factor = np.isfinite(self.residuals), 1e3 if self.suffix else 1.0
        out = []
        for k, name in enumerate(self.names):
            errors, some = self.residuals[:, k], bool(seen[:, k].any())
            worst = int(np.nanargmax(errors)) if some else None
            out.append(
                {
                    self.thing: name,
                    **self._facts(name),
                    f"rms{self.suffix}": _number(factor * self._rms([k])),
                    f"worst{self.suffix}": None if worst is None else factor * float(errors[worst]),
                    "worst_frame": worst,
                    "missing": float(1.0 - seen[:, k].mean()),
                    "rejected": float((self.rejected & seen)[:, k].sum() / seen[:, k].sum()) if some else 0.0,
                }
            )
        return out

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses. A value that is not known is None."""
        seen, factor = np.isfinite(self.residuals), 1e3 if self.suffix else 1.0
        return super().to_dict() | {
            f"rms{self.suffix}": _number(factor * self.rms),
            "rejected": float(self.rejected[seen].mean()) if seen.any() else 0.0,
            f"{self.thing}s": self.table(),
            "scales": dict(self.scales),
            "deviations": {name: _number(value) for name, value in self.deviations.items()},
            "unseen": list(self.unseen),
            "at_limits": dict(self.at_limits),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_csv(self) -> str:
        """`table` as CSV, with a header. Empty cells are unknown."""
        text, rows = io.StringIO(), self.table()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows[0] if rows else ())
        for row in rows:
            cells = (f"{c:.6g}" if isinstance(c, float) else c for c in row.values())
            writer.writerow([csv_cell(c) if isinstance(c, str) else c for c in cells])
        return text.getvalue()

    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the table, in words."""
        factor = 1e-3 if self.suffix else 1.0
        rows = []
        for row in self.table():
            *head, rms, worst, frame, missing, rejected = row.values()
            lengths = ("" if length is None else self._length(factor * length) for length in (rms, worst))
            shares = (f"{100.0 * share:.1f} %" if share else "" for share in (missing, rejected))
            rows.append((*head, *lengths, "" if frame is None else str(frame), *shares))
        return rows

    def _facts(self, _: str) -> dict[str, str]:
        """Further columns of the table."""
        return {}

    def _rms(self, columns: Any) -> float:
        """The RMS of some columns."""
        used = np.isfinite(self.residuals) & (~self.rejected | self.rejected_count)
        known = self.residuals[:, columns][used[:, columns]]
        return float(np.sqrt((known**2).mean())) if len(known) else float("nan")

    def _below(self) -> list[str]:
        lines = ["lengths relative to the given figure:"] if self.scales else []
        for name, scale in self.scales.items():
            deviation = f" ± {self.deviations[name]:.3f}" if name in self.deviations else ""
            lines.append(f"  {name:<12}  {scale:.3f}{deviation}{' not seen in these data' * (name in self.unseen)}")
        return lines

    def _summary(self) -> tuple[str, ...]:
        return (f"RMS {self._length(self.rms)}",)

    def _length(self, length: float) -> str:
        unit = self.figure.unit
        return f"{length:.3g}" if unit is None else f"{1000.0 * unit * length:.1f} mm"


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
