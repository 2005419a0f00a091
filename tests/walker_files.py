"""The walking person as files: written by hand from the descriptions of the formats, without the package."""

from __future__ import annotations

import base64
import io
import json
import struct
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from walker import ANKLE, BONES, NAMES, PLACES, SHANK, THIGH, TIPS, Array, Walk, markers

RADIUS = 0.05
"""Thickness of the parts of a mesh, in metres."""


def bvh_text(walk: Walk, unit: float = 0.01, order: Any = "ZXY", names: dict[str, str] | None = None) -> str:
    """A BVH file; `unit` is its length in metres, `order` that of its rotations, `names` other names of joints."""
    lines = ["HIERARCHY"]
    called = names or {}
    rotations = " ".join(f"{letter}rotation" for letter in order)

    def add(name: str, depth: int) -> None:
        pad, parent = "  " * depth, BONES[name][0]
        said = called.get(name, name)
        lines.append(f"{pad}{'ROOT' if parent is None else 'JOINT'} {said}")
        lines.append(pad + "{")
        lines.append(f"{pad}  OFFSET {_numbers(np.array(BONES[name][1]) / unit)}")
        moves = "6 Xposition Yposition Zposition" if parent is None else "3"
        lines.append(f"{pad}  CHANNELS {moves} {rotations}")
        for child in [n for n, (p, _) in BONES.items() if p == name]:
            add(child, depth + 1)
        if name in TIPS:
            lines.append(f"{pad}  End Site")
            lines.append(pad + "  {")
            lines.append(f"{pad}    OFFSET {_numbers(np.array(TIPS[name]) / unit)}")
            lines.append(pad + "  }")
        lines.append(pad + "}")

    add("Hips", 0)
    in_file = _depth_first("Hips")
    angles = np.stack(
        [Rotation.from_matrix(walk.turns[:, NAMES.index(n)]).as_euler(order, degrees=True) for n in in_file], axis=1
    )
    lines += ["MOTION", f"Frames: {len(walk)}", f"Frame Time: {1.0 / walk.rate:.9f}"]
    for place, row in zip(walk.root / unit, angles.reshape(len(walk), -1), strict=True):
        lines.append(f"{_numbers(place)} {_numbers(row)}")
    return "\n".join(lines) + "\n"


def _depth_first(name: str) -> list[str]:
    return [name, *(n for child, (p, _) in BONES.items() if p == name for n in _depth_first(child))]


def _numbers(values: Any) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def gltf(walk: Walk, binary: bool, extensions: dict[str, Any] | None = None, mesh: bool = False) -> bytes:
    """A glTF file with the person as nodes, a skin of all of them, and an animation "Walk".

    With `mesh`, each part has eight vertices at `RADIUS` around its middle and its end, which move with it alone."""
    data = io.BytesIO()
    views: list[dict[str, int]] = []
    accessors: list[dict[str, Any]] = []

    def add(values: Any, kind: str, number: str = "<f4") -> int:
        array = np.ascontiguousarray(values, dtype=number)
        component = {"<f4": 5126, "<u2": 5123}[number]
        views.append({"buffer": 0, "byteOffset": data.tell(), "byteLength": array.nbytes})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": kind})
        if kind == "SCALAR":
            accessors[-1] |= {"min": [float(array.min())], "max": [float(array.max())]}
        data.write(array.tobytes())
        return len(accessors) - 1

    nodes: list[dict[str, Any]] = [{"name": n, "translation": list(offset)} for n, (_, offset) in BONES.items()]
    nodes[0]["translation"] = [0.0, THIGH + SHANK + ANKLE, 0.0]
    for name, (parent, _) in BONES.items():
        if parent is not None:
            nodes[NAMES.index(parent)].setdefault("children", []).append(NAMES.index(name))
    time = add(walk.times, "SCALAR")
    outputs = [(0, "translation", add(walk.root, "VEC3"))]
    for k in range(len(NAMES)):
        quaternions = Rotation.from_matrix(walk.turns[:, k]).as_quat()
        outputs.append((k, "rotation", add(quaternions, "VEC4")))
    rest = np.zeros((len(NAMES), 3))
    for k, (parent, _) in enumerate(BONES.values()):
        rest[k] = np.array(nodes[k]["translation"]) + (0.0 if parent is None else rest[NAMES.index(parent)])
    binds = np.tile(np.eye(4), (len(NAMES), 1, 1))
    binds[:, 3, :3] = -rest  # columns first
    scene = [0]
    meshes: dict[str, Any] = {}
    if mesh:
        vertices = np.concatenate([rest[k] + ring(name) for k, name in enumerate(NAMES)])
        owner = np.zeros((len(vertices), 4))
        owner[:, 0] = np.repeat(np.arange(len(NAMES)), 16)
        place = add(vertices, "VEC3")
        accessors[place] |= {"min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()}
        faces = [[16 * k + a, 16 * k + (a + 1) % 8, 16 * k + a + 8] for k in range(len(NAMES)) for a in range(8)]
        attributes = {
            "POSITION": place,
            "JOINTS_0": add(owner, "VEC4", "<u2"),
            "WEIGHTS_0": add(np.tile([1.0, 0.0, 0.0, 0.0], (len(vertices), 1)), "VEC4"),
        }
        index = add(np.ravel(faces), "SCALAR", "<u2")
        meshes = {"meshes": [{"primitives": [{"attributes": attributes, "indices": index}]}]}
        nodes.append({"name": "Body", "mesh": 0, "skin": 0})
        scene.append(len(NAMES))
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": scene}],
        "nodes": nodes,
        **meshes,
        "skins": [{"joints": list(range(len(NAMES))), "inverseBindMatrices": add(binds, "MAT4"), "skeleton": 0}],
        "animations": [
            {
                "name": "Walk",
                "samplers": [{"input": time, "output": output} for _, _, output in outputs],
                "channels": [
                    {"sampler": k, "target": {"node": node, "path": path}} for k, (node, path, _) in enumerate(outputs)
                ],
            }
        ],
        "accessors": accessors,
        "bufferViews": views,
        **(extensions or {}),
    }
    content = data.getvalue()
    if binary:
        return _glb(document, content)
    uri = "data:application/octet-stream;base64," + base64.b64encode(content).decode()
    return json.dumps({**document, "buffers": [{"byteLength": len(content), "uri": uri}]}).encode()


