"""A client for tests of the studio's server: no browser and no port."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import manikin as mk
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene
from manikin.studio.state import StateFolder
from manikin.studio.tabs import Tabs

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from manikin.studio.app import Address, make_app

TOKEN, HOST = "a-very-secret-token-1", "127.0.0.1:8770"
ORIGIN = f"http://{HOST}"
HUMAN = mk.human()
HELLO = {"type": "hello", "v": 1, "tab": "tab-one-1", "token": TOKEN}


def first() -> tuple[StudioScene, mk.Figure]:
    return StudioScene.begin(FigureSource("builtin", "human"), HUMAN), HUMAN


def client_of(folder: Path) -> Any:
    """A client of a server whose state is in `folder`; `tabs` are those of the server."""
    tabs = Tabs(StateFolder(folder), first)
    app = make_app(tabs, Address("127.0.0.1", 8770), TOKEN)
    made = TestClient(app, base_url=ORIGIN)
    made.tabs = tabs  # type: ignore[attr-defined]
    return made


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
