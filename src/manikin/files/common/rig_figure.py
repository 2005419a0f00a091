"""The figure of a rig, and the poses of its clips.

A segment has the rest placement of its node. It has a ball joint (identity at rest); a root has a free joint. Scales
become part of the offsets.

A node that a clip moves relative to its parent gets three sliders before the ball. They are 0 at rest, along the axes
of the node at rest. This happens if the translation is animated, if a clip holds the node away from its rest position,
or if the node is below a changing scale or below rotations that are not exact. So positions match the file. The solver
holds these sliders, except those that carry the whole body (see `hold`), so it does not stretch limbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Poses, Quaternions, Vector
from manikin.errors import listing
from manikin.figure import Ball, Figure, Free, Joint, Segment, Slider
from manikin.figure.joint import Motion as JointMotion
from manikin.files.common.hold import hold
from manikin.files.common.rig import Course, Rig

SLIDERS = tuple(Slider(axis=axis) for axis in rotations.AXES.values())
"""Sliders of a node that slides, in the order of its numbers."""
ROOTS = "Roots"
"""Name of the fixed segment that is the parent of several roots."""
LEAST = 6e-7
"""A node slides if clips move it relative to its parent by more than this, as a fraction of the figure's size."""
WIDE = 1e-4
"""The translation of a node is animated if a clip changes it by more than this, as a fraction of the figure's size."""
FAR = 1e-2
"""A note names nodes that slide by more than this without an animated translation, as a fraction of the figure's
size."""
SWELLS = 2e-3
"""A note names scales that change by more than this. Smaller changes come from 16-bit rounding."""


@dataclass(frozen=True, eq=False)
class Place:
    """The attachment of a node's segment."""

    parent: int
    """Index of the parent node; −1 for a root."""
    offset: Vector
    """(3,) in the parent's space (the world's for a root), length."""
    turn: Quaternions
    """(4,) wxyz, rotation of its axes at rest, in the same space."""
    slides: bool = False
    """Whether it slides along its axes at rest."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The segments for the nodes of a rig."""

    rig: Rig
    places: dict[int, Place]
    """Places by node, parents first; only nodes that become segments."""
    notes: tuple[str, ...]
    """Notes on properties that a figure cannot represent."""


def lay_out(rig: Rig, rest: Course, clips: Sequence[Course]) -> Layout:
    """Decides where segments are and which of them slide, from all clips."""
    places: dict[int, Place] = {}
    for i in range(len(rig.names)):
        if rig.inner[i]:
            p = rig.figure_parent(i)
            x, q = _against(rest, i, p, rest.origin[p] if p >= 0 else None)
            places[i] = Place(p, x[0], q[0])
    size = _size(places)
    far: list[int] = []
    # Along each branch, the ignored displacements of nodes that do not slide add up. A node slides if the sum exceeds
    # LEAST. So no segment is further than LEAST from its node in any frame.
    actual: list[dict[int, Points]] = [{} for _ in clips]
    for i, place in places.items():
        p = place.parent
        beside = [_beside(c, i, place, at[p] if p >= 0 else None) for c, at in zip(clips, actual, strict=True)]
        longest = max((float(np.linalg.norm(x, axis=-1).max(initial=0.0)) for x in beside), default=0.0)
        if p >= 0 and longest > LEAST * size:
            places[i] = replace(place, slides=True)
            if longest > FAR * size and not any(clip.slide[i] > WIDE * size for clip in clips):
                far.append(i)
        for c, at in zip(clips, actual, strict=True):
            at[i] = _actual(c, i, places[i], at)
    return Layout(rig, places, tuple(_notes(rig, clips, far)))


def poses(layout: Layout, clip: Course, figure: Figure) -> Poses:
    """The poses (frames, nq) of a clip."""
    out = np.tile(figure.rest, (len(clip.times), 1))
    actual: dict[int, Points] = {}
    for i, place in layout.places.items():
        p = place.parent
        x = _beside(clip, i, place, actual[p] if p >= 0 else None)
        q = _same_side(rotations.multiply(rotations.inverse(place.turn), _against(clip, i, p, None)[1]))
        actual[i] = _actual(clip, i, place, actual)
        numbers = np.concatenate([x, q], axis=1) if p < 0 or place.slides else q
        at = figure.index_of(layout.rig.names[i])
        out[:, at : at + numbers.shape[1]] = numbers
    return out


