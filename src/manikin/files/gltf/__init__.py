"""glTF 2.0 files (.gltf, .glb) and VRM files (.vrm): reads and writes figures and motions.

`document`, `buffers` and `accessors` read the file. `nodes`, `skins`, `clips` and `vrm` read its content. `rig`,
`tracks` and `figure` convert the content to figures and motions. `insert` and `write` put a motion into an existing
file, and `new_file` writes a new file with simple shapes.
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
    """Reads the figure of a glTF or VRM file. The rest pose is that of the nodes.

    Its `source` has "nodes" (the node of each segment), "joints" (segments that are joints of a skin), "bind" (the bind
    pose of each of them, 4×4 in the space of the mesh), "clips" (names of the animations), "notes", and for a VRM
    "humanoid" (the segment of each bone, by the name of the bone in VRM) and "vrm" ("0.x" or "1.0").

    Args:
        path: the file.
        within: a folder above the file that contains all files that it names; None means the folder of the file.

    Raises:
        BadFile: the file is cut off or wrong.
        Unsupported: the version of glTF is not 2, or needed data is compressed and cannot be decoded.
    """
    source = read_source(path, within)
    oddities.tell(path, source.told)
    return source.figure


def load_motion(path: PathLike, *, clip: str | None = None, within: PathLike | None = None) -> Motion:
    """Reads one animation of a glTF or VRM file, with its figure.

    Its frames are at the times of all keys of the animation (see `sample`).

    Args:
        path: the file.
        clip: the name of an animation, or its index from 0 as text. The default is the first, with a warning that names
            the others.
        within: as for `load_figure`.

    Raises:
        BadFile, Unsupported: as for `load_figure`.
        NoMotion: the file has no animation.
        UnknownName: no animation has this name; the message lists those of the file.
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
            f"the file has {len(others) + 1} clips; the first, {name!r}, is used; choose another with clip=: "
            f"{listing(others, 40)}"
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
    """Writes a motion into an existing glTF or VRM file, or a figure or motion as a new file with simple shapes.

    Args:
        thing: a Motion, or (without `like`) a Figure in its rest pose.
        path: a .gltf, .glb or .vrm file. An existing file is replaced atomically. May be `like` itself.
        like: the file with the same figure, or a figure or motion read from it. The animation with the motion's name is
            replaced or added. Meshes, materials, extensions and other animations are unchanged.
        within: a folder above `like` that contains all files that it names.

    Raises:
        BadValue: the file has a different figure, or numbers do not fit into 32 bits.
        Unsupported: `path` is a new .vrm, which needs data that a figure does not have.
    """
    if like is None:
        if os.fsdecode(path).lower().endswith(".vrm"):
            raise Unsupported(
                f"{os.fsdecode(path)}: a new VRM needs a mesh and its licence, which a figure does not have; "
                "pass a VRM as like= to put the motion into it, or save as .glb"
            )
        new_file.save(thing, path)
        return
    if not isinstance(thing, Motion):
        raise BadValue("like= needs a Motion to put into the file, got a Figure")
    if isinstance(like, (Figure, Motion)):
        if like.source.get("format") != "gltf":
            raise BadValue(
                f"like={like!r} was not read from a glTF file; like= needs the path of a glTF file, "
                "or a figure or motion read from one"
            )
        like = str(like.source["path"])
    write_into(thing, path, read_source(like, within))
