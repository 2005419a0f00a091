"""Which way is up in a BVH file: the format does not say. By custom it is y, but some programs write figures along z.

A figure stands along an axis where its head is above its feet along it, both as drawn in HIERARCHY and in the first
frame. One without a head and feet, or in which the two disagree, is taken to have y up.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.figure import Figure
from manikin.files.bvh.figure import to_numbers
from manikin.files.bvh.header import Header

UPRIGHT = 0.9
"""Least cosine between an axis and the way from the feet to the head, as drawn."""
FEET = ("foot", "feet", "ankle", "toe")
DIGITS = 40
"""Letters of a number at most, for reading the first frame."""


def up_axis(figure: Figure, first: Vector | None) -> str:
    """The up axis of a figure. `first` is the pose of the first frame, None where there is none."""
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
    """(nq,) the pose of the first frame of a file; None where it cannot be read."""
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
    """(3,) from the middle of the feet to the middle of the head, of length 1 (or 0)."""
    points = figure.placements(pose)[:, :3, 3]
    way: Vector = points[head].mean(axis=0) - points[feet].mean(axis=0)
    length = float(np.linalg.norm(way))
    return way / length if length > 0.0 else way
