"""The bytes of a C3D file with markers: Intel format, floating point."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manikin.errors import BadValue
from manikin.files.c3d.parameters import BLOCK, MARK
from manikin.files.common import oddities
from manikin.files.common.marker_words import word_of
from manikin.motion.markers import Markers
from manikin.motion.motion import is_even

INTEL = 84
WIDEST = 127
"""Longest label in bytes: LABELS with 255 of them still fits into one parameter that all programs read."""
LIST = 255
"""Largest number of texts in one parameter."""
LARGEST = 3.4e38
"""Larger positions, in units of the file, are refused, because C3D stores 32-bit numbers."""


def content(markers: Markers) -> bytes:
    """The whole file. Rate, unit and frame numbers are those of the markers.

    Raises:
        BadValue: the markers do not fit into a C3D file: more than 65535 markers, or names that are too long.
    """
    markers = even(markers, "C3D")
    frames, points = markers.positions.shape[:2]
    _check(markers)
    first = first_frame(markers)
    rate = markers.rate or 1.0
    scale = _scale(markers)
    parameters = b""
    for _ in range(2):  # the second pass knows the length of the parameters
        start = 2 + max(-(-len(parameters) // BLOCK), 1)
        parameters = _parameters(_groups(markers, frames, first, rate, scale, start))
    parameters = _padded(parameters)
    return b"".join([_header(points, frames, first, rate, scale, start), parameters, _padded(_data(markers, scale))])


def even(markers: Markers, format_name: str) -> Markers:
    """The markers at a constant rate. They are resampled with a warning if their frames are not evenly spaced."""
    rate = markers.rate
    count = len(markers)
    if count < 2 or rate is None:
        return markers
    if is_even(markers.times, 1.0 / rate) or is_even(markers.times, markers.duration / (count - 1)):
        return markers
    middle = float(1.0 / np.median(np.diff(markers.times)))
    oddities.warn(
        f"the frames of markers {markers.name!r} are not evenly spaced in time, which {format_name} requires; "
        f"they are resampled to {middle:.6g} frames per second"
    )
    return markers.resampled(middle)


def first_frame(markers: Markers) -> int:
    """The number of the first frame, from 1, computed from its time: frame 1 is at 0 s."""
    return max(round(float(markers.times[0]) * (markers.rate or 1.0)), 0) + 1


def _check(markers: Markers) -> None:
    owner = f"markers {markers.name!r}"
    if len(markers.names) > 65535:
        raise BadValue(f"{owner}: {len(markers.names)} markers are too many; C3D can store at most 65535")
    for name in markers.names:
        if len(name.encode()) > WIDEST:
            raise BadValue(f"{owner}: the name {name[:40]!r}… has more than {WIDEST} bytes, which is too long for C3D")
    if np.nanmax(np.abs(markers.positions), initial=0.0) > LARGEST:
        raise BadValue(f"{owner}: a position exceeds {LARGEST:g}, which does not fit into the 32 bits of C3D")


def _scale(markers: Markers) -> float:
    """The scale. It is negative, because words are floating point numbers. Residuals are multiples of it from 0 to
    255."""
    if markers.residuals is None or not np.isfinite(markers.residuals).any():
        return -0.01
    largest = float(np.nanmax(markers.residuals))
    return -max(float(np.float32(largest / 255.0)), 1e-6)


def _groups(
    markers: Markers, frames: int, first: int, rate: float, scale: float, start: int
) -> dict[str, dict[str, Any]]:
    """All parameters: texts, lists of texts, arrays of int16 and float32."""
    unit = markers.unit
    word = str(markers.source.get("units", "")) if unit is None else word_of(unit)
    if word is None:
        raise BadValue(
            f"markers {markers.name!r}: C3D has no name for a unit of {unit:g} m; save markers.in_metres() instead"
        )
    point: dict[str, Any] = {
        "USED": _word(len(markers.names)),
        "SCALE": np.float32(scale),
        "RATE": np.float32(rate),
        "DATA_START": _word(start),
        "FRAMES": _word(min(frames, 65535)),
        "UNITS": word,
    }
    screen = markers.source.get("screen", ("", ""))
    if markers.up is not None:
        aside = {"x": "+Y", "y": "+X", "z": "+X"}[markers.up]
        kept = screen[0] if screen[1].lower().lstrip("+") == markers.up else ""
        point["X_SCREEN"], point["Y_SCREEN"] = kept or aside, f"+{markers.up.upper()}"
    _listed(point, "LABELS", markers.names)
    told: Mapping[str, str] = markers.source.get("descriptions", {})
    _listed(point, "DESCRIPTIONS", [told.get(n, "") for n in markers.names])
    last = first + frames - 1
    groups: dict[str, dict[str, Any]] = {
        "POINT": point,
        "ANALOG": {"USED": _word(0)},
        "FORCE_PLATFORM": {"USED": _word(0)},
        "TRIAL": {"ACTUAL_START_FIELD": _halves(first), "ACTUAL_END_FIELD": _halves(last)},
        "MANUFACTURER": {"SOFTWARE": "manikin"},
    }
    events = markers.source.get("events", ())
    if events:
        groups["EVENT"] = _events(events)
    return groups


def _listed(group: dict[str, Any], name: str, texts: Sequence[str]) -> None:
    """Texts split into parameters of 255: LABELS, LABELS2, LABELS3 and so on."""
    for k in range(0, len(texts), LIST):
        group[f"{name}{k // LIST + 1}" if k else name] = [_cut(t, WIDEST) for t in texts[k : k + LIST]]


def _events(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    events = events[:LIST]
    times = np.array([divmod(max(float(e.get("time", 0.0)), 0.0), 60.0) for e in events], dtype=np.float32).T
    keys = (("CONTEXTS", "context"), ("LABELS", "label"), ("DESCRIPTIONS", "description"), ("SUBJECTS", "subject"))
    texts = {name: [_cut(str(e.get(key, "")), WIDEST) for e in events] for name, key in keys}
    return {"USED": _word(len(events)), "TIMES": times, **texts}


def _parameters(groups: Mapping[str, Mapping[str, Any]]) -> bytes:
    out = bytearray([1, MARK, 0, INTEL])
    for number, (group, named) in enumerate(groups.items(), start=1):
        out += _record(group, -number, b"\0")
        for name, value in named.items():
            out += _record(name, number, _value(value) + b"\0")
    out += b"\0\0"
    out[2] = min(-(-len(out) // BLOCK), 255)
    return bytes(out)


def _record(name: str, group: int, content: bytes) -> bytes:
    return struct.pack("<bb", len(name), group) + name.encode() + struct.pack("<H", len(content) + 2) + content


def _value(value: Any) -> bytes:
    """Type, dimensions and data of a parameter."""
    if isinstance(value, str):
        text = value.encode()
        return struct.pack("<bBB", -1, 1, len(text)) + text
    if isinstance(value, list):
        texts = [t.encode() for t in value]
        width = max(map(len, texts), default=0) or 1
        return struct.pack("<bBBB", -1, 2, width, len(texts)) + b"".join(t.ljust(width) for t in texts)
    array = np.asarray(value)
    kind, letter = (4, "<f4") if array.dtype.kind == "f" else (2, "<i2")
    return bytes([kind, array.ndim, *array.shape]) + array.astype(letter).flatten(order="F").tobytes()


def _header(points: int, frames: int, first: int, rate: float, scale: float, start: int) -> bytes:
    last = min(first + frames - 1, 65535)
    block = bytes([2, MARK]) + struct.pack("<HHHHH", points, 0, min(first, 65535), last, 0)
    return (block + struct.pack("<fHHf", scale, start, 0, rate)).ljust(BLOCK, b"\0")


def _data(markers: Markers, scale: float) -> bytes:
    frames, points = markers.positions.shape[:2]
    table = np.zeros((frames, points, 4), dtype="<f4")
    seen = markers.present
    table[..., :3] = np.where(seen[..., None], markers.positions, 0.0)
    residual = np.zeros((frames, points))
    if markers.residuals is not None:
        residual = np.clip(np.round(np.nan_to_num(markers.residuals) / -scale), 0, 255)
    cameras = np.zeros((frames, points)) if markers.cameras is None else markers.cameras & 0x7F
    table[..., 3] = np.where(seen, 256.0 * cameras + residual, -1.0)
    return table.tobytes()


def _halves(number: int) -> Any:
    """A 32-bit number as two words, the low one first."""
    return np.array([number & 0xFFFF, number >> 16], dtype=np.uint16).view(np.int16)


def _word(number: int) -> Any:
    return np.uint16(number).view(np.int16)


def _cut(text: str, most: int) -> str:
    """The text cut to a number of bytes without splitting a character."""
    return text.encode()[:most].decode(errors="ignore")


def _padded(data: bytes) -> bytes:
    return data.ljust(BLOCK * -(-len(data) // BLOCK), b"\0")
