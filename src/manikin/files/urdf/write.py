"""Writes a figure as a URDF file that other programs can read.

The figure is converted to metres and expanded to one motion per joint (`expand`). Things that URDF cannot express are
written as follows:

    a root that moves or is not at the origin      a link "world", and a joint from it
    an unknown inertia      that of the shapes, evenly filled, or of a ball of water if there are none
    no limit on one side, an unknown speed or effort        1e9, 1e9, 1e9
    the up axis, the rest pose, closed loops        not written: placements are unchanged

A `<manikin>` element, which other programs ignore, records these additions, so that `load_figure` returns the figure
that was saved. The text that a figure kept from its file (`figure.source`) is written too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin import rotations
from manikin.base import writing
from manikin.base.names import xml_attribute
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Free, Hinge, Joint, Numbers, Slider
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment
from manikin.files.common.xml_safe import Element, to_text
from manikin.files.urdf.expand import expanded, is_planar, unused
from manikin.files.urdf.inertia import estimated_inertia
from manikin.files.urdf.parts import LIMITLESS, decimals
from manikin.files.urdf.shapes import origin, written, written_fitted


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure as URDF.

    Raises:
        BadValue: the unit of the figure is unknown; URDF uses metres.
    """
    writing.write(path, to_urdf(figure))


def to_urdf(figure: Figure) -> str:
    """The URDF file as text."""
    if not isinstance(figure, Figure):
        raise BadValue(f"a URDF file stores a Figure, got {type(figure).__name__}")
    made = expanded(figure.in_metres()).figure
    source: Mapping[str, Any] = made.source if made.source.get("format") == "urdf" else {}
    world = unused("world", set(made.segment_names)) if _needs_world(made.segments[0].joint) else ""
    shown = not source or source.get("visuals") == "shapes"
    elements: list[Element] = [] if not world else [Element("link", {"name": world}, 0)]
    guessed = [s.name for s in made.segments if _has_inertial(s) and not s.inertia]
    for s in made.segments:
        elements.append(_link(s, source, shown))
        parent = s.parent if s.parent is not None else world
        if parent:
            elements.append(_joint(made, s.joint, parent, s.name, source))
    ours = {"up": made.up} if made.up != "z" else {}
    ours |= {"world": world} if world else {}
    ours |= {"visuals": "shapes"} if shown else {}
    marks: list[Element | str] = [Element("estimated_inertia", {"link": name}, 0) for name in guessed]
    marks += [
        Element("rest", {"joint": s.joint.name, "numbers": decimals(*s.joint.rest)}, 0)
        for s in made.segments
        if s.joint.rest
    ]
    marks += [_loop(loop) for loop in made.loops]
    around = [written_fitted(s.name, s.shapes, source) for s in made.segments]
    marks += [mark for mark in around if mark is not None]
    if ours or marks:
        elements.insert(0, Element("manikin", ours, 0, marks))
    head = "".join(f" {k}={xml_attribute(v)}" for k, v in source.get("attributes", {}).items())
    body = "".join(_text(e, source) for e in elements) + "".join(source.get("elements", []))
    return f'<?xml version="1.0" encoding="utf-8"?>\n<robot name={xml_attribute(made.name)}{head}>\n{body}</robot>\n'


def _loop(loop: Loop) -> Element:
    """A closed loop, which only manikin reads."""
    ends = {"name": loop.name, "segment": loop.segment, "to": loop.to}
    ends |= {"offset": decimals(*loop.offset), "to_offset": decimals(*loop.to_offset)}
    return Element("loop", ends | ({"rotation": decimals(*loop.rotation)} if loop.holds_turn else {}), 0)


def _needs_world(joint: Joint) -> bool:
    """Whether the figure needs a world link. A URDF root is fixed at the origin, so a root with a joint or another
    placement needs a parent."""
    return bool(joint.motions) or joint.offset != (0.0, 0.0, 0.0) or joint.rotation != rotations.IDENTITY


