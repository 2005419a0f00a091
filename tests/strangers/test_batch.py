"""Each job of a batch on three clips of our own: files, manifest, a run that was ended, and the report."""

from __future__ import annotations

import json
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import biped
import numpy as np
import pytest
import walker
import walker_files
from batch_runs import records
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.main import main

WALK = walker.walk()
CUTS = {"a.bvh": (0, 40), "b.bvh": (20, 70), "inner/c.bvh": (30, 92)}
"""Three clips: the first frame of each, and the one after the last."""


def manikin(*args: object) -> Result:
    return CliRunner().invoke(main, list(map(str, args)))


def batch(job: str, source: Path, out: Path, executor: Executor | None = None, **options: Any) -> Any:
    if executor is not None:
        return mk.batch(job, source, out, executor, **options)
    with ThreadPoolExecutor(2) as threads:
        return mk.batch(job, source, out, threads, **options)


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    (folder / "inner").mkdir(parents=True)
    for name, (first, last) in CUTS.items():
        (folder / name).write_text(walker_files.bvh_text(WALK.cut(first, last)))
    return folder


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "biped.xml"
    path.write_text(biped.mjcf_text())
    return path


def test_retargeted_clips_are_those_of_the_single_command(clips: Path, robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = batch("retarget", clips, out, figure=str(robot), rate=30.0)
    assert result.good, str(result)
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*.csv")) == ["a.csv", "b.csv", "inner/c.csv"]
    found = records(out)
    assert [r["clip"] for r in found] == list(CUTS)
    assert [r["frames"] for r in found] == [20, 25, 31]
    for record in found:
        assert record["result"] == "done"
        assert record["good"]
        assert record["quality"]["bone_error_deg"] < 3.0
        assert record["options"]["rate"] == 30.0
        assert record["files"].keys() == {"figure"}
    said = manikin("retarget", clips / "b.bvh", robot, "--rate", 30, "--out", tmp_path / "b.csv", "--json")
    assert said.exit_code == 0, said.output
    assert (out / "b.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    figure = mk.load_figure(robot)
    motion = mk.load_motion(out / "b.csv", figure=figure)
    thigh = np.diff(motion.placements(["left_hip_yaw_link", "left_knee_link"])[..., :3, 3], axis=1)[:, 0] / biped.THIGH
    wanted = (WALK.at("LeftLeg") - WALK.at("LeftUpLeg"))[20:70:2][:, [2, 0, 1]] / walker.THIGH
    assert np.abs(thigh - wanted).max() < 0.06


def test_a_rig_of_ours_keeps_its_mesh(clips: Path, tmp_path: Path) -> None:
    rig = tmp_path / "rig.glb"
    rig.write_bytes(walker_files.gltf(WALK.cut(0, 2), True, mesh=True))
    result = batch("retarget", clips, tmp_path / "out", figure=str(rig), pattern="a.bvh")
    assert result.good, str(result)
    data = (tmp_path / "out" / "a.glb").read_bytes()
    assert b'"JOINTS_0"' in data
    back = mk.load_motion(tmp_path / "out" / "a.glb", clip="a")
    found = back.placements(["LeftUpLeg", "LeftLeg"])[..., :3, 3]
    wanted = (WALK.at("LeftLeg") - WALK.at("LeftUpLeg"))[:40]
    assert np.abs(np.diff(found, axis=1)[:, 0] - wanted).max() < 0.02


def test_other_jobs_do_what_the_single_commands_do(clips: Path, tmp_path: Path) -> None:
    assert batch("check", clips, tmp_path / "checked").complete
    sheet = json.loads((tmp_path / "checked" / "a.bvh.quality.json").read_text())
    assert {**sheet, "warnings": []} == json.loads(manikin("check", clips / "a.bvh", "--json").stdout)
    by = [("RightHand", 0.0, 5.0, 2.0)]
    assert batch("edit", clips, tmp_path / "edited", frames=(20, 25), blend=5, by=by).good
    args = ("--frames", 20, 25, "--blend", 5, "--by", "RightHand", 0, 5.0, 2.0, "--out", tmp_path / "a.bvh")
    assert manikin("edit", clips / "a.bvh", *args, "--quiet").exit_code == 0
    assert (tmp_path / "edited" / "a.bvh").read_bytes() == (tmp_path / "a.bvh").read_bytes()
    hand = mk.load_motion(tmp_path / "a.bvh").placements(["RightHand"])[:, 0, :3, 3]
    moved = hand - 100.0 * WALK.at("RightHand")[:40]
    assert np.abs(moved[20:26] - (0.0, 5.0, 2.0)).max() < 0.05
    assert np.abs(moved[[*range(15), *range(31, 40)]]).max() < 1e-4
    assert batch("convert", clips, tmp_path / "converted", to=".npz").good
    with np.load(tmp_path / "converted" / "a.npz") as held:
        assert any(held[name].shape == (40, mk.load_motion(clips / "a.bvh").figure.nq) for name in held.files)


class Ending(ThreadPoolExecutor):
    """Takes one clip only: the run is ended after that."""

    def __init__(self) -> None:
        super().__init__(1)
        self.count = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
        return super().submit(fn, *args, **kwargs)


def test_a_run_that_was_ended_goes_on_where_it_was(clips: Path, tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    with pytest.raises(KeyboardInterrupt), Ending() as one:
        batch("convert", clips, out, one, to=".csv")
    before = {r["clip"] for r in records(out)}
    assert len(before) <= 1
    result = batch("convert", clips, out, to=".csv")
    assert result.good
    assert result.kept == len(before)
    batch("convert", clips, whole, to=".csv")
    for name in CUTS:
        made = Path(name).with_suffix(".csv")
        assert (out / made).read_bytes() == (whole / made).read_bytes()
    (clips / "b.bvh").write_text(walker_files.bvh_text(WALK.cut(0, 10)))
    (clips / "bad.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    again = batch("convert", clips, out, to=".csv")
    assert again.kept == 2
    assert [r["clip"] for r in again.failed] == ["bad.bvh"]
    assert next(r for r in again.records if r["clip"] == "b.bvh")["frames"] == 10


def test_the_report_names_the_worst_clip(clips: Path, robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = manikin("batch", "retarget", clips, out, "--figure", robot, "--workers", 1, "--json")
    assert said.exit_code == 0, said.output
    summary = json.loads(said.stdout)
    assert summary["clips"] == 3
    assert summary["done"] == 3
