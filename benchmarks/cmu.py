"""The recorded poses of the CMU database (data/cmu/SOURCES.md) as figures and poses, split by subject.

One figure for each skeleton in the file. CMU's numbers are not people: one person may have several numbers. Subjects
with the same skeleton were taken to be one person when the file was made; other repeats cannot be seen from it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks.turns import Array
from manikin.motion.on import poses_on

FILE = "cmu/cmu_poses.npz"
SHA256 = "843f13de447634c24a51b277d30f3453991f42f187b5c21a7bd11c20f3a11d02"
"""SHA-256 of the file on which all figures here are measured."""
MILLIMETRES = 56.444
"""One length of the files, in millimetres."""
TEST = (2, 5, 9, 17, 25, 33, 41, 49, 55, 70, 80, 88, 104, 115, 125, 135, 143)
"""Subjects that no choice may look at (data/cmu/SOURCES.md)."""
VALIDATION = (1, 11, 27, 35, 43, 61, 75, 83, 91, 107, 120, 128, 138)
"""Subjects on which choices are made. All others are for training."""


@dataclass(frozen=True, eq=False)
class Person:
    """All poses of one skeleton."""

    subject: int
    figure: mk.Figure
    """As the BVH file has it: Euler joints, no limits."""
    poses: Array
    """(poses, nq)"""
    clip: Array
    """(poses,) number of the clip in the file."""

    def limited(self) -> tuple[mk.Figure, Array]:
        """The figure with a person's limits, its joints as balls, and the poses on it."""
        figure = self.figure.with_limits("human", balls=True)
        return figure, poses_on(self.figure, figure, self.poses)


def people(which: str, data: str | None = None) -> list[Person]:
    """The people of one part of the split: "training", "validation" or "test"."""
    names, parents, clips, offsets, count, frames = _read(data)
    subject = np.array([int(clip[:2] if len(clip) == 5 else clip.split("_")[0]) for clip in clips])
    wanted = {"test": np.isin(subject, TEST), "validation": np.isin(subject, VALIDATION)}
    wanted["training"] = ~(wanted["test"] | wanted["validation"])
    first = np.concatenate([[0], np.cumsum(count)])
    groups: dict[tuple[int, bytes], list[int]] = {}
    for k in np.flatnonzero(wanted[which]):
        groups.setdefault((int(subject[k]), offsets[k].tobytes()), []).append(int(k))
    out = []
    for (number, _), own in sorted(groups.items(), key=lambda item: item[1]):
        rows = np.concatenate([np.arange(first[k], first[k + 1]) for k in own])
        poses = np.array(frames[rows], dtype=np.float64)
        poses[:, 3:] *= np.pi / 180.0
        clip = np.repeat(own, [count[k] for k in own])
        out.append(Person(number, _figure(f"CMU {number:02}", names, parents, offsets[own[0]]), poses, clip))
    return out


def location(data: str | None = None) -> Path:
    """Where the file is: under `data`, or under $MANIKIN_DATA."""
    folder = data or os.environ.get("MANIKIN_DATA")
    if not folder:
        raise FileNotFoundError(f"set MANIKIN_DATA to the folder that holds {FILE}")
    return Path(folder) / FILE


@cache
def _read(data: str | None) -> tuple[Array, ...]:
    path = location(data)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(f"{path} has SHA-256 {found}; the figures here are measured on {SHA256}")
    with np.load(path) as file:
        return tuple(file[name] for name in ("names", "parents", "clips", "offsets", "count", "frames"))


def _figure(name: str, names: Array, parents: Array, offsets: Array) -> mk.Figure:
    """The hierarchy of these BVH files."""
    unique = [str(n) if n != "END" else f"{names[p]}_end" for n, p in zip(names, parents, strict=True)]
    segments = []
    for i, own in enumerate(unique):
        offset = tuple(float(x) for x in offsets[i])
        if parents[i] < 0:
            sliders = [mk.Slider(axis=tuple(np.eye(3)[k])) for k in range(3)]
            joint = mk.Joint(own, (*sliders, mk.Euler("ZYX")), rest=(*offset, 0.0, 0.0, 0.0))
            segments.append(mk.Segment(own, None, joint))
            continue
        turning = () if names[i] == "END" else (mk.Euler("ZYX"),)
        segments.append(mk.Segment(own, unique[parents[i]], mk.Joint(own, turning, offset=offset)))
    return mk.Figure(name, segments, unit=MILLIMETRES / 1000.0, up="y")
