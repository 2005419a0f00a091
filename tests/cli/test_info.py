"""`manikin info FILE`: the content of a file, for people and for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.console import Console

import manikin as mk
from manikin.cli.facts import gap_lengths, joint_kinds, kind_words, unlimited
from manikin.cli.info import show
from manikin.cli.loading import load
from manikin.cli.main import main
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist

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
0 2 0 0 0 0 10 0 0
"""


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["info", *map(str, args)])


def test_it_shows_the_tree_the_joints_and_the_motion(tmp_path: Path) -> None:
    path = tmp_path / "two.bvh"
    path.write_text(BVH)
    done = run(path)
    assert done.exit_code == 0, done.output
    assert "└ Chest" in done.stdout
    assert "motion: 3 frames, 1 s at 2 per second\n" in done.stdout
    assert (
        "no limits: Hips.tx, Hips.ty, Hips.tz, Hips.z, Hips.x, Hips.y, Chest.z, Chest.x, … (9 in all)\n" in done.stdout
    )
    assert "joints: 1 × 3 sliders + euler, 1 × euler, 1 × fixed\n" in done.stdout
    assert "unit: not defined in the file; lengths are the numbers of the file\n" in done.stdout
    brief = run(path, "--brief").stdout
    assert "└ Chest" not in brief
    assert "degrees of freedom" in brief


def test_json_has_segments_limits_and_frames(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    arm = Figure("arm", [Segment("A", None, Hinge(limits=(-1, 2)), mass=2.0), Segment("B", "A", offset=(1, 0, 0))])
    mk.save(arm, path)
    told = json.loads(run(path, "--json").stdout)
    assert told["name"] == "arm"
    assert told["degrees_of_freedom"] == 1
    assert told["unit"] == 1.0
    assert told["up"] == "y"
    assert told["motion"] is None
    assert told["warnings"] == []
    assert [s["name"] for s in told["segments"]] == ["A", "B"]
    assert (told["segments"][0]["lower"], told["segments"][0]["upper"]) == ([-1.0], [2.0])
    bvh = tmp_path / "two.bvh"
    bvh.write_text(BVH)
    told = json.loads(run(bvh, "--json").stdout)
    assert told["motion"]["frames"] == 3
    assert told["segments"][0]["lower"] == [None] * 6


def test_what_is_odd_about_a_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "short.bvh"
    path.write_text(BVH.replace("Frames: 3", "Frames: 4"))
    done = run(path)
    assert done.exit_code == 0, done.output
    assert "warning: " in done.stdout
    assert json.loads(run(path, "--json").stdout)["warnings"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("cut.bvh", BVH[:120]), ("empty.urdf", ""), ("odd.json", "{"), ("what.xyz", "?"), ("not.urdf", BVH)],
)
def test_a_broken_file_is_one_line_and_exit_code_2(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    done = run(path)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("manikin: ")
    assert name in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["human", "quadruped"])
def test_a_built_in_figure_is_shown_by_its_name(name: str) -> None:
    done = run(name)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(getattr(mk, name)().describe())


def test_a_folder_is_not_a_figure(tmp_path: Path) -> None:
    assert run(tmp_path).exit_code == 2


def test_frames_that_cannot_be_read_are_told_and_the_figure_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "cut.bvh"
    path.write_text(BVH[:-10])
    done = run(path)
    assert done.exit_code == 0
    assert "└ Chest" in done.stdout
    assert "warning: the motion cannot be read: " in done.stdout
    assert "this frame has 5 numbers; it needs 9" in done.stdout
    told = json.loads(run(path, "--json").stdout)
    assert told["motion"] is None
    assert len(told["warnings"]) == 1


def test_a_figure_without_frames_is_no_oddity_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "pose.bvh"
    path.write_text(BVH[: BVH.index("MOTION")])
    told = json.loads(run(path, "--json").stdout)
    assert told["motion"] is None
    assert told["warnings"] == [f"{path}: the file has no MOTION part"]


