"""The server of the studio: who may talk to it, what it refuses, and its tabs. No browser."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from studio_client import HELLO, HOST, HUMAN, ORIGIN, TOKEN, WebSocketDisconnect, client_of, greeting, socket, until

from manikin.studio import downloads
from manikin.studio.live import NO_TOKEN, REPLACED, Inbox, Outbox
from manikin.studio.session import Session
from manikin.studio.tabs import MOST_TABS


@pytest.fixture
def client(tmp_path: Path) -> Any:
    with client_of(tmp_path) as made:
        yield made


# Who may talk to it


def test_a_tab_with_the_token_gets_the_scene(client: Any) -> None:
    with socket(client) as live:
        scene, state = greeting(live)
        assert scene["type"] == "scene"
        assert state["type"] == "state"
        live.send_text(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}}))
        assert until(live, "state")["undo"] == 1


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "x", 3, ["x"]])
def test_without_the_right_token_the_socket_is_closed(client: Any, token: Any) -> None:
    with socket(client) as live:
        live.send_text(json.dumps({**HELLO, "token": token}))
        with pytest.raises(WebSocketDisconnect) as closed:
            live.receive_text()
    assert closed.value.code == NO_TOKEN
    assert client.tabs.session("tab-one-1") is None


def test_the_first_message_must_be_hello(client: Any) -> None:
    with socket(client) as live:
        live.send_text(json.dumps({"type": "cmd", "name": "undo", "token": TOKEN}))
        with pytest.raises(WebSocketDisconnect):
            live.receive_text()


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8770", "http://127.0.0.1:9999", ""]
)
def test_a_socket_from_another_site_is_refused(client: Any, origin: str) -> None:
    with pytest.raises(WebSocketDisconnect), socket(client, origin=origin):
        pass


def test_a_socket_without_origin_is_refused(client: Any) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers={"host": HOST}):
        pass


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9999", "evil.example:8770", "0.0.0.0:8770"])
def test_another_host_is_refused(client: Any, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 403
    with pytest.raises(WebSocketDisconnect), socket(client, host=host, origin=f"http://{host}"):
        pass


def test_localhost_is_the_same_machine(client: Any) -> None:
    assert client.get("/", headers={"host": "localhost:8770"}).status_code == 200
    with socket(client, host="localhost:8770", origin="http://localhost:8770") as live:
        greeting(live)


def test_every_answer_has_the_headers_and_no_cookie(client: Any) -> None:
    for answer in (client.get("/"), client.get("/nothing"), client.get("/", headers={"host": "evil.example"})):
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
        assert TOKEN not in answer.text


def test_another_version_of_the_page_is_told_to_load_again(client: Any) -> None:
    with socket(client) as live:
        live.send_text(json.dumps({**HELLO, "v": 99}))
        assert "load it again" in json.loads(live.receive_text())["text"]


@pytest.mark.parametrize("tab", ["../../etc", "x", None])
def test_a_bad_tab_id_is_refused(client: Any, tab: Any) -> None:
    with socket(client) as live:
        live.send_text(json.dumps({**HELLO, "tab": tab}))
        assert json.loads(live.receive_text())["type"] == "error"


# Tabs


def test_two_tabs_have_two_scenes(client: Any) -> None:
    with socket(client) as one, socket(client) as two:
        greeting(one)
        greeting(two, {**HELLO, "tab": "tab-two-2"})
        one.send_text(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}}))
        assert until(one, "state")["undo"] == 1
        two.send_text(json.dumps({"type": "cmd", "name": "mirror"}))
        state = until(two, "state")
        assert state["undo"] == 1
        assert "pin LeftHand" not in [g["id"] for g in state["goals"]]


def test_a_tab_that_comes_back_finds_its_scene_and_ends_the_old_socket(client: Any) -> None:
    with socket(client) as one:
        greeting(one)
        one.send_text(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}}))
        until(one, "state")
        with socket(client) as again:
            _, state = greeting(again)
            assert "pin LeftHand" in [g["id"] for g in state["goals"]]
            with pytest.raises(WebSocketDisconnect) as closed:
                until(one, "nothing")
            assert closed.value.code == REPLACED


def test_pages_that_are_opened_and_closed_quickly_find_a_place(client: Any) -> None:
    for k in range(MOST_TABS + 4):
        with socket(client) as live:
            assert greeting(live, {**HELLO, "tab": f"tab-number-{k}"})[0]["type"] == "scene"


def test_bad_messages_are_answered_and_the_socket_stays_open(client: Any) -> None:
    with socket(client) as live:
        greeting(live)
        for text in ("", "{", "[1]", '{"type": "fly"}', '{"type": "drag", "s": 1, "p": [NaN, 0, 0]}', "x" * 70_000):
            live.send_text(text)
            assert until(live, "error")["text"]
        live.send_bytes(b"abc")
        assert "text" in until(live, "error")["text"]
        live.send_text(json.dumps({"type": "cmd", "name": "undo"}))
        assert until(live, "state")["undo"] == 0


def test_a_fault_in_a_command_does_not_end_the_connection(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise ZeroDivisionError

    with socket(client) as live:
        greeting(live)
        monkeypatch.setattr(Session, "_on_library", fails)
        live.send_text(json.dumps({"type": "library", "action": "list"}))
        assert "ZeroDivisionError" in until(live, "error")["text"]
        live.send_text(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}}))
        assert until(live, "state")["undo"] == 1


def test_slow_work_of_some_tabs_does_not_hold_up_the_others(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slow(*_: Any) -> tuple[str, bytes]:
        assert go_on.wait(30)
        return "a.bvh", b""

    monkeypatch.setattr(downloads, "exported", slow)
    with socket(client) as live, ThreadPoolExecutor(12) as pool:
        greeting(live)
        sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
        ask = {"tab": "tab-one-1", "kind": "bvh"}
        waiting = [pool.submit(client.post, "/export", params=ask, headers=sent) for _ in range(12)]
        try:
            with socket(client) as other:
                assert greeting(other, {**HELLO, "tab": "tab-two-2"})[0]["type"] == "scene"
            assert not any(one.done() for one in waiting)
        finally:
            go_on.set()
        assert [one.result().status_code for one in waiting] == [200] * 12


def test_a_drag_that_misses_is_explained_by_itself(client: Any) -> None:
    at = HUMAN.placements(HUMAN.rest, ["RightHand"])[0][:3, 3]
    with socket(client) as live:
        greeting(live)
        live.send_text(json.dumps({"type": "grab", "segment": "RightHand", "p": at.tolist()}))
        for k in range(1, 11):
            p = [x + 0.1 * k * move for x, move in zip(at.tolist(), (0.2, 0.3, 1.2), strict=True)]
            live.send_text(json.dumps({"type": "drag", "s": k, "p": p, "ts": 1.0}))
        assert until(live, "why")["sentences"]
        live.send_text(json.dumps({"type": "release"}))
        assert until(live, "state")["undo"] == 1


# The boxes


def test_the_newest_drag_wins_and_order_is_kept() -> None:
    inbox = Inbox()
    for message in ({"type": "drag", "s": 1}, {"type": "drag", "s": 2}, {"type": "cmd"}, {"type": "drag", "s": 3}):
        assert inbox.put(message)
    taken = [inbox.take() for _ in range(4)]
    assert taken == [{"type": "drag", "s": 2}, {"type": "cmd"}, {"type": "drag", "s": 3}, None]
    assert not all(inbox.put({"type": "cmd"}) for _ in range(1000))


def test_a_slow_page_gets_all_texts_and_the_newest_pose() -> None:
    import asyncio

    async def run() -> list[Any]:
        outbox = Outbox()
        assert not outbox.full
        outbox.put([b"1", "a", b"2", "b", b"3"])
        return [await outbox.next() for _ in range(3)]

    assert asyncio.run(run()) == ["a", "b", b"3"]
