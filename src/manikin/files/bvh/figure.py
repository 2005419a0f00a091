"""Converts the tree of a BVH file to a figure, and the order of its channels to the order of the figure's numbers.

A joint becomes sliders and a rotation in the order of the file, so q has the file's numbers (angles in radians). In a
frame, the position is applied before the rotation, whatever the order of the channels. Position channels replace OFFSET
on their axes, as in Blender and bvhio. In the rest pose they equal OFFSET, so the rest pose is the skeleton in
HIERARCHY. The solver holds them, except those of the root (see `hold`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Poses
from manikin.figure import Euler, Figure, Hinge, Joint, Segment, Slider
from manikin.figure.joint import Motion as JointMotion
from manikin.files.bvh.header import Header, Node
from manikin.files.common.hold import hold

BLOCK = 4096
"""Number of frames reordered at once."""
ROOTS = "Roots"
"""Name of the fixed segment that is the parent of several roots."""


def build_figure(header: Header, name: str, notes: tuple[str, ...] = ()) -> Figure:
    """The figure of a file. BVH has no unit (`unit` is None) and no up axis: y is assumed (but see `standing`)."""
    return Figure(
        name, build_segments(header), unit=None, up="y", source={"format": "bvh", "bvh": header, "notes": notes}
    )


def build_segments(header: Header) -> list[Segment]:
    """One segment for each joint and end site, in file order."""
    names = unique_names(header)
    roots = [n for n in header.nodes if n.parent < 0]
    top = None
    segments: list[Segment] = []
    if len(roots) > 1:
        top = _free_name(ROOTS, set(names))
        segments.append(Segment(top))
    for name, node in zip(names, header.nodes, strict=True):
        parent = top if node.parent < 0 else names[node.parent]
        segments.append(Segment(name, parent, _joint(node, name)))
    return hold(segments)


def unique_names(header: Header) -> list[str]:
    """The names of the segments: those of the file, with a number if repeated, and `Head_end` for an end site."""
    given = {n.name for n in header.nodes if n.name}
    used: set[str] = set()
    last: dict[str, int] = {}
    names: list[str] = []
    for node in header.nodes:
        wanted = node.name or f"{names[node.parent]}_end"
        name = wanted
        if name in used or (not node.name and name in given):
            k = last.get(wanted, 1)
            while name in used or name in given:
                k += 1
                name = f"{wanted}.{k}"
            last[wanted] = k
        used.add(name)
        names.append(name)
    return names


def repeated_names(header: Header) -> list[str]:
    """Names that several joints of a file share."""
    seen: set[str] = set()
    twice: set[str] = set()
    for node in header.nodes:
        (twice if node.name in seen else seen).add(node.name)
    return sorted(twice - {""})


def columns(header: Header) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The column in a frame of the file for each number of q, and which numbers are angles. Both (nq,)."""
    order: list[int] = []
    angular: list[bool] = []
    first = 0
    for node in header.nodes:
        turning = [c.endswith("rotation") for c in node.channels]
        for wanted in (False, True):
            order += [first + k for k, turn in enumerate(turning) if turn is wanted]
        angular += sorted(turning)
        first += len(turning)
    return np.array(order, dtype=np.intp), np.array(angular, dtype=bool)


def to_numbers(table: Matrix, header: Header) -> None:
    """Converts frames of the file (frames, nq) to poses, in place: in the order of q, angles in radians."""
    order, angular = columns(header)
    if not (order == np.arange(len(order))).all():  # almost all files already have the order of q
        for start in range(0, len(table), BLOCK):
            table[start : start + BLOCK] = table[start : start + BLOCK, order]
    table *= np.where(angular, np.pi / 180.0, 1.0)


def to_columns(poses: Poses, header: Header) -> Matrix:
    """Converts poses (frames, nq) to frames of the file: in its order, angles in degrees."""
    order, angular = columns(header)
    table = np.empty(poses.shape)
    table[:, order] = np.where(angular, np.degrees(poses), poses)
    return table


def rotation_order(node: Node) -> str:
    """The letters of the rotation channels, such as ZXY."""
    return "".join(c[0] for c in node.channels if c.endswith("rotation"))


def _joint(node: Node, name: str) -> Joint:
    positions = ["XYZ".index(c[0]) for c in node.channels if c.endswith("position")]
    turning = rotation_order(node)
    motions: list[JointMotion] = [Slider(axis=tuple(np.eye(3)[k])) for k in positions]
    if len(turning) == 1:
        motions.append(Hinge(axis=rotations.AXES[turning.lower()]))
    elif turning:
        motions.append(Euler(turning))
    offset = tuple(0.0 if k in positions else x for k, x in enumerate(node.offset))
    rest = (*(node.offset[k] for k in positions), *[0.0] * len(turning)) if positions else ()
    return Joint(name, tuple(motions), offset=offset, rest=rest)


def _free_name(wanted: str, used: set[str]) -> str:
    name, k = wanted, 1
    while name in used:
        k += 1
        name = f"{wanted}.{k}"
    return name
