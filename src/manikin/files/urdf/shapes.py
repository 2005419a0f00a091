"""Reads and writes collision shapes of a URDF file.

A sphere becomes a Sphere and a box a Box. A cylinder becomes the Capsule with the same axis, radius and length, whose
ends are the centres of the two end faces. The capsule contains the cylinder and extends one radius beyond each end, so
a clearance that holds for the capsule also holds for the cylinder. A `<capsule>`, an extension that some programs
write, becomes a Capsule. A mesh is read if it is found (`meshes`), and becomes the smallest capsule or sphere around
it.

URDF has no capsule that all programs read. So a Capsule is written as a cylinder with a sphere at each end, named
`…_capsule1`, `…_capsule1_start`, `…_capsule1_end`, and reading recognises these names. A capsule that was read from a
cylinder is written as that cylinder. A mesh is written as the same mesh. The shape fitted around it is written to the
`<manikin>` element, so that it can be read back without the meshes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.errors import ManikinError
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Box, Capsule, Shape, Sphere
from manikin.files.common.xml_safe import Element
from manikin.files.urdf.meshes import BrokenMesh, Meshes, NotRead
from manikin.files.urdf.parts import Reading, decimals, rpy_from_quaternion

_CAPSULE_NAME = re.compile(r".*_capsule\d+")


@dataclass(frozen=True, eq=False)
class Solid:
    """One <collision> of the file."""

    element: Element
    kind: str
    """sphere, box, cylinder, capsule or mesh; "" if it is none of these or has no size."""
    shape: Shape | None
    """None if it has no size, or is a mesh that was not read."""

    @property
    def name(self) -> str:
        return self.element.attributes.get("name", "")


def read_shapes(
    reading: Reading, link: Element, owner: str, meshes: Meshes, kept: Sequence[Shape] | None = None
) -> tuple[tuple[Shape, ...], list[Element]]:
    """The shapes of a link, those around meshes last, and its <collision> elements that are kept as text: meshes, and
    elements without a shape.

    Args:
        reading: the state while the file is read.
        link: the <link> element.
        owner: for messages.
        meshes: the meshes of the file.
        kept: the shapes around its meshes that the file contains; None if they must be fitted.
    """
    solids = [_read_solid(reading, c, owner, meshes, kept is None) for c in link.all("collision")]
    name = link.attributes.get("name", "")
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
        if solid.kind == "mesh" and solid.shape is not None:
            reading.fitted.setdefault(name, []).append(solid.shape)
        elif solid.shape is not None:
            shapes.append(solid.shape)
            if solid.kind == "cylinder" and isinstance(solid.shape, Capsule):
                reading.cylinders[shape_key(solid.shape)] = _cylinder_text(solid.element)
        elif solid.kind != "mesh" or kept is None:
            reading.shapeless.append(name)
        if solid.shape is None or solid.kind == "mesh":
            rest.append(solid.element)
        at += 1
    if kept is not None:
        reading.fitted[name] = list(kept)
    return (*shapes, *reading.fitted.get(name, ())), rest


def _read_solid(reading: Reading, collision: Element, owner: str, meshes: Meshes, fit: bool) -> Solid:
    geometry = collision.first("geometry")
    thing = geometry.children[0] if geometry is not None and geometry.children else None
    if thing is None:
        reading.warn(collision, f"{owner}: the collision has no geometry; it is left out")
        return Solid(collision, "", None)
    kind = thing.tag.rpartition(":")[2]  # drake:capsule is a capsule
    if kind == "mesh":
        return Solid(collision, "mesh", _around_mesh(reading, collision, thing, owner, meshes) if fit else None)
    if kind not in ("sphere", "box", "cylinder", "capsule"):
        reading.warn(thing, f"{owner}: collision shape <{thing.tag}> is unknown; it is left out")
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
        reading.warn(thing, f"{label} has no volume; it is left out")
        return Solid(collision, "", None)
    try:
        return Solid(collision, kind, _shape(kind, sizes, center, rotation))
    except ManikinError as error:  # for example, sizes whose half underflows to 0
        reading.fail(thing, f"{label}: {error}")


def _around_mesh(reading: Reading, collision: Element, mesh: Element, owner: str, meshes: Meshes) -> Shape | None:
    """The shape around a mesh; None, with a note, if the mesh cannot be read."""
    name = mesh.attributes.get("filename", "")
    center, rotation = reading.origin(collision, owner)
    scale: Numbers = (1.0, 1.0, 1.0)
    if "scale" in mesh.attributes:
        scale = reading.three(mesh, "scale", f"{owner}: mesh")
    try:
        return meshes.shape(name, scale, center, rotation)
    except (NotRead, ManikinError) as error:  # a scale that makes the numbers too large or too small for a shape
        say = reading.warn if isinstance(error, (BrokenMesh, ManikinError)) else reading.note
        say(mesh, f"{owner}: the mesh {name!r} gets no shape: {error}")
        reading.meshes.append(name)
        return None


def _shape(kind: str, sizes: Numbers, center: Numbers, rotation: Numbers) -> Shape:
    if kind == "box":
        return Box(tuple(0.5 * s for s in sizes), center, rotation)
    if kind == "sphere":
        return Sphere(center, sizes[0])
    half = 0.5 * sizes[1] * rotations.rotate(np.array(rotation), np.array([0.0, 0.0, 1.0]))
    middle = np.array(center)
    return Capsule(tuple(middle - half + 0.0), tuple(middle + half + 0.0), sizes[0])


def _written_capsule(solids: list[Solid]) -> Capsule | None:
    """The capsule that `written` wrote as these elements: a cylinder and two spheres, or one sphere if it has no
    length."""
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


def _cylinder_text(collision: Element) -> dict[str, str]:
    """xyz, rpy, radius and length of a cylinder, unchanged from the file."""
    origin, geometry = collision.first("origin"), collision.first("geometry")
    assert geometry is not None
    out = {k: v for k, v in (origin.attributes if origin is not None else {}).items() if k in ("xyz", "rpy")}
    return out | {k: geometry.children[0].attributes[k] for k in ("radius", "length")}


def read_fitted(reading: Reading, mark: Element) -> list[Shape]:
    """The shapes around the meshes of a link, as written by `written_fitted`."""
    owner = f"shapes around meshes of link {mark.attributes.get('link', '')!r}"
    out: list[Shape] = []
    for thing in mark.children:
        try:
            if thing.tag == "sphere":
                out.append(Sphere(reading.three(thing, "center", owner), reading.finite(thing, "radius", owner)))
            elif thing.tag == "capsule":
                start, end = (reading.three(thing, key, owner) for key in ("start", "end"))
                out.append(Capsule(start, end, reading.finite(thing, "radius", owner)))
        except ManikinError as error:
            reading.fail(thing, f"{owner}: {str(error).removeprefix(f'{reading.path}, line {thing.line}: ')}")
    return out


def written_fitted(segment: str, shapes: tuple[Shape, ...], source: Mapping[str, Any]) -> Element | None:
    """The element for `read_fitted`, with the shapes that were fitted around meshes. None if there were no meshes."""
    if segment not in source.get("fitted", {}):
        return None
    content: list[Element | str] = []
    for shape in shapes:
        if _was_fitted(segment, shape, source):
            texts = {k: decimals(*v) if isinstance(v, tuple) else decimals(v) for k, v in vars(shape).items()}
            content.append(Element("sphere" if isinstance(shape, Sphere) else "capsule", texts, 0))
    return Element("fitted", {"link": segment}, 0, content)


def _was_fitted(segment: str, shape: Shape, source: Mapping[str, Any]) -> bool:
    return shape_key(shape) in source.get("fitted", {}).get(segment, ())


def shape_key(shape: Shape) -> str:
    """The numbers of a shape as text, to recognise it later."""
    return decimals(*(x for value in vars(shape).values() for x in (value if isinstance(value, tuple) else (value,))))


def written(segment: str, shapes: tuple[Shape, ...], source: Mapping[str, Any]) -> list[tuple[str, Element, Element]]:
    """(name, origin, geometry) of every <collision> (or <visual>) that represents the shapes of a segment."""
    out = []
    for number, shape in enumerate(shapes, start=1):
        name = f"{segment}_{number}"
        if _was_fitted(segment, shape, source):
            continue
        if isinstance(shape, Sphere):
            out.append((name, origin(shape.center), _geometry("sphere", radius=shape.radius)))
        elif isinstance(shape, Box):
            size = decimals(*(2.0 * h for h in shape.half))
            out.append((name, origin(shape.center, shape.rotation, source), _geometry("box", size=size)))
        elif shape_key(shape) in source.get("cylinders", {}):
            text = source["cylinders"][shape_key(shape)]
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
    """An <origin>. A rotation that was read from a file is written with the same text."""
    attributes = {"xyz": decimals(*xyz)}
    if tuple(rotation) != rotations.IDENTITY:
        known = (source or {}).get("rotations", {})
        attributes["rpy"] = known.get(decimals(*rotation)) or decimals(*rpy_from_quaternion(rotation))
    return Element("origin", attributes, 0)


def _geometry(tag: str, **sizes: float | str) -> Element:
    texts = {k: v if isinstance(v, str) else decimals(v) for k, v in sizes.items()}
    return Element("geometry", {}, 0, [Element(tag, texts, 0)])
