"""What only the data folder ran before: stops, hands, stored clips, pictures of skins, and small laws by hand."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import walker
import walker_files
from gltf_by_hand import ByHand

import manikin as mk
from manikin.errors import BadFile
from manikin.files.common.fitted import fitted
from manikin.files.gltf.display import skin_glb
from manikin.files.osim.model import read
from manikin.motion import passes
from manikin.motion.mirror import unevenness
from manikin.motion.retarget import solving

WALK = walker.walk()


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> mk.Motion:
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    path.write_text(walker_files.bvh_text(WALK))
    return mk.load_motion(path)


def places(motion: mk.Motion, name: str) -> Any:
    return motion.placements([name])[:, 0, :3, 3]


# Retargeting


def test_a_stopped_call_ends_there_and_says_so(walk: mk.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mk.retarget(walk, mk.human())
    monkeypatch.setattr(solving, "PIECE", 20)
    seen: list[tuple[int, int]] = []

    def progress(done: int, count: int) -> bool:
        seen.append((done, count))
        return done < 40

    out = mk.retarget(walk, mk.human(), progress=progress)
    assert seen == [(20, 92), (40, 92)]
    assert len(out.motion) == 40
    assert not out.complete
    assert out.notes[0] == "the call was stopped after 40 of 92 frames"
    assert np.abs(out.motion.poses - whole.motion.poses[:40]).max() < 1e-3
    poses = np.array(walk.poses)
    poses[:, 2] += np.linspace(0.0, 8.0, len(poses))
    planted = mk.plant(walk.replaced(poses=poses), progress=lambda *_: False)
    assert not planted.complete
    assert len(planted.motion) < len(walk)


@pytest.mark.parametrize("hands", ["world", "body"])
def test_hands_are_where_they_belong(walk: mk.Motion, hands: str) -> None:
    """In the world: as far from the hips as in the source, times the scale. Near the hips: as far from these."""
    out = mk.retarget(walk, mk.human(height=1.5), hands=hands, plant=False)
    arms = mk.retarget(walk, mk.human(height=1.5), plant=False)
    scale = 100.0 * out.scale
    for side in ("Left", "Right"):
        wanted = scale * (WALK.at(f"{side}Hand") - 0.5 * (WALK.at("LeftUpLeg") + WALK.at("RightUpLeg")))
        found, plain = (
            places(m.motion, f"{side}Hand") - 0.5 * (places(m.motion, "LeftUpLeg") + places(m.motion, "RightUpLeg"))
            for m in (out, arms)
        )
        far = np.linalg.norm(found - wanted, axis=1).mean()
        assert far < 0.02 if hands == "world" else far < 0.8 * np.linalg.norm(plain - wanted, axis=1).mean()


# Clips that go on in another process


def test_a_stored_clip_goes_on_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person, path = mk.human(), tmp_path / "part.npz"
    times = np.arange(60) / 30.0
    start = person.placements(person.rest, ["RightHand"])[0, :3, 3]
    way = start + np.stack([0.05 * np.sin(times), 0.1 * times, 0.1 * np.cos(times)], axis=1)
    goals = [mk.Over(mk.Position("RightHand", start), way)]
    monkeypatch.setattr(passes, "WINDOW", 20)
    monkeypatch.setattr(passes, "PERIODS", 2)
    whole = mk.solve_motion(person, goals, times)
    part = mk.solve_motion(person, goals, times, store=path, progress=lambda done, _: done < 20)
    assert 0 < len(part.motion) < 60
    with np.load(path) as held:
        assert len(held["poses"]) == len(part.motion)
    again = mk.solve_motion(person, goals, times, resume=path)
    assert again.motion.poses.tobytes() == whole.motion.poses.tobytes()


# Pictures of skins


def test_a_skin_keeps_its_colour_and_its_picture(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    packed = io.BytesIO()
    image.new("RGB", (8, 4), (200, 30, 60)).save(packed, "PNG")
    uri = "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()
    colour = {"baseColorFactor": [0.5, 0.25, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75}
    document = json.loads(walker_files.gltf(WALK.cut(0, 2), False, mesh=True))
    document |= {
        "materials": [
            {"pbrMetallicRoughness": {**colour, "baseColorTexture": {"index": 0}}, "doubleSided": True},
            {"pbrMetallicRoughness": {}, "alphaMode": "MASK", "alphaCutoff": 0.25},
        ],
        "textures": [{"source": 0}],
        "images": [{"uri": uri}],
    }
    (primitive,) = document["meshes"][0]["primitives"]
    document["meshes"][0]["primitives"] = [{**primitive, "material": k} for k in (0, 1)]
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    (tmp_path / "skin.glb").write_bytes(skin_glb(tmp_path / "a.gltf"))
    file = ByHand(tmp_path / "skin.glb")
    one, two = file.json["materials"]
    for key, value in colour.items():
        assert one["pbrMetallicRoughness"][key] == value
    assert one["doubleSided"]
    assert two["alphaMode"] == "MASK"
    assert two["alphaCutoff"] == 0.25
    view = file.json["bufferViews"][file.json["images"][0]["bufferView"]]
    start = view.get("byteOffset", 0)
    seen = image.open(io.BytesIO(file.buffers[0][start : start + view["byteLength"]]))
    assert seen.size == (8, 4)
    assert np.abs(np.array(seen.convert("RGB"))[2, 4].astype(int) - (200, 30, 60)).max() < 12


# By hand


def test_the_shape_around_many_points_on_a_sphere_is_a_sphere() -> None:
    points = np.random.default_rng(0).normal(size=(400, 3))
    points = 2.0 * points / np.linalg.norm(points, axis=1, keepdims=True) + np.array([1.0, 0.0, 0.0])
    shape = fitted(points)
    assert isinstance(shape, mk.Sphere)
    assert shape.center == pytest.approx((1.0, 0.0, 0.0), abs=1e-3)
    assert shape.radius == pytest.approx(2.0, rel=1e-3)


def test_how_uneven_a_figure_is() -> None:
    """Two pairs, two metres wide; the middle of the upper pair is half a metre beside that of the lower one."""
    at = {"LeftLow": (1.0, 0.0), "RightLow": (-1.0, 0.0), "LeftHigh": (1.5, 1.0), "RightHigh": (-0.5, 1.0)}
    segments = [mk.Segment("Root", None, mk.Free())]
    segments += [mk.Segment(name, "Root", mk.Hinge((0, 0, 1)), offset=(x, y, 0.0)) for name, (x, y) in at.items()]
    figure = mk.Figure("pairs", segments)
    assert unevenness(figure, figure.rest) * figure.size == pytest.approx(0.5)


AXIS = """<OpenSimDocument Version="40000"><Model name="m"><JointSet><objects><CustomJoint name="j">
<socket_parent_frame>a</socket_parent_frame><socket_child_frame>b</socket_child_frame><frames>
<PhysicalOffsetFrame name="a"><socket_parent>/bodyset/ground</socket_parent></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="b"><socket_parent>/bodyset/leg</socket_parent></PhysicalOffsetFrame></frames>
<SpatialTransform><TransformAxis name="translation2"><axis>0 1 0</axis><PiecewiseLinearFunction><x>{x}</x><y>{y}</y>
</PiecewiseLinearFunction></TransformAxis></SpatialTransform></CustomJoint></objects></JointSet></Model></OpenSimDocument>
"""


def test_a_function_of_an_opensim_model_is_taken_at_zero(tmp_path: Path) -> None:
    path = tmp_path / "a.osim"
    path.write_text(AXIS.format(x="-1 1 2", y="0.5 2.5 9"))
    assert read(path).placements["leg"][:3, 3] == pytest.approx((0.0, 1.5, 0.0))
    for x, y in (("0 1", "0"), ("1 0", "0 1"), ("0 0", "0 1")):
        path.write_text(AXIS.format(x=x, y=y))
        with pytest.raises(BadFile, match="needs increasing x and as many y"):
            read(path)
