"""All figures and motions of a USD stage, read once."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pxr import UsdGeom

from manikin.arrays import Vector
from manikin.errors import BadFile, listing, unknown_name
from manikin.figure import Figure
from manikin.files.common.rig import MOST_SAMPLES, Course, Local, Rig, course
from manikin.files.common.rig_figure import Layout, build, lay_out, unique_names
from manikin.files.usd.clip import Clip, find_clips, read_local, rest_in_clip
from manikin.files.usd.skeleton import Skeleton, find_skeletons
from manikin.files.usd.stage import Opened, open_stage, speaking

UNIT_UNKNOWN = "manikinUnitUnknown"
"""Key in the custom data of a layer written by manikin without metersPerUnit, because the unit is unknown."""


@dataclass(frozen=True, eq=False)
class Content:
    """The figures and motions of a stage."""

    opened: Opened
    skeletons: list[Skeleton]
    clips: list[Clip]
    layout: Layout
    courses: list[Course]
    """One course for each clip."""
    figure: Figure


def read(path: str, wanted: Collection[str] | None = None, within: str | os.PathLike[str] | None = None) -> Content:
    """Reads all figures and motions of a stage. Notes go into the source of the figure; no warning is raised here.

    `wanted` lists paths or names of skeletons; None means all. Files that the stage names must be in its folder or in
    `within`.
    """
    opened = open_stage(path, within)
    with speaking(path):
        skeletons = _skeletons(opened, wanted)
        clips = find_clips(opened, skeletons)
        rig = _rig(opened, skeletons)
        samples = len(rig.names) * sum(len(c.codes) for c in clips)
        if samples > MOST_SAMPLES:
            raise BadFile(path, f"there are {samples} samples of joints; the limit is {MOST_SAMPLES}")
        start = np.array([opened.stage.GetStartTimeCode() if opened.stage.HasAuthoredTimeCodeRange() else 0.0])
        rest = read_local(opened, skeletons, None, start)
        at_rest = course(rig, np.zeros(1), lambda _: rest, rest)
        courses = [_course(opened, skeletons, rig, clip, rest) for clip in clips]
        layout = lay_out(rig, at_rest, courses)
        opened.notes.extend(layout.notes)
        return Content(opened, skeletons, clips, layout, courses, _figure(opened, skeletons, clips, layout))


def _figure(opened: Opened, skeletons: list[Skeleton], clips: list[Clip], layout: Layout) -> Figure:
    names = iter(n for n, inner in zip(layout.rig.names, layout.rig.inner, strict=True) if inner)
    source = {
        "format": "usd",
        "path": os.path.abspath(opened.path),
        "clips": tuple(dict.fromkeys(c.name for c in clips)),
        "skeletons": tuple((s.path, {next(names): token for token in s.tokens}) for s in skeletons),
        "notes": tuple(dict.fromkeys(opened.notes)),
    }
    return build(layout, Path(opened.path).stem, unit=_unit(opened), up=_up(opened), source=source)


def _skeletons(opened: Opened, wanted: Collection[str] | None) -> list[Skeleton]:
    found = find_skeletons(opened)
    if not found:
        raise BadFile(opened.path, "the file has no skeleton (a Skeleton prim with joints)")
    if wanted is not None:
        for name in wanted:
            if all(name not in (s.path, s.prim.GetName()) for s in found):
                raise unknown_name(opened.path, "skeleton", name, [s.path for s in found])
        found = [s for s in found if s.path in wanted or s.prim.GetName() in wanted]
    for i, s in enumerate(found):
        if s.rest is None:
            rest = rest_in_clip(opened, s)
            if rest is None:
                raise BadFile(opened.path, f"skeleton {s.path} has neither restTransforms nor bindTransforms")
            opened.notes.append(f"skeleton {s.path} has no rest pose; the first frame of its animation is used")
            found[i] = replace(s, rest=rest)
    return found


def _rig(opened: Opened, skeletons: list[Skeleton]) -> Rig:
    """One node for the prims above each skeleton, then one for each of its joints."""
    names, twice = unique_names([n for s in skeletons for n in s.names])
    if twice:
        opened.notes.append(f"joints with the same name get a number: {listing(twice)}")
    all_names: list[str] = []
    parents: list[int] = []
    inner: list[bool] = []
    at = 0
    for s in skeletons:
        base = len(all_names)
        all_names += [s.path, *names[at : at + len(s.names)]]
        parents += [-1, *(base + 1 + p if p >= 0 else base for p in s.parents)]
        inner += [False, *[True] * len(s.names)]
        at += len(s.names)
    return Rig(tuple(all_names), tuple(parents), tuple(inner))


def _course(opened: Opened, skeletons: list[Skeleton], rig: Rig, clip: Clip, rest: Local) -> Course:
    return course(
        rig, _seconds(opened, clip.codes), lambda part: read_local(opened, skeletons, clip, clip.codes[part]), rest
    )


def _seconds(opened: Opened, codes: Vector) -> Vector:
    rate = opened.stage.GetTimeCodesPerSecond()
    if not (np.isfinite(rate) and rate > 0.0):
        raise BadFile(opened.path, f"timeCodesPerSecond is {rate:g}; it needs a number above 0")
    times: Vector = codes / rate
    if (np.diff(times) <= 0.0).any():
        raise BadFile(opened.path, "time codes are too close together to be different times in seconds")
    return times


def _unit(opened: Opened) -> float | None:
    if opened.stage.GetRootLayer().customLayerData.get(UNIT_UNKNOWN):
        return None
    unit = float(UsdGeom.GetStageMetersPerUnit(opened.stage))
    if not (np.isfinite(unit) and unit > 0.0):
        raise BadFile(opened.path, f"metersPerUnit is {unit:g}; it needs a number above 0")
    return unit


def _up(opened: Opened) -> str:
    up = str(UsdGeom.GetStageUpAxis(opened.stage)).lower()
    if up not in ("x", "y", "z"):
        raise BadFile(opened.path, f"upAxis is {up!r}; it must be Y or Z")
    return up
