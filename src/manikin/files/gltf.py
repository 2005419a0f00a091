"""glTF 2.0 files (.gltf, .glb) and VRM (.vrm): figures and motions in and out.

Reading: `gltf_document`, `gltf_buffers` and `gltf_accessors` (the file), `gltf_nodes`, `gltf_skins`, `gltf_clips` and
`vrm` (what is in it), `gltf_rig`, `gltf_tracks` and `gltf_figure` (what becomes of it). Writing: into a file of the
user's (`gltf_insert`, `gltf_write`), or a new one with simple shapes (`glb`).
"""

from __future__ import annotations

import os

from manikin.errors import BadValue, NoMotion, Unsupported, listing
from manikin.figure import Figure
from manikin.files import glb, gltf_clips, oddities
from manikin.files.gltf_figure import poses_of, read_source
from manikin.files.gltf_write import write_into
from manikin.motion.motion import Motion


def load_figure(path: str | os.PathLike[str]) -> Figure:
    """The figure of a glTF or VRM file; its rest pose is that of the nodes.

    Its `source` has "nodes" (which node each segment is), "joints" (segments that are joints of a skin), "bind" (where
    each of them was bound, 4×4 in the space of the mesh), "clips" (names of the animations), "notes", and for a VRM
    "humanoid" (the segment of each bone, by the name of the bone in VRM) and "vrm" ("0.x" or "1.0").

    Raises:
        BadFile: the file is cut off or wrong.
        Unsupported: another version of glTF, or what is needed is compressed.
    """
    source = read_source(path)
    oddities.tell(path, source.told)
    return source.figure


def load_motion(path: str | os.PathLike[str], *, clip: str | None = None) -> Motion:
    """One of the animations of a glTF or VRM file, with its figure.

    Its frames are at the times of all keys of the animation (see `gltf_sample`).

    Args:
        path: the file.
        clip: the name of an animation, or its number from 0 as text. Where none is given the first is taken, with a
            warning that names the others.

    Raises:
        BadFile, Unsupported: as for `load_figure`.
        NoMotion: there is no animation.
        UnknownName: there is no such animation; with those there are.
    """
    source = read_source(path)
    if not source.clips:
        raise NoMotion(path, "the file has no animation, so there is no motion to load")
    index = gltf_clips.choose(source.clips, clip, os.fspath(path))
    times, poses, notes = poses_of(source, index)
    name = source.clips[index].name
    others = [c.name for c in source.clips if c.name != name]
    if clip is None and others:
        notes.append(
            f"of {len(others) + 1} clips the first, {name!r}, is taken; clip= names another: {listing(others, 40)}"
        )
    told = (*source.told, *notes)
    kept = {"format": "gltf", "path": source.figure.source["path"], "clip": name, "notes": told}
    poses.flags.writeable = False
    motion = Motion(source.figure, poses, times, name, source=kept)
    oddities.tell(path, told)
    return motion


def save(
    thing: Figure | Motion, path: str | os.PathLike[str], like: str | os.PathLike[str] | Figure | Motion | None = None
) -> None:
    """Write a motion into a glTF or VRM file of the user's, or a figure or motion as a new one with simple shapes.

    Args:
        thing: a Motion, or (without `like`) a Figure in its rest pose.
        path: where to, .gltf, .glb or .vrm; replaced in one move when all is written. May be `like` itself.
        like: the file whose figure it is, or the figure or motion read from it. The animation of the motion's name is
            replaced or a new one added; meshes, materials, extensions and other animations stay as they are.

    Raises:
        BadValue: the motion is of another figure than the file's, or numbers do not fit 32 bits.
        Unsupported: a new .vrm, which needs more than a figure has.
    """
    if like is None:
        if os.fsdecode(path).lower().endswith(".vrm"):
            raise Unsupported(
                f"{os.fsdecode(path)}: a new VRM needs a mesh and its licence, which a figure does not have; "
                "like= names a VRM to put the motion into, or save it as .glb"
            )
        glb.save(thing, path)
        return
    if not isinstance(thing, Motion):
        raise BadValue("like= takes a Motion to put into the file; a figure alone has nothing that is not there")
    if isinstance(like, (Figure, Motion)):
        if like.source.get("format") != "gltf":
            raise BadValue(f"like={like!r} was not read from a glTF file; it needs one, or the path of one")
        like = str(like.source["path"])
    write_into(thing, path, read_source(like))
