"""Measures the smoothness of clips: second differences relative to the recording.

Each frame is solved separately, or the clip is tracked from a natural start."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks.natural_judge import CONDITIONS, GIVEN, JUDGED, goals_of, targets_of
from benchmarks.turns import Array

FILES = ("02_01_walk", "02_05_punch", "05_02_dance_pirouette", "05_11_pirouette", "09_01_run", "49_06_cartwheel")
EVERY, MOST = 4, 150
"""Every fourth frame (30 per second) is used, and at most this many."""


def places(figure: mk.Figure, poses: Array) -> Array:
    """(frames, 19, 3) positions of the judged joints."""
    return figure.placements(poses, JUDGED)[..., :3, 3]


def second_difference(joints: Array) -> float:
    """The mean second difference over frames and joints, of positions (frames, joints, 3)."""
    return float(np.linalg.norm(np.diff(joints, n=2, axis=0), axis=-1).mean())


def measured(path: Path) -> dict[str, list[float]]:
    """Ratios of the mean second difference of free joints to the recorded one: heading alone, natural start of each
    frame, the same settled at the nearest pose to it, track from a natural start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(path)
        figure = motion.figure.with_limits("human", balls=True)
        poses = motion.on(figure).poses[1::EVERY][:MOST]
    out = {}
    for condition in CONDITIONS:
        free = [k for k, name in enumerate(JUDGED) if GIVEN.get(name) not in CONDITIONS[condition]]
        solver = mk.Solver(figure, goals_of(condition))
        targets = targets_of(figure, poses, condition)
        own = second_difference(places(figure, poses)[:, free])
        ways = [solver.solve_many(start, targets) for start in (None, "natural")]
        ways.append(solver.solve_many("natural", targets, prefer="natural", settle=True))
        ways.append(solver.track("natural", targets))
        out[condition] = [second_difference(places(figure, w.poses)[:, free]) / own for w in ways]
    return out


def write(folder: Path) -> None:
    data = Path(os.environ["MANIKIN_DATA"]) / "bvh"
    lines = [
        "# Smoothness of natural starts",
        "",
        "`python -m benchmarks.natural clips`: mean second difference of the free joints at 30 frames a second over "
        "the recorded one: each frame solved alone, heading alone → natural start; then the same with "
        '`prefer="natural"` and `settle=True`; then `track` from a natural start.',
        "",
        "| clip | a | b | c |",
        "| --- | --- | --- | --- |",
    ]
    for name in FILES:
        cells = " | ".join(
            "{:.2f} → {:.2f}; {:.2f}; {:.2f}".format(*x) for x in measured(data / f"cmu_{name}.bvh").values()
        )
        lines.append(f"| {name} | {cells} |")
    text = "\n".join(lines) + "\n"
    (folder / "natural-clips.md").write_text(text)
    print(text)
