"""Writing GLB: read back byte by byte, node matrices multiplied out by hand against the figure's placements."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_figure, random_poses, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.figure import Ball, Box, Capsule, Figure, Free, Hinge, Segment, Slider, Sphere, chain
from manikin.files import bvh
from manikin.files.common.up_axis import TO_Y_UP
from manikin.files.gltf import new_file
from manikin.files.gltf.triangles import triangles
from manikin.motion import Motion

COMPONENTS = {5126: "<f4", 5123: "<u2", 5125: "<u4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Read:
    """A GLB taken apart by the letter of the specification; what it forbids is an assertion."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        assert size % 4 == 0
        self.json: dict[str, Any] = json.loads(data[20 : 20 + size], parse_constant=pytest.fail)
        self.binary = b""
        if len(data) > 20 + size:
            length, kind = struct.unpack_from("<I4s", data, 20 + size)
            assert kind == b"BIN\0"
            assert length % 4 == 0
            self.binary = data[28 + size :]
            assert length == len(self.binary) == self.json["buffers"][0]["byteLength"]
        self.nodes: list[dict[str, Any]] = self.json["nodes"]
        self.check()

    def check(self) -> None:
        assert self.json["asset"]["version"] == "2.0"
        end = 0
        for view in self.json.get("bufferViews", []):
            assert view["byteOffset"] >= end  # none overlap
            assert view["byteOffset"] % 4 == 0
            end = view["byteOffset"] + view["byteLength"]
            assert view["byteLength"] > 0
        assert end <= len(self.binary)
        for i, accessor in enumerate(self.json.get("accessors", [])):
            values = self.values(i)
            assert accessor["count"] >= 1
            if values.dtype.kind == "f":
                assert np.isfinite(values).all()
            if "min" in accessor:
                assert (np.array(accessor["min"], dtype=values.dtype) == values.min(axis=0)).all()
                assert (np.array(accessor["max"], dtype=values.dtype) == values.max(axis=0)).all()
        for mesh in self.json.get("meshes", []):
            for primitive in mesh["primitives"]:
                points = self.json["accessors"][primitive["attributes"]["POSITION"]]
                assert "min" in points
                indices = self.values(primitive["indices"])
                assert indices.max() < points["count"]
                assert len(indices) % 3 == 0
                assert_close(np.linalg.norm(self.values(primitive["attributes"]["NORMAL"]), axis=1), 1.0, tol=1e-6)
        children = [c for n in self.nodes for c in n.get("children", [])]
        assert len(children) == len(set(children)) == len(self.nodes) - 1  # one tree
        for node in self.nodes:
            assert np.linalg.norm(node.get("rotation", (0, 0, 0, 1))) == pytest.approx(1.0, abs=1e-6)
        for animation in self.json.get("animations", []):
            targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
            assert len(targets) == len(set(targets)) > 0
            for sampler in animation["samplers"]:
                times = self.values(sampler["input"])
                assert "min" in self.json["accessors"][sampler["input"]]
                assert times[0] >= 0.0
                assert (np.diff(times[:, 0]) > 0.0).all()
                assert len(self.values(sampler["output"])) == len(times)
                assert sampler["interpolation"] == "LINEAR"

    def values(self, accessor: int) -> np.ndarray:
        a = self.json["accessors"][accessor]
        view = self.json["bufferViews"][a["bufferView"]]
        width = WIDTHS[a["type"]]
        data = self.binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        values = np.frombuffer(data, COMPONENTS[a["componentType"]])
        assert len(values) == a["count"] * width
        return values.reshape(-1, width)

    def world(self, frame: int | None = None) -> dict[str, np.ndarray]:
        """4×4 of each node by name: as the nodes stand, or in a frame of the animation."""
        moved = {}
        for animation in self.json.get("animations", []) if frame is not None else []:
            for c in animation["channels"]:
                output = self.values(animation["samplers"][c["sampler"]]["output"])
                moved[c["target"]["node"], c["target"]["path"]] = output[frame].astype(float)
        out = {}
        waiting = [(i, np.eye(4)) for i in self.json["scenes"][self.json["scene"]]["nodes"]]
        while waiting:
            i, before = waiting.pop()
            node = self.nodes[i]
            x, y, z, w = moved.get((i, "rotation"), node.get("rotation", (0, 0, 0, 1)))
            origin = moved.get((i, "translation"), node.get("translation", (0, 0, 0)))
            out[node["name"]] = here = before @ rotations.placement(np.array([w, x, y, z]), np.array(origin))
            waiting += [(c, here) for c in node.get("children", [])]
        return out


