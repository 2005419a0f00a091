"""The skeletons of a USD stage: joints, their hierarchy, their rest pose, and the animations that drive them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdSkel, Vt

from manikin.arrays import Placements
from manikin.errors import BadFile, listing
from manikin.files.usd.stage import Opened

MOST = 1e15
"""Numbers must be between −MOST and MOST, so that their squares and products do not overflow."""
MOST_JOINTS = 100_000
"""A skeleton with more joints is refused."""
ROUNDED = 1e-4
"""The last column of a matrix may differ from 0 0 0 1 by this much: Blender inverts matrices in 32 bits."""
TYPES: dict[tuple[int, ...], tuple[Any, ...]] = {
    (3,): (Vt.Vec3fArray, Vt.Vec3hArray, Vt.Vec3dArray),
    (4,): (Vt.QuatfArray, Vt.QuathArray, Vt.QuatdArray),
    (4, 4): (Vt.Matrix4dArray, Vt.Matrix4fArray),
}
"""USD array types accepted for each shape of numbers."""
PARTS = ("translations", "rotations", "scales")
"""Attributes of an animation; UsdSkel needs all three."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A Skeleton prim."""

    path: str
    prim: Any
    tokens: tuple[str, ...]
    """Joint tokens of the file such as `Hips/Spine/Head`, parents first."""
    names: tuple[str, ...]
    """Joint names: `jointNames` if the file has them, or else the last part of each token."""
    parents: tuple[int, ...]
    """Index of the parent, −1 for roots."""
    rest: Placements | None
    """(joints, 4, 4) relative to the parent, for column vectors; None if the file has no rest pose."""
    bound: str | None
    """Path of the animation in `skel:animationSource`, on the prim or inherited."""
    fitting: tuple[str, ...]
    """Paths of the animations that drive it: the bound one, and those that have its joints and are bound to no
    skeleton."""


