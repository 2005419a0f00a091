"""Tracking recorded motion: six placements of a person, as recorded, noisy, and with a hand pulled out of reach.

    MANIKIN_DATA=... python -m benchmarks.clips [--quick] [--peers] [--name before]

It uses every clip of MANIKIN_DATA/bvh with a standing person: on the figure as read and with balls instead of Euler
joints, at its own rate and at about 30 frames per second. The targets are the recorded placements of hips, head, hands
and feet.
"""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import clip_report, pages
from benchmarks.clip_inputs import INPUTS, Clip, clips
from benchmarks.environments import FOLDER
from benchmarks.machine import header
from benchmarks.peers import PEERS
from benchmarks.runs import measured
from benchmarks.tree import Tree
from benchmarks.tree_files import from_urdf
from benchmarks.turns import Array
from benchmarks.workload import Workload, generator
from manikin.files.urdf.expand import expanded
from manikin.goals.goal import ANGLE_TOLERANCE, LENGTH_TOLERANCE

FRAMES = 300
"""Largest number of frames of a clip at one rate."""
SECONDS = 2.0
"""Time limit in seconds. A method or peer stops after the frame that exceeds it."""
BUDGET = 6.0
"""Time limit in seconds for all frames in one call of `track`."""
LOOSE = (1e-3, 1e-2)
"""Tolerances in metres and radians that are enough for an animator. The other tolerance is the solver's default."""
PEER_KEYS = ("placo", "mink")
WIDE = 1e4
"""Limit in radians or metres that stands for no limit. URDF requires limits on sliders, and without limits a hinge has
two numbers in placo. Limits beyond `harness.WIDE` are not passed to peers."""


@dataclass
class Cell:
    """One method on one clip, or the recording itself."""

    clip: str
    joints: str
    rate: float
    own: bool
    input: str
    method: str
    frames: int = 0
    """Number of frames that it processed."""
    reached: int = 0
    """Frames within the default tolerances."""
    nearly: int = 0
    """Frames within LOOSE."""
    mean: float | None = None
    """Mean seconds per frame."""
    speed: float = 0.0
    """The fastest rotation of a joint, rad/s."""
    cut: bool = False
    """Whether the time limit was exceeded. The mean is then a lower bound."""
    error: float = 0.0
    """Median over the frames of the largest distance from a target, metres."""
    failed: str = ""
    times: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    """Seconds of each call; empty if all frames are one call."""

    def record(self) -> dict[str, Any]:
        """The entry in the JSON file: statistics of the times instead of the times."""
        out = {k: v for k, v in vars(self).items() if k != "times"}
        spread = np.percentile(self.times, [50, 99, 100]).tolist() if len(self.times) else [None] * 3
        return out | dict(zip(("median", "p99", "max"), spread, strict=True))


def judge(cell: Cell, clip: Clip, poses: Array, targets: Array) -> Cell:
    """Fills the cell from the figure's placements in these poses, independent of the method's own claims."""
    good = np.isfinite(poses).all(axis=1)
    tried = np.where(good[:, None], poses, clip.poses[0])
    lengths, angles = clip.errors(tried, targets[: len(poses)])
    for name, (length, angle) in (("reached", default_tolerances(clip)), ("nearly", LOOSE)):
        met = (lengths <= length * (1 + 1e-6)).all(axis=1) & (angles <= angle * (1 + 1e-6)).all(axis=1)
        setattr(cell, name, int((met & good).sum()))
    cell.frames = len(poses)
    cell.speed = clip.speed(np.concatenate([clip.poses[:1], tried]))
    cell.error = float(np.median(lengths.max(axis=1))) if len(poses) else 0.0
    return cell


def default_tolerances(clip: Clip) -> tuple[float, float]:
    return LENGTH_TOLERANCE * clip.figure.size, ANGLE_TOLERANCE


# Ours

Found = tuple[Array, Array, float | None]
"""Poses, seconds of each call (empty if it is one call), and the mean for a frame."""


