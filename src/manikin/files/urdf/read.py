"""Reads a URDF file as a figure: links become segments, and joints keep their names.

Every <joint> becomes a record and is checked against the links. Then the tree and the mimic joints are checked, and the
segments are built. Errors name the line. Elements that a figure cannot represent (visuals, meshes, transmissions …) are
kept as text in `figure.source`, and saving writes them again. Shapes are fitted around the collision meshes that are
found.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from manikin.errors import BadFile, BadValue, ManikinError, Unsupported
from manikin.figure.figure import UPS, Figure
from manikin.figure.joint import Free, Joint, Numbers
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment
from manikin.files.common import oddities, xml_safe
from manikin.files.common.xml_safe import Element, to_text
from manikin.files.urdf.joints import READ, JointRecord, read_joint
from manikin.files.urdf.meshes import Meshes
from manikin.files.urdf.mimic import couple
from manikin.files.urdf.parts import Reading, rotated_inertia
from manikin.files.urdf.shapes import read_fitted, read_shapes, shape_key
from manikin.files.urdf.tree import check_joints, find_root, read_links

ROOTS = ("fixed", "free")


def load_figure(path: str | os.PathLike[str], root: str = "fixed") -> Figure:
    """Reads the figure of a URDF file, in metres, z up.

    Args:
        path: the file.
        root: "fixed", or "free" to give the root link a free joint named root (root_1, … if that is taken).

    Returns:
        The figure. `figure.source` has the `notes` (oddities of the file and how they were handled), the `meshes` that
        were not read, the links that are `shapeless` as a result, and the text of elements that have no equivalent
        in a figure.

    Raises:
        BadFile: the message names path and line.
        Unsupported: the file is xacro or SDF.

    Warns:
        OddFile: the figure lacks something, or may differ from the intent of the file.
    """
    if root not in ROOTS:
        raise BadValue(f"root is {root!r}; it must be 'fixed' or 'free'")
    reading = Reading(path)
    try:
        figure = _figure(reading, xml_safe.read(path), root)
    except BadFile as error:
        reading.refuse_xacro(error)
        raise
    oddities.tell(path, reading.odd)
    return figure


def _figure(reading: Reading, robot: Element, root: str) -> Figure:
    path = reading.path
    _check_robot(reading, robot)
    links = read_links(reading, robot)
    records = [read_joint(reading, e) for e in robot.all("joint")]
    check_joints(reading, links, records)
    base = find_root(reading, links, records)
    joints = couple(reading, records)
    ours = robot.first("manikin")
    for rest in ours.all("rest") if ours is not None else ():
        _take_rest(reading, rest, joints)
    if _stands_for_the_world(links, records, base, ours, root):
        del links[base]
        base = next(r.child for r in records if r.parent == base)
    elif root == "free":
        joints[""] = Joint(_unused("root", joints), (Free(),))
    else:
        joints[""] = Joint(base if base not in joints else _unused("root", joints))
    segments, extras = _segments(reading, links, records, joints, base, ours)
    reading.tell_xacro()
    up = ours.attributes.get("up", "z") if ours is not None else "z"
    try:
        return Figure(
            robot.attributes.get("name") or Path(path).stem,
            segments,
            unit=1.0,
            up=up if up in UPS else "z",
            loops=_loops(reading, ours),
            source=_source(reading, robot, records, extras),
        )
    except ManikinError as error:  # no known error gets here; if one does, the message names the file
        raise BadFile(path, str(error)) from error


def _check_robot(reading: Reading, robot: Element) -> None:
    if robot.tag == "sdf":
        raise Unsupported(f"{os.fspath(reading.path)}: this is an SDF file; only URDF can be read")
    if robot.tag != "robot":
        reading.fail(robot, f"the file begins with <{robot.tag}>; a URDF file begins with <robot>")
    for element in robot.children:
        reading.skip_xacro(element)
    if not robot.attributes.get("name"):
        reading.note(robot, "the robot has no name; the name of the file is used")


def _stands_for_the_world(
    links: dict[str, Element], records: Sequence[JointRecord], base: str, ours: Element | None, root: str
) -> bool:
    """Whether the root link was written only because a URDF root cannot have a joint (see `write`)."""
    hanging = [r for r in records if r.parent == base]
    if ours is None or ours.attributes.get("world") != base or links[base].children or len(hanging) != 1:
        return False
    return root == "fixed" or hanging[0].kind == "floating"


def _take_rest(reading: Reading, rest: Element, joints: dict[str, Joint]) -> None:
    """Sets the rest pose of a joint from the <manikin> element; URDF has none."""
    name = reading.text(rest, "joint", "a rest pose")
    if name not in joints:
        reading.unknown(rest, "the file has a rest pose for joint", "joint", name, joints)
    numbers = reading.numbers(rest, "numbers", f"joint {name!r}: rest pose", joints[name].nq)
    try:
        joints[name] = replace(joints[name], rest=numbers)
    except ManikinError as error:
        reading.fail(rest, str(error))


def _loops(reading: Reading, ours: Element | None) -> list[Loop]:
    """Reads the closed loops from the <manikin> element; URDF has none."""
    loops: list[Loop] = []
    for loop in ours.all("loop") if ours is not None else ():
        name, segment, to = (reading.text(loop, key, "a loop") for key in ("name", "segment", "to"))
        label = f"loop {name!r}"
        offset, to_offset = (reading.three(loop, key, label) for key in ("offset", "to_offset"))
        turn = reading.numbers(loop, "rotation", label, 4) if "rotation" in loop.attributes else ()
        try:
            loops.append(Loop(name, segment, to, offset, to_offset, turn))
        except ManikinError as error:
            reading.fail(loop, str(error))
    return loops


def _segments(
    reading: Reading,
    links: dict[str, Element],
    records: Sequence[JointRecord],
    joints: dict[str, Joint],
    base: str,
    ours: Element | None,
) -> tuple[list[Segment], dict[str, list[str]]]:
    """The segments in file order, and the text of the remaining elements of their links."""
    by_child = {r.child: r for r in records}
    estimated = {e.attributes.get("link") for e in ours.all("estimated_inertia")} if ours is not None else set()
    drop = "visual" if ours is not None and ours.attributes.get("visuals") == "shapes" else ""
    segments: list[Segment] = []
    extras: dict[str, list[str]] = {}
    meshes = Meshes(reading.path)
    marks = ours.all("fitted") if ours is not None else ()
    kept = {mark.attributes.get("link", ""): read_fitted(reading, mark) for mark in marks}
    for name, link in links.items():
        for child in link.children:
            reading.skip_xacro(child)
        owner = f"link {name!r}"
        mass, center, inertia = _inertial(reading, link, owner)
        shapes, rest = read_shapes(reading, link, owner, meshes, kept.get(name))
        record = by_child.get(name)
        parent = None if record is None or name == base else record.parent
        joint = joints[record.name if record is not None else ""]
        try:
            segments.append(Segment(name, parent, joint, mass, center, () if name in estimated else inertia, shapes))
        except ManikinError as error:
            reading.fail(link, str(error))
        other = [e for e in link.children if e.tag not in ("inertial", "collision", drop)]
        if rest or other:
            extras[name] = [to_text(e, indent=2) for e in (*other, *rest)]
    return segments, extras


def _inertial(reading: Reading, link: Element, owner: str) -> tuple[float, Numbers, Numbers]:
    """Mass, centre of mass, and inertia about it in the link's axes; the inertia is empty if the file has none."""
    inertial = link.first("inertial")
    if inertial is None:
        return 0.0, (0.0, 0.0, 0.0), ()
    center, rotation = reading.origin(inertial, f"{owner}: inertial")
    mass_element, inertia_element = inertial.first("mass"), inertial.first("inertia")
    if mass_element is None:
        reading.warn(inertial, f"{owner} has an <inertial> without <mass>; its mass is 0")
    mass = 0.0 if mass_element is None else reading.finite(mass_element, "value", f"{owner}: mass")
    if mass < 0.0 and mass_element is not None:
        reading.fail(mass_element, f"{owner}: mass is {mass:g}; it must be at least 0")
    if inertia_element is None:
        reading.note(inertial, f"{owner} has an <inertial> without <inertia>; the inertia is unknown")
        return mass, center, ()
    label = f"{owner}: inertia"
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    missing = [n for n in names if n not in inertia_element.attributes]
    if missing:
        reading.note(inertia_element, f"{label} has no {', '.join(missing)}; 0 is used")
    values = tuple(reading.finite(inertia_element, n, label, default=0.0) for n in names)
    return mass, center, rotated_inertia(values, rotation)


