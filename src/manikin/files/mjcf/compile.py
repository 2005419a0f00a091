"""Compiles a cleaned model with MuJoCo and copies the result into records.

MuJoCo's errors become BadFile with the line of the user's file. MuJoCo writes neither to the terminal nor to
MUJOCO_LOG.TXT.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterator
from typing import Any

from manikin.base.names import native
from manikin.errors import BadFile
from manikin.files.mjcf.clean import Cleaned, written
from manikin.files.mjcf.model import Model, records
from manikin.files.mjcf.tree import Node

mujoco: Any = importlib.import_module("mujoco")  # imported by name, because it has no type information
_LOCK = threading.Lock()
"""MuJoCo has one warning handler for all threads."""
_LINE = re.compile(r"line (?:number=)?(\d+)", re.IGNORECASE)
_OPENING = re.compile(r"^((XML )?Error:\s*|Schema violation:\s*)+")
_CLOSING = re.compile(r"\s*Element (name )?'[^']*',( id -?\d+,)? line -?\d+$")


def compiled(cleaned: Cleaned) -> Model:
    """Compiles a cleaned model.

    Raises:
        BadFile: MuJoCo refuses the model, or the result is not finite.
    """
    text, lines = written(cleaned.root)
    try:
        with _quiet():
            model = mujoco.MjModel.from_xml_string(text, dict(cleaned.meshes.given))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise _complaint(cleaned, " ".join(native(str(error)).split()), lines) from None
    return records(mujoco, model, cleaned.least, cleaned.root.path)


def _complaint(cleaned: Cleaned, words: str, lines: list[Node]) -> BadFile:
    """MuJoCo's error message, with the line in the user's file."""
    found = _LINE.search(words)
    at = int(found.group(1)) - 1 if found else -1
    # With attached models, the line may belong to one of them.
    attached = any(name.endswith(".xml") for name in cleaned.meshes.given)
    message = _CLOSING.sub("", _OPENING.sub("", words))
    if attached or not 0 <= at < len(lines):
        return BadFile(cleaned.root.path, f"MuJoCo: {message}")
    node = lines[at]
    return BadFile(node.path, f"MuJoCo: <{node.tag}>: {message}", node.line or None)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps MuJoCo's warnings away from the terminal and its log file. The relevant ones are detected here anyway."""
    with _LOCK:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda _message: None)
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)
