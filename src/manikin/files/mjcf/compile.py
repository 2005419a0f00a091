"""MuJoCo as a reader: it is given a cleaned text, and what it makes of it is copied into records.

Its complaints become BadFile with the line of the user's own file. It writes nothing: neither to the terminal nor into
a MUJOCO_LOG.TXT.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterator
from typing import Any

from manikin.errors import BadFile
from manikin.files.mjcf.clean import Cleaned, written
from manikin.files.mjcf.model import Model, records
from manikin.files.mjcf.tree import Node

mujoco: Any = importlib.import_module("mujoco")  # by name: it has no types
_LOCK = threading.Lock()
"""MuJoCo has one handler of warnings for all threads."""
_LINE = re.compile(r"line (?:number=)?(\d+)", re.IGNORECASE)
_OPENING = re.compile(r"^((XML )?Error:\s*|Schema violation:\s*)+")
_CLOSING = re.compile(r"\s*Element (name )?'[^']*',( id -?\d+,)? line -?\d+$")


def compiled(cleaned: Cleaned) -> Model:
    """What MuJoCo makes of a cleaned model.

    Raises:
        BadFile: MuJoCo refuses it, or makes something of it that is not finite.
    """
    text, lines = written(cleaned.root)
    try:
        with _quiet():
            model = mujoco.MjModel.from_xml_string(text, dict(cleaned.meshes.given))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise _complaint(cleaned, " ".join(str(error).split()), lines) from None
    return records(mujoco, model, cleaned.least, cleaned.root.path)


def _complaint(cleaned: Cleaned, words: str, lines: list[Node]) -> BadFile:
    """What MuJoCo says, with the line that it means in the user's file."""
    found = _LINE.search(words)
    at = int(found.group(1)) - 1 if found else -1
    attached = any(name.endswith(".xml") for name in cleaned.meshes.given)  # then the line may be one of theirs
    message = _CLOSING.sub("", _OPENING.sub("", words))
    if attached or not 0 <= at < len(lines):
        return BadFile(cleaned.root.path, f"MuJoCo: {message}")
    node = lines[at]
    return BadFile(node.path, f"MuJoCo: <{node.tag}>: {message}", node.line or None)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep MuJoCo's warnings from the terminal and from its log file; what matters of them is found here anyway."""
    with _LOCK:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda _message: None)
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)
