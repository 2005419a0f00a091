"""Retargeting on the Unitree G1: `mk.retarget` and the loop of GMR on mink, on the same ideal placements, in one run.

    python -m benchmarks.environments mink
    MANIKIN_DATA=... python -m benchmarks.retarget_peers [--quick] [--clips walk,dance]

The time of `mk.retarget` is that of the whole call. The time of the peer is that of its method `retarget` for all
frames: it gets the ideal placements that manikin prepares. Both are CPU times of one thread. `mk.retarget` is also
timed on the other figures of `benchmarks.retarget`, once for each clip, and compared with the peer on the G1.
"""

from __future__ import annotations

import math
import os
import subprocess
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.environments import ENVIRONMENTS, FOLDER
from benchmarks.machine import header
from benchmarks.retarget import CLIPS, FIGURES, QUICK, folder, load_clip, load_figure
from manikin import rotations
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.measure import contact_figures, measure, sole_places
from manikin.motion.retarget.prepare import Prepared, prepare

SCRIPT = Path(__file__).parent / "adapters" / "retarget_mink.py"
PARTS = ("pelvis", "chest", "thigh", "shank", "foot", "upper arm", "forearm", "hand")
"""The parts that the peer follows, on both sides."""
TIMEOUT = 3600.0
"""Time limit in seconds for the peer on one clip."""
SAME = 1e-6
"""The poses of both forms of the peer differ by at most this, in metres and radians."""
REPEATS = 3
"""`mk.retarget` runs this many times for each clip; the median counts."""
METHOD = """Recorded clips on the Unitree G1. `mk.retarget` is timed as a whole call: maps, calibration, contacts and
solving. The peer is the loop of GMR (two stages of differential inverse kinematics for each frame), implemented for
this benchmark on mink with DAQP and with other weights. It gets the ideal placements that manikin prepares; what GMR
does once for each clip is not timed. As in GMR, each frame is scaled and offset, and each step calls `mink.solve_ik`
without limits, so mink builds the joint limits from the model in every step. In the column "lean" both are left out:
the targets are used directly and the limits are built once. CPU time, one thread. Bone error, slide and sinking are
measured in the same way for both."""


@dataclass
class Row:
    """One clip."""

    clip: str
    frames: int
    ours: float
    """Seconds of CPU time for each frame of `mk.retarget`."""
    theirs: float
    """The same for the loop of the peer."""
    quality: dict[str, Any]
    peer_quality: dict[str, Any]
    lean: float = math.nan
    """Seconds for each frame of the peer with prepared targets and limits."""
    steps: float = math.nan
    """The number of differential steps of the peer for each frame."""

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    @property
    def lean_ratio(self) -> float:
        return self.lean / self.ours


def targets(ready: Prepared) -> tuple[list[str], list[str], Any]:
    """The parts, their bodies, and (frames, parts, 7) positions and quaternions in the world of the robot."""
    own = ready.ideal.calibration
    spine = [part for part in own.axes if part.startswith("spine")]
    parts = ["pelvis", spine[-1]]
    parts += [f"{side} {part}" for side in ("left", "right") for part in PARTS[2:] if f"{side} {part}" in own.axes]
    rows = [
        np.concatenate(
            [
                (ready.ideal.origins[part] + ready.ways.added) @ own.world.T,
                rotations.from_matrix(own.world @ ready.ideal.turns[part]),
            ],
            axis=1,
        )
        for part in parts
    ]
    return parts, [own.bones.main(part) for part in parts], np.stack(rows, axis=1)


def quality(ready: Prepared, poses: Any) -> dict[str, Any]:
    """The same figures as in `Retargeted.measures`."""
    places = sole_places(ready.ideal, ready.feet.soles, poses) - ready.ways.added
    found = measure(ready.ideal.moved(ready.ways.added), ready.watched, poses)
    return found | contact_figures(ready.feet.soles, ready.feet.masks, places, ready.feet.heights(places))


def peer(robot: mk.Figure, ready: Prepared, work: Path) -> tuple[Any, tuple[float, float, float]]:
    """(frames, nq) poses of the peer, its seconds for each frame, those of its lean form, and its steps for each."""
    parts, bodies, rows = targets(ready)
    work.mkdir(parents=True, exist_ok=True)
    given, out = work / "retarget.npz", work / "retarget-out.npz"
    path = str(folder() / FIGURES["G1"])
    np.savez(given, path=path, parts=parts, bodies=bodies, targets=rows)
    python = str(ENVIRONMENTS["mink"].interpreter)
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    one.pop("PYTHONPATH", None)
    subprocess.run([python, str(SCRIPT), str(given), str(out)], check=True, timeout=TIMEOUT, env=one)
    found = np.load(out)
    poses = np.tile(robot.rest, (len(rows), 1))
    root = robot.index_of(robot.joint_names[0])
    poses[:, root : root + 7] = found["root"]
    for k, name in enumerate(found["joints"]):
        poses[:, robot.index_of(str(name))] = found["angles"][:, k]
    if (apart := float(found["lean_apart"])) > SAME:
        raise SystemExit(f"the two forms of the peer differ by {apart:.2g}; their poses must be the same")
    return poses, (float(found["seconds"]) / len(rows), float(found["lean_seconds"]) / len(rows), float(found["steps"]))


