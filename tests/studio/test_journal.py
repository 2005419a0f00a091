"""The journal of a scene: undo, redo, and what is found again after a crash or with a full disk."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_scenes import bent, person, same

from manikin.errors import BadFile, ManikinError
from manikin.studio.commands import pose_text
from manikin.studio.journal import CHECKPOINT, Journal, UndoSteps, was_closed


def random_commands(rng: np.random.Generator, count: int) -> list[tuple[str, dict[str, Any]]]:
    segments = ("LeftHand", "RightHand", "Head", "Hips", "LeftFoot", "RightToeBase")
    out: list[tuple[str, dict[str, Any]]] = []
    for _ in range(count):
        segment, pose = str(rng.choice(segments)), pose_text(bent(int(rng.integers(1000))))
        target = rng.normal(0.0, 1.0, 3).tolist()
        out.append(
            [
                ("drag", {"segment": segment, "pose": pose, "pin": bool(rng.integers(2))}),
                ("pin", {"segment": segment}),
                ("aim", {"segment": "Head", "target": target, "pose": pose}),
                ("mirror", {}),
                ("paste", {"copied": pose, "mirrored": bool(rng.integers(2))}),
                ("freeze", {"joints": ["Spine"], "on": bool(rng.integers(2))}),
                ("key", {"frame": int(rng.integers(100))}),
                ("undo", {}),
                ("redo", {}),
                ("reset", {}),
            ][int(rng.integers(10))]
        )
    return out


def play(journal: Journal, steps: list[tuple[str, dict[str, Any]]]) -> None:
    for name, args in steps:
        if name in ("undo", "redo"):
            getattr(journal, name)()
        else:
            journal.do(name, args)


@pytest.mark.parametrize("seed", range(4))
def test_a_journal_that_is_replayed_gives_the_same_bits(seed: int, tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    play(journal, random_commands(np.random.default_rng(seed), 60))
    again = Journal.resume(path)
    assert same(again.scene, journal.scene)
    assert again.history.undo_steps == journal.history.undo_steps
    assert again.history.redo_steps == journal.history.redo_steps
    while again.undo():
        pass
    assert same(again.scene, scene)
    journal.close()


def test_undo_and_redo_are_exact_and_a_new_command_cuts_the_tail() -> None:
    figure, _, scene = person()
    history = UndoSteps(scene, figure)
    scenes = [scene]
    for k in range(5):
        scenes.append(history.do("pose", {"pose": pose_text(bent(k))}))
    for k in (4, 3, 2):
        history.undo()
        assert history.scene is scenes[k]
    history.redo()
    assert history.scene is scenes[3]
    history.do("mirror", {})
    assert (history.undo_steps, history.redo_steps) == (4, 0)
    assert not history.redo()
    assert [history.undo() for _ in range(5)] == [True] * 4 + [False]
    assert history.scene is scene


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_line_that_was_cut_off_is_dropped(cut: int, tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    kept = journal.do("pose", {"pose": pose_text(bent(1))})
    size = path.stat().st_size
    journal.do("pose", {"pose": pose_text(bent(2))})
    data = path.read_bytes()
    path.write_bytes(data[: size + cut])
    again = Journal.resume(path)
    assert same(again.scene, kept)
    again.do("pose", {"pose": pose_text(bent(3))})
    assert pose_text(Journal.resume(path).scene.pose) == pose_text(bent(3))


def test_damage_in_the_middle_costs_the_damaged_line_only(tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    for k in range(CHECKPOINT + 5):
        journal.do("pose", {"pose": pose_text(bent(k % 7))})
    lines = path.read_bytes().split(b"\n")
    lines[40] = lines[40][:30]
    path.write_bytes(b"\n".join(lines))
    again = Journal.resume(path)
    assert same(again.scene, journal.scene)
    assert "1 lines" in again.note
    assert "line 41" in again.note
    path.write_bytes(b"\n".join([*lines[:60], b""]))
    again = Journal.resume(path)
    assert pose_text(again.scene.pose) == pose_text(bent(58 % 7))
    assert again.history.undo_steps == 58


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"name": "pin", "args": ' + b'{"a":' * 50_000,
        b'{"name": "pin", "args": {"segment": ' + b"[" * 900 + b"]" * 900 + b'}, "after": ""}',
        b'{"name": "checkpoint", "args": {"scene": {"manikin-scene": 1, "pose": [1' + b"0" * 400 + b"]}}}",
        b'{"name": "view", "args": {"camera": [1' + b"0" * 400 + b", 0, 0]}}",
        b'{"name": "view", "args": {"camera": [NaN, 1e400, 0]}}',
        b'{"name": "key", "args": {"frame": 1' + b"0" * 400 + b'}, "after": ""}',
        b'{"name": "timing", "args": {"fps": 1' + b"0" * 400 + b', "last_frame": 1e400}, "after": ""}',
        b'{"name": "goal", "args": {"id": "pin LeftHand", "target": [1e400]}, "after": null}',
        b"1" * 5000,
        b'{"name": {}}',
        b"\xff\xfe\x00",
        b"null",
    ],
)
def test_a_hostile_line_is_skipped_with_a_note_that_is_told_once(line: bytes, tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    journal.do("pin", {"segment": "LeftHand"})
    with open(path, "ab") as file:
        file.write(line + b"\n")
    journal.do("pin", {"segment": "RightHand"})
    again = Journal.resume(path)
    assert same(again.scene, journal.scene)
    assert "line 3" in again.note
    assert line in path.read_bytes()  # nothing of the file is lost
    assert again.undo()
    assert again.scene.goal("pin RightHand") is None
    assert again.scene.goal("pin LeftHand") is not None
    last = Journal.resume(path)
    assert last.note == ""
    assert same(last.scene, again.scene)
    assert not was_closed(path)


def test_undo_after_a_damaged_line_takes_back_no_other_command(tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    journal.do("pin", {"segment": "LeftHand"})
    journal.do("pin", {"segment": "RightHand"})
    journal.undo()
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:-9]
    path.write_bytes(b"\n".join(lines))
    again = Journal.resume(path)
    assert same(again.scene, journal.scene)  # the undo belonged to the line that is lost


def test_a_journal_that_was_changed_is_noticed(tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    journal.do("pose", {"pose": pose_text(bent(1))})
    journal.do("mirror", {})
    journal.close()
    assert was_closed(path)
    path.write_bytes(path.read_bytes().replace(pose_text(bent(1)).encode(), pose_text(bent(2)).encode(), 1))
    again = Journal.resume(path)
    assert "another pose" in again.note
    assert same(again.scene, scene)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_a_journal_that_is_no_plain_file_is_not_used(kind: str, tmp_path: Path) -> None:
    figure, _, scene = person()
    path, other = tmp_path / "a.journal", tmp_path / "other"
    Journal.begin(other, scene, figure)
    before = other.read_bytes()
    if kind == "link":
        path.symlink_to(other)
    else:
        os.mkfifo(path)
    with pytest.raises(BadFile, match="no plain file"):
        Journal.resume(path)
    assert other.read_bytes() == before


@contextlib.contextmanager
def full_disk(path: Path, left: int) -> Iterator[None]:
    """Meanwhile this process cannot make a file longer than `path` is, and a few bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + left, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("left", [0, 5, 100])
