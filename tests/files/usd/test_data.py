"""The real USD files: against Pixar's own code, against their glTF twins, and back into their own stages."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed")

import usd_truth

import manikin as mk
from manikin.errors import OddFile

FILES = ("CesiumMan.usdz", "RiggedSimple.usdz", "lbs.usda", "skinnedArm.usda")


def quietly(load, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        return load(*arguments, **options)


def test_every_file_of_the_folder_is_in_this_test(data):
    assert sorted(p.name for p in (data / "usd").glob("*.usd*")) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_joints_are_where_usdskel_has_them(name, data):
    path = data / "usd" / name
    motion = quietly(mk.load_motion, path)
    frames = np.random.default_rng(0).choice(len(motion), min(len(motion), 8), replace=False)
    assert usd_truth.distance(motion, path, frames) < 1e-6
    # The quaternions of skinnedArm are of length 0.99999, so that its axes are no rotation.
    assert usd_truth.turned_by(motion, path) < (3e-5 if name == "skinnedArm.usda" else 1e-6)
    assert motion.figure.violation(motion.poses).max() == 0.0


@pytest.mark.parametrize("name", FILES)
def test_units_up_axis_and_times_are_the_files(name, data):
    figure = quietly(mk.load_figure, data / "usd" / name)
    motion = quietly(mk.load_motion, data / "usd" / name)
    assert motion.figure == figure
    assert figure.unit == (1.0 if name.endswith("usdz") else 0.01)
    assert figure.up == "y"
    assert motion.times[0] == 1 / 24
    assert motion.source["clip"] in figure.source["clips"]


def test_only_what_the_clip_moves_has_sliders_and_they_are_held(data):
    motion = quietly(mk.load_motion, data / "usd" / "CesiumMan.usdz")
    man = motion.figure
    sliding = [s for s in man.segments[1:] if len(s.joint.motions) > 1]
    assert 5 <= len(sliding) <= 9
    for segment in sliding:
        assert all(m.held for m in segment.joint.motions[:-1]), segment.name
        first = man.index_of(segment.joint.name)
        assert 0.0 < np.abs(motion.poses[:, first : first + 3]).max() < 0.01 * man.size, segment.name
    assert man.segments[0].joint.kind == "free"


@pytest.mark.parametrize("name", ["CesiumMan", "RiggedSimple"])
def test_twins_in_gltf_and_usd_have_the_same_joints_in_the_same_places(name, data):
    usd = quietly(mk.load_motion, data / "usd" / f"{name}.usdz")
    gltf = quietly(mk.load_motion, data / "gltf" / f"{name}.glb")
    pairs = [(n, re.sub(r"\W", "_", n)) for n in gltf.figure.segment_names]
    pairs = [(a, b) for a, b in pairs if b in usd.figure.segment_names]
    assert len(pairs) == len(usd.figure.segments)
    times = usd.times[(usd.times >= gltf.times[0] - 1e-6) & (usd.times <= gltf.times[-1] + 1e-6)]
    assert len(times) > 40
    a = gltf.figure.placements(gltf.at(times), [a for a, _ in pairs])[..., :3, 3]
    b = usd.figure.placements(usd.at(times), [b for _, b in pairs])[..., :3, 3]
    if name == "RiggedSimple":  # its root is at the origin in the USD animation (UsdSkel says so, too), not in the glTF
        a, b = a - a[:, :1], b - b[:, :1]
    assert np.linalg.norm(a - b, axis=-1).max() < 2e-6 * usd.figure.size


@pytest.mark.parametrize("ending", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize("name", FILES)
def test_a_motion_saved_as_a_new_stage_is_read_back(name, ending, data, tmp_path):
    motion = quietly(mk.load_motion, data / "usd" / name)
    mk.save(motion, tmp_path / f"out{ending}")
    back = mk.load_motion(tmp_path / f"out{ending}")
    assert back.figure.segment_names == motion.figure.segment_names
    assert (back.figure.unit, back.figure.up) == (motion.figure.unit, motion.figure.up)
    assert np.allclose(back.times, motion.times, atol=1e-9)
    apart = np.abs(back.placements(motion.figure.segment_names) - motion.placements())
    assert apart[..., :3, 3].max() < 1e-6 * motion.figure.size
    assert apart[..., :3, :3].max() < 1e-6
    assert usd_truth.distance(back, tmp_path / f"out{ending}") < 1e-6


@pytest.mark.parametrize("name", FILES)
def test_an_unedited_motion_put_back_into_its_stage_changes_nothing(name, data, tmp_path):
    from pxr import Usd

    path = data / "usd" / name
    motion = quietly(mk.load_motion, path)
    mk.save(motion, tmp_path / "back.usda", like=path)
    before, after = Usd.Stage.Open(str(path)), Usd.Stage.Open(str(tmp_path / "back.usda"))
    seen = 0
    for prim in before.Traverse():
        there = after.GetPrimAtPath(prim.GetPath())
        for attribute in prim.GetAuthoredAttributes():
            other = there.GetAttribute(attribute.GetName())
            assert other.GetTimeSamples() == attribute.GetTimeSamples()
            if attribute.GetTypeName() != "asset":
                for code in (*attribute.GetTimeSamples(), Usd.TimeCode.Default()):
                    assert other.Get(code) == attribute.Get(code), attribute.GetPath()
            seen += 1
    assert seen > 10
    again = quietly(mk.load_motion, tmp_path / "back.usda")
    assert (again.poses == motion.poses).all()


@pytest.mark.parametrize("name", FILES)
def test_a_solved_pose_saved_into_the_users_stage_is_read_back(name, data, tmp_path):
    path = data / "usd" / name
    motion = quietly(mk.load_motion, path)
    figure = motion.figure
    tip = figure.segment_names[-1]
    start = motion.poses[0]
    wanted = figure.placements(figure.random(np.random.default_rng(3)), [tip])[0, :3, 3]
    solution = mk.solve(figure, [mk.Position(tip, wanted)], start=start)
    assert solution.reached
    poses = np.array(motion.poses)
    poses[1] = solution.pose
    edited = motion.replaced(poses=poses)
    mk.save(edited, tmp_path / "edited.usdc", like=path)
    back = quietly(mk.load_motion, tmp_path / "edited.usdc")
    names = figure.segment_names
    assert np.abs(back.placements(names) - edited.placements())[..., :3, 3].max() < 1e-6 * figure.size
    assert np.allclose(back.figure.placements(back.poses[1], [tip])[0, :3, 3], wanted, atol=1e-3 * figure.size)
    assert np.allclose(back.figure.placements(back.figure.rest), figure.placements(figure.rest))
    assert usd_truth.distance(back, tmp_path / "edited.usdc") < 1e-6


def test_the_mesh_and_its_textures_stay_in_reach_after_saving_elsewhere(data, tmp_path):
    from pxr import Usd, UsdGeom

    motion = quietly(mk.load_motion, data / "usd" / "CesiumMan.usdz")
    mk.save(motion, tmp_path / "man.usda", like=motion)
    stage = Usd.Stage.Open(str(tmp_path / "man.usda"))
    meshes = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    assert len(meshes) == 1
    textures = [
        a.Get() for p in stage.Traverse() for a in p.GetAuthoredAttributes() if a.GetTypeName() == "asset" and a.Get()
    ]
    assert textures
    assert all(t.resolvedPath for t in textures)
    assert not any(Path(t.path.split("[")[0]).is_absolute() for t in textures)
