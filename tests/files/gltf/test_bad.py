"""glTF files that are cut off, wrong or hostile: one BadFile each, with the path, in bounded time and memory."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import struct
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_by_hand import Maker, glb, turn
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadFile, ManikinError, Unsupported


def good() -> Maker:
    """Two joints, an animation, inverse bind matrices."""
    maker = Maker([{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 1, 0]}])
    maker.skin([0, 1], [np.eye(4), np.eye(4)])
    return maker.animate("Go", (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 90)], "LINEAR"))


def refused(path: Path, kind: type[ManikinError] = BadFile) -> str:
    """What is said of a file, which both readers refuse alike, without much memory."""
    tracemalloc.start()
    said = []
    for load in (mk.load_figure, mk.load_motion):
        with pytest.raises(kind) as caught:
            load(path)
        said.append(str(caught.value))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6 + 40 * path.stat().st_size
    assert said[0] == said[1]
    assert said[0].startswith(str(path))
    assert len(said[0]) < len(str(path)) + 300
    return said[0]


Change = Callable[[dict[str, Any]], Any]


def at(*keys: Any, to: Any) -> Change:
    """A change of one value of the JSON."""

    def change(root: dict[str, Any]) -> None:
        thing: Any = root
        for key in keys[:-1]:
            thing = thing[key]
        thing[keys[-1]] = to

    return change


WRONG: list[tuple[Change, str]] = [
    (at("asset", to=5), "this is not a glTF file: it needs an asset with a version"),
    (at("asset", to={}), "this is not a glTF file: it needs an asset with a version"),
    (at("nodes", to=[]), "the file has no nodes"),
    (at("nodes", to={"0": {}}), "nodes needs a list of objects"),
    (at("nodes", to=[1, 2]), "nodes needs a list of objects"),
    (at("nodes", 0, "children", to=5), "node 0: children needs a list of whole numbers, got 5"),
    (at("nodes", 0, "children", to=[7]), "node 0: children is 7; it needs a whole number from 0 to 1"),
    (at("nodes", 0, "children", to=[-1]), "node 0: children is -1"),
    (at("nodes", 0, "children", to=[True]), "node 0: children needs a whole number, got True"),
    (at("nodes", 0, "children", to=[0.5]), "node 0: children needs a whole number, got 0.5"),
    (at("nodes", 0, "children", to=[0]), "the parents of nodes form a cycle: 0, 0"),
    (at("nodes", 1, "children", to=[0]), "the parents of nodes form a cycle: 0, 1, 0"),
    (at("nodes", 0, "children", to=[1, 1]), "node 1 is a child of node 0 and of node 0; a node has only one parent"),
    (at("nodes", to=[{"children": [2]}, {"children": [2]}, {}]), "node 2 is a child of node 0 and of node 1"),
    (at("nodes", to=[{}, {"children": [2]}, {"children": [3]}, {"children": [1]}]), "cycle: 1, 3, 2, 1"),
    (at("nodes", 1, "translation", to=[0, 1]), "node 1 'B': translation needs 3 numbers, got [0, 1]"),
    (at("nodes", 1, "translation", to="abc"), "node 1 'B': translation needs 3 numbers, got abc"),
    (at("nodes", 1, "translation", to=[0, 1, None]), "translation needs numbers between ±1e+15, got None"),
    (at("nodes", 1, "translation", to=[0, 1e308, 0]), "translation needs numbers between ±1e+15, got 1e+308"),
    (at("nodes", 1, "translation", to=[0, 10**400, 0]), "translation needs numbers between ±1e+15"),
    (at("nodes", 1, "rotation", to=[0, 0, 0, 0]), "its rotation is a quaternion of length 0; it needs length 1"),
    (at("nodes", 1, "matrix", to=[1] * 15), "matrix needs 16 numbers"),
    (at("nodes", 1, "matrix", to=[1] * 16), "the last row of its matrix is [1.0, 1.0, 1.0, 1.0]"),
    (at("nodes", 1, "name", to=5), "node 1: name needs a string, got 5"),
    (at("scene", to=3), "the file: scene is 3"),
    (at("scenes", to=[{"nodes": [9]}]), "scene 0: nodes is 9; it needs a whole number from 0 to 1"),
    (at("skins", 0, "joints", to=[5]), "skin 0: joints is 5"),
    (at("skins", 0, "joints", to=[]), "skin 0 has no joints"),
    (at("skins", 0, "joints", to=[0, 1, 0]), "skin 0 has 3 joints and 2 inverse bind matrices"),
    (at("skins", 0, "inverseBindMatrices", to=1), "skin 0: accessor 1 is SCALAR; it needs MAT4"),
    (at("skins", 0, "inverseBindMatrices", to=99), "skin 0: inverseBindMatrices is 99"),
    (at("animations", 0, "channels", 0, "sampler", to=4), "animation 'Go', channel 0: sampler is 4"),
    (at("animations", 0, "channels", 0, "target", to=4), "animation 'Go', channel 0: target needs an object, got 4"),
    (at("animations", 0, "channels", 0, "target", to=None), "animation 'Go', channel 0 has no target"),
    (at("animations", 0, "channels", 0, "target", "node", to=4), "animation 'Go', channel 0: node is 4"),
    (at("animations", 0, "channels", to=3), "animation 'Go': channels needs a list of objects"),
    (at("animations", 0, "samplers", 0, "input", to=2), "accessor 2 is VEC4; it needs SCALAR"),
    (at("animations", 0, "samplers", 0, "input", to=None), "input needs a whole number, got None"),
    (at("animations", 0, "samplers", 0, "output", to=1), "accessor 1 is SCALAR; it needs VEC4"),
    (
        at("animations", 0, "samplers", 0, "interpolation", to="BEZIER"),
        "interpolation is BEZIER; it needs STEP, LINEAR",
    ),
    (at("animations", 0, "samplers", 0, "interpolation", to="CUBICSPLINE"), "2 times need 6 values, but there are 2"),
    (at("accessors", 1, "count", to=1), "1 times need 1 values, but there are 2"),
    (at("accessors", 1, "count", to=0), "accessor 1: count is 0; it needs a whole number from 1"),
    (
        at("accessors", 1, "count", to=10**12),
        "accessor 1: 1000000000000 elements need 4000000000000 bytes, but view 1 has 8",
    ),
    (at("accessors", 1, "count", to=10**30), "accessor 1: count is 1"),
    (at("accessors", 1, "byteOffset", to=4), "accessor 1: 2 elements need 12 bytes, but view 1 has 8"),
    (at("accessors", 1, "byteOffset", to=-4), "accessor 1: byteOffset is -4"),
    (at("accessors", 1, "componentType", to=5130), "accessor 1: componentType is 5130; it needs one of 5120"),
    (at("accessors", 1, "type", to="VEC5"), "accessor 1: type is VEC5; it needs one of SCALAR"),
    (at("accessors", 1, "bufferView", to=50), "accessor 1: bufferView is 50"),
    (at("bufferViews", 1, "buffer", to=1), "view 1: buffer is 1"),
    (at("bufferViews", 1, "byteOffset", to=10**9), "view 1 is at bytes 1000000000 to 1000000008, but buffer 0 has"),
    (at("bufferViews", 1, "byteLength", to=10**15), "view 1 is at bytes"),
    (at("bufferViews", 1, "byteLength", to=0), "view 1: byteLength is 0"),
    (at("bufferViews", 1, "byteStride", to=2), "accessor 1: its elements have 4 bytes, but the stride of view 1 is 2"),
    (at("bufferViews", 1, "byteStride", to=0), "view 1: byteStride is 0"),
    (at("bufferViews", 1, "byteStride", to=1000), "view 1: byteStride is 1000"),
    (at("buffers", 0, "byteLength", to=10**12), "buffer 0 states 1000000000000 bytes, but it has"),
    (at("buffers", 0, "byteLength", to="many"), "buffer 0: byteLength needs a whole number, got many"),
    (
        at("accessors", 1, "sparse", to={"count": 9}),
        "accessor 1: sparse: count is 9; it needs a whole number from 1 to 2",
    ),
    (at("accessors", 1, "sparse", to={"count": 1}), "accessor 1: sparse indices: bufferView needs a whole number"),
    (at("extensions", to={"VRM": 5}), "extensions: VRM needs an object, got 5"),
    (at("extensions", to={"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 7}}}}}), "bone 'hips': node is 7"),
    (
        at("extensions", to={"VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 7}]}}}),
        "bone 'hips': node is 7",
    ),
    (at("extensions", to=[]), "the file: extensions needs an object"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[m for _, m in WRONG])
def test_what_is_wrong_in_a_file_is_told_as_what_it_is(tmp_path: Path, change: Change, message: str) -> None:
    maker = good()
    root = maker.json | {"buffers": [{"byteLength": len(maker.binary)}]}
    change(root)
    (tmp_path / "bad.glb").write_bytes(glb(json.dumps(root).encode(), maker.binary))
    assert message in refused(tmp_path / "bad.glb")


@pytest.mark.parametrize(
    ("index", "values", "message"),
    [
        (2, [[np.nan, 0, 0, 1], [0, 0, 0, 1]], "accessor 2: element 0 has the number nan"),
        (2, [[0, 0, 0, 1], [0, np.inf, 0, 1]], "accessor 2: element 1 has the number inf"),
        (2, [[0, 0, 0, 1], [0, 0, 0, 0]], "channel 0: key 1 is a quaternion of length 0; it needs length 1"),
        (2, [[0, 0, 0, 1], [3e38, 0, 0, 0]], "accessor 2: element 1 has the number 3"),
        (1, [1, 0], "channel 0: times must increase, but 0 s comes after 1 s"),
        (1, [0, np.nan], "accessor 1: element 1 has the number nan"),
        (0, [[np.nan] * 16] * 2, "accessor 0: element 0 has the number nan"),
    ],
)
def test_numbers_that_are_none_are_told_with_their_place(tmp_path: Path, index: int, values: Any, message: str) -> None:
    maker = good()
    start = maker.json["bufferViews"][index]["byteOffset"]
    raw = np.asarray(values, "<f4").tobytes()
    maker.binary = maker.binary[:start] + raw + maker.binary[start + len(raw) :]
    assert message in refused(maker.write(tmp_path / "bad.glb"))


@pytest.mark.parametrize(
    "text", ["NaN", "1e999", "Infinity", "-1e400", '"\\ud800"x', "[" * 100_000, '{"a":' * 50_000, ""]
)
def test_json_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    for name, data in (
        ("bad.gltf", b'{"asset": {"version": "2.0"}, "nodes": [{"translation": [' + text.encode() + b",0,0]}]}"),
        ("bad.glb", glb(b'{"asset": {"version": "2.0"}, "nodes": [{"translation": [' + text.encode() + b",0,0]}]}")),
    ):
        (tmp_path / name).write_bytes(data)
        assert "JSON is" in refused(tmp_path / name)


def test_the_line_of_wrong_json_is_told_and_in_a_glb_the_byte(tmp_path: Path) -> None:
    text = b'{"asset": {"version": "2.0"},\n"nodes": [}\n'
    (tmp_path / "a.gltf").write_bytes(text)
    (tmp_path / "a.glb").write_bytes(glb(text))
    with pytest.raises(BadFile, match="line 2: the JSON is invalid") as caught:
        mk.load_figure(tmp_path / "a.gltf")
    assert caught.value.line == 2
    with pytest.raises(BadFile, match="byte 60: the JSON is invalid") as caught:
        mk.load_figure(tmp_path / "a.glb")
    assert caught.value.offset == 60
    (tmp_path / "b.gltf").write_bytes(b'{"asset": "\xff\xfe"}')
    assert "not UTF-8" in refused(tmp_path / "b.gltf")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda d: d[:8], "the file is cut off: it has 8 bytes"),
        (lambda d: d[:100], "the file is cut off: it states"),
        (lambda d: d[:-1], "the file is cut off: it states"),
        (lambda d: d[:12] + struct.pack("<I", 2**32 - 1) + d[16:], "a chunk states 4294967295 bytes, but only"),
        (lambda d: d[:16] + b"NOSJ" + d[20:], "the first chunk of a GLB must be JSON"),
        (lambda d: d[:8] + struct.pack("<I", 12), "the first chunk of a GLB must be JSON"),
        (
            lambda d: d[:8] + struct.pack("<I", len(d) + 3) + d[12:] + b"abc",
            "3 bytes after the last chunk are not a chunk",
        ),
        (lambda d: d[:8] + struct.pack("<I", 0) + d[12:], "the first chunk of a GLB must be JSON"),
    ],
)
def test_a_glb_that_is_cut_off_is_told_with_the_byte(tmp_path: Path, data: Any, message: str) -> None:
    path = good().write(tmp_path / "a.glb")
    path.write_bytes(data(path.read_bytes()))
    assert message in refused(path)


def test_other_versions_and_compressed_animations_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = good().write(tmp_path / "a.glb")
    path.write_bytes(b"glTF" + struct.pack("<I", 1) + path.read_bytes()[8:])
    assert "this is binary glTF 1.0; only glTF 2.0 can be read. `npx gltf-pipeline" in refused(path, Unsupported)
    path.write_bytes(b"glTF" + struct.pack("<I", 3) + path.read_bytes()[8:])
    assert "this is GLB version 3; only glTF 2.0 can be read" in refused(path, Unsupported)
    maker = good()
    maker.json["asset"] = {"version": "1.0"}
    assert "this is glTF 1.0; only glTF 2.0 can be read" in refused(maker.write(path), Unsupported)
    maker.json["asset"] = {"version": "2.0", "minVersion": "2.1"}
    assert "this is glTF 2.1" in refused(maker.write(path), Unsupported)
    maker = good()
    compress(maker.json, 2)
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(maker.json | {"buffers": buffers(maker)}))
    monkeypatch.setitem(sys.modules, "meshopt", None)  # as if it were not installed
    assert "is compressed, and the package 'meshopt' is not installed" in refused(path, Unsupported)


def compress(root: dict[str, Any], view: int) -> None:
    """Say that a view is compressed, and that buffer 1 is its fallback."""
    thing = root["bufferViews"][view]
    count = thing["byteLength"] // 4
    compressed = {"buffer": 0, "byteLength": 4, "byteStride": 4, "count": count, "mode": "ATTRIBUTES"}
    root["bufferViews"][view] = {**thing, "buffer": 1, "extensions": {"EXT_meshopt_compression": compressed}}


def buffers(maker: Maker, **fallback: Any) -> list[dict[str, Any]]:
    """Buffer 0 with the bytes of a file, and buffer 1 as the fallback of compressed views."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(maker.binary).decode()
    stands_in = {"extensions": {"EXT_meshopt_compression": {"fallback": True}}}
    size = len(maker.binary)
    return [{"byteLength": size, "uri": uri}, {"byteLength": size, **stands_in, **fallback}]