def test_a_full_disk_is_told_and_nothing_is_lost_when_there_is_room_again(left: int, tmp_path: Path) -> None:
    figure, _, scene = person()
    journal = Journal.begin(tmp_path / "a.journal", scene, figure)
    journal.do("pin", {"segment": "LeftHand"})
    whole = journal.path.read_bytes()
    with full_disk(journal.path, left):
        for name in ("RightHand", "Head"):
            with pytest.raises(OSError, match="File too large"):
                journal.do("pin", {"segment": name})
            assert journal.path.read_bytes() == whole  # no half of a line
    assert Journal.resume(journal.path).scene.goal("pin Head") is None
    assert journal.undo()
    again = Journal.resume(journal.path)
    assert again.scene.to_json() == journal.scene.to_json()
    assert again.scene.goal("pin RightHand") is not None
    journal.do("pin", {"segment": "Hips"})
    assert Journal.resume(journal.path).scene.to_json() == journal.scene.to_json()


def test_a_journal_that_was_deleted_is_written_again(tmp_path: Path) -> None:
    figure, _, scene = person()
    journal = Journal.begin(tmp_path / "a.journal", scene, figure)
    journal.do("pin", {"segment": "LeftHand"})
    journal.path.unlink()
    journal.do("pin", {"segment": "RightHand"})
    assert journal.path.stat().st_mode & 0o777 == 0o600
    assert Journal.resume(journal.path).scene.to_json() == journal.scene.to_json()


def test_a_forgotten_journal_writes_nothing(tmp_path: Path) -> None:
    figure, _, scene = person()
    journal = Journal.begin(tmp_path / "a.journal", scene, figure)
    journal.forget()
    journal.path.unlink()
    journal.do("pin", {"segment": "RightHand"})
    journal.close()
    assert not journal.path.exists()


@pytest.mark.parametrize("seed", range(8))
def test_random_damage_is_refused_or_survived(seed: int, tmp_path: Path) -> None:
    """Whatever the file holds, the answer is a journal or BadFile."""
    figure, _, scene = person()
    journal = Journal.begin(tmp_path / "a.journal", scene, figure)
    for name in ("LeftHand", "RightHand", "Head"):
        journal.do("pin", {"segment": name})
    journal.undo()
    data, rng = journal.path.read_bytes(), np.random.default_rng(seed)
    for kind in ("flip", "cut", "double", "zeros", "swap"):
        spoilt = bytearray(data)
        a, b = sorted(int(x) for x in rng.integers(0, len(data), 2))
        if kind == "flip":
            for at in rng.integers(0, len(data), 3):
                spoilt[at] ^= 1 << int(rng.integers(0, 8))
        elif kind == "cut":
            del spoilt[a:b]
        elif kind == "double":
            spoilt[a:a] = data[a:b]
        elif kind == "zeros":
            spoilt[a:b] = bytes(b - a)
        else:
            lines = data.split(b"\n")
            spoilt = bytearray(b"\n".join(lines[i] for i in rng.permutation(len(lines))))
        journal.path.write_bytes(spoilt)
        with contextlib.suppress(BadFile):
            Journal.resume(journal.path).do("pin", {"segment": "Hips"})


def test_a_journal_is_private_and_tells_whether_it_was_closed(tmp_path: Path) -> None:
    figure, _, scene = person()
    path = tmp_path / "a.journal"
    journal = Journal.begin(path, scene, figure)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not was_closed(path)
    with pytest.raises(FileExistsError):
        Journal.begin(path, scene, figure)
    with pytest.raises(ManikinError):
        journal.do("pin", {"segment": "Tail"})
    assert path.read_bytes().count(b"\n") == 1  # a refused command is not written
    journal.close()
    assert was_closed(path)