def track_whole(**options: bool) -> Callable[[mk.Solver, Clip, Array], Found]:
    """All frames in one call. Frames after the time limit are left out."""

    def run(solver: mk.Solver, clip: Clip, rows: Array) -> Found:
        began = time.perf_counter()
        found = solver.track(clip.poses[0], rows, budget=BUDGET, **frame_time(clip), **options)
        seconds = time.perf_counter() - began
        late = np.flatnonzero(np.array(found.status) == "out_of_time")
        done = int(late[0]) if len(late) else len(rows)
        return poses_of(found)[:done], np.zeros(0), seconds / max(done, 1)

    return run


def track_frames(solver: mk.Solver, clip: Clip, rows: Array) -> Found:
    """One call of `track` for each frame, as when targets arrive one by one."""
    more = frame_time(clip)

    def frame(pose: Array, t: int) -> Array:
        before = {"before": rows[t - 1]} if t and "before" in TAKES else {}
        return np.array(poses_of(solver.track(pose, rows[t : t + 1], **before, **more))[0])

    return _one_by_one(frame, clip, rows)


def solve_frames(restarts: int | None) -> Callable[[mk.Solver, Clip, Array], Found]:
    """One call of `solve` for each frame, from the previous pose."""
    options = {} if restarts is None else {"restarts": restarts}

    def run(solver: mk.Solver, clip: Clip, rows: Array) -> Found:
        return _one_by_one(lambda pose, t: solver.solve(pose, rows[t], **options).pose, clip, rows)

    return run


def _one_by_one(frame: Callable[[Array, int], Array], clip: Clip, rows: Array) -> Found:
    clock, pose, poses, times = time.perf_counter, clip.poses[0].copy(), [], []
    frame(pose, 0)  # fills caches and runs lazy imports
    until = clock() + SECONDS
    for t in range(len(rows)):
        a = clock()
        pose = frame(pose, t)
        b = clock()
        poses.append(pose)
        times.append(b - a)
        if b > until:
            break
    return np.array(poses), np.array(times), float(np.mean(times))


def poses_of(found: Any) -> Array:
    """(B, nq), under either name that versions of manikin use."""
    return np.asarray(found.poses if hasattr(found, "poses") else found.pose)


TAKES = inspect.signature(mk.Solver.track).parameters
"""The parameters of `track` in this version of manikin."""


def frame_time(clip: Clip) -> dict[str, float]:
    """`dt`, if this version of `track` has it."""
    return {"dt": 1.0 / clip.rate} if "dt" in TAKES else {}


OURS: dict[str, Callable[[mk.Solver, Clip, Array], Found]] = {
    "track, one call": track_whole(),
    "track, a call a frame": track_frames,
    "solve, restarts=0": solve_frames(0),
    "solve": solve_frames(None),
}
if "refine" in TAKES and "escape" in TAKES:
    OURS["track, one call, refine, escape"] = track_whole(refine=True, escape=True)


def ours(clip: Clip, way: str, targets: Array, pattern: str) -> Iterator[Cell]:
    """The recording, then every method of manikin."""
    blank = Cell(clip.name, clip.joints, clip.rate, clip.own, way, "recording")
    if way == "clean" and re.search(pattern, "recording"):
        yield judge(replace(blank), clip, clip.poses, targets)
    solver = mk.Solver(clip.figure, [mk.Placement(s, np.eye(4)) for s in clip.segments])
    rows = np.ascontiguousarray(targets.reshape(len(targets), -1))
    for name, method in OURS.items():
        if re.search(pattern, name):
            poses, times, mean = method(solver, clip, rows)
            cut = not len(times) and mean is not None and mean * len(poses) >= 0.99 * BUDGET
            yield judge(replace(blank, method=name, mean=mean, times=times, cut=cut), clip, poses, targets)


# Peers


