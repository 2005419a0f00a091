"""Reading and writing files: `load_figure`, `load_motion`, `load_markers`, `load_points` and `save`.

The extension of the name selects the format (`formats`). Each format is a module with functions of these names, which
is imported when it is first used. Before a file is read, its first bytes are compared with its extension (`content`).
For a format that is not supported, the message says how to convert it (`unsupported`). `safe` reads a file in a
separate process.
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
    from manikin.motion import Markers, Motion, MotionResult

__all__ = ["load_figure", "load_markers", "load_motion", "load_points", "save"]

PathLike = str | os.PathLike[str]


def load_figure(
    path: PathLike,
    *,
    root: str | None = None,
    skeleton: str | None = None,
    within: PathLike | None = None,
    safe: bool | Limits = False,
) -> Figure:
    """Loads the figure of a file. `docs/files.md` lists the formats and what is kept of each.

    Args:
        path: the file. Its content must match its extension. An .xml file is URDF or MJCF, depending on its content.
        root: for robots (URDF, MJCF): "free" lets the root move, "fixed" holds it. By default the root of a URDF is
            fixed, and an MJCF has the root that the file defines. Characters (BVH, glTF, USD, FBX) always have the root
            that the file defines.
        skeleton: for USD: the path or name of one skeleton of the stage. By default all skeletons are loaded.
        within: for MJCF, USD and glTF: a folder above the file. A file may refer to other files (includes, layers,
            buffers). By default only files in its own folder or below are opened. With `within`, all files in that
            folder or below are allowed.
        safe: read the file in a separate process with limits on memory and time. Use it for files from strangers: the
            readers of USD, MJCF and compressed glTF use native libraries, which a broken file may crash. FBX is always
            read this way. True selects the default limits, `manikin.files.safe.Limits(memory=…)` sets others.

    Raises:
        BadFile: the file is cut off, malformed, or not what its name says. The message contains the line or the byte if
            it is known. With `safe`, also if the reader crashed or exceeded a limit.
        Unsupported: the format is not supported, or needs a package that is not installed. The message says what to do.
        OSError: the file does not exist, is a folder, or cannot be opened.

    Warns:
        OddFile: something in the file was lost, changed or ambiguous. The same text is in `source["notes"]`.

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
    """Loads the motion of a file, with its figure. See `docs/files.md`.

    Args:
        path: the file.
        figure: for tables (.csv, .npz), which contain no figure: the figure of the motion.
        clip: the name of a motion, for glTF, VRM, USD and FBX. `figure.source["clips"]` and `manikin info FILE` list
            the names. By default the only motion is used. If there are several, USD uses the one to which the skeleton
            is bound, and glTF and VRM use the first, with a warning that names the others. In other cases an error
            lists the names. A BVH has one motion without a name.
        skeleton: for USD, as in `load_figure`.
        rate: frames per second, for FBX and for tables without times. By default an FBX has the rate of the scene, or
            that of its keys if these are evenly spaced and denser.
        within: for USD and glTF, as in `load_figure`.
        safe: read in a separate process with limits, as in `load_figure`.

    Raises:
        BadFile, Unsupported, OSError: as in `load_figure`.
        NoMotion: the file has no motion, but may have a figure. It is a subclass of BadFile.
        UnknownName: the file has no motion of that name. The message lists the names.
        BadValue: the file has several motions, no default, and `clip` is not given.

    Warns:
        OddFile: as in `load_figure`.
    """
    options = {"figure": figure, "clip": clip, "skeleton": skeleton, "rate": rate, "within": _folder(within)}
    return _load("motion", path, options, safe)  # type: ignore[no-any-return]


def load_markers(path: PathLike, *, zeros: str | None = None, safe: bool | Limits = False) -> Markers:
    """Loads the markers of a motion capture file (.c3d or .trc).

    Args:
        path: the file.
        zeros: what a marker at exactly (0, 0, 0) means: "missing" is a gap, "data" is a position. By default it is a
            gap where it cannot be data, because the marker would jump there, or because it is there in every frame
            while others move. A warning counts these gaps.
        safe: read in a separate process with limits, as in `load_figure`.

    Raises:
        BadFile, Unsupported, OSError: as in `load_figure`.
        BadValue: `zeros` is not one of these.

    Warns:
        OddFile: as in `load_figure`.
    """
    from manikin.files.common.zeros import check, without_zeros

    check(zeros)
    return without_zeros(path, _load("markers", path, {}, safe), zeros)


