"""Detects the format of a file from its first bytes, independent of its name."""

from __future__ import annotations

import re

from manikin.base.reading import open_file
from manikin.errors import BadFile

HEAD = 65536
"""Number of bytes that are examined to detect the format."""
NAMES = {
    ".bvh": "BVH",
    ".c3d": "C3D",
    ".fbx": "FBX",
    ".glb": "GLB",
    ".gltf": "glTF",
    ".json": "manikin's JSON",
    ".mjcf": "MJCF",
    ".trc": "TRC",
    ".urdf": "URDF",
    ".usda": "USD text",
    ".usdc": "binary USD",
    ".blend": "a Blender file",
    ".dae": "Collada",
    ".gz": "compressed data",
    ".html": "a web page; was a web page saved instead of the file?",
    ".lfs": "a Git LFS pointer; run `git lfs pull` to get the file",
    ".osim": "an OpenSim model",
    ".part": "a part for inclusion in MJCF files",
    ".sdf": "SDF",
    ".zip": "a ZIP archive",
}
"""Descriptions of the kinds. A kind is the matching file name extension."""
SUITS = {".npz": (".zip",), ".usd": (".usda", ".usdc"), ".usdz": (".zip",), ".vrm": (".glb",), ".vrma": (".glb",)}
"""Kinds that a file with this extension may contain, if they differ from the extension."""
MARKED = (".c3d", ".glb", ".npz", ".usd", ".usda", ".usdc", ".usdz", ".vrm", ".vrma")
"""Extensions whose files always begin with a known mark. A file with one of these extensions and without a known mark
has the wrong extension."""
_STARTS = (
    (b"glTF", ".glb"),
    (b"PXR-USDC", ".usdc"),
    (b"PK\x03\x04", ".zip"),
    (b"Kaydara FBX Binary", ".fbx"),
    (b"BLENDER", ".blend"),
    (b"\x1f\x8b", ".gz"),
    (b"\x28\xb5\x2f\xfd", ".gz"),
)
_WORDS = (
    (b"hierarchy", ".bvh"),
    (b"#usda", ".usda"),
    (b"pathfiletype", ".trc"),
    (b"; fbx", ".fbx"),
    (b"version https://git-lfs", ".lfs"),
    (b"<!doctype html", ".html"),
)
_TAGS = {
    b"robot": ".urdf",
    b"mujoco": ".mjcf",
    b"mujocoinclude": ".part",
    b"sdf": ".sdf",
    b"opensimdocument": ".osim",
    b"collada": ".dae",
    b"html": ".html",
}
_BEFORE = re.compile(rb"\s*(<\?.*?\?>|<!--.*?-->|<!(?!--)[^\[>]*(\[.*?\]\s*)?>)", re.DOTALL)
"""Text before the first element of XML: declarations, comments, a document type with entities."""
_TAG = re.compile(rb"\s*<(?:[\w.-]+:)?([\w.-]+)")


def kind(path: str, ending: str = "") -> str:
    """The extension that matches the start of a file; empty if it is not clear. `ending` is the extension of its name.

    Raises:
        BadFile: the file is empty, or is a pipe or device, which cannot be read twice.
        OSError: the file does not exist, is a folder, or cannot be opened.
    """
    with open_file(path) as file:
        head = file.read(HEAD)
    if not head.strip(b"\0 \t\r\n"):
        raise BadFile(path, "the file is empty", offset=0)
    return sniff(head, ending)


def sniff(head: bytes, ending: str = "") -> str:
    """The extension that matches the start of a file; empty if it is not clear. `ending` is the extension of its
    name."""
    for start, found in _STARTS:
        if head.startswith(start):
            return found
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for word, found in _WORDS:
        if text.startswith(word):
            return found
    # A C3D file has the number of its parameter block, then its mark. A text may also have "P" as its second letter.
    if head[1:2] == b"P" and (ending == ".c3d" or not 32 <= head[0] < 127):
        return ".c3d"
    if text.startswith(b"{"):
        # The keys of a JSON file have any order, so a missing key may come after the first bytes.
        return ".json" if b'"manikin"' in text else ".gltf" if b'"asset"' in text else ""
    return _TAGS.get(_first_tag(text), "")


def begins(path: str) -> str:
    """The first bytes of a file, for a message."""
    with open_file(path) as file:
        return repr(file.read(8))[1:]


def _first_tag(text: bytes) -> bytes:
    """The name of the first element of XML text, without prefix; empty if there is none."""
    at = 0
    while before := _BEFORE.match(text, at):
        at = before.end()
    found = _TAG.match(text, at)
    return found.group(1) if found else b""
