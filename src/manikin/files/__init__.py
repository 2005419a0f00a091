"""The door of the files room: `load_figure`, `load_motion`, `load_markers` and `save`, by the ending of a file's name.

Each format (`formats`) is a module with functions of these names, loaded when first needed. Before a file is read, how
it begins is compared with its ending (`content`). For a format that is not read, the message says how to convert it
(`unsupported`). `safe` reads a file in a separate process.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import BadFile, BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.files import content, finite
from manikin.files.formats import FORMATS, READ, WRITTEN, Format
from manikin.files.unsupported import INSTEAD, WAYS

if TYPE_CHECKING:
    from manikin.files.safe import Limits
    from manikin.motion import Markers, Motion

__all__ = ["load_figure", "load_markers", "load_motion", "save"]

PathLike = str | os.PathLike[str]


def load_figure(
    path: PathLike,
    *,
    root: str | None = None,
    skeleton: str | None = None,
    within: PathLike | None = None,
    safe: bool | Limits = False,
) -> Figure:
    """The figure in a file, by its ending: see `docs/files.md` for the formats and what of each is kept.

    Args:
        path: the file. What it holds is checked against its ending; an .xml file is URDF or MJCF, as it says itself.
        root: for robots (URDF, MJCF): "free" where the root is to move freely, "fixed" where it is to stand. Where none
            is given, a URDF stands, and an MJCF has the root that it says. Characters (BVH, glTF, USD, FBX) always have
            the root that their file says.
        skeleton: for USD: the path or name of one skeleton, where a stage has several; all of them where none is given.
        within: for MJCF, USD and glTF: a folder above the file. A file may name others (includes, layers, buffers), and
            only those in its own folder or below are opened; with `within`, those in that folder or below.
        safe: read in a process of its own, with limits on memory and time: for files from strangers, since the readers
            of USD and MJCF stand on native libraries, which a broken file may crash (FBX is always read so). True for
            the usual limits, or `manikin.files.safe.Limits(memory=…, seconds=…)`.

    Raises:
        BadFile: the file is cut off, malformed or not what its name says; with the line or byte where one is known.
            With `safe`, also a reader that crashed or passed a limit.
        Unsupported: its format is not read, or needs a package that is not installed; with what to do.
        OSError: there is no such file, it is a folder, or it may not be opened.

    Warns:
        OddFile: something in the file was lost, changed or taken in one of several ways; also in `source["notes"]`.

    Example:
        >>> figure = load_figure("robot.urdf", root="free")  # doctest: +SKIP
    """
    return _load("figure", path, {"root": root, "skeleton": skeleton, "within": _folder(within)}, safe)  # type: ignore[no-any-return]


def load_motion(
    path: PathLike,
    *,
    figure: Figure | None = None,
    clip: str | None = None,
    skeleton: str | None = None,
    rate: float | None = None,
    within: PathLike | None = None,
    safe: bool | Limits = False,
) -> Motion:
    """The motion in a file, with its figure, by its ending: see `docs/files.md`.

    Args:
        path: the file.
        figure: for tables (.csv, .npz), which hold numbers without a figure: whose motion it is.
        clip: the name of one of several motions, for glTF, VRM, USD and FBX; `figure.source["clips"]` and `manikin info
            FILE` list them. Where none is given, it is the only one; of several the one that the skeleton is bound to
            (USD), or the first, with a warning that names the others (glTF, VRM); else that is an error. A BVH has one
            motion without a name.
        skeleton: for USD, as for `load_figure`.
        rate: for FBX: frames per second. Where none is given, it is the scene's, or that of the keys where those are
            evenly spaced and denser. For tables without times: frames per second.
        within: for USD and glTF, as for `load_figure`.
        safe: read in a process of its own, with limits; as for `load_figure`.

    Raises:
        BadFile, Unsupported, OSError: as for `load_figure`.
        NoMotion: the file has no motion (a BadFile, too); it may have a figure.
        UnknownName: it has no motion of that name; the message lists those it has.
        BadValue: it has several motions, none was named, and it does not say which one is meant.

    Warns:
        OddFile: as for `load_figure`.
    """
    options = {"figure": figure, "clip": clip, "skeleton": skeleton, "rate": rate, "within": _folder(within)}
    return _load("motion", path, options, safe)  # type: ignore[no-any-return]


def load_markers(path: PathLike, *, safe: bool | Limits = False) -> Markers:
    """The markers in a file of motion capture: .c3d or .trc.

    Args:
        path: the file.
        safe: read in a process of its own, with limits; as for `load_figure`.

    Raises:
        BadFile, Unsupported, OSError: as for `load_figure`.

    Warns:
        OddFile: as for `load_figure`.
    """
    return _load("markers", path, {}, safe)  # type: ignore[no-any-return]


def save(thing: Figure | Motion | Markers, path: PathLike, *, like: Any = None, **options: Any) -> None:
    """Write a figure, a motion or markers, by the ending of the name; an existing file is replaced in one move.

    Args:
        thing: a Figure, a Motion or Markers.
        path: where to; its ending says the format. The folder must exist.
        like: a file to be like, or what was read from it, for formats that can: all that is not the motion (mesh,
            materials, words, numbers that did not change) is taken over from there.
        options: what else a format takes: `within` for `like` in glTF and USD, as for `load_figure`.

    Raises:
        Unsupported: the format is not written, or cannot hold such a thing.
        OSError: the file cannot be written; what was there before is untouched.
    """
    name, ending = _named(path)
    role = _save_role(thing)
    found = _format(name, ending, role)
    options = {"like": like, **options}
    _check_options(found, "save", getattr(found, role), options)
    _function(found, "save")(thing, name, **_given(options))


def format_of(path: PathLike) -> Format:
    """The format of a file that is there, by its ending and its content, whatever it holds.

    Raises:
        BadFile, Unsupported, OSError: as for `load_figure`.
    """
    name, ending = _named(path)
    found = FORMATS.get(ending)
    roles = [role for role in READ if found is not None and getattr(found, role) is not None]
    return _checked(name, ending, roles[0] if roles else "figure")


def _load(role: str, path: PathLike, options: dict[str, Any], safe: bool | Limits) -> Any:
    """What all three have in common. The process of `safe` calls this, too."""
    name, ending = _named(path)
    found = _checked(name, ending, role)
    _check_options(found, f"load_{role}", getattr(found, role), options)
    if safe:
        from manikin.files.safe import load

        return load(role, name, _given(options), safe)
    read = _function(found, f"load_{role}")
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what comes of that is refused below
            thing = read(name, **_given(options))
        finite.check(name, thing)
    except BadFile as error:
        from manikin.files import places

        places.find(error)
        raise
    return thing


def _folder(within: PathLike | None) -> str | None:
    """The option `within` as text, as another process needs it."""
    try:
        return None if within is None else os.fsdecode(within)
    except TypeError as error:
        raise BadValue(f"within is {within!r}; it needs the name of a folder") from error


def _named(path: PathLike) -> tuple[str, str]:
    """The path as text, and its ending in lower case."""
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        raise BadValue(f"path is {path!r}; it needs the name of a file") from error
    if "\0" in name:
        raise BadValue(f"path is {name!r}; a name cannot have a zero byte")
    return name, Path(name).suffix.lower()


def _save_role(thing: Any) -> str:
    if isinstance(thing, Figure):
        return "save_figure"
    from manikin.motion import Markers, Motion

    if not isinstance(thing, (Motion, Markers)):
        raise BadValue(f"save needs a Figure, a Motion or Markers, got {type(thing).__name__}")
    return "save_motion" if isinstance(thing, Motion) else "save_markers"


def _format(name: str, ending: str, role: str) -> Format:
    """The format of an ending that has a function for the role; else Unsupported, with what to do instead."""
    found = FORMATS.get(ending)
    if found is not None and getattr(found, role) is not None:
        return found
    if found is not None:
        others = [f"load_{r}" for r in READ if getattr(found, r) is not None] if role in READ else []
        instead = f"; {' and '.join(others)} read{'s' if len(others) == 1 else ''} it" if others else ""
        what = f"{found.name} is not among them{instead}"
    elif role in READ and ending in WAYS:
        raise Unsupported(f"{name}: {ending} is not read. {WAYS[ending][0].upper()}{WAYS[ending][1:]}")
    else:
        what = f"the ending {ending!r} is not known" if ending else "the name has no ending"
    able = ", ".join(e for e, f in FORMATS.items() if getattr(f, role) is not None)
    raise Unsupported(f"{name}: {(READ | WRITTEN)[role]} {able}; {what}")


def _checked(name: str, ending: str, role: str) -> Format:
    """The format of a file to be read, after a look at how it begins."""
    if ending != ".xml":
        _format(name, ending, role)  # a format that is not read is told before a file that is not there
    kind = content.kind(name, ending)
    suits = (".urdf", ".mjcf") if ending == ".xml" else content.SUITS.get(ending, (ending,))
    if kind in suits or (not kind and ending not in (*content.MARKED, ".xml")):
        return _format(name, kind if ending == ".xml" else ending, role)
    if ending == ".xml":
        is_really = f"begins like {content.NAMES[kind]}" if kind else "is neither"
        raise Unsupported(f"{name}: of .xml files URDF and MJCF are read; this one {is_really}{_way(kind)}")
    says = FORMATS[ending].name
    if not kind:
        raise BadFile(name, f"the name says {says}, but the file begins with {content.begins(name)}", offset=0)
    is_like = f"{content.NAMES[kind]} ({kind}){_way(kind)}"
    raise BadFile(name, f"the name says {says}, but the file begins like {is_like}", offset=0)


def _way(kind: str) -> str:
    return f". {WAYS[kind][0].upper()}{WAYS[kind][1:]}" if kind in WAYS else ""


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """None as an option stands for its default."""
    return {k: v for k, v in options.items() if v is not None}


def _check_options(found: Format, function: str, known: tuple[str, ...] | None, options: dict[str, Any]) -> None:
    for key in _given(options):
        if key not in (known or ()):
            takes = f"it takes {', '.join(k + '=' for k in known)}" if known else "it takes no options"
            raise BadValue(f"{function} has no option {key}= for {found.name}; {takes}")


def _function(found: Format, function: str) -> Any:
    """A function of a format's module."""
    try:
        module = importlib.import_module(found.module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "manikin":
            raise
        instead = INSTEAD.get(found.name[:3])
        raise Unsupported(
            f"{found.name} needs the package {error.name!r}, which is not there; pip install 'manikin[files]' has it"
            + (f"; or {instead}" if instead else "")
        ) from error
    return getattr(module, function)
