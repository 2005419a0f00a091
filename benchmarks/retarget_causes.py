"""Why cells of the retargeting table are above those of an earlier program: the same cells under other conditions.

The earlier program is a prototype that is not in this repository. It was measured on parts of the same clips; which
parts is not known. Its bone error is that of the main segments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import manikin as mk
from manikin.figure.joint import Ball, Euler, Hinge
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration
from manikin.motion.retarget import goals
from manikin.motion.retarget.caught_arms import arms_among
from manikin.motion.retarget.follow_ideal import speed_limits
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.measure import bone_errors, contact_figures, measure, sole_places
from manikin.motion.retarget.planting import planted
from manikin.motion.retarget.prepare import Prepared
from manikin.motion.retarget.solving import Tracker
from manikin.motion.retarget.watch import watch

EARLIER = {
    "walk": "1.1 0.1 0.4 | 0.8 0.1 0.2 | 1.7 0.2 0.3 | 0.9 0.3 0.9 | 0.2 0.0 0.1 | 0.0 0.0 0.5 | 4.6 0.8 0.3",
    "run": "0.6 0.1 0.1 | 0.5 0.0 0.1 | 1.4 0.0 0.1 | 0.5 0.1 0.2 | 0.1 0.0 0.1 | 0.0 0.0 0.3 | 5.6 0.7 0.1",
    "punch": "0.8 0.1 0.3 | 1.0 0.0 0.7 | 2.8 0.1 0.4 | 0.9 0.1 1.0 | 0.1 0.0 0.2 | 0.0 0.0 1.1 | 5.4 1.3 0.6",
    "dance": "2.7 0.2 0.1 | 2.7 0.1 0.5 | 4.6 0.2 0.3 | 4.5 1.4 0.4 | 0.3 0.0 10.5 | 0.0 0.0 0.4 | 12.0 1.0 0.9",
    "pirouette": "0.9 0.1 0.3 | 2.3 0.2 1.0 | 3.5 0.3 0.9 | 0.8 0.1 1.2 | 0.2 0.0 0.3 | 0.0 0.0 10.0 | 7.5 1.6 4.1",
    "cartwheel": "1.1 0.1 0.5 | 2.7 0.2 1.4 | 4.7 0.3 1.0 | 3.4 0.3 1.4 | 0.3 0.0 0.3 | 6.6 2.1 1.6 | 7.5 1.0 2.3",
    "PyMO walk": "1.3 0.1 0.6 | 0.9 0.1 0.5 | 1.7 0.2 0.3 | 1.1 0.3 1.2 | 0.2 0.0 0.2 | 0.0 0.0 0.8 | 3.7 0.6 0.9",
    "Rokoko": "0.3 0.1 0.2 | 1.5 0.2 0.3 | 1.7 0.1 0.2 | 0.2 0.1 0.3 | 0.0 0.0 0.2 | 0.0 0.0 0.4 | 10.8 1.7 0.3",
    "dab": "0.8 0.0 1.0 | 1.5 0.2 2.8 | 5.2 0.7 1.7 | 0.8 0.1 2.3 | 0.1 0.0 3.2 | 0.0 0.0 4.2 | 7.4 2.0 1.9",
    "OptiTrack": "0.6 0.0 0.0 | 5.6 2.2 0.0 | 3.8 1.1 0.0 | 0.9 0.0 0.1 | 0.3 0.0 2.8 | 0.0 0.0 0.1 | 8.0 3.2 0.0",
}
"""Bone error in degrees, wrists in percent of body height and largest slide in mm of the earlier program, for the
figures in `ORDER`."""
ORDER = ("Daz", "human", "G1", "CesiumMan", "MakeHuman", "RobotExpressive", "MuJoCo humanoid")
KINDS = {"bone_error_deg": "bones, °", "wrist_error_percent": "wrists, %", "slide_mm": "slide, mm"}
CUT = 240
"""Number of frames of a cut."""
CUTS = 6
"""Number of cuts of a clip, evenly spaced."""
CONDITIONS = ("segments", "not planted", "no limits", "no floor")
COLUMNS = ["clip", "figure", "what", "earlier", "here", "arms", "legs", *CONDITIONS, "cuts", "not above with"]
TEXT = f"""Cells that are above those of an earlier program, which is not in this repository. "Arms" and "legs" are the
mean bone errors of these limbs. "Segments" is the bone error by the directions of the main segments, which is what the
earlier program measured. The next columns have the same cell without planted feet, without joint limits, and without
the goals that keep soles and wrists above the floor. "Cuts" has the least and the largest value of {CUTS} cuts of {CUT}
frames, because the earlier program was measured on parts of the clips, and it is not known which. The last column names
the conditions under which the cell is not above the earlier program."""


def earlier(clip: str, figure: str) -> dict[str, float]:
    """The figures of the earlier program for one cell."""
    numbers = EARLIER[clip].split("|")[ORDER.index(figure)].split()
    return dict(zip(KINDS, map(float, numbers), strict=True))


def above(clip: str, figure: str, quality: dict[str, Any]) -> list[str]:
    """The figures that are above those of the earlier program, at the precision of its table."""
    return [key for key, most in earlier(clip, figure).items() if round(quality[key], 1) > most]


@dataclass(frozen=True)
class Row:
    """One figure of one cell under several conditions."""

    clip: str
    figure: str
    kind: str
    earlier: float
    values: dict[str, Any]

    def cells(self) -> list[str]:
        found, v = [self.clip, self.figure, KINDS[self.kind], f"{self.earlier:.1f}"], self.values
        for key in ("here", "arms", "legs", *CONDITIONS):
            found.append("" if v.get(key) is None else f"{v[key]:.2f}")
        return [*found, f"{min(v['cuts']):.2f}–{max(v['cuts']):.2f}", ", ".join(self.explained()) or "none"]

    def explained(self) -> list[str]:
        """The conditions under which the figure is not above that of the earlier program."""
        least = {key: self.values.get(key) for key in CONDITIONS} | {"some cuts": min(self.values["cuts"])}
        return [key for key, value in least.items() if value is not None and round(value, 1) <= self.earlier]


def rows(clip: str, name: str, motion: mk.Motion, ready: Prepared, quality: dict[str, Any]) -> list[Row]:
    """The figures of a cell that are above those of the earlier program, under other conditions."""
    kinds = above(clip, name, quality)
    if not kinds:
        return []
    own = ready.ideal.calibration
    plain = follow(ready, own)
    others = {
        "not planted": figures(ready, own, follow(ready, own, plant=False)),
        "no limits": figures(ready, free := unlimited(own), follow(ready, free)),
        "no floor": figures(ready, own, follow(ready, own, floor=False)),
    }
    errors = bone_errors(ready.ideal.moved(ready.ways.added), watch(own, plain))
    limbs_mean = {
        key: float(np.rad2deg([errors[f"{side} {limb}"].mean() for side in SIDES for limb in limbs]).mean())
        for key, limbs in (("arms", ("upper arm", "forearm")), ("legs", ("thigh", "shank")))
    }
    starts = np.unique(np.linspace(ready.first, max(len(motion) - CUT, ready.first), CUTS).astype(int)).tolist()
    pose = ready.watched.calibration.standing.pose  # a cut may have no frame that stands
    parts = (mk.retarget(motion[k : k + CUT], own.figure, source_pose=pose) for k in starts)
    cuts = [each.measures for each in parts]
    out = []
    for kind in kinds:
        values: dict[str, Any] = {"here": quality[kind], "cuts": [each[kind] for each in cuts]}
        values |= {key: each[kind] for key, each in others.items() if (key, kind) != ("not planted", "slide_mm")}
        if kind == "bone_error_deg":
            values |= {**limbs_mean, "segments": quality["segment_error_deg"]}
        out.append(Row(clip, name, kind, earlier(clip, name)[kind], values))
    return out


def follow(ready: Prepared, target: Calibration, plant: bool = True, floor: bool = True) -> Any:
    """(frames, nq) poses as `mk.retarget` makes them, with some goals left out."""
    ideal, feet = Ideal(target, ready.ideal.turns, ready.ideal.origins), ready.feet
    wishes = goals.wishes_for(ideal, goals.weights_by_kind(None))
    if plant:
        plan = planted(ideal, feet.soles, ready.times, feet.masks, feet.ground)
        wishes = [*goals.with_ankles(wishes, ideal, plan), *goals.sole_wishes(ideal, feet.soles, plan)]
        wishes += goals.floor_wishes(ideal, feet.soles, plan, feet.ground) if floor else []
    wishes = goals.moved(wishes, ready.ways.added, ideal)
    only = goals.joints_to_move(target, goals.carrying_joint(target))
    speeds = speed_limits(ideal, feet.soles, ready.times, only)
    arms = arms_among(target, wishes, speeds)
    return Tracker(target.figure, wishes, only, ready.times, None, speeds, arms).track(wishes)


def figures(ready: Prepared, target: Calibration, poses: Any) -> dict[str, Any]:
    """The quality figures of poses."""
    ideal = Ideal(target, ready.ideal.turns, ready.ideal.origins)
    places = sole_places(ideal, ready.feet.soles, poses) - ready.ways.added
    found = measure(ideal.moved(ready.ways.added), ready.watched, poses)
    return found | contact_figures(ready.feet.soles, ready.feet.masks, places, ready.feet.heights(places))


def unlimited(target: Calibration) -> Calibration:
    """The same body without joint limits."""
    without: dict[type, Callable[[Any], Any]] = {
        Hinge: lambda motion: replace(motion, limits=(-np.inf, np.inf)),
        Euler: lambda motion: replace(motion, limits=()),
        Ball: lambda motion: replace(motion, limits=None),
    }
    segments = []
    for segment in target.figure.segments:
        motions = [without.get(type(motion), lambda motion: motion)(motion) for motion in segment.joint.motions]
        plain = segment.joint.coupling is not None or not motions
        segments.append(segment if plain else segment.replaced(joint=replace(segment.joint, motions=tuple(motions))))
    return replace(target, figure=target.figure.replaced(segments=segments))