def _source(
    reading: Reading, robot: Element, records: Sequence[JointRecord], extras: dict[str, list[str]]
) -> dict[str, Any]:
    """The value of `figure.source`, made only of texts, lists and dictionaries."""
    ours = robot.first("manikin")
    joints: dict[str, dict[str, Any]] = {}
    for record in records:
        limit = record.element.first("limit")
        kept: dict[str, Any] = {"type": record.kind}
        for key in ("effort", "velocity"):
            if limit is not None and key in limit.attributes:
                kept[key] = limit.attributes[key]
        other = [to_text(e, indent=2) for e in record.element.children if e.tag not in READ]
        joints[record.name] = kept | ({"elements": other} if other else {})
    return {
        "format": "urdf",
        "path": os.fspath(reading.path),
        "notes": reading.notes,
        "meshes": reading.meshes,
        "shapeless": list(dict.fromkeys(reading.shapeless)),
        "fitted": {link: [shape_key(shape) for shape in shapes] for link, shapes in reading.fitted.items()},
        "attributes": {k: v for k, v in robot.attributes.items() if k != "name"},
        "elements": [to_text(e, indent=1) for e in robot.children if e.tag not in ("link", "joint", "manikin")],
        "links": extras,
        "joints": joints,
        "rotations": reading.rotation_texts,
        "cylinders": reading.cylinders,
        "visuals": ours.attributes.get("visuals", "") if ours is not None else "",
    }


def _unused(name: str, taken: dict[str, Joint]) -> str:
    """The name, or the first of name_1, name_2, … that no joint has."""
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
