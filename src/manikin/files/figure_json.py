"""Manikin's own format: a figure as JSON, without loss. (The module is not named `json`, to avoid a clash with
Python's.)

The record is `figure.to_dict()`, with one segment per line. The data of the original file (`figure.source`) is saved
with it; parts that are not plain data are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from manikin.base import writing
from manikin.base.json_file import read_json
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import record
from manikin.figure.figure import Figure

MOST_BYTES = 256 * 2**20
"""Largest file that is read, in bytes."""


def load_figure(path: str | os.PathLike[str]) -> Figure:
    """Reads the figure of a JSON file that `save` wrote.

    Raises:
        BadFile: the text is not JSON (the message names the line), or a value is wrong (it names the segment).
    """
    data = read_json(path, MOST_BYTES, "a figure")
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
    writing.write(path, to_json(figure))


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
