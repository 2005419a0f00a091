"""The placement of each part of a rig relative to its parent over the frames of a clip, and the parts that slide.

A track converts the translations, rotations and scales of the file for a rigid figure (see `rig`). It has a rotation R'
and an offset K_p t, both in the parent's space. If scales are animated or cause shear, K_p is computed for each frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.files.gltf.clips import LINEAR, Channel, Clip
from manikin.files.gltf.nodes import Node
from manikin.files.gltf.rig import Part, Rig, carried, turned
from manikin.files.gltf.sample import axis, sample

NOISE = 1e-6
"""A joint slides if a clip displaces it relative to its parent by more than this, as a fraction of the figure's size.
Exporters write a translation and a scale for every joint, and these vary slightly by rounding."""
CARRIED_NOISE = 1e-5
"""The same limit for a part that is not a joint, such as a tip or a prop. An effector that slides would be useless."""
LEAST_NOISE = 1e-9
"""If the ignored displacements add up to more than `LEFT_OUT`, the limit `NOISE` is reduced, but not below this."""
LEFT_OUT = 7e-7
"""Largest displacement of a joint in the world by all ignored displacements, as a fraction of the figure's size."""
TURNED = 1e-7
"""A rotation that differs from the rest by less than this, in radians, is ignored."""
SCALED = 1e-4
"""A note reports a scale that a clip changes by more than this fraction. Smaller changes are rounding."""
LOOKS = 128
"""Number of evenly spaced frames of a clip in which ignored displacements are measured."""
MOST_LOOKED = 4_000_000
"""Largest number of frames times parts in which they are measured."""


@dataclass(frozen=True, eq=False)
class Track:
    """A part over n frames."""

    part: Part
    rotation: Quaternions
    """(n, 4) wxyz, to the parent's space; (4,) if the clip does not rotate it."""
    offset: Points
    """(n, 3) origin in the parent's space, length; (3,) if the clip does not displace it."""
    before: Matrix
    """K_p, (3, 3) if it is constant, otherwise (n, 3, 3)."""


def times_of(rig: Rig, clip: Clip) -> Vector:
    """(n,) the times of the frames of a clip in seconds: all keys that rotate or displace a part."""
    own = [c for c in clip.channels if c.node in rig.places]
    carrying = {rig.parts[p.parent].node.index for p in rig.parts if p.parent >= 0}
    scaling = {p.node.index for p in scaled(rig, clip)} & carrying
    return axis([c for c in own if c.path != "scale" or c.node in scaling] or own)


def lean(rig: Rig, clip: Clip) -> Clip:
    """A clip without the channels that stay at rest, and without those of nodes that are not parts."""
    own = [c for c in clip.channels if c.node in rig.places]
    return Clip(clip.name, tuple(c for c in own if leaves_rest(c, rig.parts[rig.places[c.node]].node, 0.0)))


def leaves_rest(channel: Channel, node: Node, tolerance: float = 1e-6) -> bool:
    """Whether a key of a channel differs from the node at rest. The tolerance is relative to the larger of its numbers
    and 1."""
    rest = {"translation": node.translation, "rotation": node.rotation, "scale": node.scale}[channel.path]
    tangents = [m for m in (channel.arriving, channel.leaving) if m is not None]
    most = tolerance * max(float(np.abs(rest).max()), 1.0)
    side = np.where(channel.values @ rest < 0.0, -1.0, 1.0)[:, None] if channel.path == "rotation" else 1.0
    return bool((np.abs(side * channel.values - rest) > most).any() or any((m != 0.0).any() for m in tangents))


def tracks(rig: Rig, clip: Clip, times: Vector) -> Iterator[Track]:
    """The tracks of all parts, in order. Channels of nodes that are not parts have no effect."""
    stretches: list[Matrix] = []
    for part in rig.parts:
        before = part.before if part.parent < 0 else stretches[part.parent]
        turn, shift, scale = (clip.channel(part.node.index, path) for path in ("rotation", "translation", "scale"))
        own = part.node.rotation if turn is None else sample(turn, times)
        R = part.rotation if turn is None else turned(own, part.mirror)
        t = part.node.translation if shift is None else sample(shift, times)
        offset = part.offset if shift is None and before.ndim == 2 else (before @ t[..., None])[..., 0]
        yield Track(part, R, offset, before)
        still = before.ndim == 2 and scale is None and (turn is None or part.uniform)
        stretches.append(part.stretch if still else carried(before, own, R, _stretch(part, scale, times)))


def _stretch(part: Part, scale: Channel | None, times: Vector) -> Matrix:
    """B, (3, 3) or (n, 3, 3)."""
    return part.node.stretch if scale is None else sample(scale, times)[:, :, None] * np.eye(3)


# What slides


