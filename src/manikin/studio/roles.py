"""The roles of segments in a drag: feet that stand, the trunk, limbs. They come from the bone map of the figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Vector
from manikin.errors import ManikinError
from manikin.figure.figure import Figure
from manikin.figure.parts.bone_map import BoneMap
from manikin.figure.parts.find import bone_map

TRUNK = ("pelvis", "spine", "neck", "head")
"""First words of the parts that make up the trunk."""
ON_FOUR_LEGS = {"hand": "front foot", "forearm": "front shank", "upper arm": "front thigh"}
"""What people call the arms of an animal."""
SOFT, LIMBS, STIFF = 0.1, 10.0, 100.0
"""Stiffness in a drag: of the limb that is pulled, of the other limbs, and of the trunk with the root. A hand that is
pulled to the side then leans the trunk by less than a degree (tests/studio/test_drag.py)."""


@dataclass(frozen=True)
class Foot:
    """A foot that can stand."""

    words: str
    """What people call it: "left foot"."""
    sole: str
    """The segment between the ankle and the toes."""
    toes: str | None
    """The segment of the toes; None if the figure has none."""


@dataclass(frozen=True, eq=False)
class Roles:
    """The roles of the segments of one figure."""

    figure: Figure
    bones: BoneMap | None
    """The parts of the body; None if the figure is not recognised as a body."""
    feet: tuple[Foot, ...]
    """The feet, and the forepaws of an animal."""
    trunk: frozenset[str]
    """The segments of the trunk and the head."""

    @classmethod
    def of(cls, figure: Figure) -> Roles:
        """The roles in a figure. A robot arm has none."""
        try:
            bones = bone_map(figure)
        except ManikinError:
            return cls(figure, None, (), frozenset())
        trunk = frozenset(name for part, names in bones.items() if part.split()[0] in TRUNK for name in names)
        feet = []
        for part in ("foot", "hand") if bones.four_legged else ("foot",):
            for words in (f"left {part}", f"right {part}"):
                if words in bones:
                    toes = words.replace("foot", "toes")
                    ends = bones[toes][-1] if toes != words and toes in bones else None
                    feet.append(Foot(_called(bones, words), bones[words][-1], ends))
        return cls(figure, bones, tuple(feet), trunk)

    def words(self, segment: str) -> str:
        """What people call a segment: "right hand". Its own name if the bone map does not know it."""
        if self.bones is None:
            return segment
        for part, names in self.bones.items():
            if segment in names:
                return _called(self.bones, part)
        return segment

    def foot_of(self, segment: str) -> Foot | None:
        """The foot that a segment belongs to."""
        return next((foot for foot in self.feet if segment in (foot.sole, foot.toes)), None)

    def limb(self, segment: str) -> tuple[str, ...]:
        """The segments from a segment up to the trunk. Empty if the segment belongs to the trunk, or without a map."""
        found: list[str] = []
        name: str | None = segment
        while name is not None and name not in self.trunk:
            found.append(name)
            name = self.figure.segment(name).parent
        return tuple(found) if name is not None else ()

    def forward_axis(self, segment: str) -> tuple[float, float, float]:
        """The axis of a segment that aims, in its own space: forward for the head and the trunk, otherwise along the
        bone."""
        figure = self.figure
        place = figure.placements(figure.rest, [segment])[0]
        along: Vector | None = None
        if segment in self.trunk:
            along = self._forward()
        else:
            tips = [s.name for s in figure.segments if s.parent == segment]
            if tips:
                along = figure.placements(figure.rest, tips)[:, :3, 3].mean(axis=0) - place[:3, 3]
        if along is None or np.linalg.norm(along) < 1e-6 * figure.size:
            return (0.0, 0.0, 1.0)
        x, y, z = place[:3, :3].T @ (along / np.linalg.norm(along))
        return (float(x), float(y), float(z))

    def _forward(self) -> Vector | None:
        """The direction in which the body faces at rest: level, and square to the line from right to left."""
        if self.bones is None or self.bones.four_legged:
            return None
        for part in ("thigh", "upper arm", "hand"):
            pair = [f"{side} {part}" for side in ("left", "right")]
            if all(name in self.bones for name in pair):
                left, right = self.figure.placements(self.figure.rest, [self.bones[name][0] for name in pair])[:, :3, 3]
                up = np.eye(3)["xyz".index(self.figure.up)]
                across: Vector = np.cross(left - right, up)
                return across
        return None

    def stiffness(self, segment: str | None) -> dict[str, float]:
        """The stiffness of each joint while a segment is pulled."""
        limb = () if segment is None else self.limb(segment)
        out = {}
        for part in self.figure.segments:
            joint = part.joint
            if joint.nq == 0 or joint.coupling is not None:
                continue
            root = part.parent is None and self.bones is not None
            stiff = STIFF if root or part.name in self.trunk else LIMBS
            out[joint.name] = SOFT if part.name in limb else stiff
        return out


def _called(bones: BoneMap, part: str) -> str:
    """What people call a part of the body: "left hand", or "left front foot" for an animal."""
    side, _, rest = part.partition(" ")
    return f"{side} {ON_FOUR_LEGS[rest]}" if bones.four_legged and rest in ON_FOUR_LEGS else part
