"""Loads a file for the commands: a figure with its motion, or markers, and the warnings of the reader."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.motion import Markers, Motion

BUILT_IN = ("human", "quadruped")
"""Names of the built-in figures."""
TABLES = (".csv", ".npz")
"""Extensions of motions that do not contain a figure."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A file, or a built-in figure."""

    name: str
    """The name that the user gave."""
    format: str
    """Such as BVH, or "built in"."""
    figure: Figure | None = None
    """None for markers."""
    motion: Motion | None = None
    """None if the file has no motion."""
    markers: Markers | None = None
    """None if the file has a figure."""
    clips: tuple[str, ...] = ()
    """Names of all motions in the file, if the format has names."""
    warnings: tuple[str, ...] = ()
    """Warnings of the reader, without duplicates."""


def load(
    name: str,
    *,
    clip: str | None = None,
    of: str | None = None,
    rate: float | None = None,
    root: str | None = None,
    within: str | None = None,
    safe: bool = False,
    lenient: bool = False,
) -> Loaded:
    """Loads a file or a built-in figure.

    Args:
        name: the name of a file or of a built-in figure.
        clip: which of several motions. By default the first.
        of: the figure of a table of numbers: a file, or a built-in figure.
        rate: frames per second, for a table without times.
        root: as in `load_figure`.
        within: the folder that contains all files to which this file may refer.
        safe: read in a separate process.
        lenient: if the motion cannot be read, return the figure with a warning.

    Raises:
        ManikinError, OSError: the file cannot be read.
    """
    import manikin as mk
    from manikin import files
    from manikin.errors import Unsupported, unknown_name

    if name in BUILT_IN and not Path(name).exists():
        _refuse(f"{name}, which is built in", clip=clip, of=of, root=root, within=within)
        return Loaded(name, "built in", getattr(mk, name)())
    if not Path(name).suffix and not Path(name).exists():
        raise unknown_name(f"there is no file {name!r}, and manikin", "built-in figure", name, BUILT_IN)
    heard: list[str] = []
    kind = files.format_of(name)
    if kind.markers is not None:
        _refuse(kind.name, clip=clip, of=of, root=root, within=within)
        return Loaded(name, kind.name, markers=hear(heard, mk.load_markers, name, safe=safe), warnings=tuple(heard))
    if kind.figure is None:
        if kind.motion is None:
            raise Unsupported(f"{name} has keypoints; manikin points fits a figure to them")
        _refuse(kind.name, clip=clip)
        return _table(name, kind.name, of, rate, root, within, safe)
    _refuse(kind.name, of=of)
    figure = hear(heard, mk.load_figure, name, root=root, within=within, safe=safe)
    clips = tuple(str(c) for c in figure.source.get("clips", ()))
    if "clip" not in (kind.motion or ()):
        _refuse(kind.name, clip=clip)
    motion = None
    if kind.motion is not None:
        motion = _motion(heard, name, clip or _played(figure, clips), within, safe, lenient and clip is None)
    figure = motion.figure if motion is not None else figure
    return Loaded(name, kind.name, figure, motion, None, clips, tuple(dict.fromkeys(heard)))


def _table(
    name: str,
    format_name: str,
    of: str | None,
    rate: float | None,
    root: str | None,
    within: str | None,
    safe: bool,
) -> Loaded:
    """A table, and its figure from another file."""
    from manikin.errors import BadValue

    if of is None:
        raise BadValue(f"{name} has no figure; choose one with --of")
    owner = load(of, root=root, within=within, safe=safe)
    if owner.figure is None:
        raise BadValue(f"--of is {of}, which has no figure")
    heard = list(owner.warnings)
    motion = hear(heard, load_table, name, owner.figure, rate, safe)
    return Loaded(name, format_name, motion.figure, motion, warnings=tuple(dict.fromkeys(heard)))


def load_table(name: str | Path, figure: Figure, rate: float | None = None, safe: bool = False) -> Motion:
    """The motion in a table of numbers. The rate is used only if the table has no times."""
    import manikin as mk
    from manikin.errors import BadValue

    try:
        return mk.load_motion(name, figure=figure, rate=rate, safe=safe)
    except BadValue:
        if rate is None:
            raise
        return mk.load_motion(name, figure=figure, safe=safe)


def _played(figure: Figure, clips: tuple[str, ...]) -> str | None:
    """The default clip: the first one. In USD it is the one that is bound, which the reader finds."""
    return None if not clips or figure.source.get("format") == "usd" else clips[0]


def _motion(
    heard: list[str], name: str, clip: str | None, within: str | None, safe: bool, lenient: bool
) -> Motion | None:
    """The motion of a file, or None if it has none."""
    import manikin as mk
    from manikin.errors import BadFile, BadValue, NoMotion

    try:
        motion: Motion = hear(heard, mk.load_motion, name, clip=clip, within=within, safe=safe)
    except (BadFile, BadValue) as error:  # BadValue: the file has several clips and no default
        if not isinstance(error, NoMotion):
            if not lenient:
                raise
            heard.append(f"the motion cannot be read: {error}")
        return None
    return motion


def hear(heard: list[str], call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Calls a function and collects its warnings instead of printing them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = call(*args, **options)
    heard += [str(w.message) for w in said]
    return result


def _refuse(format_name: str, **options: Any) -> None:
    """Raises an error for options that have no effect."""
    from manikin.errors import BadValue

    for key, value in options.items():
        if value is not None:
            raise BadValue(f"--{key} has no effect on {format_name}")
