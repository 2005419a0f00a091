"""Unique names: in glTF, nodes and animations may share names or have none; in a figure they may not."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def unique_names(given: Sequence[str], stand_ins: Sequence[str], first: Collection[int] = ()) -> list[str]:
    """A unique name for each thing.

    It is the given name, with a number appended (`Head.2`) if an earlier thing has the same name. A thing without a
    name gets its stand-in.

    Args:
        given: the names; empty if there is none.
        stand_ins: a name for each thing without one, such as "Node3".
        first: indices of things that keep their names in preference to all others.

    Example:
        >>> unique_names(["Head", "", "Head"], ["Node0", "Node1", "Node2"], first=[2])
        ['Head.2', 'Node1', 'Head']
    """
    names = [""] * len(given)
    taken = set(given)  # no generated name may equal a name in the file
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
