"""USD files: skeletons and their animations (UsdSkel), through Pixar's library.

To read a file, `guard` checks its bytes, `layers` checks the files that it refers to, and `stage` opens it. `skeleton`
reads the joints and `clip` the animations. `rig` and `rig_figure` turn them into figures and motions, and `content`
collects the result. `write` makes a new stage; `like` puts a motion into a copy of an existing stage.

All skeletons of a stage make one figure: if there are several skeletons or several roots, they become children of a
fixed segment named Roots. The transforms of the prims above a skeleton are kept, so placements are in the world space
of the stage. Lengths, up axis and times are those of the stage: `figure.unit` is metersPerUnit (0.01 by default, as in
USD), and a time in seconds is the time code divided by timeCodesPerSecond.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from manikin.base import writing
from manikin.errors import BadValue, NoMotion, Unsupported, listing, unknown_name
from manikin.figure import Figure
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
    """Reads the figure of a USD file. The rest pose is restTransforms, or the bind pose if there are none.

    Args:
        path: .usd, .usda, .usdc or .usdz.
        skeleton: path or name of one Skeleton prim; None reads all.
        within: a folder above the file that contains all layers of the stage; None means the folder of the file.

    Raises:
        BadFile: the file is broken, hostile, or has no skeleton.
        Unsupported: the stage uses composition that is not supported; the message says what to do.
        UnknownName: no skeleton has this name.

    Warns:
        OddFile: the file is ambiguous or something in it was lost; also in `source["notes"]`.
    """
    content = read(os.fspath(path), None if skeleton is None else (skeleton,), within)
    oddities.tell(path, content.figure.source["notes"])
    return content.figure


def load_motion(
    path: PathLike, *, clip: str | None = None, skeleton: str | None = None, within: PathLike | None = None
) -> Motion:
    """Reads a motion of a USD file, with its figure, at the time samples of the file.

    Args:
        path: .usd, .usda, .usdc or .usdz.
        clip: name or path of a SkelAnimation prim; by default the one that the skeleton is bound to.
        skeleton, within: as for `load_figure`.

    Raises:
        BadFile, Unsupported, UnknownName, OddFile: as for `load_figure`.
        NoMotion: nothing in the file moves.
        BadValue: there are several animations, none is bound, and `clip` is not given.
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
    """Writes a figure or a motion as a new stage, or a motion into a copy of an existing stage.

    A new stage has a SkelRoot with a Skeleton (joint names are segment names; it has the rest pose) and, for a motion,
    a SkelAnimation bound to it. With `like`, only the animation of the clip is replaced. Meshes, materials, rest pose,
    other animations and referenced layers stay. Numbers that the motion did not change keep their value in the file.

    Args:
        thing: a Figure or a Motion.
        path: .usda (text), .usdc or .usd (binary). An existing file is replaced atomically.
        like: a USD file, or the figure or motion read from one.
        within: a folder above `like` that contains all layers of that stage.

    Raises:
        BadValue: `like` has a different figure.
        Unsupported: .usdz cannot be written.
    """
    name = os.fspath(path)
    ending = Path(name).suffix.lower()
    if ending == ".usdz":
        raise Unsupported(
            f'{name}: manikin cannot write .usdz; save as .usdc and pack it with `python -c "from pxr import UsdUtils; '
            f"UsdUtils.CreateNewUsdzPackage('{Path(name).stem}.usdc', '{Path(name).stem}.usdz')\"`"
        )
    motion = thing if isinstance(thing, Motion) else None
    require((thing.figure if isinstance(thing, Motion) else thing).segment_names, "segment", "USD", r"\x00")
    with speaking(name):
        if like is None:
            layer = write.new_layer(thing)
        else:
            if motion is None:
                raise BadValue(f"like= needs a Motion to put into the stage, got {thing!r}")
            layer = edited_layer(motion, _read_like(motion, like, within), name)
        with writing.writing_path(name) as made:
            if not layer.Export(str(made)):
                raise OSError(errno.EIO, "USD could not write the file", name)


def _chosen(content: Content, clip: str | None, notes: list[str]) -> int:
    """The index of the clip with this name. Without a name, the clip that the stage plays."""
    path, clips = content.opened.path, content.clips
    names = [c.name for c in clips]
    if clip is not None:
        for k, c in enumerate(clips):
            if clip == c.name or clip in c.animations:
                return k
        raise unknown_name(path, "clip", clip, names)
    if not clips:
        raise NoMotion(path, "the file has no animation of its joints (a SkelAnimation prim)")
    plays = clips[0].played
    if not plays and len(clips) > 1:
        raise BadValue(
            f"{path} has {len(clips)} clips, and its skeletons are bound to none of them; choose one "
            f"with clip=: {listing(names)}"
        )
    if not plays:
        notes.append(f"no skeleton is bound to an animation; {clips[0].name} is the only one that fits, so it is used")
    return 0


def _read_like(motion: Motion, like: Any, within: PathLike | None) -> Content:
    """The stage that `like` is or was read from, reduced to the skeletons of the motion's figure."""
    path = like
    if isinstance(like, (Figure, Motion)):
        path = like.source.get("path") if like.source.get("format") == "usd" else None
        if path is None:
            raise BadValue(
                f"like={like!r} was not read from a USD file; like= needs the path of a USD file, or "
                "a figure or motion read from one"
            )
    known = motion.figure.source if motion.figure.source.get("format") == "usd" else {}
    return read(os.fspath(path), [p for p, _ in known.get("skeletons", ())] or None, within)
