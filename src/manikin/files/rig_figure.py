"""The figure of a rig, and the poses of its clips.

A segment stands where its node stands at rest. It turns by a ball (identity at rest); a root moves freely. A node that
clips move along gets three sliders before the ball, 0 at rest, along the axes it has at rest. Scales go into offsets.

What else moves a node against its parent (a clip that holds it a little beside its place at rest, a scale that changes,
rotations that are not quite rotations) gets sliders too, so that positions are those of the file, but only along the
axes where that is so and no further than the clips go: a solver cannot stretch a limb by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Poses, Quaternions, Vector
from manikin.errors import listing
from manikin.figure import Ball, Figure, Free, Joint, Segment, Slider
from manikin.figure.joint import Motion as JointMotion
from manikin.files.rig import Course, Rig

ROOTS = "Roots"
"""Name of the fixed segment on which several roots hang."""
LEAST = 6e-7
"""Part of the figure's size: a node that clips move less than this against its parent does not slide."""
WIDE = 1e-4
"""Part of the figure's size: a node that a clip moves along by more than this slides without limits."""
FAR = 1e-2
"""Part of the figure's size: that a node slides further than this without being animated so is told."""
SWELLS = 2e-3
"""A scale that changes by more than this is told; less is the rounding of 16-bit numbers."""


@dataclass(frozen=True, eq=False)
class Place:
    """How a node's segment is attached."""

    parent: int
    """Index of the node it hangs on; −1 for a root."""
    offset: Vector
    """(3,) in the parent's space (the world's for a root), length."""
    turn: Quaternions
    """(4,) wxyz, of its axes at rest, in the same space."""
    sliders: tuple[Slider, ...] = ()
    """Along its axes at rest."""


@dataclass(frozen=True, eq=False)
class Layout:
    """What the nodes of a rig become."""

    rig: Rig
    places: dict[int, Place]
    """By node, parents first; only nodes that become segments."""
    limited: tuple[str, ...]
    """Names of segments with sliders that go no further than the clips do."""
    notes: tuple[str, ...]
    """What a figure cannot hold as it was."""


def lay_out(rig: Rig, rest: Course, clips: Sequence[Course]) -> Layout:
    """Where segments stand and which of them slide, seen over all clips."""
    places: dict[int, Place] = {}
    for i in range(len(rig.names)):
        if rig.inner[i]:
            p = rig.figure_parent(i)
            x, q = _against(rest, i, p, rest.origin[p] if p >= 0 else None)
            places[i] = Place(p, x[0], q[0])
    size = _size(places)
    own: dict[int, list[Points]] = {i: [np.zeros((1, 3))] for i in places}
    for clip in clips:  # what each node needs if its parent is where it should be
        for i, place in places.items():
            own[i].append(_beside(clip, i, place, clip.origin[place.parent] if place.parent >= 0 else None))
    slides = {i for i, x in own.items() if _longest(x) > LEAST * size and places[i].parent >= 0}
    free = {i for i in slides if any(clip.slide[i] > WIDE * size for clip in clips)}
    ranges = _follow(places, clips, slides, free, LEAST * size)
    for i in slides:
        sliders = [Slider(axis=tuple(a)) for a in np.eye(3)]
        if i not in free:
            low, high = ranges[i]
            sliders = [Slider(axis=tuple(np.eye(3)[k]), limits=(low[k], high[k])) for k in range(3) if high[k] > low[k]]
        places[i] = Place(places[i].parent, places[i].offset, places[i].turn, tuple(sliders))
    far = [i for i in sorted(slides - free) if max(-ranges[i][0].min(), ranges[i][1].max()) > FAR * size]
    return Layout(rig, places, tuple(rig.names[i] for i in sorted(slides - free)), tuple(_notes(rig, clips, far)))


def poses(layout: Layout, clip: Course, figure: Figure) -> Poses:
    """The poses (frames, nq) of a clip."""
    out = np.tile(figure.rest, (len(clip.times), 1))
    actual: dict[int, Points] = {}
    for i, place in layout.places.items():
        p = place.parent
        x = _beside(clip, i, place, actual[p] if p >= 0 else None)
        q = _same_side(rotations.multiply(rotations.inverse(place.turn), _against(clip, i, p, None)[1]))
        axes = _axes(place)
        actual[i] = _actual(clip, i, place, x, actual)
        numbers = np.concatenate([x if p < 0 else x[:, axes], q], axis=1)
        at = figure.index_of(layout.rig.names[i])
        out[:, at : at + numbers.shape[1]] = numbers
    return out


def build(layout: Layout, name: str, *, unit: float | None, up: str, source: dict[str, Any]) -> Figure:
    """The figure. Several roots hang on a fixed segment at the origin of the world."""
    names = layout.rig.names
    roots = [i for i, place in layout.places.items() if place.parent < 0]
    top = free_name(ROOTS, set(names)) if len(roots) > 1 else None
    segments = [Segment(top)] if top else []
    for i, place in layout.places.items():
        motions: tuple[JointMotion, ...] = (*place.sliders, Ball()) if place.parent >= 0 else (Free(),)
        joint = Joint(names[i], motions, offset=tuple(place.offset.tolist()), rotation=tuple(place.turn.tolist()))
        segments.append(Segment(names[i], top if place.parent < 0 else names[place.parent], joint))
    return Figure(name, segments, unit=unit, up=up, source=source)


