"""What a tab of the studio finds after its server was killed. No browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from studio_client import HELLO

from manikin.studio.state import StateFolder

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
listener.listen()
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
        # the server tells its port when it listens, so that a connection waits until it is answered
        return client.connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}", open_timeout=120)

    def said(live: Any, kind: str) -> dict[str, Any]:
        while True:
            message = live.recv(timeout=120)
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
