"""The server of the studio: who may talk to it, what it refuses, and what a tab finds after a crash. No browser."""

from __future__ import annotations

import base64
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import data_file

import manikin as mk
from manikin.errors import BadFile
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session
from manikin.studio.state import StateFolder
from manikin.studio.tabs import MOST_TABS, Tabs

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from manikin.studio import downloads, uploads
from manikin.studio.app import Address, make_app
from manikin.studio.live import NO_TOKEN, REPLACED, Inbox, Outbox

TOKEN, HOST = "a-very-secret-token-1", "127.0.0.1:8770"
ORIGIN = f"http://{HOST}"
HUMAN = mk.human()
HELLO = {"type": "hello", "v": 1, "tab": "tab-one-1", "token": TOKEN}


def first() -> tuple[StudioScene, mk.Figure]:
    return StudioScene.begin(FigureSource("builtin", "human"), HUMAN), HUMAN


@pytest.fixture
def client(tmp_path: Path) -> Any:
    tabs = Tabs(StateFolder(tmp_path), first)
    app = make_app(tabs, Address("127.0.0.1", 8770), TOKEN)
    with TestClient(app, base_url=ORIGIN) as made:
        made.tabs = tabs  # type: ignore[attr-defined]
        yield made


def socket(client: Any, **headers: str) -> Any:
    return client.websocket_connect("/ws", headers={"host": HOST, "origin": ORIGIN, **headers})


def greeting(live: Any, hello: Any = HELLO) -> tuple[dict[str, Any], dict[str, Any]]:
    live.send_text(json.dumps(hello))
    scene, state = json.loads(live.receive_text()), json.loads(live.receive_text())
    live.receive_bytes()
    return scene, state


def until(live: Any, kind: str) -> dict[str, Any]:
    while True:
        message = live.receive()
        if message["type"] == "websocket.close":
            raise WebSocketDisconnect(message["code"])
        if message.get("text"):
            data: dict[str, Any] = json.loads(message["text"])
            if data["type"] == kind:
                return data


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


