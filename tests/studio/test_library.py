"""The pose library of the studio, without a server: names, placements, mirror images, and deletions taken back."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadValue, ManikinError
from manikin.studio import library as module
from manikin.studio.commands import pose_text
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session
from manikin.studio.shapes import pose_rows

HUMAN = mk.human()


def waving() -> Any:
    pose = HUMAN.rest.copy()
    at = HUMAN.index_of("RightForeArm")
    pose[at : at + 3] = 0.4, 0.2, -0.1
    return HUMAN.clamp(pose)


def new(folder: Path) -> Session:
    scene = StudioScene.begin(FigureSource("builtin", "human"), HUMAN)
    return Session(Journal.begin(folder / "x.journal", scene, HUMAN), None, (folder,), PoseLibrary(folder / "poses"))


def last(messages: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(messages[-1])
    return found


def test_the_page_gets_the_placements_of_each_pose(tmp_path: Path) -> None:
    session = new(tmp_path)
    session.receive({"type": "cmd", "name": "pose", "args": {"pose": pose_text(waving())}})
    answer = last(session.receive({"type": "library", "action": "save", "name": "wave"}))
    assert answer["type"] == "library"
    assert answer["names"] == ["wave"]
    (rows,) = answer["rows"]
    sent = np.frombuffer(base64.b64decode(rows), dtype="<f4").reshape(-1, 7)
    np.testing.assert_array_equal(sent, pose_rows(HUMAN, waving()))


def test_a_pose_is_used_mirrored_as_one_step(tmp_path: Path) -> None:
    session = new(tmp_path)
    session.library.save("wave", HUMAN, waving())
    session.receive({"type": "library", "action": "use", "name": "wave", "mirrored": True})
    np.testing.assert_allclose(session.scene.pose, HUMAN.clamp(HUMAN.mirrored(waving())), atol=1e-12)
    assert session.journal.history.undo_steps == 1


def test_the_frame_that_is_shown_is_saved(tmp_path: Path) -> None:
    session = new(tmp_path)
    session.receive({"type": "cmd", "name": "key", "args": {"frame": 0}})
    session.receive({"type": "cmd", "name": "pose", "args": {"pose": pose_text(waving())}})
    session.receive({"type": "cmd", "name": "key", "args": {"frame": 20}})
    session.receive({"type": "cmd", "name": "reset", "args": {}})
    session.receive({"type": "library", "action": "save", "name": "middle", "frame": 10})
    np.testing.assert_array_equal(session.library.load("middle", HUMAN), session.timeline.pose(session.scene, 10))
    assert np.abs(session.library.load("middle", HUMAN) - HUMAN.rest).max() > 0.05


def test_rename(tmp_path: Path) -> None:
    poses = PoseLibrary(tmp_path)
    poses.save("one", HUMAN, waving())
    poses.save("two", HUMAN, HUMAN.rest)
    poses.rename("one", "eins", HUMAN)
    assert poses.names(HUMAN) == ["eins", "two"]
    np.testing.assert_array_equal(poses.load("eins", HUMAN), waving())
    poses.rename("eins", "eins", HUMAN)
    for name, to in (("eins", "two"), ("eins", ""), ("one", "three"), ("eins", "x" * 61), ("eins", None)):
        with pytest.raises(ManikinError):
            poses.rename(name, to, HUMAN)
    assert poses.names(HUMAN) == ["eins", "two"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.glob("*.json"))


def test_a_deletion_is_taken_back(tmp_path: Path) -> None:
    poses = PoseLibrary(tmp_path)
    poses.save("one", HUMAN, waving())
    poses.delete("one", HUMAN)
    assert poses.names(HUMAN) == []
    poses.restore("one")
    np.testing.assert_array_equal(poses.load("one", HUMAN), waving())
    with pytest.raises(BadValue, match="no pose 'one' was deleted"):
        poses.restore("one")
    with pytest.raises(ManikinError):
        poses.delete("two", HUMAN)


def test_a_replaced_pose_comes_back_and_the_newer_one_again(tmp_path: Path) -> None:
    poses = PoseLibrary(tmp_path)
    poses.save("one", HUMAN, waving())
    poses.save("one", HUMAN, HUMAN.rest)
    poses.restore("one")
    np.testing.assert_array_equal(poses.load("one", HUMAN), waving())
    poses.restore("one")
    np.testing.assert_array_equal(poses.load("one", HUMAN), HUMAN.rest)
    assert (tmp_path / "deleted").stat().st_mode & 0o777 == 0o700


def test_only_some_deleted_poses_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DELETED", 3)
    poses = PoseLibrary(tmp_path)
    for k in range(5):
        poses.save(f"pose {k}", HUMAN, HUMAN.rest)
        poses.delete(f"pose {k}", HUMAN)
    assert len(list((tmp_path / "deleted").iterdir())) == 3
    poses.restore("pose 4")
    with pytest.raises(BadValue):
        poses.restore("pose 0")


def test_long_names_that_begin_alike_are_two_poses(tmp_path: Path) -> None:
    poses = PoseLibrary(tmp_path)
    names = ["\U0001f57a" * 59 + end for end in "ab"]
    for name in names:
        poses.save(name, HUMAN, HUMAN.rest)
    assert poses.names(HUMAN) == names


def test_a_name_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    session = new(tmp_path)
    for name in ("\ud800", 7, None, ["x"]):
        for action in ("save", "use", "rename", "delete", "restore"):
            answer = last(session.receive({"type": "library", "action": action, "name": name}))
            assert answer["type"] == "error"
            assert "\n" not in answer["text"]


@pytest.mark.parametrize(
    "text",
    [
        '{"manikin-pose": 1, "name": "bad", "figure": "human", "joints": JOINTS}'.replace("JOINTS", joints)
        for joints in (
            "{" + '"a":' + "[" * 900 + "]" * 900 + "}",
            "HUGE",
            "NAN",
            "INFINITE",
            "TEXT",
            "NESTED",
        )
    ]
    + ["[" * 100_000, "1" * 5000, "null", "{}", '{"name": "other", "joints": {}}', ""],
)
def test_a_damaged_pose_is_not_shown_and_locks_nothing(text: str, tmp_path: Path) -> None:
    session = new(tmp_path)
    poses = session.library
    assert poses is not None
    poses.save("good", HUMAN, waving())
    poses.save("bad", HUMAN, waving())
    (path,) = (p for p in poses.folder.glob("*.json") if json.loads(p.read_text())["name"] == "bad")
    whole = json.loads(path.read_text())["joints"]
    values = {"HUGE": 10**400, "NAN": float("nan"), "INFINITE": float("inf"), "TEXT": "x", "NESTED": [[[1.0]]]}
    for word, value in values.items():
        joints = {**whole, "RightForeArm": [value, *whole["RightForeArm"][1:]]}
        text = text.replace(f'"joints": {word}', f'"joints": {json.dumps(joints)}')
    path.write_text(text)
    first = [json.loads(m) for m in session.receive({"type": "library", "action": "list"})]
    assert [m["type"] for m in first] == ["error", "library"]
    assert "1 files of the pose library are damaged" in first[0]["text"]
    assert first[1]["names"] == ["good"]
    again = session.receive({"type": "library", "action": "use", "name": "bad"})
    assert json.loads(again[0])["type"] == "error"
    assert last(session.receive({"type": "library", "action": "list"}))["names"] == ["good"]  # told once
    assert path.read_text() == text  # it stays
    poses.save("bad", HUMAN, HUMAN.rest)
    assert poses.names(HUMAN) == ["bad", "good"]


def test_a_pose_that_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    poses = PoseLibrary(tmp_path)
    poses.save("good", HUMAN, waving())
    os.mkfifo(tmp_path / "61.json")
    assert poses.names(HUMAN) == ["good"]
    assert poses.damaged == {"61.json"}