def load_points(
    path: PathLike,
    *,
    rate: float | None = None,
    unit: float | None = None,
    zeros: str | None = None,
    safe: bool | Limits = False,
) -> Markers:
    """Loads 3-D keypoints for `mk.fit_points`. `docs/keypoints.md` describes the files.

    Args:
        path: .npy, .npz, .csv, .trc or .c3d.
        rate: frames per second, for a file without times.
        unit: the unit in metres, for a file that does not state it. Without it, .npy, .npz and .csv are in metres.
        zeros: what a point at exactly (0, 0, 0) means, as in `load_markers`. In .npy, .npz and .csv files a point may
            be there in every frame, as the pelvis is if all points are given relative to it.
        safe: read in a separate process with limits, as in `load_figure`.

    Raises:
        BadFile, Unsupported, OSError: as in `load_figure`. Python objects in .npy and .npz files are never unpickled.
        BadValue: `rate` or `unit` is not a number above 0, or `rate` is given for a .trc or .c3d file, which states
            the times of its frames.

    Warns:
        OddFile: as in `load_figure`.
    """
    from manikin.files.common.zeros import check, without_zeros

    check(zeros)
    markers = _load("points", path, {"rate": rate, "unit": unit}, safe)
    return without_zeros(path, markers, zeros, always=FORMATS[_named(path)[1]].markers is not None)


def save(thing: Figure | Motion | MotionResult | Markers, path: PathLike, *, like: Any = None, **options: Any) -> None:
    """Writes a figure, a motion or markers. An existing file is replaced atomically.

    Args:
        thing: a Figure, a Motion, the result of a function that makes one, or Markers.
        path: the file to write. Its extension selects the format. The folder must exist.
        like: an existing file, or the object that was read from it. The motion is written into a copy of this file, so
            meshes, materials, text and unchanged numbers are kept. For BVH, glTF, VRM and USD.
        options: further options of the format: `within` for `like` in glTF and USD, as in `load_figure`.

    Raises:
        Unsupported: the format cannot be written, or cannot hold this kind of object.
        OSError: the file cannot be written. An existing file is unchanged.
    """
    from manikin.motion.result import motion_of

    thing = motion_of(thing)
    name, ending = _named(path)
    role = _save_role(thing)
    found = _format(name, ending, role)
    options = {"like": like, **options}
    _check_options(found, "save", getattr(found, role), options)
    _function(found, "save")(thing, name, **_given(options))


def check_motion_name(path: PathLike) -> Format:
    """The format in which `save` writes a motion to this path.

    Raises:
        Unsupported: motions cannot be written in this format.
    """
    name, ending = _named(path)
    return _format(name, ending, "save_motion")


def format_of(path: PathLike) -> Format:
    """The format of an existing file, from its extension and its content.

    Raises:
        BadFile, Unsupported, OSError: as in `load_figure`.
    """
    name, ending = _named(path)
    found = FORMATS.get(ending)
    roles = [role for role in READ if found is not None and getattr(found, role) is not None]
    return _checked(name, ending, roles[0] if roles else "figure")


def _load(role: str, path: PathLike, options: dict[str, Any], safe: bool | Limits) -> Any:
    """The common part of the three loaders. The process of `safe` calls it too."""
    name, ending = _named(path)
    found = _checked(name, ending, role)
    _check_options(found, f"load_{role}", getattr(found, role), options)
    if safe:
        from manikin.files.safe import load

        return load(role, name, _given(options), safe)
    read = _function(found, f"load_{role}")
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # finite.check refuses the result
            thing = read(name, **_given(options))
        finite.check(name, thing)
    except BadFile as error:
        from manikin.files import places

        places.find(error)
        raise
    return thing


