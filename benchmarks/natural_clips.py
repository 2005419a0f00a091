"""Measures clips of people: second differences relative to the recording, and errors.

Each frame is solved separately, or the clip is tracked from a natural start."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import cmu
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


WAYS = {
    "each frame alone, heading": lambda solver, rows: solver.solve_many(None, rows),
    "each frame alone, natural": lambda solver, rows: solver.solve_many("natural", rows),
    "the same, settled": lambda solver, rows: solver.solve_many("natural", rows, prefer="natural", settle=True),
    "track": lambda solver, rows: solver.track("natural", rows),
    "track, settled": lambda solver, rows: solver.track("natural", rows, prefer="natural", settle=True),
}
"""Ways to solve the frames of a clip. Settled ones have prefer="natural" and settle=True."""
BOUND = 1.8
"""Ratios above this are printed in bold."""


def measured(path: Path) -> dict[str, list[tuple[float, float, float]]]:
    """For each condition and each way: the mean second difference of the free joints relative to the recording, their
    mean error in millimetres, and the fraction of frames that reach their goals."""
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
        recorded = places(figure, poses)[:, free]
        cells = []
        for way in WAYS.values():
            found = way(solver, targets)
            joints = places(figure, found.poses)[:, free]
            apart = cmu.MILLIMETRES * float(np.linalg.norm(joints - recorded, axis=-1).mean())
            cells.append((second_difference(joints) / second_difference(recorded), apart, float(found.reached.mean())))
        out[condition] = cells
    return out


def write(folder: Path) -> None:
    data = Path(os.environ["MANIKIN_DATA"]) / "bvh"
    found = {name: measured(data / f"cmu_{name}.bvh") for name in FILES}
    lines = [
        "# Natural poses along clips",
        "",
        "`python -m benchmarks.natural clips`: six clips of test subjects at 30 frames a second. Conditions as in "
        'natural.md. "Alone": each frame is solved by itself, from the heading alone or from a natural start. '
        '"Settled": with `prefer="natural"` and `settle=True`. `track` starts from a natural pose.',
        "",
        f"## Mean second difference of the free joints, relative to the recording (bold: above {BOUND})",
        "",
        *_table(found, lambda cell: f"**{cell[0]:.2f}**" if cell[0] > BOUND else f"{cell[0]:.2f}"),
        "",
        "## Mean error of the free joints, mm",
        "",
        *_table(found, lambda cell: f"{cell[1]:.0f}"),
        "",
        "## Frames that reach all goals, %",
        "",
        *_table(found, lambda cell: f"{100.0 * cell[2]:.1f}"),
    ]
    text = "\n".join(lines) + "\n"
    (folder / "natural-clips.md").write_text(text)
    print(text)


def _table(found: dict[str, dict[str, list[tuple[float, float, float]]]], text: Callable[[Any], str]) -> list[str]:
    """The lines of a table with one row for each clip and condition, and one column for each way."""
    lines = [f"| clip | | {' | '.join(WAYS)} |", "| --- | --- |" + " ---: |" * len(WAYS)]
    for name, conditions in found.items():
        for condition, cells in conditions.items():
            lines.append(f"| {name} | {condition} | {' | '.join(text(cell) for cell in cells)} |")
    return lines
