"""What of an MJCF file MuJoCo is given: bodies, joints, geoms, sites, couplings and loops, and the classes they use.

All else is taken out first. Actuators, sensors and the like have no place in a figure; textures, height fields and
sizes could ask for any amount of memory; and what is not there cannot be wrong. The text that is left names no file on
disk. Static bodies are kept as they are (fusestatic is switched off), since their names are worth more here than the
speed of a simulation.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from manikin.errors import Unsupported, listing
from manikin.files.mjcf import bounds
from manikin.files.mjcf.meshes import Meshes
from manikin.files.mjcf.tree import Node, TreeReader

SECTIONS = {
    **dict.fromkeys(("option", "size", "visual", "statistic", "custom", "extension", "keyframe"), ""),
    "actuator": "actuators",
    "sensor": "sensors",
    "tendon": "tendons",
    "deformable": "flexes and skins",
    "contact": "contact pairs and exclusions",
}
"""Parts that are left out, and what is said of their elements, if anything."""
CLASSES = frozenset(["default", "geom", "joint", "site", "mesh", "equality"])
"""What is kept of a class."""
EQUALITIES = frozenset(["connect", "weld", "joint"])
LOST_EQUALITIES = frozenset(["tendon", "flex", "flexvert", "flexstrain"])
COMPILER = frozenset(
    [
        *("autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "coordinate", "angle"),
        *("eulerseq", "inertiafromgeom", "inertiagrouprange", "alignfree"),
    ]
)
"""Attributes of <compiler> that are kept; the others are about files, speed, or what is left out."""
LEAST = "1e-12"
"""Least mass and inertia of a body, kg and kg m², so that MuJoCo takes bodies without any. Taken off again."""
INSIDE_BODIES = frozenset(["camera", "light", "plugin", "flexcomp", "skin"])
"""What is left out of bodies."""
WITHOUT = ("material", "user", "plugin")
"""Attributes that are left out everywhere: they name what was left out, or are of no use."""
DEEPEST_MODELS = 8
"""How deep models may attach models."""


@dataclass(eq=False)
class Cleaned:
    """A model as MuJoCo gets it."""

    root: Node
    meshes: Meshes
    lost: list[str] = field(default_factory=list)
    """What was left out though it bears on how the figure moves, in sentences."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many of what else was left out."""
    keyframes: list[Node] = field(default_factory=list)
    least: float = 0.0
    """What a body without mass has, kg."""


def clean(root: Node, reader: TreeReader, meshes: Meshes) -> Cleaned:
    """Takes everything out of a tree that MuJoCo is not given.

    Raises:
        BadFile: numbers or sizes beyond all bounds, and models to attach that cannot be had; with the line.
    """
    made = Cleaned(root, meshes)
    _clean(made, root, reader, 1)
    return made


def _clean(made: Cleaned, root: Node, reader: TreeReader, depth: int) -> dict[str, int]:
    """One model; returns how large it is."""
    if root.tag == "robot":
        raise Unsupported(f"{root.path}: this is a URDF file in place of an MJCF file")
    if root.tag != "mujoco":
        root.fail(f"the file begins with <{root.tag[:40]}>; an MJCF file begins with <mujoco>")
    _sections(made, root, depth)
    for section in root.all("default"):
        for node in section.walk():
            if node.tag == "default":
                node.children = [c for c in node.children if c.tag in CLASSES]
    for section in root.all("equality"):
        _equalities(made, section)
    for section in root.all("worldbody"):
        _bodies(made, section)
    for node in root.walk():
        for key in WITHOUT:
            node.attributes.pop(key, None)
    models = _attached(made, root, reader, depth)
    bounds.check_numbers(root)
    sizes = bounds.sizes(root, models)
    made.meshes.settle(root)
    _compiler(made, root)
    return sizes


def _sections(made: Cleaned, root: Node, depth: int) -> None:
    for section in root.children:
        if SECTIONS.get(section.tag):
            made.left_out[SECTIONS[section.tag]] += len(section.children)
        if section.tag == "keyframe" and depth == 1:
            made.keyframes += section.all("key")
    root.children = [c for c in root.children if c.tag not in SECTIONS]


def _equalities(made: Cleaned, section: Node) -> None:
    lost = [n for n in section.children if n.tag in LOST_EQUALITIES and n.attributes.get("active") != "false"]
    if lost:
        names = listing([n.attributes.get("name") or f"line {n.line}" for n in lost])
        made.lost.append(f"equalities of tendons or soft bodies are left out and will not be kept: {names}")
    section.children = [c for c in section.children if c.tag not in LOST_EQUALITIES]


def _bodies(made: Cleaned, world: Node) -> None:
    for node in world.walk():
        for child in node.children:
            if child.tag == "flexcomp":
                made.lost.append(f"the soft body on line {child.line} (<flexcomp>) is left out")
        node.children = [c for c in node.children if c.tag not in INSIDE_BODIES]


def _attached(made: Cleaned, root: Node, reader: TreeReader, depth: int) -> dict[str, dict[str, int]]:
    """Reads the models that a model may attach and puts their text among the files; how large they are, by name."""
    sizes: dict[str, dict[str, int]] = {}
    for section in root.all("asset"):
        for model in section.all("model"):
            name = model.attributes.get("file", "")
            if depth >= DEEPEST_MODELS:
                model.fail(f"models attach models more than {DEEPEST_MODELS} deep")
            path = reader.folder.find(name) if name else None
            if path is None:
                model.fail(
                    f"the model {name!r} lies outside of the folder of the file, which is refused; "
                    f"{reader.folder.within.hint}"
                )
            if not os.path.isfile(path):
                model.fail(f"the model {name!r} is not there")
            inner = reader.read(path)
            called = model.attributes.get("name") or inner.attributes.get("model", "")
            sizes[called] = _clean(made, inner, reader, depth + 1)
            key = f"model{len(made.meshes.given)}.xml"
            made.meshes.given[key] = written(inner)[0].encode()
            model.attributes.update(file=key)
    return sizes


def _compiler(made: Cleaned, root: Node) -> None:
    """Settings: those that matter, and ours."""
    for node in root.all("compiler"):
        node.attributes = {k: v for k, v in node.attributes.items() if k in COMPILER}
        node.children = []
    ours = Node("compiler", {"fusestatic": "false", "discardvisual": "false"}, root.path, root.line)
    stated = {k: v for node in root.all("compiler") for k, v in node.attributes.items()}
    for key in ("boundmass", "boundinertia"):
        if stated.get(key, "0").strip() in ("0", "0.0"):
            ours.attributes[key] = LEAST
            made.least = max(made.least, float(LEAST)) if key == "boundmass" else made.least
    root.children.append(ours)


def written(root: Node) -> tuple[str, list[Node]]:
    """The tree as XML text, and for each of its lines the node that it is of."""
    text: list[str] = []
    lines: list[Node] = []
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, closing = stack.pop()
        lines.append(node)
        if closing:
            text.append(f"</{node.tag}>")
            continue
        head = f"<{node.tag}" + "".join(f" {k}={quoteattr(v)}" for k, v in node.attributes.items())
        text.append(head + (">" if node.children else "/>"))
        if node.children:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return "\n".join(text) + "\n", lines
