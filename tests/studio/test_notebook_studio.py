"""mk.open_studio: the page in a notebook, and the pose that comes back from it."""

from __future__ import annotations

import contextlib
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadValue

pytest.importorskip("uvicorn")
websockets = pytest.importorskip("websockets.sync.client")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path))
    opened = mk.open_studio(mk.human())
    yield opened
    opened.close()


@contextlib.contextmanager
def connected(session: Any) -> Iterator[Any]:
    where, _, token = session.address.partition("#")
    host = where.split("//")[1].strip("/")
    with websockets.connect(f"ws://{host}/ws", origin=f"http://{host}") as live:
        live.send(json.dumps({"type": "hello", "v": 1, "tab": "tab-notebook", "token": token}))
        yield live


def until(live: Any, kind: str) -> dict[str, Any]:
    while True:
        message = live.recv(timeout=120)
        if isinstance(message, str) and json.loads(message)["type"] == kind:
            return json.loads(message)  # type: ignore[no-any-return]


def test_the_pose_comes_back(session: Any) -> None:
    figure = mk.human()
    assert np.array_equal(session.pose, figure.rest)
    assert not session.scene
    with connected(session) as live:
        until(live, "state")
        hand = figure.placements(figure.rest, ["RightHand"])[0][:3, 3]
        live.send(json.dumps({"type": "grab", "segment": "RightHand", "p": hand.tolist()}))
        live.send(json.dumps({"type": "drag", "s": 1, "p": (hand + np.array([0.0, 0.1, 0.1])).tolist(), "ts": 0}))
        until(live, "held")
        live.send(json.dumps({"type": "release"}))
        until(live, "state")
    assert not np.array_equal(session.pose, figure.rest)
    assert session.scene.goals


def test_only_pages_of_this_machine_may_frame_it(session: Any) -> None:
    with urllib.request.urlopen(session.address.partition("#")[0]) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors http://127.0.0.1:* http://localhost:* http://[::1]:*" in policy
    assert session.address in session._repr_html_()
    assert "Studio at http://127.0.0.1" in repr(session)
    assert session.address.partition("#")[2] not in repr(session)


def test_a_remote_kernel_says_what_to_do(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ssh -L" not in session._repr_html_()
    monkeypatch.setenv("JUPYTERHUB_USER", "me")
    assert "ssh -L" in session._repr_html_()


def test_a_closed_studio_does_not_answer(session: Any) -> None:
    session.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(session.address.partition("#")[0], timeout=120)
    assert "closed" in session._repr_html_()


def test_a_first_pose_and_bad_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIKIN_STATE", str(tmp_path))
    animal = mk.quadruped()
    pose = animal.clamp(animal.integrate(animal.rest, np.full(animal.nv, 0.01)))
    opened = mk.open_studio(animal, pose)
    try:
        assert np.allclose(opened.pose, pose)
    finally:
        opened.close()
    with pytest.raises(BadValue, match="it needs a Figure"):
        mk.open_studio("human")  # type: ignore[arg-type]
