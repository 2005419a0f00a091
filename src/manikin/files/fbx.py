"""FBX files, read through ufbx; not written.

Bones become segments (`fbx_read` says what else does, and `rig_figure` how they move); nodes above the topmost bones
are kept as where they stand. Units, axes and times are the file's. The rest pose is the one in which the skin was bound
(Blender's own rest pose is written there), or the pose without animation where the file has none.

Reading happens in a process of its own, always: see `fbx_child`.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import NoReturn

import numpy as np

from manikin.errors import BadValue, NoMotion, Unsupported, listing, unknown_name
from manikin.figure import Figure
from manikin.files import oddities
from manikin.files.fbx_read import Clip, Scene, local, read_scene, rest, rig_of
from manikin.files.rig import Course, course
from manikin.files.rig_figure import Layout, build, lay_out, poses
from manikin.motion.motion import Motion

if importlib.util.find_spec("ufbx") is None:
    raise ModuleNotFoundError("FBX is read through ufbx", name="ufbx")

PathLike = str | os.PathLike[str]
HOW = (
    'Blender makes FBX of it: save as .glb, then `blender -b --python-expr "import bpy; '
    "bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.import_scene.gltf(filepath='in.glb'); "
    "bpy.ops.export_scene.fbx(filepath='out.fbx', add_leaf_bones=False)\"`"
)


def load_figure(path: PathLike) -> Figure:
    """The figure of an FBX file.

    Raises:
        BadFile: the file is broken, hostile, or has nothing that could be a figure.

    Warns:
        OddFile: something could not be kept or was taken in one of several ways; also in `source["notes"]`.
    """
    figure = _read(os.fspath(path))[0]
    oddities.tell(path, figure.source["notes"])
    return figure


def load_motion(path: PathLike, *, clip: str | None = None) -> Motion:
    """A motion of an FBX file, with its figure, at the file's frames per second.

    Args:
        path: the file.
        clip: name of an animation stack, or what stands after the last | in it (Blender writes `Rig|Walk`). Where none
            is given, the file must have just one.

    Raises:
        BadFile: as for `load_figure`.
        NoMotion: nothing in it moves.
        BadValue: it has several clips, and none was named.
        UnknownName: it has no such clip.
    """
    figure, scene, layout, clips = _read(os.fspath(path))
    names = [c.name for c, _ in clips]
    if not clips:
        raise NoMotion(path, "there is no animation of its nodes in it")
    if clip is None:
        if len(clips) > 1:
            raise BadValue(f"{scene.path} has {len(clips)} clips; name one of them: {listing(names)}")
        k = 0
    else:
        short = [n.rpartition("|")[2] for n in names]
        k = names.index(clip) if clip in names else short.index(clip) if short.count(clip) == 1 else -1
        if k < 0:
            raise unknown_name(scene.path, "clip", clip, names)
    moves = clips[k][1]
    source = {"format": "fbx", "clip": names[k], "frames": range(len(moves.times)), "notes": figure.source["notes"]}
    motion = Motion(figure, poses(layout, moves, figure), moves.times, names[k], source=source)
    oddities.tell(path, figure.source["notes"])
    return motion


def save(thing: Figure | Motion, path: PathLike, like: object = None) -> NoReturn:  # noqa: ARG001
    """FBX is not written; the error says how to come by it.

    Raises:
        Unsupported: always.
    """
    raise Unsupported(f"{os.fspath(path)}: FBX is not written. {HOW}")


def _read(path: str) -> tuple[Figure, Scene, Layout, list[tuple[Clip, Course]]]:
    scene = read_scene(path)
    rig, kept, inner = rig_of(scene)
    at_rest = rest(scene, rig, kept, inner)
    clips = []
    for clip in scene.clips:
        own = clip.poses[:, kept]
        if len(scene.clips) == 1 or (own != own[:1]).any():  # a stack that moves other things is none of the figure's
            moves = course(rig, clip.times, lambda part, own=own: local(own[part]), at_rest)  # type: ignore[misc]
            clips.append((clip, moves))
    layout = lay_out(rig, course(rig, np.zeros(1), lambda _: at_rest, at_rest), [moves for _, moves in clips])
    source = {
        "format": "fbx",
        "path": os.path.abspath(path),
        "clips": tuple(clip.name for clip, _ in clips),
        "notes": tuple(dict.fromkeys([*scene.notes, *layout.notes])),
    }
    figure = build(layout, Path(path).stem, unit=scene.unit, up=scene.up, source=source)
    return figure, scene, layout, clips
