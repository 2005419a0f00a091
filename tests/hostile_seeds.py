"""A good small file of every format that is read, for tests that break them."""

from __future__ import annotations

import base64
import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from manikin.errors import OddFile

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Leg
  {
    OFFSET 0.1 -0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.5 0
    }
  }
  JOINT Spine
  {
    OFFSET 0 0.5 0
    CHANNELS 2 Zrotation Yposition
  }
}
MOTION
Frames: 3
Frame Time: 0.0333
0 1 0 0 0 0 10 20 30 0 0.5
0 1.1 0 0 0 0 10.5 20 30 1e-3 0.5
0 1.2 0 90 -45 5.5 11 20 30 0 0.6
"""
URDF = """<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="2.5"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="upper"><collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </collision><visual><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></visual></link>
  <link name="lower"><collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
  <link name="grip"><collision><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 1"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="10" velocity="2"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="1 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="grip"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.01"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.002"/>
  <default>
    <joint damping="1"/>
    <default class="finger"><geom type="capsule" size="0.01"/><joint range="0 40"/></default>
  </default>
  <asset><mesh name="part" file="part.stl"/><texture name="t" type="2d" builtin="flat" width="8" height="8"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="base" pos="0 0 0.5" euler="0 0 90">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="upper" pos="0 0 0.3" quat="1 0 0.1 0">
        <joint name="shoulder" type="ball" range="0 80"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <body name="lower" pos="0.3 0 0">
          <joint name="elbow" type="hinge" axis="0 1 1" range="-10 120" ref="5"/>
          <joint name="slide" type="slide" axis="1 0 0" range="0 0.1"/>
          <geom type="sphere" size="0.05" class="finger"/>
          <site name="tip" pos="0.2 0 0"/>
          <body name="finger" pos="0.2 0 0" childclass="finger">
            <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
            <joint name="curl" axis="0 0 1"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="curl" joint2="elbow" polycoef="0 0.5 0 0 0"/>
    <connect body1="finger" body2="upper" anchor="0 0 0" active="false"/>
  </equality>
  <keyframe><key name="home" qpos="0 0 0.5 1 0 0 0 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
