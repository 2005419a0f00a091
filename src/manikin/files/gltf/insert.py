"""Writes a motion into an existing glTF file: adds its animation and leaves everything else unchanged.

The animation with the motion's name is replaced, or a new one is added. A replaced animation keeps the channels that a
motion does not contain (scales, weights of morph targets, nodes that are not segments). It also keeps the keys and
interpolation of every channel that the motion did not change. The other channels are new: LINEAR, with a key in each
frame. Nodes are written relative to their parents in the file, and the scales of their ancestors are divided out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.files.common import oddities
from manikin.files.gltf.builder import Arrays
from manikin.files.gltf.clips import Channel, Clip
from manikin.files.gltf.figure import Source
from manikin.files.gltf.new_file import clock_of, to_xyzw
from manikin.files.gltf.nodes import at_rest
from manikin.files.gltf.rig import Part, Rig, carried, turned
from manikin.files.gltf.sample import SAME, sample
from manikin.files.gltf.tracks import CARRIED_NOISE, TURNED, lean, same_side
from manikin.motion.local import local_rotation, local_translation, slides
from manikin.motion.motion import Motion

PLACED = 1e-6
"""A figure matches the file if its segments are within this distance of the positions in the file, as a fraction of its
size."""
SHIFTED = 1e-8
"""Offsets are the same if they differ by less than this, as a fraction of the figure's size."""


@dataclass(frozen=True, eq=False)
class Moved:
    """The effect of a motion on one node."""

    part: Part
    values: dict[str, Matrix]
    """(n, 3) translations and (n, 4) rotations wxyz, relative to the node's parent in the file."""
    away: dict[str, Vector]
    """(n,) distance of each from the node at rest: length in the figure's space, and radians."""
    before: Matrix
    """K_p, (3, 3) or (n, 3, 3): converts translations to lengths in the figure's space."""
    slack: float
    """An offset counts as unchanged if it is within this distance (a length) of the offset in the file. The distance is
    larger for parts without sliders, whose small displacements the figure ignores."""


def insert(motion: Motion, source: Source, arrays: Arrays) -> dict[str, Any]:
    """The JSON of the file with the motion added. The numbers of its keys are added to `arrays`.

    Raises:
        BadValue: the file has a different figure, or numbers do not fit into 32 bits.
    """
    wrong = difference(motion.figure, source.rig)
    if wrong is not None:
        raise BadValue(
            f"figure {motion.figure.name!r} differs from the figure of {source.document.path}: {wrong}; "
            "retarget the motion to that figure, or save it without like="
        )
    names = [clip.name for clip in source.clips]
    index = names.index(motion.name) if motion.name in names else len(names)
    clip = source.clips[index] if index < len(names) else Clip(motion.name, ())
    moved = moved_nodes(motion, source.rig, clip)
    root = dict(source.document.root)
    animations = list(root.get("animations") or [])
    old = animations[index] if index < len(names) else {"name": motion.name}
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that do not fit are reported when they are written
        animations[index : index + 1] = [_animation(old, clip, moved, motion, arrays)]
    root["animations"] = animations
    root["accessors"] = [*(root.get("accessors") or []), *arrays.accessors]
    root["bufferViews"] = [*(root.get("bufferViews") or []), *arrays.views]
    targets = {c["target"].get("node") for c in animations[index]["channels"]}
    root["nodes"] = [_without_matrix(t, m) if i in targets else t for i, (t, m) in enumerate(_nodes(source))]
    return root


def difference(figure: Figure, rig: Rig) -> str | None:
    """The first difference between a figure and that of a file, apart from limits, masses and shapes; None if they are
    equal."""
    parts = {p.name: p for p in rig.parts}
    for segment in figure.segments:
        part = parts.get(segment.name)
        if part is None:
            if segment.parent is None and not segment.joint.motions:  # the parent of several roots
                continue
            return f"the file has no node {segment.name!r}"
        above = rig.parts[part.parent].name if part.parent >= 0 else None
        if segment.parent != above and (above is not None or segment.parent in parts):
            return f"{segment.name!r} is a child of {segment.parent!r}, but in the file a child of {above!r}"
        first = figure.index_of(segment.joint.name)
        at_rest = local_translation(segment.joint, figure.rest[None, first : first + segment.joint.nq])[0]
        away = float(np.linalg.norm(at_rest - part.offset))
        if away > PLACED * max(rig.size, figure.size):
            return f"{segment.name!r} is {away:.3g} away from its place in the file"
    return None


def moved_nodes(motion: Motion, rig: Rig, clip: Clip) -> Iterator[Moved]:
    """The effect of the motion on each node that is a segment. The scales of the file and of the clip
    are not changed."""
    figure, count = motion.figure, len(motion)
    segments, scaling = set(figure.segment_names), lean(rig, clip)
    stretches: list[Matrix] = []
    for part in rig.parts:
        before = part.before if part.parent < 0 else stretches[part.parent]
        scale = scaling.channel(part.node.index, "scale")
        B = part.node.stretch if scale is None else sample(scale, motion.times)[:, :, None] * np.eye(3)
        if part.name in segments:
            joint = figure.segment(part.name).joint
            first = figure.index_of(joint.name)
            numbers = motion.poses[:, first : first + joint.nq]
            R, offset = local_rotation(joint, numbers), local_translation(joint, numbers)
            # A segment that does not slide stays with its node, although rounded scales may displace the node slightly.
            rest, slack = part.offset, CARRIED_NOISE * rig.size
            if slides(joint):
                rest, slack = before @ part.node.translation, SHIFTED * rig.size
        else:
            R, offset = np.tile(part.rotation, (count, 1)), np.tile(part.offset, (count, 1))
            rest, slack = part.offset, 0.0
        own = turned(R, part.mirror.T)
        away = {
            "translation": np.asarray(np.linalg.norm(offset - rest, axis=1)),
            "rotation": _angle(own, part.node.rotation),
        }
        if part.name in segments:
            values = {"translation": _divided(before, offset), "rotation": same_side(own)}
            yield Moved(part, values, away, before, slack)
        still = before.ndim == 2 and scale is None and (part.uniform or away["rotation"].max() < TURNED)
        stretches.append(part.stretch if still else carried(before, own, R, B))


