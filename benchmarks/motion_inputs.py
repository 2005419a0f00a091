"""The clips of `benchmarks.motions`, by short names: those it is judged on, and others that settings are chosen on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk
from manikin import rotations
from manikin.figure.joint import Joint

FILES = {
    "walk": "cmu_02_01_walk",
    "run": "cmu_09_01_run",
    "punch": "cmu_02_05_punch",
    "dance": "cmu_05_02_dance_pirouette",
    "pirouette": "cmu_05_11_pirouette",
    "cartwheel": "cmu_49_06_cartwheel",
    "rokoko": "animated_drawings_rokoko_jesse_dance",
    "dab": "animated_drawings_dab",
    "louise": "optitrack_arena_louise",
    "meredith": "pymo_AV_8Walk_Meredith",
    "makehuman": "makehuman_walk1",
}
CLIPS = ("walk", "run", "punch", "dance", "pirouette", "cartwheel")
"""Those that results are about."""
CHOICE = ("rokoko", "dab", "louise", "meredith", "makehuman")
"""Those that settings are chosen on."""


def file_of(name: str) -> Path:
    """The file of a clip, in MANIKIN_DATA."""
    folder = os.environ.get("MANIKIN_DATA", "")
    path = Path(folder, "bvh", f"{FILES[name]}.bvh")
    if not path.exists():
        raise FileNotFoundError(f"there are no clips: MANIKIN_DATA is {folder or 'not set'}")
    return path


def with_ball_root(figure: mk.Figure) -> mk.Figure:
    """The figure with balls for Euler joints of three axes without limits, such as its root."""
    segments = []
    for s in figure.segments:
        j = s.joint
        last = j.motions[-1] if j.motions else None
        if isinstance(last, mk.Euler) and len(last.order) == 3 and np.isinf(last.limits).all():
            slides, start = len(j.motions) - 1, figure.index_of(j.name)
            numbers = figure.rest[start : start + j.nq]
            turn = rotations.from_euler(last.order, numbers[slides:])
            rest = (*numbers[:slides].tolist(), *turn.tolist())
            j = Joint(j.name, (*j.motions[:-1], mk.Ball()), j.offset, j.rotation, rest)
        segments.append(s.replaced(joint=j))
    return figure.replaced(segments=segments)
