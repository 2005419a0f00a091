"""The parts of the body behind names that do not say them, such as "bone_12"."""

from __future__ import annotations

import re

from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.parts.find import bone_map

MOST = 4
"""Largest number of names that are explained."""


def parts_in_words(figure: Figure, text: str) -> str:
    """A sentence with the parts of the body that a report mentions: "bone_12 is the left forearm."

    Empty if the names of the figure say their parts, or if no parts are found.
    """
    try:
        bones = bone_map(figure)
    except BadValue:  # the figure is no body
        return ""
    if bones.how != "structure":
        return ""
    part_of = {segment.joint.name: bones.part_of(segment.name) for segment in figure.segments}
    part_of |= {name: bones.part_of(name) for name in figure.segment_names}
    found = {name: match.start() for name in part_of if (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))}
    told = [f"{name} is the {part_of[name]}" for name in sorted(found, key=found.__getitem__) if part_of[name]]
    return f"{', '.join(told[:MOST])}." if told else ""
