"""The animations of a glTF file, called clips here. Their channels move the nodes, each with its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.errors import UnknownName, listing
from manikin.files.gltf.accessors import Accessors
from manikin.files.gltf.document import Document, short
from manikin.files.gltf.names import unique_names

PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
"""Paths of a channel that affect a figure, and the type of their keys. Weights of morph targets do not affect a
figure."""
STEP, LINEAR, CUBIC = "STEP", "LINEAR", "CUBICSPLINE"


@dataclass(frozen=True, eq=False)
class Channel:
    """The keys of one property of one node."""

    place: int
    """Index of the channel in its animation."""
    node: int
    path: str
    """translation, rotation or scale."""
    interpolation: str
    """STEP, LINEAR or CUBICSPLINE."""
    times: Vector
    """(k,) seconds, strictly increasing."""
    values: Matrix
    """(k, 3), or (k, 4) wxyz of length 1."""
    arriving: Matrix | None = None
    """The same shape as `values`: the tangents of a CUBICSPLINE before each key, per second."""
    leaving: Matrix | None = None
    """The same shape as `values`: the tangents after each key."""


@dataclass(frozen=True, eq=False)
class Clip:
    """One animation."""

    name: str
    """Unique among the clips of the file."""
    channels: tuple[Channel, ...]

    @cached_property
    def _by_target(self) -> dict[tuple[int, str], Channel]:
        return {(c.node, c.path): c for c in self.channels}

    def channel(self, node: int, path: str) -> Channel | None:
        """The channel of a node, or None."""
        return self._by_target.get((node, path))


def read_clips(document: Document, accessors: Accessors, node_count: int) -> tuple[Clip, ...]:
    """All animations.

    Raises:
        BadFile: an animation refers to missing data, or its keys are wrong.
    """
    things = document.objects("animations")
    names = clip_names(document)
    return tuple(
        Clip(name, _channels(document, accessors, thing, f"animation {name!r}", node_count))
        for name, thing in zip(names, things, strict=True)
    )


def clip_names(document: Document) -> list[str]:
    """The names of the animations, made unique. An animation without a name gets one such as `Animation3`."""
    things = document.objects("animations")
    given = [document.text(t, "name", f"animation {i}") for i, t in enumerate(things)]
    return unique_names(given, [f"Animation{i}" for i in range(len(given))])


def choose(clips: Sequence[Clip], clip: str | None, path: str) -> int:
    """The clip with this name, or with this index from 0 as text; the first clip by default.

    Raises:
        UnknownName: the message lists the clips of the file.
    """
    names = [c.name for c in clips]
    if clip is None:
        return 0
    if clip in names:
        return names.index(clip)
    number = str(clip)
    if number.isascii() and number.isdigit() and len(number) < 10 and int(number) < len(names):
        return int(number)
    raise UnknownName(f"{path} has no clip {str(clip)!r}; it has {len(names)}: {listing(names, 100)}")


def _channels(
    document: Document, accessors: Accessors, thing: dict[str, Any], label: str, node_count: int
) -> tuple[Channel, ...]:
    samplers = document.objects("samplers", thing, f"{label}: ")
    found: dict[tuple[int, str], Channel] = {}
    for i, channel in enumerate(document.objects("channels", thing, f"{label}: ")):
        here = f"{label}, channel {i}"
        target = document.object(channel, "target", here)
        if channel.get("target") is None:
            document.fail(f"{here} has no target")
        sampler = samplers[document.whole(channel, "sampler", here, below=len(samplers))]
        node = document.index(target, "node", here, node_count)
        path = document.text(target, "path", here)
        if path == "pointer" and _points_at_node(target):
            document.notes.append(f"{label} moves nodes with KHR_animation_pointer, which is not read")
        if node is None or path not in PATHS:
            continue
        if (node, path) in found:
            document.notes.append(f"{label} has two channels for the {path} of node {node}; the second is used")
        found[node, path] = _channel(document, accessors, sampler, i, node, path, here)
    return tuple(found.values())


def _channel(
    document: Document, accessors: Accessors, sampler: dict[str, Any], place: int, node: int, path: str, label: str
) -> Channel:
    interpolation = document.text(sampler, "interpolation", label) or LINEAR
    if interpolation not in (STEP, LINEAR, CUBIC):
        document.fail(f"{label}: interpolation is {short(interpolation)}; it needs STEP, LINEAR or CUBICSPLINE")
    times = accessors.values(document.whole(sampler, "input", label, below=len(accessors)), label, ("SCALAR",))[:, 0]
    output = accessors.values(document.whole(sampler, "output", label, below=len(accessors)), label, (PATHS[path],))
    needed = len(times) * (3 if interpolation == CUBIC else 1)
    if len(output) != needed:
        document.fail(f"{label}: {len(times)} times need {needed} values, but there are {len(output)}")
    step = np.diff(times)
    if (step < 0.0).any():
        k = int(np.argmax(step < 0.0))
        document.fail(f"{label}: times must increase, but {times[k + 1]:g} s comes after {times[k]:g} s")
    keep = np.append(step > 0.0, True)
    if not keep.all():
        document.notes.append(f"{label}: {int((~keep).sum())} keys have the same time as the next key and are left out")
    if path == "rotation":
        output = np.roll(output, 1, axis=1)  # to wxyz
    if interpolation != CUBIC:
        return Channel(place, node, path, interpolation, times[keep], _usable(document, output, path, label)[keep])
    arriving, values, leaving = (output.reshape(-1, 3, output.shape[1])[keep, k] for k in range(3))
    values = _usable(document, values, path, label)
    return Channel(place, node, path, interpolation, times[keep], values, arriving, leaving)


def _usable(document: Document, values: Matrix, path: str, label: str) -> Matrix:
    """Rotations normalized to length 1."""
    if path != "rotation":
        return values
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    if lengths.min() < 1e-6:
        k = int(np.argmin(lengths))
        document.fail(f"{label}: key {k} is a quaternion of length {float(lengths[k, 0]):g}; it needs length 1")
    unit: Matrix = values / lengths
    return unit


def _points_at_node(target: dict[str, Any]) -> bool:
    extensions = target.get("extensions")
    pointer = extensions.get("KHR_animation_pointer") if isinstance(extensions, dict) else None
    return isinstance(pointer, dict) and str(pointer.get("pointer")).startswith("/nodes/")