def test_a_compressed_view_with_a_fallback_buffer_is_read_from_that(tmp_path: Path) -> None:
    maker = good()
    expected = mk.load_motion(maker.write(tmp_path / "plain.glb"))
    for view in range(len(maker.json["bufferViews"])):
        compress(maker.json, view)
    (tmp_path / "a.fallback.bin").write_bytes(maker.binary)
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(maker.json | {"buffers": buffers(maker, uri="a.fallback.bin")}))
    motion = mk.load_motion(path)
    assert (motion.poses == expected.poses).all()
    assert motion.figure.segments == expected.figure.segments
    mk.save(motion, tmp_path / "out.gltf", like=path)
    assert np.allclose(mk.load_motion(tmp_path / "out.gltf").poses, expected.poses)


@pytest.mark.parametrize("asset", [{"version": "1.0"}, {"version": "1.0.1"}, {"version": 1}, {}, None])
def test_gltf_1_is_named_as_such(tmp_path: Path, asset: dict[str, Any] | None) -> None:
    """In 1.0 things have names; an asset was not required, and its version may be a number."""
    root: dict[str, Any] = {
        "nodes": {"hip": {"children": ["knee"]}, "knee": {}},
        "scenes": {"main": {"nodes": ["hip"]}},
    }
    path = tmp_path / "old.gltf"
    path.write_text(json.dumps(root | ({} if asset is None else {"asset": asset})))
    assert "this is glTF 1.0; only glTF 2.0 can be read. `npx gltf-pipeline" in refused(path, Unsupported)


