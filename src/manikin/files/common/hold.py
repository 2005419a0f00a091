"""Which sliders of a rig are held when it is posed.

The clips of a rig displace its bones, so its joints have sliders. A solver must move those that carry the whole body.
If it moved the others, it would pull the body apart. So all sliders except those that carry the body are held
(`Slider.held`), in every format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manikin.figure import Free, Segment, Slider


def hold(segments: Sequence[Segment]) -> list[Segment]:
    """The segments of a rig, parents first, with all sliders held except those of a segment that carries a body.

    This is the first sliding segment from the root down, if all moving segments are below it. Joints above it may turn.
    If the tree branches at a segment that does not move, as in a file with several characters, each branch is a
    separate body.
    """
    carrying = _carrying(segments)
    return [s if s.name in carrying else _held(s) for s in segments]


def _carrying(segments: Sequence[Segment]) -> set[str]:
    """Names of the segments that carry a body."""
    moving = {s.name for s in segments if s.joint.motions}
    for s in reversed(segments):  # children before their parents
        if s.name in moving and s.parent is not None:
            moving.add(s.parent)
    below: dict[str | None, list[Segment]] = {}
    for s in segments:
        if s.name in moving:
            below.setdefault(s.parent, []).append(s)
    found: set[str] = set()
    waiting = list(below.get(None, ()))
    while waiting:
        s = waiting.pop()
        hanging = below.get(s.name, [])
        if any(isinstance(m, (Slider, Free)) for m in s.joint.motions):
            found.add(s.name)
        elif len(hanging) == 1 or not s.joint.motions:
            waiting += hanging
    return found


def _held(s: Segment) -> Segment:
    if not any(isinstance(m, Slider) for m in s.joint.motions):
        return s
    motions = tuple(replace(m, held=True) if isinstance(m, Slider) else m for m in s.joint.motions)
    return s.replaced(joint=replace(s.joint, motions=motions))
