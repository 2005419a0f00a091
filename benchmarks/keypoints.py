"""Keypoints: how near `mk.fit_points` comes to recorded clips that are seen through noisy 3-D points, and how fast.

    MANIKIN_DATA=... python -m benchmarks.keypoints [--quick] [--busy] [--seeds 101,102,103] [--name after]

`--busy` marks times that were taken beside other work.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.keypoint_clips import CLIPS, Truth, centers, keypoints, seen_joints, truth, twist_errors
from benchmarks.machine import header
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points.layouts import LAYOUTS

PROTOTYPE = {
    "coco17": (15.4, 18.9, 18.2),
    "body25": (19.1, 13.8, 16.8),
    "mediapipe33": (14.2, 15.9, 17.2),
    "smpl24": (15.8, 16.2, 15.2),
}
"""Joint errors of a baseline in mm (walk, dance, punch). It fits smoothed points frame by frame, on other seeds. Its
program is not in this repository."""
SLACK = 1.1
"""A cell is listed if its error is above this factor times that of the baseline."""
MOST_TWIST = 10.0
"""A cell of walk or punch is listed if the median twist error of the upper arms is above this, in degrees."""
KINDS = {
    "noise": "white noise of 20 mm on each axis",
    "gaps": "the same, and 15 % of the samples missing in runs of 0.3 s",
    "bias": "the same noise, and a bias of 15 mm on each axis with a correlation time of 0.4 s",
}
METHOD = """300 frames of three CMU clips at 120 frames per second were retargeted to people of random proportions
(standard deviations 5 % in size, 4 % in each part). Every point has a hidden offset of 10 mm on each axis, which is
fixed to the body, and noise. `fit_points` gets `mk.human()`, the points and the times. "Seen joints" is the mean error
of hips, knees, ankles, shoulders, elbows, wrists, neck and head; "all joints" adds the spine, clavicles and toes, which
most layouts do not show. Twist is the error of the turn about the bone, the median over the frames of both sides.
Constants were chosen on seeds 1 and 2 of these clips. The learned posture (`benchmarks.posture`) has seen no pose of
the subjects of these clips. These pages use other seeds of the same three clips, so the clips are in sample, but
people, offsets and noise are not. The baseline fits smoothed points frame by frame, on other seeds; its program is not
in this repository. Time is CPU time of one thread for the whole call."""


@dataclass
class Cell:
    """One layout on one clip, the mean over the seeds."""

    layout: str
    clip: str
    kind: str
    seeds: int
    seen_mm: float
    all_mm: float
    worst_seed_mm: float
    """The seen joints of the worst seed."""
    arm_twist_deg: float
    """Median over frames and both upper arms, the mean over the seeds."""
    arm_twist_worst_deg: float
    """The arm and seed with the largest median."""
    thigh_twist_deg: float
    forearm_twist_deg: float
    length_percent: float
    """Mean error of the lengths of limbs."""
    rejected_percent: float
    ms: float
    """CPU time for each frame."""


LENGTHS = ("LeftLeg", "LeftFoot", "LeftForeArm", "RightLeg", "RightFoot", "RightForeArm")
"""Joints whose offset is the length of a thigh, a shank or an upper arm."""


def one(known: Truth, layout: str, seed: int, kind: str) -> dict[str, float]:
    """The figures of one fit."""
    points = keypoints(known, layout, seed, kind)
    began = time.process_time()
    fit = mk.fit_points(mk.human(), points, layout, times=known.motion.times)
    seconds = time.process_time() - began
    own = calibrate(fit.figure, mk.bone_map(fit.figure))
    true, found = centers(known.calibration, known.motion.poses), centers(own, fit.motion.poses)
    errors = {name: 1000.0 * float(np.linalg.norm(found[name] - at, axis=1).mean()) for name, at in true.items()}

    def twists(part: str) -> list[Any]:
        return [twist_errors(known, fit, f"{side} {part}") for side in ("left", "right")]

    lengths = [
        abs(
            np.linalg.norm(fit.figure.segment(n).joint.offset)
            / np.linalg.norm(known.motion.figure.segment(n).joint.offset)
            - 1.0
        )
        for n in LENGTHS
    ]
    arms = twists("upper arm")
    return {
        "seen_mm": float(np.mean([errors[name] for name in seen_joints()])),
        "all_mm": float(np.mean(list(errors.values()))),
        "arm_twist_deg": float(np.median(arms)),
        "arm_twist_worst_deg": float(max(np.median(arm) for arm in arms)),
        "thigh_twist_deg": float(np.median(twists("thigh"))),
        "forearm_twist_deg": float(np.median(twists("forearm"))),
        "length_percent": 100.0 * float(np.mean(lengths)),
        "rejected_percent": 100.0 * float(fit.rejected.sum() / np.isfinite(fit.residuals).sum()),
        "ms": 1000.0 * seconds / len(fit.motion),
    }


def cell(layout: str, clip: str, kind: str, rows: list[dict[str, float]]) -> Cell:
    """The mean over the seeds."""
    mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    mean["arm_twist_worst_deg"] = max(row["arm_twist_worst_deg"] for row in rows)
    return Cell(layout, clip, kind, len(rows), worst_seed_mm=max(row["seen_mm"] for row in rows), **mean)


def page(head: dict[str, Any], cells: list[Cell], busy: bool) -> str:
    """The results as a page."""
    out = pages.title("Keypoints", head, METHOD)
    columns = [
        "layout",
        "clip",
        "seen joints, mm",
        "worst seed",
        "all joints, mm",
        "baseline, mm",
        "twist of upper arms, °",
    ]
    columns += ["worst arm", "thighs, °", "forearms, °", "lengths, %", "rejected, %"]
    columns += ["ms a frame (busy)" if busy else "ms a frame"]
    for kind, words in KINDS.items():
        rows = []
        for c in (c for c in cells if c.kind == kind):
            known = (
                PROTOTYPE[c.layout][list(CLIPS).index(c.clip)] if c.layout in PROTOTYPE and kind == "noise" else None
            )
            row = [c.layout, c.clip, f"{c.seen_mm:.1f}", f"{c.worst_seed_mm:.1f}", f"{c.all_mm:.1f}"]
            row += ["" if known is None else f"{known:.1f}", f"{c.arm_twist_deg:.1f}", f"{c.arm_twist_worst_deg:.1f}"]
            row += [f"{c.thigh_twist_deg:.1f}", f"{c.forearm_twist_deg:.1f}", f"{c.length_percent:.1f}"]
            rows.append([*row, f"{c.rejected_percent:.2f}", f"{c.ms:.1f}"])
        if rows:
            out += [f"## {words[0].upper()}{words[1:]}", "", *pages.table(columns, rows, words=2), ""]
    out += ["## Cells outside the bounds", ""]
    listed = outside(cells)
    out += [f"- {text}" for text in listed] if listed else ["None."]
    if busy:
        out += ["", "Times were taken beside other work on the machine."]
    return "\n".join(out)


def outside(cells: list[Cell]) -> list[str]:
    """Sentences on cells with white noise whose error or twist is above the bounds."""
    out = []
    for c in cells:
        if c.kind != "noise":
            continue
        known = PROTOTYPE[c.layout][list(CLIPS).index(c.clip)] if c.layout in PROTOTYPE else None
        for words, error in (("seen joints", c.seen_mm), ("all joints", c.all_mm)):
            if known is not None and error > SLACK * known:
                out.append(f"{c.layout}, {c.clip}: {words} {error:.1f} mm, baseline {known:.1f} mm + 10 %")
        if c.clip in ("walk", "punch") and c.arm_twist_deg > MOST_TWIST:
            out.append(f"{c.layout}, {c.clip}: twist of the upper arms {c.arm_twist_deg:.1f}°, bound {MOST_TWIST:g}°")
    return out


def main() -> None:
    parser = pages.parser("keypoints", (__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--layouts", default=",".join(LAYOUTS), help="which layouts, separated by commas")
    parser.add_argument("--seeds", default="101,102,103", help="seeds of people, offsets and noise")
    parser.add_argument("--busy", action="store_true", help="mark the times as taken beside other work")
    options = parser.parse_args()
    warnings.simplefilter("ignore", mk.errors.OddFile)
    seeds = [int(seed) for seed in options.seeds.split(",")][: 1 if options.quick else None]
    layouts = options.layouts.split(",")
    if unknown := set(layouts) - set(LAYOUTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(LAYOUTS)}")
    cells = []
    for clip in CLIPS:
        truths = [truth(clip, seed, 120 if options.quick else None) for seed in seeds]
        for layout in layouts:
            for kind in KINDS:
                rows = [one(known, layout, seed, kind) for known, seed in zip(truths, seeds, strict=True)]
                cells.append(cell(layout, clip, kind, rows))
                last = cells[-1]
                print(f"{layout} {clip} {kind}: {last.seen_mm:.1f} mm, {last.arm_twist_deg:.1f}°", flush=True)
    cells.sort(key=lambda c: (list(KINDS).index(c.kind), layouts.index(c.layout), list(CLIPS).index(c.clip)))
    head = header(options.quick, options.seed) | {"seeds": seeds, "busy": options.busy}
    text = page(head, cells, options.busy)
    results = {"header": head, "cells": [asdict(c) for c in cells]}
    print(text)
    print(f"results are in {pages.save('keypoints', options, results, text)}")


if __name__ == "__main__":
    main()
