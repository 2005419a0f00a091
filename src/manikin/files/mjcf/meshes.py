"""Meshes of an MJCF file: which geoms use them, which of them MuJoCo gets, and which masses are unknown without them.

A figure has no meshes. A mesh matters only if a body has no <inertial> and takes its mass from its geoms, or if the
mesh collides, because a shape is then fitted to it. MuJoCo gets these meshes unchanged. A mesh is left out if it is
missing, too large, or outside the folder of the file. A warning then names the masses that need it, and a note the
bodies without a shape.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from manikin.base.reading import read_bytes
from manikin.files.mjcf.tree import Folder, Node

MOST_BYTES = 32 * 2**20
"""Largest mesh that is read, in bytes."""
MOST_TOGETHER = 128 * 2**20
"""Largest total size of all meshes of a model, in bytes."""
STAND_IN = {"type": "sphere", "size": "0.001", "contype": "0", "conaffinity": "0"}
"""Replaces a geom with a stated mass whose mesh is missing: a point with this mass in the same place."""
COLLIDES = "1"
"""Priority, for MuJoCo, of the geoms with a mesh that collide in the file."""
_KEPT = ("name", "class", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "group")


@dataclass(eq=False)
class Meshes:
    """The meshes of a model and of the models that it attaches."""

    folder: Folder
    use_files: bool = True
    """False if MuJoCo could not read the files in an earlier attempt."""
    fit: bool = True
    """Whether MuJoCo also gets meshes that only collide."""
    given: dict[str, bytes] = field(default_factory=dict)
    """Files for MuJoCo, by their name in the cleaned text."""
    missing: list[str] = field(default_factory=list)
    """Mesh files that are needed but could not be read, each with the reason."""
    massless: list[str] = field(default_factory=list)
    """Names of bodies whose mass or centre of mass needs such a mesh."""
    shapeless: list[str] = field(default_factory=list)
    """Names of bodies with a colliding geom that has no equivalent shape."""
    surfaces: int = 0
    """Number of geoms without an equivalent shape."""
    _bytes: int = 0

    def settle(self, root: Node) -> None:
        """Removes unused elements from the tree and puts the files of the needed meshes into `given`."""
        # What the file says for all geoms.
        compiler = {k: v for node in root.all("compiler") for k, v in node.attributes.items()}
        by_geoms = compiler.get("inertiafromgeom") == "true"
        groups = _whole_numbers(compiler.get("inertiagrouprange", "0 5"))
        assets = {mesh_name(m): m for section in root.all("asset") for m in section.all("mesh")}
        defaults = Defaults(root)
        had: dict[str, bool] = {}
        # Each geom: keep it, drop it, or replace it by one that has its mass.
        for parent, geom, body, around in _geoms(root):
            says = defaults.of(geom, around)
            kind, mesh = says.get("type", "sphere"), says.get("mesh")
            collides = (says.get("contype", "1"), says.get("conaffinity", "1")) != ("0", "0")
            if kind in ("sdf", "hfield"):
                parent.children.remove(geom)
                self._without(body, collides)
            if kind in ("sdf", "hfield") or mesh is None:
                continue
            inertial = body is not None and (by_geoms or body.first("inertial") is None)
            weighs = inertial and _weighs(says) and (groups is None or _in_range(says.get("group", "0"), groups))
            fitted = collides and (self.fit or kind != "mesh")
            if not (weighs or fitted):
                parent.children.remove(geom)
                self._without(body, collides)
                continue
            # A mesh that MuJoCo can get stays.
            if mesh not in had:
                had[mesh] = mesh not in assets or self._had(assets[mesh], compiler)
            if had[mesh]:
                geom.attributes["mesh"] = mesh
                if kind == "mesh":  # MuJoCo computes the hull of a mesh that collides, which takes most of its time
                    geom.attributes |= {"contype": "0", "conaffinity": "0", "priority": COLLIDES if collides else "0"}
                continue
            # One that it cannot get leaves its mass, if that is stated.
            place = parent.children.index(geom)
            parent.children.pop(place)
            self._without(body, collides)
            if weighs:
                assert body is not None
                self.massless.append(body.attributes.get("name") or f"the body on line {body.line}")
                if "mass" in says:
                    kept = {k: v for k, v in says.items() if k in _KEPT} | STAND_IN
                    parent.children.insert(place, Node("geom", kept, geom.path, geom.line))
        # Meshes that no geom uses any more.
        for geom in defaults.geoms:
            geom.attributes.pop("mesh", None)
        for section in root.all("asset"):
            section.children = [
                c for c in section.children if c.tag == "model" or (c.tag == "mesh" and had.get(mesh_name(c), False))
            ]

    def _without(self, body: Node | None, collides: bool) -> None:
        """Counts a geom without an equivalent shape, and records its body if the geom collides."""
        self.surfaces += 1
        if collides:
            self.shapeless.append("world" if body is None else body.attributes.get("name", ""))

    def _had(self, mesh: Node, compiler: dict[str, str]) -> bool:
        """Whether MuJoCo can get a mesh. If so, adds its file to `given` and sets the file name of the node."""
        for key in ("material", "user"):
            mesh.attributes.pop(key, None)
        if "file" not in mesh.attributes:
            return not mesh.children  # children mean a plugin; otherwise its points are in the text
        file = mesh.attributes["file"].replace("\\", "/")
        name = os.path.basename(file) if compiler.get("strippath") == "true" else file
        path = self.folder.find(name, compiler.get("meshdir") or compiler.get("assetdir") or "")
        reason = self._reason(path)
        if mesh.children:
            reason = "it needs a plugin"
        if reason or path is None:
            self.missing.append(f"{file} ({reason})")
            return False
        content = read_bytes(path, MOST_BYTES, "a mesh")
        self._bytes += len(content)
        key = f"mesh{len(self.given)}{os.path.splitext(file)[1].lower()}"
        self.given[key] = content
        mesh.attributes.update(name=mesh_name(mesh), file=key)
        return True

    def _reason(self, path: str | None) -> str:
        """Why a mesh file is not read; empty if it is read."""
        if path is None:
            return f"outside the folder of the file; {self.folder.within.hint}"
        if not os.path.isfile(path):
            return "it does not exist"
        if not self.use_files:
            return "MuJoCo could not read the meshes"
        size = os.path.getsize(path)
        return "it is too large" if size > MOST_BYTES or self._bytes + size > MOST_TOGETHER else ""


class Defaults:
    """The attributes of geoms from the classes of a model, including inherited ones."""

    def __init__(self, root: Node) -> None:
        self.geoms: list[Node] = []
        """All <geom> elements of classes."""
        self._classes: dict[str, dict[str, str]] = {"main": {}}
        for section in root.all("default"):
            # From the outside in, as in MuJoCo: a class inherits from the class around it.
            stack = [(section, "main")]
            while stack:
                node, around = stack.pop()
                name = node.attributes.get("class") or around
                says = dict(self._classes.get(name, self._classes.get(around, {})))
                for geom in node.all("geom"):
                    says.update(geom.attributes)
                    self.geoms.append(geom)
                self._classes[name] = says
                stack.extend((child, name) for child in node.all("default"))

    def of(self, geom: Node, around: str) -> dict[str, str]:
        """All attributes of a geom. `around` is the childclass of its ancestors, or empty."""
        name = geom.attributes.get("class") or around or "main"
        return {**self._classes.get(name, {}), **geom.attributes}


def mesh_name(mesh: Node) -> str:
    """The name of a mesh: its attribute, or else its file name without folder and extension."""
    file = mesh.attributes.get("file", "").replace("\\", "/")
    return mesh.attributes.get("name") or os.path.splitext(os.path.basename(file))[0]


def _geoms(root: Node) -> Iterator[tuple[Node, Node, Node | None, str]]:
    """(parent, geom, body, childclass of its ancestors) of every geom. The body is None for geoms of the world."""
    stack: list[tuple[Node, Node | None, str]] = [(world, None, "") for world in root.all("worldbody")]
    while stack:
        node, body, around = stack.pop()
        body = node if node.tag == "body" else body
        around = node.attributes.get("childclass") or around
        for child in list(node.children):
            if child.tag == "geom" and node.tag != "composite":
                yield node, child, body, around
            else:
                stack.append((child, body, around))


def _weighs(says: dict[str, str]) -> bool:
    """Whether a geom has mass, stated directly or by its density."""
    stated = _number(says["mass"]) if "mass" in says else _number(says.get("density", "1000"))
    return stated != 0.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0  # MuJoCo will report that it is not a number


def _whole_numbers(text: str) -> tuple[int, int] | None:
    try:
        low, high = (int(word) for word in text.split())
    except ValueError:
        return None
    return low, high


def _in_range(group: str, groups: tuple[int, int]) -> bool:
    try:
        return groups[0] <= int(group) <= groups[1]
    except ValueError:
        return True
