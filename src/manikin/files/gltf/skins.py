"""The skins of a glTF file: which nodes are joints, and the bind pose of each skin.

The rest pose of a figure is that of the nodes. A skin also has an inverse bind matrix C_j for each joint: the joint was
at C_j⁻¹ in the space of the mesh when the mesh was bound to it. If the nodes are in the bind pose, all products (node j
to world) C_j are equal. Exporters often leave the nodes in another pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix
from manikin.files.gltf.accessors import Accessors
from manikin.files.gltf.document import Document
from manikin.files.gltf.rig import Rig

AWAY = 1e-4
"""A note reports a joint that is further than this from its bind pose, as a fraction of the figure's size."""


@dataclass(frozen=True, eq=False)
class Skin:
    """One skin."""

    label: str
    joints: tuple[int, ...]
    """Indices of the nodes."""
    inverse: Matrix | None
    """(joints, 4, 4) inverse bind matrices. None if the file has none: they are the identity, and there is no bind
    pose."""


def read_skins(document: Document, accessors: Accessors, node_count: int) -> tuple[Skin, ...]:
    """All skins.

    Raises:
        BadFile: a joint does not exist, or there are fewer matrices than joints.
    """
    skins: list[Skin] = []
    for i, thing in enumerate(document.objects("skins")):
        name = document.text(thing, "name", f"skin {i}")
        label = f"skin {i} {name!r}" if name else f"skin {i}"
        joints = document.indices(thing, "joints", label, node_count)
        if not joints:
            document.fail(f"{label} has no joints")
        index = document.index(thing, "inverseBindMatrices", label, len(accessors))
        inverse = None
        if index is not None:
            values = accessors.values(index, label, ("MAT4",))
            if len(values) < len(joints):
                document.fail(f"{label} has {len(joints)} joints and {len(values)} inverse bind matrices")
            inverse = np.swapaxes(values[: len(joints)].reshape(-1, 4, 4), 1, 2)
        skins.append(Skin(label, tuple(joints), inverse))
    return tuple(skins)


def bind(skins: tuple[Skin, ...], rig: Rig) -> dict[str, tuple[tuple[float, ...], ...]]:
    """C⁻¹ of each joint as rows, by the name of its segment: the bind pose in the space of the mesh. The first skin
    that has the joint counts. Joints with a singular matrix are left out."""
    found: dict[str, tuple[tuple[float, ...], ...]] = {}
    for skin in skins:
        for joint, C in zip(skin.joints, () if skin.inverse is None else skin.inverse, strict=False):
            name = rig.parts[rig.places[joint]].name
            if name not in found and _regular(C):
                found[name] = tuple(tuple(row) for row in np.linalg.inv(C).tolist())
    return found


def bind_notes(skins: tuple[Skin, ...], rig: Rig) -> list[str]:
    """Notes on skins whose bind pose differs from the rest pose. They name the joint with the largest difference."""
    if all(skin.inverse is None for skin in skins):
        return []
    world = node_matrices(rig)
    notes = []
    for skin in skins:
        matrices = skin.inverse
        if matrices is None:
            continue
        first = min(range(len(skin.joints)), key=lambda k: rig.places[skin.joints[k]])
        mesh = world[rig.places[skin.joints[first]]] @ matrices[first]
        away, worst = 0.0, ""
        for joint, C in zip(skin.joints, matrices, strict=True):
            place = rig.places[joint]
            if _regular(C) and np.isfinite(mesh).all():
                # Matrices may have any size. A result that is not finite gives no note.
                with np.errstate(over="ignore", invalid="ignore"):
                    distance = float(np.linalg.norm((mesh @ np.linalg.inv(C))[:3, 3] - world[place][:3, 3]))
                if distance > away:
                    away, worst = distance, rig.parts[place].name
        if away > AWAY * rig.size:
            notes.append(
                f"{skin.label} was bound in a pose that differs from the pose of the nodes, which is the rest "
                f"pose: {worst} is {away:.4g} away"
            )
    return notes


def node_matrices(rig: Rig) -> list[Matrix]:
    """(4, 4) of each part at rest, to the world, including scales."""
    world: list[Matrix] = []
    for part in rig.parts:
        M = np.eye(4)
        M[:3, :3] = rotations.to_matrix(part.node.rotation) @ part.node.stretch
        M[:3, 3] = part.node.translation
        world.append(M if part.parent < 0 else world[part.parent] @ M)
    return world


def _regular(C: Matrix) -> bool:
    """Whether a matrix can be inverted with sufficient accuracy."""
    return bool(np.abs(C).max() < 1e12 and abs(float(np.linalg.det(C))) > 1e-30)
