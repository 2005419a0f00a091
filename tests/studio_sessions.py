"""Sessions of the studio without a server, for tests: messages in, messages out."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session

HUMAN = mk.human()


def new(folder: Path, file: Path | None = None) -> Session:
    scene = StudioScene.begin(FigureSource("builtin", "human"), HUMAN)
    return Session(Journal.begin(folder / "a.journal", scene, HUMAN), file)


def texts(messages: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(m) for m in messages if isinstance(m, str)]


def state(messages: list[Any]) -> dict[str, Any]:
    return next(m for m in texts(messages) if m["type"] == "state")


def rows(message: bytes) -> tuple[tuple[Any, ...], Any]:
    head = struct.unpack_from("<IIdfI", message)
    numbers = np.frombuffer(message, "<f4", offset=24 + 4 * head[4])
    return head, numbers[3:].reshape(-1, 7)


def at(segment: str, pose: Any = None) -> list[float]:
    numbers: list[float] = HUMAN.placements(HUMAN.rest if pose is None else pose, [segment])[0][:3, 3].tolist()
    return numbers


def grab(session: Session, segment: str, move: Any, frames: int = 10) -> list[Any]:
    session.receive({"type": "grab", "segment": segment, "p": at(segment)})
    for k in range(1, frames + 1):
        p = (np.array(at(segment)) + np.array(move) * k / frames).tolist()
        out = session.receive({"type": "drag", "s": k, "p": p, "ts": 5.0})
    return out
