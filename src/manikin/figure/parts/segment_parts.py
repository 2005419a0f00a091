"""Finds the part of every segment by its name, including fingers and twists, or else by the bone map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.errors import BadValue
from manikin.figure.parts.bone_names import LIMBS, TWIST, Part, recognised
from manikin.figure.parts.find import bone_map
from manikin.figure.parts.skeleton import skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure
    from manikin.figure.parts.bone_map import BoneMap


def segment_parts(figure: Figure, bones: BoneMap | None = None) -> list[Part | None]:
    """The part of each segment of a character; None if it is not known.

    The map is used only for segments that names do not identify. It is not used for robots, because each hinge of a
    robot is one axis of a part, not the whole part.
    """
    skeleton = skeleton_of(figure)
    said = recognised(figure.segment_names, skeleton.parents, figure.source.get("humanoid"))
    if skeleton.hinged or all(part is not None for part in said):
        return said
    try:
        bones = bone_map(figure) if bones is None else bones
    except BadValue:
        return said
    for name, segments in bones.items():
        part = Part.of(name)
        for k, segment in enumerate(segments):
            i = figure.segment_index(segment)
            if said[i] is None:
                said[i] = Part(f"{part.name} {TWIST}", part.side) if k and part.name in LIMBS else part
    return said
