"""The jobs give what the single commands give, and the command line offers them."""

from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from needs import data_file

import manikin as mk
from manikin import jobs
from manikin.cli.main import main
from manikin.errors import OddFile
from manikin.jobs import clips
from manikin.jobs.folder.charts import histogram
from manikin.jobs.options import KINDS

PERSON = mk.human()


def manikin(*args: object) -> Result:
    return CliRunner().invoke(main, list(map(str, args)))


def batch(job: str, source: Path, out: Path, **options):
    with ThreadPoolExecutor(2) as threads:
        return mk.batch(job, source, out, threads, **options)


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A folder with one short walk."""
    folder = tmp_path / "clips"
    folder.mkdir()
    mk.save(mk.load_motion(data_file("bvh/cmu_02_01_walk.bvh"))[1:61], folder / "walk.bvh")
    return folder


@pytest.mark.filterwarnings("error::UserWarning", "ignore::manikin.errors.OddFile")
def test_joints_without_limits_are_a_note_and_no_warning(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    walk = data_file("bvh/makehuman_walk1.bvh")
    (tmp_path / "clips" / "walk.bvh").write_bytes(walk.read_bytes())
    options = {"limits": "human", "curves": False, "clip": None, "of": None, "rate": None, "safe": False}
    found = jobs.find("check").run(str(tmp_path / "clips" / "walk.bvh"), options, None)
    assert any("4 joints got no limits" in note for note in found.notes)


def test_every_job_has_checked_options_and_an_example() -> None:
    for name in jobs.JOBS:
        job = jobs.find(name)
        assert job.name == name
        assert {option.kind for option in job.options} <= set(KINDS)
        for use, command in (("file", [name]), ("folder", ["batch", name])):
            shown = manikin(*command, "--help")
            assert shown.exit_code == 0, shown.output
            assert any(example.startswith(f"manikin {' '.join(command)} ") for example in job.examples)
            for option in job.options_of(use):
                if option.name not in job.arguments:
                    assert (option.flags or f"--{option.name}").split("/")[0].replace("_", "-") in shown.output
    with pytest.raises(mk.errors.UnknownName, match=r"mk\.batch has no job 'retargte'; did you mean 'retarget'"):
        jobs.find("retargte")


def test_retarget(walk: Path, tmp_path: Path) -> None:
    robot = data_file("mjcf/unitree_g1.xml")
    result = batch("retarget", walk, tmp_path / "out", figure=robot, rate=30.0)
    assert result.good, str(result)
    single = manikin("retarget", walk / "walk.bvh", robot, "--rate", 30, "--out", tmp_path / "walk.csv", "--json")
    assert (tmp_path / "out" / "walk.csv").read_bytes() == (tmp_path / "walk.csv").read_bytes()
    quality = json.loads(single.stdout)["measures"]
    assert {key: result.records[0]["quality"][key] for key in quality} == quality
    assert result.records[0]["files"].keys() == {"figure"}


def test_retarget_keeps_the_mesh_of_a_rig(walk: Path, tmp_path: Path) -> None:
    rig = data_file("gltf/CesiumMan.glb")
    result = batch("retarget", walk, tmp_path / "out", figure=rig, frames=(0, 20), in_place=True)
    assert result.done, str(result)
    assert b"Cesium_Man" in (tmp_path / "out" / "walk.glb").read_bytes()


def test_check(walk: Path, tmp_path: Path) -> None:
    result = batch("check", walk, tmp_path / "out")
    sheet = json.loads((tmp_path / "out" / "walk.bvh.quality.json").read_text())
    assert {**sheet, "warnings": []} == json.loads(manikin("check", walk / "walk.bvh", "--json").stdout)
    assert result.records[0]["quality"]["bad_frames"] == len(sheet["bad_frames"])


def test_edit(walk: Path, tmp_path: Path) -> None:
    by = [("RightHand", 0.0, 1.0, 0.5)]
    result = batch("edit", walk, tmp_path / "out", frames=(20, 30), blend=5, by=by)
    assert result.good, str(result)
    args = ("--frames", 20, 30, "--blend", 5, "--by", "RightHand", 0, 1.0, 0.5, "--out", tmp_path / "walk.bvh")
    assert manikin("edit", walk / "walk.bvh", *args, "--quiet").exit_code == 0
    assert (tmp_path / "out" / "walk.bvh").read_bytes() == (tmp_path / "walk.bvh").read_bytes()
    with pytest.raises(mk.errors.BadValue, match="there is no goal"):
        batch("edit", walk, tmp_path / "other", frames=(20, 30))


def test_track(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    hand = PERSON.placements(PERSON.rest, ["RightHand"])[0, :3, 3]
    rows = [(t / 30, *(hand + np.array([0.0, 0.1 * np.sin(t / 10), 0.1]))) for t in range(20)]
    text = "time,RightHand.x,RightHand.y,RightHand.z\n" + "\n".join(",".join(map(str, row)) for row in rows)
    (tables / "reach.csv").write_text(text)
    hands = [f"{side}Hand.{axis}" for side in ("Left", "Right") for axis in "xyz"]
    apart = [f"{t / 10},5,1,0,-5,1,0" for t in range(3)]  # further apart than arms are long
    (tables / "far.csv").write_text("\n".join([",".join(["time", *hands]), *apart]))
    result = batch("track", tables, tmp_path / "out", figure="human")
    assert manikin("track", "human", tables / "reach.csv", "--out", tmp_path / "reach.bvh", "--quiet").exit_code == 0
    assert (tmp_path / "out" / "reach.bvh").read_bytes() == (tmp_path / "reach.bvh").read_bytes()
    far = result.records[0]
    assert (far["clip"], far["result"], far["good"]) == ("far.csv", "done", False)
    assert far["quality"]["missed_frames"] == 3
    assert result.worst("worst_error", 1)[0][0] == "far.csv"
    assert not result.good


def test_convert_markers_and_motions(tmp_path: Path) -> None:
    source = tmp_path / "markers"
    source.mkdir()
    (source / "a.c3d").write_bytes(data_file("markers/cmu_02_01.c3d").read_bytes())
    assert batch("convert", source, tmp_path / "out", to="trc").good
    ours, theirs = mk.load_markers(tmp_path / "out" / "a.trc"), mk.load_markers(source / "a.c3d")
    assert ours.names == theirs.names
    np.testing.assert_allclose(ours.positions, theirs.positions, atol=1e-4, equal_nan=True)


def test_tables_need_their_figure(tmp_path: Path) -> None:
    source = tmp_path / "tables"
    source.mkdir()
    motion = mk.Motion(PERSON, np.tile(PERSON.rest, (5, 1)), rate=30)
    mk.save(motion, source / "a.csv")
    mk.save(motion, source / "b.npz")
    with pytest.raises(mk.errors.BadValue, match="has no clips for 'convert' among 2 files"):
        batch("convert", source, tmp_path / "none", to=".bvh")
    result = batch("convert", source, tmp_path / "out", to=".bvh", of="human", rate=30.0, safe=True)
    assert result.good, str(result)
    for name in ("a", "b"):
        assert len(mk.load_motion(tmp_path / "out" / f"{name}.bvh")) == 5


def test_the_command_writes_a_report_and_names_the_worst_clip(walk: Path, tmp_path: Path) -> None:
    (walk / "bad.bvh").write_text("HIERARCHY\n")
    done = manikin("batch", "check", walk, tmp_path / "out", "--workers", 1)
    assert done.exit_code == 1, done.output
    assert "check: 1 of 2 clips done" in done.stdout
    assert "failed: bad.bvh: bad.bvh, line 1: " in done.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<svg" in page
    assert "walk.bvh" in page
    assert "<script" not in page
    again = manikin("batch", "check", walk, tmp_path / "out", "--workers", 1, "--json")
    assert json.loads(again.stdout)["kept"] == 2
    nothing = manikin("batch", "check", tmp_path / "out", tmp_path / "other")
    assert nothing.exit_code == 2
    assert "has no clips for 'check'" in nothing.stderr
    assert "manikin batch has no job 'chek'; did you mean 'check'" in manikin("batch", "chek").stderr


def test_a_histogram_counts_every_clip() -> None:
    picture = histogram([0.0, 1.0, 1.0, 4.0], most=2.0)
    assert [int(part.split(" clips")[0]) for part in picture.split("<title>")[1:]] == [1, 2, 1]
    assert picture.count('class="bad"') == 1
    assert "median 1" in picture
    assert 'class="limit"' in picture
    assert "nan" not in histogram([-3.0, -3.0]).lower()


@pytest.mark.parametrize("option", ["bones", "source_bones", "figure"])
def test_a_bad_file_ends_a_retargeting_run_before_it_begins(walk: Path, tmp_path: Path, option: str) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"prts": {}}')
    with pytest.raises(mk.errors.BadFile, match=r"bad\.json"):
        batch("retarget", walk, tmp_path / "out", **({"figure": "human"} | {option: bad}))
    assert not (tmp_path / "out").exists()


def test_a_bad_map_ends_a_run_of_markers_before_it_begins(walk: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"parts": {"left thig": []}}')
    with pytest.raises(mk.errors.BadFile, match="did you mean 'left thigh'"):
        batch("fit", walk, tmp_path / "out", bones=bad)


def test_a_robot_is_a_robot_in_every_file(tmp_path: Path) -> None:
    """A job writes the same files for a robot and for the same robot saved as JSON."""
    from hostile_seeds import GOOD

    outputs = {}
    (tmp_path / "clips").mkdir()
    for ending in (".urdf", ".xml"):
        if ending == ".xml":
            pytest.importorskip("mujoco", reason="mujoco is not installed")
        robot = tmp_path / f"robot{ending}"
        GOOD[ending][0](robot)
        saved = tmp_path / f"robot_of{ending}.json"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddFile)
            mk.save(mk.load_figure(robot), saved)
        for path in (robot, saved):
            outputs[path.name] = clips.figure_ending(".bvh", {"figure": str(path), "to": None})
    person = tmp_path / "person.json"
    mk.save(mk.human(), person)
    outputs["person"] = clips.figure_ending(".bvh", {"figure": str(person), "to": None})
    assert outputs.pop("person") == clips.figure_ending(".bvh", {"figure": "human", "to": None}) == ".bvh"
    assert set(outputs.values()) == {".csv"}


def test_targets_on_a_robot_give_the_same_bytes_from_its_json(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    from hostile_seeds import GOOD

    robot, saved = tmp_path / "robot.xml", tmp_path / "robot.json"
    GOOD[".xml"][0](robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        figure = mk.load_figure(robot)
    mk.save(figure, saved)
    place = figure.placements(figure.rest, [figure.segment_names[-1]])[0][:3, 3]
    name = figure.segment_names[-1]
    (tmp_path / "clips").mkdir()
    rows = [f"{t},{','.join(map(repr, (place * (1 - 0.01 * t)).tolist()))}" for t in range(4)]
    (tmp_path / "clips" / "reach.csv").write_text("\n".join([f"time,{name}.x,{name}.y,{name}.z", *rows]) + "\n")
    made = []
    for path in (robot, saved):
        out = tmp_path / f"out{path.suffix}"
        with ThreadPoolExecutor(1) as threads:
            mk.batch("track", tmp_path / "clips", out, threads, figure=str(path))
        made.append({p.name: p.read_bytes() for p in out.iterdir() if p.suffix in (".csv", ".bvh")})
    assert list(made[0]) == ["reach.csv"]
    assert made[0] == made[1]
