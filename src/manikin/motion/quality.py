"""`Quality`: the curves of a motion, as a table, as JSON, and as marks on bad frames. `measures.py` computes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.base.names import line, stacked
from manikin.base.text_table import text_table
from manikin.figure.html_table import html_table

MOST = {"slide": 2.5e-2, "sinking": 2e-2, "speed": 40.0, "outside": 1e-3}
"""A frame is bad if a curve is above this, in metres, rad/s or radians. If the unit is unknown, one size of the figure
is taken as 1.5 m."""
PERSON = 1.5
"""Size of a figure in metres if its unit is unknown."""
HEADERS = ("", "median", "worst", "in frame")
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Quality:
    """Curves over the frames of a motion; NaN where a value is not known. Lengths are in the figure's unit."""

    name: str
    """Name of the motion."""
    times: Vector
    """(T,) seconds."""
    unit: float | None
    """One length in metres; None if not known."""
    size: float
    """Size of the figure, as a length."""
    slide: Vector
    """(T,) horizontal distance of a toe or heel on the floor from the place where it rests, which is its median over at
    most a second of the contact; the largest of all, as a length. 0 if none is on the floor. See `contacts`."""
    sinking: Vector
    """(T,) depth of the lowest toe or heel below the floor, as a length."""
    speed: Vector
    """(T,) speed of the fastest joint, in rad/s."""
    jerk: Vector
    """(T,) largest jerk of a joint, in rad/s³."""
    limit_use: Vector
    """(T,) position of the joint nearest to a limit within its range: 0 in the middle, 1 at the limit."""
    outside: Vector
    """(T,) largest distance of a joint outside its limits, in radians or lengths."""
    balance: Vector
    """(T,) distance of the centre of mass outside the points on the floor, seen from above, as a length; negative
    inside."""
    errors: Matrix
    """(T, goals) errors of goals; (T, 0) if none are given."""
    goal_names: tuple[str, ...]
    tolerances: Vector
    """(goals,)."""
    jerk99: float
    """99th percentile of |jerk| over all joints and frames, rad/s³."""
    speed99: float
    """99th percentile of the speed of all joints and frames, rad/s."""
    soles: tuple[str, ...]
    """The segments that can stand on the floor."""
    unknown: str = ""
    """The reason why slide, sinking and balance are not known."""

    @property
    def scale(self) -> float:
        """One length in metres. If the unit is unknown, it is estimated from the size of a person."""
        return self.unit if self.unit is not None else PERSON / self.size

    @property
    def reasons(self) -> dict[str, Mask]:
        """(T,) for each reason, whether it makes a frame bad."""
        curves = {"slide": self.slide * self.scale, "sinking": self.sinking * self.scale, "speed": self.speed}
        curves["outside"] = self.outside
        out = {name: np.nan_to_num(curve) > MOST[name] for name, curve in curves.items()}
        if len(self.goal_names):
            out["goals"] = (np.nan_to_num(self.errors) > self.tolerances * (1.0 + 1e-9)).any(axis=1)
        return out

    @property
    def bad(self) -> Mask:
        """(T,) whether a frame is bad for any reason."""
        return np.asarray(np.any(list(self.reasons.values()), axis=0))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """The rows of the table: (quantity, typical value, worst value, frame)."""
        length = 1000.0 * self.scale
        unit = " mm" if self.unit is not None else " mm*"
        curves: list[tuple[str, Vector, float, str]] = [
            ("foot slide", self.slide, length, unit),
            ("sinking", self.sinking, length, unit),
            ("joint speed", self.speed, 1.0, " rad/s"),
            ("jerk", self.jerk, 1.0, " rad/s³"),
            ("limit use", self.limit_use, 100.0, " %"),
            ("outside limits", self.outside, 1.0, " rad"),
            ("balance", self.balance, length, unit),
        ]
        curves += [(name, self.errors[:, k], 1.0, "") for k, name in enumerate(self.goal_names)]
        out = []
        for name, curve, factor, suffix in curves:
            if not np.isfinite(curve).any():
                out.append((name, "unknown", "", ""))
                continue
            at = int(np.nanargmax(curve))
            typical, worst = factor * float(np.nanmedian(curve)), factor * float(curve[at])
            out.append((name, f"{typical:.3g}{suffix}", f"{worst:.3g}{suffix}", str(at)))
        return out

    def headline(self) -> str:
        """A summary in one line."""
        bad = int(self.bad.sum())
        why = ", ".join(f"{name} {int(mask.sum())}" for name, mask in self.reasons.items() if mask.any())
        return f"{self.name}: {bad} of {len(self.times)} frames are bad" + (f" ({why})" if why else "")

    def to_dict(self, curves: bool = False) -> dict[str, Any]:
        """The values of the table, and with `curves` all frames, as a dict. Lengths are in metres if the unit is
        known."""
        factor = self.unit if self.unit is not None else 1.0
        out: dict[str, Any] = {
            "motion": self.name,
            "frames": len(self.times),
            "bad_frames": np.flatnonzero(self.bad).tolist(),
            "reasons": {name: int(mask.sum()) for name, mask in self.reasons.items()},
            "unit": "metres" if self.unit is not None else "figure",
            "speed_99": self.speed99,
            "jerk_99": self.jerk99,
        }
        named = {"slide": self.slide * factor, "sinking": self.sinking * factor, "speed": self.speed, "jerk": self.jerk}
        named |= {"limit_use": self.limit_use, "outside": self.outside, "balance": self.balance * factor}
        named |= {f"error {name}": self.errors[:, k] for k, name in enumerate(self.goal_names)}
        for name, curve in named.items():
            known = curve[np.isfinite(curve)]
            out[name] = None if not len(known) else {"median": float(np.median(known)), "worst": float(known.max())}
            if curves and len(known):
                out[name]["curve"] = [float(x) if np.isfinite(x) else None for x in curve]
        return out

    def to_json(self, curves: bool = False) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(curves), allow_nan=False)

    def __repr__(self) -> str:
        return line(f"<Quality {self.headline()}>")

    def __str__(self) -> str:
        table = text_table(HEADERS, self.rows())
        return stacked([self.headline(), *table, *(f"  {note}" for note in self.notes())])

    def _repr_html_(self) -> str:
        return html_table(self.headline(), HEADERS, self.rows(), self.notes())

    def notes(self) -> list[str]:
        """Remarks below the table."""
        guess = [f"* the file has no unit; a size of {PERSON:g} m is assumed"] if self.unit is None else []
        return guess + ([f"feet: {self.unknown}"] if self.unknown else [])
