"""The meshes of a glTF or VRM file as a new GLB, which a page can draw without knowing the rig.

The new file has one node for each segment of the figure, and every mesh is skinned to these nodes. A point v of a mesh
that follows joint j is at K_j C_j v in the space of its segment: C_j is the inverse bind matrix and K_j the stretch of
the node (`rig`). To draw the figure, a program sets the placements of the segments as world matrices of the nodes. It
does not need the scales, the clips or the tree of the original. A mesh without a skin follows its node.

Nothing of the original is copied as bytes: numbers are read and checked, and pictures are decoded and encoded again.
The file contains no names except those of segments, and no addresses.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Points
from manikin.errors import BadFile, ManikinError
from manikin.files.gltf.builder import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Document
from manikin.files.gltf.display_looks import Looks
from manikin.files.gltf.figure import Source, read_source

TRIANGLES = 4
"""The mode of a primitive that consists of single triangles."""
MOST_SETS = 4
"""Largest number of sets of joints and weights that are read. Each set has four joints."""


def skin_glb(path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None) -> bytes:
    """The meshes of a file as a GLB.

    Raises:
        BadFile: the file is wrong, or has no mesh that can be drawn.
        Unsupported: as `manikin.load_figure`.
    """
    source = read_source(path, within)
    sheet = _Sheet(source)
    for index, node in enumerate(source.document.objects("nodes")):
        if node.get("mesh") is not None:
            sheet.draw(index, node)
    if not sheet.meshes:
        why = f": {sheet.notes[0]}" if sheet.notes else ""
        raise BadFile(source.document.path, f"the file has no mesh that can be drawn{why}")
    return b"".join(sheet.file().chunks())


@dataclass
class _Sheet:
    """Collects the content of the new file."""

    source: Source
    made: Document = field(default_factory=lambda: Document({}))
    meshes: list[dict[str, Any]] = field(default_factory=list)
    skins: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.looks = Looks(self.source.document, self.source.accessors, self.made.arrays)
        names = list(self.source.figure.segment_names)
        self.segments = {part.node.index: names.index(part.name) for part in self.source.rig.parts}
        """The segment of a node."""

    def draw(self, index: int, node: dict[str, Any]) -> None:
        """Adds the mesh of a node. A mesh that cannot be read is left out."""
        document, rig = self.source.document, self.source.rig
        label = f"node {index}"
        meshes = document.objects("meshes")
        try:
            mesh = meshes[document.whole(node, "mesh", label, below=len(meshes))]
            skin = document.index(node, "skin", label, len(self.source.skins))
            if skin is None:
                if index not in rig.places:  # scenery: it does not belong to the figure
                    return
                joints, inverse = [index], np.eye(4)[None]
            else:
                joints = list(self.source.skins[skin].joints)
                given = self.source.skins[skin].inverse
                inverse = np.tile(np.eye(4), (len(joints), 1, 1)) if given is None else given
            parts = [
                self._primitive(primitive, f"{label}: primitive {k}", len(joints), skinned=skin is not None)
                for k, primitive in enumerate(document.objects("primitives", mesh))
            ]
        except ManikinError as error:
            self.notes.append(str(error))
            return
        kept = [part for part in parts if part is not None]
        if kept:
            self.meshes.append({"primitives": kept})
            self.skins.append(self._skin(joints, inverse))

    def file(self) -> Document:
        """The whole file."""
        names = self.source.figure.segment_names
        first = len(names)
        nodes: list[dict[str, Any]] = [{"name": name} for name in names]
        nodes += [{"mesh": k, "skin": k} for k in range(len(self.meshes))]
        self.made.root = {
            "asset": {"version": "2.0", "generator": "manikin studio"},
            "scene": 0,
            "scenes": [{"nodes": list(range(first + len(self.meshes)))}],
            "nodes": nodes,
            "meshes": self.meshes,
            "skins": self.skins,
            **self.looks.root(),
        }
        return self.made

    def _skin(self, joints: list[int], inverse: Matrix) -> dict[str, Any]:
        rig = self.source.rig
        matrices = np.array(inverse, dtype=float)
        for k, joint in enumerate(joints):
            matrices[k, :3] = rig.parts[rig.places[joint]].stretch @ matrices[k, :3]
        columns = np.swapaxes(matrices, 1, 2).reshape(-1, 16)
        return {
            "joints": [self.segments[joint] for joint in joints],
            "inverseBindMatrices": self.made.arrays.add(columns),
        }

    def _primitive(self, primitive: dict[str, Any], label: str, joints: int, *, skinned: bool) -> dict[str, Any] | None:
        """A primitive of the new file; None if it has no triangles."""
        document, accessors, arrays = self.source.document, self.source.accessors, self.made.arrays
        attributes = document.object(primitive, "attributes", label)
        if "KHR_draco_mesh_compression" in document.object(primitive, "extensions", label):
            document.fail(f"{label} is compressed with KHR_draco_mesh_compression")
        mode = document.whole(primitive, "mode", label, below=7, default=TRIANGLES)
        index = document.index(attributes, "POSITION", label, len(accessors))
        if mode != TRIANGLES or index is None:
            return None
        points: Points = accessors.values(index, label, ("VEC3",))
        out: dict[str, Any] = {"POSITION": arrays.add(points, ARRAY_BUFFER, bounds=True)}
        normal = document.index(attributes, "NORMAL", label, len(accessors))
        if normal is not None:
            out["NORMAL"] = arrays.add(
                self._rows(accessors.values(normal, label, ("VEC3",)), points, label), ARRAY_BUFFER
            )
        material, place = self.looks.material(primitive, label)
        spot = None if place is None else document.index(attributes, f"TEXCOORD_{place.set}", label, len(accessors))
        if place is not None and spot is not None:
            flat = self._rows(accessors.values(spot, label, ("VEC2",)), points, label)
            out["TEXCOORD_0"] = arrays.add(place.moved(flat), ARRAY_BUFFER)
        which, weights = self._weights(attributes, label, len(points), joints) if skinned else _all_on_one(len(points))
        out["JOINTS_0"], out["WEIGHTS_0"] = arrays.add(which, ARRAY_BUFFER), arrays.add(weights, ARRAY_BUFFER)
        made: dict[str, Any] = {"attributes": out, "mode": TRIANGLES}
        corners = document.index(primitive, "indices", label, len(accessors))
        if corners is not None:
            numbers = accessors.values(corners, label, ("SCALAR",))[:, 0].astype(np.int64)
            if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(points):
                document.fail(f"{label}: a triangle refers to point {numbers.max()}; there are {len(points)}")
            made["indices"] = arrays.add(numbers[: len(numbers) // 3 * 3], ELEMENT_ARRAY_BUFFER)
        return made if material is None else made | {"material": material}

    def _weights(
        self, attributes: dict[str, Any], label: str, count: int, joints: int
    ) -> tuple[NDArray[np.int64], Matrix]:
        """(n, 4) joints and (n, 4) weights: the four largest of each point, with a sum of 1."""
        document, accessors = self.source.document, self.source.accessors
        which, how = [], []
        for k in range(MOST_SETS):
            pair = [document.index(attributes, f"{name}_{k}", label, len(accessors)) for name in ("JOINTS", "WEIGHTS")]
            if pair[0] is None or pair[1] is None:
                break
            which.append(accessors.values(pair[0], label, ("VEC4",)))
            how.append(accessors.values(pair[1], label, ("VEC4",)))
        if not which or any(len(x) != count for x in (*which, *how)):
            document.fail(f"{label} has a skin, but no joints and weights for each of its {count} points")
        slots, weights = np.hstack(which).astype(np.int64), np.maximum(np.hstack(how), 0.0)
        largest = np.argsort(-weights, axis=1, kind="stable")[:, :4]
        slots, weights = (np.take_along_axis(x, largest, axis=1) for x in (slots, weights))
        slots = np.where(weights > 0.0, slots, 0)
        if (slots < 0).any() or (slots >= joints).any():
            document.fail(f"{label} refers to joint {int(slots.max())}; its skin has {joints} joints")
        total = weights.sum(axis=1, keepdims=True)
        weights = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), [1.0, 0.0, 0.0, 0.0])
        return slots, weights

    def _rows(self, values: Matrix, points: Points, label: str) -> Matrix:
        if len(values) != len(points):
            self.source.document.fail(f"{label} has {len(points)} points, but {len(values)} rows of another attribute")
        return values


def _all_on_one(count: int) -> tuple[NDArray[np.int64], Matrix]:
    """Joints and weights of a mesh that follows one node."""
    return np.zeros((count, 4), np.int64), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