# Buffers


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("../secret.bin", "is outside the folder of this file"),
        ("%2e%2e/secret.bin", "is outside the folder of this file"),
        ("sub/../../secret.bin", "is outside the folder of this file"),
        ("link.bin", "is outside the folder of this file"),
        ("/etc/passwd", "is not a relative path"),
        ("%2fetc/passwd", "is not a relative path"),
        ("..\\secret.bin", "is not a relative path"),
        ("C:/secret.bin", "is not a relative path"),
        ("file:///etc/passwd", "is not a relative path"),
        ("https://example.com/a.bin", "is not a relative path"),
        ("a\0b", "is not a relative path"),
        ("", "is not a relative path"),
        (".", "is outside the folder"),
        ("sub", "is not an ordinary file"),
        ("pipe", "is not an ordinary file"),
        ("none.bin", "to which this file refers, does not exist"),
        ("x" * 5000, "to which this file refers, does not exist"),
        ("short.bin", "buffer 0 states"),
        ("data:application/octet-stream;base64,@@@@", "the data URI is not base64"),
        ("data:application/octet-stream;base64,AAA", "buffer 0 states"),
        ("data:application/octet-stream;base64,ä", "the data URI is not base64"),
        ("data:application/octet-stream;base64,A", "the data URI is not base64"),
        ("data:nonsense", "the data URI has no comma"),
        (7, "buffer 0: uri needs a string"),
        (None, "buffer 0 has no URI, and the file has no binary chunk"),
    ],
)
def test_a_uri_that_leads_astray_is_not_followed(tmp_path: Path, uri: Any, message: str) -> None:
    maker = good()
    (tmp_path / "secret.bin").write_bytes(maker.binary)
    folder = tmp_path / "here"
    (folder / "sub").mkdir(parents=True)
    (folder / "short.bin").write_bytes(b"abc")
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    os.mkfifo(folder / "pipe")
    root = maker.json | {"buffers": [{"byteLength": len(maker.binary), "uri": uri}]}
    (folder / "a.gltf").write_text(json.dumps(root))
    assert message in refused(folder / "a.gltf")


