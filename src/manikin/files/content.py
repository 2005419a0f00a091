"""What a file is, by how it begins, whatever its name says."""

from __future__ import annotations

import os
import re
import stat

from manikin.errors import BadFile

HEAD = 65536
"""How many bytes are looked at to see what a file is."""
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
    ".html": "a web page; was the page about the file saved in its place?",
    ".lfs": "a pointer of Git LFS; `git lfs pull` brings the file itself",
    ".osim": "an OpenSim model",
    ".part": "a part that MJCF files include",
    ".sdf": "SDF",
    ".zip": "a ZIP archive",
}
"""What each kind is called; a kind is the ending that suits it."""
SUITS = {".npz": (".zip",), ".usd": (".usda", ".usdc"), ".usdz": (".zip",), ".vrm": (".glb",), ".vrma": (".glb",)}
"""Kinds that an ending may hold, where they are not the one of the same name."""
MARKED = (".c3d", ".glb", ".npz", ".usd", ".usda", ".usdc", ".usdz", ".vrm", ".vrma")
"""Endings whose files always begin with their mark; what begins with no mark that is known is none of them."""
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
"""What may stand before the first element of XML text: declarations, comments, a document type with entities in it."""
_TAG = re.compile(rb"\s*<(?:[\w.-]+:)?([\w.-]+)")


def kind(path: str, ending: str = "") -> str:
    """The ending that suits how a file begins; empty where that is not plain. `ending` is what its name says.

    Raises:
        BadFile: the file is empty, or a pipe or device, which cannot be read twice.
        OSError: there is no such file, it is a folder, or it may not be opened.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder is told by opening it
        raise BadFile(path, "this is a pipe or a device; it needs an ordinary file")
    with open(path, "rb") as file:
        head = file.read(HEAD)
    if not head.strip(b"\0 \t\r\n"):
        raise BadFile(path, "the file is empty", offset=0)
    return sniff(head, ending)


def sniff(head: bytes, ending: str = "") -> str:
    """The ending that suits how a file begins; empty where that is not plain. `ending` is what its name says."""
    for start, found in _STARTS:
        if head.startswith(start):
            return found
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for word, found in _WORDS:
        if text.startswith(word):
            return found
    # The block of the parameters, then the mark of a C3D file; a text may begin with such a letter by chance.
    if head[1:2] == b"P" and (ending == ".c3d" or not 32 <= head[0] < 127):
        return ".c3d"
    if text.startswith(b"{"):
        # The keys of a JSON file may come in any order, so what is not seen in its beginning may follow.
        return ".json" if b'"manikin"' in text else ".gltf" if b'"asset"' in text else ""
    return _TAGS.get(_first_tag(text), "")


def begins(path: str) -> str:
    """The first bytes of a file, for a message."""
    with open(path, "rb") as file:
        return repr(file.read(8))[1:]


def _first_tag(text: bytes) -> bytes:
    """The name of the first element of XML text, without prefix; empty where there is none."""
    at = 0
    while before := _BEFORE.match(text, at):
        at = before.end()
    found = _TAG.match(text, at)
    return found.group(1) if found else b""
