"""The stance of a figure of a person in its rest pose: the axes of its body and of each of its segments.

The **axes of a segment** are x left, y up, z forward of the body in the neutral pose: upright, with hanging arms and
the palms to the thighs. Ranges of motion are measured from this pose. Rigs seldom rest in it. The arms may be stretched
to the sides (T), lowered half-way (A) or hang, and the local axes of segments may be any. The positions of the joints
in the rest pose determine the axes:

- pelvis, spine, neck, head, clavicles, eyes: the axes of the body. Its up is from the hips to the head (or the nearest
  world axis). Its left is from the joints of the right side to those of the left.
- thigh and upper arm: the axes of the body, turned by the shortest rotation from straight down to the direction of the
  limb.
- shank, forearm, hand, fingers, thumb: the axes of the previous segment, turned by the shortest rotation from its
  direction to their own.
- foot and toes: the axes of the shank. Rigs differ too much in how a foot is drawn to use its direction.

The shortest rotation has no twist about the segment itself. So a stretched arm is assumed to rest with its palm down
and with an elbow that bends forward. If an elbow or a knee is bent, the bend gives its direction. If a hand has
fingers, the index finger and the little finger, or the thumb, give the direction of the palm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Quaternions, Rotations, Vector
from manikin.errors import BadValue, listing
from manikin.figure.parts.bone_names import STILL, TWIST, Part

DOWN = np.array([0.0, -1.0, 0.0])
NEXT = {
    "thigh": ("shank", "foot"),
    "shank": ("foot", "toes"),
    "upper arm": ("forearm", "hand"),
    "forearm": ("hand", "fingers"),
    "hand": ("middle 1", "index 1", "ring 1", "fingers", "pinky 1"),
}
"""The parts toward which a limb points, nearest first."""
ELBOW_TURN = 15.0
"""Assumed rotation of the elbow about a straight arm at rest, in degrees (chosen). A straight arm does not show it. Of
the known naming families, some bend straight forward from hanging arms (Rokoko), some up to 40° outward (CMU 30°); this
is between."""
BENDS = {
    "upper arm": ("forearm", (np.sin(np.deg2rad(ELBOW_TURN)), 0.0, np.cos(np.deg2rad(ELBOW_TURN)))),
    "thigh": ("shank", (0.0, 0.0, -1.0)),
}
"""The part after a limb, and the direction in which it bends in the axes of the limb, for the left side."""
LEAST_BEND = np.deg2rad(15.0)
"""An elbow or knee that is bent by more than this angle (radians) shows its direction. A smaller bend may come from how
the rig was drawn."""
UPRIGHT = np.deg2rad(12.0)
"""A body that leans from a world axis by at most this angle (radians) stands along that axis. The line from hips to
head is not exactly vertical in an upright person."""
STEEPEST = np.deg2rad(60.0)
"""If a thigh or shank is further than this angle (radians) from straight down, the person does not stand."""
SHORT = 1e-6
"""Vectors shorter than this fraction of the body's height have no direction."""


