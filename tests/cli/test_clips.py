"""The commands on clips: track, edit, check, play."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from needs import data_file

import manikin as mk
from manikin.cli.main import main
from manikin.motion import passes
from manikin.motion.part_file import load_part, save_part


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A person who bends an elbow, as a BVH file."""
    person = mk.human()
    poses = np.tile(person.rest, (60, 1))
    poses[:, person.index_of("RightForeArm")] = 0.8 + 0.4 * np.sin(np.arange(60) / 10)
    mk.save(mk.Motion(person, poses, rate=30, name="bend"), tmp_path / "bend.bvh")
    return tmp_path / "bend.bvh"


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    lines = ["time,RightHand.x,RightHand.y,RightHand.z"]
    lines += [f"{t / 30:.6f},-0.3,{1.0 + 0.005 * t:.4f},0.3" for t in range(40)]
    lines[10] = lines[10].split(",")[0] + ",,,"
    (tmp_path / "targets.csv").write_text("\n".join(lines))
    return tmp_path / "targets.csv"


@pytest.mark.parametrize("command", ["track", "edit", "check", "play"])
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"manikin {command}" in result.output.split("Example:")[1]


def test_track_follows_a_table(targets: Path, tmp_path: Path) -> None:
    out = tmp_path / "reach.csv"
    result = run("track", "human", targets, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    held = json.loads(result.output)
    assert held["frames"] == held["reached"] == 40
    motion = mk.load_motion(out, figure=mk.human())
    hand = motion.placements(["RightHand"])[39, 0, :3, 3]
    assert np.abs(hand - (-0.3, 1.195, 0.3)).max() < 1e-3


def test_track_says_what_it_missed(tmp_path: Path) -> None:
    rows = "\n".join(f"{t / 30},9,9,9,0,1,0" for t in range(5))
    (tmp_path / "far.csv").write_text("time,RightHand.x,RightHand.y,RightHand.z,Hips.x,Hips.y,Hips.z\n" + rows)
    result = run("track", "human", tmp_path / "far.csv")
    assert result.exit_code == 1
    assert "5 frames, 0 reached" in result.output


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("time,Foo.x,Foo.y,Foo.z\n0,1,1,1\n", "no segment 'Foo'"),
        ("RightHand.x,RightHand.y,RightHand.z\n1,1,1\n", "--rate"),
        ("time,RightHand.x\n0,1\n", "it needs x, y, z"),
        ("time,RightHand.x,RightHand.y,RightHand.z\n0,1,one,1\n", "line 2: RightHand.y is 'one'"),
        ("time,RightHand\n0,1\n", "is not a target"),
        ("time\n", "no frames"),
        ("time,RightHand.x,RightHand.y,RightHand.z\n\n\n0,1,one,1\n", "line 4: RightHand.y is 'one'"),
        ("time,RightHand.x,RightHand.y,RightHand.z,RightHand.x\n0,1,1,1,1\n", "two columns 'RightHand.x'"),
    ],
)
def test_a_bad_table_is_one_line_and_exit_code_two(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    result = run("track", "human", tmp_path / "bad.csv")
    assert result.exit_code == 2
    assert match in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_stopped_clip_is_continued_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "WINDOW", 64)
    monkeypatch.setattr(passes, "PERIODS", 2)
    person, times = mk.human(), np.arange(200) / 60
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), lambda t: (-0.3, 1.0 + 0.1 * np.sin(t), 0.3), during=[(1, 2)])
    goals = [goal, mk.Placement("Hips", person.placements(person.rest, ["Hips"])[0])]
    whole = mk.solve_motion(person, goals, times)
    part = mk.solve_motion(person, goals, times, progress=lambda *_: False)
    save_part(part, tmp_path / "part.npz")
    again = mk.solve_motion(person, goals, times, resume=load_part(tmp_path / "part.npz", person))
    assert np.array_equal(again.motion.poses, whole.motion.poses)
    assert np.array_equal(again.errors, whole.errors, equal_nan=True)
    (tmp_path / "other.npz").write_bytes(b"nothing")
    with pytest.raises(mk.errors.BadFile, match="the archive is broken"):
        load_part(tmp_path / "other.npz", person)