def _folder(within: PathLike | None) -> str | None:
    """The option `within` as text, so that it can be sent to another process."""
    try:
        return None if within is None else os.fsdecode(within)
    except TypeError as error:
        raise BadValue(f"within is {within!r}; it must be the path of a folder") from error


def _named(path: PathLike) -> tuple[str, str]:
    """The path as text, and its extension in lower case."""
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        raise BadValue(f"path is {path!r}; it must be the path of a file") from error
    if "\0" in name:
        raise BadValue(f"path is {name!r}; a path cannot contain a zero byte")
    return name, Path(name).suffix.lower()


def _save_role(thing: Any) -> str:
    if isinstance(thing, Figure):
        return "save_figure"
    from manikin.motion import Markers, Motion

    if not isinstance(thing, (Motion, Markers)):
        raise BadValue(f"save needs a Figure, a Motion or Markers, got {type(thing).__name__}")
    return "save_motion" if isinstance(thing, Motion) else "save_markers"


def _format(name: str, ending: str, role: str) -> Format:
    """The format of an extension, if it has a function for the role. Otherwise Unsupported, with a way out."""
    found = FORMATS.get(ending)
    if found is not None and getattr(found, role) is not None:
        return found
    if found is not None and not (role in READ and ending in WAYS):
        others = [f"load_{r}" for r in READ if getattr(found, r) is not None] if role in READ else []
        instead = f"; {' and '.join(others)} read{'s' if len(others) == 1 else ''} it" if others else ""
        what = f"{found.name} is not one of them{instead}"
    elif role in READ and ending in WAYS:
        raise Unsupported(f"{name}: {ending} files cannot be read. {WAYS[ending][0].upper()}{WAYS[ending][1:]}")
    else:
        what = f"the extension {ending!r} is unknown" if ending else "the name has no extension"
    able = ", ".join(e for e, f in FORMATS.items() if getattr(f, role) is not None)
    raise Unsupported(f"{name}: {(READ | WRITTEN)[role]} {able}; {what}")


def _checked(name: str, ending: str, role: str) -> Format:
    """The format of a file to be read, after a comparison with its first bytes."""
    if ending != ".xml":
        _format(name, ending, role)  # an unsupported format is reported before a missing file
    kind = content.kind(name, ending)
    suits = (".urdf", ".mjcf") if ending == ".xml" else content.SUITS.get(ending, (ending,))
    if kind in suits or (not kind and ending not in (*content.MARKED, ".xml")):
        return _format(name, kind if ending == ".xml" else ending, role)
    if ending == ".xml":
        is_really = f"begins like {content.NAMES[kind]}" if kind else "is neither"
        raise Unsupported(f"{name}: an .xml file must be URDF or MJCF; this one {is_really}{_way(kind)}")
    says = FORMATS[ending].name
    if not kind:
        raise BadFile(name, f"the extension says {says}, but the file begins with {content.begins(name)}", offset=0)
    is_like = f"{content.NAMES[kind]} ({kind}){_way(kind)}"
    raise BadFile(name, f"the extension says {says}, but the file begins like {is_like}", offset=0)


def _way(kind: str) -> str:
    return f". {WAYS[kind][0].upper()}{WAYS[kind][1:]}" if kind in WAYS else ""


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that are not None. None selects the default."""
    return {k: v for k, v in options.items() if v is not None}


def _check_options(found: Format, function: str, known: tuple[str, ...] | None, options: dict[str, Any]) -> None:
    for key in _given(options):
        if key not in (known or ()):
            takes = f"the options are {', '.join(k + '=' for k in known)}" if known else "there are no options"
            raise BadValue(f"{function} has no option {key}= for {found.name}; {takes}")


def _function(found: Format, function: str) -> Any:
    """A function of the module of a format."""
    try:
        module = importlib.import_module("manikin.files.keypoints" if function == "load_points" else found.module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "manikin":
            raise
        instead = INSTEAD.get(found.name[:3])
        raise Unsupported(
            f"{found.name} needs the package {error.name!r}, which is not installed; run pip install 'manikin[files]'"
            + (f"; or {instead}" if instead else "")
        ) from error
    return getattr(module, function)
