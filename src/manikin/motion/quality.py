"""Quality of a motion: foot slide, sinking, speed, jerk, limits, balance and goal errors, frame by frame."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Vector, frozen
from manikin.errors import BadShape
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.figure.parts.bone_names import recognised
from manikin.goals.support import edges, ground_axes
from manikin.kinematics import swing_twist
from manikin.motion.ease import stretches
from manikin.reference.tree import SLIDE

if TYPE_CHECKING:
    from manikin.motion.motion import Motion
    from manikin.motion.motion_solution import MotionSolution

NEAR_FLOOR = 0.015
"""A foot may be standing if its height is below this, in sizes of the figure."""
SLOW = 0.1
"""A foot near the floor is standing if it is slower than this, in sizes per second."""
SHORTEST = 0.05
"""A foot counts as standing only if it stands for at least this long, in seconds."""
SOLES = ("foot", "toes")
"""Parts of a person that stand on the floor."""
MOST = {"slide": 1e-2, "sinking": 2e-2, "speed": 40.0, "outside": 1e-3}
"""A frame is bad if a curve is above this, in metres, rad/s or radians. If the unit is unknown, one size of the figure
is taken as 1.5 m."""
PERSON = 1.5
"""Size of a figure in metres if its unit is unknown."""
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
    """(T,) distance of a standing foot from where it began to stand; the largest of all feet, as a length. 0 if none
    stands."""
    sinking: Vector
    """(T,) depth of the lowest foot below the floor, as a length."""
    speed: Vector
    """(T,) speed of the fastest joint, in rad/s."""
    jerk: Vector
    """(T,) largest jerk of a joint, in rad/s³."""
    limit_use: Vector
    """(T,) position of the joint nearest to a limit within its range: 0 in the middle, 1 at the limit."""
    outside: Vector
    """(T,) largest distance of a joint outside its limits, in radians or lengths."""
    balance: Vector
    """(T,) distance of the centre of mass outside the standing feet, seen from above, as a length; negative inside."""
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
        return f"<Quality {self.headline()}>"

    def __str__(self) -> str:
        rows = [("", "median", "worst", "in frame"), *self.rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(4)]
        lines = ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([self.headline(), *lines, *(f"  {note}" for note in self.notes())])

    def _repr_html_(self) -> str:
        return html_table(self.headline(), ("", "median", "worst", "in frame"), self.rows(), self.notes())

    def notes(self) -> list[str]:
        """Remarks below the table."""
        guess = f"* the file has no unit; a size of {PERSON:g} m is assumed"
        return [guess] if self.unit is None else []


def quality(
    motion: Motion, figure: Figure | None = None, clip: MotionSolution | None = None, floor: float | None = None
) -> Quality:
    """See `Motion.quality`."""
    posed = motion if figure is None else motion.on(figure)
    owner, count = posed.figure, len(posed)
    rate = posed.rate or 1.0
    steps = owner.difference(posed.poses[:-1], posed.poses[1:]) if count > 1 else np.zeros((0, owner.nv))
    turning = _turning(owner)
    steps[:, turning] = rotations.wrapped(steps[:, turning])
    angular = steps[:, _angular(owner)]
    speed, jerk = np.abs(angular) * rate, np.abs(np.diff(angular, n=2, axis=0)) * rate**3
    soles, slide, sinking, balance = _standing(posed, rate, floor)
    errors, tolerances = np.zeros((count, 0)), np.zeros(0)
    names: tuple[str, ...] = ()
    if clip is not None:
        if len(clip.errors) != count:
            raise BadShape(
                f"clip has {len(clip.errors)} frames, but the motion has {count}; they must have the same frames"
            )
        errors, tolerances = np.array(clip.errors), np.array(clip.tolerances)
        names = tuple(goal.label for goal in clip.goals)
    return Quality(
        motion.name,
        posed.times,
        owner.unit,
        owner.size,
        frozen(slide),
        frozen(sinking),
        frozen(_padded(speed.max(axis=1, initial=0.0), count, 1)),
        frozen(_padded(jerk.max(axis=1, initial=0.0), count, 2)),
        frozen(_limit_use(owner, posed.poses)),
        frozen(np.atleast_1d(owner.violation(posed.poses))),
        frozen(balance),
        frozen(errors),
        names,
        frozen(tolerances),
        float(np.percentile(jerk, 99)) if jerk.size else 0.0,
        float(np.percentile(speed, 99)) if speed.size else 0.0,
        soles,
    )


def _padded(values: Vector, count: int, before: int) -> Vector:
    """(count,) values at their frames, with 0 at the ends."""
    out = np.zeros(count)
    at = min(before, count)
    out[at : at + len(values)] = values[: count - at]
    return out


def _angular(figure: Figure) -> NDArray[np.intp]:
    """Steps that are angles."""
    tree = figure.layout.tree
    out = np.ones(figure.nv, dtype=bool)
    out[tree.step[(tree.kind == SLIDE) & (tree.step >= 0)]] = False
    return np.flatnonzero(out)


def _turning(figure: Figure) -> NDArray[np.intp]:
    """Steps of single angles, which may jump by whole turns."""
    from manikin.reference.tree import TURN

    tree = figure.layout.tree
    return np.unique(tree.step[(tree.kind == TURN) & (tree.step >= 0)]).astype(np.intp)


def _standing(motion: Motion, rate: float, floor: float | None) -> tuple[tuple[str, ...], Vector, Vector, Vector]:
    """The soles, and slide, sinking and balance of each frame."""
    figure, count = motion.figure, len(motion)
    soles = _soles(figure)
    nothing = np.full(count, np.nan)
    if not soles or count < 3:
        return soles, nothing, nothing, nothing
    at = motion.placements(list(soles))[:, :, :3, 3]  # (T, soles, 3)
    up = "xyz".index(figure.up)
    # The joints of feet have different heights above the floor, so each is compared with its own lowest height.
    heights = at[:, :, up] - np.percentile(at[:, :, up], 5, axis=0)
    if floor is not None:
        heights = at[:, :, up] - floor
    velocity = np.linalg.norm(np.gradient(at, axis=0), axis=2) * rate
    stands = (heights < NEAR_FLOOR * figure.size) & (velocity < SLOW * figure.size)
    slide, ground = np.zeros(count), ground_axes(figure.up)
    for k in range(len(soles)):
        for a, b in stretches(stands[:, k]):
            if (b - a) / rate < SHORTEST:
                stands[a:b, k] = False
                continue
            flat = at[a:b, k] @ ground.T
            slide[a:b] = np.maximum(slide[a:b], np.linalg.norm(flat - np.median(flat, axis=0), axis=1))
    sinking = np.maximum(-heights, 0.0).max(axis=1)
    return soles, slide, sinking, _balance(motion, at, stands, ground)


def _balance(motion: Motion, at: Matrix, stands: Mask, ground: Matrix) -> Vector:
    out = np.full(len(motion), np.nan)
    if not motion.figure.mass > 0.0:
        return out
    center = motion.figure.center_of_mass(motion.poses) @ ground.T
    for t in np.flatnonzero(stands.any(axis=1)):
        out[t] = edges(at[t, stands[t]] @ ground.T, center[t])[0].max()
    return out


def _soles(figure: Figure) -> tuple[str, ...]:
    names = list(figure.segment_names)
    parents = [names.index(s.parent) if s.parent is not None else -1 for s in figure.segments]
    parts = recognised(names, parents, figure.source.get("humanoid"))
    return tuple(name for name, part in zip(names, parts, strict=True) if part is not None and part.name in SOLES)


def _limit_use(figure: Figure, poses: Matrix) -> Vector:
    """(T,) limit use of the joint nearest to a limit; NaN if no joint has limits."""
    layout = figure.layout
    bounded = np.isfinite(layout.lower) & np.isfinite(layout.upper) & (layout.upper > layout.lower)
    uses: list[Sequence[Vector]] = []
    if bounded.any():
        low, high = layout.lower[bounded], layout.upper[bounded]
        uses.append(np.abs((2.0 * poses[:, bounded] - low - high) / (high - low)).T)
    cones = layout.cones
    for k in range(len(cones.number)):
        turn = poses[:, cones.number[k] : cones.number[k] + 4]
        relative = rotations.multiply(cones.inverse_reference[k], turn)
        one, two, twist = (np.asarray(x) for x in np.moveaxis(swing_twist.decompose(relative, cones.basis[k]), -1, 0))
        least, most = cones.twist[k]
        uses.append([np.hypot(one / cones.swing[k, 0], two / cones.swing[k, 1])])
        if most > least:
            uses.append([np.abs((2.0 * twist - least - most) / (most - least))])
    if not uses:
        return np.full(len(poses), np.nan)
    return np.asarray(np.max(np.concatenate([np.atleast_2d(np.asarray(u)) for u in uses]), axis=0))
