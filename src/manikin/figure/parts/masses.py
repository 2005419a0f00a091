"""Masses of a person for a figure that has none: `Figure.with_masses`.

The mass of each part is a fixed percentage of the mass of the body [deLeva1996, table 4, men; see
`figure.human.anthropometry`], and so is the position of its centre of mass between its ends. The ends are joint centres
of the rest pose:

- upper arm, forearm, thigh, shank: from their joint to the next one.
- hand: beyond the wrist, toward the fingers. Its length is a multiple of the forearm's, from the same table.
- foot: half-way between the ankle and the mean of its children. This is our choice, because the table measures from
  heel to toe, and few rigs have a heel.
- trunk: the lower, middle and upper thirds of the table fill the distance from the hips to the shoulders. Each stage of
  the spine gets the mass between its joint and the next.
- head and neck together: beyond the lowest joint of the neck.

If the figure lacks a part, the part before it gets its mass.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure.human.anthropometry import HEAD_LENGTH, INERTIA, STATURE, TRUNK_LENGTHS
from manikin.figure.parts.bone_map import BoneMap
from manikin.figure.parts.skeleton import skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

HAND_LENGTH = 86.2 / 268.9
"""[deLeva1996] wrist to third knuckle over elbow to wrist, men, millimetres in both."""
LEG_OF_STATURE = STATURE["hip"] - STATURE["ankle"]
"""[DrillisContini1966] hip to ankle over the stature."""
PIECES = 16
"""Each third of the trunk is spread evenly over this many points around its centre of mass."""


def with_masses(figure: Figure, mass: float, bones: BoneMap) -> Figure:
    """See `Figure.with_masses`."""
    total = arrays.positive(mass, "mass")
    if bones.figure != figure:
        raise BadValue(f"the map belongs to figure {bones.figure.name!r}; figure {figure.name!r} needs a separate map")
    if bones.four_legged:
        raise BadValue(f"figure {figure.name!r} stands on four legs; the masses are those of a person")
    weights = _Weights(figure, bones)
    weights.trunk()
    weights.head()
    for side in ("left", "right"):
        weights.arm(side)
        weights.leg(side)
    segments = []
    for i, segment in enumerate(figure.segments):
        share, center = weights.of(i)
        segments.append(segment.replaced(mass=total * share, center=center, inertia=()))
    return figure.replaced(segments=segments)


class _Weights:
    """Points with mass, each fixed to a segment."""

    def __init__(self, figure: Figure, bones: BoneMap) -> None:
        self.bones = bones
        self.skeleton = skeleton_of(figure)
        self.world = figure.placements(figure.rest)
        self.points: list[list[tuple[float, Vector]]] = [[] for _ in figure.segments]
        self.index = figure.segment_index
        self.hips = (self.center("left thigh") + self.center("right thigh")) / 2
        self.shoulders = (self.center("left upper arm") + self.center("right upper arm")) / 2

    def of(self, i: int) -> tuple[float, Vector]:
        """The share of the mass that a segment carries, and its centre in the segment's space."""
        share = sum(m for m, _ in self.points[i])
        if share == 0.0:
            return 0.0, np.zeros(3)
        mean = sum((m * p for m, p in self.points[i]), np.zeros(3)) / share
        return share, self.world[i, :3, :3].T @ (mean - self.world[i, :3, 3])

    def center(self, part: str) -> Vector:
        """(3,) the position of the joint where a part begins."""
        return self.skeleton.center([self.index(name) for name in self.bones[part]])

    def add(self, segment: str, percent: float, point: Vector) -> None:
        self.points[self.index(segment)].append((percent / 100.0, point))

    # The parts

    def trunk(self) -> None:
        """Adds the lower, middle and upper trunk, divided at the joints of the spine."""
        carriers, cuts = self._stages()
        axis = self.shoulders - self.hips
        bottom = 0.0
        for name, length in zip(("lower trunk", "middle trunk", "upper trunk"), TRUNK_LENGTHS, strict=True):
            part, height = INERTIA[name], length / sum(TRUNK_LENGTHS)
            middle = 1.0 - part.center  # the table measures downward
            half = min(part.center, middle)
            for k in range(PIECES):
                at = bottom + height * (middle + half * ((2 * k + 1) / PIECES - 1.0))
                carrier = carriers[int(np.searchsorted(cuts, at))]
                self.add(carrier, part.mass / PIECES, self.hips + at * axis)
            bottom += height

    def _stages(self) -> tuple[list[str], list[float]]:
        """Pelvis and stages of the spine, and the heights of the joints between them, over the height of the trunk."""
        parts = [p for p in self.bones if p == "pelvis" or p.startswith("spine")]
        axis = self.shoulders - self.hips
        square = float(axis @ axis) or 1.0
        cuts: list[float] = []
        for lower, upper in itertools.pairwise(parts):
            above = self.skeleton.ancestors(self.index(self.bones.first(lower)))
            joint = lower if self.index(self.bones.main(upper)) in above else upper  # rooted at the chest, or below
            height = float((self.center(joint) - self.hips) @ axis) / square
            cuts.append(max([height, *cuts[-1:]]))
        carriers = [self.bones.main(p) for p in parts]
        return (carriers, cuts) if carriers else ([self.bones.figure.segment_names[0]], [])

    def head(self) -> None:
        """Adds head and neck, half their length beyond the lowest joint of the neck."""
        base = next((self.center(p) for p in ("neck 1",) if p in self.bones), self.shoulders)
        top = self.center("head") if "head" in self.bones else base
        way = top - base
        leg = self._length("left thigh", "left shank") + self._length("left shank", "left foot")
        if np.linalg.norm(way) < 1e-3 * leg:
            way = self.shoulders - self.hips
        way = way / (float(np.linalg.norm(way)) or 1.0)
        part = INERTIA["head"]
        carrier = self.bones.head or self._stages()[0][-1]
        self.add(carrier, part.mass, base + (1.0 - part.center) * HEAD_LENGTH * leg / LEG_OF_STATURE * way)

    def arm(self, side: str) -> None:
        forearm = f"{side} forearm"
        self._bone(f"{side} upper arm", self.center(forearm), "upper arm")
        elbow, wrist = self.center(forearm), self._end(forearm, f"{side} hand")
        self._bone(forearm, wrist, "forearm")
        carrier = f"{side} hand" if f"{side} hand" in self.bones else forearm
        way = self._hanging(carrier) - wrist if carrier != forearm else wrist - elbow
        length = float(np.linalg.norm(wrist - elbow))
        if np.linalg.norm(way) < 1e-3 * length:
            way = wrist - elbow
        way = way / (float(np.linalg.norm(way)) or 1.0)
        part = INERTIA["hand"]
        self.add(self.bones.main(carrier), part.mass, wrist + part.center * HAND_LENGTH * length * way)

    def leg(self, side: str) -> None:
        foot = f"{side} foot"
        self._bone(f"{side} thigh", self.center(f"{side} shank"), "thigh")
        self._bone(f"{side} shank", self.center(foot), "shank")
        self.add(self.bones.main(foot), INERTIA["foot"].mass, (self.center(foot) + self._hanging(foot)) / 2)

    # Inside

    def _bone(self, part: str, end: Vector, name: str) -> None:
        """Adds a straight part. Its mass goes to the last of its segments that begins before its centre of mass."""
        start, inertia = self.center(part), INERTIA[name]
        point = start + inertia.center * (end - start)
        reach = float((point - start) @ (end - start))
        segments = [n for n in self.bones[part] if (self._at(n) - start) @ (end - start) <= reach]
        self.add(segments[-1] if segments else self.bones.first(part), inertia.mass, point)

    def _end(self, part: str, following: str) -> Vector:
        """The end of a part: the beginning of the next part, or else its tip."""
        if following in self.bones:
            return self.center(following)
        tip = self.skeleton.longest(self.index(self.bones.main(part)))[-1]
        return np.array(self.skeleton.at[tip])

    def _hanging(self, part: str) -> Vector:
        """The mean position of the children of a part; its own position if it has none."""
        main = self.index(self.bones.main(part))
        below = self.skeleton.below(main)[1:]
        return np.array(self.skeleton.at[below].mean(axis=0) if below else self.center(part))

    def _at(self, segment: str) -> Vector:
        return np.array(self.skeleton.at[self.index(segment)])

    def _length(self, part: str, following: str) -> float:
        return float(np.linalg.norm(self.center(following) - self.center(part)))
