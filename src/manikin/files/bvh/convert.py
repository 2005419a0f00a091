"""Converts any figure to a BVH tree, with the numbers of every frame.

A BVH joint has no rest rotation: if all angles are zero, its axes are those of the world. The segments of a figure may
be rotated in the rest pose, and C undoes this rotation. So for segment i with parent p, the file gets

    rotation  Cₚ⁻¹ Lᵢ Cᵢ,   position  Cₚ⁻¹ tᵢ,   Cᵢ = (U Gᵢ)⁻¹

where Lᵢ, tᵢ are the rotation and origin of i in its parent's space, Gᵢ is its rotation to the world in the rest pose,
and U is the rotation that puts y up. World positions are then those of the figure (rotated by U), and the skeleton in
HIERARCHY is the rest pose. If no joint has a fixed rotation and y is up, C is the identity instead: such a figure
already is a BVH tree, and its Euler angles are written unchanged.

A joint that rotates gets three rotation channels, because Blender reads no other number of them. A joint that slides
gets three position channels, and a fixed joint gets none. The root gets all six. A fixed segment at the end of a branch
becomes an End Site. Names, lengths and world positions are kept. The format cannot store masses, shapes, limits and
couplings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Poses, Quaternions, Vector
from manikin.figure import Capsule, Euler, Figure, Joint, Segment
from manikin.files.bvh import euler
from manikin.files.bvh.header import Node
from manikin.files.common.up_axis import TO_Y_UP
from manikin.motion.local import local_rotation, local_translation, slides, turns

ORDER = "ZXY"
"""Order of the angles if the figure has none. Most BVH files use this order."""


def convert(figure: Figure, poses: Poses) -> tuple[list[Node], Matrix]:
    """Nodes in file order, and the numbers of their channels (frames, channels), in degrees and lengths."""
    undo = _alignments(figure)
    children = _children(figure)
    nodes: list[Node] = []
    blocks: list[Matrix] = []
    waiting = [(0, -1)]  # (segment, parent node); a stack, so that branches stay together
    while waiting:
        i, parent = waiting.pop()
        segment = figure.segments[i]
        first = figure.index_of(segment.joint.name)
        numbers = poses[:, first : first + segment.joint.nq]
        before = np.array(TO_Y_UP[figure.up]) if parent < 0 else rotations.inverse(undo[segment.parent or ""])
        node, block = _joint_node(segment, numbers, before, undo[segment.name], parent, figure.rest[first:])
        at = len(nodes)
        nodes.append(node)
        blocks.append(block)
        end = _end(figure, segment, children[i], children)
        if end is not None:
            # At most one end site: readers keep one per joint. It is in the segment's own space.
            x, y, z = (float(v) for v in rotations.rotate(rotations.inverse(undo[segment.name]), end))
            nodes.append(Node("", at, (x, y, z), (), True))
        else:
            waiting += [(k, at) for k in reversed(children[i])]
    return nodes, np.concatenate(blocks, axis=1)


def _alignments(figure: Figure) -> dict[str, Quaternions]:
    """C of each segment."""
    if figure.up == "y" and all(s.joint.rotation == rotations.IDENTITY for s in figure.segments):
        return {s.name: np.array(rotations.IDENTITY) for s in figure.segments}
    rest = rotations.from_matrix(figure.placements(figure.rest)[:, :3, :3])
    back = rotations.inverse(rotations.multiply(np.array(TO_Y_UP[figure.up]), rest))
    return dict(zip(figure.segment_names, back, strict=True))


def _joint_node(
    segment: Segment, numbers: Matrix, before: Quaternions, after: Quaternions, parent: int, rest: Vector
) -> tuple[Node, Matrix]:
    joint, root = segment.joint, parent < 0
    own = numbers[:1] if not joint.motions else numbers
    position = rotations.rotate(before, local_translation(joint, own))
    at_rest = rotations.rotate(before, local_translation(joint, rest[None, : joint.nq]))[0]
    channels: list[str] = []
    parts: list[Matrix] = []
    if root or slides(joint):
        channels += [f"{axis}position" for axis in "XYZ"]
        parts.append(position)
    if root or turns(joint):
        order, angles = _angles(joint, own, before, after)
        channels += [f"{axis}rotation" for axis in order]
        parts.append(np.degrees(angles))
    block = np.concatenate(parts, axis=1) if parts else np.zeros((len(own), 0))
    block = np.broadcast_to(block, (len(numbers), block.shape[1]))
    # The root's OFFSET is zero. Programs disagree on whether its position is relative to OFFSET; with zero they agree.
    x, y, z = (0.0, 0.0, 0.0) if root else (float(v) for v in at_rest)
    return Node(clean_name(segment.name), parent, (x, y, z), tuple(channels)), block


def _angles(joint: Joint, numbers: Matrix, before: Quaternions, after: Quaternions) -> tuple[str, Matrix]:
    """The rotation order, and continuous angles (frames, 3) in radians, of before ⊗ L ⊗ after."""
    last = joint.motions[-1] if joint.motions else None
    order = ORDER
    if isinstance(last, Euler) and len(set(last.order)) == len(last.order):
        order = last.order + "".join(a for a in ORDER if a not in last.order)
        if _plain(before) and _plain(after) and joint.rotation == rotations.IDENTITY:
            angles = np.zeros((len(numbers), 3))
            angles[:, : len(last.order)] = numbers[:, -len(last.order) :]
            return order, euler.near_neighbours(order, angles, np.ones(len(angles), dtype=bool))
    q = rotations.multiply(rotations.multiply(before, local_rotation(joint, numbers)), after)
    return order, euler.from_quaternions(order, q)


def _plain(q: Quaternions) -> bool:
    return tuple(q.tolist()) == rotations.IDENTITY


def _children(figure: Figure) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in figure.segments]
    for i, s in enumerate(figure.segments):
        if s.parent is not None:
            children[figure.segment_index(s.parent)].append(i)
    return children


def _end(figure: Figure, segment: Segment, own: Sequence[int], children: Sequence[Sequence[int]]) -> Points | None:
    """(3,) the end site of a segment in its own space; None if joints follow.

    A single fixed child without children becomes the end site. A segment without children gets the far end of its
    capsule, or its origin.
    """
    if not own:
        ends = [p for c in segment.shapes if isinstance(c, Capsule) for p in (c.start, c.end)]
        return np.array(max(ends, key=lambda p: float(np.linalg.norm(p)), default=(0.0, 0.0, 0.0)))
    child = figure.segments[own[0]]
    if len(own) == 1 and not child.joint.motions and not children[own[0]]:
        return np.array(child.joint.offset)
    return None


def clean_name(name: str) -> str:
    """A name that fits on a line of a BVH file: without braces, line breaks or tabs, and without blanks around it."""
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029{}\ud800-\udfff]", "_", name).strip() or "_"
