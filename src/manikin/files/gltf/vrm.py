"""The humanoid in a VRM file: VRM 0.x (the extension VRM), VRM 1.0 (VRMC_vrm) and VRM animations.

All of them map bones of a human, with names such as hips or leftUpperArm, to nodes. The names are kept unchanged: in
0.x a thumb is leftThumbProximal, leftThumbIntermediate, leftThumbDistal, in 1.0 leftThumbMetacarpal, leftThumbProximal,
leftThumbDistal. Only 0.x has limits (`vrm_limits`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from manikin.files.gltf.document import Document, short
from manikin.files.gltf.vrm_limits import Muscle, read_muscle

BACKWARD = "VRM 0.x faces −z, unlike glTF and VRM 1.0; the figure is not rotated"
"""The text of a note. The figure is not rotated."""


@dataclass(frozen=True, eq=False)
class Humanoid:
    """The humanoid of a file."""

    version: str
    """0.x or 1.0."""
    bones: dict[str, int]
    """The node of each bone, by the name of the bone in VRM."""
    muscles: dict[str, Muscle] = field(default_factory=dict)
    """The limits of the bones that have any."""


def read_humanoid(document: Document, node_count: int) -> Humanoid | None:
    """Reads the humanoid of a file; None if it is not a VRM.

    Raises:
        BadFile: a bone does not name a node, or limits are malformed.
    """
    extensions = document.object(document.root, "extensions", "the file")
    for name in ("VRMC_vrm", "VRMC_vrm_animation"):
        if extensions.get(name) is not None:
            extension = document.object(extensions, name, "extensions")
            return Humanoid("1.0", _bones(document, extension, name, node_count))
    if extensions.get("VRM") is not None:
        return _old_humanoid(document, document.object(extensions, "VRM", "extensions"), node_count)
    return None


def _bones(document: Document, extension: dict[str, Any], name: str, node_count: int) -> dict[str, int]:
    humanoid = document.object(extension, "humanoid", name)
    bones = document.object(humanoid, "humanBones", f"{name}: humanoid")
    found: dict[str, int] = {}
    for bone in bones:
        thing = document.object(bones, bone, f"{name}: humanBones")
        node = document.index(thing, "node", f"{name}: bone {short(bone)!r}", node_count)
        if node is not None:
            found[bone] = node
    return _each_once(document, found)


def _old_humanoid(document: Document, extension: dict[str, Any], node_count: int) -> Humanoid:
    humanoid = document.object(extension, "humanoid", "VRM")
    bones: dict[str, int] = {}
    muscles: dict[str, Muscle] = {}
    for i, thing in enumerate(document.objects("humanBones", humanoid, "VRM: humanoid: ")):
        name = document.text(thing, "bone", f"VRM: bone {i}")
        label = f"VRM: bone {short(name)!r}"
        if thing.get("node") == -1:  # some exporters write this for a missing bone
            continue
        node = document.index(thing, "node", label, node_count)
        if not name or node is None:
            continue
        if name in bones:
            document.notes.append(f"{label} is given twice; the second is used")
        bones[name] = node
        muscle = read_muscle(document, thing, label)
        if muscle is not None:
            muscles[name] = muscle
    bones = _each_once(document, bones)
    return Humanoid("0.x", bones, {k: v for k, v in muscles.items() if k in bones})


def _each_once(document: Document, bones: dict[str, int]) -> dict[str, int]:
    """The bones, without those whose node already belongs to another bone."""
    first: dict[int, str] = {}
    for bone, node in bones.items():
        if first.setdefault(node, bone) != bone:
            document.notes.append(f"VRM: bones {first[node]} and {short(bone)} are the same node; the first is used")
    return {bone: node for bone, node in bones.items() if first[node] == bone}
