"""glTF 2.0 files (.gltf, .glb) and VRM (.vrm): figures and motions in and out.

Reading: `document`, `buffers` and `accessors` (the file), `nodes`, `skins`, `clips` and
`vrm` (what is in it), `rig`, `tracks` and `figure` (what becomes of it). Writing: into a file of the
user's (`insert`, `write`), or a new one with simple shapes (`new_file`).
"""

from __future__ import annotations

import os

from manikin.errors import BadValue, NoMotion, Unsupported, listing
from manikin.figure import Figure
from manikin.files.common import oddities
from manikin.files.gltf import clips, new_file
from manikin.files.gltf.figure import poses_of, read_source
from manikin.files.gltf.write import write_into
from manikin.motion.motion import Motion

PathLike = str | os.PathLike[str]


def load_figure(path: PathLike, *, within: PathLike | None = None) -> Figure:
    """The figure of a glTF or VRM file; its rest pose is that of the nodes.

    Its `source` has "nodes" (which node each segment is), "joints" (segments that are joints of a skin), "bind" (where
    each of them was bound, 4×4 in the space of the mesh), "clips" (names of the animations), "notes", and for a VRM
    "humanoid" (the segment of each bone, by the name of the bone in VRM) and "vrm" ("0.x" or "1.0").

    Args:
        path: the file.
        within: a folder above the file that holds the files which it names; None for the file's own folder.

    Raises:
        BadFile: the file is cut off or wrong.
        Unsupported: another version of glTF, or what is needed is compressed.
    """
    source = read_source(path, within)
    oddities.tell(path, source.told)
    return source.figure


def load_motion(path: PathLike, *, clip: str | None = None, within: PathLike | None = None) -> Motion:
    """One of the animations of a glTF or VRM file, with its figure.

    Its frames are at the times of all keys of the animation (see `sample`).

    Args:
        path: the file.
        clip: the name of an animation, or its number from 0 as text. Where none is given the first is taken, with a
            warning that names the others.
        within: as for `load_figure`.

    Raises:
        BadFile, Unsupported: as for `load_figure`.
        NoMotion: there is no animation.
        UnknownName: there is no such animation; with those there are.
    """
    source = read_source(path, within)
    if not source.clips:
        raise NoMotion(path, "the file has no animation, so there is no motion to load")
    index = clips.choose(source.clips, clip, os.fspath(path))
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
    thing: Figure | Motion,
    path: PathLike,
    like: PathLike | Figure | Motion | None = None,
    within: PathLike | None = None,
) -> None:
    """Write a motion into a glTF or VRM file of the user's, or a figure or motion as a new one with simple shapes.

    Args:
        thing: a Motion, or (without `like`) a Figure in its rest pose.
        path: where to, .gltf, .glb or .vrm; replaced in one move when all is written. May be `like` itself.
        like: the file whose figure it is, or the figure or motion read from it. The animation of the motion's name is
            replaced or a new one added; meshes, materials, extensions and other animations stay as they are.
        within: a folder above `like` that holds the files which that one names.

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
        new_file.save(thing, path)
        return
    if not isinstance(thing, Motion):
        raise BadValue("like= takes a Motion to put into the file; a figure alone has nothing that is not there")
    if isinstance(like, (Figure, Motion)):
        if like.source.get("format") != "gltf":
            raise BadValue(f"like={like!r} was not read from a glTF file; it needs one, or the path of one")
        like = str(like.source["path"])
    write_into(thing, path, read_source(like, within))
