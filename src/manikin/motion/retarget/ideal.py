"""Where the parts of the target would be if its joints were free: the orientations of the source, the lengths of the
target.

Everything is in canonical axes of the world and in the unit of the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Rotations, Vector
from manikin.figure.parts.calibration import Calibration
from manikin.motion.retarget.watch import Observed
from manikin.motion.soles import Soles

FALLBACK = {"clavicle": "chest", "hand": "forearm", "toes": "foot"}
"""The part whose orientation replaces that of a part which the source lacks."""


@dataclass(frozen=True, eq=False)
class Ideal:
    """Placements of the main segment of each part, in each frame."""

    calibration: Calibration
    turns: Mapping[str, Rotations]
    """(frames, 3, 3) rotations of the main segments."""
    origins: Mapping[str, Points]
    """(frames, 3) positions of the main segments."""

    def __len__(self) -> int:
        return len(self.origins["pelvis"])

    def at(self, part: str, point: Vector) -> Points:
        """(frames, 3) a point that is fixed on a part."""
        return np.asarray(self.origins[part] + rotations.each_times(self.turns[part], point))

    def hips(self) -> Points:
        """(frames, 3) the point midway between the hip joints."""
        return self.at("pelvis", self.calibration.hips)

    def center(self, part: str) -> Points:
        """(frames, 3) the joint at which a part begins."""
        link = self.calibration.links[part]
        return self.at(link.parent, link.at_parent)

    def moved(self, way: Points) -> Ideal:
        """The same, displaced by (frames, 3) or (3,)."""
        return Ideal(self.calibration, self.turns, {part: at + way for part, at in self.origins.items()})

    def held(self) -> Ideal:
        """The same relative to the pelvis, with the pelvis where it is in the rest pose of the figure."""
        own = self.calibration
        fixed = own.figure.placements(own.figure.rest, [own.bones.main("pelvis")])[0]
        turn = own.world.T @ fixed[:3, :3] @ np.swapaxes(self.turns["pelvis"], 1, 2)  # (frames, 3, 3)
        start, at = self.origins["pelvis"], fixed[:3, 3] @ own.world
        origins = {part: np.einsum("fij,fj->fi", turn, x - start) + at for part, x in self.origins.items()}
        return Ideal(own, {part: turn @ R for part, R in self.turns.items()}, origins)


def ideal_placements(watched: Observed, target: Calibration, hips: Points) -> Ideal:
    """The placements of the parts of the target.

    Args:
        watched: the source.
        target: the figure that gets the motion.
        hips: (frames, 3) where the hips of the target are.
    """
    canonical = target_turns(watched, target)
    turns = {part: rotations.each_times(C, target.axes[part].T) for part, C in canonical.items()}
    origins = {"pelvis": hips - turns["pelvis"] @ target.hips}
    for part, link in target.links.items():
        center = origins[link.parent] + rotations.each_times(turns[link.parent], link.at_parent)
        origins[part] = center - rotations.each_times(turns[part], link.at_own)
    return Ideal(target, turns, origins)


def target_turns(watched: Observed, target: Calibration) -> dict[str, Rotations]:
    """(frames, 3, 3) the canonical orientation of each part of the target.

    The stages of spine and neck are spread evenly over those of the source. A part that the source lacks follows the
    part next to it.
    """
    given = watched.turns
    spine = _chain(given, ["pelvis"], "spine")
    chest = spine[-1]
    neck = [chest, *_chain(given, [], "neck"), *([given["head"]] if "head" in given else [])]
    parts = list(target.axes)
    stages = [part for part in parts if part.startswith("spine")]
    upper = [part for part in parts if part.startswith("neck")] + [part for part in parts if part == "head"]
    out = dict(zip(stages, _along(spine, len(stages)), strict=True))
    out |= dict(zip(upper, _along(neck, len(upper)), strict=True))
    for part in parts:
        if part in out:
            continue
        side, _, limb = part.partition(" ")
        other = FALLBACK.get(limb, "")
        out[part] = given[part] if part in given else chest if other == "chest" else given[f"{side} {other}"]
    return {part: out[part] for part in parts}


def sole_depth(calibration: Calibration, soles: Soles) -> float:
    """The height of the ankles above the soles of level feet, the mean of both sides."""
    depths = []
    for k in soles.under_feet:
        foot = soles.parts[k]
        local = calibration.axes[foot].T @ (soles.points[k] - calibration.links[foot].at_own)
        depths.append(-float(local[1]))
    return float(np.mean(depths))


def _chain(given: Mapping[str, Rotations], first: list[str], name: str) -> list[Rotations]:
    """The orientations of some parts, then of the numbered stages of spine or neck."""
    return [given[part] for part in [*first, *(part for part in given if part.startswith(name))]]


def _along(chain: list[Rotations], count: int) -> list[Rotations]:
    """(frames, 3, 3) orientations at 1/count, 2/count … 1 of the way from the first of a chain to the last."""
    places = [(k + 1) / count * (len(chain) - 1) for k in range(count)]
    if all(abs(place - round(place)) < 1e-9 for place in places):
        return [chain[round(place)] for place in places]
    q = rotations.from_matrix(np.stack(chain))
    below = [min(int(place + 1e-9), len(chain) - 1) for place in places]
    rest = [max(place - k, 0.0) for place, k in zip(places, below, strict=True)]
    apart = [i for i, share in enumerate(rest) if share >= 1e-9]
    first = np.array([below[i] for i in apart])
    shares = np.broadcast_to(np.array([rest[i] for i in apart])[:, None], (len(apart), len(chain[0])))
    out = [chain[k] for k in below]
    for i, turns in zip(apart, rotations.to_matrix(rotations.slerp(q[first], q[first + 1], shares)), strict=True):
        out[i] = turns
    return out