def find_skeletons(opened: Opened) -> list[Skeleton]:
    """All skeletons in the order of the stage. Skeletons without joints are skipped with a note."""
    prims = list(Usd.PrimRange(opened.stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
    animations = {str(p.GetPath()): p for p in prims if p.IsA(UsdSkel.Animation)}
    usable = {path: p for path, p in animations.items() if _usable(opened, p)}
    drafts = [_draft(opened, p, usable) for p in prims if p.IsA(UsdSkel.Skeleton)]
    found = [d for d in drafts if d is not None]
    taken = {d.bound for d in found}
    loose = [path for path in usable if path not in taken]
    return [_with_fitting(d, usable, loose) for d in found]


def tokens_of(prim: Any) -> tuple[str, ...]:
    """The joints of a Skeleton or SkelAnimation."""
    return _texts(prim, "joints")


def _texts(prim: Any, name: str) -> tuple[str, ...]:
    """A list of tokens; empty if the attribute is missing or has another type."""
    value = prim.GetAttribute(name).Get()
    return tuple(str(t) for t in value) if isinstance(value, (Vt.TokenArray, Vt.StringArray)) else ()


def numbers(opened: Opened, prim: Any, name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The value of an array attribute as float64. Checks the type, and that the numbers are finite and within ±MOST."""
    if not isinstance(value, TYPES[shape]):
        wanted = f"an array of {'×'.join(str(n) for n in shape)} numbers for each joint"
        raise BadFile(opened.path, f"{prim.GetPath()}.{name} is of type {type(value).__name__}; it needs {wanted}")
    array = np.array(value, dtype=np.float64).reshape(-1, *shape)
    if not (np.abs(array) <= MOST).all():
        joint = int(np.argwhere(~(np.abs(array) <= MOST))[0][0])
        bad = array[joint].reshape(-1)
        bad = bad[~(np.abs(bad) <= MOST)][0]
        where = f"{prim.GetPath()}.{name}[{joint}]"
        raise BadFile(opened.path, f"{where} has {bad:g}; numbers must lie within ±{MOST:g}")
    return array


def _draft(opened: Opened, prim: Any, usable: dict[str, Any]) -> Skeleton | None:
    path, tokens = str(prim.GetPath()), tokens_of(prim)
    if not tokens:
        opened.notes.append(f"skeleton {path} has no joints and is left out")
        return None
    if len(tokens) > MOST_JOINTS:
        raise BadFile(opened.path, f"skeleton {path} has {len(tokens)} joints; the limit is {MOST_JOINTS}")
    if len(set(tokens)) < len(tokens):
        twice = sorted({t for t in tokens if tokens.count(t) > 1}) if len(tokens) < 10_000 else list(tokens[:1])
        raise BadFile(opened.path, f"skeleton {path} has repeated joints: {listing(twice)}")
    own = _texts(prim, "jointNames")
    if len(own) != len(tokens) or len(set(own)) < len(own) or "" in own:
        if own:
            opened.notes.append(f"skeleton {path}: jointNames does not have one name for each joint and is ignored")
        own = tuple(t.rstrip("/").rpartition("/")[2] or t or "joint" for t in tokens)
    parents = _parents(opened, path, tokens)
    rest = _rest(opened, prim, parents)
    order = _parents_first(parents)
    if order != sorted(order):
        opened.notes.append(f"skeleton {path}: a joint comes before its parent, which UsdSkel does not allow")
    place = {i: k for k, i in enumerate(order)}
    return Skeleton(
        path,
        prim,
        tokens=tuple(tokens[i] for i in order),
        names=tuple(own[i] for i in order),
        parents=tuple(place.get(parents[i], -1) for i in order),
        rest=None if rest is None else rest[order],
        bound=_bound(opened, prim, usable),
        fitting=(),
    )


def _parents_first(parents: Sequence[int]) -> list[int]:
    """Sorts the joints so that parents come before children; the order is otherwise kept. Paths cannot form a cycle."""
    order: list[int] = []
    done: set[int] = set()
    for joint in range(len(parents)):
        way, at = [], joint
        while at >= 0 and at not in done:
            way.append(at)
            done.add(at)
            at = parents[at]
        order += reversed(way)
    return order


def _parents(opened: Opened, path: str, tokens: Sequence[str]) -> tuple[int, ...]:
    """The nearest ancestor of each joint, found from the paths in the tokens."""
    if not all(Sdf.Path.IsValidPathString(t) for t in tokens):
        odd = [t for t in tokens if not Sdf.Path.IsValidPathString(t)]
        opened.notes.append(
            f"skeleton {path}: these joints are not valid USD paths, so USD treats them as roots; here the "
            f"slashes in them define the parents: {listing(odd)}"
        )
    index = {t.strip("/"): i for i, t in enumerate(tokens)}
    parents = []
    for t in tokens:
        above = t.strip("/").rpartition("/")[0]
        while above and above not in index:
            above = above.rpartition("/")[0]
        parents.append(index[above] if above else -1)
    return tuple(parents)


def _rest(opened: Opened, prim: Any, parents: Sequence[int]) -> Placements | None:
    """`restTransforms`, or else local transforms computed from the bind pose."""
    path = str(prim.GetPath())
    rest = _matrices(opened, prim, "restTransforms", len(parents))
    if rest is not None:
        return rest
    bind = _matrices(opened, prim, "bindTransforms", len(parents))
    if bind is None:
        return None
    flat = [parents[i] for i in range(len(parents)) if abs(np.linalg.det(bind[i, :3, :3])) < 1e-300]
    if flat:
        raise BadFile(
            opened.path, f"skeleton {path}: bindTransforms cannot be inverted, and there are no restTransforms"
        )
    opened.notes.append(f"skeleton {path} has no restTransforms; the bind pose is used as the rest pose")
    local: Placements = bind.copy()
    for i, p in enumerate(parents):
        if p >= 0:
            local[i] = np.linalg.solve(bind[p], bind[i])
    return local


def _matrices(opened: Opened, prim: Any, name: str, count: int) -> Placements | None:
    """(count, 4, 4) for column vectors; None if the attribute is missing or does not have one matrix for each joint."""
    value = prim.GetAttribute(name).Get()
    if value is None or (isinstance(value, TYPES[4, 4]) and len(value) == 0):
        return None
    matrices: Placements = numbers(opened, prim, name, value, (4, 4)).swapaxes(-1, -2)
    if len(matrices) != count:
        opened.notes.append(
            f"skeleton {prim.GetPath()}: {len(matrices)} {name} for {count} joints are ignored; each joint needs one"
        )
        return None
    last = np.abs(matrices[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=-1)
    if (last > ROUNDED).any():
        joint = int(np.argmax(last))
        raise BadFile(opened.path, f"{prim.GetPath()}.{name}[{joint}] is a projection; its last column must be 0 0 0 1")
    matrices[:, 3] = [0.0, 0.0, 0.0, 1.0]
    return matrices


def _bound(opened: Opened, prim: Any, usable: dict[str, Any]) -> str | None:
    """The animation that a skeleton is bound to, directly or by inheritance."""
    source = UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
    if not source:
        above = prim
        while above and not above.IsPseudoRoot():
            targets = above.GetRelationship("skel:animationSource").GetForwardedTargets()
            if targets:
                source = opened.stage.GetPrimAtPath(targets[0])
                applied = above.HasAPI(UsdSkel.BindingAPI)
                why = "does not exist" if not source else "is used, although SkelBindingAPI is not applied"
                if not source or not applied:
                    opened.notes.append(f"skeleton {prim.GetPath()}: its animation {targets[0]} {why}")
                break
            above = above.GetParent()
    path = str(source.GetPath()) if source else None
    return path if path in usable else None


def _usable(opened: Opened, prim: Any) -> bool:
    """Whether an animation has the attributes that UsdSkel needs. UsdSkel ignores other animations."""
    joints = tokens_of(prim)
    if not joints:
        return False  # a blend shape animation has no joints
    missing = [part for part in PARTS if not prim.GetAttribute(part).HasAuthoredValue()]
    if missing:
        opened.notes.append(f"animation {prim.GetPath()} has no {' and no '.join(missing)}; UsdSkel ignores it")
    return not missing


def _with_fitting(draft: Skeleton, usable: dict[str, Any], loose: Sequence[str]) -> Skeleton:
    own = set(draft.tokens)
    fitting = [draft.bound] if draft.bound else []
    fitting += [path for path in loose if set(tokens_of(usable[path])) <= own]
    return replace(draft, fitting=tuple(fitting))
