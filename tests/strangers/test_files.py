"""Every format on files of our own: read ones are compared with the truth, written ones are judged from outside."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import biped
import numpy as np
import pytest
import walker
import walker_files
from click.testing import CliRunner
from gltf_by_hand import ByHand
from mjcf_judge import Judge, mujoco, quiet
from scipy.spatial.transform import Rotation
from walker import NAMES

import manikin as mk
from manikin.cli.main import main
from manikin.files.formats import FORMATS
from manikin.files.gltf.display import skin_glb

WALK = walker.walk(24, rate=30.0)
HUMAN_BONES = {
    "hips": "Hips",
    "spine": "Spine",
    "chest": "Spine1",
    "neck": "Neck",
    "head": "Head",
    **{
        f"{side.lower()}{bone}": f"{side}{joint}"
        for side in ("Left", "Right")
        for bone, joint in (
            ("UpperLeg", "UpLeg"),
            ("LowerLeg", "Leg"),
            ("Foot", "Foot"),
            ("Toes", "ToeBase"),
            ("Shoulder", "Shoulder"),
            ("UpperArm", "Arm"),
            ("LowerArm", "ForeArm"),
            ("Hand", "Hand"),
        )
    },
}
VRM = {
    "extensionsUsed": ["VRMC_vrm"],
    "extensions": {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {bone: {"node": NAMES.index(joint)} for bone, joint in HUMAN_BONES.items()}},
        }
    },
}


def _usd(path: Path) -> None:
    """The layer as text; other endings are made of it by Pixar's own code."""
    text = path.with_suffix(".usda")
    text.write_text(walker_files.usda_text(WALK))
    if path.suffix in (".usdc", ".usd"):
        sdf = pytest.importorskip("pxr.Sdf")
        assert sdf.Layer.FindOrOpen(str(text)).Export(str(path))
    if path.suffix == ".usdz":
        utils = pytest.importorskip("pxr.UsdUtils")
        assert utils.CreateNewUsdzPackage(str(text), str(path))


def _write(path: Path) -> Path:
    """The walk in the format of the ending."""
    ending = path.suffix
    if ending == ".bvh":
        path.write_text(walker_files.bvh_text(WALK, unit=1.0))
    elif ending in (".glb", ".gltf"):
        path.write_bytes(walker_files.gltf(WALK, ending == ".glb", mesh=True))
    elif ending == ".vrm":
        path.write_bytes(walker_files.gltf(WALK, True, VRM))
    else:
        _usd(path)
    return path


# Reading


READ = [".bvh", ".glb", ".gltf", ".vrm", ".usda", ".usdc", ".usd", ".usdz"]


@pytest.mark.parametrize(("ending", "safe"), [*((ending, False) for ending in READ), (".bvh", True), (".glb", True)])
def test_a_motion_is_where_it_is(tmp_path: Path, ending: str, safe: bool) -> None:
    motion = mk.load_motion(_write(tmp_path / f"walk{ending}"), safe=safe)
    found = motion.placements(NAMES)
    assert np.abs(found[..., :3, 3] - WALK.positions).max() < 1e-6
    assert np.abs(found[..., :3, :3] - WALK.turned).max() < 1e-6
    assert motion.times == pytest.approx(WALK.times, abs=1e-6)
    assert motion.name == ("walk" if ending == ".bvh" else "Walk")
    figure = mk.load_figure(tmp_path / f"walk{ending}", safe=safe)
    assert figure.up == "y"
    assert figure.unit == (None if ending == ".bvh" else 1.0)
    parents = {s.name: s.parent for s in figure.segments}
    assert all(parents[name] == parent for name, (parent, _) in walker.BONES.items() if parent is not None)
    rest = figure.placements(figure.rest, ["Hips", "LeftHand"])[:, :3, 3]
    assert rest[1] - rest[0] == pytest.approx((0.7, 0.47, 0.0), abs=1e-6)


def test_parts_of_a_vrm_are_what_the_file_says(tmp_path: Path) -> None:
    figure = mk.load_figure(_write(tmp_path / "walk.vrm"))
    bones = mk.bone_map(figure)
    assert bones["left shank"] == ("LeftLeg",)
    assert bones["right upper arm"] == ("RightArm",)
    assert bones["head"] == ("Head",)