def peers(clip: Clip, way: str, targets: Array, pattern: str) -> Iterator[Cell]:
    """placo and mink on the figure as a URDF file. For them the root is also three sliders and three hinges."""
    if clip.joints != "Euler":
        return
    chosen = [key for key in PEER_KEYS if re.search(pattern, key)]
    for label, poses, wall in peer_poses(clip, way, targets, chosen):
        cell = Cell(clip.name, clip.joints, clip.rate, clip.own, way, label)
        if poses is None:
            yield replace(cell, failed=str(wall))
        else:
            yield judge(replace(cell, mean=float(wall.mean()), times=wall), clip, poses, targets)


def peer_poses(clip: Clip, way: str, targets: Array, keys: Sequence[str]) -> Iterator[tuple[str, Array | None, Any]]:
    """(label, poses (T, nq), seconds of each frame) of each peer; (label, None, reason) if it failed."""
    if not keys:
        return
    tree, columns = as_tree(clip.figure)
    length, angle = default_tolerances(clip)
    key = f"clip-{clip.name}-{round(clip.rate)}-{way.replace(' ', '-')}"
    kinds = ("placement",) * len(clip.segments)
    starts = clip.poses[:1, columns]
    w = Workload(key, key, "track", tree, clip.segments, kinds, starts, targets, length, angle, seconds=SECONDS)
    folder = FOLDER / "work"
    folder.mkdir(parents=True, exist_ok=True)
    w.save(folder)
    for who in (PEERS[key] for key in keys):
        row, poses, wall = measured(w, who, folder)
        if poses is None:
            yield who.label, None, row["failed"]
            continue
        back = np.full((len(poses), clip.figure.nq), np.nan)
        back[:, columns] = poses
        yield who.label, back, wall
    for file in (folder / f"{key}.npz", folder / w.file):
        file.unlink()


def as_tree(figure: mk.Figure) -> tuple[Tree, list[int]]:
    """The figure's URDF file as `save` writes it, read independently, and the indices of its numbers in the figure's
    poses."""
    with tempfile.TemporaryDirectory() as folder:
        mk.save(figure, Path(folder, "clip.urdf"))
        tree = from_urdf(Path(folder, "clip.urdf"))
    apart = expanded(figure)
    numbers = apart.pose(np.arange(float(figure.nq)))  # no balls here: each number is one of the figure's
    columns = [int(numbers[apart.figure.index_of(name)]) for name in tree.joints]
    parts = [replace(p, joint=f"{p.joint}_joint", limits=(-WIDE, WIDE)) for p in tree.parts]  # not named like links
    return Tree(tuple(parts)), columns


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("clips", __doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="placo and mink too (benchmarks.environments placo mink)")
    parser.add_argument("--only", default="", help="only clips that match, e.g. 'cmu_02_01|dab'")
    parser.add_argument("--methods", default="", help="only methods that match, e.g. 'track|placo'")
    parser.add_argument("--frames", type=int, default=None, help=f"most frames of a clip ({FRAMES})")
    options = parser.parse_args(arguments)
    most = options.frames if options.frames is not None else 40 if options.quick else FRAMES
    pattern = options.only or ("cmu_02_01|dab" if options.quick else "")
    cells: list[Cell] = []
    left_out: list[str] = []
    began = time.perf_counter()
    for clip in clips(most, left_out):
        if not re.search(pattern, clip.name):
            continue
        for way in INPUTS:
            targets = clip.asked(way, generator(options.seed, f"{clip.name} {clip.rate:.0f} {way}"))
            cells += ours(clip, way, targets, options.methods)
            if options.peers:
                cells += peers(clip, way, targets, options.methods)
        print(f"[{time.perf_counter() - began:.0f} s] {clip.name}, {clip.joints}, {clip.rate:.0f} a second", flush=True)
    options.quick = bool(options.quick or options.only or options.methods or options.frames)  # parts are not quoted
    head = header(options.quick, options.seed)
    results = {"header": head, "left_out": left_out, "cells": [cell.record() for cell in cells]}
    path = pages.save("clips", options, results, clip_report.page(head, cells, left_out))
    print("\n".join(clip_report.summary(cells)))
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
