"""Manikin's own format: a figure as JSON, without loss. (The module is not named `json`, to avoid a clash with
Python's.)

The record is `figure.to_dict()`, with one segment per line. The data of the original file (`figure.source`) is saved
with it; parts that are not plain data are left out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import record
from manikin.figure.figure import Figure
from manikin.files import atomic

MOST_BYTES = 256 * 2**20
"""Largest file that is read, in bytes."""
_WORDS = re.compile(rb'"(?:\\.|[^"\\])*"|(NaN|-?Infinity)', re.DOTALL)
"""Matches strings, and in its group the words that Python's reader accepts as numbers although JSON does not."""


def load_figure(path: str | os.PathLike[str]) -> Figure:
    """Reads the figure of a JSON file that `save` wrote.

    Raises:
        BadFile: the text is not JSON (the message names the line), or a value is wrong (it names the segment).
    """
    data = read(path)
    try:
        source = data.get("source", {}) if isinstance(data, Mapping) else {}
        if not isinstance(source, Mapping):
            raise BadValue(f"'source' is {type(source).__name__}; it must be an object")
        return Figure(**record.from_dict(data), source=source)
    except (ManikinError, TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise BadFile(path, str(error)) from error


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure as JSON."""
    if not isinstance(figure, Figure):
        raise BadValue(f"a JSON file stores a Figure, got {type(figure).__name__}")
    atomic.write(path, to_json(figure))


def to_json(figure: Figure) -> bytes:
    """The JSON file as UTF-8 text."""
    try:
        return _text(figure, escaped=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair in a name: JSON can represent it only as an escape
        return _text(figure, escaped=True).encode()


def _text(figure: Figure, escaped: bool) -> str:
    def dump(value: Any) -> str:
        return json.dumps(value, ensure_ascii=escaped, allow_nan=False)

    entries: list[str] = []
    for key, value in figure.to_dict().items():
        text = "[\n  " + ",\n  ".join(dump(s) for s in value) + "\n ]" if key == "segments" else dump(value)
        entries.append(f' "{key}": {text}')
    source = {k: v for k, v in figure.source.items() if isinstance(k, str) and _is_plain(v)}
    if source:
        lines = ",\n  ".join(f"{dump(k)}: {dump(v)}" for k, v in source.items())
        entries.append(f' "source": {{\n  {lines}\n }}')
    return "{\n" + ",\n".join(entries) + "\n}\n"


def read(path: str | os.PathLike[str]) -> Any:
    """Reads an untrusted JSON file: limited in size, without NaN and infinity.

    Raises:
        BadFile: the message names the line.
    """
    size = Path(path).stat().st_size
    if size > MOST_BYTES:
        raise BadFile(path, f"the file has {size:,} bytes; the limit is {MOST_BYTES:,}")
    raw = Path(path).read_bytes()

    def refuse(word: str) -> NoReturn:
        # Python does not report the position, so find the first such word outside of a string.
        found = next(m for m in _WORDS.finditer(raw) if m.group(1))
        line = raw[: found.start()].count(b"\n") + 1
        raise BadFile(path, f"{word} is not JSON; an infinite limit is written as the text 'inf'", line)

    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise BadFile(path, f"not JSON: {error.msg} at column {error.colno}", error.lineno) from None
    except UnicodeDecodeError as error:
        raise BadFile(path, "the text is not UTF-8", raw[: error.start].count(b"\n") + 1) from None
    except RecursionError:
        raise BadFile(path, "the JSON is nested too deeply") from None
    except BadFile:
        raise
    except ValueError as error:  # an integer with thousands of digits
        raise BadFile(path, f"not JSON: {error}") from None


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether JSON returns the same value: no tuples, no arrays, only strings as keys, no NaN."""
    if value is None or isinstance(value, (str, bool, int)):
        return True
    if isinstance(value, float):
        return value - value == 0.0
    if depth > 50:
        return False
    if isinstance(value, list):
        return all(_is_plain(v, depth + 1) for v in value)
    return type(value) is dict and all(isinstance(k, str) and _is_plain(v, depth + 1) for k, v in value.items())
