"""The anatomical axes of every segment of a person, from which limits and natural starts measure angles (`axes`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Quaternions, Rotations, Vector
from manikin.errors import BadValue, listing
from manikin.figure.parts.axes import RANGES, TOPS, Drawing, axes_of, body_axes, middle
from manikin.figure.parts.bone_names import STILL, Part
from manikin.figure.parts.skeleton import Skeleton, direction, skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

NEXT = {
    "thigh": ("shank", "foot"),
    "shank": ("foot", "toes"),
    "upper arm": ("forearm", "hand"),
    "forearm": ("hand", "fingers"),
    "hand": ("middle 1", "index 1", "ring 1", "fingers", "pinky 1"),
}
"""The parts toward which a limb points, nearest first."""
STEEPEST = np.deg2rad(60.0)
"""If a thigh or shank is further than this angle (radians) from straight down, the person does not stand."""


@dataclass(frozen=True, eq=False)
class SegmentAxes:
    """The axes of a person and of all its segments."""

    body: Quaternions
    """(4,) rotation to the world from the axes of the body."""
    local: Quaternions
    """(S, 4) the axes of each segment in its own space."""


def segment_axes(figure: Figure, parts: Sequence[Part | None], world: Placements) -> SegmentAxes:
    """Determines the axes of every segment from one pose.

    Args:
        figure: a person.
        parts: the part of each segment.
        world: (S, 4, 4) placements of all segments in a pose that stands.

    Raises:
        BadValue: the figure does not stand like a person.
    """
    drawn = DrawnSegments(skeleton_of(figure), parts, world)
    body = _body(figure, drawn)
    _check(figure, drawn, body)
    body_turn, turns = rotations.from_matrix(body), rotations.from_matrix(world[:, :3, :3])
    local = rotations.multiply(rotations.inverse(turns), np.stack(axes_of(drawn, body_turn, RANGES)))
    return SegmentAxes(body_turn, local)


class DrawnSegments(Drawing):
    """A figure in a standing pose, segment by segment."""

    def __init__(self, skeleton: Skeleton, parts: Sequence[Part | None], world: Placements) -> None:
        """
        Args:
            skeleton: the tree of the figure.
            parts: the part of each segment.
            world: (S, 4, 4) placements of all segments.
        """
        self.skeleton, self.parts, self.parents = skeleton, parts, skeleton.parents
        self.positions = world[:, :3, 3]
        self.size = float(skeleton.reach[0])
        self.where: dict[Part, list[int]] = {}
        """The segments of each part."""
        for i, part in enumerate(parts):
            if part is not None:
                self.where.setdefault(part, []).append(i)

    def along(self, bone: int) -> Vector | None:
        """Toward the next part of the limb, otherwise toward the only child. The only child of a robot's hand may be a
        sensor, so it is not used."""
        part = self.parts[bone]
        for after in [] if part is None else [Part(name, part.side) for name in NEXT.get(part.name, ())]:
            for other in self.where.get(after, ()):
                if self.skeleton.is_below(other, bone):
                    found = direction(self.positions[other] - self.positions[bone], self.size)
                    if found is not None:
                        return found
        children = self.skeleton.children[bone]
        if len(children) != 1 or (self.skeleton.hinged and part is not None and part.name == "hand"):
            return None
        return direction(self.positions[children[0]] - self.positions[bone], self.size)

    def following(self, bone: int) -> int | None:
        part = self.parts[bone]
        return None if part is None else self.below(NEXT[part.name][0], bone)

    def across(self, hand: int, use_thumb: bool = True) -> Vector | None:
        """From the first joint of the little finger to that of the index finger, or from the wrist to the tip of the
        thumb."""
        index, little, thumb = (self.below(f"{n} 1", hand) for n in ("index", "pinky", "thumb"))
        if index is not None and little is not None:
            return np.asarray(self.positions[index] - self.positions[little])
        if thumb is None or not use_thumb:
            return None
        return np.asarray(self.positions[self._tip(thumb)] - self.positions[hand])

    def below(self, name: str, bone: int) -> int | None:
        """The first segment of a part that is on the same side as a segment, and below it; None if there is none."""
        part = self.parts[bone]
        there = () if part is None else self.where.get(Part(name, part.side), ())
        return next((i for i in there if self.skeleton.is_below(i, bone)), None)

    def _tip(self, index: int) -> int:
        """The end of the chain that starts here."""
        while self.skeleton.children[index]:
            index = self.skeleton.children[index][0]
        return index


def _body(figure: Figure, drawn: DrawnSegments) -> Rotations:
    """(3, 3) columns: left, up and forward of the body."""
    at = {str(part): np.asarray(drawn.positions[found[0]]) for part, found in drawn.where.items()}
    found = body_axes(at, RANGES)
    if found is not None:
        return found
    sides = any(f"left {n}" in at and f"right {n}" in at for n in RANGES.pairs)
    if sides and middle(at, ("thigh", "pelvis")) is not None and middle(at, TOPS) is not None:
        raise BadValue(f"figure {figure.name!r}: {_LIES}")
    known = listing([str(p) for p in drawn.where if p.name != STILL]) or "none"
    raise BadValue(
        f"figure {figure.name!r}: limits of a person need two legs or arms, hips, and a head, neck or shoulders, with "
        f"names as in Mixamo, CMU, VRM, Rokoko, Biovision or SMPL; recognised are {known}"
    )


def _check(figure: Figure, drawn: DrawnSegments, body: Rotations) -> None:
    """Checks that the legs point down and that left is left of right.

    The bounds are wide. A pose need not be the best one (`standing.standing_score`), but it must show how joints bend.
    """
    left, up, _ = body.T
    first = {part: found[0] for part, found in drawn.where.items()}
    for part in (Part(name, side) for name in ("thigh", "shank") for side in ("left", "right")):
        along = drawn.along(first[part]) if part in first else None
        if along is not None and -along @ up < np.cos(STEEPEST):
            raise BadValue(f"figure {figure.name!r}: {_LIES}")
    for name in ("thigh", "foot", "upper arm"):
        one, two = (first.get(Part(name, side)) for side in ("left", "right"))
        if one is not None and two is not None and (drawn.positions[one] - drawn.positions[two]) @ left < 0.0:
            raise BadValue(f"figure {figure.name!r}: {_LIES}")


_LIES = (
    "its rest pose is not that of a standing person, so it does not show how the joints bend; pass a standing "
    "pose, as in figure.with_limits('human', pose=motion[0])"
)