# Uploads

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Spine
 {
  OFFSET 0 10 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 10 0
  }
 }
}
MOTION
Frames: 1
Frame Time: 0.033
0 0 0 0 0 0 0 0 0
"""


def post(client: Any, data: bytes, name: str = "a.bvh", tab: str = "tab-one-1", **headers: str) -> Any:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN, **headers}
    return client.post("/upload", params={"tab": tab, "name": name}, content=data, headers=sent)


def test_an_uploaded_figure_is_shown_and_comes_back_after_a_restart(client: Any, tmp_path: Path) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode()).json()["segments"] >= 2
        scene = until(live, "scene")
        assert [s["name"] for s in scene["segments"]][:2] == ["Hips", "Spine"]
        assert not until(live, "state")["keys"]
        live.send_text(json.dumps({"type": "cmd", "name": "key", "args": {"frame": 3}}))
        assert until(live, "state")["keys"]
    again, note = Tabs(StateFolder(tmp_path), first).open("tab-one-1")
    assert not note
    assert again.scene.keys[0].frame == 3
    assert again.figure.segment_names[:2] == ("Hips", "Spine")


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"this is no figure", "a.bvh", 400),
        (b"glTF\x02\x00\x00\x00", "a.glb", 400),
        (b"", "a.bvh", 400),
        (BVH.encode()[:200], "a.bvh", 400),
        (b"MZ", "a.exe", 415),
        (b"x", "../../a", 415),
    ],
)
def test_a_broken_upload_is_one_line_and_changes_nothing(client: Any, data: bytes, name: str, code: int) -> None:
    with socket(client) as live:
        greeting(live)
        answer = post(client, data, name)
        assert answer.status_code == code
        error = answer.json()["error"]
        assert "\n" not in error
        assert str(client.tabs.state.path) not in error
        assert client.tabs.session("tab-one-1").scene.source.name == "human"
        assert not list(client.tabs.state.files.iterdir())  # nothing of it is kept


def test_a_broken_upload_of_a_known_file_does_not_take_it_away(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode()).status_code == 200
        kept = list(client.tabs.state.files.iterdir())

        def fails(path: Path) -> Any:
            raise BadFile(path, "no memory left")

        monkeypatch.setattr(uploads, "read_figure", fails)
        assert post(client, BVH.encode()).json()["error"] == "a.bvh: no memory left"
        assert list(client.tabs.state.files.iterdir()) == kept


def test_who_may_upload(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert post(client, b"x").status_code == 409  # no session
    with socket(client) as live:
        greeting(live)
        assert post(client, BVH.encode(), authorization="Bearer wrong").status_code == 401
        assert post(client, BVH.encode(), authorization="").status_code == 401
        assert post(client, BVH.encode(), origin="http://evil.example").status_code == 403
        assert post(client, BVH.encode(), host="evil.example:8770").status_code == 403
        monkeypatch.setattr(uploads, "MOST_BYTES", 100)
        assert post(client, BVH.encode()).status_code == 413
        assert (
            client.post(
                "/upload",
                params={"tab": "tab-one-1", "name": "a.bvh"},
                content=iter([b"x" * 80, b"y" * 80]),
                headers={"authorization": f"Bearer {TOKEN}", "origin": ORIGIN},
            ).status_code
            == 413
        )
        assert not list(client.tabs.state.files.glob("*.part"))


def moving(frames: int = 3) -> bytes:
    """The BVH file with a clip of some frames."""
    rows = "".join(f"{k} 0 0 0 0 0 0 0 0\n" for k in range(frames))
    return BVH.replace("Frames: 1", f"Frames: {frames}").replace("0 0 0 0 0 0 0 0 0\n", rows).encode()


def test_a_file_with_a_motion_brings_its_clip_along(client: Any) -> None:
    with socket(client) as live:
        greeting(live)
        assert post(client, moving(), "Jump.bvh").status_code == 200
        shown = until(live, "state")
        assert shown["timeline"]["clip"] == "Jump.bvh"
        assert shown["timeline"]["frames"] == 3
        live.send_text(json.dumps({"type": "clip", "first": 0, "count": 128}))
        message = b""
        while message[:4] != b"\x02\0\0\0":
            message = live.receive().get("bytes") or b""
        rows = np.frombuffer(message, "<f4", offset=20).reshape(3, -1, 7)
        assert rows[:, 0, 0].tolist() == [0.0, 1.0, 2.0]


def test_a_clip_that_does_not_fit_is_refused_in_one_line(client: Any) -> None:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
    with socket(client) as live:
        greeting(live)
        where = {"tab": "tab-one-1", "name": "a.bvh", "as": "clip"}
        answer = client.post("/upload", params=where, content=moving(), headers=sent)
        assert answer.status_code == 400
        assert "\n" not in answer.json()["error"]
        assert client.tabs.session("tab-one-1").scene.clip is None


def export(client: Any, kind: str, tab: str = "tab-one-1", **headers: str) -> Any:
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN, **headers}
    return client.post("/export", params={"tab": tab, "kind": kind}, headers=sent)


def test_exports_need_the_token_and_get_a_safe_name(client: Any) -> None:
    assert export(client, "bvh").status_code == 409
    with socket(client) as live:
        greeting(live)
        live.send_text(json.dumps({"type": "cmd", "name": "rename", "args": {"name": '../"x\r\ny'}}))
        until(live, "state")
        answer = export(client, "bvh")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == 'attachment; filename="x_y.bvh"'
        assert answer.content.startswith(b"HIERARCHY")
        assert export(client, "exe").status_code == 400
        assert export(client, "bvh", authorization="Bearer wrong").status_code == 401
        assert export(client, "bvh", origin="http://evil.example").status_code == 403
        assert client.get("/export", params={"tab": "tab-one-1", "kind": "bvh"}).status_code in (404, 405)


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_a_gltf_with_its_files_in_a_zip_is_drawn_with_its_skin(client: Any) -> None:
    path = data_file("gltf/SimpleSkin.gltf")
    root = json.loads(path.read_bytes())
    raw = base64.b64decode(root["buffers"][0]["uri"].split(",")[1])
    root["buffers"][0]["uri"] = "parts/a.bin"
    files = {"model/a.gltf": json.dumps(root).encode(), "model/parts/a.bin": raw}
    sent = {"authorization": f"Bearer {TOKEN}", "origin": ORIGIN}
    with socket(client) as live:
        greeting(live)
        assert client.post("/skin", params={"tab": "tab-one-1"}, headers=sent).status_code == 404
        answer = post(client, zipped({f"{k:03}.txt": b"" for k in range(3)} | files), "a.zip")
        assert answer.status_code == 200, answer.text
        assert until(live, "scene")["skin"] is True
        skin = client.post("/skin", params={"tab": "tab-one-1"}, headers=sent)
        assert skin.status_code == 200
        assert skin.content[:4] == b"glTF"
        assert client.post("/skin", params={"tab": "tab-one-1"}).status_code == 403
        sent["authorization"] = "Bearer x"
        assert client.post("/skin", params={"tab": "tab-one-1"}, headers=sent).status_code == 401


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../a.gltf": b"{}"}, "leads out of it"),
        ({"/a.gltf": b"{}"}, "leads out of it"),
        ({"a.txt": b""}, "has 0 .gltf files"),
        ({"a.gltf": b"{}", "b.gltf": b"{}"}, "has 2 .gltf files"),
        ({"a.gltf": b"{}"}, "asset"),
        ({f"{k}.txt": b"" for k in range(1001)}, "too large"),
    ],
)
def test_odd_archives_are_refused(client: Any, files: dict[str, bytes], message: str) -> None:
    with socket(client) as live:
        greeting(live)
        answer = post(client, zipped(files), "a.zip")
        assert answer.status_code == 400
        assert message in answer.json()["error"]
        assert post(client, b"PK\x03\x04 no archive", "a.zip").status_code == 400
        assert not list(client.tabs.state.files.iterdir())


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_in_one_line(client: Any, how: int) -> None:
    rng = np.random.default_rng(how)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        archive.writestr("a.gltf", b"{}")
        archive.writestr("a.bin", rng.bytes(300) + bytes(3000))
    with socket(client) as live:
        greeting(live)
        for _ in range(25):
            data = bytearray(packed.getvalue())
            for at in rng.integers(0, len(data), 2):
                data[at] ^= 1 << int(rng.integers(0, 8))
            answer = post(client, bytes(data), "a.zip")
            assert answer.status_code == 400
            assert answer.json()["error"].startswith("a.zip")
        assert not list(client.tabs.state.files.iterdir())


# A crash

SERVER = """
import sys
import uvicorn
from pathlib import Path
import manikin as mk
from manikin.studio.app import Address, make_app
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs
import socket
state, port = StateFolder(Path(sys.argv[1])), int(sys.argv[2])
figure = mk.human()
tabs = Tabs(state, lambda: (StudioScene.begin(FigureSource("builtin", "human"), figure), figure))
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
port = listener.getsockname()[1]
app = make_app(tabs, Address("127.0.0.1", port), state.token(port))
print(port, flush=True)
config = uvicorn.Config(app, log_level="error", ws="websockets-sansio", ws_per_message_deflate=False)
uvicorn.Server(config).run([listener])
"""


def test_after_kill_9_the_tab_goes_on_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    client = pytest.importorskip("websockets.sync.client")

    def start(port: int) -> tuple[Any, int]:
        arguments = [sys.executable, "-c", SERVER, str(tmp_path), str(port)]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=os.environ.copy())
        assert process.stdout is not None
        return process, int(process.stdout.readline())

    def connect(port: int) -> Any:
        for _ in range(100):
            try:
                return client.connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}")
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def said(live: Any, kind: str) -> dict[str, Any]:
        while True:
            message = live.recv(timeout=20)
            if isinstance(message, str) and json.loads(message)["type"] == kind:
                found: dict[str, Any] = json.loads(message)
                return found

    process, port = start(0)
    try:
        token = StateFolder(tmp_path).token(port)
        hello = json.dumps({**HELLO, "token": token})
        with connect(port) as live:
            live.send(hello)
            said(live, "state")
            live.send(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": "LeftHand"}}))
            said(live, "state")
            live.send(json.dumps({"type": "cmd", "name": "aim", "args": {"segment": "Head", "target": [1, 1.5, 2]}}))
            before = said(live, "state")
            os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
        process, again = start(port)
        assert again == port
        with connect(port) as live:
            live.send(hello)  # the same token, the same tab
            after = said(live, "state")
            assert after == before
            live.send(json.dumps({"type": "cmd", "name": "undo"}))
            assert said(live, "state")["undo"] == 1
    finally:
        process.kill()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()
