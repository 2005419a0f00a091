"""The up axis of a BVH file. The format does not define it. It is usually y, but some programs write figures along z.

A figure stands along an axis if its head is above its feet along this axis, both in the rest pose of HIERARCHY and in
the first frame. If a figure has no head or no feet, or if the two poses disagree, y is up.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.figure import Figure
from manikin.files.bvh.figure import to_numbers
from manikin.files.bvh.header import Header

UPRIGHT = 0.9
"""Smallest cosine between the up axis and the direction from the feet to the head in the rest pose."""
FEET = ("foot", "feet", "ankle", "toe")
DIGITS = 40
"""Largest number of characters of a number in the first frame."""


def up_axis(figure: Figure, first: Vector | None) -> str:
    """The up axis of a figure. `first` is the pose of the first frame, or None."""
    names = [name.lower() for name in figure.segment_names]
    head = [i for i, name in enumerate(names) if "head" in name]
    feet = [i for i, name in enumerate(names) if any(word in name for word in FEET)]
    if not head or not feet:
        return "y"
    drawn = _direction(figure, figure.rest, head, feet)
    axis = int(np.argmax(drawn))
    if drawn[axis] < UPRIGHT or (first is not None and np.argmax(_direction(figure, first, head, feet)) != axis):
        return "y"
    return "xyz"[axis]


def first_pose(header: Header, data: bytes) -> Vector | None:
    """(nq,) the pose of the first frame of a file. None if it cannot be read."""
    count = header.channel_count
    if not header.frames or not count:
        return None
    words = data[header.data : header.data + DIGITS * (count + 1)].split()[:count]
    try:
        table = np.array([[float(word) for word in words]])
    except ValueError:
        return None
    if table.shape[1] != count or not (np.abs(table) < 1e6).all():
        return None
    to_numbers(table, header)
    pose: Vector = table[0]
    return pose


def _direction(figure: Figure, pose: Vector, head: list[int], feet: list[int]) -> Vector:
    """(3,) unit vector from the centre of the feet to the centre of the head, or zero if they coincide."""
    points = figure.placements(pose)[:, :3, 3]
    way: Vector = points[head].mean(axis=0) - points[feet].mean(axis=0)
    length = float(np.linalg.norm(way))
    return way / length if length > 0.0 else way
