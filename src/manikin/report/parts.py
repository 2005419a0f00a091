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
    except BadValue:  # arms and legs are not found
        return ""
    if bones.how != "structure":
        return ""
    part_of = {segment.joint.name: bones.part_of(segment.name) for segment in figure.segments}
    part_of |= {name: bones.part_of(name) for name in figure.segment_names}
    found = {name: match.start("name") for name in part_of if (match := re.search(_mention(name), text))}
    told = [f"{name} is the {part_of[name]}" for name in sorted(found, key=found.__getitem__) if part_of[name]]
    return f"{', '.join(told[:MOST])}." if told else ""


def _mention(name: str) -> str:
    """The pattern of a name in a text. A name that is a number must follow the kind of a goal, as in "Position 12",
    because texts also have distances and angles."""
    if re.fullmatch(r"[\d.]+", name):
        return rf"\b[A-Z][a-z]+ (?P<name>{re.escape(name)})(?!\.?\w)"
    return rf"(?<!\w)(?P<name>{re.escape(name)})(?!\w)"
