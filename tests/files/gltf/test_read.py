"""Reading glTF: what each part of the format becomes, held against node matrices multiplied out by hand."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from gltf_by_hand import ByHand, Maker, glb, turn
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import OddFile, UnknownName
from manikin.files.gltf import nodes, sample

CHAIN: list[dict[str, Any]] = [
    {"name": "A", "children": [1], "translation": [0, 1, 0]},
    {"name": "B", "children": [2], "translation": [0, 2, 0], "rotation": turn((1, 2, 3), 40)},
    {"name": "C", "translation": [0, 0.5, 0.2]},
]


def chain(**more: Any) -> Maker:
    return Maker([dict(n) for n in CHAIN], **more).skin([0, 1, 2])


def assert_clip_is_the_files(path: Path, clip: str, tol: float = 1e-6, frames: int = 7) -> mk.Motion:
    """Every segment, in frames spread over a clip, is where node matrices say."""
    motion = mk.load_motion(path, clip=clip)
    figure, hand = motion.figure, ByHand(path)
    index = figure.source["clips"].index(clip)
    for k in np.unique(np.linspace(0, len(motion) - 1, frames).astype(int)):
        world = hand.world(hand.moved(index, float(motion.times[k])))
        placements = figure.placements(motion.poses[k])
        for name, node in figure.source["nodes"].items():
            assert_close(placements[figure.segment_index(name)][:3, 3], world[node][:3, 3], scale=figure.size, tol=tol)
    return motion


# Containers


def test_data_uris_files_beside_and_binary_chunks_give_the_same_motion(tmp_path: Path) -> None:
    maker = chain().animate("Bend", (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 90)], "LINEAR"))
    first = mk.load_motion(maker.write(tmp_path / "m.glb"))
    (tmp_path / "some files").mkdir()
    (tmp_path / "some files" / "m.bin").write_bytes(maker.binary + b"more")
    beside = maker.json | {"buffers": [{"byteLength": len(maker.binary), "uri": "some%20files/m.bin"}]}
    (tmp_path / "beside.gltf").write_text(json.dumps(beside))
    percent = "".join(f"%{b:02x}" for b in maker.binary)
    plain = maker.json | {
        "buffers": [{"byteLength": len(maker.binary), "uri": "data:application/gltf-buffer," + percent}]
    }
    (tmp_path / "plain.gltf").write_text("\ufeff" + json.dumps(plain), encoding="utf-8")
    for other in (maker.write(tmp_path / "m.gltf"), tmp_path / "beside.gltf", tmp_path / "plain.gltf"):
        motion = mk.load_motion(other)
        assert (motion.poses == first.poses).all()
        assert motion.figure.segments == first.figure.segments


def test_bytes_after_a_glb_are_told(tmp_path: Path) -> None:
    path = chain().write(tmp_path / "m.glb")
    path.write_bytes(path.read_bytes() + b"12345")
    with pytest.warns(OddFile, match="5 bytes after the end of the GLB are ignored"):
        figure = mk.load_figure(path)
    assert figure.source["notes"] == ("5 bytes after the end of the GLB are ignored",)


# Keys


def keys(rng: np.random.Generator, path: str, way: str, count: int) -> Any:
    width = 4 if path == "rotation" else 3
    values = rng.standard_normal((count * (3 if way == "CUBICSPLINE" else 1), width))
    if path == "rotation":
        spots = slice(1, None, 3) if way == "CUBICSPLINE" else slice(None)
        values[spots] /= np.linalg.norm(values[spots], axis=1, keepdims=True)
    return values


@pytest.mark.parametrize("way", ["STEP", "LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("path", ["rotation", "translation", "scale"])
@pytest.mark.filterwarnings("ignore:.* scales ")
def test_every_interpolation_is_followed_and_no_key_is_lost(tmp_path: Path, path: str, way: str) -> None:
    rng = np.random.default_rng(3)
    times = np.float32([0.1, 0.3, 0.35, 1.2, 1.21])
    other = np.float32([0.0, 0.5, 1.0])
    maker = chain().animate(
        "X", (1, path, times, keys(rng, path, way, 5), way), (0, "translation", other, rng.random((3, 3)), "LINEAR")
    )
    motion = assert_clip_is_the_files(maker.write(tmp_path / "x.glb"), "X", frames=30)
    for t in (*times, *other):
        assert np.abs(motion.times - t).min() < 1e-6
    if way == "LINEAR":
        assert len(motion) == 8
    else:
        assert np.diff(motion.times[motion.times >= 0.35 - 1e-6]).max() < 0.0334


def test_evenly_spaced_keys_are_the_frames(tmp_path: Path) -> None:
    times = np.arange(20, dtype=np.float32) / np.float32(24)
    turns = [turn((0, 0, 1), 9.0 * k) for k in range(20)]
    motion = mk.load_motion(chain().animate("E", (1, "rotation", times, turns, "LINEAR")).write(tmp_path / "e.glb"))
    assert len(motion) == 20
    assert motion.even
    assert (motion.times == times.astype(float)).all()


def test_keys_that_differ_by_rounding_share_a_frame_and_a_step_has_come_there(tmp_path: Path) -> None:
    a = np.float32([0.0, 0.1, 0.2])
    b = np.nextafter(a, np.float32(9))
    held = [turn((1, 0, 0), d) for d in (0, 30, 60)]
    slid = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    maker = chain().animate("S", (1, "rotation", b, held, "STEP"), (0, "translation", a, slid, "LINEAR"))
    motion = mk.load_motion(maker.write(tmp_path / "s.glb"))
    at = [int(np.abs(motion.times - t).argmin()) for t in a]
    assert len(np.unique(motion.times.round(5))) == len(motion)
    q = motion.poses[at, motion.figure.index_of("B") : motion.figure.index_of("B") + 4]
    rest = np.roll(turn((1, 2, 3), 40), 1)
    for got, want in zip(q, held, strict=True):
        expected = mk.Motion(motion.figure, motion.poses).figure  # the same figure: numbers are relative to its rest
        assert expected.segment("B").joint.rotation == pytest.approx(rest, abs=1e-7)
        assert_close(abs(got @ _relative(rest, np.roll(want, 1))), 1.0, tol=1e-6)


def _relative(rest: Any, q: Any) -> np.ndarray:
    from manikin import rotations

    return rotations.multiply(rotations.inverse(np.asarray(rest)), np.asarray(q))


def test_a_jump_between_two_keys_of_one_channel_is_kept(tmp_path: Path) -> None:
    t = np.float32(0.5)
    times = [0.0, t, np.nextafter(t, np.float32(1)), 1.0]
    slid = [[0, 0, 0], [0, 0, 0], [5, 0, 0], [5, 0, 0]]
    motion = mk.load_motion(chain().animate("J", (0, "translation", times, slid, "LINEAR")).write(tmp_path / "j.glb"))
    assert len(motion) == 4
    x = motion.placements(["A"])[:, 0, 0, 3]
    assert_close(x, [0, 0, 5, 5])


def test_keys_at_one_time_are_told_and_the_later_one_counts(tmp_path: Path) -> None:
    slid = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
    path = chain().animate("D", (0, "translation", [0, 1, 1, 2], slid, "LINEAR")).write(tmp_path / "d.glb")
    with pytest.warns(OddFile, match="1 keys have the same time as the next key"):
        motion = mk.load_motion(path)
    assert_close(motion.placements(["A"])[:, 0, 0, 3], [0, 2, 3])


def test_rotations_go_the_shorter_way_whatever_their_sign(tmp_path: Path) -> None:
    a, b = turn((0, 0, 1), 10), [-x for x in turn((0, 0, 1), 50)]
    path = chain().animate("R", (1, "rotation", [0, 1], [a, b], "LINEAR")).write(tmp_path / "r.glb")
    motion = mk.load_motion(path)
    assert (motion.poses[1, -8:-4] @ motion.poses[0, -8:-4]) > 0.9  # neighbours on one side
    middle = motion.at([0.5])[0]
    world = motion.figure.placements(middle, ["B"])[0, :3, :3]
    assert_close(world, ByHand(path).world({(1, "rotation"): np.array(turn((0, 0, 1), 30))})[1][:3, :3], tol=1e-6)


@pytest.mark.parametrize(("component", "unit"), [(5120, 127), (5122, 32767), (5121, 255), (5123, 65535)])
def test_rotations_may_be_normalised_integers(tmp_path: Path, component: int, unit: int) -> None:
    signs = 1 if component in (5121, 5123) else -1
    whole = [np.round(np.array([0.6, 0, 0, 0.8]) * unit), np.round(np.array([0, signs * 0.6, 0, 0.8]) * unit)]
    maker = chain()
    output = maker.add(whole, component=component, normalized=True)
    sampler = {"input": maker.add([0, 1]), "output": output}
    maker.json["animations"] = [
        {"name": "N", "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}], "samplers": [sampler]}
    ]
    assert_clip_is_the_files(maker.write(tmp_path / "n.glb"), "N")


def test_strides_offsets_and_sparse_values_are_followed(tmp_path: Path) -> None:
    maker = chain()
    times = maker.add([0, 1, 2, 3], stride=8)
    strided = maker.add([[9, 9, 9], [0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]], stride=20)
    maker.json["accessors"][strided] |= {"count": 4, "byteOffset": 20}
    base = maker.add([[0, 0.5, 0.2]] * 4)
    at, new = (
        maker.view(np.array([1, 3], "<u2").tobytes()),
        maker.view(np.array([[7, 0, 0], [0, 7, 0]], "<f4").tobytes()),
    )
    few = {"count": 2, "indices": {"bufferView": at, "componentType": 5123}, "values": {"bufferView": new}}
    maker.json["accessors"][base]["sparse"] = few
    zeros = {"componentType": 5126, "type": "VEC3", "count": 4, "sparse": few}
    maker.json["accessors"].append(zeros)
    outputs = [strided, base, len(maker.json["accessors"]) - 1]
    maker.json["animations"] = [
        {
            "name": "S",
            "channels": [{"sampler": i, "target": {"node": i, "path": "translation"}} for i in range(3)],
            "samplers": [{"input": times, "output": o} for o in outputs],
        }
    ]
    motion = assert_clip_is_the_files(maker.write(tmp_path / "s.glb"), "S")
    assert_close(motion.placements(["A"])[:, 0, :3, 3], [[0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]])


def test_what_is_no_motion_of_a_node_is_left_alone(tmp_path: Path) -> None:
    maker = chain().animate("M", (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 90)], "LINEAR"))
    animation = maker.json["animations"][0]
    animation["samplers"].append({"input": maker.add([0, 1, 2]), "output": maker.add([0, 1, 0])})
    animation["channels"] += [
        {"sampler": 1, "target": {"node": 0, "path": "weights"}},
        {"sampler": 1, "target": {"path": "rotation"}},
        {
            "sampler": 1,
            "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0"}}},
        },
    ]
    assert len(mk.load_motion(maker.write(tmp_path / "m.glb"))) == 2
    pointer = {"KHR_animation_pointer": {"pointer": "/nodes/2/rotation"}}
    animation["channels"].append({"sampler": 1, "target": {"path": "pointer", "extensions": pointer}})
    with pytest.warns(OddFile, match="moves nodes with KHR_animation_pointer, which is not read"):
        mk.load_motion(maker.write(tmp_path / "m.glb"))


def test_a_clip_of_one_key_is_one_pose(tmp_path: Path) -> None:
    path = chain().animate("P", (1, "rotation", [0.25], [turn((1, 0, 0), 90)], "LINEAR")).write(tmp_path / "p.glb")
    motion = assert_clip_is_the_files(path, "P")
    assert (len(motion), float(motion.times[0])) == (1, 0.25)


# Clips


def three(tmp_path: Path, *names: str | None) -> Path:
    maker = chain()
    for k, name in enumerate(names):
        maker.animate(name, (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 10.0 * k)], "LINEAR"))
    return maker.write(tmp_path / "clips.glb")


def test_a_clip_is_named_or_numbered(tmp_path: Path) -> None:
    path = three(tmp_path, "Walk", None, "Run", "Walk", "0")
    assert mk.load_figure(path).source["clips"] == ("Walk", "Animation1", "Run", "Walk.2", "0")
    for clip, name in {"Run": "Run", "2": "Run", "Animation1": "Animation1", "3": "Walk.2", "0": "0"}.items():
        motion = mk.load_motion(path, clip=clip)
        assert (motion.name, motion.source["clip"]) == (name, name)


def test_without_a_name_the_first_clip_is_taken_and_the_others_are_told(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="3 clips.* 'Walk', .* Run, Jump"):
        motion = mk.load_motion(three(tmp_path, "Walk", "Run", "Jump"))
    assert motion.name == "Walk"
    assert mk.load_motion(three(tmp_path, "Walk")).name == "Walk"


@pytest.mark.parametrize("clip", ["Wlk", "3", "-1", "1.0", "9" * 5000, "²"])
def test_a_clip_that_is_not_there_is_told_with_those_that_are(tmp_path: Path, clip: str) -> None:
    with pytest.raises(UnknownName, match=r"clips.glb has no clip .*; it has 3: Walk, Run, Jump"):
        mk.load_motion(three(tmp_path, "Walk", "Run", "Jump"), clip=clip)


# Trees


def test_joints_hang_through_nodes_that_are_none_and_carry_what_hangs_on_them(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"name": "Scene", "children": [1, 6, 7], "translation": [5, 0, 0]},
        {"name": "Hips", "children": [2]},
        {"name": "Between", "children": [3], "rotation": turn((0, 0, 1), 90), "translation": [0, 1, 0]},
        {"name": "Chest", "children": [4, 5], "translation": [1, 0, 0]},
        {"name": "Tip", "translation": [0, 0.5, 0]},
        {"name": "Skinned on a joint", "mesh": 0, "skin": 0},
        {"name": "Body", "mesh": 0, "skin": 0},
        {"name": "Lamp"},
    ]
    figure = mk.load_figure(Maker(nodes).skin([1, 3]).write(tmp_path / "t.glb"))
    assert figure.segment_names == ("Scene", "Hips", "Between", "Chest", "Tip")
    kinds = [s.joint.kind for s in figure.segments]
    assert kinds == ["fixed", "free", "fixed", "ball", "fixed"]
    assert figure.source["joints"] == ("Hips", "Chest")
    assert_close(figure.placements(figure.rest, ["Tip"])[0, :3, 3], [4.5, 2, 0], tol=1e-7)


def test_several_skins_and_roots_hang_on_a_fixed_root(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"name": "Rider", "children": [1], "translation": [0, 1, 0]},
        {"name": "Arm", "translation": [1, 0, 0]},
        {"name": "Horse", "children": [3], "translation": [0, 0, 3]},
        {"name": "Tail", "translation": [0, 0, -1]},
        {"name": "Roots", "children": [5]},
        {"name": "Leaf", "translation": [0, 1, 0]},
    ]
    maker = Maker(nodes).skin([0, 1]).skin([1, 0]).skin([2, 3]).skin([5])
    figure = mk.load_figure(maker.write(tmp_path / "r.glb"))
    assert figure.segments[0].name == "Roots.2"
    assert figure.segments[0].joint.kind == "fixed"
    free = [s.name for s in figure.segments if s.joint.kind == "free"]
    assert free == ["Rider", "Horse", "Leaf"]
    assert_close(figure.placements(figure.rest, ["Tail"])[0, :3, 3], [0, 0, 2])


def test_without_a_skin_every_node_of_the_scene_is_there_and_what_a_clip_moves_moves(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"name": "Base", "children": [1, 2]},
        {"name": "Door", "translation": [1, 0, 0]},
        {"name": "Frame"},
        {"name": "Elsewhere"},
    ]
    maker = Maker(nodes, scenes=[{"nodes": [3]}, {"nodes": [0]}], scene=1)
    maker.animate("Open", (1, "rotation", [0, 1], [turn((0, 1, 0), 0), turn((0, 1, 0), 90)], "LINEAR"))
    path = maker.write(tmp_path / "door.glb")
    figure = assert_clip_is_the_files(path, "Open").figure
    assert {s.name: s.joint.kind for s in figure.segments} == {"Base": "fixed", "Door": "ball", "Frame": "fixed"}
    del maker.json["animations"]
    with pytest.warns(OddFile, match="no skin, no humanoid and no animation"):
        figure = mk.load_figure(maker.write(path))
    assert [s.joint.kind for s in figure.segments] == ["free", "ball", "ball"]


def test_names_may_be_missing_or_shared_and_joints_keep_theirs_first(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"name": "Head", "children": [1, 2]},
        {"name": "Head", "children": [4]},
        {"children": [3]},
        {"name": "Node2"},
        {"name": "Head"},
    ]
    figure = mk.load_figure(Maker(nodes).skin([1, 2]).write(tmp_path / "n.glb"))
    assert figure.source["nodes"] == {"Head.2": 0, "Head": 1, "Head.3": 4, "Node2.2": 2, "Node2": 3}


def test_the_pose_in_which_a_skin_was_bound_is_kept_and_told(tmp_path: Path) -> None:
    hand = ByHand(chain().write(tmp_path / "b.glb"))
    bound = [np.linalg.inv(M) for M in hand.world()]
    figure = mk.load_figure(Maker(CHAIN).skin([0, 1, 2], bound).write(tmp_path / "b.glb"))
    assert figure.source["notes"] == ()
    for name, node in figure.source["nodes"].items():
        assert_close(figure.source["bind"][name], hand.world()[node], scale=3, tol=1e-6)
    moved = [np.linalg.inv(M) for M in hand.world({(1, "rotation"): np.array([0, 0, 0, 1.0])})]
    figure = mk.load_figure(Maker(CHAIN).skin([0, 1, 2], moved).write(tmp_path / "b.glb"))
    assert len(figure.source["notes"]) == 1
    assert figure.source["notes"][0].startswith(
        "skin 0 was bound in a pose that differs from the pose of the nodes, which is the rest pose: C is 0.2239"
    )
    assert figure == mk.load_figure(chain().write(tmp_path / "b.glb"))


# Scales and matrices


@given(rngs())
def test_matrices_come_apart_and_together(rng: np.random.Generator) -> None:
    kind = rng.integers(4)
    R = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    R = R * np.sign(np.linalg.det(R))
    B = [np.eye(3), np.diag(rng.uniform(0.1, 3, 3)), np.diag(rng.uniform(-2, 2, 3)), rng.standard_normal((3, 3))][kind]
    L = R @ B
    got_R, got_B = nodes.taken_apart(L)
    assert_close(got_R @ got_R.T, np.eye(3))
    assert_close(np.linalg.det(got_R), 1.0)
    assert_close(got_R @ got_B, L, scale=3)
    if kind < 3:
        assert_close(got_B, np.diag(np.diagonal(got_B)))


@pytest.mark.parametrize("singular", [np.zeros((3, 3)), np.diag([1.0, 0.0, 2.0]), np.outer([1, 2, 3], [0, 1, 1])])
def test_matrices_that_flatten_everything_come_apart_too(singular: np.ndarray) -> None:
    R, B = nodes.taken_apart(singular)
    assert_close(R @ B, singular)
    assert_close(R @ R.T, np.eye(3))


def random_nodes(rng: np.random.Generator, count: int, uniform: bool) -> list[dict[str, Any]]:
    """A random forest with scales, mirrors and matrices, given by its matrices or by their parts."""
    nodes: list[dict[str, Any]] = []
    for i in range(count):
        scale = np.full(3, rng.uniform(0.3, 2.0)) if uniform else rng.uniform(0.3, 2.0, 3)
        if rng.random() < 0.3:
            scale = scale * rng.choice([-1.0, 1.0], 3)
        node: dict[str, Any] = {
            "translation": rng.standard_normal(3).tolist(),
            "rotation": turn(rng.standard_normal(3), rng.uniform(0, 360)),
            "scale": scale.tolist(),
        }
        if rng.random() < 0.3:
            node = {"matrix": ByHand._local(_With([node]), 0, {}).T.reshape(-1).tolist()}  # type: ignore[arg-type]
        nodes.append(node | {"name": f"N{i}"})
        if i and rng.random() < 0.9:
            nodes[int(rng.integers(i))].setdefault("children", []).append(i)
    return nodes


class _With:
    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.nodes = nodes


@given(rngs())
def test_where_scales_are_uniform_or_mirror_every_pose_is_exact(
    tmp_path_factory: pytest.TempPathFactory, rng: np.random.Generator
) -> None:
    folder = tmp_path_factory.mktemp("u")
    nodes = random_nodes(rng, int(rng.integers(2, 9)), uniform=True)
    maker = Maker(nodes).skin(list(range(len(nodes))))
    path = maker.write(folder / "u.glb")
    figure = mk.load_figure(path)
    poses = figure.integrate(np.tile(figure.rest, (3, 1)), rng.standard_normal((3, figure.nv)))
    mk.save(mk.Motion(figure, poses, name="Any"), folder / "out.glb", like=path)
    hand = ByHand(folder / "out.glb")
    for k in range(3):
        world = hand.world(hand.moved(0, k / 30))
        placements = figure.placements(poses[k])
        for name, node in figure.source["nodes"].items():
            assert_close(placements[figure.segment_index(name)][:3, 3], world[node][:3, 3], scale=figure.size, tol=2e-6)


@given(rngs())
@pytest.mark.filterwarnings("ignore:.* shears the nodes:manikin.errors.OddFile")
@pytest.mark.filterwarnings("ignore:.* scales :manikin.errors.OddFile")
def test_with_any_scale_still_or_animated_a_clip_is_exact(
    tmp_path_factory: pytest.TempPathFactory, rng: np.random.Generator
) -> None:
    folder = tmp_path_factory.mktemp("s")
    nodes = random_nodes(rng, 6, uniform=False)
    for n in nodes:
        if "matrix" in n and rng.random() < 0.5:
            del n["matrix"]
    plain = [i for i, n in enumerate(nodes) if "matrix" not in n]
    maker = Maker(nodes).skin(list(range(len(nodes))))
    channels: list[tuple[int, str, Any, Any, str]] = []
    for i in plain:
        channels.append(
            (i, "rotation", [0, 1, 2], [turn(rng.standard_normal(3), rng.uniform(0, 360)) for _ in range(3)], "LINEAR")
        )
        if rng.random() < 0.5:
            channels.append((i, "scale", [0, 1, 2], rng.uniform(0.5, 2.0, (3, 3)), "LINEAR"))
    if not channels:
        return
    path = maker.animate("Any", *channels).write(folder / "s.glb")
    motion = assert_clip_is_the_files(path, "Any", tol=2e-6)
    # And it goes back: what slides is divided by the scales again.
    mk.save(motion.replaced(name="Copy"), folder / "new.glb", like=path)
    mk.save(motion, folder / "same.glb", like=path)
    assert ByHand(folder / "same.glb").json == ByHand(path).json


def test_a_scale_that_shears_is_told_by_the_names_of_what_it_shears(tmp_path: Path) -> None:
    nodes = [dict(n) for n in CHAIN]
    nodes[0]["scale"] = [1, 2, 1]
    with pytest.warns(OddFile, match="the children of B are placed correctly only"):
        figure = mk.load_figure(Maker(nodes).skin([0, 1, 2]).write(tmp_path / "s.glb"))
    assert_close(figure.placements(figure.rest, ["B"])[0, :3, 3], [0, 5, 0])
    nodes[0]["scale"] = [2, 2, 2]
    assert mk.load_figure(Maker(nodes).skin([0, 1, 2]).write(tmp_path / "s.glb")).source["notes"] == ()


def test_a_clip_that_scales_is_told_and_what_hangs_on_it_slides(tmp_path: Path) -> None:
    path = chain().animate("Grow", (0, "scale", [0, 1], [[1, 1, 1], [3, 3, 3]], "LINEAR")).write(tmp_path / "g.glb")
    with pytest.warns(OddFile, match="clip 'Grow' scales A"):
        motion = assert_clip_is_the_files(path, "Grow")
    assert_close(motion.placements(["B"])[:, 0, :3, 3], [[0, 3, 0], [0, 7, 0]])
    assert motion.figure.segment("B").joint.kind == "slider+slider+slider+ball"


def test_nodes_scaled_to_nothing_are_where_the_file_has_them(tmp_path: Path) -> None:
    nodes = [dict(n) for n in CHAIN]
    nodes[1]["scale"] = [0, 0, 0]
    path = Maker(nodes).skin([0, 1, 2]).write(tmp_path / "z.glb")
    figure = mk.load_figure(path)
    assert_close(figure.placements(figure.rest)[2, :3, 3], [0, 3, 0])
    mk.save(
        mk.Motion(figure, figure.integrate(figure.rest, np.ones(figure.nv)), name="Z"), tmp_path / "o.glb", like=path
    )
    assert len(mk.load_motion(tmp_path / "o.glb")) == 1


def test_what_a_clip_only_trembles_by_rounding_does_not_slide(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    shaken = np.array([0, 2, 0]) + 1e-7 * rng.standard_normal((10, 3))
    turns = [turn((1, 0, 0), 9.0 * k) for k in range(10)]
    maker = chain().animate(
        "T",
        (1, "translation", np.arange(10) / 10, shaken, "LINEAR"),
        (1, "rotation", np.arange(10) / 10, turns, "LINEAR"),
    )
    figure = assert_clip_is_the_files(maker.write(tmp_path / "t.glb"), "T").figure
    assert figure.segment("B").joint.kind == "ball"
    moved = shaken + np.linspace(0, 1e-3, 10)[:, None]
    path = chain().animate("T", (1, "translation", np.arange(10) / 10, moved, "LINEAR")).write(tmp_path / "t.glb")
    assert assert_clip_is_the_files(path, "T").figure.segment("B").joint.kind == "slider+slider+slider+ball"


def test_small_trembles_that_add_up_along_a_chain_slide_after_all(tmp_path: Path) -> None:
    count = 60
    nodes: list[dict[str, Any]] = [{"translation": [0, 1, 0], "children": [i + 1]} for i in range(count)]
    del nodes[-1]["children"]
    maker = Maker(nodes).skin(list(range(count)))
    drift = 0.9e-6 * count  # each just below what is left out; all to the same side
    path = maker.animate(
        "D", *((i, "translation", [0, 1], [[0, 1, 0], [drift, 1, 0]], "LINEAR") for i in range(1, count))
    )
    assert_clip_is_the_files(path.write(tmp_path / "d.glb"), "D", tol=1e-6)


# All else


def test_a_rotation_that_is_not_of_length_one_is_told(tmp_path: Path) -> None:
    nodes = [dict(n) for n in CHAIN]
    nodes[1]["rotation"] = [0, 0, 0.6, 1.0]
    with pytest.warns(OddFile, match=r"node 1 'B': its rotation has length 1.166 instead of 1"):
        mk.load_figure(Maker(nodes).skin([0, 1, 2]).write(tmp_path / "q.glb"))


def test_a_node_of_a_skinned_mesh_does_not_matter(tmp_path: Path) -> None:
    nodes = [*(dict(n) for n in CHAIN), {"name": "Mesh", "mesh": 0, "skin": 0, "translation": [9, 9, 9]}]
    maker = Maker(nodes).skin([0, 1, 2]).animate("M", (3, "translation", [0, 1], [[0, 0, 0], [1, 1, 1]], "LINEAR"))
    motion = mk.load_motion(maker.write(tmp_path / "m.glb"))
    assert motion.figure.segment_names == ("A", "B", "C")
    assert len(motion) == 1


def test_nodes_that_a_clip_only_holds_still_are_no_segments(tmp_path: Path) -> None:
    nodes = [*(dict(n) for n in CHAIN), {"name": "Lamp", "translation": [9, 9, 9], "rotation": turn((0, 1, 0), 30)}]
    maker = Maker(nodes).skin([0, 1, 2])
    held = (
        (3, "translation", [0, 1], [[9, 9, 9]] * 2, "STEP"),
        (3, "rotation", [0, 1], [turn((0, 1, 0), 30)] * 2, "LINEAR"),
    )
    bend = (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 90)], "LINEAR")
    figure = mk.load_figure(maker.animate("M", bend, *held).write(tmp_path / "m.glb"))
    assert figure.segment_names == ("A", "B", "C")


def test_a_figure_from_a_file_can_be_pickled_and_scaled(tmp_path: Path) -> None:
    figure = mk.load_figure(chain().write(tmp_path / "p.glb"))
    again = pickle.loads(pickle.dumps(figure))
    assert again == figure
    assert again.source["nodes"] == figure.source["nodes"]
    assert figure.scaled(2.0).size == 2 * figure.size


def test_a_file_of_ours_with_z_up_and_no_unit_stands_upright_and_has_none(tmp_path: Path) -> None:
    figure = mk.chain([1, 2]).replaced(up="z", unit=None)
    mk.save(mk.Motion(figure, figure.random(np.random.default_rng(0), 3)), tmp_path / "z.glb")
    again = mk.load_motion(tmp_path / "z.glb")
    assert again.figure.unit is None
    names = set(again.figure.segment_names)
    assert names > set(figure.segment_names)
    assert {s.name: s.joint.kind for s in again.figure.segments if s.joint.motions} == {
        s.name: ("free" if k == 0 else "ball") for k, s in enumerate(s for s in figure.segments if s.joint.motions)
    }


def test_a_thousand_nodes_in_a_row_and_ten_thousand_are_read(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [{"children": [i + 1], "translation": [0, 0, 1]} for i in range(10_000)]
    del nodes[-1]["children"]
    (tmp_path / "deep.glb").write_bytes(glb(json.dumps({"asset": {"version": "2.0"}, "nodes": nodes}).encode()))
    with pytest.warns(OddFile, match="every node becomes a joint"):
        figure = mk.load_figure(tmp_path / "deep.glb")
    assert figure.placements(figure.rest)[-1, 2, 3] == 10_000


def test_frames_are_added_within_bounds_in_clips_of_days() -> None:
    from manikin.files.gltf.clips import Channel

    values = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    channel = Channel(0, 0, "translation", "STEP", np.array([0.0, 1e9]), values)
    times = sample.axis([channel])
    assert 1000 < len(times) <= sample.MOST_BETWEEN + 2
    assert (np.diff(times) > 0).all()
