"""`manikin convert IN OUT`: figures, motions and markers from one format to others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.main import main

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 0 0 0 0 0
0 1 0 0 0 0 0 0 0
0 2 0.50 0 0 0 10 0 0
"""


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("two.bvh").write_text(BVH)
    return tmp_path


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, args)])


def test_a_motion_goes_to_several_formats_at_once(two: Path) -> None:
    done = run("two.bvh", "out.glb", "again.bvh")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "read two.bvh: 3 segments, 9 degrees of freedom, 3 frames, 1 s at 2 per second"
    assert lines[1].startswith("wrote out.glb: motion, ")
    assert Path("out.glb").read_bytes().startswith(b"glTF")
    assert Path("again.bvh").read_text() == BVH  # its own words


def test_json_tells_what_was_done(two: Path) -> None:
    told = json.loads(run("two.bvh", "out.glb", "--json").stdout)
    assert told["input"]["format"] == "BVH"
    assert told["input"]["frames"] == 3
    assert told["outputs"] == [{"file": "out.glb", "holds": "motion", "bytes": Path("out.glb").stat().st_size}]
    assert told["warnings"] == []
    assert told["seconds"] >= 0.0


def test_what_is_there_is_replaced_only_by_force(two: Path) -> None:
    Path("out.bvh").write_text("mine")
    done = run("two.bvh", "out.bvh")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "manikin: out.bvh already exists; --force replaces it\n"
    assert Path("out.bvh").read_text() == "mine"
    assert run("two.bvh", "out.bvh", "--force").exit_code == 0
    assert Path("out.bvh").read_text() == BVH
    assert run("two.bvh", "two.bvh", "--force", "--rate", 4).exit_code == 0
    assert len(mk.load_motion("two.bvh")) == 5


def test_the_rate_can_be_changed(two: Path) -> None:
    assert run("two.bvh", "fast.bvh", "--rate", 10).exit_code == 0
    motion = mk.load_motion("fast.bvh")
    assert (len(motion), motion.duration) == (11, 1.0)
    for rate in ("0", "-3", "nan", "inf"):
        done = run("two.bvh", "out.bvh", "--rate", rate)
        assert done.exit_code == 2
        assert "--rate is " in done.stderr


def test_only_the_figure_where_it_is_asked_for_or_the_format_has_no_motion(two: Path) -> None:
    done = run("two.bvh", "figure.json", "--figure")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "wrote figure.json: figure, " in done.stdout
    done = run("two.bvh", "figure.json", "--force")
    assert done.exit_code == 0
    assert done.stderr == "warning: figure.json: manikin's JSON holds no motion; only the figure is written\n"
    assert mk.load_figure("figure.json") == mk.load_figure("two.bvh")


def test_a_unit_and_an_axis_that_the_file_does_not_say_can_be_said(two: Path) -> None:
    done = run("two.bvh", "two.urdf")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "has no known unit" in done.stderr
    assert run("two.bvh", "two.urdf", "--unit", 0.01, "--up", "z").exit_code == 0
    figure = mk.load_figure("two.urdf")
    assert (figure.unit, figure.up) == (1.0, "z")
    assert figure.size == pytest.approx(0.15)


def test_markers_go_to_formats_of_markers(two: Path) -> None:
    positions = np.arange(30.0).reshape(5, 2, 3)
    mk.save(mk.Markers(["LASI", "RASI"], positions, rate=50, unit=0.001), "take.trc")
    done = run("take.trc", "take.c3d", "--rate", 25)
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert done.stdout.startswith(
        "read take.trc: 2 markers, 5 frames, 0.08 s at 50 per second\nwrote take.c3d: markers, "
    )
    assert mk.load_markers("take.c3d").positions == pytest.approx(positions[::2])
    assert run("take.trc", "metres.c3d", "--unit", 1).exit_code == 0
    assert mk.load_markers("metres.c3d").unit == 1.0
    for output, message in (("take.bvh", "has markers, which BVH cannot hold"), ("take.glb", "which GLB cannot hold")):
        done = run("take.trc", output)
        assert done.exit_code == 2
        assert message in done.stderr
    done = run("two.bvh", "two.c3d")
    assert (done.exit_code, done.stderr) == (2, "manikin: two.bvh has a figure, which C3D cannot hold\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["none.bvh", "out.glb"], "none.bvh: No such file"),
        (["two.bvh", "out.obj"], "out.obj: files can be written as .bvh, "),
        (["two.bvh", "out"], "out: files can be written as .bvh, "),
        (["two.bvh", "out.glb", "out.glb"], "the same file is named twice"),
        (["two.bvh", "no/folder/out.glb"], "no/folder/out.glb: "),
        (["two.bvh", "out.bvh", "--clip", "Walk"], "--clip has no effect on BVH"),
        (["two.bvh", "out.bvh", "--root", "free"], "--root has no effect on BVH"),
        (["two.bvh", "out.bvh", "--like", "two.bvh", "--new"], "--like and --new exclude each other"),
        (["two.bvh", "out.json", "--like", "two.bvh"], "save has no option like= for manikin's JSON"),
        (["two.bvh"], "Missing argument 'OUT...'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(two: Path, args: list[str], message: str) -> None:
    before = sorted(two.rglob("*"))
    done = run(*args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"manikin: {message}")
    assert done.stderr.count("\n") == 1
    assert sorted(two.rglob("*")) == before


def test_broken_frames_are_an_error_and_not_a_figure_without_motion(two: Path) -> None:
    Path("cut.bvh").write_text(BVH[:-10])
    done = run("cut.bvh", "out.glb")
    assert done.exit_code == 2
    assert "this frame has 5 numbers; it needs 9" in done.stderr
    assert not Path("out.glb").exists()


def test_a_file_like_another_keeps_its_words(two: Path) -> None:
    assert run("two.bvh", "fast.bvh", "--rate", 4).exit_code == 0
    assert run("fast.bvh", "back.bvh", "--rate", 2, "--like", "two.bvh").exit_code == 0
    assert Path("back.bvh").read_text().splitlines()[:15] == BVH.splitlines()[:15]
    assert run("two.bvh", "new.bvh", "--new").exit_code == 0
    assert mk.load_motion("new.bvh").poses == pytest.approx(mk.load_motion("two.bvh").poses, abs=1e-9)


def test_built_in_figures_can_be_converted(two: Path) -> None:
    assert run("human", "person.urdf").exit_code == 0
    assert mk.load_figure("person.urdf").nv == mk.human().nv


def test_oddities_are_told_on_stderr_and_in_json(two: Path) -> None:
    Path("odd.bvh").write_text(BVH.replace("Frames: 3", "Frames: 4"))
    done = run("odd.bvh", "out.glb")
    assert done.exit_code == 0
    assert done.stderr == "warning: odd.bvh: Frames: is 4, but the file has 3 frames; all of them are used\n"
    assert json.loads(run("odd.bvh", "o.glb", "--json").stdout)["warnings"] == [done.stderr[9:-1]]
    assert run("odd.bvh", "p.glb", "--quiet").output == ""


def test_reading_can_be_done_in_a_process_of_its_own(two: Path) -> None:
    assert run("two.bvh", "out.bvh", "--safe").exit_code == 0
    assert Path("out.bvh").read_text() == BVH
