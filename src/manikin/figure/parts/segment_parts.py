"""The part of every segment: by the bone map, and by names for fingers, eyes, twists and ends, which no map has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.errors import BadValue
from manikin.figure.parts.bone_names import LIMBS, STILL, TWIST, Part
from manikin.figure.parts.find import bone_map
from manikin.figure.parts.skeleton import skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure
    from manikin.figure.parts.bone_map import BoneMap


def segment_parts(figure: Figure, bones: BoneMap | None = None) -> list[Part | None]:
    """The part of each segment of a character; None if it is not known.

    The first segment of each part of the map has this part, whatever its name. Names identify the others. A fixed
    segment that has the name of a part, but does not belong to it, carries a mesh.

    Without a map, names decide alone. They also decide alone in robots, because each hinge of a robot is one axis of a
    part, not the whole part.

    Args:
        figure: the figure.
        bones: its map; None means `bone_map(figure)`.
    """
    skeleton = skeleton_of(figure)
    out = list(skeleton.named)
    if skeleton.hinged:
        return out
    try:
        bones = bone_map(figure) if bones is None else bones
    except BadValue:
        return out
    there = {Part.of(name) for name in bones}
    for i, (part, moves) in enumerate(zip(out, skeleton.moves, strict=True)):
        if not moves and part in there and bones.part_of(figure.segment_names[i]) is None:
            out[i] = Part(STILL, part.side)
    for name, segments in bones.items():
        part = Part.of(name)
        first, *further = (figure.segment_index(segment) for segment in segments)
        out[first] = part
        for i in further:
            out[i] = out[i] or (Part(f"{part.name} {TWIST}", part.side) if part.name in LIMBS else part)
    return out
