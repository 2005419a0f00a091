"""Computes the size of an MJCF model before it is built: a few words can request a billion bodies.

<replicate count="…"> and <composite count="…"> multiply the elements inside them, and an attached model adds its
elements. MuJoCo's time grows with the square of the number of bodies and joints, so the bounds are far below the limits
of memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from manikin.files.mjcf.tree import Node

MOST = {"body": 2000, "joint": 2000, "geom": 20_000, "site": 10_000}
"""Largest number of each kind in one model. The largest models of public collections have about a tenth of it."""
MOST_EQUALITIES = 2000
"""Largest number of equalities in one model."""
LARGEST = 1e10
"""Largest absolute value, as in MuJoCo (mjMAXVAL)."""
NUMBERS = frozenset(
    [
        *("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "axis", "fromto", "size", "ref", "springref"),
        *("anchor", "relpose", "polycoef", "torquescale", "mass", "density", "diaginertia", "fullinertia", "offset"),
        *("scale", "refpos", "refquat", "vertex", "fitscale", "shellinertia", "boundmass", "boundinertia"),
        *("settotalmass", "range", "margin", "gap", "armature", "initial", "curve"),
    ]
)
"""Attributes with numbers that affect the figure."""


def check_numbers(root: Node) -> None:
    """Refuses NaN, infinities outside of a range, and values beyond `LARGEST`. MuJoCo reports text that is not a
    number."""
    for node in root.walk():
        for key, text in node.attributes.items():
            if key not in NUMBERS:
                continue
            for word in text.split():
                try:
                    value = float(word)
                except ValueError:
                    continue
                if key == "range" and value in (float("inf"), float("-inf")):
                    continue
                if not abs(value) <= LARGEST:
                    node.fail(f"<{node.tag}>: {key} has {word[:40]!r}; it needs a number within ±{LARGEST:g}")


def sizes(root: Node, models: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """An upper bound for the bodies, joints, geoms and sites of the model.

    Args:
        root: the root of the file, with includes resolved.
        models: the sizes of each model that it may attach, by name.

    Raises:
        BadFile: there are more than `MOST` of one kind.
    """
    total = dict.fromkeys(MOST, 0)
    equalities = [node for section in root.all("equality") for node in section.children]
    if len(equalities) > MOST_EQUALITIES:
        equalities[MOST_EQUALITIES].fail(f"the model has more than {MOST_EQUALITIES:,} equalities, which is the limit")
    stack = [(node, 1) for world in root.all("worldbody") for node in world.children]
    while stack:
        node, times = stack.pop()
        if node.tag == "replicate":
            times *= _counts(node)
        elif node.tag == "composite":
            times *= _counts(node)
            _add(node, total, {"body": times, "joint": times, "geom": times})
        elif node.tag == "attach":
            inner = models.get(node.attributes.get("model", ""), {})
            _add(node, total, {kind: times * count for kind, count in inner.items()})
        else:
            kind = "joint" if node.tag == "freejoint" else node.tag
            _add(node, total, {kind: times} if kind in MOST else {})
        stack.extend((child, times) for child in node.children)
    return total


def _add(node: Node, total: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, count in more.items():
        total[kind] += count
        if total[kind] > MOST[kind]:
            node.fail(f"the model has more than {MOST[kind]:,} <{kind}> elements, which is the limit")


def _counts(node: Node) -> int:
    """The product of the counts of an element, capped at a value that is refused anyway."""
    product = 1
    for word in node.attributes.get("count", "1").split():
        try:
            count = int(float(word))
        except (ValueError, OverflowError):
            node.fail(f"<{node.tag}>: count has {word[:40]!r}; it needs a whole number")
        product = min(product * max(count, 1), 10 * max(MOST.values()))
    return product
