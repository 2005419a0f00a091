"""The door of the files room: `load_figure`, `load_motion`, `load_markers` and `save`, by the ending of a file's name.

Each format is a module with functions of these names, loaded when first needed; what a file holds is checked against
its ending before it is read, so that a wrong name is told as that.
"""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import BadFile, BadValue, Unsupported
from manikin.figure.figure import Figure

if TYPE_CHECKING:
    from manikin.motion import Markers, Motion

__all__ = ["load_figure", "load_markers", "load_motion", "save"]


@dataclass(frozen=True)
class Format:
    """A kind of file: where its functions are, and which options they take. None where there is no such function."""

    name: str
    module: str
    figure: tuple[str, ...] | None = None
    """Options of `load_figure`."""
    motion: tuple[str, ...] | None = None
    """Options of `load_motion`."""
    save_figure: tuple[str, ...] | None = None
    """Options of `save` with a Figure."""
    save_motion: tuple[str, ...] | None = None
    """Options of `save` with a Motion."""
    markers: tuple[str, ...] | None = None
    """Options of `load_markers`."""
    save_markers: tuple[str, ...] | None = None
    """Options of `save` with Markers."""


FORMATS = {
    ".bvh": Format("BVH", "manikin.files.bvh", figure=(), motion=(), save_figure=("like",), save_motion=("like",)),
    ".c3d": Format("C3D", "manikin.files.c3d", markers=(), save_markers=()),
    ".glb": Format("GLB", "manikin.files.glb", save_figure=(), save_motion=()),
    ".json": Format("manikin's JSON", "manikin.files.figure_json", figure=(), save_figure=()),
    ".trc": Format("TRC", "manikin.files.trc", markers=(), save_markers=()),
    ".urdf": Format("URDF", "manikin.files.urdf", figure=("root",), save_figure=()),
}
"""By the ending of the name, lower case."""
_HEAD = 65536
"""How many bytes are looked at to see what a file is."""


def load_figure(path: str | os.PathLike[str], *, root: str | None = None) -> Figure:
    """The figure in a file: .bvh, .json (ours) or .urdf (.xml where a URDF is in it).

    Args:
        path: the file.
        root: for URDF: "free" where the root link is to move freely; "fixed" where none is given.

    Raises:
        BadFile: the file is cut off, malformed or not what its name says; with the line.
        Unsupported: its format is not read.
        OSError: there is no such file, or it may not be opened.

    Example:
        >>> figure = load_figure("robot.urdf", root="free")  # doctest: +SKIP
    """
    name, ending = _named(path)
    found = _checked(name, ending, "figure", "figures can be read from")
    return _call(found, "load_figure", found.figure, {"root": root}, name)  # type: ignore[no-any-return]


def load_motion(path: str | os.PathLike[str], *, clip: str | None = None) -> Motion:
    """The motion in a file, with its figure: .bvh.

    Args:
        path: the file.
        clip: name of one of several motions; no format that is read has more than one yet.

    Raises:
        BadFile, Unsupported, OSError: as for `load_figure`.
    """
    name, ending = _named(path)
    found = _checked(name, ending, "motion", "motions can be read from")
    return _call(found, "load_motion", found.motion, {"clip": clip}, name)  # type: ignore[no-any-return]


def load_markers(path: str | os.PathLike[str]) -> Markers:
    """The markers in a file of motion capture: .c3d or .trc.

    Args:
        path: the file.

    Raises:
        BadFile, Unsupported, OSError: as for `load_figure`.
    """
    name, ending = _named(path)
    found = _checked(name, ending, "markers", "markers can be read from")
    return _call(found, "load_markers", found.markers, {}, name)  # type: ignore[no-any-return]


