"""`manikin demo`: it reaches its goals and writes what it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import manikin as mk
from manikin.cli.demo import demo_goals
from manikin.cli.main import main


def test_it_reaches_all_goals_and_writes_a_picture_a_bvh_and_a_glb(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    done = CliRunner().invoke(main, ["demo", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "6 of 6 goals reached" in done.stdout
    assert done.stdout.count(" reached\n") == 6
    for name, start in (("demo.png", b"\x89PNG"), ("demo.bvh", b"HIERARCHY"), ("demo.glb", b"glTF")):
        path = out / name
        assert f"wrote {path}\n" in done.stdout
        assert path.read_bytes().startswith(start)
    assert sorted(p.name for p in out.iterdir()) == ["demo.bvh", "demo.glb", "demo.png"]


def test_its_motion_ends_in_the_pose_that_was_found(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path), "--json"])
    told = json.loads(done.stdout)
    person = mk.human()
    motion = mk.load_motion(tmp_path / "demo.bvh")
    names = ["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"]
    last = motion.figure.placements(motion.poses[-1], names)[:, :3, 3]
    wanted = person.placements(told["pose"], names)[:, :3, 3] / (motion.figure.unit or 1.0)
    scale = np.linalg.norm(wanted[0]) / np.linalg.norm(last[0])  # a BVH has no unit; ours may be centimetres
    np.testing.assert_allclose(last * scale, wanted, atol=1e-3 * person.size)


def test_json_tells_goals_errors_and_files(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path), "--json"])
    told = json.loads(done.stdout)
    assert told["reached"] is True
    assert told["status"] == "reached"
    assert [goal["reached"] for goal in told["goals"]] == [True] * 6
    assert all(goal["error"] <= goal["tolerance"] for goal in told["goals"])
    assert [goal["unit"] for goal in told["goals"]] == ["length"] * 4 + ["rad", "length"]
    assert told["files"] == [str(tmp_path / name) for name in ("demo.png", "demo.bvh", "demo.glb")]
    assert mk.human().violation(told["pose"]) <= 1e-9
    person = mk.human()
    natural = mk.solve(person, demo_goals(person), start="natural")
    assert told["pose"] == natural.pose.tolist()


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path), "--quiet"])
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "demo.png").exists()


def test_without_matplotlib_it_still_writes_the_motion_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert 'pip install "manikin[plot]"' in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["demo.bvh", "demo.glb"]


def test_a_goal_that_is_not_reached_is_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manikin.cli.demo.demo_goals", lambda _: [mk.Position("Hips", (0, y, 0)) for y in (0, 9)])
    monkeypatch.setattr("manikin.cli.demo.write", lambda *_: ([], []))
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "missed" in done.stdout


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "file" / "folder")])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("height", [1.2, 1.75, 2.0])
def test_people_of_other_heights_can_do_it_too(height: float) -> None:
    person = mk.human(height=height)
    assert mk.solve(person, demo_goals(person)).reached