def _divided(before: Matrix, offset: Points) -> Points:
    """K_p⁻¹ offset. If K_p is singular (a node scaled to zero), the shortest solution."""
    sizes = np.abs(before).max(axis=(-2, -1)) ** 3
    regular = bool((np.abs(np.linalg.det(before)) > 1e-9 * sizes).all())
    inverse = np.linalg.inv(before) if regular else np.linalg.pinv(before, rcond=1e-12)
    return np.asarray((inverse @ offset[:, :, None])[:, :, 0], dtype=np.float64)


def _angle(q: Quaternions, other: Quaternions) -> Vector:
    """(n,) angle between rotations in radians, independent of quaternion signs."""
    turn = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(other), q))
    return np.asarray(np.linalg.norm(turn, axis=-1))


# The animation


def _animation(
    old: dict[str, Any], clip: Clip, moved: Iterator[Moved], motion: Motion, arrays: Arrays
) -> dict[str, Any]:
    """The animation of the file, with new channels in place of those that changed."""
    times = clock_of(motion)
    clock = -1
    fresh: list[tuple[int, str, int]] = []  # node, path, accessor
    gone: set[tuple[int, str]] = set()
    spare: Moved | None = None
    for m in moved:
        spare = spare or m
        for path, values in m.values.items():
            channel = clip.channel(m.part.node.index, path)
            if channel is not None and _unchanged(channel, m, path, motion.times):
                continue
            gone.add((m.part.node.index, path))
            if _leaves_rest(m, path, motion.figure.size):
                clock = arrays.add(times, bounds=True) if clock < 0 else clock
                fresh.append((m.part.node.index, path, arrays.add(to_xyzw(values) if path == "rotation" else values)))
    targets = [(c, c["target"]) for c in old.get("channels") or []]
    channels = [dict(c) for c, target in targets if (target.get("node"), target.get("path")) not in gone]
    # An animation needs a channel even if the motion stays at rest.
    if not channels and not fresh and spare is not None:
        values = to_xyzw(spare.values["rotation"])
        clock = arrays.add(times, bounds=True)
        fresh.append((spare.part.node.index, "rotation", arrays.add(values)))
    # Remove samplers that no channel uses. The others keep their order.
    needed = sorted({int(c["sampler"]) for c in channels})
    samplers = [old["samplers"][k] for k in needed]
    for c in channels:
        c["sampler"] = needed.index(int(c["sampler"]))
    for node, path, output in fresh:
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    return {**old, "channels": channels, "samplers": samplers}


def _leaves_rest(m: Moved, path: str, size: float) -> bool:
    return bool(m.away[path].max() > (TURNED if path == "rotation" else SHIFTED * size))


def _unchanged(channel: Channel, m: Moved, path: str, times: Vector) -> bool:
    """Whether a channel of the file agrees with the motion: all its keys are at frames of the motion, and the values at
    all frames are the same."""
    at = np.searchsorted(times, channel.times).clip(1, max(len(times) - 1, 1))
    nearest = np.minimum(
        np.abs(times[at - 1] - channel.times), np.abs(times[np.minimum(at, len(times) - 1)] - channel.times)
    )
    if (nearest > 2.0 * SAME * np.maximum(np.abs(channel.times), 1.0)).any():
        return False
    values = sample(channel, times)
    if path == "rotation":
        return bool(_angle(m.values[path], values).max() <= TURNED)
    steps = m.before @ (values - m.values[path])[:, :, None]
    return bool(np.linalg.norm(steps, axis=1).max() <= m.slack)


# Nodes


def _nodes(source: Source) -> list[tuple[dict[str, Any], Part | None]]:
    """The nodes of a file in their rest pose, with their parts."""
    things = [at_rest(thing) for thing in source.document.objects("nodes")]
    return [
        (t, source.rig.parts[k] if (k := source.rig.places.get(i)) is not None else None) for i, t in enumerate(things)
    ]


def _without_matrix(thing: dict[str, Any], part: Part | None) -> dict[str, Any]:
    """A node for an animation, with translation, rotation and scale instead of a matrix. An animated node must not have
    a matrix."""
    if part is None or thing.get("matrix") is None:
        return thing
    if part.node.skewed:
        oddities.warn(
            f"the matrix of {part.node.label} is skewed, but an animated node cannot be skewed; the skew is "
            "left out, which moves the children of the node"
        )
    return {
        **{k: v for k, v in thing.items() if k != "matrix"},
        "translation": part.node.translation.tolist(),
        "rotation": to_xyzw(part.node.rotation).tolist(),
        "scale": part.node.scale.tolist(),
    }
