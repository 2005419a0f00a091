"""`manikin info FILE`: what is in a file, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.info import joint_kinds, unlimited
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
    assert "motion: 3 frames, 1 s, 2 a second" in done.stdout
    assert (
        "without limits: Hips.tx, Hips.ty, Hips.tz, Hips.z, Hips.x, Hips.y, Chest.z, Chest.x, … (9 in all)\n"
        in done.stdout
    )
    assert "no unit" in done.stdout


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
