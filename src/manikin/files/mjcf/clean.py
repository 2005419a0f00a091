"""Selects the parts of an MJCF file that MuJoCo compiles: bodies, joints, geoms, sites, couplings, loops, classes.

Everything else is removed first. A figure has no actuators or sensors. Textures, height fields and sizes could request
any amount of memory. Removed elements cannot cause errors. The remaining text names no file on disk. Static bodies are
kept (fusestatic is off), because a figure needs their names more than simulation speed.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field

from manikin.base.names import foreign, xml_attribute
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
"""Sections that are left out, and the note about their elements, if any."""
CLASSES = frozenset(["default", "geom", "joint", "site", "mesh", "equality"])
"""Elements of a class that are kept."""
EQUALITIES = frozenset(["connect", "weld", "joint"])
LOST_EQUALITIES = frozenset(["tendon", "flex", "flexvert", "flexstrain"])
COMPILER = frozenset(
    [
        *("autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "coordinate", "angle"),
        *("eulerseq", "inertiafromgeom", "inertiagrouprange", "alignfree"),
    ]
)
"""Attributes of <compiler> that are kept. The others concern files, speed, or elements that are left out."""
LEAST = "1e-12"
"""Least mass and inertia of a body, in kg and kg m², so that MuJoCo accepts bodies without mass. It is subtracted after
compilation."""
INSIDE_BODIES = frozenset(["camera", "light", "plugin", "flexcomp", "skin"])
"""Elements inside bodies that are left out."""
WITHOUT = ("material", "user", "plugin")
"""Attributes that are left out everywhere: they refer to elements that were left out, or are not used."""
DEEPEST_MODELS = 8
"""Largest depth of models that attach models."""


@dataclass(eq=False)
class Cleaned:
    """A model prepared for MuJoCo."""

    root: Node
    meshes: Meshes
    lost: list[str] = field(default_factory=list)
    """Sentences on elements that were left out although they affect how the figure moves."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of other elements that were left out, by kind."""
    keyframes: list[Node] = field(default_factory=list)
    least: float = 0.0
    """Mass that MuJoCo assigns to a body without mass, in kg."""


def clean(root: Node, reader: TreeReader, meshes: Meshes) -> Cleaned:
    """Removes everything from a tree that MuJoCo must not see.

    Raises:
        BadFile: a number or size is out of bounds, or an attached model cannot be read; the message names the line.
    """
    made = Cleaned(root, meshes)
    _clean(made, root, reader, 1)
    return made


def _clean(made: Cleaned, root: Node, reader: TreeReader, depth: int) -> dict[str, int]:
    """Cleans one model and returns its size."""
    if root.tag == "robot":
        raise Unsupported(f"{root.path}: this is a URDF file, not an MJCF file")
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
        made.lost.append(f"equalities of tendons or soft bodies are ignored: {names}")
    section.children = [c for c in section.children if c.tag not in LOST_EQUALITIES]


def _bodies(made: Cleaned, world: Node) -> None:
    for node in world.walk():
        for child in node.children:
            if child.tag == "flexcomp":
                made.lost.append(f"the soft body on line {child.line} (<flexcomp>) is left out")
        node.children = [c for c in node.children if c.tag not in INSIDE_BODIES]


def _attached(made: Cleaned, root: Node, reader: TreeReader, depth: int) -> dict[str, dict[str, int]]:
    """Reads the models that a model may attach, adds their text to the files, and returns their sizes by name."""
    sizes: dict[str, dict[str, int]] = {}
    for section in root.all("asset"):
        for model in section.all("model"):
            name = model.attributes.get("file", "")
            if depth >= DEEPEST_MODELS:
                model.fail(f"models attach models more than {DEEPEST_MODELS} levels deep")
            path = reader.folder.find(name) if name else None
            if path is None:
                model.fail(f"the model {name!r} is outside the folder of the file; {reader.folder.within.hint}")
            if not os.path.isfile(path):
                model.fail(f"the model {name!r} does not exist")
            inner = reader.read(path)
            called = model.attributes.get("name") or inner.attributes.get("model", "")
            sizes[called] = _clean(made, inner, reader, depth + 1)
            key = f"model{len(made.meshes.given)}.xml"
            made.meshes.given[key] = written(inner)[0].encode()
            model.attributes.update(file=key)
    return sizes


def _compiler(made: Cleaned, root: Node) -> None:
    """Keeps the settings that matter, and adds those that manikin needs."""
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
    """The tree as XML text, and the node of each of its lines. MuJoCo puts names into printf, so they are
    `foreign`."""
    text: list[str] = []
    lines: list[Node] = []
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, closing = stack.pop()
        lines.append(node)
        if closing:
            text.append(f"</{node.tag}>")
            continue
        head = f"<{node.tag}" + "".join(f" {k}={xml_attribute(foreign(v))}" for k, v in node.attributes.items())
        text.append(head + (">" if node.children else "/>"))
        if node.children:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return "\n".join(text) + "\n", lines
