"""The parts of a glTF 2.0 file: its JSON, and the binary chunk of a GLB or VRM.

The file is read with the standard `json` and not with pygltflib, since a file that is written back must contain
everything that was read. pygltflib drops unknown properties and empty lists, adds defaults, and fails on `extras` that
are not an object, which the specification allows.
"""

from __future__ import annotations

import json
import math
import os
import struct
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from manikin.base.reading import read_bytes
from manikin.errors import BadFile, Unsupported
from manikin.files.common.within import Within

MOST = 1e15
"""Largest absolute value of a number. Squares and products of such numbers are still accurate."""
UPGRADE = "`npx gltf-pipeline -i in.gltf -o out.gltf` converts it"
JSON_CHUNK, BINARY_CHUNK = b"JSON", b"BIN\0"


@dataclass(frozen=True, eq=False)
class Document:
    """The content of a file. Nothing in it is trusted; the methods below check each value that they return."""

    path: str
    """The path that the caller gave."""
    root: dict[str, Any]
    """The JSON."""
    binary: bytes | None = None
    """The binary chunk of a GLB. It is buffer 0 if that has no URI."""
    chunks: tuple[tuple[bytes, bytes], ...] = ()
    """Kind and content of further chunks of a GLB. They are kept unchanged."""
    notes: list[str] = field(default_factory=list)
    """Oddities found so far: sentences for `source["notes"]` and for warnings."""
    within: Within | None = None
    """The folder of all files to which it may refer. None for its own folder."""

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message)

    def objects(self, key: str, owner: dict[str, Any] | None = None, label: str = "") -> list[dict[str, Any]]:
        """A list of objects of the root or of `owner`. Empty if it is missing."""
        found = (self.root if owner is None else owner).get(key)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            self.fail(f"{label}{key} needs a list of objects")
        things: list[dict[str, Any]] = found
        return things

    def object(self, owner: dict[str, Any], key: str, label: str) -> dict[str, Any]:
        """An object within another. Empty if it is missing."""
        found = owner.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            self.fail(f"{label}: {key} needs an object, got {short(found)}")
        thing: dict[str, Any] = found
        return thing

    def whole(
        self,
        owner: dict[str, Any],
        key: str,
        label: str,
        *,
        least: int = 0,
        below: int = 1 << 53,
        default: int | None = None,
    ) -> int:
        """A whole number from `least` up to, not including, `below`; `default` if there is none."""
        found = owner.get(key)
        if found is None and default is not None:
            return default
        if isinstance(found, float) and found.is_integer():  # some exporters write 3.0
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            self.fail(f"{label}: {key} needs a whole number, got {short(found)}")
        if not least <= found < below:
            there = f"from {least} to {below - 1}" if below > least else "but there is nothing to refer to"
            self.fail(f"{label}: {key} is {short(found)}; it needs a whole number {there}")
        return found

    def index(self, owner: dict[str, Any], key: str, label: str, count: int) -> int | None:
        """An index below `count`. None if it is missing."""
        return self.whole(owner, key, label, below=count) if owner.get(key) is not None else None

    def indices(self, owner: dict[str, Any], key: str, label: str, count: int) -> list[int]:
        """A list of indices below `count`. Empty if it is missing."""
        found = owner.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            self.fail(f"{label}: {key} needs a list of whole numbers, got {short(found)}")
        return [self.whole({key: x}, key, label, below=count) for x in found]

    def numbers(self, owner: dict[str, Any], key: str, label: str, count: int) -> tuple[float, ...] | None:
        """`count` numbers within ±MOST. None if they are missing."""
        found = owner.get(key)
        if found is None:
            return None
        if not isinstance(found, list) or len(found) != count:
            self.fail(f"{label}: {key} needs {count} numbers, got {short(found)}")
        for x in found:
            if isinstance(x, bool) or not isinstance(x, (int, float)) or not abs(x) <= MOST:
                self.fail(f"{label}: {key} needs numbers between ±{MOST:g}, got {short(x)}")
        return tuple(float(x) for x in found)

    def text(self, owner: dict[str, Any], key: str, label: str) -> str:
        """A text. Empty if it is missing."""
        found = owner.get(key, "")
        if not isinstance(found, str):
            self.fail(f"{label}: {key} needs a string, got {short(found)}")
        return found