def test_shapes_of_a_skin_are_around_its_points(tmp_path: Path) -> None:
    figure = mk.load_figure(_write(tmp_path / "walk.glb"))
    (shape,) = figure.segment("LeftUpLeg").shapes
    length = walker.THIGH
    ends = sorted([shape.start, shape.end], key=lambda p: -p[1]) if isinstance(shape, mk.Capsule) else []
    assert shape.radius == pytest.approx(walker_files.RADIUS, rel=0.2)
    assert ends[0] == pytest.approx((0.0, -0.5 * length, 0.0), abs=0.05)
    assert ends[1] == pytest.approx((0.0, -length, 0.0), abs=0.05)


def test_the_drawn_skin_is_where_the_file_has_it(tmp_path: Path) -> None:
    path = _write(tmp_path / "walk.glb")
    made = tmp_path / "skin.glb"
    made.write_bytes(skin_glb(path))
    motion = mk.load_motion(path)
    file = ByHand(made)
    names = [node.get("name") for node in file.nodes]
    skin = file.json["skins"][0]
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    points = np.array(file.values(attributes["POSITION"]))
    joints = np.array(file.values(attributes["JOINTS_0"])).astype(int)[:, 0]
    inverse = [np.array(m).reshape(4, 4).T for m in file.values(skin["inverseBindMatrices"])]
    for frame in (0, 11):
        placed = {n: motion.placements([n])[frame, 0] for n in NAMES}
        seen = np.array(
            [
                (placed[str(names[skin["joints"][j]])] @ inverse[j] @ [*p, 1.0])[:3]
                for j, p in zip(joints, points, strict=True)
            ]
        )
        rings = [walker_files.ring(n) for n in NAMES]
        wanted = np.concatenate(
            [np.stack([WALK.at(n, p)[frame] for p in r]) for n, r in zip(NAMES, rings, strict=True)]
        )
        assert np.abs(np.sort(seen, axis=0) - np.sort(wanted, axis=0)).max() < 1e-5


def test_robots_are_what_mujoco_has(tmp_path: Path) -> None:
    """MuJoCo reads the MJCF file, and the URDF file that is written from it."""
    (tmp_path / "biped.xml").write_text(biped.mjcf_text())
    figure = mk.load_figure(tmp_path / "biped.xml")
    judge = Judge.of_text(biped.mjcf_text())
    rng = np.random.default_rng(3)
    poses = figure.random(rng, 5)
    for pose in poses:
        assert judge.worst(figure, pose) < 1e-9
    ranges = {judge.model.joint(k).name: judge.model.jnt_range[k] for k in range(1, judge.model.njnt)}
    for name, (low, high) in ranges.items():
        at = figure.index_of(name)
        for value, wrong in ((low, 0.0), (high, 0.0), (low - 0.1, 0.1), (high + 0.1, 0.1)):
            pose = np.array(figure.rest)
            pose[at] = value
            assert np.max(figure.violation(pose)) == pytest.approx(wrong, abs=1e-9), name
    fixed = mk.load_figure(tmp_path / "biped.xml", root="fixed")
    mk.save(fixed, tmp_path / "biped.urdf")
    with quiet():
        model = mujoco.MjModel.from_xml_path(str(tmp_path / "biped.urdf"))
    data = mujoco.MjData(model)
    again = mk.load_figure(tmp_path / "biped.urdf", root="fixed")
    names = [model.joint(k).name for k in range(model.njnt)]
    assert names == list(ranges)
    ends = ["left_hand_link", "right_ankle_roll_link"]
    for pose in fixed.random(rng, 5):
        for name in names:
            data.joint(name).qpos[0] = pose[fixed.index_of(name)]
        mujoco.mj_kinematics(model, data)
        own, read = (f.placements(pose, ["pelvis", *ends]) for f in (fixed, again))
        for k, name in enumerate(ends, start=1):
            assert data.body(name).xpos == pytest.approx(own[k][:3, 3], abs=1e-6)
        assert np.abs(np.linalg.inv(read[0]) @ read - np.linalg.inv(own[0]) @ own).max() < 1e-6


