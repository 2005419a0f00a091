"""Natural starts on figures from other sources, compared with their own recordings."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.natural_judge import CONDITIONS, goals_of, targets_of
from benchmarks.turns import Array
from manikin.prior.anatomy import EFFECTORS, PARTS, anatomy_of

FILES = {
    "Louise (OptiTrack)": ("optitrack_arena_louise.bvh", "chosen on"),
    "Jesse (Rokoko)": ("animated_drawings_rokoko_jesse_dance.bvh", "chosen on"),
    "Meredith (PyMO)": ("pymo_AV_8Walk_Meredith.bvh", "judged"),
    "MakeHuman walk": ("makehuman_walk1.bvh", "judged"),
    "Daz conversion of CMU 05_11": ("threejs_pirouette.bvh", "judged, a test subject"),
}
CAUSES = {
    "Jesse (Rokoko)": "The dancer's knees are bent by 55 to 68° under an upright trunk. Training subjects whose knees "
    "are bent so far lean forward, and so does the start; the heading alone starts from a frame of the same dance.",
    "Daz conversion of CMU 05_11": "The recorded pelvis leans by 23° under a spine that is bent back by 20°. Head and "
    "hands do not show that; the start has 6° and 4°.",
    "Boxing (assimp test model)": "The boxer rounds his back: the neck is 23° forward and the head 24° back. The start "
    "curves neck and head the other way for the same placements; the straight spine of the rest pose is between.",
}
"""Why a figure has a cell that is worse than the heading alone, by inspection of its joints."""
MOST = 60
"""Number of frames of each clip, evenly spaced."""
WORSE = 5.0
"""Cells that are worse by more than this are marked, in millimetres."""
STATURE = 1700.0
"""Lengths are printed for a person of this stature, in millimetres."""


def measured(path: Path) -> dict[str, list[float]]:
    """Free error in millimetres with the heading alone and from a natural start, by condition."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(path)
        figure = motion.figure.with_limits("human", pose=_stand(motion), balls=True)
        poses = motion.on(figure).poses
    poses = poses[np.linspace(min(1, len(poses) - 1), len(poses) - 1, min(MOST, len(poses))).astype(int)]
    anatomy = anatomy_of(figure)
    segments = {e: figure.segment_names[i] for e, i in zip(EFFECTORS, anatomy.effectors, strict=True)}
    joints = list(dict.fromkeys(figure.segment_names[anatomy.joints[p][0]] for p in PARTS if p in anatomy.joints))
    truth = figure.placements(poses, joints)[..., :3, 3]
    unit = STATURE / _height(figure)
    out = {}
    for condition in CONDITIONS:
        given = {segments[e] for e in CONDITIONS[condition]}
        free = [k for k, name in enumerate(joints) if name not in given]
        solver = mk.Solver(figure, goals_of(condition, segments))
        targets = targets_of(figure, poses, condition, segments)
        out[condition] = [
            _free(figure, solver.solve_many(start, targets).poses, joints, truth, free) * unit
            for start in (None, "natural")
        ]
    return out


def _free(figure: mk.Figure, found: Array, joints: list[str], truth: Array, free: list[int]) -> float:
    away = figure.placements(found, joints)[..., :3, 3] - truth
    return float(np.linalg.norm(away, axis=-1)[:, free].mean())


def _stand(motion: mk.Motion) -> Any:
    """None if the figure stands in the rest pose, otherwise the first frame."""
    try:
        anatomy_of(motion.figure)
    except mk.errors.BadValue:
        return motion[0]
    return None


def _height(figure: mk.Figure) -> float:
    places = figure.placements(figure.rest)[:, :3, 3] @ np.array(mk.rotations.AXES[figure.up])
    return float(np.ptp(places))


def _cell(heading: float, natural: float) -> str:
    text = f"{heading:.0f} → {natural:.0f}"
    return f"**{text}**" if natural > heading + WORSE else text


def write(folder: Path, found: Sequence[Path] = ()) -> None:
    """Measures all rigs, and further files that are not among the data."""
    data = Path(os.environ["MANIKIN_DATA"]) / "bvh"
    rigs = [(name, data / file, use) for name, (file, use) in FILES.items()]
    rigs += [(path.stem.replace("_", " "), path, "judged, found by search") for path in found]
    lines = [
        "# Natural starts on other figures",
        "",
        "`python -m benchmarks.natural rigs`: free error in millimetres (for a person of 1.7 m), heading alone → "
        "natural start, conditions as in natural.md. Cells in bold are worse than the heading alone by more than "
        f"{WORSE:.0f} mm.",
        "",
        "| figure | use | a | b | c |",
        "| --- | --- | --- | --- | --- |",
    ]
    causes = [""]
    for name, path, use in rigs:
        found_cells = [_cell(*x) for x in measured(path).values()]
        lines.append(f"| {name} | {use} | {' | '.join(found_cells)} |")
        if any(cell.startswith("**") for cell in found_cells):
            causes.append(f"- {name}: {CAUSES.get(name, 'The cause was not examined.')}")
    lines += causes if len(causes) > 1 else []
    text = "\n".join(lines) + "\n"
    (folder / "natural-rigs.md").write_text(text)
    print(text)
