"""Converts a glTF file to a figure and its motions.

A joint of a skin, a bone of a VRM humanoid and a node that a clip rotates get a ball joint (identity at rest). Only VRM
0.x gives it limits. A node that a clip displaces gets three sliders before the ball. They are 0 at rest, along the axes
of the node at rest. All clips count, so all motions of a file have the same figure. The solver holds the sliders,
except those that carry the whole body (see `hold`). The topmost joints of the skins are free; in a VRM, the hips are.
All other nodes are fixed. Each joint gets a capsule around its part of the skinned meshes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manikin import rotations
from manikin.arrays import Poses, Vector
from manikin.errors import listing
from manikin.figure import Ball, Figure, Free, Joint, Segment
from manikin.figure.joint import Motion as JointMotion
from manikin.figure.shapes import Shape
from manikin.files.common.hold import hold
from manikin.files.common.rig_figure import SLIDERS
from manikin.files.gltf import vrm
from manikin.files.gltf.accessors import Accessors
from manikin.files.gltf.clips import Clip, read_clips
from manikin.files.gltf.document import Document
from manikin.files.gltf.document import read as read_document
from manikin.files.gltf.nodes import read_forest
from manikin.files.gltf.rig import SHEARING, Part, Rig, build_rig, choose, shear
from manikin.files.gltf.shapes import skin_shapes
from manikin.files.gltf.skins import Skin, bind, bind_notes, node_matrices, read_skins
from manikin.files.gltf.tracks import lean, leaves_rest, same_side, scaled, sliding, times_of, tracks, turning
from manikin.files.gltf.vrm_limits import cone

BLOCK = 4096
"""Number of frames computed at once."""
MOST_NUMBERS = 100_000_000
"""Largest number of frames times numbers of a pose."""
UNKNOWN_UNIT = "not known; lengths are as in the source"
"""A file written by manikin has this text as its unit if the unit of the figure is unknown."""


@dataclass(frozen=True, eq=False)
class Source:
    """The content of a file, except for the numbers of its motions."""

    document: Document
    accessors: Accessors
    clips: tuple[Clip, ...]
    skins: tuple[Skin, ...]
    humanoid: vrm.Humanoid | None
    rig: Rig
    figure: Figure
    told: tuple[str, ...]
    """Oddities that become warnings."""


def read_source(path: str | os.PathLike[str], within: str | os.PathLike[str] | None = None) -> Source:
    """Reads a file up to its figure. Files that it names must be in its folder, or in `within`.

    Raises:
        BadFile, Unsupported: as `manikin.load_figure`.
    """
    document = read_document(path, within)
    accessors = Accessors(document)
    forest = read_forest(document)
    count = len(forest.nodes)
    skins = read_skins(document, accessors, count)
    humanoid = vrm.read_humanoid(document, count)
    clips = read_clips(document, accessors, count)
    # Joints and bones move, and so do nodes that a clip moves, unless they only hold a skinned mesh.
    jointed = {j for skin in skins for j in skin.joints} | set(humanoid.bones.values() if humanoid else ())
    nodes = forest.nodes
    channels = [c for clip in clips for c in clip.channels if c.node in jointed or not nodes[c.node].skinned]
    animated = {c.node for c in channels if leaves_rest(c, nodes[c.node])}
    if not jointed and not animated:
        document.notes.append("the file has no skin, no humanoid and no animation; every node becomes a joint")
    rig = build_rig(document, forest, choose(forest, jointed | animated, not jointed or _is_ours(document)), jointed)
    if not jointed and not animated:
        jointed = {p.node.index for p in rig.parts}
    lean_clips = [lean(rig, clip) for clip in clips]
    turns, free = _turning(rig, lean_clips, jointed, humanoid)
    slides = sliding(rig, lean_clips, turns, free)
    _tell_shear(document, rig, turns)
    told = tuple(document.notes)
    shapes, shapeless = skin_shapes(document, accessors, skins, rig)
    figure = _figure(document, rig, clips, skins, humanoid, turns, slides, free, shapes, shapeless)
    return Source(document, accessors, clips, skins, humanoid, rig, figure, told)


def _turning(
    rig: Rig, clips: Sequence[Clip], jointed: set[int], humanoid: vrm.Humanoid | None
) -> tuple[set[int], set[int]]:
    """Indices of the parts that turn, and of those that are free."""
    turned = turning(rig, clips)
    hips = humanoid.bones.get("hips") if humanoid else None
    above: set[int] = set()  # the hips carry a human; nodes above them are fixed, unless a clip moves them
    at = rig.parts[rig.places[hips]].parent if hips is not None else -1
    while at >= 0:
        above.add(at)
        at = rig.parts[at].parent
    joints = {rig.places[j] for j in jointed} - above
    topmost: set[int] = set()
    hanging: set[int] = set()  # descendants of a joint
    for k, part in enumerate(rig.parts):
        if part.parent in joints or part.parent in hanging:
            hanging.add(k)
        elif k in joints:
            topmost.add(k)
    return joints | {rig.places[n] for n in turned}, topmost


def _tell_shear(document: Document, rig: Rig, turns: set[int]) -> None:
    carrying = {p.parent for p in rig.parts}
    sheared = [rig.parts[k].name for k in sorted(turns & carrying) if shear(rig.parts[k].before) > SHEARING]
    if sheared:
        document.notes.append(
            "a non-uniform scale shears the nodes that rotate below it, which a figure cannot represent: the "
            f"children of {listing(sheared)} are placed correctly only in the rest pose and in the clips of the file"
        )


# The figure


def _figure(
    document: Document,
    rig: Rig,
    clips: tuple[Clip, ...],
    skins: tuple[Skin, ...],
    humanoid: vrm.Humanoid | None,
    turns: set[int],
    slides: set[int],
    free: set[int],
    shapes: Mapping[str, Shape],
    shapeless: list[str],
) -> Figure:
    limits = _limits(rig, humanoid)
    segments = [Segment(rig.top)] if rig.top else []
    for k, part in enumerate(rig.parts):
        motions: tuple[JointMotion, ...] = SLIDERS if k in slides else ()
        if k in turns:
            motions += (limits.get(k, Ball()),)
        if k in free and k not in limits:
            motions = (Free(),)
        parent = rig.parts[part.parent].name if part.parent >= 0 else rig.top
        joint = Joint(part.name, motions, tuple(part.offset), tuple(part.rotation))
        segments.append(Segment(part.name, parent, joint, shapes=shapes.get(part.name, ())))
    notes = [*document.notes, *bind_notes(skins, rig)]
    if humanoid and humanoid.version == "0.x":
        notes.append(vrm.BACKWARD)
    source = {
        "format": "gltf",
        "path": os.path.abspath(document.path),
        "nodes": {p.name: p.node.index for p in rig.parts},
        "joints": tuple(dict.fromkeys(rig.parts[rig.places[j]].name for skin in skins for j in skin.joints)),
        "bind": bind(skins, rig),
        "clips": tuple(clip.name for clip in clips),
        "notes": tuple(dict.fromkeys(notes)),
        "shapeless": tuple(shapeless),
    }
    if humanoid:
        source["vrm"] = humanoid.version
        source["humanoid"] = {bone: rig.parts[rig.places[n]].name for bone, n in humanoid.bones.items()}
    return Figure(Path(document.path).stem or "figure", hold(segments), unit=_unit(document), up="y", source=source)


def _is_ours(document: Document) -> bool:
    return str(document.root["asset"].get("generator", "")).startswith("manikin ")


def _unit(document: Document) -> float | None:
    """The unit: metres, as in glTF, unless the file was written by manikin with an unknown unit."""
    extras = document.root["asset"].get("extras")
    return None if isinstance(extras, dict) and extras.get("unit") == UNKNOWN_UNIT else 1.0


def _limits(rig: Rig, humanoid: vrm.Humanoid | None) -> dict[int, Ball]:
    """The balls with limits, by part. The tip of a bone is the mean of its child bones."""
    if humanoid is None or not humanoid.muscles:
        return {}
    world = [M[:3, 3] for M in node_matrices(rig)]
    to_world: list[Vector] = []
    for part in rig.parts:
        before = np.array(rotations.IDENTITY) if part.parent < 0 else to_world[part.parent]
        to_world.append(rotations.multiply(before, part.rotation))
    places = {bone: rig.places[node] for bone, node in humanoid.bones.items()}
    found: dict[int, Ball] = {}
    for bone, muscle in humanoid.muscles.items():
        k = places[bone]
        tips = [world[c] - world[k] for c in _next(rig, k, set(places.values()))]
        tip = np.mean(tips, axis=0) if tips else np.zeros(3)
        found[k] = Ball(cone(muscle, bone, tip, rotations.inverse(to_world[k])))
    return found


def _next(rig: Rig, k: int, wanted: set[int]) -> list[int]:
    """The nearest descendants of part k that are in `wanted`."""
    reached = {k}
    found: list[int] = []
    for c in range(k + 1, len(rig.parts)):  # parents come first
        if rig.parts[c].parent in reached:
            if c in wanted:
                found.append(c)
            else:
                reached.add(c)
    return found


# Motions


def poses_of(source: Source, index: int) -> tuple[Vector, Poses, list[str]]:
    """Times (n,) and poses (n, nq) of a clip, and its oddities.

    Raises:
        BadFile: the clip has too many frames.
    """
    figure, rig = source.figure, source.rig
    clip = source.clips[index]
    times = times_of(rig, clip)
    if len(times) * max(figure.nq, 1) > MOST_NUMBERS:
        source.document.fail(f"clip {clip.name!r} has {len(times)} frames of {figure.nq} numbers, which is too many")
    poses = np.empty((len(times), figure.nq))
    poses[:] = figure.rest
    moved = lean(rig, clip)
    for start in range(0, len(times), BLOCK):
        rows = slice(start, start + BLOCK)
        for track in tracks(rig, moved, times[rows]):
            at = figure.index_of(track.part.name)
            joint = figure.segment(track.part.name).joint
            _fill(poses[rows, at : at + joint.nq], joint, track.part, track.rotation, track.offset)
    for ball in figure.layout.balls:
        poses[:, ball : ball + 4] = same_side(poses[:, ball : ball + 4])
    return times, poses, _clip_notes(rig, clip)


def _fill(numbers: Poses, joint: Joint, part: Part, rotation: Vector, offset: Vector) -> None:
    """Sets the numbers of one joint, (n, joint.nq)."""
    back = rotations.inverse(part.rotation)
    last = joint.motions[-1] if joint.motions else None
    if isinstance(last, (Ball, Free)) and rotation.ndim == 2:
        numbers[:, -4:] = rotations.normalized(rotations.multiply(back, rotation))
    if joint.nq in (3, 7) and offset.ndim == 2:
        numbers[:, :3] = rotations.rotate(back, offset - part.offset)


def _clip_notes(rig: Rig, clip: Clip) -> list[str]:
    notes = []
    changed = scaled(rig, clip)
    if changed:
        notes.append(
            f"clip {clip.name!r} scales {listing([p.name for p in changed])}; their children move accordingly, "
            "but segments keep their size"
        )
    return notes
