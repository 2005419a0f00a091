"""Reads a JSON file that people may edit, such as a map file or an attachment file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from manikin.errors import BadFile, BadValue


def read_json(path: str | os.PathLike[str], largest: int, content: str) -> Any:
    """The data in a JSON file of at most `largest` bytes. `content` says what it should hold, for messages.

    Raises:
        BadFile: the file is too large, it is not JSON, or an object has the same key twice. The message names the line
            if it is known.
        OSError: the file does not exist, is a folder, or cannot be opened.
    """
    if "\0" in os.fsdecode(path):
        raise BadValue(f"path is {os.fsdecode(path)!r}; a path cannot contain a zero byte")
    if os.path.getsize(path) > largest:
        raise BadFile(path, f"the file has more than {largest:,} bytes, which is too large for {content}")
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except _Twice as error:
        raise BadFile(path, str(error)) from None
    except json.JSONDecodeError as error:
        raise BadFile(path, f"this is not JSON: {error.msg}", error.lineno) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadFile(path, f"this is not JSON: {error}") from error


class _Twice(Exception):
    """An object has the same key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Python's reader would keep only the last of two values with the same key."""
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise _Twice(f"the key {key!r} occurs twice; keep one of them")
        out[key] = value
    return out