def sliding(rig: Rig, clips: Sequence[Clip], joints: set[int], free: set[int]) -> set[int]:
    """Indices of the parts that slide. A clip displaces them relative to their parents by more than `NOISE`, or by less
    if the ignored displacements would add up. Parts in `free` are included."""
    displacing = [c for c in clips if _displaces(rig, c)]
    looks = [_look(rig, clip) for clip in displacing]
    moved = np.zeros(len(rig.parts))
    for clip, look in zip(displacing, looks, strict=True):
        for k, track in enumerate(look):
            moved[k] = max(moved[k], _farthest(track.offset - track.part.offset), _farthest_key(clip, track))
    carried_along = set(range(len(rig.parts))) - joints
    threshold = NOISE
    while True:
        noise = [(CARRIED_NOISE if k in carried_along else threshold) * rig.size for k in range(len(rig.parts))]
        chosen = {k for k in range(len(rig.parts)) if moved[k] > noise[k] or k in free}
        if threshold < LEAST_NOISE or _sum_left_out(rig, moved, chosen, joints) <= LEFT_OUT * rig.size:
            return chosen
        if all(_left_out(look, chosen, joints) <= LEFT_OUT * rig.size for look in looks):
            return chosen
        threshold *= 0.5


def _sum_left_out(rig: Rig, moved: Vector, chosen: set[int], joints: set[int]) -> float:
    """An upper bound of `_left_out`: the sum of the ignored displacements on the path to a joint."""
    errors: list[float] = []
    for k, part in enumerate(rig.parts):
        above = errors[part.parent] if part.parent >= 0 else 0.0
        errors.append(above + (0.0 if k in chosen else float(moved[k])))
    return max((errors[k] for k in joints), default=0.0)


def _displaces(rig: Rig, clip: Clip) -> bool:
    return any(c.path != "rotation" or not rig.parts[rig.places[c.node]].uniform for c in clip.channels)


def _look(rig: Rig, clip: Clip) -> list[Track]:
    """The tracks in some frames, or in more frames if scales change, because offsets then depend on more than keys."""
    times = times_of(rig, clip)
    most = max(MOST_LOOKED // len(rig.parts), 8)
    most = most if scaled(rig, clip) else min(most, LOOKS)
    if len(times) > most:
        times = times[np.linspace(0, len(times) - 1, most).astype(np.intp)]
    return list(tracks(rig, clip, times))


def _farthest(steps: Points) -> float:
    return float(np.linalg.norm(steps, axis=-1).max(initial=0.0))


def _farthest_key(clip: Clip, track: Track) -> float:
    """The largest distance of a part's translation keys from its rest. Frames between LINEAR keys are not further
    away."""
    channel = clip.channel(track.part.node.index, "translation")
    if channel is None:
        return 0.0
    values = channel.values if channel.interpolation == LINEAR else sample(channel, axis([channel]))
    return _farthest((values - track.part.node.translation) @ track.part.before.T)


def _left_out(look: Sequence[Track], chosen: set[int], joints: set[int]) -> float:
    """The largest displacement of a joint in the world if only the chosen parts slide.

    The error of a part is the error of its parent plus its own ignored displacement, rotated to the world. All
    rotations are included.
    """
    worst = 0.0
    turns: list[Quaternions] = []
    errors: list[Points] = []
    for k, track in enumerate(look):
        p = track.part.parent
        W = np.array(rotations.IDENTITY) if p < 0 else turns[p]
        error = np.zeros(3) if p < 0 else errors[p]
        if k not in chosen:
            error = error + rotations.rotate(W, track.offset - track.part.offset)
        turns.append(rotations.multiply(W, track.rotation))
        errors.append(error)
        worst = max(worst, _farthest(error) if k in joints else 0.0)
    return worst


def turning(rig: Rig, clips: Sequence[Clip]) -> set[int]:
    """The nodes of parts that a clip rotates."""
    parts = rig.parts
    return {c.node for clip in clips for c in clip.channels if turns_from(c, parts[rig.places[c.node]].node.rotation)}


def turns_from(channel: Channel, rest: Vector) -> bool:
    """Whether a rotation channel leaves the rest rotation."""
    if channel.path != "rotation":
        return False
    side = np.where(channel.values @ rest < 0.0, -1.0, 1.0)[:, None]
    away = np.linalg.norm(channel.values - side * rest, axis=1)  # twice the sine of a quarter of the angle
    tangents = [m for m in (channel.arriving, channel.leaving) if m is not None]
    return bool(away.max() > 0.5 * TURNED or any((m != 0.0).any() for m in tangents))


def scaled(rig: Rig, clip: Clip) -> list[Part]:
    """Parts whose scale a clip changes by more than rounding."""
    found = []
    for channel in clip.channels:
        if channel.path == "scale" and channel.node in rig.places:
            part = rig.parts[rig.places[channel.node]]
            rest = part.node.scale
            values = channel.values if channel.interpolation == LINEAR else sample(channel, axis([channel]))
            if np.abs(values - rest).max() > SCALED * max(float(np.abs(rest).max()), 1e-12):
                found.append(part)
    return found


def same_side(q: Quaternions) -> Quaternions:
    """The same rotations, with signs chosen so that quaternions of consecutive frames are close. (n, 4)."""
    turn = np.concatenate([[False], (q[1:] * q[:-1]).sum(axis=1) < 0.0])
    return np.where(np.cumsum(turn)[:, None] % 2 == 1, -q, q)
