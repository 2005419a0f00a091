"""A session without a server: messages in, messages out."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_sessions import HUMAN, at, grab, new, rows, state, texts

import manikin as mk
from manikin.errors import BadValue, UnknownName
from manikin.studio import protocol
from manikin.studio.commands import pose_text
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session
from manikin.studio.state import StateFolder
from manikin.studio.tabs import MOST_TABS, Tabs


def test_the_greeting_shows_the_figure(tmp_path: Path) -> None:
    messages = new(tmp_path).greeting()
    scene, now = texts(messages)
    assert [s["name"] for s in scene["segments"]] == list(HUMAN.segment_names)
    assert {"right hand", "left foot", "head"} <= {s["words"] for s in scene["segments"]}
    assert all({"segment", "kind"} <= set(shape) for shape in scene["shapes"])
    assert len(json.dumps(scene)) < 100_000
    assert [g["id"] for g in now["goals"]][-1] == "balance"
    assert len(now["support"]) >= 3
    head, placed = rows(messages[-1])
    assert head[0] == 1
    assert np.allclose(placed[:, :3], HUMAN.placements(HUMAN.rest)[:, :3, 3], atol=1e-6)
    turns = placed[:, [6, 3, 4, 5]]
    assert np.allclose(mk.rotations.to_matrix(turns.astype(float)), HUMAN.placements(HUMAN.rest)[:, :3, :3], atol=1e-5)


def test_a_drag_is_answered_and_its_release_is_one_step_of_undo(tmp_path: Path) -> None:
    session = new(tmp_path)
    (answer,) = grab(session, "RightHand", (-0.1, 0.2, 0.1))
    head, placed = rows(answer)
    assert head[1:3] == (10, 5.0)
    hand = HUMAN.segment_names.index("RightHand")
    assert np.allclose(placed[hand, :3], np.array(at("RightHand")) + np.array((-0.1, 0.2, 0.1)), atol=2e-3)
    before = pose_text(HUMAN.rest)
    released = session.receive({"type": "release"})
    assert state(released)["undo"] == 1
    moved = state(released)["pose"]
    assert moved != before
    assert state(session.receive({"type": "cmd", "name": "undo"}))["pose"] == before
    assert state(session.receive({"type": "cmd", "name": "redo"}))["pose"] == moved


def test_a_command_during_a_drag_ends_the_drag_first(tmp_path: Path) -> None:
    session = new(tmp_path)
    grab(session, "RightHand", (-0.1, 0.2, 0.1))
    out = session.receive({"type": "cmd", "name": "pin", "args": {"segment": "RightHand"}})
    assert session.drag is None
    assert state(out)["undo"] == 2
    target = next(g for g in state(out)["goals"] if g["id"] == "pin RightHand")["target"]
    assert np.allclose(target[:3], at("RightHand", session.scene.pose))


def test_the_figure_moves_to_a_new_goal_in_one_step(tmp_path: Path) -> None:
    session = new(tmp_path)
    look = [1.5, 1.6, 1.0]
    out = session.receive({"type": "cmd", "name": "aim", "args": {"segment": "Head", "target": look}})
    assert state(out)["undo"] == 1
    head = HUMAN.placements(session.scene.pose, ["Head"])[0]
    toward = np.array(look) - head[:3, 3]
    assert head[:3, 2] @ toward / np.linalg.norm(toward) > 0.999
    session.receive({"type": "grab", "tool": "target", "goal": "aim Head"})
    session.receive({"type": "drag", "s": 1, "p": [0.0, 1.6, 3.0]})
    moved = session.receive({"type": "release"})
    assert next(g for g in state(moved)["goals"] if g["id"] == "aim Head")["target"] == [0.0, 1.6, 3.0]


def test_a_missed_drag_is_explained_in_words_with_buttons(tmp_path: Path) -> None:
    session = new(tmp_path)
    grab(session, "RightHand", (0.2, 0.3, 1.2))
    while session.resting:
        session.rest()
    assert session.missed
    text = session.why(session.stamp)
    assert text is not None
    why = json.loads(text)
    assert why["sentences"][0].startswith("The right hand misses")
    shown = " ".join([*why["sentences"], *(change["words"] for change in why["changes"])])
    assert not any(word in shown for word in ("tolerance", "Placement", "ToeBase", "drag "))
    assert any("planted" in s or "balance" in s for s in why["sentences"])
    reach = next(c for c in why["changes"] if "target" in c)
    session.receive({"type": "drag", "s": 99, "p": reach["target"]})
    while session.resting:
        session.rest()
    assert not session.missed
    drop = next(c for c in why["changes"] if "commands" in c)
    for command in drop["commands"]:
        out = session.receive({"type": "cmd", **command})
        assert not [m for m in texts(out) if m["type"] == "error"]


def test_an_explanation_that_is_too_late_is_discarded(tmp_path: Path) -> None:
    session = new(tmp_path)
    grab(session, "RightHand", (0.2, 0.3, 1.2))
    while session.resting:
        session.rest()
    stamp = session.stamp

    def newer(done: int, _: int | None) -> None:
        if done == 5:
            session.stamp += 1

    assert session.why(stamp, newer) is None


def test_save_writes_only_the_file_of_the_command_line(tmp_path: Path) -> None:
    refused = texts(new(tmp_path).receive({"type": "cmd", "name": "save"}))
    assert refused[0]["type"] == "error"
    (tmp_path / "b").mkdir()
    session = new(tmp_path / "b", tmp_path / "mine.manikin.json")
    session.receive({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}})
    session.receive({"type": "cmd", "name": "save"})
    assert StudioScene.load(tmp_path / "mine.manikin.json").goal("pin LeftHand") is not None


def test_the_view_is_kept_and_is_not_undone(tmp_path: Path) -> None:
    session = new(tmp_path)
    session.receive({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}})
    session.receive({"type": "view", "camera": [1, 2, 3], "theme": "dark"})
    out = session.receive({"type": "cmd", "name": "undo"})
    assert state(out)["view"]["camera"] == [1.0, 2.0, 3.0]
    again = Journal.resume(session.journal.path)
    assert again.scene.view.theme == "dark"
    assert again.scene.to_json() == session.scene.to_json()


@pytest.mark.parametrize(
    "message",
    [
        {"type": "drag", "s": 1, "p": [0, 0, 0]},
        {"type": "grab", "segment": "Tail", "p": [0, 0, 0]},
        {"type": "grab", "segment": 3, "p": [0, 0, 0]},
        {"type": "grab", "segment": "Hips", "p": [0, 0]},
        {"type": "grab", "segment": "Hips", "p": [0, 0, "x"]},
        {"type": "grab", "segment": "Hips", "p": [0, 0, 1e9]},
        {"type": "grab", "segment": "Hips", "p": [0, True, 0]},
        {"type": "grab", "segment": "Hips"},
        {"type": "grab", "segment": "Hips", "p": [0, 0, 0], "tool": "saw"},
        {"type": "grab", "tool": "target", "goal": "aim Head"},
        {"type": "cmd", "name": "fly"},
        {"type": "cmd", "name": 3},
        {"type": "cmd", "name": "pin", "args": [1]},
        {"type": "cmd", "name": "pin", "args": {"segment": {}}},
        {"type": "view", "camera": "here"},
        {"type": "view", "colour": "red"},
        {"type": "hello"},
    ],
)
def test_bad_messages_give_one_line_and_change_nothing(message: dict[str, Any], tmp_path: Path) -> None:
    session = new(tmp_path)
    before = session.scene.to_json()
    (error,) = texts(session.receive(message))
    assert error["type"] == "error"
    assert "\n" not in error["text"]
    assert session.scene.to_json() == before
    assert session.drag is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        '{"type": "fly"}',
        '{"type": "drag", "p": [NaN, 0, 0]}',
        "[" * 5000,
        '{"x": "' + "y" * 70_000 + '"}',
    ],
)
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(BadValue):
        protocol.parsed(text)


@pytest.mark.parametrize(("key", "value"), [("s", -1), ("s", "x"), ("s", 2**40), ("ts", "now"), ("r", [1, 0, 0, 0])])
def test_a_bad_number_in_a_drag_is_refused(key: str, value: Any, tmp_path: Path) -> None:
    session = new(tmp_path)
    grab(session, "Hips", (0.0, 0.0, 0.0), frames=1)
    (error,) = texts(session.receive({"type": "drag", "s": 1, "p": [0, 1, 0], key: value}))
    assert error["type"] == "error"


HUGE = 10**400  # JSON can hold it, and no float can
NASTY: list[Any] = [None, True, -1, 0, 3, 0.5, 1e308, -1e308, 1e-308, 2**64, HUGE, "", "x", "\ud800", "\0", "../x"]
NASTY += ["y" * 3000, [], {}, [[]], [1, 2, 3], [0, 0, 0], [0, 0, 0, 0], [1e308] * 3, [HUGE] * 3, [None] * 3, [1] * 7]
NASTY += ["Hips", "balance", "hold", "AAAA", [{}], {"a": 1}]
PLAIN: list[dict[str, Any]] = [
    {"type": "grab", "segment": "RightHand", "p": [0.1, 1.0, 0.1], "tool": "move"},
    {"type": "grab", "segment": "LeftFoot", "p": [0.1, 0.1, 0.1], "tool": "turn", "frame": 0},
    {"type": "grab", "goal": "aim Head", "tool": "target"},
    {"type": "drag", "s": 3, "p": [0.3, 1.2, 0.2], "ts": 1.5},
    {"type": "drag", "s": 4, "p": [0.3, 1.2, 0.2], "ts": 1.5, "r": [1, 0, 0, 0]},
    {"type": "release", "pin": True},
    {"type": "view", "camera": [1, 2, 3], "theme": "dark", "bones": True},
    {"type": "clip", "first": 0, "count": 10},
    {"type": "library", "action": "save", "name": "a"},
    {"type": "library", "action": "use", "name": "a"},
    {"type": "library", "action": "delete", "name": "a"},
    *(
        {"type": "cmd", "name": name, "args": args}
        for name, args in {
            "pin": {"segment": "LeftHand"},
            "aim": {"segment": "Head", "target": [0.0, 1.5, 2.0]},
            "goal": {"id": "balance", "weight": 2.0, "priority": 1, "tolerance": 0.1, "on": True},
            "clearance": {"on": True, "distance": 0.01},
            "plane": {"segment": "Hips", "point": [0, 1, 0], "normal": [0, 1, 0]},
            "freeze": {"joints": ["Spine"], "on": True},
            "key": {"frame": 3},
            "fps": {"fps": 24.0},
            "rename": {"name": "x"},
            "paste": {"copied": "AAAA"},
            "undo": {},
            "redo": {},
        }.items()
    ),
]


@pytest.mark.parametrize("seed", range(4))
def test_random_messages_never_break_a_session(seed: int, tmp_path: Path) -> None:
    session, rng = new(tmp_path), random.Random(seed)
    session.library = PoseLibrary(tmp_path / "poses")
    for _ in range(100):
        message = json.loads(json.dumps(rng.choice(PLAIN)))
        place = message["args"] if message.get("args") and rng.random() < 0.8 else message
        for key in rng.sample(sorted(place), min(len(place), rng.choice([0, 1, 1, 2]))):
            if key != "type":
                place[key] = rng.choice(NASTY)
        for text in (*session.receive(json.loads(json.dumps(message))), *session.rest()):
            assert isinstance(text, bytes) or json.loads(text)["type"] in (
                "error",
                "state",
                "held",
                "library",
                "compare",
            )
    session.receive({"type": "release"})
    again = Journal.resume(session.journal.path)
    assert again.scene.to_json() == session.scene.to_json()


@pytest.mark.parametrize(
    "message",
    [
        {"type": "grab", "segment": "Hips", "p": [0, 0, HUGE]},
        {"type": "view", "camera": [0, 0, HUGE]},
        {"type": "view", "bones": "yes"},
        {"type": "library", "action": "delete", "name": "\ud800"},
        {"type": "cmd", "name": "goal", "args": {"id": "balance", "weight": HUGE}},
    ],
)
def test_numbers_and_letters_that_nothing_can_hold_are_refused(message: dict[str, Any], tmp_path: Path) -> None:
    session = new(tmp_path)
    session.library = PoseLibrary(tmp_path / "poses")
    (error,) = texts(session.receive(json.loads(json.dumps(message))))
    assert error["type"] == "error"


def test_a_bad_orientation_does_not_spoil_the_drag(tmp_path: Path) -> None:
    session = new(tmp_path)
    session.receive({"type": "grab", "segment": "RightHand", "p": at("RightHand"), "tool": "turn"})
    for turn in ([0, 0, 0, 0], [1, 1, 1, 1], [1e-200] * 4):
        (error,) = texts(session.receive({"type": "drag", "s": 1, "p": at("RightHand"), "r": turn}))
        assert "quaternion" in error["text"]
        assert all(isinstance(frame, bytes) for frame in session.rest())
    (frame,) = session.receive({"type": "drag", "s": 2, "p": at("RightHand"), "r": [0.7071, 0.7071, 0.0, 0.0]})
    assert isinstance(frame, bytes)


def test_long_names_of_poses_are_kept_apart(tmp_path: Path) -> None:
    library = PoseLibrary(tmp_path)
    names = ["姿" * 59 + end for end in "ab"]
    for name in names:
        library.save(name, HUMAN, HUMAN.rest)
    assert library.names(HUMAN) == names
    library.delete(names[0], HUMAN)
    assert library.names(HUMAN) == names[1:]
    for wrong in ("\ud800", "\ud801"):
        with pytest.raises(UnknownName):
            library.delete(wrong, HUMAN)


# What the page shows of the goals


def test_a_grab_names_the_goals_of_its_errors_and_a_state_has_the_errors_at_rest(tmp_path: Path) -> None:
    session = new(tmp_path)
    held, pose = session.receive({"type": "grab", "segment": "RightHand", "p": at("RightHand")})
    goals = json.loads(held)["goals"]
    assert "drag RightHand" in [goal["id"] for goal in goals]
    assert rows(pose)[0][4] == len(goals)
    assert all(goal["allowed"] > 0.0 for goal in goals)
    now = state(session.receive({"type": "release"}))
    assert [fit["id"] for fit in now["errors"]] == [goal["id"] for goal in now["goals"]]
    assert all(fit["error"] <= fit["allowed"] for fit in now["errors"])
    session.receive({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}})
    far = [*(np.array(at("LeftHand")) + 3.0).tolist(), 1.0, 0.0, 0.0, 0.0]
    out = session.receive({"type": "cmd", "name": "goal", "args": {"id": "pin LeftHand", "target": far}})
    fit = next(fit for fit in state(out)["errors"] if fit["id"] == "pin LeftHand")
    assert fit["error"] > fit["allowed"]
    out = session.receive({"type": "cmd", "name": "goal", "args": {"id": "pin LeftHand", "on": False}})
    assert "pin LeftHand" not in [fit["id"] for fit in state(out)["errors"]]


def test_an_aim_without_an_axis_looks_forward_or_points_along_the_bone(tmp_path: Path) -> None:
    session = new(tmp_path)
    target = [-1.0, 1.2, 1.0]
    session.receive({"type": "cmd", "name": "aim", "args": {"segment": "RightHand", "target": target}})
    hand, finger = (
        HUMAN.placements(session.scene.pose, [name])[0][:3, 3] for name in ("RightHand", "RightHandMiddle1")
    )
    toward = (np.array(target) - hand) / np.linalg.norm(np.array(target) - hand)
    along = (finger - hand) / np.linalg.norm(finger - hand)
    assert along @ toward > 0.97  # the mean of the fingers, not exactly the middle one
    turned = mk.quadruped()
    from manikin.studio.roles import Roles

    assert Roles.of(HUMAN).forward_axis("Head") == pytest.approx((0.0, 0.0, 1.0))
    assert np.linalg.norm(Roles.of(turned).forward_axis("Head")) == pytest.approx(1.0)


def test_a_closed_page_gives_its_place_to_another_tab(tmp_path: Path) -> None:
    now = [0.0]

    class Line:
        def show(self, session: Session) -> None: ...

        def end(self) -> None: ...

    def first() -> tuple[StudioScene, mk.Figure]:
        return StudioScene.begin(FigureSource("builtin", "human"), HUMAN), HUMAN

    tabs = Tabs(StateFolder(tmp_path), first, clock=lambda: now[0])
    lines = [Line() for _ in range(MOST_TABS)]
    for k, line in enumerate(lines):
        tabs.open(f"tab-number-{k}")
        tabs.connect(f"tab-number-{k}", line)
    tabs.disconnect("tab-number-3", lines[3])
    now[0] += 5.0
    with pytest.raises(BadValue, match="tabs are open"):
        tabs.open("tab-number-x")
    now[0] += 10.0
    tabs.open("tab-number-x")
    assert tabs.session("tab-number-3") is None
    tabs.disconnect("tab-number-4", lines[4])
    now[0] += 20.0
    assert tabs.open("tab-number-3")[1] == ""  # it comes back in the place of another that was closed
    assert tabs.session("tab-number-4") is None
    assert tabs.session("tab-number-0") is not None
    tabs.close()