def test_markers_are_shown_with_their_gaps(tmp_path: Path) -> None:
    path = tmp_path / "take.trc"
    positions = np.arange(60.0).reshape(10, 2, 3)
    positions[3:5, 1] = np.nan
    mk.save(mk.Markers(["LASI", "RASI"], positions, rate=50, unit=0.001), path)
    done = run(path)
    assert done.exit_code == 0, done.output
    seen = "seen: 90.0 % of the"
    for line in ("markers: 2", "frames: 10 frames, 0.18 s at 50 per second", "unit: millimetres", seen):
        assert f"\n{line}" in done.stdout
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert rows["RASI"] == ["RASI", "80.0", "%", "1", "2", "54", "×", "54", "×", "54"]
    told = json.loads(run(path, "--json").stdout)
    assert told["format"] == "TRC"
    assert told["markers"][1] == {"name": "RASI", "seen": 0.8, "gaps": [2]}
    assert (told["frames"], told["rate"], told["unit"]) == (10, 50.0, 0.001)


def test_an_option_that_means_nothing_for_a_format_is_refused(tmp_path: Path) -> None:
    mk.save(mk.chain(1), tmp_path / "a.json")
    done = run(tmp_path / "a.json", "--clip", "Walk")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--clip has no effect on manikin's JSON" in done.stderr


def test_the_root_of_a_robot_can_be_free(tmp_path: Path) -> None:
    mk.save(mk.chain(2), tmp_path / "a.urdf")
    fixed = json.loads(run(tmp_path / "a.urdf", "--json").stdout)["degrees_of_freedom"]
    free = json.loads(run(tmp_path / "a.urdf", "--json", "--root", "free").stdout)["degrees_of_freedom"]
    assert free == fixed + 6


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", ["human", "two.bvh", "take.trc", "deep.json"])
def test_on_a_terminal_nothing_is_wider_than_the_terminal_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.bvh").write_text(BVH.replace("Frames: 3", "Frames: 4"))
    mk.save(mk.Markers(["LASI", "RASI"], np.ones((4, 2, 3)), rate=50, unit=0.001), "take.trc")
    mk.save(mk.chain(60), "deep.json")
    out = io.StringIO()
    show(load(name, lenient=True), Console(width=width, file=out, force_terminal=False))
    lines = out.getvalue().splitlines()
    assert max(cell_len(line) for line in lines) <= width
    assert lines[0].startswith(f"{name} · ")
    text = " ".join(" ".join(lines).split())
    if name == "human" and width >= 80:
        for segment in mk.human().segment_names:
            assert segment in text
    if name == "two.bvh":
        assert "warning two.bvh: Frames: is 4, but the file has 3 frames; all of them are used" in text
    if name == "take.trc" and width >= 80:
        assert "100.0 %" in text


def test_gaps_are_counted_at_the_ends_too() -> None:
    assert gap_lengths([True, True]) == []
    assert gap_lengths([False, False]) == [2]
    assert gap_lengths([False, True, False, False, True, False]) == [1, 2, 1]


def test_kinds_of_joints_are_said_in_words() -> None:
    assert kind_words("slider+slider+slider+euler") == "3 sliders + euler"
    assert kind_words("slider+ball") == "slider + ball"
    assert kind_words("slider+slider") == "2 sliders"
    assert kind_words("hinge") == "hinge"


def test_what_has_no_limits_is_counted_but_a_free_root_is_not() -> None:
    cone = SwingTwist(swing=(0.5, 0.5), twist=(-1, 1))
    figure = Figure(
        "mixed",
        [
            Segment("Root", None, Free()),
            Segment("Bound", "Root", Ball(cone)),
            Segment("Loose", "Root", Ball()),
            Segment("Half", "Root", Euler("XY", ((-1, 1), (-np.inf, np.inf)))),
            Segment("Slid", "Half", (Slider(), Ball(cone))),
            Segment("Lead", "Half", Hinge()),
            Segment("Led", "Half", Joint("Led", (Hinge(),), coupling=Coupling("Lead"))),
            Segment("Tip", "Half"),
        ],
    )
    assert unlimited(figure) == ["Loose", figure.number_names[figure.index_of("Half") + 1], "Slid.tx", "Lead"]
    kinds = {"free": 1, "ball": 2, "euler": 1, "slider+ball": 1, "hinge": 2, "fixed": 1}
    assert joint_kinds(figure) == kinds
