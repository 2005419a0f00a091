"""Small files of every format with any name in them. None of them is made by a writer of names of manikin."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import hostile_seeds as seeds
import numpy as np

import manikin as mk

FBX = (Path(__file__).parent / "files" / "fbx" / "data" / "rig.fbx").read_bytes()
OSIM = """<OpenSimDocument Version="40000"><Model name="small"><JointSet><objects><CustomJoint name="pelvis">
<socket_parent_frame>a</socket_parent_frame><socket_child_frame>b</socket_child_frame><frames>
<PhysicalOffsetFrame name="a"><socket_parent>/bodyset/ground</socket_parent><translation>0 0.93 0</translation>
</PhysicalOffsetFrame><PhysicalOffsetFrame name="b"><socket_parent>/bodyset/pelvis</socket_parent>
</PhysicalOffsetFrame></frames><SpatialTransform></SpatialTransform></CustomJoint></objects></JointSet>
<MarkerSet><objects><Marker name=NAME><socket_parent_frame>/bodyset/pelvis</socket_parent_frame>
<location>0 0 0</location></Marker></objects></MarkerSet></Model></OpenSimDocument>"""


def raw(text: str) -> bytes:
    """The bytes of a text, halves of pairs included."""
    return text.encode("utf-8", "surrogatepass")


def attribute(name: str) -> str:
    """An attribute of XML. What XML cannot hold is there as it is, so that a reader must refuse it."""
    for letter, code in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;"), ("\n", "&#10;"), ("\r", "&#13;")):
        name = name.replace(letter, code)
    return '"' + name.replace("\t", "&#9;") + '"'


def in_text(template: str, *old: str) -> Callable[[str], bytes]:
    """Puts a name in place of words of a text, as it is."""

    def make(name: str) -> bytes:
        text = template
        for word in old:
            text = text.replace(word, name)
        return raw(text)

    return make


def in_xml(template: str, *old: str) -> Callable[[str], bytes]:
    def make(name: str) -> bytes:
        text = template
        for word in old:
            text = text.replace(f'"{word}"', attribute(name))
        return raw(text)

    return make


def in_json(template: str, *old: str) -> Callable[[str], bytes]:
    def make(name: str) -> bytes:
        text = template
        for word in old:
            text = text.replace(f'"{word}"', json.dumps(name))
        return raw(text)

    return make


def saved(thing: object, ending: str) -> bytes:
    """The file of a thing with ordinary names."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, f"x{ending}")
        mk.save(thing, path)  # type: ignore[arg-type]
        return path.read_bytes()


def gltf(name: str, text: bool) -> bytes:
    document, buffer = seeds.gltf_document()
    document["nodes"][2]["name"] = document["animations"][0]["name"] = name
    return (seeds.gltf_text if text else seeds.glb_bytes)(document, buffer)


def usda(name: str) -> bytes:
    text = saved(seeds._motion(), ".usda").decode()
    inside = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return raw(text.replace("Upper", inside))


def fbx(name: str) -> bytes:
    """The name of a bone of the file, which has eleven bytes."""
    return FBX.replace(b"Upper.Arm.L\x00\x01Model", (raw(name) + b"_" * 11)[:11] + b"\x00\x01Model")


def c3d(name: str) -> bytes:
    """The label of a marker, which has as many bytes as the name."""
    label = raw(name)[:120] or b" "
    there = "M" * len(label)
    positions = np.arange(24.0).reshape(4, 2, 3)
    data = saved(mk.Markers([there, "b"], positions, rate=100.0, unit=0.001), ".c3d")
    return data.replace(there.encode(), label)


def table(name: str) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow(["time", name, "x"])
    return raw(out.getvalue() + "0,1,2\n0.1,1,2\n")


def archive(name: str) -> bytes:
    out = io.BytesIO()
    np.savez(out, poses=np.zeros((2, 2)), times=np.arange(2.0), names=np.array([name, "x"]), name=np.array(name))
    return out.getvalue()


def keypoints(name: str) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow([f"{p}_{axis}" for p in (name, "Neck") for axis in "xyz"])
    return raw(out.getvalue() + "1,2,3,4,5,6\n" * 2)


FIGURES: dict[str, Callable[[str], bytes]] = {
    ".bvh": in_text(seeds.BVH, "Left Leg"),
    ".urdf": in_xml(seeds.URDF, "upper", "shoulder", "arm"),
    ".xml": in_xml(seeds.MJCF, "upper", "shoulder", "arm", "tip", "home", "finger"),
    ".json": in_json(saved(seeds._arm(), ".json").decode(), "Upper", "arm"),
    ".gltf": lambda name: gltf(name, text=True),
    ".glb": lambda name: gltf(name, text=False),
    ".vrm": lambda name: gltf(name, text=False),
    ".usda": usda,
    ".fbx": fbx,
}
"""Files with a figure, by ending."""
MARKERS = {
    ".trc": lambda name: saved(seeds._markers(), ".trc").replace(b"RASI", raw(name)),
    ".c3d": c3d,
}
TABLES = {".csv": table, ".npz": archive}
"""Files with a motion of a given figure."""
JSON = {
    "map": in_json(mk.bone_map(mk.human()).to_json(), "Hips", "head", "human"),
    "attachments": in_json(
        '{"format": "manikin-attachments", "version": 1, "figure": "human", "unit": 1.0, "calibrated": false, '
        '"scales": {}, "markers": [{"name": "M", "segment": "Hips", "offset": [0, 0, 0]}]}',
        "M",
        "human",
    ),
}
