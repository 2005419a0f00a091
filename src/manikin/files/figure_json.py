"""Our own files: a figure as JSON, without losing a bit. (Named so that `json` stays Python's.)

The record is `figure.to_dict()`, one segment a line. What the figure was read from (`figure.source`) is kept beside it,
as far as it is plain data; parts that are not are left out.
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
"""Largest file that is read."""
_WORDS = re.compile(rb'"(?:\\.|[^"\\])*"|(NaN|-?Infinity)', re.DOTALL)
"""Texts, and in the group what Python's reader takes for numbers though JSON does not."""


def load_figure(path: str | os.PathLike[str]) -> Figure:
    """The figure of a JSON file that `save` wrote.

    Raises:
        BadFile: with the line where the text is no JSON; with the segment where a value is wrong.
    """
    data = read(path)
    try:
        source = data.get("source", {}) if isinstance(data, Mapping) else {}
        if not isinstance(source, Mapping):
            raise BadValue(f"'source' is {type(source).__name__}; it needs to be an object")
        return Figure(**record.from_dict(data), source=source)
    except (ManikinError, TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise BadFile(path, str(error)) from error


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as JSON."""
    if not isinstance(figure, Figure):
        raise BadValue(f"a JSON file holds a Figure, not a {type(figure).__name__}")
    atomic.write(path, to_json(figure))


def to_json(figure: Figure) -> bytes:
    """The text of the JSON file, UTF-8."""
    try:
        return _text(figure, escaped=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair in a name: JSON can hold it, but only escaped
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
    """The content of a JSON file from a stranger: bounded in size, no NaN, no infinity.

    Raises:
        BadFile: with the line.
    """
    size = Path(path).stat().st_size
    if size > MOST_BYTES:
        raise BadFile(path, f"the file has {size:,} bytes; at most {MOST_BYTES:,} are read")
    raw = Path(path).read_bytes()

    def refuse(word: str) -> NoReturn:
        # Python does not say where; the first such word that is not inside a text.
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
        raise BadFile(path, "the JSON is nested too deep") from None
    except BadFile:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise BadFile(path, f"not JSON: {error}") from None


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether JSON gives a value back as it was: no tuples, no arrays, only texts as keys, no NaN."""
    if value is None or isinstance(value, (str, bool, int)):
        return True
    if isinstance(value, float):
        return value - value == 0.0
    if depth > 50:
        return False
    if isinstance(value, list):
        return all(_is_plain(v, depth + 1) for v in value)
    return type(value) is dict and all(isinstance(k, str) and _is_plain(v, depth + 1) for k, v in value.items())
