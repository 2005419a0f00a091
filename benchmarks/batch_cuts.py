"""Many short clips: cuts of recorded motions, for the tests and the benchmark of `mk.batch`."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import manikin as mk

SOURCES = (
    "cmu_02_01_walk",
    "cmu_02_05_punch",
    "cmu_05_02_dance_pirouette",
    "cmu_05_11_pirouette",
    "cmu_49_06_cartwheel",
    "pymo_AV_8Walk_Meredith",
    "threejs_pirouette",
    "optitrack_arena_louise",
    "animated_drawings_dab",
)
"""Recorded people in the folder `bvh` of MANIKIN_DATA. The first frame of each is left out; it may be a T-pose."""


def write_cuts(folder: Path, count: int, frames: int) -> list[Path]:
    """Writes `count` clips of `frames` frames, in one subfolder for each recording. The cuts are evenly spread."""
    data = Path(os.environ["MANIKIN_DATA"]) / "bvh"
    out = []
    for k, name in enumerate(SOURCES):
        own = len(range(k, count, len(SOURCES)))
        if not own:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mk.errors.OddFile)
            motion = mk.load_motion(data / f"{name}.bvh")
        (folder / name).mkdir(parents=True, exist_ok=True)
        room = len(motion) - 1 - frames
        for j in range(own):
            first = 1 + (room * j) // max(own - 1, 1)
            out.append(folder / name / f"from_{first:04}_{j}.bvh")
            mk.save(motion[first : first + frames], out[-1])
    return out
