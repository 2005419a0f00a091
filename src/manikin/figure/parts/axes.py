"""The anatomical axes of a body: x left, y up, z forward in the neutral stance.

The **neutral stance** is upright, with hanging arms and the palms to the thighs. Rigs seldom rest in it. The arms may
be stretched to the sides (T), lowered half-way (A) or hang, and the local axes of segments may be any. The positions of
the joints in a standing pose determine the axes:

- **Pelvis, spine, neck, head, clavicle, eye**: the axes of the body (`body_axes`).
- **Thigh and upper arm**: −y points to the next joint. The axes of the body are turned by the shortest rotation. Then
  they are twisted about −y so that knee and elbow bend in the right direction, if this direction is known: from a clip,
  from the axis of a hinge, or from a bend of at least 15° in the pose.
- **Shank, forearm, hand, fingers**: −y points to the next joint. The axes of the part above are turned by the shortest
  rotation. The axes of a hand are then twisted so that the index finger, or the thumb, is at the front.
- **Foot and toes**: see `Rules.feet`.
- Further pieces of a part, and segments whose part is unknown, have the axes of the part above.

The shortest rotation has no twist about the part itself. So a stretched arm is assumed to rest with its palm down and
with an elbow that bends forward.

The axes have two uses. `segment_axes` finds the axes of all segments, from which ranges of motion are measured.
`part_axes` finds those of the parts of a bone map, by which the postures of two figures are compared. Where the uses
need different rules, these are named and explained in `Rules`, `RANGES` and `POSTURES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from manikin import rotations
from manikin.arrays import Quaternions, Rotations, Vector
from manikin.figure.parts.bone_names import STILL, TWIST, Part
from manikin.figure.parts.skeleton import direction

DOWN = np.array([0.0, -1.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])
ELBOW_TURN = 15.0
"""Assumed rotation of the elbow about a straight arm at rest, in degrees (chosen). A straight arm does not show it. Of
the known naming families, some bend straight forward from hanging arms (Rokoko), some up to 40° outward (CMU 30°); this
is between."""
BENDS = {
    "upper arm": (np.sin(np.deg2rad(ELBOW_TURN)), 0.0, np.cos(np.deg2rad(ELBOW_TURN))),
    "thigh": (0.0, 0.0, -1.0),
}
"""The direction in which the part after a limb bends, in the axes of the limb, for the left side."""
LEAST_BEND = np.deg2rad(15.0)
"""An elbow or knee that is bent by more than this angle (radians) shows its direction. A smaller bend may come from how
the rig was drawn."""
TOPS = ("head", "neck", "upper arm", "clavicle")
"""Up is from the hips to the first of these parts that exists. In the rest poses of 61 CMU subjects the median lean of
the line to the head is 6°, that of the line to the shoulders 9°."""


@dataclass(frozen=True)
class Rules:
    """How a pose is read, where the two uses of the axes differ."""

    upright: float
    """A trunk that leans from a world axis by less than this angle (radians) is parallel to it. The line from hips to
    head is not exactly vertical in an upright person."""
    pairs: tuple[str, ...]
    """The parts whose left and right joints show where left is."""
    feet: Literal["shank", "level"]
    """ "shank": foot and toes have the axes of the shank. "level": z points from the ankle to the toes and is level."""
    straight: Mapping[str, float] = field(default_factory=dict)
    """Joints that are bent by less than this angle (radians) count as straight. Hinges do not, because the zero of a
    hinge has an anatomical meaning."""


RANGES = Rules(
    upright=np.deg2rad(12.0),
    pairs=("thigh", "upper arm", "shank", "clavicle"),
    feet="shank",
)
"""For limits and natural starts. They measure the angle of a joint from the neutral stance.

- They read a rest pose, which is drawn upright, so 12° are sufficient. The net of natural starts was trained with this
  angle: one of the 61 training subjects leans by 13°.
- A rest pose is symmetric, so knees and clavicles help to find left.
- The angle of an ankle is measured from the shank, and rigs differ too much in how they draw a foot to use its
  direction.
- Bent joints are bent: the range of an elbow begins at a straight arm, not at the rest pose.
- The axes of hinges are not used, because the joints that get limits have three axes in nearly all rigs.
"""
POSTURES = Rules(
    upright=np.deg2rad(20.0),
    pairs=("thigh", "upper arm"),
    feet="level",
    straight={"forearm": np.deg2rad(25.0), "hand": np.deg2rad(30.0)},
)
"""For retargeting, keypoints and markers. They compare how parts of two figures are oriented in the world.