# Sizes


def test_a_million_nodes_and_accessors_without_bytes_are_refused(tmp_path: Path) -> None:
    def refused(path: Path) -> str:
        with pytest.raises(BadFile) as caught:
            mk.load_figure(path)
        return str(caught.value)

    (tmp_path / "a.gltf").write_bytes(b'{"asset":{"version":"2.0"},"nodes":[' + b"{}," * 1_000_000 + b"{}]}")
    assert "the file has 1000001 nodes; the limit is 100000" in refused(tmp_path / "a.gltf")
    (tmp_path / "a.gltf").write_bytes(b'{"asset":{"version":"2.0"},"nodes":[' + b"{}," * 30_000 + b"{}]}")
    assert "30001 nodes would become segments; the limit is 30000" in refused(tmp_path / "a.gltf")
    maker = good()
    maker.json["accessors"][1] = {"type": "SCALAR", "componentType": 5126, "count": 10**12}
    assert "accessor 1 has 1000000000000 elements without bytes in the file" in refused(maker.write(tmp_path / "b.glb"))


def test_accessors_that_overlap_cannot_make_a_small_file_large(tmp_path: Path) -> None:
    maker = Maker([{"children": [i + 1]} for i in range(64)] + [{}])
    big = maker.add(np.tile([0.0, 0.0, 0.0, 1.0], (200_100, 1)))
    times = maker.add(np.arange(200_000))
    for i in range(64):
        maker.json["accessors"].append(dict(maker.json["accessors"][big], byteOffset=16 * i, count=200_000))
    maker.json["animations"] = [
        {
            "channels": [{"sampler": k, "target": {"node": k, "path": "rotation"}} for k in range(64)],
            "samplers": [{"input": times, "output": times + 1 + k} for k in range(64)],
        }
    ]
    path = maker.write(tmp_path / "a.glb")
    tracemalloc.start()
    with pytest.raises(BadFile, match="animations and skins have more than 50000000 numbers"):
        mk.load_figure(path)
    assert tracemalloc.get_traced_memory()[1] < 600e6
    tracemalloc.stop()


