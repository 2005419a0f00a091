"""The real glTF and VRM files: each loads, stands where node matrices multiplied out by hand say, and goes back."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from gltf_by_hand import ByHand
from needs import data_file

import manikin as mk
from manikin.errors import OddFile

FILES = {
    # segments, joints of skins, clips, frames of each
    "CesiumMan.glb": (21, 19, [48]),
    "Fox.glb": (25, 24, [83, 18, 25]),
    "InterpolationTest.glb": (11, 0, [61, 5, 61, 61, 61, 5, 61, 61, 5]),
    "RiggedSimple.glb": (4, 2, [50]),
    "RobotExpressive.glb": (72, 43, [81, 24, 81, 18, 41, 21, 24, 11, 11, 39, 24, 21, 45, 41]),
    "SimpleSkin.gltf": (2, 2, [12]),
    "blender_simple_armature.glb": (5, 4, []),
    "minimal_vrm0.vrm": (17, 0, []),
    "sphere_vrm0.vrm": (28, 22, []),
}


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest) -> Path:
    return data_file(f"gltf/{request.param}")


def load(path: Path, clip: str) -> mk.Motion:
    """A clip; that it scales nodes is told in a warning, which is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* scales ", category=OddFile)
        return mk.load_motion(path, clip=clip)


def test_a_real_file_has_what_its_source_says(path: Path) -> None:
    figure = mk.load_figure(path)
    motions = [load(path, clip) for clip in figure.source["clips"]]
    segments, joints, frames = FILES[path.name]
    assert len(figure.segments) == segments
    assert len(figure.source["joints"]) == joints
    assert [len(m) for m in motions] == frames
    assert all(m.figure == figure for m in motions)
    assert (figure.unit, figure.up) == (1.0, "y")
    assert not np.isfinite(figure.lower).any()
    assert not any(getattr(m, "limits", None) for s in figure.segments for m in s.joint.motions if m == mk.Ball())


def test_at_rest_every_segment_is_where_node_matrices_say(path: Path) -> None:
    figure = mk.load_figure(path)
    world = ByHand(path).world()
    placements = figure.placements(figure.rest)
    for name, node in figure.source["nodes"].items():
        ours = placements[figure.segment_index(name)]
        assert_close(ours[:3, 3], world[node][:3, 3], scale=figure.size, tol=1e-9)
        assert_turned(ours, world[node])


def test_in_random_frames_of_every_clip_joints_are_where_node_matrices_say(path: Path) -> None:
    rng = np.random.default_rng(0)
    figure = mk.load_figure(path)
    hand = ByHand(path)
    joints = figure.source["joints"] or tuple(figure.source["nodes"])
    for index, clip in enumerate(figure.source["clips"]):
        motion = load(path, clip)
        for frame in rng.choice(len(motion), size=min(6, len(motion)), replace=False):
            world = hand.world(hand.moved(index, float(motion.times[frame])))
            placements = figure.placements(motion.poses[frame])
            for name, node in figure.source["nodes"].items():
                ours = placements[figure.segment_index(name)]
                # Tips and props, which are no joints, do not follow a rounding of the scales above them.
                assert_close(ours[:3, 3], world[node][:3, 3], scale=figure.size, tol=1e-6 if name in joints else 1e-5)
                assert_turned(ours, world[node])


def test_between_frames_a_motion_of_straight_channels_is_that_of_the_file(path: Path) -> None:
    rng = np.random.default_rng(1)
    hand = ByHand(path)
    figure = mk.load_figure(path)
    for index, clip in enumerate(figure.source["clips"]):
        if "Step" in clip or "Cubic" in clip or index > 4:
            continue
        motion = load(path, clip)
        for time in rng.uniform(motion.times[0], motion.times[-1], 3):
            world = hand.world(hand.moved(index, float(time)))
            placements = figure.placements(motion.at([time])[0])
            for name in figure.source["joints"]:
                ours = placements[figure.segment_index(name)]
                assert_close(ours[:3, 3], world[figure.source["nodes"][name]][:3, 3], scale=figure.size, tol=1e-6)


def assert_turned(placement: np.ndarray, M: np.ndarray) -> None:
    """The rotation is that of the node, as far as that has one: scales are rounded so that legs are sheared by 1e-5."""
    lengths = np.linalg.norm(M[:3, :3], axis=0)
    if lengths.min() > 0.0:
        assert_close(placement[:3, :3], M[:3, :3] / lengths, tol=1e-5)