def row(clip: str, motion: mk.Motion, robot: mk.Figure, work: Path) -> Row:
    """Both methods on one clip."""
    seconds = []
    for _ in range(REPEATS):
        fresh = motion.replaced()  # nothing is kept on it
        began = time.process_time()
        out = mk.retarget(fresh, robot)
        seconds.append((time.process_time() - began) / len(out.motion))
    source = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    ready = prepare(motion, source, calibrate(robot, mk.bone_map(robot)))
    poses, (theirs, lean, steps) = peer(robot, ready, work)
    ours, own = float(np.median(seconds)), out.measures
    return Row(clip, len(out.motion), ours, theirs, own, quality(ready, poses), lean, steps)


def seconds_per_frame(motion: mk.Motion, figure: mk.Figure) -> float:
    """CPU time of one call of `mk.retarget`, for each frame of the result. Nothing is kept on the clip."""
    fresh = motion.replaced()
    began = time.process_time()
    out = mk.retarget(fresh, figure)
    return (time.process_time() - began) / len(out.motion)


def against_all(rows: list[Row], cells: dict[tuple[str, str], float]) -> str:
    """The speed of all cells, relative to the median speed of the peer over the clips on the G1."""
    slowest = max(cells, key=lambda key: cells[key])
    speeds = [1.0 / seconds for seconds in cells.values()]
    theirs, lean = (float(np.median([1.0 / getattr(r, key) for r in rows])) for key in ("theirs", "lean"))
    median, least = float(np.median(speeds)), min(speeds)
    return (
        f"`mk.retarget` on all {len(cells)} pairs of a clip and a figure, one call each: median {median:,.0f} "
        f"frames/s, slowest {least:,.0f} frames/s ({slowest[0]} on {slowest[1]}). The median of GMR's loop over the "
        f"{len(rows)} clips on the G1 is {theirs:,.0f} frames/s, that of the lean form {lean:,.0f} frames/s. So the "
        f"median of all pairs is {median / theirs:.1f} times GMR's loop and {median / lean:.1f} times the lean form. "
        f"The slowest pair is {least / theirs:.1f} times GMR's loop and {least / lean:.1f} times the lean form."
    )


def page(head: dict[str, Any], rows: list[Row], cells: dict[tuple[str, str], float]) -> str:
    out = pages.title("Retargeting on the Unitree G1, and GMR's loop on mink", head, METHOD)
    keys = ("bone_error_deg", "slide_mean_mm", "slide_mm", "sinking_mm")
    names = ["bone error, °", "mean slide, mm", "largest slide, mm", "sinking, mm"]
    lines = [
        [
            r.clip,
            f"{1.0 / r.ours:,.0f}",
            f"{1.0 / r.theirs:,.0f}",
            f"{r.ratio:.1f}",
            f"{1.0 / r.lean:,.0f}",
            f"{r.lean_ratio:.1f}",
            f"{r.steps:.1f}",
            *(f"{r.quality[key]:.1f} · {r.peer_quality[key]:.1f}" for key in keys),
        ]
        for r in rows
    ]
    out += pages.table(["clip", "frames/s", "GMR's loop", "ratio", "lean", "ratio", "steps", *names], lines)
    ratios, lean = [r.ratio for r in rows], [r.lean_ratio for r in rows]
    out += [
        "",
        f"Ratio of frames per second, clip by clip on the G1: median {np.median(ratios):.1f}, least {min(ratios):.1f}; "
        f'to the lean form {np.median(lean):.1f} and {min(lean):.1f}. "Steps" is the number of differential steps that '
        "the peer makes for each frame. In the last four columns the first number is manikin's, the second the peer's.",
        "",
        against_all(rows, cells),
    ]
    return "\n".join(out)


def main() -> None:
    parser = pages.parser("retarget_peers", (__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--clips", default=",".join(CLIPS), help="which clips, separated by commas")
    options = parser.parse_args()
    if unknown := set(options.clips.split(",")) - set(CLIPS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(CLIPS)}")
    if not ENVIRONMENTS["mink"].built:
        parser.error("mink is not installed; run python -m benchmarks.environments mink")
    warnings.simplefilter("ignore", mk.errors.OddFile)
    figures = {name: load_figure(name) for name in FIGURES}
    rows, cells = [], {}
    for clip in options.clips.split(","):
        motion = load_clip(clip, QUICK if options.quick else None)
        cells |= {(clip, name): seconds_per_frame(motion, figure) for name, figure in figures.items()}
        rows.append(row(clip, motion, figures["G1"], FOLDER / "work"))
        last = rows[-1]
        speeds = f"{1.0 / last.ours:,.0f} and {1.0 / last.theirs:,.0f} frames/s"
        print(f"{clip}: {speeds}, ratio {last.ratio:.0f}", flush=True)
    head = header(options.quick, options.seed)
    text = page(head, rows, cells)
    results = {"header": head, "rows": [{**asdict(r), "ratio": r.ratio, "lean_ratio": r.lean_ratio} for r in rows]}
    results["cells"] = [{"clip": c, "figure": f, "seconds": seconds} for (c, f), seconds in cells.items()]
    print(text)
    print(f"results are in {pages.save('retarget_peers', options, results, text)}")


if __name__ == "__main__":
    main()
