"""Checks the layers of a USD stage one by one before the stage is composed.

A layer names other layers (sublayers, references, payloads), and the library would open any file that they name. So
each name is resolved here first: the file must be in the folder of the stage (or in `within`), or inside the same
.usdz. Files that are not USD (a MaterialX material, an Alembic cache) are skipped.

Then the prims of the stage are counted without creating them: a file of twenty lines, each of which refers to the next
one ten times, is a stage of 10²⁰ prims. The same count finds a prim that refers to itself through others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from pxr import Ar, Sdf

from manikin.errors import BadFile, Unsupported
from manikin.files.common.within import Within
from manikin.files.usd import guard

MOST_PRIMS = 500_000
"""A stage with more prims is refused."""
MOST_LAYERS = 1000
"""A stage with more files is refused."""
ARCS = ("references", "payload", "inheritPaths", "specializes", "clips")
"""Fields of a prim that compose other prims into it."""


class Place(NamedTuple):
    """A prim in a stack of layers."""

    stack: int
    """Index of the stack: a layer with its sublayers."""
    path: Any
    """Sdf.Path of the prim."""
    entered: bool
    """Whether an arc leads directly to this prim. The arcs of its parents then count too. False if the prim is reached
    from its parent."""


@dataclass(eq=False)
class Survey:
    """All layers of a stage."""

    path: str
    """The file, as the caller named it."""
    within: Within
    """The folder that must contain all files."""
    missing: list[str] = field(default_factory=list)
    """Names of files that do not exist."""
    skipped: list[str] = field(default_factory=list)
    """Names of files that are not USD."""
    layers: dict[str, Any] = field(default_factory=dict)
    """Sdf.Layer by its location; the layers stay open."""
    stacks: list[list[Any]] = field(default_factory=list)
    """Each referenced layer with its sublayers."""
    _stack_of: dict[str, int] = field(default_factory=dict)
    _targets: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _specs: dict[tuple[str, Any], list[Any]] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        raise BadFile(self.path, message)

    @property
    def flatten(self) -> str:
        """How to flatten the stage into one file, for the end of a message. The command needs only usd-core."""
        command = f"from pxr import Usd; Usd.Stage.Open({os.path.basename(self.path)!r}).Export('one.usdc')"
        return f'to make one file of it, run `python -c "{command}"`'


def survey(path: str, within: str | os.PathLike[str] | None = None) -> Survey:
    """Opens every layer of a stage, checks its location, and counts the prims of the stage.

    Raises:
        BadFile: a layer is outside the folder or refers to itself, or the stage is too large.
        Unsupported: the names of layers cannot be checked before the stage is opened.
    """
    found = Survey(path, Within(path, within))
    resolver = Ar.GetResolver()
    with Ar.ResolverContextBinder(resolver.CreateDefaultContextForAsset(path)):
        guard.check(path)
        _stack(found, _opened(found, path, os.path.realpath(path)))
        _count(found)
    return found


# Layers


def _opened(found: Survey, name: str, where: str) -> Any:
    if where not in found.layers:
        if len(found.layers) >= MOST_LAYERS:
            found.fail(f"the stage consists of more than {MOST_LAYERS} files")
        known = Sdf.Layer.Find(name)
        layer = Sdf.Layer.FindOrOpen(name)
        if layer is None:
            found.fail(f"{name} cannot be opened")
        if known is not None and not known.dirty:  # also open elsewhere in this process: the file may be newer
            layer.Reload()
        found.layers[where] = layer
    return found.layers[where]


def _stack(found: Survey, layer: Any) -> int:
    """The index of the stack of a layer. Adds the stack if it is new."""
    known = found._stack_of.get(layer.identifier)
    if known is not None:
        return known
    stack: list[Any] = []
    found._stack_of[layer.identifier] = len(found.stacks)
    found.stacks.append(stack)
    waiting: list[tuple[Any, tuple[str, ...]]] = [(layer, (layer.identifier,))]
    above: set[str] = set()
    while waiting:
        one, path = waiting.pop()
        if one.identifier in above:
            continue
        above.add(one.identifier)
        stack.append(one)
        for name in one.subLayerPaths:
            sub = _target(found, one, str(name), "a sublayer")
            if sub is None:
                continue
            if sub.identifier in path:
                found.fail(f"sublayers form a cycle: {' in '.join([sub.identifier, *reversed(path)])}")
            waiting.append((sub, (*path, sub.identifier)))
    return found._stack_of[layer.identifier]


def _target(found: Survey, layer: Any, name: str, what: str) -> Any:
    """The layer that another layer names; None if the file does not exist."""
    key = (layer.identifier, name)
    if key not in found._targets:
        found._targets[key] = _resolved(found, layer, name, what)
    where = found._targets[key]
    return None if where is None else found.layers[where]


def _resolved(found: Survey, layer: Any, name: str, what: str) -> str | None:
    if name.startswith("`"):
        raise Unsupported(f"{found.path}: {what} is the expression {name}, which cannot be read; {found.flatten}")
    plain, _ = Sdf.Layer.SplitIdentifier(name)
    identifier = Sdf.ComputeAssetPathRelativeToLayer(layer, plain)
    archived = Ar.IsPackageRelativePath(identifier)
    outer, inner = Ar.SplitPackageRelativePathOuter(identifier) if archived else (identifier, "")
    ending = os.path.splitext(inner or outer)[1].lower()
    # The library does not open files with an unknown extension.
    if ending and ending not in guard.ENDINGS and Sdf.FileFormat.FindByExtension(ending) is None:
        found.skipped.append(name)
        return None
    beside = os.path.join(os.path.dirname(layer.realPath), outer)  # the expected location, if the file does not exist
    where = os.path.realpath(str(Ar.GetResolver().Resolve(outer)) or beside)
    if "://" in name or not found.within.holds(where):
        found.fail(
            f"{what} is {name!r}, which is not in the folder of the file; {found.within.hint}, or {found.flatten}"
        )
    if ".." in re.split(r"[/\\]", inner):
        found.fail(f"{what} is {name!r}, which is outside the archive")
    if not Ar.GetResolver().Resolve(identifier):
        found.missing.append(name)
        return None
    key = f"{where}[{inner}]" if archived else where
    if key not in found.layers:
        guard.check(where)
    _opened(found, identifier, key)
    return key


# Prims


def _count(found: Survey) -> None:
    """Visits prims and their arcs depth first, each place once. Places on the current path are marked with −1."""
    size: dict[Place, int] = {}
    top = Place(0, Sdf.Path.absoluteRootPath, False)
    way: list[tuple[Place, Iterator[Place], list[int]]] = []

    def enter(place: Place) -> None:
        size[place] = -1
        way.append((place, _below(found, place), [1]))

    enter(top)
    while way:
        place, below, sum_here = way[-1]
        for child in below:
            done = size.get(child)
            if done == -1:
                circle = [p.path.pathString for p, _, _ in way[[p for p, _, _ in way].index(child) :] if p.entered]
                found.fail(f"references form a cycle: {' to '.join([*circle, child.path.pathString])}")
            if done is None:
                if len(size) > MOST_PRIMS:
                    found.fail(f"the layers have more than {MOST_PRIMS} prims")
                enter(child)
                break
            sum_here[0] += done
        else:
            way.pop()
            size[place] = sum_here[0]
            if sum_here[0] > MOST_PRIMS:
                found.fail(f"references would make a stage of more than {MOST_PRIMS} prims")
            if way:
                way[-1][2][0] += sum_here[0]
        if len(way) > 4 * guard.DEEPEST:
            found.fail(f"prims and references are nested more than {guard.DEEPEST} levels deep")


def _below(found: Survey, place: Place) -> Iterator[Place]:
    """The places that a prim is composed of: its children, and the targets of its arcs. If it was entered by an arc,
    the arcs of its parents count too."""
    names: set[str] = set()
    for layer in found.stacks[place.stack]:
        for spec in _specs(found, layer, place.path):
            names.update(spec.nameChildren.keys())
            yield from _arcs(found, place.stack, layer, spec, "")
    for name in sorted(names):
        yield Place(place.stack, place.path.AppendChild(name), False)
    above = place.path.GetParentPath() if place.entered else Sdf.Path.absoluteRootPath
    while above.IsPrimPath():
        suffix = place.path.MakeRelativePath(above).pathString
        for layer in found.stacks[place.stack]:
            for spec in _specs(found, layer, above):
                yield from _arcs(found, place.stack, layer, spec, suffix)
        above = above.GetParentPath()


def _specs(found: Survey, layer: Any, path: Any) -> list[Any]:
    """The specs of a prim in a layer: outside variants and in every variant, selected or not.

    Variants may be on the prim or on any of its parents: /a{v=x}b is one place of /a/b.
    """
    if path == Sdf.Path.absoluteRootPath:
        return [layer.pseudoRoot]
    specs: list[Any] = [layer.pseudoRoot]
    for prefix in path.GetPrefixes():
        key = (layer.identifier, prefix)
        if key not in found._specs:
            waiting = [layer.GetPrimAtPath(spec.path.AppendChild(prefix.name)) for spec in specs]
            found._specs[key] = []
            while waiting:
                spec = waiting.pop()
                if spec is not None:
                    found._specs[key].append(spec)
                    for variants in spec.variantSets.values():
                        waiting += [v.primSpec for v in variants.variants.values()]
        specs = found._specs[key]
    return specs


def _arcs(found: Survey, stack: int, layer: Any, spec: Any, suffix: str) -> Iterator[Place]:
    says = set(spec.ListInfoKeys()) if spec.path != Sdf.Path.absoluteRootPath else set()
    if says.isdisjoint(ARCS):
        return
    if "clips" in says:
        raise Unsupported(f"{found.path}: value clips (on {spec.path.pathString}) cannot be read; {found.flatten}")
    for kind, arcs in (("reference", spec.referenceList), ("payload", spec.payloadList)):
        for arc in arcs.GetAddedOrExplicitItems():
            where = f"a {kind} of {spec.path.pathString}"
            to = stack
            if arc.assetPath:
                target = _target(found, layer, arc.assetPath, where)
                if target is None:
                    continue
                to = _stack(found, target)
            path = arc.primPath or _default(found.stacks[to][0])
            if path:
                yield Place(to, path.AppendPath(suffix) if suffix else path, True)
    for arcs in (spec.inheritPathList, spec.specializesList):
        for path in arcs.GetAddedOrExplicitItems():
            yield Place(stack, path.AppendPath(suffix) if suffix else path, True)


def _default(layer: Any) -> Any:
    """The target of a reference without a path."""
    return layer.GetDefaultPrimAsPath() if layer.HasDefaultPrim() else None
