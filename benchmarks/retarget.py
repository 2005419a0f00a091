"""Retargeting: recorded clips on people, characters and robots. Measures errors, foot slide and time.

    MANIKIN_DATA=... python -m benchmarks.retarget [--quick] [--clips walk,run] [--figures g1] [--name after]

Whole clips are used; `--quick` uses their first 240 frames. Time is CPU time of one thread for the whole call of
`mk.retarget`: maps, calibration, contacts and solving.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages, retarget_causes
from benchmarks.machine import header
from manikin.figure.parts.bone_map import SIDES, following
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.retarget.goals import LIMBS
from manikin.motion.retarget.measure import LEG, LEG_PART
from manikin.motion.retarget.prepare import Prepared, prepare
from manikin.motion.retarget.watch import watch

CLIPS = {
    "walk": "bvh/cmu_02_01_walk.bvh",
    "run": "bvh/cmu_09_01_run.bvh",
    "punch": "bvh/cmu_02_05_punch.bvh",
    "dance": "bvh/cmu_05_02_dance_pirouette.bvh",
    "pirouette": "bvh/cmu_05_11_pirouette.bvh",
    "cartwheel": "bvh/cmu_49_06_cartwheel.bvh",
    "PyMO walk": "bvh/pymo_AV_8Walk_Meredith.bvh",
    "Rokoko": "bvh/animated_drawings_rokoko_jesse_dance.bvh",
    "dab": "bvh/animated_drawings_dab.bvh",
    "OptiTrack": "bvh/optitrack_arena_louise.bvh",
}
FIGURES = {
    "Daz": "bvh/threejs_pirouette.bvh",
    "human": "",
    "G1": "mjcf/unitree_g1.xml",
    "CesiumMan": "gltf/CesiumMan.glb",
    "MakeHuman": "bvh/makehuman_tpose.bvh",
    "RobotExpressive": "gltf/RobotExpressive.glb",
    "MuJoCo humanoid": "mjcf/humanoid.xml",
}
QUICK = 240
"""Number of frames of each clip in a quick run."""
SLOW = 0.12
"""The sole of the source rests if it is slower than this, in legs per second."""
BOUNDS = {"slide_mm": 3.0, "sinking_mm": 10.0, "turn_excess_deg": 2.0}
"""Cells above these are listed."""
METHOD = """Each cell has five numbers: the mean error of the directions of upper arms, forearms, thighs and shanks (°);
the mean error of the wrists (% of body height); the largest slide of a planted sole (mm); the deepest sole below the
floor (mm); microseconds of CPU time per frame, one thread, for the whole call. Errors are relative to where the parts
would be if the joints of the target were free. Millimetres are those of a person with legs of 0.86 m. Weights and
constants were chosen on some of these clips, so the figures are in sample."""
SEGMENTS = """Means over the clips. The table above has errors of the direction from joint to joint. The limbs of
MakeHuman have two segments each. Their main segments point as in the source, but the joint at the end moves with a
planted foot."""
PAIR = ("left hand", "right hand", "left forearm", "right forearm", "left shank", "right shank", "left foot")
PAIR += ("right foot", "left upper arm", "right upper arm", "head")
"""The joints that are compared between two motions of one figure."""


@dataclass
class Cell:
    """One clip on one figure."""

    clip: str
    figure: str
    frames: int
    bone_error_deg: float
    wrist_error_percent: float
    slide_mm: float
    slide_mean_mm: float
    hand_slide_mm: float
    sinking_mm: float
    turn_excess_deg: float
    """The largest turn of a part in a frame, minus that of the source."""
    frames_over_limit: int
    sole_speed_mm: float | None
    """Median speed of soles in mm/s while the same sole of the source is slower than `SLOW`, whatever its height and
    whatever contacts were found; None if it never is."""
    seconds: float
    """CPU time for each frame."""
    segment_error_deg: float = float("nan")
    """As `bone_error_deg`, but with the directions of the segments that carry the orientations of the parts."""

    def text(self) -> str:
        return (
            f"{self.bone_error_deg:.1f} · {self.wrist_error_percent:.1f} · {self.slide_mm:.1f} · "
            f"{self.sinking_mm:.0f} · {1e6 * self.seconds:.0f}"
        )


def folder() -> Path:
    if "MANIKIN_DATA" not in os.environ:
        raise SystemExit("set MANIKIN_DATA to the folder of sample files")
    return Path(os.environ["MANIKIN_DATA"])


def load_clip(name: str, frames: int | None) -> mk.Motion:
    motion = mk.load_motion(folder() / CLIPS[name])
    return motion if frames is None else motion[:frames]


def load_figure(name: str) -> mk.Figure:
    return mk.load_figure(folder() / FIGURES[name]) if FIGURES[name] else mk.human()


def sole_speeds(motion: mk.Motion) -> Any:
    """(4, frames − 1) speeds of the sole points in legs per second."""
    found = mk.contacts(motion)
    points = found.soles.over(motion.figure, motion.poses)[:4] / found.soles.leg
    points = points - (motion.times - motion.times[0])[:, None] * np.array(found.floor_velocity) / found.soles.leg
    return np.linalg.norm(np.diff(points, axis=1), axis=-1) / np.diff(motion.times)


def cell(clip: str, name: str, motion: mk.Motion, figure: mk.Figure) -> Cell:
    """Retargets once for the figures and times it."""
    fresh = motion.replaced()  # nothing is kept on it
    began = time.process_time()
    done = mk.retarget(fresh, figure)
    out, found = done.motion, done.measures
    seconds = (time.process_time() - began) / len(out)
    source = sole_speeds(motion[len(motion) - len(out) :])
    own = calibrate(figure, mk.bone_map(figure))
    resting = sole_speeds(out)[source < SLOW]
    return Cell(
        clip,
        name,
        len(out),
        *(found[key] for key in ("bone_error_deg", "wrist_error_percent", "slide_mm", "slide_mean_mm")),
        found["hand_slide_mm"],
        found["sinking_mm"],
        found["turn_deg"] - found["source_turn_deg"],
        found["frames_over_limit"],
        1000.0 * LEG * float(np.median(resting)) if resting.size else None,
        seconds,
        segment_error(prepare(motion, calibrated(motion), own), out.poses),
    )


def segment_error(ready: Prepared, poses: Any) -> float:
    """The mean angle between the directions of the main segments of limbs and their ideal directions, in degrees.

    `bone_error_deg` is measured from joint to joint instead. The two differ if a limb has several segments that bend,
    or if a foot does not hang on the shank.
    """
    own = ready.ideal.calibration
    got, errors = watch(own, poses), []
    for part in (f"{side} {limb}" for side in SIDES for limb in LIMBS):
        if following(part) in own.links:
            bone = own.bone(part)
            wanted, found = ready.ideal.turns[part] @ bone, got.turns[part] @ (own.axes[part].T @ bone)
            across = np.linalg.norm(np.cross(wanted, found), axis=1)
            errors.append(np.arctan2(across, np.einsum("fi,fi->f", wanted, found)))
    return float(np.rad2deg(errors).mean())


def apart(one: mk.Motion, two: mk.Motion, own: Calibration) -> float:
    """The mean distance of joints of two motions of one figure, relative to the hips, in percent of body height."""
    count = min(len(one), len(two))
    a, b = (watch(own, motion.poses[-count:]) for motion in (one, two))
    far = [np.linalg.norm((a.centers[n] - a.hips) - (b.centers[n] - b.hips), axis=1) for n in PAIR if n in a.centers]
    return float(100.0 * LEG_PART * np.mean(far) / own.leg)


def calibrated(motion: mk.Motion) -> Calibration:
    return calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)


def truths(frames: int | None) -> list[tuple[str, float]]:
    """Distances to what is known to be right, in percent of body height."""
    cmu = load_clip("pirouette", frames)
    daz = mk.load_motion(folder() / FIGURES["Daz"])[:frames]
    out = [
        (
            "CMU's pirouette on Daz's skeleton, against Daz's file",
            apart(mk.retarget(cmu, daz.figure).motion, daz, calibrated(daz)),
        ),
        (
            "Daz's pirouette on CMU's skeleton, against CMU's file",
            apart(mk.retarget(daz, cmu.figure).motion, cmu, calibrated(cmu)),
        ),
    ]
    for clip in ("walk", "pirouette"):
        motion = load_clip(clip, frames)
        own = calibrated(motion)
        same = mk.retarget(motion, motion.figure, plant=False, floor=0.0).motion
        out.append((f"{clip} onto itself, without planting", apart(same, motion, own)))
        for name in ("human", "MakeHuman", "CesiumMan", "G1"):
            back = mk.retarget(mk.retarget(motion, load_figure(name)).motion, motion.figure).motion
            out.append((f"{clip} onto {name} and back", apart(back, motion, own)))
    return out


def page(
    head: dict[str, Any],
    cells: list[Cell],
    known: list[tuple[str, float]],
    causes: Sequence[retarget_causes.Row] = (),
) -> str:
    out = pages.title("Retargeting", head, METHOD)
    names = list(dict.fromkeys(c.figure for c in cells))
    text = {(c.clip, c.figure): c.text() for c in cells}
    clips = dict.fromkeys(c.clip for c in cells)
    out += pages.table(["clip", *names], [[clip, *(text[clip, name] for name in names)] for clip in clips])
    speeds = sorted(1.0 / c.seconds for c in cells)
    over = sum(c.frames_over_limit for c in cells)
    out += [
        "",
        f"Frames per second: median of the cells {np.median(speeds):,.0f}, slowest {speeds[0]:,.0f}. "
        f"Frames over a limit: {over}.",
    ]
    resting = [c.sole_speed_mm for c in cells if c.sole_speed_mm is not None]
    if resting:
        out.append(
            f"Median speed of soles while the source's sole is slower than {SLOW} legs per second: median of the cells "
            f"{np.median(resting):.1f} mm/s, largest {max(resting):.1f} mm/s."
        )
    out += ["", "## Cells with a slide above 3 mm, sinking above 10 mm, or turns 2° above the source's", ""]
    lines = [
        [c.clip, c.figure, f"{c.slide_mm:.1f}", f"{c.sinking_mm:.1f}", f"{c.turn_excess_deg:+.1f}"]
        for c in cells
        if any(getattr(c, key) > bound for key, bound in BOUNDS.items())
    ]
    out += pages.table(["clip", "figure", "slide, mm", "sinking, mm", "turn above the source's, °"], lines, words=2)
    if causes:
        out += ["", "## Against an earlier program", "", retarget_causes.TEXT, ""]
        out += pages.table(retarget_causes.COLUMNS, [row.cells() for row in causes], words=3)
    out += ["", "## Directions of limbs by figure", "", SEGMENTS, ""]
    rows = []
    for name in names:
        own = [c for c in cells if c.figure == name]
        means = [np.mean([getattr(c, key) for c in own]) for key in ("bone_error_deg", "segment_error_deg")]
        rows.append([name, *(f"{value:.2f}" for value in means)])
    out += pages.table(["figure", "joint to joint, °", "main segment, °"], rows)
    if known:
        out += ["", "## Against what is known", "", "Mean distance of joints relative to the hips.", ""]
        out += pages.table(["motion", "% of height"], [[words, f"{value:.2f}"] for words, value in known])
    return "\n".join(out)


def main() -> None:
    parser = pages.parser("retarget", (__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--clips", default=",".join(CLIPS), help="which clips, separated by commas")
    parser.add_argument("--figures", default=",".join(FIGURES), help="which figures, separated by commas")
    parser.add_argument("--no-truths", action="store_true", help="leave out the comparisons with known motions")
    options = parser.parse_args()
    for given, known in ((options.clips, CLIPS), (options.figures, FIGURES)):
        if unknown := set(given.split(",")) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    warnings.simplefilter("ignore", mk.errors.OddFile)
    frames = QUICK if options.quick else None
    figures = {name: load_figure(name) for name in options.figures.split(",")}
    cells, causes = [], []
    for clip in options.clips.split(","):
        motion = load_clip(clip, frames)
        for name, figure in figures.items():
            cells.append(cell(clip, name, motion, figure))
            ready = prepare(motion, calibrated(motion), calibrate(figure, mk.bone_map(figure)))
            causes += retarget_causes.rows(clip, name, motion, ready, asdict(cells[-1]))
            print(f"{clip} on {name}: {cells[-1].text()}", flush=True)
    known = [] if options.no_truths else truths(frames)
    head = header(options.quick, options.seed)
    text = page(head, cells, known, causes)
    results = {"header": head, "cells": [asdict(c) for c in cells], "known": known}
    results["causes"] = [asdict(row) for row in causes]
    print(text)
    print(f"results are in {pages.save('retarget', options, results, text)}")


if __name__ == "__main__":
    main()