"""


def _bvh(path: Path) -> None:
    path.write_text(BVH)


def _urdf(path: Path) -> None:
    path.write_text(URDF)


def _mjcf(path: Path) -> None:
    path.write_text(MJCF)


def _saved(thing: Callable[[], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddFile)
            mk.save(thing(), path)  # type: ignore[arg-type]

    return write


def _arm() -> mk.Figure:
    return mk.Figure(
        "arm",
        [
            mk.Segment("Root", None, mk.Free(), mass=1.0),
            mk.Segment(
                "Upper", "Root", mk.Ball(mk.SwingTwist(swing=(1.0, 0.5), twist=(-1.0, 1.0))), offset=(0, 0.3, 0)
            ),
            mk.Segment("Lower", "Upper", mk.Euler("ZXY", ((-1, 1), (0, 2), (-1, 1))), offset=(0.3, 0, 0)),
            mk.Segment("Grip", "Lower", mk.Slider((1, 0, 0), (0, 0.1)), offset=(0.3, 0, 0)),
            mk.Segment("Tip", "Grip", offset=(0.1, 0, 0), shapes=mk.Capsule((0, 0, 0), (0.1, 0, 0), 0.02)),
        ],
    )


def _motion() -> mk.Motion:
    figure = _arm()
    return mk.Motion(figure, figure.random(np.random.default_rng(0), 4), rate=30, name="Wave")


def _markers() -> mk.Markers:
    positions = np.random.default_rng(0).normal(size=(5, 3, 3)).round(3)
    positions[2, 1] = np.nan
    return mk.Markers(["LASI", "RASI", "C7"], positions, rate=100, unit=0.001)


def gltf_document() -> tuple[dict[str, Any], bytes]:
    """A small glTF with a skin, all three samplers, a matrix node and a VRM humanoid: its JSON and its buffer."""
    times = np.array([0.0, 0.5, 1.0], dtype="<f4")
    turns = np.array([[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0, 0, 0, 1]], dtype="<f4")
    moves = np.array([[0, 1, 0], [0, 1.5, 0], [0, 1, 0]], dtype="<f4")
    cubic = np.zeros((9, 4), dtype="<f4")
    cubic[1::3] = turns
    binds = np.tile(np.eye(4, dtype="<f4"), (3, 1, 1))
    blocks = [times, turns, moves, cubic, binds]
    views, at = [], 0
    for block in blocks:
        views.append({"buffer": 0, "byteOffset": at, "byteLength": block.nbytes})
        at += block.nbytes
    kinds = [("SCALAR", 3), ("VEC4", 3), ("VEC3", 3), ("VEC4", 9), ("MAT4", 3)]
    accessors: list[dict[str, Any]] = [
        {"bufferView": k, "componentType": 5126, "count": count, "type": kind} for k, (kind, count) in enumerate(kinds)
    ]
    accessors[0] |= {"min": [0.0], "max": [1.0]}
    document = {
        "asset": {"version": "2.0", "generator": "tests"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Armature", "children": [1], "matrix": np.diag([2.0, 2, 2, 1]).ravel().tolist()},
            {"name": "Hips", "children": [2], "translation": [0, 1, 0]},
            {"name": "Spine", "children": [3], "translation": [0, 0.5, 0], "rotation": [0, 0, 0.6, 0.8]},
            {"name": "Head", "translation": [0, 0.5, 0], "scale": [1, 1, 1], "skin": 0},
        ],
        "skins": [{"joints": [1, 2, 3], "inverseBindMatrices": 4, "skeleton": 1}],
        "animations": [
            {
                "name": "Wave",
                "samplers": [
                    {"input": 0, "output": 2, "interpolation": "LINEAR"},
                    {"input": 0, "output": 1, "interpolation": "STEP"},
                    {"input": 0, "output": 3, "interpolation": "CUBICSPLINE"},
                ],
                "channels": [
                    {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                    {"sampler": 1, "target": {"node": 2, "path": "rotation"}},
                    {"sampler": 2, "target": {"node": 3, "path": "rotation"}},
                ],
            }
        ],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": at}],
        "extensionsUsed": ["VRMC_vrm"],
        "extensions": {
            "VRMC_vrm": {
                "specVersion": "1.0",
                "humanoid": {"humanBones": {"hips": {"node": 1}, "spine": {"node": 2}, "head": {"node": 3}}},
            }
        },
    }
    return document, b"".join(block.tobytes() for block in blocks)


def gltf_text(document: dict[str, Any], buffer: bytes) -> bytes:
    """A .gltf with its buffer inside."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    return json.dumps({**document, "buffers": [{"byteLength": len(buffer), "uri": uri}]}).encode()


def glb_bytes(document: dict[str, Any], buffer: bytes) -> bytes:
    """A .glb."""
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    buffer += bytes(-len(buffer) % 4)
    length = 12 + 8 + len(text) + 8 + len(buffer)
    head = b"glTF" + struct.pack("<II", 2, length)
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer


def _gltf(path: Path) -> None:
    make = gltf_text if path.suffix == ".gltf" else glb_bytes
    path.write_bytes(make(*gltf_document()))


def _usdz(path: Path) -> None:
    layer = path.with_suffix(".usdc")
    _saved(_motion)(layer)
    path.write_bytes(zipped({layer.name: layer.read_bytes()}))
    layer.unlink()


def zipped(members: dict[str, bytes], compressed: bool = False) -> bytes:
    """A ZIP archive; what is in it is at multiples of 64 bytes, as USD wants it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            pad = -(out.tell() + 30 + len(name.encode()) + 4) % 64
            info.extra = struct.pack("<HH", 0x1986, pad) + bytes(pad)
            archive.writestr(info, content, archive.compression)
    return out.getvalue()


def _fbx(path: Path) -> None:
    path.write_bytes((Path(__file__).parent / "files" / "fbx" / "data" / "rig.fbx").read_bytes())


GOOD: dict[str, tuple[Callable[[Path], None], bool]] = {
    ".bvh": (_bvh, True),
    ".urdf": (_urdf, True),
    ".xml": (_mjcf, True),
    ".json": (_saved(_arm), True),
    ".gltf": (_gltf, True),
    ".glb": (_gltf, False),
    ".vrm": (_gltf, False),
    ".usda": (_saved(_motion), True),
    ".usdc": (_saved(_motion), False),
    ".usdz": (_usdz, False),
    ".fbx": (_fbx, False),
    ".trc": (_saved(_markers), True),
    ".c3d": (_saved(_markers), False),
}
"""By ending: how a good small file is made, and whether it is text."""
