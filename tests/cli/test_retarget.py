"""`manikin retarget IN FIGURE`: files in, files out, exit codes."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from needs import data_file

import manikin as mk
from manikin.cli.main import main


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["retarget", *map(str, args)])


@pytest.fixture
def walk() -> Path:
    return data_file("bvh/cmu_02_01_walk.bvh")


def test_a_table_for_a_robot(walk: Path, tmp_path: Path) -> None:
    robot, out = data_file("mjcf/unitree_g1.xml"), tmp_path / "walk.csv"
    done = run(walk, robot, "--frames", 1, 120, "--rate", 30, "--out", out)
    assert done.exit_code == 0, done.output
    assert "cmu_02_01_walk: 30 frames, on g1_29dof_rev_1_0" in done.stdout
    assert "fastest joint: " in done.stdout
    figure = mk.load_figure(robot)
    assert out.read_text().splitlines()[0].split(",")[1:] == list(figure.number_names)
    motion = mk.load_motion(out, figure=figure)
    assert len(motion) == 30
    assert motion.rate == pytest.approx(30.0, rel=1e-3)
    assert np.max(figure.violation(motion.poses)) < 1e-9


def test_json_has_maps_quality_and_speeds(walk: Path) -> None:
    data = json.loads(run(walk, "human", "--frames", 1, 60, "--hands", "body", "--json").stdout)
    assert data["frames"] == 60
    assert data["hands"] == "body"
    assert data["bones"]["left forearm"] == ["LeftForeArm", "LeftForeArmTwist"]
    assert data["measures"]["frames_over_limit"] == 0
    speeds = list(data["joint_speeds"].values())
    assert speeds == sorted(speeds, reverse=True)


def test_files_that_cannot_be_written_are_named_before_the_work(walk: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mk, "retarget", lambda *_, **__: pytest.fail("the work began"))
    for out, message in (("walk.xyz", "'.xyz' is unknown"), ("none/walk.bvh", "there is no folder")):
        done = run(walk, "human", "--out", tmp_path / out)
        assert done.exit_code == 2
        assert message in done.stderr


def test_a_command_that_is_interrupted_writes_what_is_done(walk: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("manikin.motion.retarget.solving.PIECE", 20)
    monkeypatch.setattr("manikin.cli.progress.bar", lambda *_: contextlib.nullcontext(lambda *_: False))
    done = run(walk, "human", "--frames", 1, 60, "--out", tmp_path / "walk.bvh")
    assert done.exit_code == 1
    assert "the call was stopped after 20 of 60 frames" in done.stdout
    assert len(mk.load_motion(tmp_path / "walk.bvh")) == 20


def test_a_free_root_is_the_default_for_robots(walk: Path) -> None:
    robot = data_file("urdf/simple_humanoid.urdf")
    assert run(walk, robot, "--frames", 1, 30, "--no-plant", "--quiet").exit_code in (0, 1)
    fixed = run(walk, robot, "--root", "fixed", "--frames", 1, 30)
    assert fixed.exit_code == 2
    assert "cannot move freely in space" in fixed.stderr


def test_a_map_file_is_used(walk: Path, tmp_path: Path) -> None:
    path = tmp_path / "human.map.json"
    path.write_text('{"parts": {"left toes": null, "right toes": null}}')
    data = json.loads(run(walk, "human", "--bones", path, "--frames", 1, 30, "--json").stdout)
    assert "left toes" not in data["bones"]


def test_a_rig_keeps_its_mesh(walk: Path, tmp_path: Path) -> None:
    rig, out = data_file("gltf/CesiumMan.glb"), tmp_path / "walk.glb"
    assert run(walk, rig, "--frames", 1, 40, "--out", out, "--quiet").exit_code == 0
    figure = mk.load_figure(out)
    assert figure.segment_names == mk.load_figure(rig).segment_names
    assert b"Cesium_Man" in out.read_bytes()
    motion = mk.load_motion(out, clip="cmu_02_01_walk")  # beside the clip that the file had
    assert motion.duration == pytest.approx(39 / 120, rel=1e-3)


def test_root_motion_can_be_removed(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "walk.npz"
    assert run(walk, "human", "--in-place", "--frames", 1, 240, "--out", out, "--quiet").exit_code == 0
    motion = mk.load_motion(out, figure=mk.human())
    assert np.linalg.norm(motion.poses[-1, [0, 2]] - motion.poses[0, [0, 2]]) < 0.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--frames", 5, 9999), "--frames is 5 9999"),
        (("--rate", 0), "--rate is 0"),
    ],
)
def test_bad_options_are_one_line_and_exit_code_two(walk: Path, options: tuple[object, ...], message: str) -> None:
    done = run(walk, "human", *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_four_legs_are_refused_for_two(walk: Path) -> None:
    done = run(walk, "quadruped")
    assert done.exit_code == 2
    assert "stands on four legs" in done.stderr


def test_a_figure_has_no_motion() -> None:
    done = run("human", "human")
    assert done.exit_code == 2
    assert "human has no motion" in done.stderr


def test_a_held_body(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "stand.csv"
    done = run(
        walk, data_file("urdf/simple_humanoid.urdf"), "--root", "fixed", "--hold-body", "--frames", 1, 30, "--out", out
    )
    assert done.exit_code == 0, done.stderr
    assert "the body is held" in done.stdout
    assert out.exists()


def test_the_source_is_not_replaced_by_the_result(walk: Path, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_bytes(walk.read_bytes())
    done = run(path, "human", "--frames", 1, 5, "--out", tmp_path / "." / "walk.bvh")
    assert done.exit_code == 2
    assert "is an input, which would be lost; choose another name" in done.stderr
    assert path.read_bytes() == walk.read_bytes()


def test_markers_are_sent_to_the_command_that_fits_them() -> None:
    done = run(data_file("markers/cmu_02_01.c3d"), "human")
    assert done.exit_code == 2
    assert "cmu_02_01.c3d has no motion; fit a person to its markers first, as in manikin fit " in done.stderr


def test_a_clip_of_a_bvh_cannot_be_chosen(walk: Path) -> None:
    done = run(walk, "human", "--clip", "run")
    assert done.exit_code == 2
    assert "--clip has no effect on BVH" in done.stderr
