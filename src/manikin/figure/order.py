"""Parents before children: sorts the segments of a figure, and reports errors in the tree."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.errors import BadValue, listing, unknown_name
from manikin.figure.segment import Segment


def parents_first(owner: str, segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments with every parent before its children, otherwise in the given order.

    Raises:
        BadValue: no segment, a name twice, no root, several roots, or a cycle.
        UnknownName: a parent that does not exist.
    """
    if not segments:
        raise BadValue(f"{owner} has no segments; it needs at least a root")
    by_name: dict[str, Segment] = {}
    for s in segments:
        if not isinstance(s, Segment):
            raise BadValue(f"{owner}: {s!r} is not a Segment")
        if s.name in by_name:
            raise BadValue(f"{owner} has two segments named {s.name!r}; names must differ")
        by_name[s.name] = s
    for s in segments:
        if s.parent is not None and s.parent not in by_name:
            raise unknown_name(
                f"{owner}: segment {s.name!r} has the parent {s.parent!r}, but the figure",
                "segment",
                s.parent,
                list(by_name),
            )
    roots = [s.name for s in segments if s.parent is None]
    if not roots:
        raise BadValue(f"{owner} has no root: every segment has a parent; one segment needs parent=None")
    if len(roots) > 1:
        raise BadValue(
            f"{owner} has {len(roots)} roots: {listing(roots)}; it needs one (make them children of one fixed segment)"
        )
    placed: dict[str, Segment] = {}
    for s in segments:
        _place(owner, s, by_name, placed)
    return tuple(placed.values())


def _place(owner: str, segment: Segment, by_name: dict[str, Segment], placed: dict[str, Segment]) -> None:
    """Places the ancestors of a segment that are not placed yet, and then the segment."""
    waiting: dict[str, Segment] = {}
    at: Segment | None = segment
    while at is not None and at.name not in placed:
        if at.name in waiting:
            around = [*list(waiting)[list(waiting).index(at.name) :], at.name]
            raise BadValue(f"{owner} has a cycle: {' is a child of '.join(around)}; one of them needs another parent")
        waiting[at.name] = at
        at = by_name[at.parent] if at.parent is not None else None
    for name in reversed(waiting):
        placed[name] = waiting[name]
