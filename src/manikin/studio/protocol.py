"""The messages between the page and the server. Text is JSON; poses are binary, little-endian.

To the server:
    hello    v, tab, token                the first message; the tab keeps its id when it connects again
    grab     segment, p, tool, frame      tool: "move", "turn", or "target" with a goal instead of a segment;
                                          frame: the frame of the motion that is grabbed
    drag     s, p, ts, r                  s counts up, ts is the time of the mouse event, r an orientation
    release  pin
    cmd      name, args                   a command, or undo, redo, save
    view     camera, looks_at, theme, …   not undone
    clip     first, count                 frames of the motion that the page needs
    library  action, name, …              list, save, use, rename, delete or restore a pose on disk
    compare  methods, start, drag         the same targets by several methods; drag: segment, offset and target
    open     figure                       a built-in figure, or an example of the chapter

To the page:
    scene    the figure and its solids    once, and after another figure was opened
    state    goals, keys, steps of undo   after each command
    held     names and tolerances         after a grab, in the order of the errors of its poses
    why      sentences and changes        some time after a drag missed its target
    library  names, rows                  the poses on disk that fit the figure, after each library message
    compare  runs                         curves and poses of each method
    error    text                         one line
    pose     binary: 1, s, ts, milliseconds, number of errors; errors; centre of mass; a row for each segment
    clip     binary: 2, version of the motion, first frame, frames, segments; a row for each frame and segment
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np

from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.studio.shapes import pose_rows

VERSION = 1
"""Version of the messages. The page and the server must have the same."""
MOST_TEXT = 64 * 1024
"""Longest text message, in bytes."""
LONGEST_ERROR = 1000
"""Largest number of characters of an error that the page shows."""
DEEPEST = 20
"""Largest number of lists and objects that lie in each other in a message. Those of the page have at most 6."""
FARTHEST = 1e3
"""A point is at most this far from the origin, in sizes of the figure."""
HEADER = struct.Struct("<IIdfI")
POSE, CLIP = 1, 2
"""The kinds of binary messages: a pose, and frames of a motion."""
CLIP_HEADER = struct.Struct("<IIIII")
"""Kind, version of the motion, first frame, frames, segments."""
KINDS = ("hello", "grab", "drag", "release", "cmd", "view", "clip", "library", "compare", "open")
"""Messages to the server."""


def parsed(text: str | bytes) -> dict[str, Any]:
    """A message to the server.

    Raises:
        BadValue: it is too long or too deep, is not a JSON object, has a number that is not finite, or has an unknown
            type.
    """
    if len(text) > MOST_TEXT:
        raise BadValue(f"the message has {len(text)} bytes; at most {MOST_TEXT} are read")
    try:
        data = json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise BadValue(f"the message is not JSON: {error}") from error
    if deeper_than(data, DEEPEST):
        raise BadValue(f"the message has more than {DEEPEST} lists and objects in each other; that is the most")
    kind = data.get("type") if isinstance(data, dict) else None
    if kind not in KINDS:
        raise BadValue(f"the message has type {kind!r}; it must be one of {', '.join(KINDS)}")
    return data  # type: ignore[no-any-return]


def point_of(figure: Figure, message: dict[str, Any]) -> Vector:
    """The point (3,) of a message.

    Raises:
        BadValue: it is not three finite numbers, or too far away.
    """
    numbers: Any = message.get("p")
    most = FARTHEST * figure.size
    good = isinstance(numbers, list) and len(numbers) == 3
    if not good or not all(type(x) in (int, float) and -most <= x <= most for x in numbers):
        raise BadValue(f"p is {str(numbers)[:80]}; it needs three numbers within {FARTHEST:g} sizes of the figure")
    return np.array(numbers, dtype=np.float64)


def pose_message(
    figure: Figure, pose: Vector, errors: Vector, *, serial: int = 0, stamp: float = 0.0, seconds: float = 0.0
) -> bytes:
    """A pose for the page. `serial` is the drag that it answers; 0 if it answers none."""
    center = figure.center_of_mass(pose) if figure.mass > 0.0 else np.zeros(3)
    head = HEADER.pack(POSE, serial, stamp, 1e3 * seconds, len(errors))
    numbers = [np.asarray(x, dtype="<f4").tobytes() for x in (errors, center, pose_rows(figure, pose))]
    return head + b"".join(numbers)


def kind_of(message: bytes) -> int:
    """The kind of a binary message: its first number."""
    return int.from_bytes(message[:4], "little")


def text_message(kind: str, **values: Any) -> str:
    """A text message for the page."""
    return json.dumps({"type": kind, **values}, allow_nan=False, separators=(",", ":"))


def error_message(text: str) -> str:
    """An error for the page: one line, and not longer than someone reads."""
    line = " ".join(text.split())
    return text_message("error", text=line if len(line) <= LONGEST_ERROR else f"{line[:LONGEST_ERROR]} …")


def deeper_than(data: Any, levels: int) -> bool:
    """Whether plain data has more than some levels of lists and objects in each other."""
    layer = [data]
    for _ in range(levels + 1):
        within = [x.values() if isinstance(x, dict) else x for x in layer if isinstance(x, dict | list)]
        layer = [value for values in within for value in values]
        if not within:
            return False
    return True


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def _whole(text: str) -> int | float:
    """A whole number. One of more than 64 bits is a float, as it is for the page."""
    return int(text) if len(text) < 19 else _finite(text)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")
