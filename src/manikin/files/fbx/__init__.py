"""FBX files, read through ufbx. They are not written.

Bones become segments. `read` says which other nodes become segments, and `rig_figure` describes the joints. The
transforms of nodes above the topmost bones are kept. Units, axes and times are those of the file. The rest pose is the
bind pose of the skin, which is also where Blender writes its rest pose. If the clusters of the skin and the bind pose
of the file differ, the clusters are used. Without either, it is the pose without animation.

Files are always read in a separate process: see `child`.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue, NoMotion, Unsupported, listing, unknown_name
from manikin.figure import Figure
from manikin.files.common import oddities
from manikin.files.common.rig import Course, Local, Rig, course
from manikin.files.common.rig_figure import Layout, build, lay_out, poses
from manikin.files.fbx.child import FASTEST
from manikin.files.fbx.read import Scene, local, read_scene, rest, rig_of
from manikin.motion.motion import Motion

if importlib.util.find_spec("ufbx") is None:
    raise ModuleNotFoundError("FBX is read through ufbx", name="ufbx")

PathLike = str | os.PathLike[str]
HOW = (
    'Blender can write FBX: save as .glb, then run `blender -b --python-expr "import bpy; '
    "bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.import_scene.gltf(filepath='in.glb'); "
    "bpy.ops.export_scene.fbx(filepath='out.fbx', add_leaf_bones=False)\"`"
)


def load_figure(path: PathLike) -> Figure:
    """Reads the figure of an FBX file.

    Only a few frames of each animation are read, so a long animation takes no more time than a short one.

    Raises:
        BadFile: the file is broken, hostile, or has no nodes for a figure.

    Warns:
        OddFile: the file is ambiguous or something in it was lost; also in `source["notes"]`.
    """
    figure, _ = _built(_rigged(os.fspath(path)))
    oddities.tell(path, figure.source["notes"])
    return figure


def load_motion(path: PathLike, *, clip: str | None = None, rate: float | None = None) -> Motion:
    """Reads a motion of an FBX file, with its figure.

    Args:
        path: the file.
        clip: name of an animation stack, or the part after its last | (Blender writes `Rig|Walk`). Optional if the file
            has only one.
        rate: frames per second. The default is the rate of the scene, or that of the keys if they are evenly spaced and
            denser. A warning reports other keys that fall between frames.

    Raises:
        BadFile: as for `load_figure`.
        NoMotion: nothing in the file moves.
        BadValue: the file has several clips, and `clip` is not given.
        UnknownName: the file has no clip with this name.
    """
    if rate is not None and arrays.positive(rate, "rate") > FASTEST:
        raise BadValue(f"rate is {rate:g}; the limit is {FASTEST:g} frames per second")
    rigged = _rigged(os.fspath(path), 0, rate)
    index = _chosen(rigged, clip)
    if rigged.scene.clips[index].frames is None:
        rigged = _rigged(os.fspath(path), index, rate)
    chosen = rigged.scene.clips[index]
    frames = chosen.frames
    assert frames is not None
    if frames.dense:
        now = (len(frames.times) - 1) / float(frames.times[-1] - frames.times[0]) if len(frames.times) > 1 else 0.0
        rigged.scene.notes.append(
            f"clip {chosen.name!r} has keys between its frames ({now:g} per second), which are lost; "
            + (f"rate={np.ceil(frames.dense):g} keeps them" if frames.dense <= FASTEST else "a higher rate= loses less")
        )
    moves = rigged.course(frames.times, frames.poses)
    figure, layout = _built(rigged, moves)
    notes = figure.source["notes"]
    source = {"format": "fbx", "clip": chosen.name, "frames": range(len(moves.times)), "notes": notes}
    motion = Motion(figure, poses(layout, moves, figure), moves.times, chosen.name, source=source)
    oddities.tell(path, notes)
    return motion


def save(thing: Figure | Motion, path: PathLike, like: object = None) -> NoReturn:  # noqa: ARG001
    """FBX is not written. The error says how to convert to it.

    Raises:
        Unsupported: always.
    """
    raise Unsupported(f"{os.fspath(path)}: manikin cannot write FBX. {HOW}")


@dataclass(frozen=True, eq=False)
class Rigged:
    """A scene and its rig."""

    scene: Scene
    rig: Rig
    kept: list[int]
    """The index in the scene of each node of the rig."""
    rest: Local

    def course(self, times: Vector, poses: Matrix) -> Course:
        """World placements of the nodes, from their poses (frames, scene nodes, 10)."""
        own = poses[:, self.kept]
        return course(self.rig, times, lambda part: local(own[part]), self.rest)

    @property
    def clips(self) -> list[int]:
        """Indices of the animations that move the figure. A single animation is always included."""
        clips, kept = self.scene.clips, set(self.kept)
        return [k for k, clip in enumerate(clips) if len(clips) == 1 or clip.varying & kept]


def _rigged(path: str, sample: int | None = None, rate: float | None = None) -> Rigged:
    scene = read_scene(path, sample, rate)
    rig, kept, inner = rig_of(scene)
    return Rigged(scene, rig, kept, rest(scene, rig, kept, inner))


def _chosen(rigged: Rigged, clip: str | None) -> int:
    """The index of the animation with this name."""
    scene, known = rigged.scene, rigged.clips
    names = [scene.clips[k].name for k in known]
    if not known:
        raise NoMotion(scene.path, "the file has no animation of its nodes")
    if clip is None:
        if len(known) > 1:
            raise BadValue(f"{scene.path} has {len(known)} clips; choose one with clip=: {listing(names)}")
        return known[0]
    short = [n.rpartition("|")[2] for n in names]
    if clip in names:
        return known[names.index(clip)]
    if short.count(clip) == 1:
        return known[short.index(clip)]
    raise unknown_name(scene.path, "clip", clip, names)


def _built(rigged: Rigged, moves: Course | None = None) -> tuple[Figure, Layout]:
    """The figure that fits all clips of the file, and all frames of one of them."""
    scene = rigged.scene
    clips = [scene.clips[k] for k in rigged.clips]
    courses = [rigged.course(clip.times, clip.poses) for clip in clips] + ([] if moves is None else [moves])
    at_rest = course(rigged.rig, np.zeros(1), lambda _: rigged.rest, rigged.rest)
    layout = lay_out(rigged.rig, at_rest, courses)
    source = {
        "format": "fbx",
        "path": os.path.abspath(scene.path),
        "clips": tuple(clip.name for clip in clips),
        "notes": tuple(dict.fromkeys([*scene.notes, *layout.notes])),
    }
    return build(layout, Path(scene.path).stem, unit=scene.unit, up=scene.up, source=source), layout