def _text(element: Element, source: Mapping[str, Any]) -> str:
    """An element, with the extra text that the original file had inside it added at its end."""
    kept: list[str] = []
    name = element.attributes.get("name", "")
    if element.tag == "link":
        kept = source.get("links", {}).get(name, [])
    elif element.tag == "joint":
        kept = source.get("joints", {}).get(name, {}).get("elements", [])
    text = to_text(element, indent=1)
    if not kept:
        return text
    if text.endswith("/>\n"):
        return f"{text[:-3]}>\n{''.join(kept)}  </{element.tag}>\n"
    closing = f"  </{element.tag}>\n"
    return text.removesuffix(closing) + "".join(kept) + closing


def _has_inertial(s: Segment) -> bool:
    return s.mass > 0.0 or bool(s.inertia) or any(s.center)


def _link(s: Segment, source: Mapping[str, Any], shown: bool) -> Element:
    link = Element("link", {"name": s.name}, 0)
    if _has_inertial(s):
        values = s.inertia or estimated_inertia(s)
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        inertia = Element("inertia", {n: decimals(v) for n, v in zip(names, values, strict=True)}, 0)
        mass = Element("mass", {"value": decimals(s.mass)}, 0)
        link.content.append(Element("inertial", {}, 0, [origin(s.center), mass, inertia]))
    for tag in ("visual", "collision") if shown else ("collision",):
        for name, place, geometry in written(s.name, s.shapes, source):
            link.content.append(Element(tag, {"name": name}, 0, [place, geometry]))
    return link


def _joint(figure: Figure, joint: Joint, parent: str, child: str, source: Mapping[str, Any]) -> Element:
    kept = source.get("joints", {}).get(joint.name, {})
    motion = joint.motions[-1] if joint.motions else None
    axis: Numbers | None = None
    limit: dict[str, str] = {}
    if motion is None:
        kind = "fixed"
    elif isinstance(motion, Free):
        kind = "floating"
    elif is_planar(figure, joint):
        assert isinstance(motion, Hinge)
        kind, axis = "planar", motion.axis
    else:
        assert isinstance(motion, (Hinge, Slider))  # expanding leaves only these
        turns_on = isinstance(motion, Hinge) and motion.limits == (-np.inf, np.inf)
        kind = "continuous" if turns_on else "prismatic" if isinstance(motion, Slider) else "revolute"
        axis, limit = motion.axis, _limit(motion, kept, turns_on)
    content: list[Element | str] = [
        Element("parent", {"link": parent}, 0),
        Element("child", {"link": child}, 0),
        origin(joint.offset, joint.rotation, source),
    ]
    if axis is not None:
        content.append(Element("axis", {"xyz": decimals(*axis)}, 0))
    if limit:
        content.append(Element("limit", limit, 0))
    if joint.coupling is not None:
        c = joint.coupling
        rule = {"joint": c.source, "multiplier": decimals(c.ratio), "offset": decimals(c.offset)}
        content.append(Element("mimic", rule, 0))
    return Element("joint", {"name": joint.name, "type": kind}, 0, content)


def _limit(motion: Hinge | Slider, kept: Mapping[str, Any], turns_on: bool) -> dict[str, str]:
    """The attributes of <limit>; none for a continuous joint without a known speed or effort limit."""
    out: dict[str, str] = {}
    if turns_on:
        if np.isinf(motion.speed) and not ({"effort", "velocity"} & kept.keys()):
            return out
    else:
        low, high = np.clip(motion.limits, -LIMITLESS, LIMITLESS)
        out |= {"lower": decimals(low), "upper": decimals(high)}
    out["effort"] = kept.get("effort", decimals(LIMITLESS))
    speed = decimals(min(motion.speed, LIMITLESS))
    out["velocity"] = kept.get("velocity", speed) if np.isinf(motion.speed) else speed
    return out
