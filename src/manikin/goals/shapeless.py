"""Which segments of a figure have a body, but no shape that could be kept clear of anything."""

from __future__ import annotations

from manikin.figure.figure import Figure


def shapeless(figure: Figure) -> list[str]:
    """Names of the segments that have a body and no shape, in the order of the figure.

    A segment has a body where it has mass, or where the file it was read from gives it a solid that has no shape here,
    such as a mesh that was not found (`figure.source["shapeless"]`). In a figure that has no mass at all and whose file
    says nothing of solids (a BVH, or one made by hand), a segment has a body where another one hangs on it at a
    distance: it is a bone. What has neither mass nor solid nor length is a mere place (a tool point, the tip of a
    finger, a camera's frame).
    """
    bare = [s for s in figure.segments if not s.shapes]
    told = figure.source.get("shapeless")
    if told is not None or any(s.mass > 0.0 for s in figure.segments):
        return [s.name for s in bare if s.mass > 0.0 or s.name in (told or ())]
    bones = {s.parent for s in figure.segments if any(s.joint.offset)}
    return [s.name for s in bare if s.name in bones]
