"""Code that the jobs share: loading of clips and figures, and saving."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from manikin import files
from manikin.errors import BadValue, Unsupported
from manikin.figure import Figure
from manikin.figure.parts.find import bone_map
from manikin.files.formats import FORMATS
from manikin.jobs import Options
from manikin.jobs.options import BUILT_IN, Option
from manikin.motion.motion import Motion

ROBOTS = (".urdf", ".xml", ".mjcf")
ROBOT_FORMATS = ("urdf", "mjcf")
"""`source["format"]` of figures that are robots. A figure keeps it when it is saved as JSON."""
RIGS = (".glb", ".gltf", ".vrm", ".usd", ".usda", ".usdc")
"""Extensions of files that contain more than a figure, such as meshes."""
TABLES = (".csv", ".npz")
"""Extensions of motions that do not contain a figure."""
MOTIONS = frozenset(ending for ending, kind in FORMATS.items() if kind.motion is not None)
WRITTEN = tuple(ending for ending, kind in FORMATS.items() if kind.save_motion is not None)
READING = (
    Option("clip", "text", "Which motion, if a file has several.  [default: the first]"),
    Option("of", "figure", "The figure of tables (.csv, .npz). Without it, tables are left out."),
    Option("safe", "switch", "Read each clip in a separate process with limits, for files from strangers.", False),
)
"""Options of jobs that read motions, with one of the next two."""
TABLE_RATE = Option("rate", "positive", "Frames per second of tables without times.")
RATE = Option("rate", "positive", "Frames per second of the results, and of tables without times.")


def motion_endings(options: Options) -> frozenset[str]:
    """Extensions of motions. Tables count only if their figure is given."""
    return MOTIONS if options["of"] is not None else MOTIONS - set(TABLES)


def load_motion(path: str, options: Options) -> Motion:
    """The motion of a clip, with the options `READING` and the rate."""
    ending = Path(path).suffix.lower()
    known = FORMATS[ending].motion or ()
    given: dict[str, Any] = {}
    if ending in TABLES:
        given["figure"] = load_figure(options["of"])
    if "clip" in known and options["clip"] is not None:
        given["clip"] = options["clip"]
    if ending not in TABLES or options["rate"] is None:
        return files.load_motion(path, safe=options["safe"], **given)
    try:
        return files.load_motion(path, safe=options["safe"], rate=options["rate"], **given)
    except BadValue:  # the table has times
        return files.load_motion(path, safe=options["safe"], **given)


def load_figure(name: str, root: str | None = None) -> Figure:
    """A built-in figure, or the figure of a file. A process keeps the last few figures, because all clips of a run have
    the same ones."""
    if name in BUILT_IN:
        return _built_in(name)
    if root is None and Path(name).suffix.lower() in ROBOTS and files.format_of(name).name == "URDF":
        root = "free"
    state = os.stat(name)
    return _figure(name, root, state.st_mtime_ns, state.st_size)


def check_figure(options: Options, root: str | None = None) -> None:
    """Reads the figure and its map before a run begins, so that a bad file is one error and not one for each clip.

    Raises:
        ManikinError: the figure or the map cannot be read, or the figure does not have these parts.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes of each clip have the same text
        bone_map(load_figure(options["figure"], root), options["bones"])


@functools.lru_cache(maxsize=4)
def _built_in(name: str) -> Figure:
    if name == "human":
        from manikin.figure.human.human import human

        return human()
    from manikin.figure.quadruped.quadruped import quadruped

    return quadruped()


@functools.lru_cache(maxsize=4)
def _figure(name: str, root: str | None, _changed: int, _size: int) -> Figure:
    return files.load_figure(name, root=root)


def output_ending(figure: str) -> str:
    """The usual extension of a motion of this figure: that of a rig file, whose meshes are kept; .csv for a robot, else
    .bvh. A robot that was saved as JSON is still a robot."""
    ending = Path(figure).suffix.lower()
    if ending in RIGS:
        return ending
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes of each clip have the same text
        made_of = load_figure(figure).source.get("format")
    return ".csv" if made_of in ROBOT_FORMATS else ".bvh"


def check_ending(to: str | None, allowed: Iterable[str] = WRITTEN) -> None:
    """Raises Unsupported if motions cannot be written in this format."""
    if to is not None and to not in allowed:
        raise Unsupported(f"to is {to!r}; motions can be written as {', '.join(sorted(allowed))}")


def save(thing: Any, out: str, like: str | None) -> None:
    """Writes to a file. If `like` has the same format, the file is a copy of it with the new motion."""
    kind = FORMATS[Path(out).suffix.lower()]
    role = {"Figure": kind.save_figure, "Markers": kind.save_markers}.get(type(thing).__name__, kind.save_motion)
    other = FORMATS.get(Path(like).suffix.lower()) if like is not None else None
    same = other is not None and other.module == kind.module and "like" in (role or ())
    files.save(thing, out, like=like if same else None)


def frames_of(motion: Motion, frames: list[int] | None) -> Motion:
    """The frames first to last of a motion.

    Raises:
        BadValue: the motion has fewer frames.
    """
    if frames is None:
        return motion
    first, last = frames
    if last >= len(motion):
        raise BadValue(f"frames is {first} {last}; the clip has frames 0 to {len(motion) - 1}")
    return motion[first : last + 1]


def reader_notes(motion: Motion) -> tuple[str, ...]:
    """Notes of the reader on unusual content, without duplicates. The warnings of the reader have the same text."""
    return tuple(dict.fromkeys((*motion.figure.source.get("notes", ()), *motion.source.get("notes", ()))))