def test_unedited_a_file_goes_back_as_it_was(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    for clip in figure.source["clips"][-2:]:
        mk.save(load(path, clip), tmp_path / path.name, like=path)
        before, after = ByHand(path), ByHand(tmp_path / path.name)
        assert after.json == before.json
        assert [b[: len(a)] for a, b in zip(before.buffers, after.buffers, strict=True)] == before.buffers


def test_an_edited_clip_comes_back_and_all_else_stays(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    rng = np.random.default_rng(2)
    clips = figure.source["clips"]
    steps = 0.2 * rng.standard_normal(figure.nv) if figure.nv else np.zeros(0)
    if clips:
        motion = load(path, clips[-1])
        edited = motion.replaced(poses=figure.integrate(motion.poses, steps))
    else:
        edited = mk.Motion(
            figure, figure.integrate(np.tile(figure.rest, (4, 1)), rng.standard_normal((4, figure.nv)) * 0.3)
        )
    out = tmp_path / path.name
    mk.save(edited, out, like=path)
    again = load(out, edited.name)
    names = figure.segment_names
    ours, theirs = edited.placements(names)[..., :3, 3], again.placements(names)[..., :3, 3]
    assert_close(theirs, ours, scale=max(figure.size, float(np.abs(ours).max())), tol=1e-6)
    assert_close(again.times, edited.times, tol=1e-6)
    # All else is as it was, but for matrices of nodes that are moved now.
    before, after = ByHand(path), ByHand(out)
    for key in before.json:
        if key == "animations":
            assert after.json[key][: len(clips) - 1] == before.json[key][:-1]
        elif key in ("accessors", "bufferViews"):
            assert after.json[key][: len(before.json[key])] == before.json[key]
        elif key == "nodes":
            plain = [{k: v for k, v in n.items() if k != "matrix"} for n in before.json[key]]
            for old, new in zip(plain, after.json[key], strict=True):
                assert {k: v for k, v in new.items() if k in old} == old
        elif key != "buffers":
            assert json.dumps(after.json[key]) == json.dumps(before.json[key])
    for old, new in zip(before.buffers, after.buffers, strict=False):  # type: ignore[assignment]
        length = len(old)
        assert new[:length] == old
    for M, N in zip(before.world(), after.world(), strict=True):
        assert_close(N, M, scale=max(figure.size, float(np.abs(M).max())), tol=1e-6)


def test_a_new_file_of_ours_reads_back_with_the_same_places(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    clips = figure.source["clips"]
    motion = load(path, clips[0]) if clips else mk.Motion(figure, figure.rest)
    for ending in (".glb", ".gltf"):
        out = tmp_path / f"new{ending}"
        mk.save(motion, out)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* every node becomes a joint", category=OddFile)
            again = (
                mk.load_motion(out)
                if json_of(out).get("animations")
                else mk.Motion(mk.load_figure(out), mk.load_figure(out).rest)
            )
        ours, theirs = motion.placements(), again.placements(figure.segment_names)
        if len(again) == len(motion):
            assert_close(theirs[..., :3, 3], ours[..., :3, 3], scale=figure.size, tol=1e-6)
        else:  # nothing moved, so there was nothing to animate
            assert_close(theirs[0, :, :3, 3], ours[0, :, :3, 3], scale=figure.size, tol=1e-6)


def json_of(path: Path) -> dict[str, object]:
    return ByHand(path).json


def test_trimesh_and_pygltflib_open_what_was_written_into_a_file(path: Path, tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed (extra 'files')")
    trimesh = pytest.importorskip("trimesh", reason="trimesh, an independent reader, is not installed")
    figure = mk.load_figure(path)
    motion = mk.Motion(figure, np.tile(figure.rest, (3, 1)), name="New")
    motion = motion.replaced(poses=figure.integrate(motion.poses, np.linspace(0, 0.3, 3)[:, None] * np.ones(figure.nv)))
    out = tmp_path / path.name
    mk.save(motion, out, like=path)
    if path.suffix != ".gltf":  # of a .gltf pygltflib reads the JSON only
        read = pygltflib.GLTF2.load_binary(str(out))
        assert read.animations[-1].name == "New"
        assert read.buffers[0].byteLength <= len(read.binary_blob())
    if "meshes" in json_of(path):
        with open(path, "rb") as old, open(out, "rb") as new:
            kind = "gltf" if path.suffix == ".gltf" else "glb"
            before, after = trimesh.load(old, file_type=kind), trimesh.load(new, file_type=kind)
        assert_close(after.bounds, before.bounds, scale=figure.size, tol=1e-6)


def test_a_hand_is_put_where_it_is_wanted_and_the_result_goes_into_the_file(data: Path, tmp_path: Path) -> None:
    path = data / "gltf" / "sphere_vrm0.vrm"
    figure = mk.load_figure(path)
    hand = figure.source["humanoid"]["leftHand"]
    start = figure.placements(figure.rest, [hand])[0, :3, 3]
    target = start + np.array([0.1, 0.15, -0.1])
    feet = [mk.Position(figure.source["humanoid"][f], p) for f, p in foot_places(figure).items()]
    solution = mk.solve(figure, [mk.Position(hand, target), *feet])
    assert solution.reached
    for ending in (".vrm", ".glb", ".gltf"):
        out = tmp_path / f"reach{ending}"
        mk.save(mk.Motion(figure, [figure.rest, solution.pose], rate=1, name="Reach"), out, like=path)
        again = mk.load_motion(out, clip="Reach")
        assert_close(again.placements([hand])[-1, 0, :3, 3], target, tol=2e-4)
        assert again.figure.source["humanoid"] == figure.source["humanoid"]


def foot_places(figure: mk.Figure) -> dict[str, np.ndarray]:
    names = {b: figure.source["humanoid"][b] for b in ("leftFoot", "rightFoot")}
    return {b: figure.placements(figure.rest, [s])[0, :3, 3] for b, s in names.items()}


def test_every_rig_reaches_and_the_result_goes_into_its_file(path: Path, tmp_path: Path) -> None:
    figure = mk.load_figure(path)
    parents = {s.parent for s in figure.segments}
    turning = [s.name for s in figure.segments if s.joint.kind.endswith(("ball", "free"))]
    if not turning:
        pytest.skip("nothing in it turns")
    end = [n for n in figure.segment_names if n not in parents][-1]
    pose = figure.integrate(figure.rest, 0.3 * np.random.default_rng(4).standard_normal(figure.nv))
    goal = mk.Position(end, figure.placements(pose, [end])[0, :3, 3])
    solution = mk.solve(figure, [goal])
    assert solution.reached
    mk.save(mk.Motion(figure, solution.pose, name="Solved"), tmp_path / path.name, like=path)
    again = load(tmp_path / path.name, "Solved")
    assert_close(again.placements([end])[0, 0, :3, 3], goal.target, scale=figure.size, tol=1.1e-4)
