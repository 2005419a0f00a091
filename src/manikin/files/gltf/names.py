"""Names that differ: glTF lets nodes and animations share names or have none, a figure does not."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def unique_names(given: Sequence[str], stand_ins: Sequence[str], first: Collection[int] = ()) -> list[str]:
    """A name for each thing, all different: its own, with a number behind it (`Head.2`) where another has it before,
    and its stand-in where it has none.

    Args:
        given: the names, empty where there is none.
        stand_ins: a name for each that has none, such as "Node3".
        first: places of those that are to keep their names before all others.

    Example:
        >>> unique_names(["Head", "", "Head"], ["Node0", "Node1", "Node2"], first=[2])
        ['Head.2', 'Node1', 'Head']
    """
    names = [""] * len(given)
    taken = set(given)  # no made-up name takes one that stands in the file
    kept: set[str] = set()
    count: dict[str, int] = {}
    for i in dict.fromkeys([*first, *range(len(given))]):
        wanted = given[i] or stand_ins[i]
        name = wanted
        if name in kept or (not given[i] and name in taken):
            k = count.get(wanted, 1)
            while name in kept or name in taken:
                k += 1
                name = f"{wanted}.{k}"
            count[wanted] = k
        kept.add(name)
        names[i] = name
    return names
