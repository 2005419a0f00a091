"""Code that the jobs share: their common options, extensions, and saving."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from manikin import files
from manikin.figure.parts.find import bone_map
from manikin.files.formats import FORMATS
from manikin.jobs import Options
from manikin.jobs.loading import TABLES, load_figure
from manikin.jobs.options import MOVING, BadOption, Option
from manikin.motion.motion import Motion
from manikin.motion.result import MotionResult, motion_of

ROBOTS = (".urdf", ".xml", ".mjcf")
ROBOT_FORMATS = ("urdf", "mjcf")
"""`source["format"]` of figures that are robots. A figure keeps it when it is saved as JSON."""
RIGS = (".glb", ".gltf", ".vrm", ".usd", ".usda", ".usdc")
"""Extensions of files that contain more than a figure, such as meshes."""
MOTIONS = frozenset(ending for ending, kind in FORMATS.items() if kind.motion is not None)
WRITTEN = tuple(ending for ending, kind in FORMATS.items() if kind.save_motion is not None)
OUT = Option("out", "motions", "A file to write: .bvh, .glb, .csv, .gif …", (), flags="-o/--out", only="file")
SAFE = Option("safe", "switch", "Read in a separate process with limits, for files from strangers.", False)
RATE = Option("rate", "positive", "Frames per second of tables without times.")
READING = (
    Option("clip", "text", "Which motion, if a file has several.  [default: the first]"),
    Option("of", "figure", "The figure of tables (.csv, .npz)."),
    SAFE,
)
"""Options of jobs that read motions. They also have an option `rate`."""


def to(default: str, ending: str | None = None) -> Option:
    """The option for the format of the results of a folder."""
    text = "Format of the results." + ("" if ending else f"  [default: {default}]")
    return Option("to", "ending", text, ending, choices=WRITTEN, only="folder")


OF_FIGURE = to("that of a rig, .csv for robots, else .bvh")


def motion_endings(options: Options) -> frozenset[str]:
    """Extensions of motions. Tables count only if their figure is given."""
    return MOTIONS if options["of"] is not None else MOTIONS - set(TABLES)


def robot_root(name: str, root: str | None) -> str | None:
    """How the root of a robot moves: freely, unless the user wants it fixed."""
    if root is None and Path(name).suffix.lower() in ROBOTS and files.format_of(name).name == "URDF":
        return "free"
    return root


def check_figure(options: Options, root: str | None = None) -> None:
    """Reads the figure and its map before a run begins, so that a bad file is one error and not one for each clip.

    Raises:
        ManikinError: the figure or the map cannot be read, or the figure does not have these parts.
    """
    bone_map(load_figure(options["figure"], root), options["bones"])


def figure_ending(_: str, options: Options) -> str:
    """The usual extension of a motion of the figure: that of a rig file, whose meshes are kept; .csv for a robot, else
    .bvh. A robot that was saved as JSON is still a robot."""
    ending = Path(options["figure"]).suffix.lower()
    if options["to"] is not None or ending in RIGS:
        return options["to"] or ending
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes of each clip have the same text
        figure = load_figure(options["figure"], robot_root(options["figure"], None))
    return ".csv" if figure.source.get("format") in ROBOT_FORMATS else ".bvh"


def save(thing: Motion | MotionResult, out: str, like: str | None = None) -> None:
    """Writes to a file: an animation, or in the format of the file. If `like` has the same format, the file is a copy
    of it with the new motion: with its meshes, its other clips and the numbers that did not change."""
    if Path(out).suffix.lower() in MOVING:
        from manikin.view.animation import animate

        animate(thing, out)
        return
    same = like is not None and takes_like(motion_of(thing), out, like)
    files.save(thing, out, like=like if same else None)


def takes_like(thing: Any, out: str, like: str) -> bool:
    """Whether a file can be written like another one, because both have the same format."""
    kind, other = FORMATS[Path(out).suffix.lower()], FORMATS.get(Path(like).suffix.lower())
    takes = getattr(kind, f"save_{type(thing).__name__.lower()}") or ()
    return other is not None and other.module == kind.module and "like" in takes


def frames_of(motion: Motion, frames: list[int] | None) -> Motion:
    """The frames first to last of a motion.

    Raises:
        BadOption: the motion has fewer frames.
    """
    if frames is None:
        return motion
    first, last = frames
    if last >= len(motion):
        raise BadOption("frames", f"is {first} {last}; the clip has frames 0 to {len(motion) - 1}")
    return motion[first : last + 1]
