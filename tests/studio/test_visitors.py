"""Connections to the server of the studio that show no token: they end by themselves, and keep nobody out.

The tests use sockets on loopback. They wait for events, and never measure time: a limit of time is either so small that
it is over soon, or so large that it is never over.
"""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from studio_client import HELLO, TOKEN, first

from manikin.errors import BadValue
from manikin.studio import live, uploads
from manikin.studio.app import Address, make_app
from manikin.studio.serve import bound, server_of
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs
from manikin.studio.visitors import Limits

websockets = pytest.importorskip("websockets.sync.client")


LONG, SOON = 3600.0, 0.2
"""Seconds: never over in a test, and over soon."""
PATIENCE = 60.0
"""Seconds after which a test gives up on a socket that stays open."""


@contextlib.contextmanager
def served(folder: Path, **limits: float) -> Iterator[int]:
    """A server on loopback with some limits; gives its port."""
    listener = bound("127.0.0.1", 0)
    port = listener.getsockname()[1]
    listener.listen()
    long = {"request": LONG, "answer": LONG}
    app = make_app(
        Tabs(StateFolder(folder), first), Address("127.0.0.1", port), TOKEN, limits=Limits(**{**long, **limits})
    )
    server = server_of(app)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def silent(port: int, sent: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), PATIENCE)
    made.sendall(sent)
    return made


def rest(stranger: socket.socket) -> bytes:
    """What a connection is sent until the server ends it."""
    out = b""
    with stranger, contextlib.suppress(ConnectionResetError):
        while block := stranger.recv(1 << 16):
            out += block
    return out


def forever(stranger: socket.socket, data: bytes) -> None:
    """Sends the same again and again, and reads nothing."""
    while True:
        stranger.sendall(data)


def page(port: int) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
        data: bytes = answer.read()
    return data


@contextlib.contextmanager
def tab(port: int) -> Iterator[Any]:
    where, origin = f"ws://127.0.0.1:{port}/ws", f"http://127.0.0.1:{port}"
    with websockets.connect(where, origin=origin, open_timeout=PATIENCE) as made:
        made.send(json.dumps(HELLO))
        assert json.loads(made.recv(PATIENCE))["type"] == "scene"
        yield made


def pins(tab: Any, segment: str) -> None:
    tab.send(json.dumps({"type": "cmd", "name": "pin", "args": {"segment": segment}}))
    while True:
        message = tab.recv(PATIENCE)
        if isinstance(message, str) and f"pin {segment}" in message:
            return


UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HEAD = "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
POST = "POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Length: 9\r\n"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("", ""),  # nothing
        ("GET / HT", "408"),  # half a first line
        (HEAD, "408"),  # half of the headers
        (f"{HEAD}\r\n{HEAD}", "200"),  # a request, and half of the next one
        (f"{POST}\r\nhalf", "401"),  # a body that does not end; nobody reads it without the token
        (UPGRADE, "101"),  # a socket that does not show the token
        (UPGRADE + "\x81", "101"),  # a socket with half a message
    ],
)
def test_who_sends_half_of_something_is_not_waited_for(sent: str, said: str, tmp_path: Path) -> None:
    with served(tmp_path, request=SOON, answer=SOON) as port:
        answer = rest(silent(port, sent.replace("{port}", str(port)).encode("latin-1")))
    assert answer.startswith(f"HTTP/1.1 {said}".encode() if said else b"")
    if said == "408":
        assert answer.endswith(b"the request did not come within 0.2 s\n")
    assert bool(answer) == bool(said)


CHUNKS = POST.replace("Content-Length: 9", "Transfer-Encoding: chunked") + "\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        [CHUNKS + "no length\r\n"],  # the rest is damaged before the answer
        [CHUNKS, "no length\r\n"],  # after the answer
        [UPGRADE, "\x81\x84abcd" + "".join(chr(ord(c) ^ 0xFF) for c in "abcd")],  # a text that is not UTF-8
    ],
)
def test_damaged_requests_end_without_a_word_on_the_terminal(
    parts: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path) as port:
        first_part, *others = (part.replace("{port}", str(port)).encode("latin-1") for part in parts)
        stranger = silent(port, first_part)
        for part in others:
            stranger.recv(1 << 16)
            stranger.sendall(part)
        rest(stranger)
    assert "Traceback" not in capfd.readouterr().err
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_one_byte_after_the_other_gives_no_more_time(tmp_path: Path) -> None:
    with served(tmp_path, request=SOON) as port, silent(port, b"GET / HTTP/1.1\r\n") as slow:
        ended = threading.Event()

        def trickle() -> None:
            with contextlib.suppress(OSError):
                while not ended.is_set():
                    slow.sendall(b"x")
                    ended.wait(0.01)

        sender = threading.Thread(target=trickle)
        sender.start()
        try:
            assert b"408" in rest(slow)[:20]
        finally:
            ended.set()
            sender.join()