def ring(name: str) -> Array:
    """(16, 3) two rings around a part, at its middle and its end, relative to its joint."""
    end = np.array(TIPS.get(name) or next(offset for parent, offset in BONES.values() if parent == name))
    along = end / np.linalg.norm(end)
    side = np.cross(along, [0.36, 0.48, 0.8])
    side /= np.linalg.norm(side)
    angles = np.arange(8) * np.pi / 4.0
    ring = RADIUS * (np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(along, side))
    return np.concatenate([0.5 * end + ring, end + ring])


def _glb(document: dict[str, Any], content: bytes) -> bytes:
    text = json.dumps({**document, "buffers": [{"byteLength": len(content)}]}).encode()
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + 8 + len(content)
    head = b"glTF" + struct.pack("<II", 2, length) + struct.pack("<I4s", len(text), b"JSON") + text
    return head + struct.pack("<I4s", len(content), b"BIN\0") + content


def usda_text(walk: Walk) -> str:
    """A USD layer with the person as a skeleton, in metres, and its animation at 24 time codes a second."""
    paths: dict[str, str] = {}
    for name, (parent, _) in BONES.items():
        paths[name] = name if parent is None else f"{paths[parent]}/{name}"
    rest = {n: np.array(offset) for n, (_, offset) in BONES.items()}
    rest["Hips"] = np.array([0.0, THIGH + SHANK + ANKLE, 0.0])
    bind: dict[str, Array] = {}
    for name, (parent, _) in BONES.items():
        bind[name] = rest[name] + (0.0 if parent is None else bind[parent])

    def matrix(at: Array) -> str:
        return f"( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), ({at[0]:.9g}, {at[1]:.9g}, {at[2]:.9g}, 1) )"

    def listed(values: Any) -> str:
        return "[" + ", ".join(values) + "]"

    joints = listed(f'"{path}"' for path in paths.values())
    codes = walk.times * 24.0
    moves, turns = [], []
    quaternions = [Rotation.from_matrix(walk.turns[:, k]).as_quat() for k in range(len(NAMES))]
    for t, code in enumerate(codes):
        places = [walk.root[t] if n == "Hips" else rest[n] for n in NAMES]
        moves.append(f"{code:.9g}: " + listed(f"({_numbers(p).replace(' ', ', ')})" for p in places))
        turns.append(
            f"{code:.9g}: "
            + listed(f"({q[t][3]:.9g}, {q[t][0]:.9g}, {q[t][1]:.9g}, {q[t][2]:.9g})" for q in quaternions)
        )
    between = ",\n            "
    return f"""#usda 1.0
(
    defaultPrim = "Person"
    metersPerUnit = 1
    upAxis = "Y"
    timeCodesPerSecond = 24
    startTimeCode = 0
    endTimeCode = {codes[-1]:.9g}
)

def SkelRoot "Person"
{{
    def Skeleton "Skel" (prepend apiSchemas = ["SkelBindingAPI"])
    {{
        uniform token[] joints = {joints}
        uniform matrix4d[] bindTransforms = {listed(matrix(bind[n]) for n in NAMES)}
        uniform matrix4d[] restTransforms = {listed(matrix(rest[n]) for n in NAMES)}
        rel skel:animationSource = </Person/Skel/Walk>

        def SkelAnimation "Walk"
        {{
            uniform token[] joints = {joints}
            half3[] scales = {listed("(1, 1, 1)" for _ in NAMES)}
            float3[] translations.timeSamples = {{
            {between.join(moves)}
            }}
            quatf[] rotations.timeSamples = {{
            {between.join(turns)}
            }}
        }}
    }}
}}
"""


def trc_text(walk: Walk) -> str:
    """The markers as a TRC file in millimetres."""
    at = 1000.0 * markers(walk)
    rate, frames, count = f"{walk.rate:g}", len(walk), len(PLACES)
    lines = [
        "PathFileType\t4\t(X/Y/Z)\twalk.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tmm\t{rate}\t1\t{frames}",
        "Frame#\tTime\t" + "\t".join(f"{name}\t\t" for name in PLACES),
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, count + 1)),
        "",
    ]
    for t in range(frames):
        lines.append(f"{t + 1}\t{t / walk.rate:.6f}\t" + "\t".join(f"{x:.5f}" for x in at[t].ravel()))
    return "\n".join(lines) + "\n"