def save(thing: Figure | Motion | Markers, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a figure (.bvh .glb .json .urdf), a motion (.bvh .glb) or markers (.c3d .trc).

    An existing file is replaced in one move.

    Args:
        thing: a Figure, a Motion or Markers.
        path: where to; its ending says the format. The folder must exist.
        options: like= for BVH, a file whose words and channels to keep.

    Raises:
        Unsupported: the format is not written, or cannot hold such a thing.
        OSError: the file cannot be written; what was there before is untouched.
    """
    name, ending = _named(path)
    role = "save_figure"
    if not isinstance(thing, Figure):
        from manikin.motion import Markers, Motion

        if not isinstance(thing, (Motion, Markers)):
            raise BadValue(f"save needs a Figure, a Motion or Markers, got {type(thing).__name__}")
        role = "save_motion" if isinstance(thing, Motion) else "save_markers"
    what = {"save_figure": "figures", "save_motion": "motions", "save_markers": "markers"}[role]
    found = _format(name, ending, role, f"{what} can be written as")
    _call(found, "save", getattr(found, role), options, thing, name)


def _named(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The path as text, and its ending in lower case."""
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        raise BadValue(f"path is {path!r}; it needs the name of a file") from error
    return name, Path(name).suffix.lower()


def _format(name: str, ending: str, role: str, offer: str) -> Format:
    """The format of an ending that has a function for the role; else Unsupported, with those that have."""
    found = FORMATS.get(ending)
    if found is not None and getattr(found, role) is not None:
        return found
    able = ", ".join(e for e, f in FORMATS.items() if getattr(f, role) is not None)
    if ending == ".xacro":
        raise Unsupported(f"{name}: xacro is not read; expand it first (xacro robot.urdf.xacro > robot.urdf)")
    what = f"the ending {ending!r} is not known" if found is None else f"{found.name} is not among them"
    what = "the name has no ending" if not ending else what
    raise Unsupported(f"{name}: {offer} {able}; {what}")


def _checked(name: str, ending: str, role: str, offer: str) -> Format:
    """The format of a file to be read, after a look at how it begins."""
    if ending != ".xml":
        _format(name, ending, role, offer)  # a format that is not read is told before a file that is not there
    with open(name, "rb") as file:
        head = file.read(_HEAD)
    if not head.strip(b"\0 \t\r\n"):
        raise BadFile(name, "the file is empty")
    there = _sniff(head)
    if ending == ".xml":
        if there == ".urdf":
            return _format(name, there, role, offer)
        known = {".mjcf": "this is an MJCF file", ".sdf": "this is an SDF file"}.get(there, "this is no URDF file")
        raise Unsupported(f"{name}: of .xml files only URDF is read; {known}")
    if there and there != ending:
        names = {".gltf": "glTF", ".mjcf": "MJCF", ".sdf": "SDF"}
        is_really = FORMATS[there].name if there in FORMATS else names[there]
        raise BadFile(name, f"the name says {FORMATS[ending].name}, but the file begins like {is_really} ({there})")
    return FORMATS[ending]


def _sniff(head: bytes) -> str:
    """The ending that suits how a file begins; empty where that is not plain."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(b"glTF"):
        return ".glb"
    if text.startswith(b"hierarchy"):
        return ".bvh"
    if text.startswith(b"pathfiletype"):
        return ".trc"
    if 0 < head[0] < 32 and head[1:2] == b"P":  # the block of the parameters, then the mark of a C3D file
        return ".c3d"
    if text.startswith(b"{"):
        return ".gltf" if b'"asset"' in text and b'"manikin"' not in text else ".json"
    return {b"robot": ".urdf", b"mujoco": ".mjcf", b"sdf": ".sdf"}.get(_first_tag(text), "")


def _first_tag(text: bytes) -> bytes:
    """The name of the first element of XML text, without prefix; empty where there is none."""
    at = 0
    for _ in range(1000):  # declarations and comments before it
        at += len(text) - at - len(text[at:].lstrip())
        closing = next(
            (c for o, c in ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!", b">")) if text.startswith(o, at)), b""
        )
        if not closing:
            found = re.match(rb"<(?:[\w.-]+:)?([\w.-]+)", text[at:])
            return found.group(1) if found else b""
        at = text.find(closing, at) + len(closing)
        if at < len(closing):
            return b""
    return b""


def _call(found: Format, function: str, known: tuple[str, ...] | None, options: dict[str, Any], *arguments: Any) -> Any:
    """Call a function of a format's module; None as an option stands for its default."""
    given = {k: v for k, v in options.items() if v is not None}
    for key in given:
        if key not in (known or ()):
            takes = f"it takes {', '.join(k + '=' for k in known)}" if known else "it takes no options"
            raise BadValue(f"{function} has no option {key}= for {found.name}; {takes}")
    try:
        module = importlib.import_module(found.module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "manikin":
            raise
        raise Unsupported(
            f"{found.name} needs the package {error.name!r}, which is not there; pip install 'manikin[files]' has it"
        ) from error
    return getattr(module, function)(*arguments, **given)
