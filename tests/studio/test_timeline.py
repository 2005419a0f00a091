"""Keys, clips, edits, exports and the pose library of the studio, without a server."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin.base.names import file_name
from manikin.errors import BadFile, BadValue, UnknownName
from manikin.studio import timeline
from manikin.studio.clip import ClipEdit, ClipSource
from manikin.studio.commands import pose_text
from manikin.studio.exports import KINDS, exported
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session

HUMAN = mk.human()


def new(folder: Path, figure: mk.Figure = HUMAN, source: FigureSource | None = None) -> Session:
    scene = StudioScene.begin(source or FigureSource("builtin", "human"), figure)
    journal = Journal.begin(folder / "a.journal", scene, figure)
    return Session(journal, None, (folder,), PoseLibrary(folder / "poses"))


def state(messages: list[Any]) -> dict[str, Any]:
    found = [json.loads(m) for m in messages if isinstance(m, str)]
    errors = [m["text"] for m in found if m["type"] == "error"]
    assert not errors, errors
    return next(m for m in found if m["type"] == "state")


def error(messages: list[Any]) -> str:
    (text,) = (json.loads(m)["text"] for m in messages)
    assert "\n" not in text
    return str(text)


def command(session: Session, name: str, **args: Any) -> dict[str, Any]:
    return state(session.receive({"type": "cmd", "name": name, "args": args}))


def crouched() -> Any:
    solution = mk.solve(
        HUMAN,
        [
            mk.Position("Hips", HUMAN.placements(HUMAN.rest, ["Hips"])[0][:3, 3] - (0.0, 0.08, 0.0)),
            *[
                mk.Placement(name, at)
                for name, at in zip(
                    ["LeftFoot", "RightFoot"], HUMAN.placements(HUMAN.rest, ["LeftFoot", "RightFoot"]), strict=True
                )
            ],
        ],
    )
    assert solution.reached
    return solution.pose


def with_two_keys(session: Session) -> dict[str, Any]:
    command(session, "key", frame=10)
    command(session, "pose", pose=pose_text(crouched()))
    return command(session, "key", frame=40)


def block(session: Session, first: int, count: int) -> tuple[tuple[int, ...], Any]:
    (message,) = session.receive({"type": "clip", "first": first, "count": count})
    assert isinstance(message, bytes), message
    head = struct.unpack_from("<IIIII", message)
    return head, np.frombuffer(message, "<f4", offset=20).reshape(head[3], head[4], 7)


# Keys


def test_two_keys_make_a_motion_with_planted_feet(tmp_path: Path) -> None:
    session = new(tmp_path)
    assert command(session, "key", frame=10)["timeline"] is None
    shown = with_two_keys(session)["timeline"]
    assert shown["frames"] == 121
    assert shown["clip"] is None
    take = session.timeline.take(session.scene)
    assert take is not None
    poses = take.motion.poses
    assert np.array_equal(poses[0], HUMAN.rest)
    assert np.array_equal(poses[10], HUMAN.rest)
    assert np.array_equal(poses[40], session.scene.keys[1].pose)
    assert np.array_equal(poses[-1], poses[40])
    feet = HUMAN.placements(poses, ["LeftFoot", "RightFoot"])[..., :3, 3]
    assert np.abs(feet - feet[0]).max() < 5e-4


@pytest.mark.parametrize(("easing", "part"), [("linear", 0.2), ("hold", 0.0), ("smooth", 0.05792)])
def test_a_key_says_how_the_motion_leaves_it(tmp_path: Path, easing: str, part: float) -> None:
    session = new(tmp_path)
    raised = HUMAN.rest.copy()
    at = HUMAN.index_of("RightForeArm")
    raised[at] += 0.5
    command(session, "key", frame=0)
    command(session, "pose", pose=pose_text(raised))
    command(session, "key", frame=30)
    command(session, "ease-key", frame=0, easing=easing)
    take = session.timeline.take(session.scene)
    assert take is not None
    assert take.motion.poses[6, at] == pytest.approx(HUMAN.rest[at] + 0.5 * part, abs=1e-9)


def test_the_page_gets_frames_in_blocks(tmp_path: Path) -> None:
    session = new(tmp_path)
    shown = with_two_keys(session)["timeline"]
    (kind, version, first, frames, segments), rows = block(session, 20, 500)
    assert (kind, version, first, frames) == (2, shown["version"], 20, 101)
    assert segments == len(HUMAN.segments)
    take = session.timeline.take(session.scene)
    assert take is not None
    assert np.allclose(rows[..., :3], HUMAN.placements(take.motion.poses[20:])[..., :3, 3], atol=1e-6)
    for bad in ({"first": 121, "count": 1}, {"first": 0, "count": 0}, {"first": "a", "count": 1}, {"first": 0}):
        assert error(session.receive({"type": "clip", **bad}))


def test_an_older_motion_keeps_its_version_and_a_new_one_gets_another(tmp_path: Path) -> None:
    session = new(tmp_path)
    first = with_two_keys(session)["timeline"]["version"]
    second = command(session, "move-key", frame=40, to=60)["timeline"]["version"]
    assert second != first
    assert command(session, "undo")["timeline"]["version"] == first
    assert command(session, "redo")["timeline"]["version"] == second


def test_a_drag_between_keys_begins_with_the_pose_shown(tmp_path: Path) -> None:
    session = new(tmp_path)
    with_two_keys(session)
    take = session.timeline.take(session.scene)
    assert take is not None
    shown = take.motion.poses[25]
    hand = HUMAN.placements(shown, ["RightHand"])[0][:3, 3]
    session.receive({"type": "grab", "segment": "RightHand", "p": hand.tolist(), "frame": 25})
    assert session.drag is not None
    moved = HUMAN.placements(np.stack([session.drag.pose, shown]))[..., :3, 3]
    assert np.abs(moved[1] - moved[0]).max() < 1e-3
    target = hand + np.array([0.05, 0.1, 0.05])
    for k in range(10):
        session.receive({"type": "drag", "s": k, "p": (hand + (target - hand) * (k + 1) / 10).tolist(), "ts": 0})
    for _ in range(20):
        session.rest()
    steps = session.journal.history.undo_steps
    after = state(session.receive({"type": "release", "pin": True}))
    assert session.journal.history.undo_steps == steps + 1
    assert "pin RightHand" in [g["id"] for g in after["goals"]]
    assert np.linalg.norm(HUMAN.placements(session.scene.pose, ["RightHand"])[0][:3, 3] - target) < 5e-3
    toes = HUMAN.placements(np.stack([shown, session.scene.pose]), ["LeftToeBase", "RightToeBase"])[..., :3, 3]
    assert np.abs(toes[1] - toes[0]).max() < 2e-3


# Clips


@pytest.fixture(scope="module")
def walk() -> Path:
    return data_file("bvh/cmu_02_01_walk.bvh")


def on_walk(folder: Path, path: Path) -> Session:
    (folder / path.name).write_bytes(path.read_bytes())
    session = new(folder, mk.load_figure(path), FigureSource.of_file(folder / path.name))
    session.open_clip(folder / path.name, "walk.bvh")
    return session


def test_a_clip_plays_on_its_own_figure(tmp_path: Path, walk: Path) -> None:
    session = on_walk(tmp_path, walk)
    recorded = mk.load_motion(walk)
    take = session.timeline.take(session.scene)
    assert take is not None
    assert np.array_equal(take.motion.poses, recorded.poses)
    shown = state(session.greeting())
    assert shown["fps"] == pytest.approx(recorded.rate)
    assert shown["last_frame"] == len(recorded) - 1
    assert shown["timeline"]["clip"] == "walk.bvh"
    assert not shown["timeline"]["retargeted"]
    assert {"left heel", "right toe"} <= {c[0] for c in shown["timeline"]["contacts"]}
    assert "no keys" in error(session.receive({"type": "cmd", "name": "key", "args": {"frame": 3}}))


def drag_at(session: Session, segment: str, frame: int, by: Any) -> dict[str, Any]:
    figure = session.figure
    at = figure.placements(session.timeline.pose(session.scene, frame), [segment])[0][:3, 3]
    session.receive({"type": "grab", "segment": segment, "p": at.tolist(), "frame": frame})
    for k in range(1, 21):
        session.receive({"type": "drag", "s": k, "p": (at + np.array(by) * k / 20).tolist(), "ts": 0})
    return state(session.receive({"type": "release"}))


def test_a_drag_in_a_clip_is_blended_in_and_survives_a_crash(tmp_path: Path, walk: Path) -> None:
    session = on_walk(tmp_path, walk)
    recorded = mk.load_motion(walk)
    figure, up = session.figure, 0.15 * session.figure.size
    after = drag_at(session, "RightHand", 150, (0.0, up, 0.0))
    assert not after["timeline"]["notes"]
    (change,) = after["timeline"]["edits"]
    assert change == {"words": ["right hand"], "first": 150, "last": 150, "blend": 48}
    take = session.timeline.take(session.scene)
    assert take is not None
    poses = take.motion.poses
    hand = figure.placements(np.stack([recorded.poses[150], poses[150]]), ["RightHand"])[:, 0, :3, 3]
    assert np.allclose(hand[1] - hand[0], (0.0, up, 0.0), atol=1e-3 * figure.size)
    far = np.r_[0:101, 200 : len(poses)]
    assert np.array_equal(poses[far], recorded.poses[far])
    left = figure.index_of("LeftLeg")
    assert np.array_equal(poses[:, left : left + 3], recorded.poses[:, left : left + 3])

    again = Session(Journal.resume(tmp_path / "a.journal", (tmp_path,)), None, (tmp_path,))
    taken = again.timeline.take(again.scene)
    assert taken is not None
    assert taken.motion.poses.tobytes() == poses.tobytes()
    assert command(session, "undo")["timeline"]["edits"] == []
    back = session.timeline.take(session.scene)
    assert back is not None
    assert np.array_equal(back.motion.poses, recorded.poses)
    assert not command(session, "redo")["timeline"]["notes"]
    assert command(session, "unedit", index=0)["timeline"]["edits"] == []


def test_an_edit_out_of_reach_says_so(tmp_path: Path, walk: Path) -> None:
    session = on_walk(tmp_path, walk)
    after = drag_at(session, "RightHand", 150, (0.0, 3.0 * session.figure.size, 0.0))
    (note,) = after["timeline"]["notes"]
    assert note.startswith("right hand at 150 misses its target by")


def test_a_clip_of_another_figure_is_retargeted(tmp_path: Path, walk: Path) -> None:
    (tmp_path / walk.name).write_bytes(walk.read_bytes())
    session = new(tmp_path)
    with_two_keys(session)
    after = state(session.open_clip(tmp_path / walk.name, "walk.bvh"))
    assert after["timeline"]["retargeted"]
    assert after["keys"] == []
    take = session.timeline.take(session.scene)
    assert take is not None
    assert take.motion.figure is HUMAN
    hips = HUMAN.placements(take.motion.poses, ["Hips"])[:, 0, :3, 3]
    assert np.linalg.norm(hips[-1] - hips[0]) > 1.0
    assert len(command(session, "undo")["keys"]) == 2


def test_a_clip_that_is_gone_is_a_note_and_not_a_crash(tmp_path: Path, walk: Path) -> None:
    on_walk(tmp_path, walk)
    stored = tmp_path / walk.name
    journal = Journal.resume(tmp_path / "a.journal", (tmp_path,))
    stored.write_bytes(stored.read_bytes() + b" ")
    again = Session(journal, None, (tmp_path,))
    (note,) = state(again.greeting())["timeline"]["notes"]
    assert "checksum differs" in note
    assert "were requested" not in error(again.receive({"type": "clip", "first": 0, "count": 10}))


def test_one_frame_is_no_clip(tmp_path: Path) -> None:
    mk.save(mk.Motion(HUMAN, HUMAN.rest[None], rate=30), tmp_path / "one.bvh")
    with pytest.raises(BadFile, match="a clip needs at least two"):
        new(tmp_path).open_clip(tmp_path / "one.bvh", "one.bvh")


def test_a_scene_with_a_clip_is_saved_whole(tmp_path: Path, walk: Path) -> None:
    session = on_walk(tmp_path, walk)
    drag_at(session, "LeftHand", 60, (0.0, 0.1 * session.figure.size, 0.0))
    session.scene.save(tmp_path / "a.manikin.json")
    again = StudioScene.load(tmp_path / "a.manikin.json")
    assert (again.clip, again.edits) == (session.scene.clip, session.scene.edits)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClipSource("a", "../a.bvh", ""), "without folders"),
        (lambda: ClipSource.from_dict({"name": "a", "file": "a.bvh", "sha256": "", "x": 1}), "unknown field 'x'"),
        (lambda: ClipSource.from_dict([]), "needs an object"),
        (lambda: ClipEdit((), 1, 2), "at least one"),
        (lambda: ClipEdit.from_dict({"goals": [{"id": "a", "kind": "x", "role": "goal"}], "first": 0, "last": 1}), "x"),
    ],
)
def test_bad_clips_and_edits_are_refused(make: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        make()


# Exports


@pytest.mark.parametrize("kind", ["bvh", "glb", "usd", "csv"])
def test_exports_hold_the_motion(tmp_path: Path, kind: str) -> None:
    session = new(tmp_path)
    with_two_keys(session)
    name, data = exported(session.scene, session.figure, session.timeline, kind)
    (tmp_path / name).write_bytes(data)
    options: dict[str, Any] = {"figure": HUMAN} if kind == "csv" else {}
    read = mk.load_motion(tmp_path / name, **options)
    take = session.timeline.take(session.scene)
    assert take is not None
    assert len(read) == len(take.motion)
    for segment in ("LeftFoot", "RightHand", "Head"):
        ours = HUMAN.placements(take.motion.poses, [segment])[:, 0, :3, 3]
        theirs = read.figure.placements(read.poses, [segment])[:, 0, :3, 3] * (HUMAN.size / read.figure.size)
        assert np.allclose(ours, theirs, atol=2e-4), (kind, segment)


def test_a_scene_without_a_motion_is_exported_as_one_frame(tmp_path: Path) -> None:
    session = new(tmp_path)
    name, data = exported(session.scene, session.figure, session.timeline, "bvh")
    (tmp_path / name).write_bytes(data)
    assert len(mk.load_motion(tmp_path / name)) == 1


def test_scene_and_script_are_exports_too(tmp_path: Path) -> None:
    session = new(tmp_path)
    name, data = exported(session.scene, session.figure, session.timeline, "scene")
    assert name == "human.manikin.json"
    (tmp_path / name).write_bytes(data)
    assert StudioScene.load(tmp_path / name).pose.tobytes() == session.scene.pose.tobytes()
    name, data = exported(session.scene, session.figure, session.timeline, "script")
    assert name == "human.py"
    compile(data, name, "exec")
    made = new(_folder(tmp_path), source=FigureSource.of_figure(HUMAN))
    name, data = exported(made.scene, made.figure, made.timeline, "script")
    assert name == "human.zip"
    assert data.startswith(b"PK")
    with pytest.raises(UnknownName, match="scene"):
        exported(session.scene, session.figure, session.timeline, "exe")
    assert set(KINDS) >= {"bvh", "glb", "usd"}


def _folder(at: Path) -> Path:
    made = at / "other"
    made.mkdir()
    return made


def test_a_character_is_exported_with_its_skin(tmp_path: Path) -> None:
    path = data_file("gltf/CesiumMan.glb")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    figure = mk.load_figure(path)
    session = new(tmp_path, figure, FigureSource.of_file(tmp_path / path.name))
    _, data = exported(session.scene, figure, session.timeline, "glb", (tmp_path,))
    (tmp_path / "out.glb").write_bytes(data)
    assert b"JOINTS_0" in data
    again = mk.load_motion(tmp_path / "out.glb", clip="CesiumMan")  # next to the clip of the file
    assert np.allclose(again.placements()[0, :, :3, 3], figure.placements(session.scene.pose)[:, :3, 3], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "file"), [("../../etc/passwd", "etc_passwd"), ("", "pose"), ("Ünï 1", "n_1"), ("a" * 99, "a" * 60)]
)
def test_the_server_chooses_file_names(name: str, file: str) -> None:
    assert file_name(name, "pose") == file


# The pose library


def test_poses_are_kept_on_disk(tmp_path: Path) -> None:
    session = new(tmp_path)
    pose = crouched()
    command(session, "pose", pose=pose_text(pose))
    session.receive({"type": "library", "action": "save", "name": "crouch / low"})
    command(session, "reset")
    (text,) = session.receive({"type": "library"})
    assert json.loads(text)["names"] == ["crouch / low"]
    used = session.receive({"type": "library", "action": "use", "name": "crouch / low"})
    assert state(used[:1])["pose"] == pose_text(pose)
    stored = list((tmp_path / "poses").iterdir())
    assert len(stored) == 1
    assert stored[0].stat().st_mode & 0o777 == 0o600
    assert PoseLibrary(tmp_path / "poses").names(mk.quadruped()) == []
    stored[0].write_text("{")
    assert PoseLibrary(tmp_path / "poses").names(HUMAN) == []
    for bad in ({"action": "use", "name": "x"}, {"action": "save", "name": ""}, {"action": "fly"}):
        assert error(session.receive({"type": "library", **bad}))


def test_only_some_motions_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_KEPT", 2)
    session = new(tmp_path)
    first = with_two_keys(session)["timeline"]["version"]
    for frame in (50, 60, 70):
        command(session, "key", frame=frame)
    assert len(session.timeline._takes) == 2
    for _ in range(3):
        last = command(session, "undo")
    assert last["timeline"]["version"] != first