# Writing


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> mk.Motion:
    return mk.load_motion(_write(tmp_path_factory.mktemp("walk") / "walk.glb"))


def bvh_by_hand(text: str) -> dict[str, Any]:
    """Where the joints of a BVH file are: (frames, 3) by name."""
    head, numbers = text.split("MOTION")
    rows = np.array([[float(x) for x in line.split()] for line in numbers.strip().splitlines()[2:]])
    stack: list[tuple[str, Any, Any]] = []
    out: dict[str, Any] = {}
    name, used, offset = "", 0, np.zeros(3)
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            name = " ".join(words[1:])
        elif words[0] == "End":
            name = ""
        elif words[0] == "OFFSET":
            offset = np.array([float(x) for x in words[1:4]])
            at, turn = (stack[-1][1], stack[-1][2]) if stack else (np.zeros((len(rows), 3)), np.eye(3))
            stack.append((name, at + (turn @ offset), turn))
            out[name] = stack[-1][1]
        elif words[0] == "CHANNELS":
            local, place = np.tile(np.eye(3), (len(rows), 1, 1)), np.zeros((len(rows), 3))
            for channel in words[2:]:
                values = rows[:, used]
                used += 1
                if channel.endswith("position"):
                    place[:, "XYZ".index(channel[0])] = values
                else:
                    local = local @ Rotation.from_euler(channel[0], values[:, None], degrees=True).as_matrix()
            _, at, turn = stack.pop()
            moves = any(channel.endswith("position") for channel in words[2:])
            if moves:
                parent = stack[-1] if stack else ("", np.zeros((len(rows), 3)), np.eye(3))
                at = parent[1] + (parent[2] @ place[..., None])[..., 0]
            stack.append((name, at, turn @ local))
            out[name] = at
        elif words[0] == "}":
            stack.pop()
    assert used == rows.shape[1]
    return out


def test_a_written_bvh_file_is_where_it_is(motion: mk.Motion, tmp_path: Path) -> None:
    mk.save(motion, tmp_path / "out.bvh")
    found = bvh_by_hand((tmp_path / "out.bvh").read_text())
    for k, name in enumerate(NAMES):
        assert np.abs(found[name] - WALK.positions[:, k]).max() < 1e-4, name
    step = re.search(r"Frame Time:\s*(\S+)", (tmp_path / "out.bvh").read_text())
    assert step is not None
    assert float(step[1]) == pytest.approx(1.0 / 30.0, abs=1e-6)


@pytest.mark.parametrize(("from_", "ending"), [(".bvh", ".glb"), (".bvh", ".gltf"), (".glb", ".glb"), (".glb", ".vrm")])
def test_a_written_gltf_file_is_where_it_is(tmp_path: Path, from_: str, ending: str) -> None:
    source = mk.load_motion(_write(tmp_path / f"walk{from_}"))
    like = {"like": _write(tmp_path / "like.vrm")} if ending == ".vrm" else {}
    mk.save(source, tmp_path / f"out{ending}", **like)
    file = ByHand(tmp_path / f"out{ending}")
    names = [node.get("name") for node in file.nodes]
    for frame in (0, 7, 23):
        world = file.world(file.moved(0, float(WALK.times[frame])))
        for k, name in enumerate(NAMES):
            assert np.abs(world[names.index(name)][:3, 3] - WALK.positions[frame, k]).max() < 1e-4, name