- They may read a frame of a clip. A recorded person leans more than a drawn one, and one knee may be before the other.
- A foot that is flat on the floor of one figure must be flat on that of the other.
- Rigs draw a relaxed arm and mean a straight one, so a small bend at rest is not part of the posture.
"""


class Drawing:
    """A body in a standing pose, from which the axes are determined. Its bones are segments, or parts of a bone map."""

    parts: Sequence[Part | None]
    """The part of each bone, parents first; None if it is not known."""
    parents: Sequence[int]
    """The parent of each bone, −1 for the root."""
    hinges: Set[int] = frozenset()
    """The bones whose joints are hinges."""

    def along(self, bone: int) -> Vector | None:
        """(3,) the direction of a bone in the world; None if it is not known."""
        raise NotImplementedError

    def following(self, bone: int) -> int | None:
        """The next bone of a limb: the forearm of an upper arm, the shank of a thigh; None if there is none."""
        raise NotImplementedError

    def bend(self, bone: int) -> Vector | None:
        """(3,) the direction in which the bone after this one bends, in the world, if it is known from something else
        than the pose; None otherwise."""

    def across(self, hand: int) -> Vector | None:
        """(3,) the direction from the middle of a hand to the side of the index finger, or of the thumb; None if it is
        not known."""
        raise NotImplementedError

    def level_foot(self, foot: int) -> Quaternions:
        """(4,) the axes of a foot by `Rules.feet` "level"."""
        raise NotImplementedError


def body_axes(at: Mapping[str, Vector], rules: Rules) -> Rotations | None:
    """(3, 3) columns: left, up and forward of a body, in the world.

    Up is from the hips to the head, or the nearest world axis. Left is from the joints of the right side to those of
    the left.

    Args:
        at: the position of the first joint of each part: "left thigh", "head".
        rules: how the pose is read.

    Returns:
        None if the positions do not show up and left.
    """
    sides = [at[f"left {n}"] - at[f"right {n}"] for n in rules.pairs if f"left {n}" in at and f"right {n}" in at]
    low, high = middle(at, ("thigh", "pelvis")), middle(at, TOPS)
    if not sides or low is None or high is None:
        return None
    left, up = np.sum(sides, axis=0), high - low
    scale = max(float(np.linalg.norm(up)), float(np.linalg.norm(left)))
    y = direction(up, scale)
    if y is None:
        return None
    y = snapped(y, rules.upright)
    x = direction(left - y * (left @ y), scale)
    return None if x is None else np.stack([x, y, rotations.cross(x, y)], axis=1)


def middle(at: Mapping[str, Vector], names: Sequence[str]) -> Vector | None:
    """(3,) the mean position of both sides of the first of some parts that exists; None if none does."""
    for name in names:
        found = [at[part] for part in (f"left {name}", f"right {name}", name) if part in at]
        if found:
            return np.asarray(np.mean(found, axis=0))
    return None


def snapped(along: Vector, within: float) -> Vector:
    """The nearest world axis if the angle to it is less than `within` (radians); otherwise the direction itself."""
    axis = int(np.argmax(np.abs(along)))
    return np.asarray(np.eye(3)[axis] * np.sign(along[axis]) if abs(along[axis]) > np.cos(within) else along)


def axes_of(drawing: Drawing, body: Quaternions, rules: Rules) -> list[Quaternions]:
    """(4,) for each bone: the rotation to the world from its axes. `body` is that of the body."""
    out: list[Quaternions] = []
    for bone, part in enumerate(drawing.parts):
        parent = drawing.parents[bone]
        above = body if parent < 0 else out[parent]
        if part is None:
            out.append(above)
        elif not part.side or part.name in ("clavicle", "eye"):
            out.append(body)
        elif part.name == STILL or part.name.endswith(TWIST):
            out.append(above)
        elif part.name in ("foot", "toes"):
            level = rules.feet == "level" and part.name == "foot"
            out.append(drawing.level_foot(bone) if level else above)
        else:
            out.append(_limb(drawing, bone, part, body if part.name in BENDS else above, rules))
    return out


def _limb(drawing: Drawing, bone: int, part: Part, start: Quaternions, rules: Rules) -> Quaternions:
    """The axes of a bone of a limb. `start` are those of its parent, or of the body if the limb begins here."""
    along = drawing.along(bone)
    if along is None:
        return start
    before = rotations.rotate(start, DOWN)
    axes = rotations.multiply(rotations.between(before, along), start)
    if part.name in rules.straight and bone not in drawing.hinges:
        angle = np.arccos(np.clip(before @ along, -1.0, 1.0))
        if angle < rules.straight[part.name]:
            axes, along = start, before
    if part.name == "hand":
        across = drawing.across(bone)
        return axes if across is None else _twisted(axes, along, FORWARD, across)
    bend = _bend(drawing, bone, along) if part.name in BENDS else None
    if bend is None:
        return axes
    x, y, z = BENDS[part.name]
    return _twisted(axes, along, np.array([-x if part.side == "right" else x, y, z]), bend)


def _bend(drawing: Drawing, bone: int, along: Vector) -> Vector | None:
    """(3,) the direction in which the bone after this one bends, in the world; None if it is not known."""
    known = drawing.bend(bone)
    if known is not None:
        return known
    after = drawing.following(bone)
    own = None if after is None else drawing.along(after)
    if own is None or not np.sin(LEAST_BEND) < np.linalg.norm(rotations.cross(along, own)):
        return None
    return own


def _twisted(axes: Quaternions, along: Vector, local: Vector, wanted: Vector) -> Quaternions:
    """Axes twisted about a direction so that `local`, which is perpendicular to it, points as nearly as possible to
    `wanted`."""
    target = direction(wanted - along * (wanted @ along), float(np.linalg.norm(wanted)))
    if target is None:
        return axes
    now = rotations.rotate(axes, local)
    angle = np.arctan2(rotations.cross(now, target) @ along, now @ target)
    return rotations.multiply(rotations.from_axis_angle(along, angle), axes)
