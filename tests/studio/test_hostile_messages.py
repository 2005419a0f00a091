"""Every message of the page with values that a page never sends: one error, or a scene that its journal brings back."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from studio_sessions import at, grab, new, texts

from manikin.errors import BadValue
from manikin.studio.commands import COMMANDS
from manikin.studio.journal import Journal
from manikin.studio.library import PoseLibrary
from manikin.studio.protocol import DEEPEST, deeper_than, parsed

DEEP: Any = "[" * DEEPEST + "]" * DEEPEST
HOSTILE = (
    *("1e400", "-1e400", "1" + "0" * 400, "-1" + "0" * 400, "1" + "0" * 30, "1e308", "NaN", "1e-400", "-1", "0", "2.5"),
    *("null", "true", "false", '""', '"x"', '"\\ud800"', '"' + "x" * 50_000 + '"', "[]", "{}", "[[[]]]", DEEP[1:-1]),
    *("[1e308, 1e308, 1e308]", "[1" + "0" * 400 + ", 0, 0]", "[null, null, null]", '["1", "2", "3"]', '{"a": 1}'),
)
"""Values as JSON."""
GOOD = {"segment": "LeftHand", "target": [0.1, 1.0, 0.5], "point": [0, 0, 0], "normal": [0, 1, 0], "frame": 3, "to": 5}
GOOD |= {"fps": 30, "last_frame": 90, "id": "foot LeftToeBase", "name": "a", "joints": ["Head"], "on": True}
GOOD |= {"easing": "linear", "distance": 0.01, "axis": [0, 0, 1], "index": 0, "feet": ["LeftFoot"]}
MESSAGES: dict[str, dict[str, Any]] = {
    "grab": {"segment": "LeftHand", "p": [0, 1, 0], "tool": "move", "frame": None, "goal": ""},
    "drag": {"s": 1, "p": [0, 1, 0], "ts": 1.0, "r": [1, 0, 0, 0]},
    "release": {"pin": False},
    "cmd": {"name": "pin", "args": {"segment": "LeftHand"}},
    "view": {
        "camera": [0, 1, 2],
        "looks_at": [0, 0, 0],
        "theme": "dark",
        "ghosts": True,
        "ghost_step": 5,
        "bones": True,
    },
    "clip": {"first": 0, "count": 4},
    "library": {"action": "save", "name": "a", "to": "b", "frame": None, "mirrored": False},
    "compare": {"methods": [], "start": "", "drag": {}},
    "hello": {"v": 1, "tab": "tab-one-1", "token": "x"},
}


def sent(session: Any, message: dict[str, Any], value: str) -> list[Any]:
    """The answer to a message with one value in it, as text, at the place of "VALUE"."""
    text = json.dumps(message).replace('"VALUE"', value)
    try:
        return session.receive(parsed(text))  # type: ignore[no-any-return]
    except BadValue:
        return []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_argument_of_every_command(name: str, tmp_path: Path) -> None:
    session = new(tmp_path)
    session.receive({"type": "cmd", "name": "key", "args": {"frame": 3}})
    wanted = list(inspect.signature(COMMANDS[name]).parameters)[1:]
    for key in (*wanted, "pose", "unknown", "shown"):
        for value in HOSTILE:
            args = {k: GOOD[k] for k in wanted if k in GOOD}
            answer = sent(session, {"type": "cmd", "name": name, "args": {**args, key: "VALUE"}}, value)
            for said in texts(answer):
                if said["type"] == "error":
                    assert "\n" not in said["text"]
                    assert len(said["text"]) < 2000
    again = Journal.resume(tmp_path / "a.journal")
    assert again.note == ""
    assert again.scene.to_json() == session.scene.to_json()


@pytest.mark.parametrize("kind", sorted(MESSAGES))
def test_every_field_of_every_message(kind: str, tmp_path: Path) -> None:
    session = new(tmp_path)
    session.library = PoseLibrary(tmp_path / "poses")
    for key, value in ((k, v) for k in (*MESSAGES[kind], "unknown") for v in HOSTILE):
        if kind == "drag":
            session.receive({"type": "grab", "segment": "LeftHand", "p": at("LeftHand")})
        sent(session, {"type": kind, **MESSAGES[kind], key: "VALUE"}, value)
    session.receive({"type": "release"})
    again = Journal.resume(tmp_path / "a.journal")
    assert again.note == ""
    assert again.scene.to_json() == session.scene.to_json()
    assert grab(session, "RightHand", (0.0, 0.05, 0.0), 2)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400, "NaN", "Infinity"])
def test_a_number_that_is_not_finite_is_refused_at_the_door(number: str) -> None:
    with pytest.raises(BadValue, match="not JSON"):
        parsed(f'{{"type": "drag", "s": 1, "ts": {number}}}')


def test_a_whole_number_of_many_digits_is_what_the_page_meant() -> None:
    assert parsed('{"type": "drag", "ts": 100000000000000000000}')["ts"] == 1e20
    assert parsed('{"type": "drag", "s": 4294967295}')["s"] == 2**32 - 1


def test_a_deep_message_is_refused_at_the_door() -> None:
    with pytest.raises(BadValue, match="in each other"):
        parsed('{"type": "cmd", "name": "clearance", "args": {"on": ' + DEEP + "}}")
    nested: Any = 0
    for levels in range(1, 8):
        nested = [nested] if levels % 2 else {"a": nested}
        assert deeper_than(nested, levels - 1)
        assert not deeper_than(nested, levels)
