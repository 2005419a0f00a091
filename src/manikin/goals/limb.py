"""Limbs: finds the start and end of the limb of a bend, if the caller does not name them."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Points, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Hinge
from manikin.figure.segment import Segment

SAME_PLACE = 1e-9
"""Origins nearer than this fraction of `figure.size` in the rest pose are at the same place."""
STRAIGHT = 1e-6
"""Two directions are equal if the sine of the angle between them is at most this."""


def limb_root(figure: Figure, segment: str, label: str) -> str:
    """The segment where a limb starts. The limb bends at the origin of `segment`.

    This is the first ancestor whose origin is not at the bend in the rest pose. The search continues upward if that
    segment only twists about the line from its origin to the bend and its parent lies on the same line.

    Example:
        >>> from manikin import human
        >>> limb_root(human(), "LeftForeArm", "Pole")
        'LeftArm'
    """
    rest = figure.placements(figure.rest)
    bend = rest[figure.segment_index(segment), :3, 3]
    way, name = [], figure.segment(segment).parent
    while name is not None:
        way.append(name)
        name = figure.segment(name).parent
    found = _end(figure, rest, bend, way)
    if found is None:
        raise BadValue(
            f"{label}: segment {segment!r} has no ancestor at another place; give root=…, the segment where the "
            "limb starts"
        )
    return found


def limb_tip(figure: Figure, segment: str, label: str) -> str:
    """The segment where a limb ends. The limb bends at the origin of `segment`.

    The search goes down to the child with the longest path below it, or to the first such child. The end is the first
    segment whose origin is not at the bend in the rest pose. The search continues downward if that segment only twists
    about the line from the bend to it and the next lies on the same line. So the limb of the forearm ends at the hand,
    although there is a twist segment between them.

    Example:
        >>> from manikin import human
        >>> limb_tip(human(), "LeftForeArm", "Pole")
        'LeftHand'
    """
    rest = figure.placements(figure.rest)
    index = figure.segment_index(segment)
    below = _ways_below(figure)
    way, at = [], segment
    while children := [s for s in figure.segments if s.parent == at]:
        at = max(children, key=lambda s: below[s.name] + float(np.linalg.norm(s.joint.offset))).name
        way.append(at)
    found = _end(figure, rest, rest[index, :3, 3], way)
    if found is None:
        raise BadValue(
            f"{label}: segment {segment!r} has no descendant at another place; give tip=…, the "
            "segment where the limb ends"
        )
    return found


def _end(figure: Figure, rest: Points, bend: Vector, way: list[str]) -> str | None:
    """The segment of a path at which the limb that begins at the bend ends; None if all are at the bend."""
    found = None
    line = np.zeros(3)
    for name in way:
        index = figure.segment_index(name)
        away = rest[index, :3, 3] - bend
        length = float(np.linalg.norm(away))
        if found is None:
            if length <= SAME_PLACE * figure.size:
                continue
            line = away / length
        elif np.linalg.norm(np.cross(line, away)) > STRAIGHT * length or line @ away <= 0.0:
            break
        found = name
        if not _only_twists(figure.segments[index], rest[index, :3, :3], line):
            break
    return found


def _only_twists(segment: Segment, rotation: Points, line: Vector) -> bool:
    """Whether a segment moves relative to its parent only by rotation about a line (3,) in the world."""
    motions = segment.joint.motions
    axes = [rotation @ np.array(m.axis) for m in motions if isinstance(m, Hinge)]
    return len(axes) == len(motions) and all(np.linalg.norm(np.cross(axis, line)) <= STRAIGHT for axis in axes)


def _ways_below(figure: Figure) -> dict[str, float]:
    """The longest path from each segment's origin to a tip below it, length."""
    below = dict.fromkeys(figure.segment_names, 0.0)
    for s in reversed(figure.segments):  # children before parents
        if s.parent is not None:
            below[s.parent] = max(below[s.parent], below[s.name] + float(np.linalg.norm(s.joint.offset)))
    return below
