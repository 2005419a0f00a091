"""Shapes around the skins of a glTF file. Each point of a skinned mesh belongs to the joint with the largest weight.

A point v of the mesh is at C_j v in the space of the node of joint j, where C_j is the inverse bind matrix. It is at
K_j C_j v in the space of its segment, where K_j is the stretch of the node (`rig`). The smallest capsule around the
points of a joint is its shape. If a mesh cannot be read, a note says so and its joints have no shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points
from manikin.errors import ManikinError
from manikin.figure.shapes import Shape
from manikin.files.common.fitted import fitted
from manikin.files.gltf.accessors import Accessors
from manikin.files.gltf.document import Document
from manikin.files.gltf.rig import Rig
from manikin.files.gltf.skins import Skin

MOST_SETS = 4
"""Largest number of sets of joints and weights of a mesh. Each set has four joints."""


def skin_shapes(
    document: Document, accessors: Accessors, skins: tuple[Skin, ...], rig: Rig
) -> tuple[dict[str, Shape], list[str]]:
    """The shapes of segments by name, and the names of segments that have a mesh but no shape."""
    meshes = document.objects("meshes")
    found: dict[int, list[Points]] = {}  # by node
    shapeless: list[str] = []
    for i, node in enumerate(document.objects("nodes")):
        if node.get("mesh") is None:
            continue
        label, carriers = f"node {i}", [i]
        try:
            mesh = document.whole(node, "mesh", label, below=len(meshes))
            skin = document.index(node, "skin", label, len(skins))
            if skin is not None:
                carriers = list(skins[skin].joints)
                for joint, points in _by_joint(document, accessors, meshes[mesh], f"mesh {mesh}", skins[skin]):
                    found.setdefault(joint, []).append(points)
                continue
        except ManikinError as error:
            document.notes.append(f"the mesh of {label} cannot be read, so no shapes are fitted to it: {error}")
        shapeless += [rig.parts[rig.places[k]].name for k in carriers if k in rig.places]
    shapes: dict[str, Shape] = {}
    for joint, parts in found.items():
        part = rig.parts[rig.places[joint]]
        with np.errstate(over="ignore", invalid="ignore"):
            points = np.concatenate(parts) @ part.stretch.T
        try:
            shape = fitted(points)
        except ManikinError:  # the numbers are too large or too small
            shapeless.append(part.name)
            continue
        if shape is not None:  # a joint may have a single point
            shapes[part.name] = shape
    return shapes, list(dict.fromkeys(name for name in shapeless if name not in shapes))


def _by_joint(
    document: Document, accessors: Accessors, mesh: dict[str, Any], label: str, skin: Skin
) -> list[tuple[int, Points]]:
    """Nodes of joints, and the points (n, 3) that follow each of them most, in its node's space."""
    out: list[tuple[int, Points]] = []
    for number, primitive in enumerate(document.objects("primitives", mesh)):
        name = f"{label}: primitive {number}"
        attributes = document.object(primitive, "attributes", name)
        if "KHR_draco_mesh_compression" in document.object(primitive, "extensions", name):
            document.fail(f"{name} is compressed with KHR_draco_mesh_compression")
        index = document.index(attributes, "POSITION", name, len(accessors))
        if index is None:
            continue
        positions = accessors.values(index, name, ("VEC3",))
        strongest = _strongest(document, accessors, attributes, name, len(positions))
        if (strongest >= len(skin.joints)).any():
            document.fail(f"{name} refers to joint {int(strongest.max())}; its skin has {len(skin.joints)} joints")
        for k in np.unique(strongest):
            C = np.eye(4) if skin.inverse is None else skin.inverse[k]
            # Matrices may have any size. Points that are not finite get no shape.
            with np.errstate(over="ignore", invalid="ignore"):
                out.append((skin.joints[k], positions[strongest == k] @ C[:3, :3].T + C[:3, 3]))
    return out


def _strongest(
    document: Document, accessors: Accessors, attributes: dict[str, Any], label: str, count: int
) -> NDArray[np.int64]:
    """(count,) the joint of the skin that each point follows most; the first if it follows none."""
    joints, weights = [np.zeros((count, 1))], [np.full((count, 1), 1e-12)]
    for number in range(MOST_SETS):
        at = document.index(attributes, f"JOINTS_{number}", label, len(accessors))
        how = document.index(attributes, f"WEIGHTS_{number}", label, len(accessors))
        if at is None or how is None:
            break
        joints.append(accessors.values(at, label, ("VEC4",)))
        weights.append(accessors.values(how, label, ("VEC4",)))
        if not len(joints[-1]) == len(weights[-1]) == count:
            document.fail(f"{label} has {count} points, {len(joints[-1])} joints and {len(weights[-1])} weights")
    best = np.argmax(np.hstack(weights), axis=1)
    strongest: NDArray[np.int64] = np.hstack(joints)[np.arange(count), best].astype(np.int64)
    return strongest
