"""The studio on a character of our own, driven by its messages: opened, dragged, played, saved and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import walker
import walker_files
from gltf_by_hand import ByHand
from studio_client import ORIGIN, TOKEN, client_of, greeting, socket, until
from studio_sessions import rows

import manikin as mk
from manikin.studio.clip import ClipSource
from manikin.studio.exports import exported
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session

WALK = walker.walk()
TALL = np.array([0.0, walker.THIGH + walker.SHANK + walker.ANKLE, 0.0])
LEFT_HAND = TALL + np.array([0.7, 0.47, 0.0])
"""At rest."""
AWAY = np.array([-0.1, -0.2, 0.15])


def opened(folder: Path) -> Session:
    path = folder / "person.glb"
    path.write_bytes(walker_files.gltf(WALK, True, mesh=True))
    figure = mk.load_figure(path)
    scene = StudioScene.begin(FigureSource.of_file(path), figure)
    return Session(Journal.begin(folder / "a.journal", scene, figure), None, (folder,), PoseLibrary(folder / "poses"))


def texts(messages: list[Any]) -> list[dict[str, Any]]:
    found = [json.loads(m) for m in messages if isinstance(m, str)]
    assert not [m["text"] for m in found if m["type"] == "error"]
    return found


def state(messages: list[Any]) -> dict[str, Any]:
    return next(m for m in texts(messages) if m["type"] == "state")


def command(session: Session, name: str, **args: Any) -> dict[str, Any]:
    return state(session.receive({"type": "cmd", "name": name, "args": args}))


def place(session: Session, segment: str) -> Any:
    return session.figure.placements(session.scene.pose, [segment])[0, :3, 3]


def dragged(session: Session, segment: str, by: Any, frame: int | None = None, **release: Any) -> dict[str, Any]:
    pose = session.scene.pose if frame is None else session.timeline.pose(session.scene, frame)
    at = session.figure.placements(pose, [segment])[0, :3, 3]
    grab = {"type": "grab", "segment": segment, "p": at.tolist()} | ({} if frame is None else {"frame": frame})
    session.receive(grab)
    for k in range(1, 21):
        session.receive({"type": "drag", "s": k, "p": (at + np.array(by) * k / 20).tolist(), "ts": 0})
    while session.resting:
        session.rest()
    return state(session.receive({"type": "release", **release}))


def test_the_character_is_shown_where_the_file_has_it(tmp_path: Path) -> None:
    messages = opened(tmp_path).greeting()
    scene = next(m for m in texts(messages) if m["type"] == "scene")
    names = [s["name"] for s in scene["segments"]]
    assert set(walker.NAMES) <= set(names)
    assert {"left hand", "right foot", "head"} <= {s["words"] for s in scene["segments"]}
    _, placed = rows(messages[-1])
    for name, at in (("Hips", TALL), ("LeftHand", LEFT_HAND), ("RightFoot", (-0.09, 0.08, 0.0))):
        assert placed[names.index(name), :3] == pytest.approx(at, abs=1e-5)


def test_a_dragged_hand_arrives_and_the_feet_stay(tmp_path: Path) -> None:
    session = opened(tmp_path)
    feet = [place(session, f"{side}Foot") for side in ("Left", "Right")]
    hand = place(session, "LeftHand")
    after = dragged(session, "LeftHand", AWAY, pin=True)
    assert place(session, "LeftHand") == pytest.approx(hand + AWAY, abs=3e-3)
    for side, foot in zip(("Left", "Right"), feet, strict=True):
        assert place(session, f"{side}Foot") == pytest.approx(foot, abs=3e-3)
    assert after["undo"] == 1
    assert "pin LeftHand" in [goal["id"] for goal in after["goals"]]
    dragged(session, "RightHand", (0.1, 0.0, 0.2))
    assert place(session, "LeftHand") == pytest.approx(hand + AWAY, abs=5e-3)
    command(session, "undo")
    command(session, "undo")
    assert np.array_equal(session.scene.pose, session.figure.rest)
    again = Session(Journal.resume(tmp_path / "a.journal", (tmp_path,)), None, (tmp_path,))
    assert np.array_equal(again.scene.pose, session.scene.pose)
    command(again, "redo")
    assert place(again, "LeftHand") == pytest.approx(hand + AWAY, abs=3e-3)


def test_a_scene_is_saved_and_opened(tmp_path: Path) -> None:
    session = opened(tmp_path)
    dragged(session, "LeftHand", AWAY, pin=True)
    session.scene.save(tmp_path / "a.manikin.json")
    again = StudioScene.load(tmp_path / "a.manikin.json")
    assert again.to_json() == session.scene.to_json()
    assert np.array_equal(again.pose, session.scene.pose)
    assert again.source == session.scene.source


@pytest.mark.parametrize("kind", ["bvh", "glb", "usd", "csv"])
def test_a_clip_plays_is_changed_and_exported(tmp_path: Path, kind: str) -> None:
    session = opened(tmp_path)
    session.open_clip(tmp_path / "person.glb", "person.glb")
    shown = state(session.greeting())
    assert shown["fps"] == pytest.approx(60.0)
    assert shown["last_frame"] == len(WALK) - 1
    assert not shown["timeline"]["retargeted"]
    assert {c[0] for c in shown["timeline"]["contacts"]} == {"left heel", "left toe", "right heel", "right toe"}
    after = dragged(session, "RightHand", (0.0, 0.1, 0.1), frame=45)
    (edit,) = after["timeline"]["edits"]
    assert (edit["first"], edit["last"]) == (45, 45)
    take = session.timeline.take(session.scene)
    assert take is not None
    found = take.motion.placements(walker.NAMES)[..., :3, 3]
    hand = walker.NAMES.index("RightHand")
    assert found[45, hand] == pytest.approx(WALK.at("RightHand")[45] + (0.0, 0.1, 0.1), abs=2e-3)
    far = [t for t in range(len(WALK)) if not 45 - edit["blend"] <= t <= 45 + edit["blend"]]
    assert np.abs(found[far] - WALK.positions[far]).max() < 1e-6
    legs = [k for k, name in enumerate(walker.NAMES) if "Leg" in name or "Foot" in name]
    assert np.abs(found[:, legs] - WALK.positions[:, legs]).max() < 1e-6
    name, data = exported(session.scene, session.figure, session.timeline, kind, (tmp_path,))
    out = tmp_path / name
    out.write_bytes(data)
    options = {"figure": session.figure} if kind == "csv" else {}
    back = mk.load_motion(out, **options)
    assert np.abs(back.placements(walker.NAMES)[..., :3, 3] - found).max() < 1e-4
    if kind == "glb":
        file = ByHand(out)
        number = [node.get("name") for node in file.nodes].index("RightHand")
        clips = [clip.get("name") for clip in file.json["animations"]]
        worlds = [file.world(file.moved(k, 45 / 60.0))[number][:3, 3] for k in range(len(clips))]
        assert min(np.abs(world - found[45, hand]).max() for world in worlds) < 1e-4
        assert "JOINTS_0" in json.dumps(file.json["meshes"])


def test_a_clip_of_another_person_walks_on_this_one(tmp_path: Path) -> None:
    session = opened(tmp_path)
    (tmp_path / "other.bvh").write_text(walker_files.bvh_text(WALK, 0.0254, "XYZ"))
    after = state(session.open_clip(tmp_path / "other.bvh", "other.bvh"))
    assert after["timeline"]["retargeted"]
    take = session.timeline.take(session.scene)
    assert take is not None
    found = take.motion.placements(walker.NAMES)[..., :3, 3]
    away = found - WALK.positions
    assert np.abs(away - away[0, 0]).max() < 0.01
    assert away[0, 0] == pytest.approx((0.0, walker_files.RADIUS, 0.0), abs=0.005)  # its soles are thicker
    assert session.scene.clip is not None
    assert ClipSource.from_dict(session.scene.clip.to_dict()) == session.scene.clip


def test_two_keys_make_a_motion(tmp_path: Path) -> None:
    session = opened(tmp_path)
    command(session, "key", frame=0)
    dragged(session, "LeftHand", (-0.1, -0.3, 0.1))
    reached = place(session, "LeftHand")
    shown = command(session, "key", frame=30)
    assert [key["frame"] for key in shown["keys"]] == [0, 30]
    take = session.timeline.take(session.scene)
    assert take is not None
    hand = take.motion.placements(["LeftHand"])[:, 0, :3, 3]
    assert hand[0] == pytest.approx(LEFT_HAND, abs=1e-6)
    assert hand[30] == pytest.approx(reached, abs=1e-6)
    assert 0.1 < np.linalg.norm(hand[15] - hand[0]) / np.linalg.norm(hand[30] - hand[0]) < 0.9


def test_an_upload_is_shown_by_the_server(tmp_path: Path) -> None:
    data = walker_files.gltf(WALK, True, mesh=True)
    with client_of(tmp_path) as client, socket(client) as live:
        greeting(live)
        sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
        answer = client.post("/upload", params={"tab": "tab-one-1", "name": "a.glb"}, content=data, headers=sent)
        assert answer.status_code == 200, answer.text
        scene = until(live, "scene")
        assert set(walker.NAMES) <= {s["name"] for s in scene["segments"]}
        shown = until(live, "state")
        assert {"foot LeftToeBase", "sole RightFoot"} <= {goal["id"] for goal in shown["goals"]}
