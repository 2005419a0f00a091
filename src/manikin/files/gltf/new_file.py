"""Writes a figure or motion as a new glTF 2.0 file (.glb, .gltf) that opens in Blender, three.js and other viewers.

Each segment becomes a node with the same placement relative to its parent, and its shapes become a mesh on the node. A
skin lists the joints. The motion becomes one animation with LINEAR samplers. glTF uses metres with y up: lengths are
multiplied by the figure's unit (unchanged if it is unknown). If another axis of the figure is up, an additional node at
the top rotates it.

No library is needed: a new file is one dictionary and one buffer.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.base import writing
from manikin.errors import BadValue
from manikin.figure import Figure, Segment
from manikin.figure.shapes import Shape
from manikin.files.common.up_axis import TO_Y_UP
from manikin.files.gltf import triangles
from manikin.files.gltf.builder import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Document
from manikin.files.gltf.figure import UNKNOWN_UNIT
from manikin.files.gltf.nodes import REST
from manikin.files.gltf.tracks import same_side
from manikin.motion.local import local_rotation, local_translation, slides, turns
from manikin.motion.motion import Motion

MATERIAL = {
    "name": "Wood",
    "pbrMetallicRoughness": {
        "baseColorFactor": [0.72, 0.52, 0.33, 1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.75,
    },
}
"""A matte material in the colour of an artist's wooden manikin (linear colour, as in glTF)."""


def save(thing: Figure | Motion, path: str | os.PathLike[str]) -> None:
    """Writes a motion, or a figure in its rest pose, as a new file: a .gltf if the name ends so, otherwise a GLB.

    The nodes have the first pose of the motion, and the rest pose as extra data, so that the figure can be read back. A
    motion always gets an animation, even for a single frame, so that it can be read back as a motion.

    Args:
        thing: a Motion or a Figure.
        path: the new file. An existing file is replaced atomically.

    Raises:
        BadValue: a number does not fit into 32 bits, or the file exceeds 4 GiB.
    """
    moving = isinstance(thing, Motion)
    document = build(thing if isinstance(thing, Motion) else Motion(thing, thing.rest, name=thing.name), moving)
    with writing.writing(path) as file:
        if os.fsdecode(path).lower().endswith(".gltf"):
            file.write(document.text())
        else:
            file.writelines(document.chunks())


def build(motion: Motion, moving: bool = True) -> Document:
    """The document of a motion. If `moving` is False, it has only the first pose and no animation."""
    from manikin import __version__

    figure = motion.figure
    scale = 1.0 if figure.unit is None else figure.unit
    top = _top(figure)
    first = len(top)
    nodes = [*top, *({"name": s.name} for s in figure.segments)]
    for i, s in enumerate(figure.segments):
        parent = (0 if top else None) if s.parent is None else first + figure.segment_index(s.parent)
        if parent is not None:
            nodes[parent].setdefault("children", []).append(first + i)
    document = Document(
        {
            "asset": {"version": "2.0", "generator": f"manikin {__version__}", **_extras(figure)},
            "scene": 0,
            "scenes": [{"name": figure.name, "nodes": [0]}],
            "nodes": nodes,
        }
    )
    # A skin without a mesh states which nodes are joints. Blender makes an armature of them, and reading finds them
    # again.
    joints = [first + i for i, s in enumerate(figure.segments) if s.joint.motions]
    if joints:
        document.root["skins"] = [{"name": figure.name, "joints": joints}]
    _add_meshes(document, figure, nodes[first:], scale)
    _add_motion(document, motion, nodes[first:], first, scale, moving)
    return document


def _extras(figure: Figure) -> dict[str, Any]:
    """Extra data that glTF has no field for: that the unit is unknown."""
    return {"extras": {"unit": UNKNOWN_UNIT}} if figure.unit is None else {}


def _top(figure: Figure) -> list[dict[str, Any]]:
    """The node that rotates a figure whose up axis is not y; None if it is y."""
    if figure.up == "y":
        return []
    return [{"name": f"{figure.name} ({figure.up} up)", "rotation": to_xyzw(np.array(TO_Y_UP[figure.up])).tolist()}]


# Shapes


