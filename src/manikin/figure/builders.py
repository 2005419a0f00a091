"""Chains and trees from a few numbers, planar or in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Euler, Hinge, Motion
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule

Motions = Motion | Sequence[Motion]
"""One joint for all segments, or one for each."""


def chain(
    lengths: ArrayLike,
    joint: Motions | None = None,
    *,
    planar: bool = False,
    name: str = "chain",
    mass: float = 1.0,
) -> Figure:
    """A chain along x: Segment1, Segment2, …, and a fixed Tip at the end of the last.

    Args:
        lengths: one length for each segment, shape (segments,), or the number of segments of length 1.
        joint: a motion for all segments or one for each. Default: an Euler joint XYZ.
        planar: whether the joints are hinges about z instead, so that the chain moves in the xy plane.
        name: the figure's name.
        mass: mass of each segment in kg, at its middle.

    Example:
        >>> chain([1, 1, 0.5], planar=True).segment_names
        ('Segment1', 'Segment2', 'Segment3', 'Tip')
    """
    sizes = _lengths(lengths)
    parents = list(range(-1, len(sizes) - 1))
    return tree(parents, sizes, joint, planar=planar, name=name, mass=mass)


def tree(
    parents: Sequence[int],
    lengths: ArrayLike | None = None,
    joint: Motions | None = None,
    *,
    planar: bool = False,
    name: str = "tree",
    mass: float = 1.0,
) -> Figure:
    """A tree of segments along x. Segment i starts at the end of segment `parents[i]`, or at the root if that is −1.

    Segments are Segment1, Segment2, … There is a fixed tip at the end of every segment without children: Tip3 after
    Segment3, or just Tip if there is only one. If several segments have the parent −1, they become children of a fixed
    segment Root.

    Args:
        parents: index of the parent for each segment, −1 for none. A parent comes before its children.
        lengths: one length for each segment, shape (segments,); default 1.
        joint, planar, name, mass: as for `chain`.

    Example:
        >>> tree([-1, 0, 0], planar=True).segment_names
        ('Segment1', 'Segment2', 'Segment3', 'Tip2', 'Tip3')
    """
    try:
        count = len(parents)
    except TypeError as error:
        raise BadValue(
            f"{name}: parents are {parents!r}; they must be a list with one index for each segment"
        ) from error
    if count == 0:
        raise BadValue(f"{name}: there are no parents; it needs at least one, −1 for the first")
    sizes = _lengths(count if lengths is None else lengths)
    if len(sizes) != count:
        raise BadShape(f"{name}: {len(sizes)} lengths for {count} segments; there must be one for each")
    for i, p in enumerate(parents):
        if not isinstance(p, (int, np.integer)) or not -1 <= p < i:
            raise BadValue(
                f"{name}: the parent of segment {i} is {p!r}; it must be −1 or the index of an earlier segment"
            )
    motions = _motions(name, joint if joint is not None else Hinge() if planar else Euler("XYZ"), count)
    roots = [i for i, p in enumerate(parents) if p < 0]
    rooted = len(roots) > 1
    segments = [Segment("Root")] if rooted else []
    for i, p in enumerate(parents):
        parent = f"Segment{p + 1}" if p >= 0 else "Root" if rooted else None
        offset = (sizes[p], 0.0, 0.0) if p >= 0 else (0.0, 0.0, 0.0)
        segments.append(
            Segment(
                f"Segment{i + 1}",
                parent,
                motions[i],
                mass=mass,
                center=(0.5 * sizes[i], 0.0, 0.0),
                shapes=_capsule(float(sizes[i])),
                offset=offset,
            )
        )
    leaves = sorted(set(range(count)) - set(parents))
    for i in leaves:
        tip = "Tip" if len(leaves) == 1 else f"Tip{i + 1}"
        segments.append(Segment(tip, f"Segment{i + 1}", offset=(sizes[i], 0.0, 0.0)))
    return Figure(name, segments, unit=1.0, up="y")


def _lengths(lengths: ArrayLike) -> arrays.Vector:
    if isinstance(lengths, (int, np.integer)):
        if lengths < 1:
            raise BadValue(f"a chain of {lengths} segments; it needs at least 1")
        return np.ones(int(lengths))
    sizes = arrays.numbers(lengths, "lengths", (None,))
    if len(sizes) == 0 or np.any(sizes < 0.0):
        raise BadValue(f"lengths are {sizes.tolist()}; at least one is needed, and none may be below 0")
    return sizes


def _motions(name: str, joint: Any, count: int) -> list[Any]:
    if isinstance(joint, (list, tuple)):
        if len(joint) != count:
            raise BadShape(
                f"{name}: {len(joint)} joints for {count} segments; there must be one for each, or one for all"
            )
        return list(joint)
    return [joint] * count


def _capsule(length: float) -> tuple[Capsule, ...]:
    return (Capsule((0.0, 0.0, 0.0), (length, 0.0, 0.0), 0.06 * length),) if length > 0.0 else ()
