"""Finds the line (of a text) or byte (of a binary file) of a thing that an error names.

The readers of glTF, USD and FBX work on the output of a parser or library, which has no lines or bytes. Their errors
name the thing: node 3, buffer 0, '../other.bin', /Root/Skeleton.joints. It is looked up in the file only if there is an
error.
"""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

from manikin.base.reading import read_bytes
from manikin.errors import BadFile, NoMotion

GLTF = (".gltf", ".glb", ".vrm", ".vrma")
USD = (".usd", ".usda", ".usdc", ".usdz")
LISTS = {"node": "nodes", "skin": "skins", "accessor": "accessors", "buffer": "buffers", "view": "bufferViews"}
"""Names of things in messages about glTF, and the JSON lists that contain them."""
GLB_JSON = 20
"""Byte at which the JSON of a GLB begins."""
FBX_MARK, FBX_HEAD = b"Kaydara FBX Binary  \0", 27
DIGITS = 4300
"""Largest number of digits of an integer that Python reads."""
_LABEL = re.compile(rf"\b({'|'.join(LISTS)}) (\d+)\b")
_CLIP = re.compile(r"\banimation '([^']*)'")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)+)'")
_ASSET = re.compile(r"[\w./-]+\.usd[acz]?\b")
_PRIM = re.compile(r"(?<![\w.])((?:/\w+)+)(?:\.([\w:]+))?")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_NUMBERS = re.compile(rf"{_STRING}|(-?Infinity|NaN|-?\d[\d.eE+-]*)", re.DOTALL)
_BRACKETS = re.compile(rf"{_STRING}|#[^\n]*|@[^@\n]*@|([\[({{])|([\])}}])", re.DOTALL)


def find(error: BadFile) -> None:
    """Adds the line or byte of the named thing to an error that has none, if it can be found."""
    if error.line is not None or error.offset is not None or isinstance(error, NoMotion):
        return
    ending = Path(error.path).suffix.lower()
    if ending not in (*GLTF, *USD, ".fbx", ".json"):
        return
    try:
        data = read_bytes(error.path)
    except (BadFile, OSError):
        return
    message = str(error).removeprefix(f"{error.path}: ")
    if ending == ".fbx":
        at = _in_fbx(data)
    elif ending in USD:
        at = _in_usd(data, message)
    else:
        at = _in_json(data, message)
    if at is None:
        return
    if b"\0" in data[:1024] or data[:4] in (b"glTF", b"PXR-", b"PK\3\4"):
        error.found(offset=at)
    else:
        error.found(line=data.count(b"\n", 0, at) + 1)


# JSON


def _in_json(data: bytes, message: str) -> int | None:
    """The byte of the JSON value that a message names; the start of the JSON if the message is about the whole file."""
    start = GLB_JSON if data[:4] == b"glTF" else 0
    end = start + struct.unpack_from("<I", data, 12)[0] if start and len(data) >= start else len(data)
    text = data[start:end].decode("utf-8-sig", "surrogateescape")
    at = _in_text(text, message)
    return start + len(text[:at].encode("utf-8", "surrogateescape"))


def _in_text(text: str, message: str) -> int:
    if "nested too deeply" in message:
        return _deepest(text, 900) or 0
    if "JSON" in message:
        return _unusable(text) or 0
    if label := _LABEL.search(message):
        return element(text, LISTS[label[1]], int(label[2])) or 0
    if clip := _CLIP.search(message):
        return max(text.find(json.dumps(clip[1])), 0)
    if quoted := _QUOTED.search(message):
        return max(text.find('"' + quoted[1].rstrip("…")), 0)
    return 0


def element(text: str, key: str, index: int) -> int | None:
    """The start of element `index` of the list `key` in the outermost object of JSON text; None if it is missing.

    Example:
        >>> element('{"a": 1, "nodes": [{}, {"name": "x"}]}', "nodes", 1)
        23
    """
    decoder, at = json.JSONDecoder(), _skip(text, 0)
    try:
        while text[at] in "{,":
            name, at = decoder.raw_decode(text, _skip(text, at + 1))
            at = _skip(text, _skip(text, at) + 1)  # the colon
            if name == key and text[at] == "[":
                for _ in range(index):
                    at = _skip(text, decoder.raw_decode(text, _skip(text, at + 1))[1])
                return _skip(text, at + 1)
            at = _skip(text, decoder.raw_decode(text, at)[1])
    except (ValueError, IndexError, RecursionError):
        return None
    return None


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace() or text[at : at + 1] == "\ufeff":
        at += 1
    return at


def _unusable(text: str) -> int | None:
    """The first number that JSON or Python cannot represent."""
    for found in _NUMBERS.finditer(text):
        word = found[1]
        if word and (word[-1] in "yN" or len(word) > DIGITS or (len(word) > 3 and abs(_float(word)) == float("inf"))):
            return found.start()
    return None


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def _deepest(text: str, most: int) -> int | None:
    """The first bracket that is nested inside `most` others."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += bool(found[1]) - bool(found[2])
        if found[1] and depth > most:
            return found.start()
    return None


# USD


def _in_usd(data: bytes, message: str) -> int | None:
    """The byte of an asset or prim that a message names. In a binary file, only uncompressed text is searched."""
    if message.startswith("brackets are nested"):
        return _deepest(data.decode("latin-1"), 1000)
    for quoted in (*_QUOTED.findall(message), *_ASSET.findall(message)):
        at = data.find(b"@" + quoted.encode() + b"@")
        at = at if at >= 0 or data.startswith(b"#usda") else data.find(quoted.encode())
        if at >= 0:
            return at
    for prim, field in _PRIM.findall(message):
        if (here := _prim(data, prim, field)) is not None:
            return here
    named = re.match(r"(timeCodesPerSecond|metersPerUnit|upAxis)\b", message)
    at = data.find(named[1].encode()) if named else -1
    return at if at >= 0 else None


def _prim(data: bytes, prim: str, field: str) -> int | None:
    """The position where USD text defines a prim or one of its fields. Each quoted name is searched after that of its
    parent."""
    if not data.startswith(b"#usda"):
        return None
    at = 0
    for name in prim.strip("/").split("/"):
        next_at = data.find(b'"' + name.encode() + b'"', at)
        if next_at < 0:
            return at or None
        at = next_at + 1
    found = re.search(rb"\b" + re.escape(field.encode()) + rb"\b", data[at:]) if field else None
    return at + found.start() if found else at


# FBX


def _in_fbx(data: bytes) -> int | None:
    """The first top-level record of a binary FBX that does not end within the file."""
    if not data.startswith(FBX_MARK) or len(data) < FBX_HEAD:
        return len(data) if FBX_MARK.startswith(data[: len(FBX_MARK)]) else None
    wide = struct.unpack_from("<I", data, 23)[0] >= 7500
    form, head = ("<Q", 25) if wide else ("<I", 13)
    at = FBX_HEAD
    while at + head <= len(data):
        (end,) = struct.unpack_from(form, data, at)
        if end == 0:
            return None
        if not at + head <= end <= len(data):
            return at
        at = end
    return at