def build(layout: Layout, name: str, *, unit: float | None, up: str, source: dict[str, Any]) -> Figure:
    """The figure. Several roots become children of a fixed segment at the origin of the world."""
    names = layout.rig.names
    roots = [i for i, place in layout.places.items() if place.parent < 0]
    top = free_name(ROOTS, set(names)) if len(roots) > 1 else None
    segments = [Segment(top)] if top else []
    for i, place in layout.places.items():
        motions: tuple[JointMotion, ...] = (*SLIDERS, Ball()) if place.slides else (Ball(),)
        if place.parent < 0:
            motions = (Free(),)
        joint = Joint(names[i], motions, offset=tuple(place.offset.tolist()), rotation=tuple(place.turn.tolist()))
        segments.append(Segment(names[i], top if place.parent < 0 else names[place.parent], joint))
    return Figure(name, hold(segments), unit=unit, up=up, source=source)


def free_name(wanted: str, used: set[str]) -> str:
    """The name, with a number appended if it is taken."""
    name, k = wanted, 1
    while name in used:
        k += 1
        name = f"{wanted}.{k}"
    return name


def unique_names(wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names made unique by numbers, and the names that were repeated."""
    given, used, twice = set(wanted), set[str](), set[str]()
    last: dict[str, int] = {}
    names = []
    for name in wanted:
        found = name
        if name in used:
            twice.add(name)
            k = last.get(name, 1)
            while found in used or found in given:
                k += 1
                found = f"{name}.{k}"
            last[name] = k
        used.add(found)
        names.append(found)
    return names, sorted(twice)


# Helpers


def _against(clip: Course, node: int, parent: int, base: Points | None) -> tuple[Points, Quaternions]:
    """Origin and rotation of a node in its parent's rigid space, whose origin is `base`. (frames, 3), (frames, 4)."""
    if parent < 0:
        return clip.origin[node], clip.turn[node]
    back = rotations.inverse(clip.turn[parent])
    from_parent = clip.origin[node] - (clip.origin[parent] if base is None else base)
    return rotations.rotate(back, from_parent), rotations.multiply(back, clip.turn[node])


def _beside(clip: Course, node: int, place: Place, base: Points | None) -> Points:
    """The displacement of a node from its rest position, along its axes at rest. (frames, 3)."""
    x, _ = _against(clip, node, place.parent, base)
    return rotations.rotate(rotations.inverse(place.turn), x - place.offset)


def _actual(clip: Course, node: int, place: Place, actual: dict[int, Points]) -> Points:
    """The origin of the figure's segment: at its node if it slides, or else at its rest offset from its parent.
    (frames, 3)."""
    p = place.parent
    if p < 0 or place.slides:
        reached: Points = clip.origin[node]
        return reached
    return np.add(actual[p], rotations.rotate(clip.turn[p], place.offset))


def _notes(rig: Rig, clips: Sequence[Course], far: list[int]) -> list[str]:
    notes = []
    swelling = [n for i, n in enumerate(rig.names) if any(c.swell[i] > SWELLS for c in clips)]
    if swelling:
        notes.append(
            "scales change over time or differ from the rest pose, which a figure cannot represent: "
            f"{listing(swelling)}; sliders keep the positions, but the sizes are lost"
        )
    elif far:
        notes.append(
            "joints move relative to their parents although their translation is not animated (a parent has a "
            "scale that differs between axes, or a clip keeps them away from their rest position): "
            f"{listing([rig.names[i] for i in far])}; they get sliders, which the solver does not move"
        )
    return notes


def _size(places: dict[int, Place]) -> float:
    """The same as `Figure.size`, computed before the figure exists."""
    reach: dict[int, float] = {}
    for i, place in places.items():
        reach[i] = reach[place.parent] + float(np.linalg.norm(place.offset)) if place.parent >= 0 else 0.0
    longest = max(reach.values(), default=0.0)
    return longest if longest > 0.0 else 1.0


def _same_side(q: Quaternions) -> Quaternions:
    """The same rotations, with signs chosen so that quaternions of consecutive frames are close. (frames, 4)."""
    turn = np.concatenate([[False], (q[1:] * q[:-1]).sum(axis=1) < 0.0])
    return np.where(np.cumsum(turn)[:, None] % 2 == 1, -q, q)
