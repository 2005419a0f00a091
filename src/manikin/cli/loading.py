"""What a file holds, loaded for the commands: a figure, its motion, or markers; with the warnings heard on the way."""

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
"""Figures that commands know by name."""
TABLES = (".csv", ".npz")
"""Endings of motions without a figure of their own."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A file, or a built-in figure."""

    name: str
    """As it was asked for."""
    format: str
    """Such as BVH; "built in" where there is no file."""
    figure: Figure | None = None
    """None for markers."""
    motion: Motion | None = None
    """None where the file holds none."""
    markers: Markers | None = None
    """None where the file holds a figure."""
    clips: tuple[str, ...] = ()
    """Names of all motions in the file, for formats that name them."""
    warnings: tuple[str, ...] = ()
    """What was heard while reading, each once."""


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
    """What is in a file, or a built-in figure.

    Args:
        name: of a file or a built-in figure.
        clip: which of several motions; the first where none is named.
        of: for a table of numbers, whose motion it is: a file, or a built-in figure.
        rate: for a table without times: frames per second.
        root: as for `load_figure`; the file's motion, if it has one, is then not looked at.
        within: a folder in which the files that this one names may lie.
        safe: read in a process of its own.
        lenient: where the figure can be read but its motion cannot, take the figure and warn.

    Raises:
        ManikinError, OSError: as the readers say.
    """
    import manikin as mk
    from manikin import files

    if name in BUILT_IN and not Path(name).exists():
        return Loaded(name, "built in", getattr(mk, name)())
    heard: list[str] = []
    kind = files.format_of(name)
    if kind.markers is not None:
        _refuse(kind.name, clip=clip, of=of, root=root, within=within)
        return Loaded(name, kind.name, markers=hear(heard, mk.load_markers, name, safe=safe), warnings=tuple(heard))
    if kind.figure is None:
        _refuse(kind.name, clip=clip)
        return _table(name, kind.name, of, rate, root, within, safe)
    _refuse(kind.name, of=of)
    figure = hear(heard, mk.load_figure, name, root=root, within=within, safe=safe)
    clips = tuple(str(c) for c in figure.source.get("clips", ()))
    motion = None
    if kind.motion is None:
        _refuse(kind.name, clip=clip)
    else:
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
    """A motion without a figure of its own, and that figure from another file."""
    from manikin.errors import BadValue

    if of is None:
        raise BadValue(f"{name} holds numbers without a figure; --of names the figure that they pose")
    owner = load(of, root=root, within=within, safe=safe)
    if owner.figure is None:
        raise BadValue(f"--of is {of}, which has no figure")
    heard = list(owner.warnings)
    motion = hear(heard, load_table, name, owner.figure, rate, safe)
    return Loaded(name, format_name, motion.figure, motion, warnings=tuple(dict.fromkeys(heard)))


def load_table(name: str | Path, figure: Figure, rate: float | None = None, safe: bool = False) -> Motion:
    """The motion in a table of numbers. The rate counts only where the table has no times."""
    import manikin as mk
    from manikin.errors import BadValue

    try:
        return mk.load_motion(name, figure=figure, rate=rate, safe=safe)
    except BadValue:
        if rate is None:
            raise
        return mk.load_motion(name, figure=figure, safe=safe)


def _played(figure: Figure, clips: tuple[str, ...]) -> str | None:
    """Which clip is taken where none is named: the first; in USD the one that is bound, which its reader finds."""
    return None if not clips or figure.source.get("format") == "usd" else clips[0]


def _motion(
    heard: list[str], name: str, clip: str | None, within: str | None, safe: bool, lenient: bool
) -> Motion | None:
    """The motion of a file; None where it holds none."""
    import manikin as mk
    from manikin.errors import BadFile, BadValue, NoMotion

    try:
        motion: Motion = hear(heard, mk.load_motion, name, clip=clip, within=within, safe=safe)
    except (BadFile, BadValue) as error:  # BadValue where a file has several clips and plays none by itself
        if not isinstance(error, NoMotion):
            if not lenient:
                raise
            heard.append(f"the motion cannot be read: {error}")
        return None
    return motion


def hear(heard: list[str], call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call with the warnings collected instead of printed."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = call(*args, **options)
    heard += [str(w.message) for w in said]
    return result


def _refuse(format_name: str, **options: Any) -> None:
    """An option that means nothing here is an error, not silence."""
    from manikin.errors import BadValue

    for key, value in options.items():
        if value is not None:
            raise BadValue(f"--{key} means nothing for {format_name}")
