"""Collision shapes of a URDF file, in and out.

A sphere is a Sphere and a box a Box. A cylinder becomes the Capsule of the same axis, radius and length, whose ends are
the centres of the two end faces: it contains the cylinder (bulging out by one radius at each end), so a clearance kept
for the capsule is kept for the cylinder too. A `<capsule>`, an extension that some programs write, is itself.

URDF has no capsule that all programs read, so a Capsule is written as a cylinder and a sphere at each end, named
`…_capsule1`, `…_capsule1_start`, `…_capsule1_end`, by which it is known again. A capsule that was a cylinder in the
file it came from is written as that cylinder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.errors import ManikinError
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Box, Capsule, Shape, Sphere
from manikin.files.urdf_parts import Reading, decimals, rpy_from_quaternion
from manikin.files.xml_safe import Element

_CAPSULE_NAME = re.compile(r".*_capsule\d+")


@dataclass(frozen=True, eq=False)
class Solid:
    """One <collision> of the file, as read."""

    element: Element
    kind: str
    """sphere, box, cylinder, capsule; or "" where it is none of these, or has no size."""
    shape: Shape | None

    @property
    def name(self) -> str:
        return self.element.attributes.get("name", "")


def read_shapes(reading: Reading, link: Element, owner: str) -> tuple[tuple[Shape, ...], list[Element]]:
    """The shapes of a link, and those of its <collision> elements that are none (meshes and the like)."""
    solids = [_read_solid(reading, c, owner) for c in link.all("collision")]
    shapes: list[Shape] = []
    rest: list[Element] = []
    at = 0
    while at < len(solids):
        solid = solids[at]
        capsule = _written_capsule(solids[at : at + 3])
        if capsule is not None:
            shapes.append(capsule)
            at += 3 if solid.kind == "cylinder" else 1
            continue
        if solid.shape is None:
            rest.append(solid.element)
        else:
            shapes.append(solid.shape)
            if solid.kind == "cylinder" and isinstance(solid.shape, Capsule):
                reading.cylinders[_capsule_key(solid.shape)] = _cylinder_text(solid.element)
        at += 1
    return tuple(shapes), rest


def _read_solid(reading: Reading, collision: Element, owner: str) -> Solid:
    geometry = collision.first("geometry")
    thing = geometry.children[0] if geometry is not None and geometry.children else None
    if thing is None:
        reading.warn(collision, f"{owner}: the collision has no geometry; it is left out")
        return Solid(collision, "", None)
    kind = thing.tag.rpartition(":")[2]  # drake:capsule is a capsule
    if kind == "mesh":
        reading.meshes.append(thing.attributes.get("filename", ""))
        return Solid(collision, "", None)
    if kind not in ("sphere", "box", "cylinder", "capsule"):
        reading.warn(thing, f"{owner}: collision shape <{thing.tag}> is not known; it is left out")
        return Solid(collision, "", None)
    center, rotation = reading.origin(collision, owner)
    label = f"{owner}: {kind}"
    if kind == "box":
        sizes: Numbers = tuple(reading.three(thing, "size", label))
    elif kind == "sphere":
        sizes = (reading.finite(thing, "radius", label),)
    else:
        sizes = (reading.finite(thing, "radius", label), reading.finite(thing, "length", label))
    if min(sizes) < 0.0:
        reading.fail(thing, f"{label} has a size of {min(sizes):g}; it must be above 0")
    if min(sizes[:1] if kind == "capsule" else sizes) == 0.0:
        reading.warn(thing, f"{label} has no extent; it is left out")
        return Solid(collision, "", None)
    try:
        return Solid(collision, kind, _shape(kind, sizes, center, rotation))
    except ManikinError as error:  # sizes whose halves are no longer above 0, and the like
        reading.fail(thing, f"{label}: {error}")


def _shape(kind: str, sizes: Numbers, center: Numbers, rotation: Numbers) -> Shape:
    if kind == "box":
        return Box(tuple(0.5 * s for s in sizes), center, rotation)
    if kind == "sphere":
        return Sphere(center, sizes[0])
    half = 0.5 * sizes[1] * rotations.rotate(np.array(rotation), np.array([0.0, 0.0, 1.0]))
    middle = np.array(center)
    return Capsule(tuple(middle - half + 0.0), tuple(middle + half + 0.0), sizes[0])


def _written_capsule(solids: list[Solid]) -> Capsule | None:
    """The capsule that `written` wrote as these: a cylinder and two spheres, or one sphere where it has no length."""
    first = solids[0]
    if not _CAPSULE_NAME.fullmatch(first.name):
        return None
    if isinstance(first.shape, Sphere):
        return Capsule(first.shape.center, first.shape.center, first.shape.radius)
    if len(solids) < 3 or first.kind != "cylinder" or not isinstance(first.shape, Capsule):
        return None
    start, end = solids[1].shape, solids[2].shape
    named = solids[1].name == f"{first.name}_start" and solids[2].name == f"{first.name}_end"
    if not (named and isinstance(start, Sphere) and isinstance(end, Sphere)):
        return None
    if not start.radius == end.radius == first.shape.radius:
        return None
    slack = 1e-6 * (first.shape.radius + float(np.linalg.norm(np.subtract(first.shape.end, first.shape.start))))
    apart = np.subtract([start.center, end.center], [first.shape.start, first.shape.end])
    return Capsule(start.center, end.center, start.radius) if np.abs(apart).max() <= slack else None


def _capsule_key(capsule: Capsule) -> str:
    return decimals(*capsule.start, *capsule.end, capsule.radius)


def _cylinder_text(collision: Element) -> dict[str, str]:
    """xyz, rpy, radius and length of a cylinder as they stand in the file."""
    origin, geometry = collision.first("origin"), collision.first("geometry")
    assert geometry is not None
    out = {k: v for k, v in (origin.attributes if origin is not None else {}).items() if k in ("xyz", "rpy")}
    return out | {k: geometry.children[0].attributes[k] for k in ("radius", "length")}


def written(segment: str, shapes: tuple[Shape, ...], source: Mapping[str, Any]) -> list[tuple[str, Element, Element]]:
    """(name, origin, geometry) of every <collision> (or <visual>) that stands for the shapes of a segment."""
    out = []
    for number, shape in enumerate(shapes, start=1):
        name = f"{segment}_{number}"
        if isinstance(shape, Sphere):
            out.append((name, origin(shape.center), _geometry("sphere", radius=shape.radius)))
        elif isinstance(shape, Box):
            size = decimals(*(2.0 * h for h in shape.half))
            out.append((name, origin(shape.center, shape.rotation, source), _geometry("box", size=size)))
        elif _capsule_key(shape) in source.get("cylinders", {}):
            text = source["cylinders"][_capsule_key(shape)]
            place = Element("origin", {k: v for k, v in text.items() if k in ("xyz", "rpy")}, 0)
            out.append((name, place, _geometry("cylinder", radius=text["radius"], length=text["length"])))
        else:
            out.extend(_capsule(f"{segment}_capsule{number}", shape))
    return out


def _capsule(name: str, capsule: Capsule) -> list[tuple[str, Element, Element]]:
    start, end = np.array(capsule.start), np.array(capsule.end)
    length = float(np.linalg.norm(end - start))
    ball = _geometry("sphere", radius=capsule.radius)
    if length == 0.0:
        return [(name, origin(capsule.start), ball)]
    turn = rotations.between((0.0, 0.0, 1.0), (end - start) / length)
    middle = tuple(float(x) for x in 0.5 * (start + end))
    return [
        (name, origin(middle, tuple(turn)), _geometry("cylinder", radius=capsule.radius, length=length)),
        (f"{name}_start", origin(capsule.start), ball),
        (f"{name}_end", origin(capsule.end), ball),
    ]


def origin(xyz: Numbers, rotation: Numbers = rotations.IDENTITY, source: Mapping[str, Any] | None = None) -> Element:
    """An <origin>; a rotation that was read from a file is written as it stood there."""
    attributes = {"xyz": decimals(*xyz)}
    if tuple(rotation) != rotations.IDENTITY:
        known = (source or {}).get("rotations", {})
        attributes["rpy"] = known.get(decimals(*rotation)) or decimals(*rpy_from_quaternion(rotation))
    return Element("origin", attributes, 0)


def _geometry(tag: str, **sizes: float | str) -> Element:
    texts = {k: v if isinstance(v, str) else decimals(v) for k, v in sizes.items()}
    return Element("geometry", {}, 0, [Element(tag, texts, 0)])
