"""The meshes of a file as a new GLB: every point is where the original has it, and nothing else is in the file."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_by_hand import ByHand, Maker, turn
from needs import data_file

import manikin as mk
from manikin.errors import BadFile
from manikin.files.gltf.display import skin_glb
from manikin.files.gltf.display_looks import MOST_PIXELS, Placing, encoded_again
from manikin.files.safe import load


def points_by_hand(file: ByHand, world: list[np.ndarray], skip: frozenset[int] = frozenset()) -> np.ndarray:
    """(n, 3) all points of triangle meshes of a file, in the world, by the letter of the specification."""
    out = []
    for k, node in enumerate(file.nodes):
        if "mesh" not in node or k in skip:
            continue
        for primitive in file.json["meshes"][node["mesh"]]["primitives"]:
            attributes = primitive["attributes"]
            points = np.array(file.values(attributes["POSITION"]))
            flat = np.concatenate([points, np.ones((len(points), 1))], axis=1)
            if "skin" not in node:
                out.append((flat @ world[k].T)[:, :3])
                continue
            skin = file.json["skins"][node["skin"]]
            binds = np.array(file.values(skin["inverseBindMatrices"])).reshape(-1, 4, 4).swapaxes(1, 2)
            moves = np.stack([world[j] @ binds[i] for i, j in enumerate(skin["joints"])])
            which = np.array(file.values(attributes["JOINTS_0"])).astype(int)
            weights = np.array(file.values(attributes["WEIGHTS_0"]))
            weights = weights / weights.sum(axis=1, keepdims=True)
            out.append(np.einsum("nk,nkij,nj->ni", weights, moves[which], flat)[:, :3])
    return np.concatenate(out)


def drawn(path: Path, figure: mk.Figure, pose: Any) -> np.ndarray:
    """(n, 3) the points of the new file if its nodes are at the placements of the segments."""
    file = ByHand(path)
    assert [node["name"] for node in file.nodes[: len(figure.segments)]] == list(figure.segment_names)
    placed = figure.placements(pose)
    world = [*placed, *[np.eye(4)] * (len(file.nodes) - len(placed))]
    return points_by_hand(file, world)


@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb", "RobotExpressive.glb", "RiggedSimple.glb"])
def test_points_are_where_the_original_has_them(tmp_path: Path, name: str) -> None:
    path = data_file(f"gltf/{name}")
    original = ByHand(path)
    made = tmp_path / "skin.glb"
    made.write_bytes(skin_glb(path))
    figure = mk.load_figure(path)
    at_rest = points_by_hand(original, original.world())
    size = float(np.abs(at_rest).max())
    assert np.allclose(drawn(made, figure, figure.rest), at_rest, atol=2e-6 * size)
    motion = mk.load_motion(path, clip="0")
    frame = len(motion) // 2
    moved = points_by_hand(original, original.world(original.moved(0, float(motion.times[frame]))))
    assert np.allclose(drawn(made, motion.figure, motion.poses[frame]), moved, atol=2e-5 * size)


def test_a_vrm_is_drawn_too(tmp_path: Path) -> None:
    path = data_file("gltf/sphere_vrm0.vrm")
    made = tmp_path / "skin.glb"
    made.write_bytes(skin_glb(path))
    figure = mk.load_figure(path)
    assert len(drawn(made, figure, figure.rest)) > 100


def test_the_new_file_holds_no_address_and_no_bytes_of_the_old_one(tmp_path: Path) -> None:
    path = data_file("gltf/CesiumMan.glb")
    data = skin_glb(path)
    (size,) = struct.unpack_from("<I", data, 12)
    text = data[20 : 20 + size].decode()
    assert "uri" not in text
    assert "http" not in text
    root = json.loads(text)
    assert set(root) <= {
        *("asset", "scene", "scenes", "nodes", "meshes", "skins", "materials", "images", "samplers", "textures"),
        *("accessors", "bufferViews", "buffers"),
    }
    (image,) = root["images"]
    assert image["mimeType"] in ("image/png", "image/jpeg")
    original = ByHand(path)
    view = original.json["bufferViews"][original.json["images"][0]["bufferView"]]
    start = view.get("byteOffset", 0)
    assert original.buffers[0][start : start + view["byteLength"]] not in data


def test_a_separate_process_makes_the_same_file() -> None:
    path = data_file("gltf/Fox.glb")
    assert load("skin", str(path), {}) == skin_glb(path)


def test_pictures_are_reduced_and_hostile_ones_refused() -> None:
    from PIL import Image

    wide = io.BytesIO()
    Image.new("RGBA", (MOST_PIXELS + 100, 8), (255, 0, 0, 128)).save(wide, "PNG")
    data, kind = encoded_again(wide.getvalue())
    assert kind == "image/png"
    with Image.open(io.BytesIO(data)) as small:
        assert small.size[0] == MOST_PIXELS
    plain = io.BytesIO()
    Image.new("RGB", (4, 4)).save(plain, "PNG")
    assert encoded_again(plain.getvalue())[1] == "image/jpeg"
    for bad in (b"", b"GIF89a", wide.getvalue()[:60], b"\x89PNG\r\n\x1a\n" + b"\0" * 50):
        with pytest.raises((OSError, ValueError, SyntaxError)):
            encoded_again(bad)


def test_the_transform_of_a_picture_is_applied() -> None:
    flat = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    moved = Placing(0, (0.5, 0.25), (2.0, 4.0), np.pi / 2).moved(flat)
    assert np.allclose(moved, [[0.5, 0.25], [0.5, -1.75], [4.5, 0.25]], atol=1e-12)


def one_triangle(**primitive: Any) -> Maker:
    nodes = [
        {"name": "Root", "children": [1], "scale": [2.0, 2.0, 2.0]},
        {"name": "Arm", "translation": [0.0, 1.0, 0.0], "rotation": turn((0, 0, 1), 30.0), "mesh": 0},
    ]
    maker = Maker(nodes, scenes=[{"nodes": [0]}])
    maker.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": maker.add(np.eye(3))}, **primitive}]}]
    return maker.animate("wave", (1, "rotation", [0.0, 1.0], [turn((0, 0, 1), 30.0), turn((0, 0, 1), 80.0)], "LINEAR"))


def test_a_mesh_without_a_skin_follows_its_node(tmp_path: Path) -> None:
    path = one_triangle().write(tmp_path / "a.glb")
    made = tmp_path / "skin.glb"
    made.write_bytes(skin_glb(path))
    original, motion = ByHand(path), mk.load_motion(path)
    for k in (0, len(motion) - 1):
        moved = points_by_hand(original, original.world(original.moved(0, float(motion.times[k]))))
        assert np.allclose(drawn(made, motion.figure, motion.poses[k]), moved, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": 1}, "no mesh that can be drawn"),
        ({"indices": 99}, "no mesh that can be drawn"),
        ({"material": 7}, "no mesh that can be drawn"),
        ({"extensions": {"KHR_draco_mesh_compression": {}}}, "KHR_draco_mesh_compression"),
    ],
)
def test_meshes_that_cannot_be_drawn_are_said(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = one_triangle(**change).write(tmp_path / "a.glb")
    with pytest.raises(BadFile, match=message):
        skin_glb(path)


def test_a_triangle_beyond_the_points_is_refused(tmp_path: Path) -> None:
    maker = one_triangle()
    maker.json["meshes"][0]["primitives"][0]["indices"] = maker.add([0, 1, 9], component=5123)
    with pytest.raises(BadFile, match="refers to point 9"):
        skin_glb(maker.write(tmp_path / "a.glb"))
