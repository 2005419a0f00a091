"""Shapes around the skins of glTF files: every point is in the shape of the joint that it follows most."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gltf_by_hand import ByHand, Maker, turn
from mesh_bytes import CORNERS
from needs import data_file

import manikin as mk
from manikin.errors import MissingShape
from manikin.kinematics.cover import distances


def skinned(path: Path):
    """(joint's node, point in the world at rest) of every point of every skinned mesh, by hand."""
    file = ByHand(path)
    world = file.world()
    for node in file.nodes:
        if "mesh" not in node or "skin" not in node:
            continue
        skin = file.json["skins"][node["skin"]]
        inverse = [np.array(m).reshape(4, 4).T for m in file.values(skin["inverseBindMatrices"])]
        for primitive in file.json["meshes"][node["mesh"]]["primitives"]:
            a = primitive["attributes"]
            rows = zip(*(file.values(a[key]) for key in ("POSITION", "JOINTS_0", "WEIGHTS_0")), strict=True)
            for point, joints, weights in rows:
                k = int(joints[int(np.argmax(weights))])
                yield skin["joints"][k], (world[skin["joints"][k]] @ inverse[k] @ [*point, 1.0])[:3]


def assert_held(path: Path, figure: mk.Figure) -> None:
    """At rest every point is within the shape of its segment."""
    names = {node: name for name, node in figure.source["nodes"].items()}
    places = dict(zip(figure.segment_names, figure.placements(figure.rest), strict=True))
    by_segment: dict[str, list[np.ndarray]] = {}
    for node, point in skinned(path):
        by_segment.setdefault(names[node], []).append(point)
    assert by_segment
    for name, points in by_segment.items():
        T = places[name]
        local = (np.array(points) - T[:3, 3]) @ T[:3, :3]
        if not np.ptp(local, axis=0).any():  # a single point
            continue
        (shape,) = figure.segment(name).shapes
        ends = (shape.center, shape.center) if isinstance(shape, mk.Sphere) else (shape.start, shape.end)
        away = distances(local, *map(np.array, ends)) - shape.radius
        assert abs(away.max()) <= 1e-6 * figure.size, name


@pytest.mark.parametrize(
    "name", ["CesiumMan.glb", "Fox.glb", "RiggedSimple.glb", "SimpleSkin.gltf", "blender_simple_armature.glb"]
)
def test_points_of_real_characters_are_in_the_shapes_of_their_segments(name: str) -> None:
    path = data_file(f"gltf/{name}")
    figure = mk.load_figure(path)
    assert_held(path, figure)
    assert figure.source["shapeless"] == ()


def test_a_hand_of_a_character_is_kept_out_of_a_ball() -> None:
    path = data_file("gltf/CesiumMan.glb")
    figure = mk.load_figure(path)
    arm = next(s.name for s in figure.segments if "arm_joint_L__4_" in s.name)
    at = figure.placements(figure.rest, [arm])[0, :3, 3]
    ball = mk.Sphere(tuple(at), 0.05)
    solution = mk.solve(figure, mk.Clearance(0.01, obstacles=[ball], between=[("*", "obstacle 1")]))
    assert solution.reached
    places = dict(zip(figure.segment_names, figure.placements(solution.pose), strict=True))
    rest = dict(zip(figure.segment_names, figure.placements(figure.rest), strict=True))
    names = {node: name for name, node in figure.source["nodes"].items()}
    for node, point in skinned(path):
        local = np.linalg.inv(rest[names[node]]) @ [*point, 1.0]
        assert np.linalg.norm((places[names[node]] @ local)[:3] - at) >= 0.06 - 1e-3 * figure.size


def character(**more) -> Maker:
    """Two joints, the upper one scaled by 2 and turned, each with a tetrahedron; the lower one by its third weight."""
    nodes = [
        {
            "name": "upper",
            "children": [1],
            "scale": [2, 2, 2],
            "rotation": turn((1, 2, 3), 50),
            "translation": [1, 0, 0],
        },
        {"name": "lower", "translation": [0, 1, 0]},
        {"name": "body", "mesh": 0, "skin": 0},
    ]
    made = Maker(nodes, scenes=[{"nodes": [0, 2]}])
    inverse = [np.diag([0.5, 0.5, 0.5, 1.0]), np.eye(4)]
    inverse[1][:3, 3] = (0.0, -3.0, 0.5)
    made.skin([0, 1], inverse)
    points = np.vstack([CORNERS, CORNERS + np.array([0.0, 4.0, 0.0])])
    weights = [[0.9, 0.1, 0, 0]] * 4 + [[0.2, 0.3, 0.5, 0]] * 4
    attributes = {
        "POSITION": made.add(points),
        "JOINTS_0": made.add([[0, 1, 0, 0]] * 4 + [[0, 0, 1, 0]] * 4, component=5121),
        "WEIGHTS_0": made.add(weights),
    }
    made.json["meshes"] = [{"primitives": [{"attributes": attributes | more}]}]
    return made


def test_each_point_goes_to_the_joint_that_it_follows_most(tmp_path: Path) -> None:
    path = character().write(tmp_path / "a.glb")
    figure = mk.load_figure(path)
    assert_held(path, figure)
    assert [len(s.shapes) for s in figure.segments] == [1, 1]
    assert figure.source["shapeless"] == ()


def broken(key: str, value):
    def change(made: Maker) -> None:
        made.json["meshes"][0]["primitives"][0][key] = value

    return change


def joints_out_of_range(made: Maker) -> None:
    attributes = made.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["JOINTS_0"] = made.add([[7, 7, 7, 7]] * 8, component=5121)


def too_few_weights(made: Maker) -> None:
    attributes = made.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = made.add([[1.0, 0, 0, 0]] * 3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (broken("extensions", {"KHR_draco_mesh_compression": {}}), "compressed with KHR_draco_mesh_compression"),
        (broken("attributes", {"POSITION": 99}), "POSITION"),
        (broken("attributes", 3), "attributes needs an object"),
        (joints_out_of_range, "refers to joint 7; its skin has 2"),
        (too_few_weights, "has 8 points, 8 joints and 3 weights"),
    ],
)
def test_a_mesh_that_cannot_be_read_is_noted_and_its_joints_are_named(tmp_path: Path, change, reason: str) -> None:
    made = character()
    change(made)
    figure = mk.load_figure(made.write(tmp_path / "a.glb"))
    assert not any(s.shapes for s in figure.segments)
    assert set(figure.source["shapeless"]) == {"upper", "lower"}
    assert any(reason in note for note in figure.source["notes"])


def test_a_mesh_without_skin_is_a_body_without_shape(tmp_path: Path) -> None:
    made = character()
    made.json["nodes"][1]["mesh"] = 0
    figure = mk.load_figure(made.write(tmp_path / "a.glb"))
    assert figure.source["shapeless"] == ()  # it has a shape, of the skin
    made.json["nodes"].append({"name": "tool", "mesh": 0})
    made.json["nodes"][1]["children"] = [3]
    figure = mk.load_figure(made.write(tmp_path / "a.glb"))
    assert figure.source["shapeless"] == ("tool",)
    with pytest.warns(MissingShape, match="tool has no shape"):
        mk.solve(figure, mk.Clearance(obstacles=[mk.Sphere((9, 9, 9), 0.1)]))
