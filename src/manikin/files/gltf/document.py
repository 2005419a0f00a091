"""A glTF 2.0 file taken apart: its JSON, and the binary chunk where it is a GLB (a VRM is one).

Read with the standard `json`, not with pygltflib: what is written back into a user's file must be what was read, and
pygltflib drops properties and empty lists that it does not know, adds defaults, and fails on `extras` that are no
object, which the specification allows. One reader for both ways keeps them in step.
"""

from __future__ import annotations

import json
import math
import os
import struct
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from manikin.errors import BadFile, Unsupported
from manikin.files.common.within import Within

MOST = 1e15
"""Numbers stay between ±MOST: their squares and products can still be computed with."""
UPGRADE = "`npx gltf-pipeline -i in.gltf -o out.gltf` converts it"
JSON_CHUNK, BINARY_CHUNK = b"JSON", b"BIN\0"


@dataclass(frozen=True, eq=False)
class Document:
    """A file as it stands; nothing in it is believed before it is asked for by the methods here, which check it."""

    path: str
    """The file, as the caller named it."""
    root: dict[str, Any]
    """The JSON."""
    binary: bytes | None = None
    """The binary chunk of a GLB: buffer 0, where that has no URI."""
    chunks: tuple[tuple[bytes, bytes], ...] = ()
    """Further chunks of a GLB, kind and content, which are not understood and kept."""
    notes: list[str] = field(default_factory=list)
    """Oddities found so far, sentences for `source["notes"]` and for warnings."""
    within: Within | None = None
    """Where the files that it names must lie; None for its own folder."""

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message)

    def objects(self, key: str, owner: dict[str, Any] | None = None, label: str = "") -> list[dict[str, Any]]:
        """A list of objects of the root, or of `owner`; empty where there is none."""
        found = (self.root if owner is None else owner).get(key)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            self.fail(f"{label}{key} needs a list of objects")
        things: list[dict[str, Any]] = found
        return things

    def object(self, owner: dict[str, Any], key: str, label: str) -> dict[str, Any]:
        """An object within another; an empty one where there is none."""
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
        """A whole number from `least` up to, not including, `below`; `default` where there is none."""
        found = owner.get(key)
        if found is None and default is not None:
            return default
        if isinstance(found, float) and found.is_integer():  # some exporters write 3.0
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            self.fail(f"{label}: {key} needs a whole number, got {short(found)}")
        if not least <= found < below:
            there = f"from {least} to {below - 1}" if below > least else "but there is nothing it could name"
            self.fail(f"{label}: {key} is {short(found)}; it needs a whole number {there}")
        return found

    def index(self, owner: dict[str, Any], key: str, label: str, count: int) -> int | None:
        """The number of one of `count` things; None where it is not said."""
        return self.whole(owner, key, label, below=count) if owner.get(key) is not None else None

    def indices(self, owner: dict[str, Any], key: str, label: str, count: int) -> list[int]:
        """Numbers of some of `count` things; none where there are none."""
        found = owner.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            self.fail(f"{label}: {key} needs a list of whole numbers, got {short(found)}")
        return [self.whole({key: x}, key, label, below=count) for x in found]

    def numbers(self, owner: dict[str, Any], key: str, label: str, count: int) -> tuple[float, ...] | None:
        """`count` usable numbers; None where there are none."""
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
        """A text; empty where there is none."""
        found = owner.get(key, "")
        if not isinstance(found, str):
            self.fail(f"{label}: {key} needs a text, got {short(found)}")
        return found


def read(path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None) -> Document:
    """Take a .gltf, .glb or .vrm file apart. Files that it names must lie in its folder, or in `within`.

    Raises:
        BadFile: cut off, or not glTF; for a GLB with the byte.
        Unsupported: a version other than 2.
    """
    name, data = os.fspath(path), Path(path).read_bytes()
    document = _read_chunks(name, data) if data[:4] == b"glTF" else Document(name, _read_json(name, data, 0))
    document = replace(document, within=Within(name, within))
    _check_version(document)
    return document


