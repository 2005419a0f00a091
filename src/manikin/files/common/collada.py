"""The points of a COLLADA file: positions of all geometries of its scene, placed by its nodes, in metres.

The up axis is ignored, as in other robot loaders: the URDF states how a mesh is rotated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadFile
from manikin.files.common import xml_safe
from manikin.files.common.xml_safe import Element

FACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
"""Elements that form faces from positions."""
MOST_POINTS = 4_000_000
"""Largest number of points in a scene. Instanced nodes can create many points from few bytes."""
MOST_NODES = 20_000
"""Largest number of nodes in a scene. Instanced nodes count each time."""
DEEPEST = 64
"""Deepest nesting of nodes."""


def points(data: bytes, path: str | os.PathLike[str]) -> Points:
    """(n, 3) in metres.

    Raises:
        BadFile: the message names the line.
    """
    root = xml_safe.parse(data, path)
    if root.tag != "COLLADA":
        raise BadFile(path, f"the file begins with <{root.tag[:40]}>; a COLLADA file begins with <COLLADA>", root.line)
    return _Scene(root, path).points()


class _Scene:
    def __init__(self, root: Element, path: str | os.PathLike[str]) -> None:
        self.root, self.path = root, path
        self.by_id = {e.attributes["id"]: e for e in _walk(root) if "id" in e.attributes}
        self.found: list[Points] = []
        self.count = self.nodes = 0
        self._positions: dict[int, Points] = {}

    def points(self) -> Points:
        unit = _first(self.root, "asset", "unit")
        meter = 1.0 if unit is None else float(self._numbers(unit, unit.attributes.get("meter", "1"), 1)[0])
        if not 0.0 < meter < np.inf:
            self._fail(unit or self.root, f"the unit is {meter:g} metres; it must be above 0")
        S = meter * np.eye(4)
        S[3, 3] = 1.0
        instance = _first(self.root, "scene", "instance_visual_scene")
        scene = (
            self._named(instance)
            if instance is not None
            else _first(self.root, "library_visual_scenes", "visual_scene")
        )
        if scene is not None:
            for node in scene.all("node"):
                self._node(node, S, 0)
        else:
            for library in self.root.all("library_geometries"):
                for geometry in library.all("geometry"):
                    self._add(geometry, S)
        return np.concatenate(self.found) if self.found else np.zeros((0, 3))

    def _node(self, node: Element, above: Matrix, depth: int) -> None:
        self.nodes += 1
        if depth > DEEPEST:
            self._fail(node, f"nodes are nested more than {DEEPEST} levels deep")
        if self.nodes > MOST_NODES:
            self._fail(node, f"the scene has more than {MOST_NODES:,} nodes")
        M = above
        for child in node.children:
            if child.tag in ("matrix", "translate", "rotate", "scale"):
                M = M @ self._transform(child)
            elif child.tag in ("lookat", "skew"):
                self._fail(child, f"<{child.tag}> is not read")
        for child in node.children:
            if child.tag == "node":
                self._node(child, M, depth + 1)
            elif child.tag == "instance_node":
                self._node(self._named(child), M, depth + 1)
            elif child.tag == "instance_geometry":
                self._add(self._named(child), M)
            elif child.tag == "instance_controller":
                self._controller(self._named(child), M)

    def _transform(self, element: Element) -> Matrix:
        M = np.eye(4)
        count = {"matrix": 16, "rotate": 4}.get(element.tag, 3)
        x = self._numbers(element, _text(element), count)
        if element.tag == "matrix":
            return x.reshape(4, 4)
        if element.tag == "translate":
            M[:3, 3] = x
        elif element.tag == "scale":
            M[:3, :3] = np.diag(x)
        else:
            length = float(np.linalg.norm(x[:3]))
            if length > 0.0:
                M[:3, :3] = rotations.to_matrix(rotations.from_axis_angle(x[:3] / length, np.deg2rad(x[3])))
        return M

    def _controller(self, controller: Element, M: Matrix) -> None:
        """A skinned mesh in its bind pose."""
        skin = controller.first("skin")
        if skin is None:
            return
        shape = skin.first("bind_shape_matrix")
        bound = np.eye(4) if shape is None else self._numbers(shape, _text(shape), 16).reshape(4, 4)
        self._add(self._named(skin, "source"), M @ bound)

    def _add(self, geometry: Element, M: Matrix) -> None:
        mesh = geometry.first("mesh") or geometry.first("convex_mesh")
        if mesh is None:
            return
        if id(mesh) not in self._positions:
            self._positions[id(mesh)] = self._mesh(mesh)
        local = self._positions[id(mesh)]
        self.count += len(local)
        if self.count > MOST_POINTS:
            self._fail(geometry, f"the scene has more than {MOST_POINTS:,} points")
        with np.errstate(over="ignore", invalid="ignore"):  # the caller reports overflow
            self.found.append(local @ M[:3, :3].T + M[:3, 3])

    def _mesh(self, mesh: Element) -> Points:
        """(n, 3) all positions of a mesh."""
        vertices = mesh.first("vertices")
        inputs = vertices.all("input") if vertices is not None else ()
        position = next((e for e in inputs if e.attributes.get("semantic") == "POSITION"), None)
        if position is None:
            return np.zeros((0, 3))
        source = self._named(position, "source")
        array = source.first("float_array")
        if array is None:
            self._fail(source, "the positions have no <float_array>")
        accessor = _first(source, "technique_common", "accessor")
        values = self._numbers(array, _text(array))
        stride = self._whole(accessor, "stride", 3)
        offset = self._whole(accessor, "offset", 0)
        count = self._whole(accessor, "count", max(len(values) - offset, 0) // max(stride, 1))
        if stride < 3 or offset + stride * count > len(values):
            self._fail(
                array, f"{count} positions of {stride} numbers are stated, but there are only {len(values)} numbers"
            )
        positions = values[offset : offset + stride * count].reshape(count, stride)[:, :3]
        faces = [e for e in mesh.children if e.tag in FACES]
        used = np.zeros(count, dtype=bool)
        for face in faces:
            at = self._corners(face)
            if ((at < 0) | (at >= count)).any():
                self._fail(face, f"<{face.tag}> refers to position {int(at.max())}; there are {count}")
            used[at] = True
        return positions[used] if faces else positions

    def _corners(self, face: Element) -> NDArray[np.int64]:
        """The positions that faces use. Each corner has its index at the offset of the VERTEX input."""
        inputs = [(e.attributes.get("semantic"), self._whole(e, "offset", 0)) for e in face.all("input")]
        place = next((offset for semantic, offset in inputs if semantic == "VERTEX"), None)
        if place is None:
            return np.zeros(0, dtype=np.int64)
        stride = 1 + max(offset for _, offset in inputs)
        parts = [p for e in (face, *face.all("ph")) for p in e.all("p")]  # <ph> contains a <p> and holes
        numbers = [self._numbers(p, _text(p))[place::stride] for p in parts]
        corners = np.concatenate([np.zeros(0), *numbers])
        return np.where(np.abs(corners) < 2**31, corners, -1.0).astype(np.int64)

    def _whole(self, element: Element | None, key: str, default: int) -> int:
        text = element.attributes.get(key) if element is not None else None
        if text is None:
            return default
        if not text.strip().isdecimal() or len(text) > 12:
            self._fail(element or self.root, f"{key} is {text[:40]!r}; it needs a whole number")
        return int(text)

    def _numbers(self, element: Element, text: str, count: int | None = None) -> Vector:
        try:
            values: Vector = np.array(text.split(), dtype=np.float64)
        except ValueError:
            self._fail(element, f"<{element.tag}> has words that are not numbers")
        if count is not None and len(values) != count:
            self._fail(element, f"<{element.tag}> has {len(values)} numbers; it needs {count}")
        return values

    def _named(self, element: Element, key: str = "url") -> Element:
        """The element that another element refers to."""
        reference = element.attributes.get(key, "")
        found = self.by_id.get(reference.removeprefix("#")) if reference.startswith("#") else None
        if found is None:
            self._fail(element, f"<{element.tag}> refers to {reference[:60]!r}, which is not in the file")
        return found

    def _fail(self, element: Element, message: str) -> NoReturn:
        raise BadFile(self.path, message, element.line)


def _walk(root: Element) -> Iterator[Element]:
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(element.children)


def _first(root: Element, *tags: str) -> Element | None:
    """The first element along a path of tags from the root."""
    at: Element | None = root
    for tag in tags:
        at = at.first(tag) if at is not None else None
    return at


def _text(element: Element) -> str:
    return "".join(part for part in element.content if isinstance(part, str))
