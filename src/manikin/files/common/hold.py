"""Which sliders of a rig are held when it is posed.

The clips of a rig displace its bones, so its joints have sliders. A solver may move those that carry the whole body,
or nothing would; one that moved the others would pull the body apart. So all but those that carry are held
(`Slider.held`), whatever format the rig comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manikin.figure import Free, Segment, Slider


def hold(segments: Sequence[Segment]) -> list[Segment]:
    """The segments of a rig, parents first, with every slider held but those of what carries a body.

    That is the first segment from the root down that slides, if all that moves hangs on it, joints that only turn
    aside. Where the tree branches on a segment that does not move at all, as below the top of a file with several
    characters, each branch is a body of its own.
    """
    carrying = _carrying(segments)
    return [s if s.name in carrying else _held(s) for s in segments]


def _carrying(segments: Sequence[Segment]) -> set[str]:
    """Names of the segments that carry a body."""
    moving = {s.name for s in segments if s.joint.motions}
    for s in reversed(segments):  # children come before their parents here
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
