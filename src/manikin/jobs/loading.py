"""Loads a file for the commands and the jobs: a figure with its motion, or markers."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manikin import files
from manikin.errors import BadFile, BadValue, NoMotion, OddFile, Unsupported, counted
from manikin.figure import Figure
from manikin.files.formats import FORMATS
from manikin.jobs.options import BadOption, is_built_in
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion

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
    warnings: tuple[str, ...] = ()
    """Warnings of the reader, without duplicates, if somebody collected them."""

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of all motions in the file, if the format has names."""
        return () if self.figure is None else tuple(str(c) for c in self.figure.source.get("clips", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the reader on unusual content, without duplicates. The warnings of the reader have the same text."""
        parts = (self.figure, self.motion, self.markers)
        return tuple(dict.fromkeys(note for part in parts if part is not None for note in part.source.get("notes", ())))


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
    """Loads a file or a built-in figure. A warning says what is unusual in it.

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
    if is_built_in(name):
        _refuse(f"{name}, which is built in", clip=clip, of=of, root=root, within=within)
        return Loaded(name, "built in", load_figure(name))
    kind = files.format_of(name)
    if kind.markers is not None:
        _refuse(kind.name, clip=clip, of=of, root=root, within=within)
        return Loaded(name, kind.name, markers=files.load_markers(name, safe=safe))
    if "clip" not in (kind.motion or ()):
        _refuse(kind.name, clip=clip)
    if kind.figure is None:
        if kind.motion is None:
            raise Unsupported(f"{name} has keypoints; manikin points fits a figure to them")
        if of is None:
            raise BadValue(f"{name} has no figure; choose one with --of")
        motion = load_table(name, load_figure(of, root, within, safe), rate, safe)
        return Loaded(name, kind.name, motion.figure, motion)
    _refuse(kind.name, of=of)
    if "root" not in kind.figure:
        _refuse(kind.name, root=root)
    found = None if kind.motion is None else _motion(name, clip, within, safe, lenient and clip is None)
    figure = files.load_figure(name, root=root, within=within, safe=safe) if found is None else found.figure
    return Loaded(name, kind.name, figure, found)


def load_motion(name: str, options: Mapping[str, Any]) -> tuple[Motion, tuple[str, ...]]:
    """The motion in a file, with the options `clips.READING`, and the notes of the reader.

    Raises:
        BadValue: the file has no motion.
    """
    loaded = load(name, **{key: options[key] for key in ("clip", "of", "rate", "safe")})
    if loaded.motion is None:
        fit = f"; fit a person to its markers first, as in manikin fit {name} --out walk.bvh"
        raise BadValue(f"{name} has no motion{'' if loaded.markers is None else fit}")
    return loaded.motion, loaded.notes


def load_figure(name: str, root: str | None = None, within: str | None = None, safe: bool = False) -> Figure:
    """A built-in figure, or the figure of a file. A process keeps the last few figures, because all clips of a run have
    the same ones."""
    if is_built_in(name):
        return _built_in(name)
    state = os.stat(name)
    return _figure(name, root, within, safe, state.st_mtime_ns, state.st_size)


def load_table(name: str | Path, figure: Figure, rate: float | None = None, safe: bool = False) -> Motion:
    """The motion in a table of numbers. The rate is used only if the table has no times."""
    try:
        return files.load_motion(name, figure=figure, rate=rate, safe=safe)
    except BadValue:
        if rate is None:
            raise
        return files.load_motion(name, figure=figure, safe=safe)


def span(held: Motion | Markers) -> str:
    """A duration in frames and in seconds."""
    seconds = f", {held.duration:.4g} s at {held.rate:.4g} per second" if held.rate and len(held) > 1 else ""
    return counted(len(held), "frame") + seconds


def used(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a folder for one of its files, whose format may have no clips, or a figure of its own."""
    takes = FORMATS[Path(name).suffix.lower()].motion or ()
    unused = [key for key, needed in (("clip", "clip"), ("of", "figure")) if key in options and needed not in takes]
    return {**options, **dict.fromkeys(unused)}


def _motion(name: str, clip: str | None, within: str | None, safe: bool, lenient: bool) -> Motion | None:
    """The motion of a file, or None if it has none."""
    try:
        return files.load_motion(name, clip=clip, within=within, safe=safe)
    except NoMotion:
        return None
    except (BadFile, BadValue) as error:  # BadValue: the file has several clips and no default
        if not lenient:
            raise
        warnings.warn(f"the motion cannot be read: {error}", OddFile, stacklevel=3)
        return None


@functools.lru_cache(maxsize=4)
def _built_in(name: str) -> Figure:
    from manikin.figure.human.human import human
    from manikin.figure.quadruped.quadruped import quadruped

    return human() if name == "human" else quadruped()


@functools.lru_cache(maxsize=4)
def _figure(name: str, root: str | None, within: str | None, safe: bool, _changed: int, _size: int) -> Figure:
    return files.load_figure(name, root=root, within=within, safe=safe)


def _refuse(format_name: str, **options: Any) -> None:
    """Raises an error for options that have no effect."""
    for key, value in options.items():
        if value is not None:
            raise BadOption(key, f"has no effect on {format_name}")
