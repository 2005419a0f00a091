"""The smallest set of changes that lets a goal be met. The changes are limits to widen (`narrow`), joints to release
(`frozen`) or goals to drop (`rivals`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from manikin.arrays import Vector

T = TypeVar("T")


def smallest(
    order: Sequence[T],
    met: Callable[[Sequence[T], Sequence[Vector]], Vector | None],
    pose: Vector | None = None,
    least: int = 1,
) -> tuple[list[T], Vector | None]:
    """Grows a set of changes until it is enough, then takes out each change that is not needed.

    Args:
        order: the changes, those that are most likely to help first.
        met: returns a pose that meets the goal with some of the changes, or None. It also gets the poses to start from
            first: the one that was found last, if there is one.
        pose: a pose that meets the goal with all changes, if one is known. The set then doubles in each step and loses
            its last changes first. Otherwise it grows by one, so that its last change is needed.
        least: a set of this size is not made smaller.

    Returns:
        the changes, and a pose that meets the goal with them; or no changes and None, if all of them are not enough.
    """
    kept, first = list(order), [] if pose is None else [pose]
    doubled = [2**k for k in range(1, len(kept)) if 2**k < len(kept)]
    for size in doubled if first else range(1, len(kept) + 1):
        found = met(order[:size], first)
        if found is not None:
            kept, pose = list(order[:size]), found
            break
    if pose is None:
        return [], None
    for change in kept[::-1] if first else kept[:-1]:
        if len(kept) <= least:
            break
        fewer = [other for other in kept if other is not change]
        found = met(fewer, [pose])
        if found is not None:
            kept, pose = fewer, found
    return kept, pose