class Stance:
    """The axes of a figure of a person in one pose; see the module docstring."""

    def __init__(self, owner: str, parts: Sequence[Part | None], parents: Sequence[int], world: Placements) -> None:
        """
        Args:
            owner: name of the figure in messages.
            parts: body part of each segment.
            parents: index of each segment's parent, −1 for the root.
            world: (S, 4, 4) placements of all segments.

        Raises:
            BadValue: the figure does not stand like a person.
        """
        self.parts, self.parents = parts, parents
        self.at = world[:, :3, 3]
        self.where: dict[Part, list[int]] = {}
        for i, part in enumerate(parts):
            if part is not None:
                self.where.setdefault(part, []).append(i)
        self.body, self.height = self._body(owner)
        """(4,) rotation to the world from the axes of the body."""
        self._check(owner)
        axes = self._axes()
        turn = rotations.from_matrix(world[:, :3, :3])
        self.local = rotations.multiply(rotations.inverse(turn), np.stack(axes))
        """(S, 4) the axes of each segment in its own space."""

    def direction(self, index: int, targets: Sequence[Part]) -> Vector | None:
        """Direction of a segment: to the first of some parts that is below it, otherwise to its only child."""
        for part in targets:
            for other in self.where.get(part, ()):
                if self._is_below(other, index):
                    found = self._unit(self.at[other] - self.at[index])
                    if found is not None:
                        return found
        children = [i for i, p in enumerate(self.parents) if p == index]
        return self._unit(self.at[children[0]] - self.at[index]) if len(children) == 1 else None

    # Inside

    def _body(self, owner: str) -> tuple[Quaternions, float]:
        """Rotation and height of the body, from the positions of its joints."""
        sides = []
        for name in ("thigh", "upper arm", "shank", "clavicle"):
            pair = [self._first(name, side) for side in ("left", "right")]
            if None not in pair:
                sides.append(self.at[pair[0]] - self.at[pair[1]])
        low = self._middle(("thigh", "pelvis"))
        high = self._middle(("head", "neck", "upper arm", "clavicle"))
        if not sides or low is None or high is None:
            known = listing([str(p) for p in self.where if p.name != STILL]) or "none"
            raise BadValue(
                f"{owner}: limits of a person need two legs or arms, hips, and a head, neck or shoulders, with "
                f"names as in Mixamo, CMU, VRM, Rokoko, Biovision or SMPL; recognised are {known}"
            )
        up, left = high - low, np.sum(sides, axis=0)
        height = float(np.linalg.norm(up))
        y = self._unit(up, 1.0)
        if y is not None and np.abs(y).max() > np.cos(UPRIGHT):
            y = np.where(np.abs(y) == np.abs(y).max(), np.sign(y), 0.0)
        x = None if y is None else self._unit(left - y * (left @ y), max(height, float(np.linalg.norm(left))))
        if x is None or y is None:
            raise BadValue(f"{owner}: {_LIES}")
        R: Rotations = np.stack([x, y, np.cross(x, y)], axis=1)
        return rotations.from_matrix(R), height

    def _check(self, owner: str) -> None:
        """Checks that the legs point down and that left is left of right."""
        left, up, _ = rotations.to_matrix(self.body).T
        for name in ("thigh", "shank"):
            for side in ("left", "right"):
                at = self._first(name, side)
                along = None if at is None else self.direction(at, [Part(n, side) for n in NEXT[name]])
                if along is not None and -along @ up < np.cos(STEEPEST):
                    raise BadValue(f"{owner}: {_LIES}")
        for name in ("thigh", "foot", "upper arm"):
            one, two = (self._first(name, side) for side in ("left", "right"))
            if one is not None and two is not None and (self.at[one] - self.at[two]) @ left < 0.0:
                raise BadValue(f"{owner}: {_LIES}")

    def _axes(self) -> list[Quaternions]:
        """(4,) for each segment: the rotation to the world from its axes."""
        out: list[Quaternions] = []
        for i, part in enumerate(self.parts):
            parent = self.parents[i]
            axes = self.body if parent < 0 else out[parent]
            if part is not None and part.side and not part.name.endswith(TWIST) and part.name != STILL:
                axes = self._limb(i, part, axes)
            elif part is not None and not part.side:
                axes = self.body
            out.append(axes)
        return out

    def _limb(self, i: int, part: Part, above: Quaternions) -> Quaternions:
        """The axes of a segment of a limb, given those of its parent."""
        if part.name in ("clavicle", "eye"):
            return self.body
        if part.name in ("foot", "toes"):
            return above
        own = self.direction(i, [Part(n, part.side) for n in NEXT.get(part.name, ())])
        start = self.body if part.name in ("thigh", "upper arm") else above
        if own is None:
            return start
        turned = rotations.multiply(rotations.between(rotations.rotate(start, DOWN), own), start)
        if part.name == "hand":
            return self._with_palm(i, part, turned, own)
        return self._with_bend(i, part, turned, own) if part.name in BENDS else turned

    def _with_bend(self, limb: int, part: Part, axes: Quaternions, along: Vector) -> Quaternions:
        """The axes of an upper arm or thigh, twisted so that the next part, if it is bent, bends in the right
        direction."""
        after, way = BENDS[part.name]
        below = self._below(after, part.side, limb)
        own = None if below is None else self.direction(below, [Part(n, part.side) for n in NEXT[after]])
        if own is None or not np.sin(LEAST_BEND) < np.linalg.norm(np.cross(along, own)):
            return axes
        if part.side == "right":
            way = (-way[0], way[1], way[2])
        return self._twisted(axes, along, np.array(way), own)

    def _with_palm(self, hand: int, part: Part, axes: Quaternions, along: Vector) -> Quaternions:
        """The axes of a hand, twisted so that the side of the thumb, if it is known, is forward."""
        across = None
        index, little, thumb = (self._below(f"{n} 1", part.side, hand) for n in ("index", "pinky", "thumb"))
        if index is not None and little is not None:
            across = self.at[index] - self.at[little]
        elif thumb is not None:
            across = self._tip(thumb) - self.at[hand]
        if across is None:
            return axes
        return self._twisted(axes, along, np.array([0.0, 0.0, 1.0]), across)

    def _twisted(self, axes: Quaternions, along: Vector, local: Vector, wanted: Vector) -> Quaternions:
        """Axes twisted about a direction so that `local`, which is perpendicular to it, points as nearly as possible to
        `wanted`."""
        target = self._unit(wanted - along * (wanted @ along))
        if target is None:
            return axes
        now = rotations.rotate(axes, local)
        angle = np.arctan2(np.cross(now, target) @ along, now @ target)
        return rotations.multiply(rotations.from_axis_angle(along, angle), axes)

    def _tip(self, index: int) -> Vector:
        """The end of the chain that starts here."""
        for i in range(index + 1, len(self.parents)):
            if self.parents[i] == index:
                index = i
        return np.asarray(self.at[index])

    def _first(self, name: str, side: str) -> int | None:
        found = self.where.get(Part(name, side), [])
        return found[0] if found else None

    def _below(self, name: str, side: str, index: int) -> int | None:
        return next((i for i in self.where.get(Part(name, side), ()) if self._is_below(i, index)), None)

    def _middle(self, names: Sequence[str]) -> Vector | None:
        """The mean position of the first of some parts that exist."""
        for name in names:
            found = [i for side in ("left", "right", "") if (i := self._first(name, side)) is not None]
            if found:
                return np.asarray(self.at[found].mean(axis=0))
        return None

    def _is_below(self, index: int, above: int) -> bool:
        at = self.parents[index]
        while at >= 0 and at != above:
            at = self.parents[at]
        return at == above

    def _unit(self, vector: Vector, scale: float | None = None) -> Vector | None:
        length = float(np.linalg.norm(vector))
        least = SHORT * (self.height if scale is None else scale)
        return vector / length if length > max(least, 1e-300) else None


_LIES = (
    "its rest pose is not that of a standing person, so it does not show how the joints bend; pass a standing "
    "pose, as in figure.with_limits('human', pose=motion[0])"
)
