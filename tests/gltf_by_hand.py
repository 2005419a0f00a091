"""glTF by the letter of the specification, written apart from the package: a reader that multiplies node matrices out
one by one, and a maker of small files."""

from __future__ import annotations

import base64
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
LARGEST = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class ByHand:
    """A file, its numbers taken out with `struct`, its poses made of 4×4 matrices."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        binary = b""
        if data[:4] == b"glTF":
            (size,) = struct.unpack_from("<I", data, 12)
            self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
            binary = data[28 + size :]
        else:
            self.json = json.loads(data)
        self.buffers = []
        for buffer in self.json.get("buffers", []):
            uri = buffer.get("uri")
            if uri is None:
                self.buffers.append(binary)
            elif uri.startswith("data:"):
                self.buffers.append(base64.b64decode(uri.split(",")[1]))
            else:
                self.buffers.append((path.parent / uri).read_bytes())
        self.nodes: list[dict[str, Any]] = self.json["nodes"]
        self.parents = {c: i for i, n in enumerate(self.nodes) for c in n.get("children", [])}

    def values(self, accessor: int) -> list[list[float]]:
        """The elements of an accessor, each a list of numbers."""
        a = self.json["accessors"][accessor]
        width, kind = WIDTHS[a["type"]], a["componentType"]
        out = [[0.0] * width for _ in range(a["count"])]
        if "bufferView" in a:
            out = self._elements(a["bufferView"], a.get("byteOffset", 0), kind, width, a["count"])
        if "sparse" in a:
            s = a["sparse"]
            i, v = s["indices"], s["values"]
            at = self._elements(i["bufferView"], i.get("byteOffset", 0), i["componentType"], 1, s["count"])
            new = self._elements(v["bufferView"], v.get("byteOffset", 0), kind, width, s["count"])
            for (k,), value in zip(at, new, strict=True):
                out[int(k)] = value
        if a.get("normalized"):
            out = [[max(x / LARGEST[kind], -1.0) for x in row] for row in out]
        return out

    def _elements(self, view: int, offset: int, kind: int, width: int, count: int) -> list[list[float]]:
        v = self.json["bufferViews"][view]
        one = struct.calcsize("<" + FORMATS[kind]) * width
        start, step = v.get("byteOffset", 0) + offset, v.get("byteStride", one)
        data = self.buffers[v["buffer"]]
        return [
            [float(x) for x in struct.unpack_from(f"<{width}{FORMATS[kind]}", data, start + k * step)]
            for k in range(count)
        ]

    def moved(self, animation: int, time: float) -> dict[tuple[int, str], np.ndarray]:
        """Value of each channel of an animation at a time."""
        out = {}
        a = self.json["animations"][animation]
        for channel in a["channels"]:
            target, sampler = channel["target"], a["samplers"][channel["sampler"]]
            if target["path"] in ("translation", "rotation", "scale") and "node" in target:
                times = [t for (t,) in self.values(sampler["input"])]
                keys = [np.array(v) for v in self.values(sampler["output"])]
                way = sampler.get("interpolation", "LINEAR")
                out[target["node"], target["path"]] = _at(times, keys, way, target["path"] == "rotation", time)
        return out

    def world(self, moved: dict[tuple[int, str], np.ndarray] | None = None) -> list[np.ndarray]:
        """4×4 of each node, to the world."""
        local = [self._local(i, moved or {}) for i in range(len(self.nodes))]
        out = []
        for i in range(len(self.nodes)):
            M, at = local[i], i
            while at in self.parents:
                at = self.parents[at]
                M = local[at] @ M
            out.append(M)
        return out

    def _local(self, i: int, moved: dict[tuple[int, str], np.ndarray]) -> np.ndarray:
        node = self.nodes[i]
        if "matrix" in node:
            return np.array(node["matrix"], dtype=float).reshape(4, 4).T
        t = moved.get((i, "translation"), np.array(node.get("translation", (0, 0, 0)), dtype=float))
        q = moved.get((i, "rotation"), np.array(node.get("rotation", (0, 0, 0, 1)), dtype=float))
        s = moved.get((i, "scale"), np.array(node.get("scale", (1, 1, 1)), dtype=float))
        x, y, z, w = q / np.linalg.norm(q)
        T, R, S = np.eye(4), np.eye(4), np.diag([*s, 1.0])
        T[:3, 3] = t
        R[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return T @ R @ S


def _at(times: list[float], keys: list[np.ndarray], way: str, turning: bool, time: float) -> np.ndarray:
    """A sampler at a time (Appendix C of the specification)."""
    values = keys[1::3] if way == "CUBICSPLINE" else keys
    if time <= times[0]:
        return values[0]
    if time >= times[-1]:
        return values[-1]
    k = max(i for i, t in enumerate(times) if t <= time)
    if way == "STEP":
        return values[k]
    span = times[k + 1] - times[k]
    t = (time - times[k]) / span
    a, b = values[k], values[k + 1]
    if way == "LINEAR":
        if not turning:
            return (1 - t) * a + t * b
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        d = float(a @ b)
        angle = math.acos(min(abs(d), 1.0))
        if angle < 1e-7:
            return a
        return (
            math.sin(angle * (1 - t)) / math.sin(angle) * a
            + math.copysign(1, d) * math.sin(angle * t) / math.sin(angle) * b
        )
    m, n = span * keys[3 * k + 2], span * keys[3 * k + 3]
    out = (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * m + (-2 * t**3 + 3 * t**2) * b + (t**3 - t**2) * n
    return out / np.linalg.norm(out) if turning else out


class Maker:
    """A file under construction: its JSON, to which arrays are added."""

    def __init__(self, nodes: list[dict[str, Any]], **more: Any) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "nodes": nodes, **more}
        self.binary = b""

    def add(self, values: Any, kind: str = "", component: int = 5126, stride: int = 0, **more: Any) -> int:
        """Put an array into the buffer; returns its accessor. `stride` bytes from one element to the next."""
        array = np.asarray(values, dtype="<" + FORMATS[component])
        rows = array.reshape(len(array), -1)
        kind = kind or {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[rows.shape[1]]
        elements = [row.tobytes() for row in rows]
        if stride:
            elements = [e + b"\xff" * (stride - len(e)) for e in elements]
        view = self.view(b"".join(elements), **({"byteStride": stride} if stride else {}))
        accessor = {"bufferView": view, "componentType": component, "type": kind, "count": len(rows), **more}
        self.json.setdefault("accessors", []).append(accessor)
        return len(self.json["accessors"]) - 1

    def view(self, data: bytes, **more: Any) -> int:
        self.json.setdefault("bufferViews", []).append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **more}
        )
        self.binary += data + b"\0" * (-len(data) % 4)
        return len(self.json["bufferViews"]) - 1

    def animate(self, name: str | None, *channels: tuple[int, str, Any, Any, str]) -> Maker:
        """Add an animation of channels (node, path, times, values, interpolation)."""
        animation: dict[str, Any] = {"channels": [], "samplers": []} | ({"name": name} if name is not None else {})
        for node, path, times, values, way in channels:
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
            )
            animation["samplers"].append({"input": self.add(times), "output": self.add(values), "interpolation": way})
        self.json.setdefault("animations", []).append(animation)
        return self

    def skin(self, joints: list[int], inverse: Any = None) -> Maker:
        skin: dict[str, Any] = {"joints": joints}
        if inverse is not None:
            skin["inverseBindMatrices"] = self.add([np.asarray(m).T for m in inverse])
        self.json.setdefault("skins", []).append(skin)
        return self

    def write(self, path: Path) -> Path:
        """As .gltf with a data URI, or as .glb, by the ending."""
        root = dict(self.json)
        if path.suffix == ".gltf":
            if self.binary:
                uri = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
                root["buffers"] = [{"byteLength": len(self.binary), "uri": uri}]
            path.write_text(json.dumps(root))
            return path
        if self.binary:
            root["buffers"] = [{"byteLength": len(self.binary)}]
        path.write_bytes(glb(json.dumps(root).encode(), self.binary))
        return path


def glb(text: bytes, binary: bytes = b"") -> bytes:
    """A GLB of some JSON and bytes."""
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def turn(axis: Any, degrees: float) -> list[float]:
    """A quaternion xyzw."""
    a = np.asarray(axis, dtype=float)
    a = a / np.linalg.norm(a)
    half = math.radians(degrees) / 2
    return [*(math.sin(half) * a).tolist(), math.cos(half)]
