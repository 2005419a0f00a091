"""Reads a JSON file that people may edit, such as a map file or an attachment file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from manikin.errors import BadFile


def read_json(path: str | os.PathLike[str], largest: int, content: str) -> Any:
    """The data in a JSON file of at most `largest` bytes. `content` says what it should hold, for messages.

    Raises:
        BadFile: the file is too large, or it is not JSON. The message names the line if it is known.
    """
    if os.path.getsize(path) > largest:
        raise BadFile(path, f"the file has more than {largest:,} bytes, which is too large for {content}")
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise BadFile(path, f"this is not JSON: {error.msg}", error.lineno) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadFile(path, f"this is not JSON: {error}") from error
