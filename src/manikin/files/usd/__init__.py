"""USD files: skeletons and their animations (UsdSkel), through Pixar's library.

Reading: `guard` (bytes), `layers` (files that refer to each other), `stage` (opening), `skeleton`
(joints), `clip` (animations), `rig` and `rig_figure` (what they become), `content` (all of it). Writing: a new
stage (`write`), or the motion into a copy of the user's own (`like`).

All skeletons of a stage make one figure: where there are several, or one with several roots, they hang on a fixed
segment called Roots. What stands above a skeleton is kept, so that placements are in the world of the stage. Lengths,
up axis and times are the stage's: `figure.unit` is metersPerUnit (0.01 where it says nothing, as in USD), and a time is
the time code over timeCodesPerSecond.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from manikin.errors import BadValue, NoMotion, Unsupported, listing, unknown_name
from manikin.figure import Figure
from manikin.files import atomic
from manikin.files.common import oddities
from manikin.files.common.names import require
from manikin.files.common.rig_figure import poses
from manikin.files.usd import write
from manikin.files.usd.content import Content, read
from manikin.files.usd.like import edited_layer
from manikin.files.usd.stage import speaking
from manikin.motion.motion import Motion

PathLike = str | os.PathLike[str]


def load_figure(path: PathLike, *, skeleton: str | None = None, within: PathLike | None = None) -> Figure:
    """The figure of a USD file: its rest pose is restTransforms, or the bind pose where there are none.

    Args:
        path: .usd, .usda, .usdc or .usdz.
        skeleton: path (or name) of one Skeleton prim, where not all are wanted.
        within: a folder above the file that holds the layers which it names; None for the file's own folder.

    Raises:
        BadFile: the file is broken, hostile, or has no skeleton.
        Unsupported: it is put together in a way that is not read; with what to do.
        UnknownName: there is no such skeleton.

    Warns:
        OddFile: something could not be kept or was taken in one of several ways; also in `source["notes"]`.
    """
    content = read(os.fspath(path), None if skeleton is None else (skeleton,), within)
    oddities.tell(path, content.figure.source["notes"])
    return content.figure


def load_motion(
    path: PathLike, *, clip: str | None = None, skeleton: str | None = None, within: PathLike | None = None
) -> Motion:
    """A motion of a USD file, with its figure, at the time samples that the file has.

    Args:
        path: .usd, .usda, .usdc or .usdz.
        clip: name (or path) of a SkelAnimation prim; where none is given, the one that the skeleton is bound to.
        skeleton, within: as for `load_figure`.

    Raises:
        BadFile, Unsupported, UnknownName, OddFile: as for `load_figure`.
        NoMotion: nothing in the file moves.
        BadValue: there are several animations, none bound, and none was named.
    """
    content = read(os.fspath(path), None if skeleton is None else (skeleton,), within)
    notes = list(content.figure.source["notes"])
    k = _chosen(content, clip, notes)
    chosen, moves = content.clips[k], content.courses[k]
    figure = content.figure.replaced(source={**content.figure.source, "notes": tuple(notes)})
    source = {
        "format": "usd",
        "path": content.figure.source["path"],
        "clip": chosen.name,
        "animations": chosen.animations,
        "frames": range(len(moves.times)),
        "notes": tuple(notes),
    }
    motion = Motion(figure, poses(content.layout, moves, figure), moves.times, chosen.name, source=source)
    oddities.tell(path, notes)
    return motion


def save(
    thing: Figure | Motion,
    path: PathLike,
    like: PathLike | Figure | Motion | None = None,
    within: PathLike | None = None,
) -> None:
    """Write a motion, or a figure, as a new stage; or a motion into a copy of the user's own stage.

    A new stage has a SkelRoot with a Skeleton (joints called as segments, rest pose) and, for a motion, a SkelAnimation
    bound to it. With `like`, everything of that stage stays (meshes, materials, rest pose, other animations, layers
    that it refers to) and the animation of the clip gets the motion's poses; numbers that the motion did not change are
    written as they stood.

    Args:
        thing: a Figure or a Motion.
        path: .usda (text), .usdc or .usd (binary). Replaced in one move when all is written.
        like: a USD file, or the figure or motion read from one.
        within: a folder above `like` that holds the layers which that one names.

    Raises:
        BadValue: `like` holds another figure.
        Unsupported: .usdz cannot be written.
    """
    name = os.fspath(path)
    ending = Path(name).suffix.lower()
    if ending == ".usdz":
        raise Unsupported(
            f'{name}: .usdz is not written; save as .usdc and pack it with `python -c "from pxr import UsdUtils; '
            f"UsdUtils.CreateNewUsdzPackage('{Path(name).stem}.usdc', '{Path(name).stem}.usdz')\"`"
        )
    motion = thing if isinstance(thing, Motion) else None
    require((thing.figure if isinstance(thing, Motion) else thing).segment_names, "segment", "USD", r"\x00")
    with speaking(name):
        if like is None:
            layer = write.new_layer(thing)
        else:
            if motion is None:
                raise BadValue(f"like= puts a motion into a stage; {thing!r} is a figure without one")
            layer = edited_layer(motion, _read_like(motion, like, within), name)
        atomic.write(name, write.exported(layer, ending))


def _chosen(content: Content, clip: str | None, notes: list[str]) -> int:
    """The index of a clip by name; of the one that the stage plays where none is named."""
    path, clips = content.opened.path, content.clips
    names = [c.name for c in clips]
    if clip is not None:
        for k, c in enumerate(clips):
            if clip == c.name or clip in c.animations:
                return k
        raise unknown_name(path, "clip", clip, names)
    if not clips:
        raise NoMotion(path, "there is no animation of its joints in it (a SkelAnimation prim)")
    plays = clips[0].played
    if not plays and len(clips) > 1:
        raise BadValue(f"{path} has {len(clips)} clips, and plays none of them by itself; name one: {listing(names)}")
    if not plays:
        notes.append(f"no skeleton is bound to an animation; {clips[0].name} is the only one that fits, and is taken")
    return 0


def _read_like(motion: Motion, like: Any, within: PathLike | None) -> Content:
    """The stage that `like` is or was read from, with those of its skeletons that the motion's figure has."""
    path = like
    if isinstance(like, (Figure, Motion)):
        path = like.source.get("path") if like.source.get("format") == "usd" else None
        if path is None:
            raise BadValue(f"like={like!r} was not read from a USD file; it needs one, or the path of one")
    known = motion.figure.source if motion.figure.source.get("format") == "usd" else {}
    return read(os.fspath(path), [p for p, _ in known.get("skeletons", ())] or None, within)