def free_name(wanted: str, used: set[str]) -> str:
    """The name, or with a number where it is taken."""
    name, k = wanted, 1
    while name in used:
        k += 1
        name = f"{wanted}.{k}"
    return name


def unique_names(wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names told apart by a number, and those that were there twice."""
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


# Steps of the above


def _against(clip: Course, node: int, parent: int, base: Points | None) -> tuple[Points, Quaternions]:
    """Origin and rotation of a node in its parent's rigid space, whose origin is `base`. (frames, 3), (frames, 4)."""
    if parent < 0:
        return clip.origin[node], clip.turn[node]
    back = rotations.inverse(clip.turn[parent])
    from_parent = clip.origin[node] - (clip.origin[parent] if base is None else base)
    return rotations.rotate(back, from_parent), rotations.multiply(back, clip.turn[node])


def _beside(clip: Course, node: int, place: Place, base: Points | None) -> Points:
    """How far a node is from its place at rest, along its axes at rest. (frames, 3)."""
    x, _ = _against(clip, node, place.parent, base)
    return rotations.rotate(rotations.inverse(place.turn), x - place.offset)


def _actual(clip: Course, node: int, place: Place, beside: Points, actual: dict[int, Points]) -> Points:
    """Where the figure's segment is, which slides along its own axes only. (frames, 3)."""
    p = place.parent
    reached: Points = clip.origin[node]
    if p < 0:
        return reached
    kept = np.zeros_like(beside)
    axes = _axes(place)
    kept[:, axes] = beside[:, axes]
    along = rotations.rotate(clip.turn[p], place.offset + rotations.rotate(place.turn, kept))
    return np.add(actual[p], along)


def _axes(place: Place) -> list[int]:
    return [int(np.argmax(s.axis)) for s in place.sliders]


def _follow(
    places: dict[int, Place], clips: Sequence[Course], slides: set[int], free: set[int], least: float
) -> dict[int, tuple[Vector, Vector]]:
    """Range of travel of each node that slides, per axis, (3,) lower and upper; 0 lies in it.

    Down each branch, what nodes that do not slide leave over adds up; where it passes `least`, the node there slides
    too and is added to `slides`. So no segment is further than `least` from its node, at any frame. Nodes that are
    `free` slide along all axes, others only along those that they need.
    """
    ranges: dict[int, tuple[Vector, Vector]] = {}
    actual: list[dict[int, Points]] = [{} for _ in clips]
    for i, place in places.items():
        p = place.parent
        needed = [_beside(c, i, place, at[p] if p >= 0 else None) for c, at in zip(clips, actual, strict=True)]
        if p >= 0 and _longest(needed) > least:
            slides.add(i)
        trial = place
        if i in slides:
            low = np.min([np.zeros(3), *(x.min(axis=0) for x in needed)], axis=0)
            high = np.max([np.zeros(3), *(x.max(axis=0) for x in needed)], axis=0)
            still = (np.maximum(high, -low) <= 0.3 * least) & (i not in free)
            low, high = np.where(still, 0.0, low), np.where(still, 0.0, high)
            ranges[i] = low, high
            moving = tuple(Slider(axis=tuple(np.eye(3)[k])) for k in range(3) if not still[k])
            trial = Place(p, place.offset, place.turn, moving)
        for c, at, x in zip(clips, actual, needed, strict=True):
            at[i] = _actual(c, i, trial, x, at)
    return ranges


def _notes(rig: Rig, clips: Sequence[Course], far: list[int]) -> list[str]:
    notes = []
    swelling = [n for i, n in enumerate(rig.names) if any(c.swell[i] > SWELLS for c in clips)]
    if swelling:
        notes.append(
            f"scales change in time or differ from those at rest, which a figure cannot hold: {listing(swelling)}; "
            "positions are kept by sliders, sizes are not"
        )
    elif far:
        notes.append(
            "joints move against their parents without being animated so (a scale above them differs along its axes, "
            f"or a clip holds them beside their place at rest): {listing([rig.names[i] for i in far])}; they have "
            "sliders limited to what the clips use"
        )
    return notes


def _size(places: dict[int, Place]) -> float:
    """As `Figure.size`, before there is one."""
    reach: dict[int, float] = {}
    for i, place in places.items():
        reach[i] = reach[place.parent] + float(np.linalg.norm(place.offset)) if place.parent >= 0 else 0.0
    longest = max(reach.values(), default=0.0)
    return longest if longest > 0.0 else 1.0


def _longest(vectors: Sequence[Points]) -> float:
    return max((float(np.linalg.norm(x, axis=-1).max(initial=0.0)) for x in vectors), default=0.0)


def _same_side(q: Quaternions) -> Quaternions:
    """The same rotations with signs such that neighbours in time are near each other. (frames, 4)."""
    turn = np.concatenate([[False], (q[1:] * q[:-1]).sum(axis=1) < 0.0])
    return np.where(np.cumsum(turn)[:, None] % 2 == 1, -q, q)