def test_an_answer_that_nobody_reads_is_not_kept(tmp_path: Path) -> None:
    """The answer is larger than what the system holds for a connection, so most of it waits in the server."""
    with served(tmp_path, answer=SOON, request=SOON) as port:
        asked = HEAD.replace("{port}", str(port)).replace("GET /", "GET /big").encode() + b"\r\n"
        with silent(port) as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.sendall(asked * 40)
            with pytest.raises(ConnectionError):  # and no timeout
                forever(lazy, asked)


@pytest.mark.parametrize("sent", ["", "GET / HT", HEAD, f"{POST}\r\nhalf", UPGRADE])
def test_strangers_never_keep_the_owner_of_the_token_out(sent: str, tmp_path: Path) -> None:
    """Without a limit of time, ten times as many connections come as the server keeps."""
    with served(tmp_path, connections=20, of_address=10) as port, contextlib.ExitStack() as stack:
        with tab(port) as owner:
            text = sent.replace("{port}", str(port)).encode()
            crowd = [stack.enter_context(silent(port, text)) for _ in range(200)]
            assert b"<html" in page(port).lower()
            pins(owner, "LeftHand")  # a connection with the token never makes room
            rest(crowd[0])  # the oldest one did
        with tab(port) as owner:
            pins(owner, "RightHand")


def test_the_owner_is_served_although_a_crowd_takes_all_files_that_a_process_may_open(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(served(tmp_path))
        # The crowd is in this process too, so its own files count.
        resource.setrlimit(resource.RLIMIT_NOFILE, (600, before[1]))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        crowd = [stack.enter_context(silent(port)) for _ in range(350)]
        assert b"<html" in page(port).lower()
        pins(stack.enter_context(tab(port)), "RightHand")
        rest(crowd[0])


def test_other_addresses_keep_their_connections(tmp_path: Path) -> None:
    """An address that has too many connections makes room for itself."""
    with served(tmp_path, connections=20, of_address=5) as port, contextlib.ExitStack() as stack:
        other = stack.enter_context(socket.socket())
        other.settimeout(PATIENCE)
        other.bind(("127.0.0.2", 0))
        other.connect(("127.0.0.1", port))
        crowd = [stack.enter_context(silent(port)) for _ in range(50)]
        rest(crowd[0])
        other.sendall(HEAD.replace("{port}", str(port)).encode() + b"Connection: close\r\n\r\n")
        assert rest(other).startswith(b"HTTP/1.1 200")


def test_an_upload_that_stops_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "STALLED", SOON)
    with served(tmp_path, request=SOON, answer=SOON) as port, tab(port):
        head = POST.replace("/upload", f"/upload?tab={HELLO['tab']}&name=a.bvh").replace("{port}", str(port))
        answer = rest(silent(port, f"{head}Authorization: Bearer {TOKEN}\r\n\r\nhalf".encode()))
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"the upload stopped: nothing came for 0.2 s" in answer
    assert not list((tmp_path / "files").iterdir())


def test_a_tab_with_the_token_may_be_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of strangers are over long before the tab says anything."""
    monkeypatch.setattr(live, "GREETING", LONG)
    with served(tmp_path, request=SOON, answer=SOON) as port, tab(port) as owner:
        for _ in range(3):
            rest(silent(port))
        pins(owner, "LeftHand")


def test_headers_have_a_largest_size(tmp_path: Path) -> None:
    with served(tmp_path) as port:
        with contextlib.suppress(OSError):
            made = silent(port, b"GET / HTTP/1.1\r\nX: " + b"y" * 2**20)
            answer = rest(made)
            assert not answer or answer.startswith(b"HTTP/1.1 400")
        assert b"<html" in page(port).lower()


def test_a_forwarded_address_is_not_believed(tmp_path: Path) -> None:
    """A header that names another address would give its sender the places of that address."""
    with served(tmp_path, answer=SOON) as port, tab(port) as owner:
        forged = f"{HEAD}X-Forwarded-For: 9.9.9.9\r\nConnection: close\r\n\r\n".replace("{port}", str(port))
        assert rest(silent(port, forged.encode())).startswith(b"HTTP/1.1 200")
        pins(owner, "LeftHand")


def test_limits_are_above_zero() -> None:
    with pytest.raises(BadValue, match="of_address is 0"):
        Limits(of_address=0)
