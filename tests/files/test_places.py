"""An error of a file has the line or the byte of what it names."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manikin as mk
from manikin.errors import BadFile
from manikin.files import places

USDA = '#usda 1.0\n(\n  upAxis = "Y"\n)\n\ndef "A" (\n  references = @{0}@</x>\n)\n{{\n}}\n'
SKELETON = """#usda 1.0

def SkelRoot "R"
{{
    def Skeleton "S"
    {{
        uniform token[] joints = ["a"]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),({0},0,0,1))]
    }}
}}
"""


def document() -> dict[str, Any]:
    return {
        "asset": {"version": "2.0"},
        "extras": {"words": 'brackets ] } and "nodes": ['},
        "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}],
        "skins": [{"joints": [0, 1]}],
        "buffers": [{"byteLength": 4, "uri": "data:;base64,AAAAAA=="}],
    }


def circle(d: dict[str, Any]) -> None:
    d["nodes"][1]["children"] = [0]


def large(d: dict[str, Any]) -> None:
    d["nodes"][1]["translation"] = [0, 1e308, 0]


def garbage(d: dict[str, Any]) -> None:
    d["buffers"][0]["uri"] = "data:;base64,@@@"


def elsewhere(d: dict[str, Any]) -> None:
    d["buffers"][0]["uri"] = "../other.bin"


def not_a_number(d: dict[str, Any]) -> None:
    d["nodes"][1]["translation"] = [0, float("nan"), 0]


CASES = [
    pytest.param(circle, ("name", "a"), id="circle"),
    pytest.param(large, ("name", "b"), id="1e308"),
    pytest.param(garbage, ("byteLength", 4), id="base64"),
    pytest.param(elsewhere, ("uri", "../other.bin"), id="another folder"),
    pytest.param(not_a_number, ("nan", None), id="NaN"),
]


def load(path: Path) -> BadFile:
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    return caught.value


@pytest.mark.parametrize(("spoil", "first"), CASES)
def test_gltf_has_the_line_of_the_node_or_buffer(
    spoil: Callable[[dict[str, Any]], None], first: tuple[str, Any], tmp_path: Path
) -> None:
    thing = document()
    spoil(thing)
    text = json.dumps(thing, indent=1)
    path = tmp_path / "a.gltf"
    path.write_text(text)
    error = load(path)
    wanted = "NaN" if first[0] == "nan" else f'"{first[0]}": {json.dumps(first[1])}'
    (line,) = [i + 1 for i, words in enumerate(text.split("\n")) if wanted in words]
    assert error.line in (line, line - 1)  # the brace above its first entry
    assert str(error).startswith(f"{path}, line {error.line}: ")


@pytest.mark.parametrize(("spoil", "first"), CASES)
def test_glb_has_the_byte(spoil: Callable[[dict[str, Any]], None], first: tuple[str, Any], tmp_path: Path) -> None:
    thing = document()
    spoil(thing)
    text = json.dumps(thing).encode()
    text += b" " * (-len(text) % 4)
    raw = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text
    path = tmp_path / "a.glb"
    path.write_bytes(raw)
    error = load(path)
    wanted = "NaN" if first[0] == "nan" else f'"{first[0]}": {json.dumps(first[1])}'
    assert error.offset is not None
    assert abs(raw.index(wanted.encode()) - error.offset) <= len('{"uri": ')
    assert f", byte {error.offset}: " in str(error)


@pytest.mark.parametrize("text", ['{"asset": {"version": "2.0"},\n"x":' + "[" * 100_000, '{\n"asset": ' + "9" * 9999])
def test_json_that_python_does_not_read_has_a_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    path.write_text(text + ("]" * 100_000 if "[" in text else "") + "}")
    assert load(path).line == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (USDA.format("../../other.usda"), 7),
        (USDA.format("/etc/hosts"), 7),
        (SKELETON.format("nan"), 8),
        (SKELETON.format("1e308"), 8),
        ("#usda 1.0\n" + 'def "x"\n{\n' * 2000 + "}\n" * 2000, 2003),
    ],
)
def test_usd_text_has_the_line(text: str, line: int, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    path = tmp_path / "a.usda"
    path.write_text(text)
    assert load(path).line == line


@pytest.mark.parametrize("ending", [".bvh", ".glb", ".usda", ".usdz", ".fbx", ".c3d", ".trc", ".urdf", ".json"])
def test_an_empty_file_ends_at_byte_0(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"")
    with pytest.raises(BadFile, match="byte 0: the file is empty") as caught:
        (mk.load_markers if ending in (".c3d", ".trc") else mk.load_figure)(path)
    assert caught.value.offset == 0


def test_an_fbx_that_is_cut_off_has_the_byte_of_the_record(tmp_path: Path) -> None:
    pytest.importorskip("ufbx", reason="ufbx is not installed")
    path = tmp_path / "a.fbx"
    path.write_bytes(b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<IIIIB", 7400, 5000, 0, 0, 3) + b"abc")
    assert load(path).offset == 27


def test_a_urdf_with_1e308_has_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    joint = "<joint name='j' type='fixed'>\n<origin xyz='1e308 0 0'/><parent link='a'/><child link='b'/></joint>"
    path.write_text(f"<robot name='r'><link name='a'/><link name='b'/>\n{joint}</robot>")
    assert load(path).line == 3


def test_what_is_not_in_the_list_is_not_found() -> None:
    assert places.element('{"nodes": [{}]}', "nodes", 3) is None
    assert places.element('{"nodes": [{}]}', "skins", 0) is None
    assert places.element("[1, 2]", "nodes", 0) is None


def test_the_place_survives_a_process_of_its_own(tmp_path: Path) -> None:
    thing = document()
    circle(thing)
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(thing, indent=1))
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path, safe=True)
    assert caught.value.line == load(path).line
