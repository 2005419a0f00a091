"""Lengths of a figure, and its tree with couplings released."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Vector, frozen
from manikin.figure.joint import Slider
from manikin.figure.segment import Segment
from manikin.reference.tree import BALL, FIXED, Tree


def size(segments: Sequence[Segment]) -> float:
    """The longest path from root to tip: offsets plus the finite travel of sliders; 1 if that is 0.

    Sliders without limits count with their rest position, as part of the offset: in some BVH files every joint has
    position channels, and they contain its offset. The root's own offset only places the figure in the world, so it
    does not count.
    """
    return size_of(paths(segments), [np.array(s.joint.offset) for s in segments])


class Path(NamedTuple):
    """The part of the path from the root that a segment adds to the offset of its joint."""

    parent: int
    """Index of the segment above; −1 for the root."""
    travel: float
    """Finite travel of its sliders, length."""
    shift: Vector
    """(3,) rest position of its sliders without limits, in the space of the parent."""


def paths(segments: Sequence[Segment]) -> list[Path]:
    """The paths of segments that are sorted parents first."""
    index = {s.name: i for i, s in enumerate(segments)}
    travel, rests = [0.0] * len(segments), [[0.0, 0.0, 0.0] for _ in segments]
    for i, s in enumerate(segments):
        for k, motion in enumerate(s.joint.motions):
            if not isinstance(motion, Slider):
                continue
            if math.isfinite(motion.limits[0]) and math.isfinite(motion.limits[1]):
                travel[i] += max(abs(motion.limits[0]), abs(motion.limits[1]))
            elif s.joint.rest:  # sliders come first, with one number each
                rests[i] = [x + s.joint.rest[k] * a for x, a in zip(rests[i], motion.axis, strict=True)]
    shifts = rotations.rotate(np.array([s.joint.rotation for s in segments]), np.array(rests))
    parents = [-1 if s.parent is None else index[s.parent] for s in segments]
    return [Path(*path) for path in zip(parents, travel, shifts, strict=True)]


def size_of(paths: Sequence[Path], offsets: Sequence[Vector] | Points) -> float:
    """The longest path, for offsets of the joints (segments, 3)."""
    reach: list[float] = []
    for path, offset in zip(paths, offsets, strict=True):  # parents first
        along = offset + path.shift
        before = 0.0 if path.parent < 0 else reach[path.parent] + math.sqrt(along @ along)
        reach.append(before + path.travel)
    longest = max(reach)
    return longest if longest > 0.0 else 1.0


def released(tree: Tree) -> Tree:
    """The same tree with every coupled number independent. Its steps are in the order of the nodes."""
    step, at = [], 0
    for kind in tree.kind:
        step.append(-1 if kind == FIXED else at)
        at += 0 if kind == FIXED else 3 if kind == BALL else 1
    nodes = len(tree.parent)
    return replace(
        tree,
        step=frozen(step, np.int32),
        ratio=frozen(np.ones(nodes)),
        shift=frozen(np.zeros(nodes)),
        source=frozen(np.full(nodes, -1), np.int32),
        nv=at,
    )
