"""Clips of a USD stage: which animation drives which skeleton, its time codes and its samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from manikin import rotations
from manikin.arrays import Placements, Points, Quaternions, Rotations, Vector
from manikin.errors import BadFile, listing
from manikin.files.common.rig import Local, factors
from manikin.files.usd.skeleton import MOST, PARTS, Skeleton, numbers, tokens_of
from manikin.files.usd.stage import Opened

UNIT = 1e-6
"""A quaternion is a rotation rounded to 32 bits if its squared length differs from 1 by less than this."""
MOST_KNOTS = 100_000
"""A curve above a skeleton is sampled at no more than this many whole time codes."""


@dataclass(frozen=True, eq=False)
class Clip:
    """One animation for each driven skeleton. The other skeletons stay in their rest pose."""

    name: str
    animations: tuple[str | None, ...]
    """Path of the animation of each skeleton; None if the skeleton stays at rest."""
    codes: Vector
    """(frames,) time codes at which an animation, or a prim above a skeleton, has a sample."""
    played: bool = False
    """Whether the stage plays this clip, that is, whether skeletons are bound to it."""


def find_clips(opened: Opened, skeletons: Sequence[Skeleton]) -> list[Clip]:
    """All clips. The clip that the stage plays comes first, if there is one.

    A clip has the name of its prim. Animations with the same name on different skeletons form one clip. If two
    animations with the same name drive the same skeleton, their clips are named by path.
    """
    names: dict[str, str] = {}
    for s in skeletons:
        short = [_last(path) for path in s.fitting]
        for path, name in zip(s.fitting, short, strict=True):
            names[path] = path if short.count(name) > 1 or names.get(path) == path else name
    clips = []
    bound = tuple(s.bound for s in skeletons)
    moving = _above(skeletons)
    if any(bound) or moving:
        called = {names[b] for b in bound if b}
        played = _clip(opened, called.pop() if len(called) == 1 else "stage", bound, moving)
        clips.append(replace(played, played=True))
    for name in dict.fromkeys(names.values()):
        chosen = tuple(next((p for p in s.fitting if names[p] == name), None) for s in skeletons)
        if chosen != bound:
            clips.append(_clip(opened, name, chosen, moving))
    return clips


def read_local(
    opened: Opened, skeletons: Sequence[Skeleton], clip: Clip | None, codes: Vector, unit: bool = False
) -> Local:
    """The local transforms of all nodes at some time codes. Each skeleton gives one node for the prims above it, then
    its joints.

    With `unit`, all quaternions are normalized first.
    """
    parts = []
    for k, s in enumerate(skeletons):
        above = _placements_above(s, codes)
        if not (np.abs(above) <= MOST).all():
            raise BadFile(
                opened.path, f"skeleton {s.path} has a placement with numbers that are not finite or too large"
            )
        parts.append(tuple(x[None] for x in factors(above)))
        parts.append(_joints(opened, s, clip.animations[k] if clip else None, codes, unit))
    t, q, D = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return Local(t, q, D)


def _joints(
    opened: Opened, skeleton: Skeleton, animation: str | None, codes: Vector, unit: bool
) -> tuple[Points, Quaternions, Rotations]:
    """(joints, frames, 3), (joints, frames, 4), (joints, frames, 3, 3): from the animation, otherwise from the rest
    pose."""
    assert skeleton.rest is not None
    t, q, D = (np.repeat(np.ascontiguousarray(x)[:, None], len(codes), axis=1) for x in factors(skeleton.rest))
    if animation is not None:
        prim = opened.stage.GetPrimAtPath(animation)
        index = {token: i for i, token in enumerate(skeleton.tokens)}
        driven = [(i, index[token]) for i, token in enumerate(tokens_of(prim)) if token in index]
        own, to = [i for i, _ in driven], [k for _, k in driven]
        moved, turned, scaled = (samples(opened, prim, part, codes) for part in PARTS)
        t[to] = moved[:, own].swapaxes(0, 1)
        names = [tokens_of(prim)[i] for i in own]
        q[to], D[to] = _turns(opened, prim, names, turned[:, own].swapaxes(0, 1), scaled[:, own].swapaxes(0, 1), unit)
    return t, q, D


def rest_in_clip(opened: Opened, skeleton: Skeleton) -> Placements | None:
    """(joints, 4, 4) the first frame of an animation that drives every joint. It replaces the rest pose of a skeleton
    that has none."""
    for path in skeleton.fitting:
        prim = opened.stage.GetPrimAtPath(path)
        tokens = tokens_of(prim)
        if set(skeleton.tokens) <= set(tokens):
            code = _clip(opened, path, (path,), set()).codes[:1]
            t, xyzw, scale = (samples(opened, prim, part, code)[0] for part in PARTS)
            q, D = _turns(opened, prim, tokens, xyzw[:, None], scale[:, None])
            order = [tokens.index(token) for token in skeleton.tokens]
            out = rotations.placement(q[order, 0], t[order])
            out[:, :3, :3] = out[:, :3, :3] @ D[order, 0]
            return out
    return None


def samples(opened: Opened, prim: Any, part: str, codes: Vector) -> Points:
    """(frames, joints of the animation, 3 or 4) the values in the file, unchanged; quaternions are xyzw."""
    attribute = prim.GetAttribute(part)
    count, width = len(tokens_of(prim)), 4 if part == "rotations" else 3
    out = np.empty((len(codes), count, width))
    varying = attribute.ValueMightBeTimeVarying()
    for f, code in enumerate(codes.tolist()):
        if f > 0 and not varying:
            out[f] = out[0]
            continue
        rows = numbers(opened, prim, f"{part} at time code {code:g}", attribute.Get(code), (width,))
        if len(rows) != count:
            where = f"animation {prim.GetPath()}, time code {code:g}"
            raise BadFile(
                opened.path, f"{where}: there are {len(rows)} {part} for {count} joints; each joint needs one"
            )
        out[f] = rows
    return out


def _turns(
    opened: Opened, prim: Any, tokens: Sequence[str], xyzw: Quaternions, scale: Points, unit: bool = False
) -> tuple[Quaternions, Rotations]:
    """Rotations and stretches of joints.

    USD converts a quaternion to a matrix as if its length n were 1. The result is (1 − n²) I + n² R, which is nearly a
    rotation but shrinks what it rotates. Viewers display this matrix, so the difference becomes part of the stretch.
    With `unit` it is ignored.
    """
    q = np.roll(xyzw, 1, axis=-1)
    square = (q * q).sum(axis=-1)
    if (square < 1e-12).any():
        joint = tokens[int(np.argwhere(square < 1e-12)[0][0])]
        raise BadFile(
            opened.path, f"animation {prim.GetPath()}: a rotation of {joint} is the zero quaternion; it needs length 1"
        )
    turns = q / np.sqrt(square)[..., None]
    D = scale[..., None] * np.eye(3)
    odd = np.abs(square - 1.0) > UNIT
    if odd.any() and not unit:
        n, R = square[odd][..., None, None], rotations.to_matrix(turns[odd])
        D[odd] = ((1.0 - n) * R.swapaxes(-1, -2) + n * np.eye(3)) @ D[odd]
        names = [_last(tokens[i]) for i in np.flatnonzero(odd.any(axis=1)).tolist()]
        opened.notes.append(
            f"animation {prim.GetPath()} has quaternions that do not have length 1: {listing(names)}; as in "
            "USD, they stretch the joints"
        )
    return turns, D


# Time, and the prims above a skeleton


def _clip(opened: Opened, name: str, animations: tuple[str | None, ...], moving: set[float]) -> Clip:
    codes = set(moving)
    for path in animations:
        if path is not None:
            prim = opened.stage.GetPrimAtPath(path)
            for part in PARTS:
                codes.update(prim.GetAttribute(part).GetTimeSamples())
    if not codes:
        start = opened.stage.GetStartTimeCode()
        codes = {start if opened.stage.HasAuthoredTimeCodeRange() else 0.0}
    if not all(math.isfinite(c) and abs(c) < 1e12 for c in codes):
        raise BadFile(opened.path, f"clip {name!r} has a time code that is not a usable number")
    return Clip(name, animations, np.array(sorted(codes)))


def _above(skeletons: Sequence[Skeleton]) -> set[float]:
    """Time codes at which skeletons, or prims above them, are animated; empty if none is."""
    codes: set[float] = set()
    for s in skeletons:
        for prim in _ancestors(s.prim):
            x = UsdGeom.Xformable(prim)
            if x and x.TransformMightBeTimeVarying():
                codes.update(x.GetTimeSamples())
                codes |= _knots(x)
    return codes


def _knots(xformable: Any) -> set[float]:
    """Curves (splines) have no samples. They are sampled at each whole time code from the first to the last knot."""
    codes: set[float] = set()
    for op in xformable.GetOrderedXformOps():
        attribute = op.GetAttr()
        if getattr(attribute, "HasSpline", bool)():
            times = [float(k) for k in attribute.GetSpline().GetKnots()]
            if times and all(math.isfinite(t) and abs(t) < 1e12 for t in times):
                whole = range(math.ceil(min(times)), math.floor(max(times)) + 1)
                codes |= {*times, *(float(c) for c in whole[:MOST_KNOTS])}
    return codes


def _ancestors(prim: Any) -> list[Any]:
    found = []
    while prim and not prim.IsPseudoRoot():
        found.append(prim)
        x = UsdGeom.Xformable(prim)
        if x and x.GetResetXformStack():
            break
        prim = prim.GetParent()
    return found


def _placements_above(skeleton: Skeleton, codes: Vector) -> Placements:
    """(frames, 4, 4) from the skeleton's space to the world, acting on columns."""
    prims = [x for p in _ancestors(skeleton.prim) if (x := UsdGeom.Xformable(p))]
    varying = any(x.TransformMightBeTimeVarying() for x in prims)
    times = codes.tolist() if varying else codes[:1].tolist()
    made = [UsdGeom.XformCache(Usd.TimeCode(c)).GetLocalToWorldTransform(skeleton.prim) for c in times]
    matrices = np.array(made, dtype=np.float64).reshape(-1, 4, 4).swapaxes(-1, -2)
    return np.repeat(matrices, len(codes), axis=0) if not varying else matrices


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
