"""Finds segments that have a body but no shape, so that nothing can be kept clear of them."""

from __future__ import annotations

from manikin.figure.figure import Figure


def shapeless(figure: Figure) -> list[str]:
    """Names of the segments that have a body and no shape, in the order of the figure.

    A segment has a body if it has mass, or if its file gives it a solid that has no shape here, such as a mesh that was
    not found (`figure.source["shapeless"]`). Some figures have no mass at all, and their file says nothing about solids
    (a BVH, or a figure made by hand). In these, a segment is a bone with a body if a child is attached at a distance. A
    segment without mass, solid and length is only a frame (a tool point, the tip of a finger, a camera).
    """
    bare = [s for s in figure.segments if not s.shapes]
    told = figure.source.get("shapeless")
    if told is not None or any(s.mass > 0.0 for s in figure.segments):
        return [s.name for s in bare if s.mass > 0.0 or s.name in (told or ())]
    bones = {s.parent for s in figure.segments if any(s.joint.offset)}
    return [s.name for s in bare if s.name in bones]