def _add_meshes(document: Document, figure: Figure, nodes: list[dict[str, Any]], scale: float) -> None:
    """Adds a mesh for each distinct set of shapes. Segments with the same shapes share it."""
    shapes = _shapes(figure)
    meshes: list[dict[str, Any]] = []
    known: dict[tuple[Shape, ...], int] = {}
    for segment, node in zip(figure.segments, nodes, strict=True):
        own = shapes[segment.name]
        if not own:
            continue
        if own not in known:
            known[own] = len(meshes)
            meshes.append({"name": segment.name, "primitives": [_primitive(document, own, scale)]})
        node["mesh"] = known[own]
    if meshes:
        document.root |= {"meshes": meshes, "materials": [MATERIAL]}


def _shapes(figure: Figure) -> dict[str, tuple[Shape, ...]]:
    """The shapes of each segment; thin stand-ins if the whole figure has none."""
    if any(s.shapes for s in figure.segments):
        return {s.name: s.shapes for s in figure.segments}
    tips: dict[str, list[Vector]] = {s.name: [] for s in figure.segments}
    for s in figure.segments:
        if s.parent is not None:
            tips[s.parent].append(local_translation(s.joint, _numbers(figure, s, figure.rest[None]))[0])
    size = figure.size
    reach = max((float(np.linalg.norm(p)) for points in tips.values() for p in points), default=0.0)
    return {name: triangles.stand_in(points, max(size, reach)) for name, points in tips.items()}


def _primitive(document: Document, shapes: tuple[Shape, ...], scale: float) -> dict[str, Any]:
    surface = triangles.triangles(shapes)
    return {
        "attributes": {
            "POSITION": document.arrays.add(scale * surface.points, ARRAY_BUFFER, bounds=True),
            "NORMAL": document.arrays.add(surface.normals, ARRAY_BUFFER),
        },
        "indices": document.arrays.add(surface.indices, ELEMENT_ARRAY_BUFFER),
        "material": 0,
    }


# Poses


def _add_motion(
    document: Document, motion: Motion, nodes: list[dict[str, Any]], first: int, scale: float, moving: bool
) -> None:
    """Sets the first pose on the nodes, and adds a channel for each rotation and translation that differs from the rest
    pose in some frame. In a constant pose (or a single frame), adds a channel for each that could change, because an
    animation needs at least one."""
    times = clock_of(motion) if moving else None
    poses = np.vstack([motion.figure.rest, motion.poses])
    still = bool((motion.poses == motion.poses[0]).all())
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    clock = -1
    for i, (segment, node) in enumerate(zip(motion.figure.segments, nodes, strict=True)):
        numbers = _numbers(motion.figure, segment, poses)
        numbers = numbers if segment.joint.motions else numbers[:2]
        at_rest: dict[str, list[float]] = {}
        for path, values, could in (
            ("translation", scale * local_translation(segment.joint, numbers), slides(segment.joint)),
            ("rotation", to_xyzw(same_side(local_rotation(segment.joint, numbers))), turns(segment.joint)),
        ):
            (rest, start), small = values[:2], values.astype(np.float32)
            for own, value in ((at_rest, rest), (node, start)):
                if not _is_default(path, value):
                    own[path] = value.tolist()
            if times is not None and ((small != small[0]).any() or (still and could)):
                clock = document.arrays.add(times, bounds=True) if clock < 0 else clock
                channels.append({"sampler": len(samplers), "target": {"node": first + i, "path": path}})
                samplers.append({"input": clock, "output": document.arrays.add(small[1:]), "interpolation": "LINEAR"})
        if at_rest != {path: node[path] for path in ("translation", "rotation") if path in node}:
            node["extras"] = {REST: at_rest}
    if channels:
        document.root["animations"] = [{"name": motion.name, "channels": channels, "samplers": samplers}]


def _numbers(figure: Figure, segment: Segment, poses: Matrix) -> Matrix:
    at = figure.index_of(segment.joint.name)
    return poses[:, at : at + segment.joint.nq]


def clock_of(motion: Motion) -> Vector:
    """Times in seconds for glTF: not negative, and strictly increasing in 32 bits."""
    for times in (motion.times, motion.times - motion.times[0]):
        if times[0] >= 0.0 and (np.diff(times.astype(np.float32)) > 0.0).all():
            return times
    raise BadValue(f"motion {motion.name!r}: some frames have the same time in glTF, which stores times in 32 bits")


def to_xyzw(q: Quaternions) -> Quaternions:
    """Quaternions in the order of glTF. (..., 4)."""
    return np.roll(q, -1, axis=-1)


def _is_default(path: str, value: Points) -> bool:
    """Whether a value is the default, which a node may omit."""
    return bool((value == (0.0 if path == "translation" else to_xyzw(np.array(rotations.IDENTITY)))).all())
