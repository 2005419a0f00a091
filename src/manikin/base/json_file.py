"""Reads JSON from strangers. Numbers that Python accepts and arithmetic does not are refused, with their line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any, NoReturn

from manikin.base.reading import read_bytes
from manikin.errors import BadFile

WHOLE = 18
"""An integer with more digits becomes a float. Fewer digits fit into 64 bits."""
_NUMBERS = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[\w.+-]+)', re.DOTALL)


def read_json(path: str | os.PathLike[str], largest: int, content: str) -> Any:
    """The data in a JSON file of at most `largest` bytes. `content` says what it should hold, for messages.

    Raises:
        BadFile: the file is too large or is not JSON, an object has the same key twice, or a number is NaN, infinite
            or too large for 64 bits. The message names the line if it is known.
        OSError: the file does not exist, is a folder, or cannot be opened.
    """
    return parsed(path, read_bytes(path, largest, content))


def parsed(path: str | os.PathLike[str], raw: bytes) -> Any:
    """The data in JSON text. The path is for messages.

    Raises:
        BadFile: as in `read_json`.
    """
    try:
        return json.loads(
            raw.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_float=_number(float),
            parse_int=_number(_whole),
        )
    except json.JSONDecodeError as error:
        raise BadFile(path, f"this is not JSON: {error.msg} at column {error.colno}", error.lineno) from None
    except UnicodeDecodeError as error:
        raise BadFile(path, "this is not JSON: the text is not UTF-8", raw[: error.start].count(b"\n") + 1) from None
    except RecursionError:
        raise BadFile(path, "this is not JSON: it is nested too deeply") from None
    except _Refused as error:
        raise BadFile(path, str(error), _line(raw, error.word)) from None


class _Refused(Exception):
    """Something that JSON allows, or that Python takes for JSON, and that is not read."""

    def __init__(self, message: str, word: str = "") -> None:
        super().__init__(message)
        self.word = word


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Python's reader would keep only the last of two values with the same key."""
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        key = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {key[:60]!r} occurs twice; keep one of them")
    return out


def _refuse(word: str) -> NoReturn:
    raise _Refused(f"{word} is not JSON; an infinite limit is written as the text 'inf'", word)


def _number(convert: Callable[[str], float]) -> Callable[[str], float]:
    def read(word: str) -> float:
        value = convert(word)
        if value - value != 0.0:
            shown = word if len(word) < 40 else f"{word[:20]}… ({len(word):,} characters)"
            raise _Refused(f"the number {shown} is too large; numbers must be below 1.8e308", word)
        return value

    return read


def _whole(word: str) -> float:
    return int(word) if len(word) <= WHOLE else float(word)


def _line(raw: bytes, word: str) -> int | None:
    """The first line that has a word outside of a string. Python does not report the position of numbers."""
    spelled = word.encode()
    found = next((m for m in _NUMBERS.finditer(raw) if m.group(1) == spelled), None) if word else None
    return None if found is None else raw[: found.start()].count(b"\n") + 1
