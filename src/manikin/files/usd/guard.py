"""Checks the bytes of a USD file before the USD library reads them.

The library is native code. Text that is nested a hundred thousand levels deep ends the process instead of raising an
error, and the directory of an archive may be wrong. These checks take little time compared with reading the file.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
from pathlib import Path

import numpy as np

from manikin.base.reading import open_file, read_bytes
from manikin.errors import BadFile
from manikin.files.usd import crate

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
DEEPEST = 1000
"""Deepest nesting of brackets or prims. Real files have a few dozen levels."""
MOST_ENTRIES = 10_000
"""A .usdz archive with more files is refused."""
TEXT, CRATE, ZIP = b"#usda", b"PXR-USDC", b"PK\x03\x04"
_NAMES = {TEXT: "USD text", CRATE: "binary USD", ZIP: "a ZIP archive"}
_STARTS = re.compile(rb"\"\"\"|'''|\"|'|@@@|@|#|//|/\*")
_ENDS = {
    b'"""': re.compile(rb'(?:\\.|[^\\])*?"""', re.S),
    b"'''": re.compile(rb"(?:\\.|[^\\])*?'''", re.S),
    b'"': re.compile(rb'(?:\\.|[^\\"\n])*["\n]', re.S),
    b"'": re.compile(rb"(?:\\.|[^\\'\n])*['\n]", re.S),
    b"@@@": re.compile(rb".*?@@@", re.S),
    b"@": re.compile(rb"[^@\n]*[@\n]"),
    b"#": re.compile(rb"[^\r\n]*"),
    b"//": re.compile(rb"[^\r\n]*"),
    b"/*": re.compile(rb".*?\*/", re.S),
}
_STEP = np.zeros(256, dtype=np.int8)
_STEP[[ord(c) for c in "{[("]] = 1
_STEP[[ord(c) for c in "}])"]] = -1
_BLOCK = 1 << 20


def check(path: str) -> None:
    """Refuses a file that does not match its file name extension, is nested too deeply, or is an unsafe archive.

    Raises:
        BadFile: the message names the problem.
        OSError: the file cannot be opened.
    """
    ending = Path(path).suffix.lower()
    with open_file(path) as file:
        head = file.read(16)
    mark = next((m for m in _NAMES if head.startswith(m)), None)
    suits = {".usda": (TEXT,), ".usdc": (CRATE,), ".usdz": (ZIP,)}.get(ending, (TEXT, CRATE))
    if mark not in suits:
        there = f"it is {_NAMES[mark]}" if mark else f"it begins with {head[:8]!r}"
        wanted = " or ".join(_NAMES[m] for m in suits)
        raise BadFile(path, f"the extension {ending} means {wanted}, but {there}", offset=0)
    if mark == ZIP:
        _check_archive(path)
    else:
        _check_content(path, read_bytes(path), "")


def nesting(text: bytes) -> int:
    """The nesting depth of brackets of all kinds, outside strings and comments."""
    depth = deepest = 0
    rest = memoryview(_without_strings(text))
    for start in range(0, len(rest), _BLOCK):
        steps = np.cumsum(_STEP[np.frombuffer(rest[start : start + _BLOCK], dtype=np.uint8)], dtype=np.int64)
        deepest = max(deepest, depth + int(steps.max(initial=0)))
        depth += int(steps[-1])
    return deepest


def _without_strings(text: bytes) -> bytes:
    """Removes strings, asset names and comments from the text. An unclosed string extends to the end."""
    kept, at = [], 0
    while (found := _STARTS.search(text, at)) is not None:
        kept.append(text[at : found.start()])
        end = _ENDS[found.group()].match(text, found.end())
        if end is None:
            return b"".join(kept)
        at = end.end()
    kept.append(text[at:])
    return b"".join(kept)


def _check_content(path: str, data: bytes, label: str) -> None:
    if data.startswith(CRATE):
        crate.check(path, data, label)
    elif data.startswith(TEXT):
        deepest = nesting(data)
        if deepest > DEEPEST:
            raise BadFile(path, f"{label}brackets are nested {deepest} levels deep; the limit is {DEEPEST}")
    else:
        raise BadFile(path, f"{label}this is neither USD text nor binary USD")


# Archives


def _check_archive(path: str) -> None:
    """Checks a .usdz: a ZIP with uncompressed files. USD reads it from the front, by the local file headers."""
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _check_entries(path, entries)
            _check_heads(path, entries)
            for entry in entries:
                if Path(entry.filename).suffix.lower() in ENDINGS:
                    _check_content(path, archive.read(entry), f"{entry.filename}: ")
    except (zipfile.BadZipFile, struct.error, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(path, f"the archive is broken: {error}", offset=os.path.getsize(path)) from error


def _check_entries(path: str, entries: list[zipfile.ZipInfo]) -> None:
    if not entries or Path(entries[0].filename).suffix.lower() not in ENDINGS[:3]:
        raise BadFile(path, "the first file of the archive must be a .usd, .usda or .usdc file")
    if len(entries) > MOST_ENTRIES:
        raise BadFile(path, f"the archive has {len(entries)} files; the limit is {MOST_ENTRIES}")
    for entry in entries:
        name = entry.orig_filename
        parts = name.replace("\\", "/").split("/")
        if ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0] or "\0" in name:
            raise BadFile(path, f"the archive names {name!r}, which is outside the archive", offset=entry.header_offset)
        if Path(name).suffix.lower() == ".usdz":
            raise BadFile(
                path,
                f"the archive contains another archive, {name!r}, which is not allowed",
                offset=entry.header_offset,
            )
        if entry.flag_bits & 0x1:
            raise BadFile(path, f"{name!r} in the archive is encrypted", offset=entry.header_offset)
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            what = f"{name!r} in the archive is compressed; a .usdz must contain uncompressed files"
            raise BadFile(path, what, offset=entry.header_offset)
    total, there = sum(e.file_size for e in entries), os.path.getsize(path)
    if total > there:
        raise BadFile(path, f"the archive states {total} bytes, but has {there}", offset=there)


def _check_heads(path: str, entries: list[zipfile.ZipInfo]) -> None:
    """Checks that the local file headers agree with the directory at the end of the archive."""
    at = 0
    with open_file(path) as file:
        for entry in entries:
            file.seek(at)
            head = file.read(30)
            if len(head) < 30 or not head.startswith(ZIP):
                raise BadFile(path, f"the archive has no local file header for {entry.filename!r}", offset=at)
            flags, kind, packed, size, letters, more = struct.unpack("<6xHH8xIIHH", head)
            name = file.read(letters)
            listed = entry.orig_filename.encode("utf-8" if flags & 0x800 else "cp437", "replace")
            says = (kind, packed, size, name, at)
            if flags & 0x8 or says != (0, entry.file_size, entry.file_size, listed, entry.header_offset):
                what = f"the local file header and the directory of the archive disagree about {entry.filename!r}"
                raise BadFile(path, what, offset=at)
            at += 30 + letters + more + size