def test_frames_times_joints_are_bounded(tmp_path: Path) -> None:
    count = 2000
    maker = Maker([{"children": [i + 1]} for i in range(count - 1)] + [{}]).skin(list(range(count)))
    maker.animate("Long", (0, "translation", np.arange(20_000), np.tile([0, 1, 0], (20_000, 1)), "LINEAR"))
    with pytest.raises(BadFile, match="clip 'Long' has 20000 frames of 8003 numbers"):
        mk.load_motion(maker.write(tmp_path / "a.glb"))


def test_scales_that_multiply_beyond_all_numbers_are_refused(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [{"scale": [1e15] * 3, "children": [i + 1]} for i in range(40)] + [
        {"translation": [1, 0, 0]}
    ]
    path = Maker(nodes).skin([0, 40]).write(tmp_path / "a.glb")
    assert "the scales of the nodes above it make a number that is too large" in refused(path)


@given(rngs())
def test_a_file_with_some_bytes_changed_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, rng: np.random.Generator
) -> None:
    path = good().write(tmp_path_factory.mktemp("fuzz") / "a.glb")
    data = bytearray(path.read_bytes())
    for _ in range(int(rng.integers(1, 6))):
        data[int(rng.integers(12, len(data)))] = int(rng.integers(256))
    path.write_bytes(bytes(data))
    for load in (mk.load_figure, mk.load_motion):
        with contextlib.suppress(ManikinError, UserWarning):
            load(path)


def test_a_value_of_every_kind_in_every_place_is_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    maker = good()
    root = maker.json | {
        "buffers": [{"byteLength": len(maker.binary)}],
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "extensions": {
            "VRM": {
                "humanoid": {
                    "humanBones": [
                        {
                            "bone": "hips",
                            "node": 0,
                            "useDefaultValues": False,
                            "min": {"x": -1, "y": -1, "z": -1},
                            "max": {"x": 1, "y": 1, "z": 1},
                        }
                    ]
                }
            }
        },
    }
    whole = json.dumps(root)
    values: list[Any] = [None, True, -1, 0, 10**20, -1e300, "x", [], {}, [[]]]
    for place in _places(root):
        for value in values:
            changed = json.loads(whole)
            at(*place, to=value)(changed)
            (tmp_path / "a.glb").write_bytes(glb(json.dumps(changed).encode(), maker.binary))
            with contextlib.suppress(ManikinError, UserWarning):
                mk.load_motion(tmp_path / "a.glb")


def _places(thing: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = list(thing) if isinstance(thing, dict) else list(range(len(thing))) if isinstance(thing, list) else []
    return [p for k in keys for p in ((*before, k), *_places(thing[k], (*before, k)))]