def saved(thing: Figure | Motion, folder: Path) -> Read:
    new_file.save(thing, folder / "out.glb")
    return Read((folder / "out.glb").read_bytes())


def expected(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Placements as glTF has them: metres, y up."""
    world = figure.placements(q)
    world[..., :3, 3] *= figure.unit or 1.0
    turn = np.eye(4)
    turn[:3, :3] = rotations.to_matrix(np.array(TO_Y_UP[figure.up]))
    return turn @ world


@given(rngs())
def test_node_matrices_multiply_out_to_the_placements(
    tmp_path_factory: pytest.TempPathFactory, rng: np.random.Generator
) -> None:
    unit = rng.choice([1.0, 0.01, None])
    figure = random_figure(rng).replaced(up=rng.choice(["x", "y", "z"]), unit=unit)
    motion = Motion(figure, random_poses(figure, rng, 4), rate=12.5)
    read = saved(motion, tmp_path_factory.mktemp("glb"))
    for frame in (None, 0, 1, 3):
        wanted = expected(figure, motion.poses[frame or 0])
        scale = max((figure.unit or 1.0) * figure.size, float(np.abs(wanted).max()))
        got = read.world(frame)
        for i, name in enumerate(figure.segment_names):
            assert_close(got[name][:3, :3], wanted[i, :3, :3], tol=5e-6)
            assert_close(got[name][:3, 3], wanted[i, :3, 3], scale=scale, tol=5e-6)


def test_the_rest_pose_of_a_motion_is_read_back(tmp_path: Path) -> None:
    """The nodes have the first pose. Some numbers are the same in all frames, but not those of the rest pose."""
    figure = mk.human()
    poses = figure.random(np.random.default_rng(7), 4)
    poses[:, 7:60] = poses[0, 7:60]
    motion = Motion(figure, poses, rate=12.5)
    mk.save(motion, tmp_path / "a.glb")
    read = mk.load_motion(tmp_path / "a.glb")
    assert_close(read.figure.placements(read.figure.rest), figure.placements(figure.rest), tol=1e-6)
    assert_close(read.placements(), motion.placements(), tol=1e-5)
    # A motion that is written into this file keeps the rest pose too.
    other = read.replaced(poses=np.vstack([read.figure.rest, read.poses[:3]]), name="other")
    mk.save(other, tmp_path / "b.glb", like=tmp_path / "a.glb")
    again = mk.load_motion(tmp_path / "b.glb", clip="other")
    assert_close(again.figure.placements(again.figure.rest), figure.placements(figure.rest), tol=1e-6)
    assert_close(again.placements(), other.placements(), tol=1e-5)


def test_a_figure_stands_in_its_rest_pose_without_animation(tmp_path: Path) -> None:
    figure = chain([1, 2], planar=True)
    read = saved(figure, tmp_path)
    assert "animations" not in read.json
    assert_close(read.world()["Tip"][:3, 3], [3, 0, 0])
    assert read.json["scenes"][0]["name"] == "chain"


@pytest.mark.parametrize("frames", [1, 4])
@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_a_motion_that_stands_still_is_read_back_as_a_motion(frames: int, ending: str, tmp_path: Path) -> None:
    figure = Figure("f", [Segment("A", None, Free()), Segment("B", "A", Hinge(axis=(1, 0, 0)), offset=(0, 1, 0))])
    motion = Motion(figure, [figure.pose({"B": 0.5})] * frames, rate=10, name="Still")
    path = tmp_path / f"still{ending}"
    mk.save(motion, path)
    back = mk.load_motion(path, clip="Still")
    assert len(back) == frames
    assert_close(back.placements(), motion.placements(), tol=1e-7)
    assert not any("B.t" in name for name in back.figure.number_names)  # it turns, and does not slide


def test_the_animation_has_the_times_and_only_what_moves(tmp_path: Path) -> None:
    figure = Figure(
        "crane",
        [
            Segment("Base", joint=Free()),
            Segment("Mast", "Base", Hinge(axis=(0, 1, 0))),
            Segment("Arm", "Mast", Slider(axis=(1, 0, 0)), offset=(0, 2, 0)),
            Segment("Hook", "Arm", Ball(), offset=(1, 0, 0)),
        ],
    )
    poses = [figure.pose({"Mast": a, "Arm": 2.0 * a}) for a in (0.0, 0.5, 1.0)]
    read = saved(Motion(figure, poses, times=[1.0, 1.5, 3.0], name="Lift"), tmp_path)
    (animation,) = read.json["animations"]
    assert animation["name"] == "Lift"
    targets = {(read.nodes[c["target"]["node"]]["name"], c["target"]["path"]) for c in animation["channels"]}
    assert targets == {("Mast", "rotation"), ("Arm", "translation")}
    assert len({s["input"] for s in animation["samplers"]}) == 1  # all share one clock
    assert_close(read.values(animation["samplers"][0]["input"])[:, 0], [1.0, 1.5, 3.0])
    assert_close(read.world(2)["Hook"], expected(figure, poses[2])[3], tol=1e-6)


def test_negative_times_begin_at_zero(tmp_path: Path) -> None:
    motion = Motion(chain(1, planar=True), [[0.0], [1.0]], times=[-2.0, -1.5])
    read = saved(motion, tmp_path)
    assert_close(read.values(read.json["animations"][0]["samplers"][0]["input"])[:, 0], [0.0, 0.5])


def test_late_times_that_32_bits_cannot_tell_apart_begin_at_zero_too(tmp_path: Path) -> None:
    motion = Motion(chain(1, planar=True), [[0.0], [1.0]], times=[1e9, 1e9 + 0.01])
    read = saved(motion, tmp_path)
    assert_close(read.values(read.json["animations"][0]["samplers"][0]["input"])[:, 0], [0.0, 0.01], tol=1e-7)
    with pytest.raises(BadValue, match="some frames have the same time in glTF"):
        new_file.save(Motion(chain(1, planar=True), [[0.0], [1.0], [2.0]], times=[0, 1, 1 + 1e-12]), tmp_path / "x.glb")


def test_quaternions_next_to_each_other_are_on_one_side(tmp_path: Path) -> None:
    figure = Figure("top", [Segment("Top", joint=Ball())])
    q = rotations.from_axis_angle((0, 0, 1), np.linspace(0, 14, 100)) * np.random.default_rng(0).choice(
        [-1, 1], (100, 1)
    )
    read = saved(Motion(figure, q), tmp_path)
    values = read.values(read.json["animations"][0]["samplers"][0]["output"])
    assert ((values[1:] * values[:-1]).sum(axis=1) > 0.9).all()


def test_numbers_too_large_for_32_bits_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    figure = Figure("far", [Segment("A", joint=Slider()), Segment("B", "A", offset=(1, 0, 0))])
    with pytest.raises(BadValue, match="too large for the 32 bits of glTF"), np.errstate(over="ignore"):
        new_file.save(Motion(figure, [[0.0], [1e300]]), tmp_path / "far.glb")
    assert list(tmp_path.iterdir()) == []


# Shapes


SHAPES = [
    (Sphere((1, 2, 3), 0.5), 4 / 3 * np.pi * 0.5**3),
    (Capsule((0, 0, 0), (0, 2, 0), 0.3), np.pi * 0.3**2 * (2 + 4 / 3 * 0.3)),
    (Capsule((1, 0, 0), (-1, 1, 2), 0.1), np.pi * 0.1**2 * (3 + 4 / 3 * 0.1)),
    (Capsule((1, 1, 1), (1, 1, 1), 0.4), 4 / 3 * np.pi * 0.4**3),
    (Box((0.5, 1, 2), (1, 0, 0), rotations.from_axis_angle((0, 0, 1), 0.5)), 8.0),
]


@pytest.mark.parametrize(("shape", "volume"), SHAPES)
def test_surfaces_are_closed_turned_outward_and_of_the_right_volume(shape: Any, volume: float) -> None:
    surface = triangles((shape,))
    corners = surface.points[surface.indices].reshape(-1, 3, 3)
    middle = corners.mean(axis=(0, 1))
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside = float(((corners[:, 0] - middle) * cross).sum() / 6.0)  # of the pyramids from the middle, by divergence
    assert 0.94 * volume < inside <= volume * (1 + 1e-9)  # flat faces lie within the round shape
    assert np.abs(cross.sum(axis=0)).max() < 1e-12  # closed: the areas balance
    assert np.linalg.norm(cross, axis=1).min() > 1e-9  # no triangle without area
    normals = surface.normals[surface.indices].reshape(-1, 3, 3)
    assert (np.einsum("fi,fvi->fv", cross, normals) > 0.0).all()
    assert_close(np.linalg.norm(surface.normals, axis=1), 1.0)


def test_points_of_a_capsule_are_its_radius_from_its_axis() -> None:
    capsule = Capsule((1, 0, 0), (-1, 1, 2), 0.25)
    a, b = np.array(capsule.start), np.array(capsule.end)
    points = triangles((capsule,)).points
    along = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    assert_close(np.linalg.norm(points - (a + along[:, None] * (b - a)), axis=1), 0.25)


def test_shapes_are_scaled_to_metres_and_shared(tmp_path: Path) -> None:
    def limb(name: str, x: float) -> Segment:
        return Segment(name, "Body", Hinge(), offset=(x, 0, 0), shapes=[Capsule((0, 0, 0), (0, -40, 0), 5)])

    figure = Figure("cm", [Segment("Body", shapes=[Box((10, 20, 5))]), limb("L", 10), limb("R", -10)], unit=0.01)
    read = saved(figure, tmp_path)
    assert len(read.json["meshes"]) == 2
    assert [n.get("mesh") for n in read.nodes] == [0, 1, 1]
    bounds = [read.json["accessors"][m["primitives"][0]["attributes"]["POSITION"]] for m in read.json["meshes"]]
    assert_close(bounds[0]["max"], [0.1, 0.2, 0.05], tol=1e-7)
    assert_close([bounds[1]["min"][1], bounds[1]["max"][1]], [-0.45, 0.05], tol=1e-7)
    assert read.json["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] == 0.0


def test_a_figure_without_shapes_gets_slender_ones_to_be_seen(tmp_path: Path) -> None:
    figure = Figure(
        "bare", [Segment("A"), Segment("B", "A", Hinge(), offset=(0, 2, 0)), Segment("C", "B", offset=(1, 0, 0))]
    )
    read = saved(figure, tmp_path)
    assert ["mesh" in n for n in read.nodes] == [True, True, False]
    highest = read.json["accessors"][read.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["max"][1]
    assert 2.0 < highest < 2.1


def test_a_figure_of_one_point_is_a_file_too(tmp_path: Path) -> None:
    read = saved(Figure("dot", [Segment("Dot")]), tmp_path)
    assert read.binary == b""
    assert read.nodes == [{"name": "Dot"}]


def test_an_unknown_unit_is_said_in_the_file(tmp_path: Path) -> None:
    read = saved(chain(1).replaced(unit=None), tmp_path)
    assert "not known" in read.json["asset"]["extras"]["unit"]
    assert "extras" not in saved(chain(1), tmp_path).json["asset"]


# Other readers


def test_pygltflib_reads_it(tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed (extra 'files')")
    figure = chain([1, 2, 3])
    motion = Motion(figure, figure.random(np.random.default_rng(0), 5), rate=10)
    new_file.save(motion, tmp_path / "chain.glb")
    document = pygltflib.GLTF2().load(tmp_path / "chain.glb")
    assert [n.name for n in document.nodes] == list(figure.segment_names)
    assert len(document.animations[0].channels) == 3
    assert len(document.binary_blob()) == document.buffers[0].byteLength


def test_trimesh_finds_the_same_bounds(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh, an independent reader, is not installed")
    figure = Figure(
        "post",
        [
            Segment("A", shapes=[Sphere((0, 0, 0), 0.5)]),
            Segment("B", "A", Hinge(axis=(1, 0, 0)), offset=(0, 0, 2), shapes=[Box((1, 2, 3))]),
        ],
        up="z",
    )
    new_file.save(Motion(figure, [np.pi / 2]), tmp_path / "post.glb")
    scene = trimesh.load(tmp_path / "post.glb")
    # With z up the sphere is ±0.5 about the origin, the turned box ±(1, 3, 2) about (0, 0, 2); z goes to y, y to −z.
    assert_close(scene.bounds, [[-1, -0.5, -3], [1, 4, 3]], tol=1e-6)


def test_a_motion_from_bvh_goes_to_glb_with_the_same_places(data: Path, tmp_path: Path) -> None:
    motion = bvh.load_motion(data / "bvh" / "cmu_49_06_cartwheel.bvh")[::40]
    read = saved(motion, tmp_path)
    for frame in range(len(motion)):
        got, wanted = read.world(frame), motion.figure.placements(motion.poses[frame])
        for i, name in enumerate(motion.figure.segment_names):
            assert_close(got[name][:3, 3], wanted[i, :3, 3], scale=motion.figure.size, tol=2e-6)