@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_a_written_usd_file_is_where_it_is(motion: mk.Motion, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("pxr")
    import usd_truth

    mk.save(motion, tmp_path / f"out{ending}")
    path = tmp_path / f"out{ending}"
    (found,) = usd_truth.world(path, WALK.times * usd_truth.rate(path)).values()
    wanted = WALK.positions
    for k in range(len(NAMES)):
        away = np.linalg.norm(found[..., :3, 3] - wanted[:, k : k + 1], axis=-1).max(axis=0)
        assert away.min() < 1e-4, NAMES[k]


def test_written_tables_have_the_numbers_of_the_motion(motion: mk.Motion, tmp_path: Path) -> None:
    mk.save(motion, tmp_path / "out.csv")
    mk.save(motion, tmp_path / "out.npz")
    with (tmp_path / "out.csv").open(newline="") as file:
        head, *rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    table = np.array(rows, dtype=float)
    assert table[:, 0] == pytest.approx(WALK.times, abs=1e-6)
    assert table.shape == (len(WALK), motion.figure.nq + 1)
    assert len(set(head)) == len(head)
    hips = [k for k, name in enumerate(head) if name.startswith("Hips")][:3]
    assert np.abs(np.diff(table[:, hips] - WALK.root, axis=0)).max() < 1e-6  # they may begin elsewhere
    with np.load(tmp_path / "out.npz") as held:
        values = {name: held[name] for name in held.files}
    assert any(np.array_equal(v, motion.poses) for v in values.values() if v.shape == motion.poses.shape)
    for ending in (".csv", ".npz"):
        back = mk.load_motion(tmp_path / f"out{ending}", figure=motion.figure)
        assert np.abs(back.poses - motion.poses).max() < 1e-9
        assert back.times == pytest.approx(motion.times, abs=1e-6)


def test_a_figure_as_json_is_the_figure(tmp_path: Path) -> None:
    (tmp_path / "biped.xml").write_text(biped.mjcf_text())
    figure = mk.load_figure(tmp_path / "biped.xml")
    mk.save(figure, tmp_path / "biped.json")
    said = json.loads((tmp_path / "biped.json").read_text())
    assert "left_knee_link" in json.dumps(said)
    again = mk.load_figure(tmp_path / "biped.json")
    assert again.joint_names == figure.joint_names
    judge = Judge.of_text(biped.mjcf_text())
    pose = figure.random(np.random.default_rng(0))
    assert judge.worst(again, pose) < 1e-9
    assert again.up == "z"
    assert np.array_equal(again.violation(pose), figure.violation(pose))


def test_a_clip_for_opensim_has_its_knee_angles(tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_text(walker_files.bvh_text(WALK))
    motion = mk.retarget(mk.load_motion(tmp_path / "walk.bvh"), mk.human(), plant=False)
    mk.save(motion, tmp_path / "walk.mot")
    head, table = (tmp_path / "walk.mot").read_text().split("endheader\n")
    names, *rows = [line.split("\t") for line in table.strip().splitlines()]
    assert f"nRows={len(WALK)}" in head
    assert f"nColumns={len(names)}" in head
    assert "inDegrees=yes" in head
    values = {name: np.array([float(row[k]) for row in rows]) for k, name in enumerate(names)}
    assert values["time"] == pytest.approx(WALK.times, abs=1e-6)
    for side in ("Left", "Right"):
        turn = WALK.turns[:, NAMES.index(f"{side}Leg")]
        knee = np.degrees(np.arctan2(turn[:, 2, 1], turn[:, 2, 2]))
        found = values[f"knee_angle_{side[0].lower()}"]
        assert np.abs(np.abs(found) - knee).max() < 2.0
        hip = WALK.turns[:, NAMES.index(f"{side}UpLeg")]
        flexion = -np.degrees(np.arctan2(hip[:, 2, 1], hip[:, 2, 2]))
        assert np.abs(values[f"hip_flexion_{side[0].lower()}"] - flexion).max() < 6.0


def test_the_command_converts_between_all_formats_of_motions(tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text(walker_files.bvh_text(WALK, unit=1.0))
    for ending, format in FORMATS.items():
        if format.save_motion is None or ending in (".mot", ".vrm", ".vrma"):
            continue
        out = tmp_path / f"out{ending}"
        said = CliRunner().invoke(main, ["convert", str(path), str(out)])
        assert said.exit_code == 0, (ending, said.output)
        options = {"figure": mk.load_figure(path)} if ending in (".csv", ".npz") else {}
        back = mk.load_motion(out, **options)
        assert np.abs(back.placements(NAMES)[..., :3, 3] - WALK.positions).max() < 1e-4, ending