def read(path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None) -> Document:
    """Reads a .gltf, .glb or .vrm file. All files to which it refers must be in its folder or in `within`.

    Raises:
        BadFile: the file is cut off or is not glTF. For a GLB the message contains the byte.
        Unsupported: the version is not 2.
    """
    name, data = os.fspath(path), read_bytes(path)
    document = _read_chunks(name, data) if data[:4] == b"glTF" else Document(name, _read_json(name, data, 0))
    document = replace(document, within=Within(name, within))
    _check_version(document)
    return document


def _read_chunks(path: str, data: bytes) -> Document:
    """Reads a GLB: a header of 12 bytes, then chunks of length, kind and content: first JSON, then the binary chunk."""
    if len(data) < 12:
        raise BadFile(
            path, f"the file is cut off: it has {len(data)} bytes, but the header alone has 12", offset=len(data)
        )
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        what = "binary glTF 1.0" if version == 1 else f"GLB version {version}"
        raise Unsupported(f"{path}: this is {what}; only glTF 2.0 can be read. {UPGRADE}")
    if length > len(data):
        raise BadFile(path, f"the file is cut off: it states {length} bytes, but has {len(data)}", offset=len(data))
    notes = [f"{len(data) - length} bytes after the end of the GLB are ignored"] if length < len(data) else []
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > length:
            raise BadFile(path, f"a chunk states {size} bytes, but only {length - at - 8} follow", offset=at)
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BadFile(path, "the first chunk of a GLB must be JSON", offset=12)
    if at != length:
        raise BadFile(
            path, f"{length - at} bytes after the last chunk are not a chunk; a chunk has at least 8 bytes", offset=at
        )
    root = _read_json(path, chunks[0][1], 20)
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BINARY_CHUNK else None
    return Document(path, root, binary, tuple(chunks[1 if binary is None else 2 :]), notes)


def _read_json(path: str, data: bytes, start: int) -> dict[str, Any]:
    """Parses the JSON in `data`, which begins at byte `start` of the file."""

    def number(text: str) -> float:
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"{text[:20]} is too large a number")
        return value

    def constant(text: str) -> NoReturn:
        raise ValueError(f"{text} is not a JSON number")

    try:
        root = json.loads(data.decode("utf-8-sig"), parse_float=number, parse_constant=constant)
    except UnicodeDecodeError as error:
        raise BadFile(path, "the JSON is not UTF-8 text", offset=start + error.start) from error
    except json.JSONDecodeError as error:
        if start:
            raise BadFile(path, f"the JSON is invalid: {error.msg}", offset=start + error.pos) from error
        raise BadFile(path, f"the JSON is invalid: {error.msg}", error.lineno) from error
    except ValueError as error:
        raise BadFile(path, f"the JSON is invalid: {short(str(error))}") from error
    except RecursionError as error:
        raise BadFile(path, "the JSON is nested too deeply") from error
    if not isinstance(root, dict):
        raise BadFile(path, "this is not a glTF file: its JSON must be an object")
    return root


def _check_version(document: Document) -> None:
    asset = document.root.get("asset")
    if _is_first(document.root, asset):
        raise Unsupported(f"{document.path}: this is glTF 1.0; only glTF 2.0 can be read. {UPGRADE}")
    if not isinstance(asset, dict) or not isinstance(asset.get("version"), str):
        document.fail("this is not a glTF file: it needs an asset with a version")
    for key in ("version", "minVersion"):
        version = str(asset.get(key, "2.0"))
        if version.partition(".")[0] != "2" or (key == "minVersion" and version != "2.0"):
            raise Unsupported(f"{document.path}: this is glTF {version[:20]}; only glTF 2.0 can be read. {UPGRADE}")


def _is_first(root: dict[str, Any], asset: object) -> bool:
    """Whether this is glTF 1.0. Some programs write its version as a number or omit it. Its nodes are an object."""
    version = asset.get("version") if isinstance(asset, dict) else None
    if version is None:
        return isinstance(root.get("nodes"), dict)
    return version == 1 or (isinstance(version, str) and version.partition(".")[0] == "1")


def short(value: object, most: int = 60) -> str:
    """A value as a short text for a message."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # Python does not print integers with too many digits
        text = f"a {type(value).__name__}"
    text = " ".join(text[: 4 * most].split())
    return text if len(text) <= most else text[: most - 1] + "…"