def test_edit_changes_some_frames(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "edited.bvh"
    result = run("edit", clip, "--frames", 20, 30, "--blend", 5, "--by", "RightHand", 0, 0.05, 0.02, "--out", out)
    assert result.exit_code == 0, result.output
    assert "joints that moved: Right" in result.output
    old, new = clip.read_text().splitlines(), out.read_text().splitlines()
    first = old.index(next(line for line in old if line.startswith("Frame Time"))) + 1
    same = [a == b for a, b in zip(old[first:], new[first:], strict=True)]
    assert all(same[:15])
    assert not any(same[20:31])
    assert all(same[37:])


def test_edit_without_a_goal_is_told(clip: Path) -> None:
    result = run("edit", clip, "--frames", 1, 2)
    assert result.exit_code == 2
    assert "there is no goal" in result.stderr


def test_check_prints_a_table_and_json(clip: Path, tmp_path: Path) -> None:
    result = run("check", clip)
    assert result.exit_code == 0, result.output
    assert "joint speed" in result.output
    held = json.loads(run("check", clip, "--json").output)
    assert held["bad_frames"] == []
    pytest.importorskip("matplotlib")
    assert run("check", clip, "--plot", tmp_path / "q.png", "--quiet").exit_code == 0
    assert (tmp_path / "q.png").exists()


def test_check_fails_where_frames_are_bad(clip: Path) -> None:
    motion = mk.load_motion(clip)
    poses = np.array(motion.poses)
    poses[30, motion.figure.index_of("RightArm")] += 2.5
    mk.save(motion.replaced(poses=poses), clip.with_name("jump.bvh"))
    result = run("check", clip.with_name("jump.bvh"))
    assert result.exit_code == 1
    assert "speed" in result.output.splitlines()[0]


def test_play_writes_a_page(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "bend.html"
    result = run("play", clip, "--out", out, "--no-open", "--trail", "RightHand", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["frames"] == 60
    assert "const D =" in out.read_text(encoding="utf-8")


def test_a_figure_without_motion_cannot_be_played(tmp_path: Path) -> None:
    mk.save(mk.human(), tmp_path / "person.json")
    result = run("play", tmp_path / "person.json", "--no-open")
    assert result.exit_code == 2
    assert "no motion to play" in result.stderr


def test_a_table_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(bytes(range(256)))
    result = run("track", "human", tmp_path / "bad.csv")
    assert result.exit_code == 2
    assert "byte 128: this is not a table" in result.stderr


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--smooth", "0"), "--smooth is 0;"),
        (("--out", "x.xyz"), "the extension '.xyz' is unknown"),
        (("--out", "nowhere/x.bvh"), "there is no folder 'nowhere'"),
        (("--resume", "nowhere/x.npz"), "there is no folder 'nowhere'"),
    ],
)
def test_wrong_options_are_told_before_the_work(targets: Path, options: tuple[str, ...], match: str) -> None:
    result = run("track", "human", targets, *options)
    assert result.exit_code == 2
    assert match in result.stderr


def test_a_rate_must_be_positive(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("RightHand.x,RightHand.y,RightHand.z\n-0.3,1,0.3\n-0.3,1,0.3\n")
    for rate in ("0", "-5"):
        result = run("track", "human", tmp_path / "rows.csv", "--rate", rate)
        assert result.exit_code == 2
        assert "rate is" in result.stderr


def test_a_killed_track_is_continued_to_the_same_bytes(tmp_path: Path) -> None:
    """The process is killed as soon as it has stored a window. A second run continues and writes the same file."""
    count = 9000
    t = np.arange(count) / 60.0
    rows = np.stack([t, -0.3 + 0.1 * np.sin(3 * t), 1.1 + 0.1 * np.cos(2 * t), 0.3 + 0.05 * np.sin(t)], axis=1)
    table = tmp_path / "targets.csv"
    np.savetxt(table, rows, delimiter=",", header="time,RightHand.x,RightHand.y,RightHand.z", comments="", fmt="%.9f")
    command = [sys.executable, "-m", "manikin", "track", "human", str(table), "--quiet"]
    subprocess.run([*command, "--out", str(tmp_path / "whole.bvh")], check=True, timeout=300)
    part, out = tmp_path / "part.npz", tmp_path / "killed.bvh"
    again = [*command, "--resume", str(part), "--out", str(out)]
    run = subprocess.Popen(again)
    while not part.exists() and run.poll() is None:
        time.sleep(0.001)
    run.kill()
    assert run.wait() == -signal.SIGKILL
    assert not out.exists()
    assert 2048 <= len(load_part(part, mk.human()).motion) < count
    subprocess.run(again, check=True, timeout=300)
    assert out.read_bytes() == (tmp_path / "whole.bvh").read_bytes()
    assert not part.exists()


def test_a_file_cut_off_by_a_kill_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while a part is written leaves the part before it."""
    monkeypatch.setattr(passes, "WINDOW", 64)
    monkeypatch.setattr(passes, "PERIODS", 2)
    person, times = mk.human(), np.arange(200) / 60
    goal = mk.Position("RightHand", (-0.3, 1.0, 0.3))
    whole = mk.solve_motion(person, goal, times)
    part, seen = tmp_path / "part.npz", list[int]()

    def killed(file: Any, **arrays: Any) -> None:
        seen.append(len(arrays["poses"]))
        if len(seen) == 2:
            file.write(b"half of a file")
            raise KeyboardInterrupt
        saved(file, **arrays)

    saved = np.savez
    monkeypatch.setattr(np, "savez", killed)
    with pytest.raises(KeyboardInterrupt):
        mk.solve_motion(person, goal, times, store=part, resume=part)
    again = mk.solve_motion(person, goal, times, resume=part)
    assert seen == [64, 128]
    assert np.array_equal(again.motion.poses, whole.motion.poses)


def test_an_array_is_not_a_part_of_a_clip(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(mk.errors.BadFile, match="the archive is broken"):
        load_part(tmp_path / "array.npy", mk.human())


def test_edit_keeps_the_rest_of_a_gltf_file(tmp_path: Path) -> None:
    fox = data_file("gltf/Fox.glb")
    frames = ("--clip", "Walk", "--frames", 5, 8, "--blend", 3)
    result = run("edit", fox, *frames, "--by", "b_LeftHand_011", 0, 5, 0, "--out", tmp_path / "fox.glb")
    assert result.exit_code == 0, result.output
    before, after = ({c: mk.load_motion(p, clip=c) for c in ("Walk", "Run")} for p in (fox, tmp_path / "fox.glb"))
    assert np.array_equal(after["Run"].poses, before["Run"].poses)
    moved = (after["Walk"].poses != before["Walk"].poses).any(axis=0)
    arm = [before["Walk"].figure.index_of(name) for name in ("b_LeftUpperArm_09", "b_LeftForeArm_010")]
    assert set(np.flatnonzero(moved)) <= {i + k for i in arm for k in range(4)}
    assert b"image/png" in (tmp_path / "fox.glb").read_bytes()
