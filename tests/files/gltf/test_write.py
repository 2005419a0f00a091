"""Writing a motion into a user's own glTF file: the animation goes in, all else stays as it is."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from gltf_by_hand import ByHand, Maker, glb, turn

import manikin as mk
from manikin.errors import BadValue, OddFile, Unsupported

ODD = {
    "extras": 5,
    "extensions": {"EXT_unknown": {"deep": [1, 2.5, None, {"a": []}], "name": "あ"}},
    "unknown": {"empty": [], "nothing": None},
}
"""What no reader of ours knows, and pygltflib loses."""


def rich() -> Maker:
    """A bit of everything: a mesh, odd JSON, three clips, a camera that moves, scaled and mirrored nodes."""
    maker = Maker(
        [
            {"name": "Root", "children": [1, 4], "scale": [100, 100, 100], **ODD},
            {"name": "Hips", "children": [2], "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0.01, 0, 1]},
            {"name": "Arm", "children": [3], "translation": [0.01, 0, 0], "scale": [-1, 1, 1]},
            {"name": "Hand", "translation": [0.02, 0, 0], "extras": {}},
            {"name": "Body", "mesh": 0, "skin": 0},
            {"name": "Camera", "camera": 0},
        ],
        **ODD,
    )
    maker.json["asset"] |= {"generator": "someone", "extras": [1, 2]}
    points = maker.add([[0, 0, 0], [1, 0, 0], [0, 1, 0]], min=[0, 0, 0], max=[1, 1, 0])
    maker.json["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": points, "_ODD": points}, "extras": "text"}], "weights": []}
    ]
    maker.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]
    maker.json["scenes"] = [{"nodes": [0, 5]}]
    maker.skin([1, 2, 3])
    bend = [turn((0, 0, 1), 0), turn((0, 0, 1), 50), turn((0, 1, 0), 20)]
    maker.animate("Bend", (2, "rotation", [0, 0.5, 1], bend, "STEP"), (3, "rotation", [0, 0.5, 1], bend, "LINEAR"))
    maker.animate(None, (2, "rotation", [0, 0.5, 1], bend, "LINEAR"))
    fly = [[0, 0, 0], [1, 0, 0]]
    maker.animate("Fly", (5, "translation", [0, 1], fly, "LINEAR"), (2, "rotation", [0, 0.5, 1], bend, "LINEAR"))
    animation = maker.json["animations"][2]
    animation |= {"extras": {"keep": True}, "extensions": {"EXT_x": {}}}
    animation["samplers"].append({"input": maker.add([0, 1]), "output": maker.add([0, 1]), "extras": 1})
    animation["channels"].append({"sampler": 2, "target": {"node": 4, "path": "weights"}})
    return maker


def edited(motion: mk.Motion, joint: str, by: float = 0.4) -> mk.Motion:
    """The motion with one joint turned more in its last frame."""
    poses = np.array(motion.poses)
    step = np.zeros(motion.figure.nv)
    first = motion.figure.step_of(joint)
    step[first + (3 if motion.figure.segment(joint).joint.kind != "ball" else 0)] = by
    poses[-1] = motion.figure.integrate(poses[-1], step)
    return motion.replaced(poses=poses)


def assert_same_places(a: mk.Motion, b: mk.Motion, tol: float = 1e-6) -> None:
    names = [n for n in a.figure.segment_names if n in b.figure.segment_names]
    assert len(names) >= len(a.figure.segments) - 1
    assert_close(b.placements(names)[..., :3, 3], a.placements(names)[..., :3, 3], scale=a.figure.size, tol=tol)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return rich().write(tmp_path / "in" / "rich.glb")


def load(path: Path, clip: str) -> mk.Motion:
    return mk.load_motion(path, clip=clip)


def test_a_new_clip_is_added_and_nothing_else_is_touched(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    motion = mk.Motion(
        figure,
        figure.integrate(np.tile(figure.rest, (3, 1)), np.random.default_rng(0).standard_normal((3, figure.nv)) * 0.2),
        name="New",
    )
    mk.save(motion, tmp_path / "out.glb", like=path)
    before, after = ByHand(path), ByHand(tmp_path / "out.glb")
    assert list(after.json) == list(before.json)
    for key, value in before.json.items():
        if key in ("accessors", "bufferViews", "animations"):
            assert after.json[key][: len(value)] == value
        elif key == "nodes":
            assert [n for i, n in enumerate(after.json[key]) if i != 1] == [n for i, n in enumerate(value) if i != 1]
        elif key != "buffers":
            assert json.dumps(after.json[key]) == json.dumps(value)
    assert after.buffers[0].startswith(before.buffers[0])
    assert [a.get("name") for a in after.json["animations"]] == ["Bend", None, "Fly", "New"]
    assert_same_places(motion, load(tmp_path / "out.glb", "New"))


def test_a_node_with_a_matrix_gets_its_parts_where_it_is_moved(path: Path, tmp_path: Path) -> None:
    mk.save(edited(load(path, "Bend"), "Hips"), tmp_path / "out.glb", like=path)
    node = ByHand(tmp_path / "out.glb").nodes[1]
    assert "matrix" not in node
    assert_close(node["rotation"], turn((0, 0, 1), 90), tol=1e-12)
    assert_close(node["translation"], [0, 0.01, 0])
    assert node["scale"] == pytest.approx([1, 1, 1])
    assert list(node) == ["name", "children", "translation", "rotation", "scale"]


def test_a_skewed_matrix_of_a_node_that_is_moved_is_told(tmp_path: Path) -> None:
    nodes = [
        {"name": "A", "children": [1], "matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
        {"name": "B", "translation": [0, 1, 0]},
    ]
    path = Maker(nodes).skin([0, 1]).write(tmp_path / "a.glb")
    figure = mk.load_figure(path)
    assert_close(figure.placements(figure.rest)[1, :3, 3], [1, 1, 0])
    with pytest.warns(OddFile, match="the matrix of node 0 'A' is skewed"):
        mk.save(
            mk.Motion(figure, figure.integrate(figure.rest, np.full(figure.nv, 0.1))), tmp_path / "b.glb", like=path
        )


def test_a_clip_of_the_same_name_is_replaced_and_unchanged_channels_stay(path: Path, tmp_path: Path) -> None:
    motion = edited(load(path, "Bend"), "Hand")
    mk.save(motion, tmp_path / "out.glb", like=path)
    before, after = ByHand(path).json["animations"], ByHand(tmp_path / "out.glb").json["animations"]
    assert after[1:] == before[1:]
    assert after[0]["name"] == "Bend"
    arm, hand = after[0]["channels"]
    assert arm["target"]["node"] == 2
    assert after[0]["samplers"][arm["sampler"]] == before[0]["samplers"][0]  # still a STEP, with its own keys
    assert after[0]["samplers"][hand["sampler"]]["interpolation"] == "LINEAR"
    assert len(after[0]["samplers"]) == 2
    assert_same_places(motion, load(tmp_path / "out.glb", "Bend"))


def test_what_a_motion_does_not_hold_stays_in_its_clip(path: Path, tmp_path: Path) -> None:
    motion = edited(load(path, "Fly"), "Arm")
    mk.save(motion, tmp_path / "out.glb", like=path)
    before, after = ByHand(path).json["animations"][2], ByHand(tmp_path / "out.glb").json["animations"][2]
    assert (after["extras"], after["extensions"]) == (before["extras"], before["extensions"])
    weights = next(c for c in after["channels"] if c["target"]["path"] == "weights")
    assert after["samplers"][weights["sampler"]] == before["samplers"][2]
    camera = next(c for c in after["channels"] if c["target"]["node"] == 5)
    assert after["samplers"][camera["sampler"]] == before["samplers"][0]  # it moves, so it is a segment, but as before
    assert_same_places(motion, load(tmp_path / "out.glb", "Fly"))


def test_a_clip_without_a_name_is_found_by_the_one_it_was_given(path: Path, tmp_path: Path) -> None:
    motion = edited(load(path, "Animation1"), "Arm")
    mk.save(motion, tmp_path / "out.glb", like=path)
    after = ByHand(tmp_path / "out.glb").json["animations"]
    assert len(after) == 3
    assert "name" not in after[1]
    assert_same_places(motion, load(tmp_path / "out.glb", "1"))


def test_a_shorter_or_resampled_motion_has_keys_of_its_own(path: Path, tmp_path: Path) -> None:
    motion = load(path, "Animation1")
    for other in (motion[:2], motion.resampled(7)):
        mk.save(other, tmp_path / "out.glb", like=path)
        again = load(tmp_path / "out.glb", "Animation1")
        assert_close(again.times, other.times, tol=1e-6)
        assert_same_places(other, again)


def test_every_container_goes_into_every_other(path: Path, tmp_path: Path) -> None:
    motion = edited(load(path, "Bend"), "Hand")
    sources = [path, rich().write(path.parent / "rich.gltf")]
    for source in sources:
        for ending in (".glb", ".gltf"):
            out = tmp_path / f"out{ending}"
            mk.save(motion, out, like=source)
            assert_same_places(motion, load(out, "Bend"))
            after, before = ByHand(out), ByHand(source)
            assert json.dumps(after.json["extensions"]) == json.dumps(before.json["extensions"])
            assert after.values(0) == before.values(0)  # the mesh
            assert (out.read_bytes()[:4] == b"glTF") == (ending == ".glb")


def test_files_beside_stay_named_in_their_folder_and_are_put_in_elsewhere(tmp_path: Path) -> None:
    maker = rich()
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "rich.bin").write_bytes(maker.binary)
    (folder / "skin.png").write_bytes(b"\x89PNG picture")
    root = maker.json | {
        "buffers": [{"byteLength": len(maker.binary), "uri": "rich.bin", "name": "keys"}],
        "images": [{"uri": "skin.png", "name": "skin"}, {"uri": "gone.png"}, {"uri": "../out.png"}],
    }
    (folder / "rich.gltf").write_text(json.dumps(root))
    (tmp_path / "out.png").write_bytes(b"secret")
    motion = edited(load(folder / "rich.gltf", "Bend"), "Hand")
    mk.save(motion, folder / "new.gltf", like=folder / "rich.gltf")
    here = ByHand(folder / "new.gltf").json
    assert here["images"] == root["images"]
    assert here["buffers"][0] == root["buffers"][0]
    assert here["buffers"][1]["uri"].startswith("data:")
    for ending in (".gltf", ".glb"):
        with pytest.warns(OddFile, match=r"the image '(gone.png|../out.png)' cannot be read"):
            mk.save(motion, tmp_path / f"new{ending}", like=folder / "rich.gltf")
        there = ByHand(tmp_path / f"new{ending}")
        image = there.json["images"][0]
        assert image["name"] == "skin"
        assert base64.b64decode(image["uri"].removeprefix("data:image/png;base64,")) == b"\x89PNG picture"
        assert there.json["images"][1:] == root["images"][1:]
        assert there.json["buffers"][0]["name"] == "keys"
        assert there.buffers[0].startswith(maker.binary)
        assert_same_places(motion, load(tmp_path / f"new{ending}", "Bend"))


def test_a_file_without_buffers_gets_one(tmp_path: Path) -> None:
    path = (
        Maker([{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 1, 0]}])
        .skin([0, 1])
        .write(tmp_path / "a.glb")
    )
    figure = mk.load_figure(path)
    motion = mk.Motion(figure, [figure.rest, figure.integrate(figure.rest, np.ones(figure.nv))], name="Up")
    for ending in (".glb", ".gltf"):
        mk.save(motion, tmp_path / f"b{ending}", like=path)
        assert_same_places(motion, load(tmp_path / f"b{ending}", "Up"))


def test_a_file_may_be_written_into_itself_again_and_again(path: Path) -> None:
    motion = edited(load(path, "Bend"), "Hand")
    sizes = []
    for k in range(3):
        mk.save(edited(motion, "Arm", 0.1 * k), path, like=path)
        sizes.append(path.stat().st_size)
    assert_same_places(edited(motion, "Arm", 0.2), load(path, "Bend"))
    assert [p.name for p in path.parent.iterdir()] == ["rich.glb"]


def test_chunks_that_are_not_known_stay_in_a_glb_and_are_told_where_they_cannot(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    more = struct.pack("<I4s", 8, b"ODD!") + b"whatever"
    path.write_bytes(data[:8] + struct.pack("<I", len(data) + len(more)) + data[12:] + more)
    motion = edited(load(path, "Bend"), "Hand")
    mk.save(motion, tmp_path / "out.glb", like=path)
    assert (tmp_path / "out.glb").read_bytes().endswith(more)
    with pytest.warns(OddFile, match="a .gltf cannot store its additional chunks"):
        mk.save(motion, tmp_path / "out.gltf", like=path)


def test_texts_with_half_letters_go_back(tmp_path: Path) -> None:
    text = json.dumps(
        {"asset": {"version": "2.0"}, "nodes": [{"name": "A"}], "skins": [{"joints": [0]}], "extras": {"x": "\ud83d é"}}
    )
    (tmp_path / "a.glb").write_bytes(glb(text.encode()))
    figure = mk.load_figure(tmp_path / "a.glb")
    mk.save(mk.Motion(figure, figure.rest, name="X"), tmp_path / "b.glb", like=tmp_path / "a.glb")
    assert ByHand(tmp_path / "b.glb").json["extras"] == {"x": "\ud83d é"}


def test_like_may_be_what_was_read(path: Path, tmp_path: Path) -> None:
    motion = edited(load(path, "Bend"), "Hand")
    for like in (motion, motion.figure, str(path)):
        mk.save(motion, tmp_path / "out.glb", like=like)
        assert_same_places(motion, load(tmp_path / "out.glb", "Bend"))
    with pytest.raises(BadValue, match="was not read from a glTF file"):
        mk.save(motion, tmp_path / "out.glb", like=mk.chain(2))


def test_a_motion_of_one_pose_and_one_that_rests_are_clips_too(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    pose = mk.Motion(figure, figure.integrate(figure.rest, np.full(figure.nv, 0.3)), name="Pose")
    mk.save(pose, tmp_path / "out.glb", like=path)
    assert_same_places(pose, load(tmp_path / "out.glb", "Pose"))
    mk.save(mk.Motion(figure, [figure.rest] * 3, name="Rest"), tmp_path / "out.glb", like=path)
    animation = ByHand(tmp_path / "out.glb").json["animations"][-1]
    assert len(animation["channels"]) == 1  # an animation needs one
    assert_same_places(mk.Motion(figure, [figure.rest] * 3), load(tmp_path / "out.glb", "Rest"))


def test_a_figure_with_limits_or_other_joints_is_still_the_files(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    arm = figure.segment("Arm")
    hinged = figure.replaced(
        segments=[
            s
            if s.name != "Arm"
            else arm.replaced(joint=mk.Joint("Arm", (mk.Hinge(limits=(-1, 1)),), arm.joint.offset, arm.joint.rotation))
            for s in figure.segments
        ]
    )
    motion = mk.Motion(hinged, hinged.random(np.random.default_rng(1), 4), name="Hinged")
    mk.save(motion, tmp_path / "out.glb", like=path)
    assert_same_places(motion, load(tmp_path / "out.glb", "Hinged"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: mk.chain(3), "the file has no node 'Segment1'"),
        (lambda f: f.scaled(1.1), "is .* away from its place in the file"),
        (
            lambda f: f.replaced(segments=[s.replaced(parent="Hips") if s.name == "Hand" else s for s in f.segments]),
            "'Hand' is a child of 'Hips', but in the file a child of 'Arm'",
        ),
    ],
)
def test_a_motion_of_another_figure_is_refused_and_nothing_is_written(
    path: Path, tmp_path: Path, change: Any, message: str
) -> None:
    figure = change(mk.load_figure(path))
    with pytest.raises(BadValue, match=rf"differs .*rich.glb: .*{message}.*; retarget"):
        mk.save(mk.Motion(figure, figure.rest), tmp_path / "out.glb", like=path)
    assert not (tmp_path / "out.glb").exists()


def test_only_a_vrm_is_written_as_one(path: Path, tmp_path: Path) -> None:
    motion = load(path, "Bend")
    with pytest.raises(BadValue, match=r"rich.glb is not a VRM.* as .glb"):
        mk.save(motion, tmp_path / "out.vrm", like=path)
    with pytest.raises(Unsupported, match="a new VRM needs a mesh and its licence"):
        mk.save(motion, tmp_path / "out.vrm")
    with pytest.raises(BadValue, match="like= needs a Motion"):
        mk.save(motion.figure, tmp_path / "out.glb", like=path)


def test_numbers_that_do_not_fit_are_refused_and_the_old_file_stays(path: Path) -> None:
    figure = mk.load_figure(path)
    poses = np.tile(figure.rest, (2, 1))
    poses[1, figure.index_of("Hips")] = 1e300
    before = path.read_bytes()
    with pytest.raises(BadValue, match="too large for the 32 bits of glTF"):
        mk.save(mk.Motion(figure, poses), path, like=path)
    assert path.read_bytes() == before


def test_a_new_gltf_is_text_with_its_bytes_in_it(tmp_path: Path) -> None:
    figure = mk.chain([1, 2, 3])
    motion = mk.Motion(figure, figure.random(np.random.default_rng(0), 5), rate=10, name="Wave")
    mk.save(motion, tmp_path / "a.gltf")
    root = json.loads((tmp_path / "a.gltf").read_text())
    assert root["buffers"][0]["uri"].startswith("data:application/octet-stream;base64,")
    assert_same_places(motion, mk.load_motion(tmp_path / "a.gltf"))


def test_the_joints_of_a_new_file_are_named_by_a_skin_so_that_they_are_found_again(tmp_path: Path) -> None:
    figure = mk.human()
    mk.save(figure, tmp_path / "h.glb")
    again = mk.load_figure(tmp_path / "h.glb")
    assert set(again.segment_names) == set(figure.segment_names)
    moving = {s.name for s in figure.segments if s.joint.motions}
    assert {s.name for s in again.segments if s.joint.motions} == moving
    names = list(figure.segment_names)
    ours, theirs = figure.placements(figure.rest, names), again.placements(again.rest, names)
    assert_close(theirs, ours, tol=1e-6)
