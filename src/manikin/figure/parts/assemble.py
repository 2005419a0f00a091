"""Lists the segments of all parts, given the first segments of the parts."""

from __future__ import annotations

import itertools

from manikin.figure.parts.by_names import Starts, body_of
from manikin.figure.parts.skeleton import Skeleton

ARM = ("clavicle", "upper arm", "forearm", "hand")
LEG = ("thigh", "shank", "foot", "toes")
ESSENTIAL = tuple(f"{side} {part}" for side in ("left", "right") for part in (*ARM[1:3], *LEG[:3]))
"""The parts that a figure must have for a map."""


def assemble(skeleton: Skeleton, starts: Starts) -> dict[str, list[int]]:
    """The segments of each part, parents first. All essential parts must have been found.

    - A limb part runs from its first segment to the one before the next part.
    - The pelvis is the lowest common ancestor of both thighs, with the joint that carries it. If this is a bone of
      the spine according to its name, the pelvis is the segment of that name above it.
    - The chest is the lowest common ancestor of both arms that is not called neck. The spine is the path from the
      pelvis to the chest.
    - The neck is the path from the chest to the head.
    """
    first = starts.first
    out: dict[str, list[int]] = {}
    for side, limb in itertools.product(("left", "right"), (ARM, LEG)):
        there = [f"{side} {part}" for part in limb if f"{side} {part}" in first]
        for name, following in itertools.zip_longest(there, there[1:]):
            path = skeleton.down(first[name], first[following]) if following else []
            path = _unforked(skeleton, path[:-1]) if name.endswith("foot") else path[:-1]
            out[name] = path or starts.tails.get(name, [first[name]])
    pelvis = starts.pelvis
    if pelvis is None:
        pelvis = skeleton.common(first["left thigh"], first["right thigh"])
    shoulders = [first.get(f"{side} clavicle", first[f"{side} upper arm"]) for side in ("left", "right")]
    chest = skeleton.common(*shoulders)
    while chest in starts.necks and skeleton.parents[chest] >= 0:
        chest = skeleton.parents[chest]
    out["pelvis"] = _carried(skeleton, pelvis)
    spine = _spine(skeleton, out["pelvis"], chest)
    taken = {i for part in out.values() for i in part}
    out |= {f"spine {k}": stage for k, stage in enumerate(spine, 1) if not taken & set(stage)}
    return out | _neck_and_head(skeleton, starts, chest)


def _unforked(skeleton: Skeleton, path: list[int]) -> list[int]:
    """A path up to the segment that has several moving branches, because the bones of toes are not part of the foot."""
    for k, i in enumerate(path):
        if sum(skeleton.count[c] > 0 for c in skeleton.children[i]) > 1:
            return path[: k + 1]
    return path


def _carried(skeleton: Skeleton, index: int) -> list[int]:
    """A fixed segment with the joints above it that carry only it. A moving segment is returned alone."""
    path = [index]
    while not skeleton.moves[path[0]]:
        above = skeleton.parents[path[0]]
        if above < 0 or skeleton.children[above] != [path[0]]:
            return [index]
        path.insert(0, above)
    return path


def _spine(skeleton: Skeleton, pelvis: list[int], chest: int) -> list[list[int]]:
    """The stages of the spine from the pelvis upward."""
    top = skeleton.common(pelvis[-1], chest)
    length = float(skeleton.reach[0])
    if top == chest and chest != pelvis[-1]:  # the figure is rooted at the chest
        above = skeleton.down(chest, pelvis[0])[:-1]
        stages = [[i] for i in above[:1]] + skeleton.stages(above[1:], length)
        return stages[::-1]
    return _bodies(skeleton, skeleton.down(top, chest)[1:], length)


def _bodies(skeleton: Skeleton, path: list[int], length: float) -> list[list[int]]:
    """The stages of a path. Joints that belong to one body in a file form one stage, wherever they are."""
    names = skeleton.figure.segment_names
    if not any(":" in names[i] for i in path) or not skeleton.hinged:
        return skeleton.stages(path, length)
    return [list(group) for _, group in itertools.groupby(path, key=lambda i: body_of(names[i]))]


def _neck_and_head(skeleton: Skeleton, starts: Starts, chest: int) -> dict[str, list[int]]:
    head = starts.first.get("head")
    length = float(skeleton.reach[0])
    if head is not None:
        path = skeleton.down(chest, head)[1:-1]
        stages, end = _bodies(skeleton, path, length), {"head": starts.tails.get("head", [head])}
    else:
        necks = [i for i in starts.necks if skeleton.down(chest, i)]
        path = skeleton.down(chest, max(necks, key=lambda i: len(skeleton.ancestors(i))))[1:] if necks else []
        stages, end = _bodies(skeleton, path, length), {}
        if len(stages) > 1:
            *stages, last = stages
            end = {"head": last}
    stages = [s for s in stages if any(skeleton.moves[i] for i in s)]
    return {f"neck {k}": stage for k, stage in enumerate(stages, 1)} | end