def _read_chunks(path: str, data: bytes) -> Document:
    """A GLB: a header of 12 bytes, then chunks, each a length, a kind and content; JSON first, then the binary one."""
    if len(data) < 12:
        raise BadFile(path, f"the file is cut off: it has {len(data)} bytes, the header alone 12", offset=len(data))
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        what = "binary glTF 1.0" if version == 1 else f"GLB version {version}"
        raise Unsupported(f"{path}: this is {what}; glTF 2.0 is read. {UPGRADE}")
    if length > len(data):
        raise BadFile(path, f"the file is cut off: it says {length} bytes, there are {len(data)}", offset=len(data))
    notes = [f"{len(data) - length} bytes after the end of the GLB are left out"] if length < len(data) else []
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > length:
            raise BadFile(path, f"a chunk says it has {size} bytes, but only {length - at - 8} follow", offset=at)
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise BadFile(path, "the first chunk of a GLB needs to be JSON", offset=12)
    if at != length:
        raise BadFile(path, f"{length - at} bytes after the last chunk are none", offset=at)
    root = _read_json(path, chunks[0][1], 20)
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BINARY_CHUNK else None
    return Document(path, root, binary, tuple(chunks[1 if binary is None else 2 :]), notes)


def _read_json(path: str, data: bytes, start: int) -> dict[str, Any]:
    """The JSON in some bytes of the file, which begin at byte `start` of it."""

    def number(text: str) -> float:
        value = float(text)
        if math.isinf(value):
            raise ValueError(f"{text[:20]} is too large a number")
        return value

    def constant(text: str) -> NoReturn:
        raise ValueError(f"{text} is no number of JSON")

    try:
        root = json.loads(data.decode("utf-8-sig"), parse_float=number, parse_constant=constant)
    except UnicodeDecodeError as error:
        raise BadFile(path, "the JSON is not UTF-8 text", offset=start + error.start) from error
    except json.JSONDecodeError as error:
        if start:
            raise BadFile(path, f"the JSON is wrong: {error.msg}", offset=start + error.pos) from error
        raise BadFile(path, f"the JSON is wrong: {error.msg}", error.lineno) from error
    except ValueError as error:
        raise BadFile(path, f"the JSON is wrong: {short(str(error))}") from error
    except RecursionError as error:
        raise BadFile(path, "the JSON is nested too deep") from error
    if not isinstance(root, dict):
        raise BadFile(path, "this is no glTF: its JSON needs to be an object")
    return root


def _check_version(document: Document) -> None:
    asset = document.root.get("asset")
    if _is_first(document.root, asset):
        raise Unsupported(f"{document.path}: this is glTF 1.0; glTF 2.0 is read. {UPGRADE}")
    if not isinstance(asset, dict) or not isinstance(asset.get("version"), str):
        document.fail("this is no glTF: it needs an asset with a version")
    for key in ("version", "minVersion"):
        version = str(asset.get(key, "2.0"))
        if version.partition(".")[0] != "2" or (key == "minVersion" and version != "2.0"):
            raise Unsupported(f"{document.path}: this is glTF {version[:20]}; glTF 2.0 is read. {UPGRADE}")


def _is_first(root: dict[str, Any], asset: object) -> bool:
    """Whether this is glTF 1.0. Some programs write its version as a number, or not at all; its nodes have names."""
    version = asset.get("version") if isinstance(asset, dict) else None
    if version is None:
        return isinstance(root.get("nodes"), dict)
    return version == 1 or (isinstance(version, str) and version.partition(".")[0] == "1")


def short(value: object, most: int = 60) -> str:
    """A value in a message."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # whole numbers of more digits than Python writes
        text = f"a {type(value).__name__}"
    text = " ".join(text[: 4 * most].split())
    return text if len(text) <= most else text[: most - 1] + "…"
