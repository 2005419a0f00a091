"""Retargeting on the Unitree G1: `mk.retarget` and the loop of GMR on mink, on the same ideal placements, in one run.

    python -m benchmarks.environments mink
    MANIKIN_DATA=... python -m benchmarks.retarget_peers [--quick] [--clips walk,dance]

The time of `mk.retarget` is that of the whole call. The time of the peer is that of its loop alone: it gets the ideal
placements that manikin prepares. Both are CPU times of one thread.
"""

from __future__ import annotations

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
REPEATS = 3
"""`mk.retarget` runs this many times for each clip; the median counts."""
METHOD = """Recorded clips on the Unitree G1. `mk.retarget` is timed as a whole call: maps, calibration, contacts and
solving. The peer is the loop of GMR (two stages of differential inverse kinematics for each frame), implemented for
this benchmark on mink with DAQP and with other weights. It gets the ideal placements that manikin prepares, and only
its loop is timed. CPU time, one thread. Bone error, slide and sinking are measured in the same way for both."""


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

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


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
    """The same figures as in `Motion.source["retarget"]["quality"]`."""
    places = sole_places(ready.ideal, ready.feet.soles, poses) - ready.ways.added
    found = measure(ready.ideal.moved(ready.ways.added), ready.watched, poses)
    return found | contact_figures(ready.feet.soles, ready.feet.masks, places, ready.feet.heights(places))


def peer(robot: mk.Figure, ready: Prepared, work: Path) -> tuple[Any, float]:
    """(frames, nq) poses of the peer, and its seconds for each frame."""
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
    return poses, float(found["seconds"]) / len(rows)


def row(clip: str, motion: mk.Motion, robot: mk.Figure, work: Path) -> Row:
    """Both methods on one clip."""
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        out = mk.retarget(motion, robot)
        seconds.append((time.process_time() - began) / len(out))
    source = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    ready = prepare(motion, source, calibrate(robot, mk.bone_map(robot)))
    poses, theirs = peer(robot, ready, work)
    ours = float(np.median(seconds))
    return Row(clip, len(out), ours, theirs, out.source["retarget"]["quality"], quality(ready, poses))


def page(head: dict[str, Any], rows: list[Row]) -> str:
    out = pages.title("Retargeting on the Unitree G1, and GMR's loop on mink", head, METHOD)
    keys = ("bone_error_deg", "slide_mean_mm", "slide_mm", "sinking_mm")
    names = ["bone error, °", "mean slide, mm", "largest slide, mm", "sinking, mm"]
    lines = [
        [
            r.clip,
            f"{1.0 / r.ours:,.0f}",
            f"{1.0 / r.theirs:,.0f}",
            f"{r.ratio:.1f}",
            *(f"{r.quality[key]:.1f} · {r.peer_quality[key]:.1f}" for key in keys),
        ]
        for r in rows
    ]
    out += pages.table(["clip", "frames/s", "GMR's loop", "ratio", *names], lines)
    ratios = [r.ratio for r in rows]
    out += [
        "",
        f"Ratio of frames per second: median of the clips {np.median(ratios):.1f}, least {min(ratios):.1f}. In the "
        "last four columns the first number is manikin's, the second the peer's.",
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
    robot = load_figure("G1")
    rows = []
    for clip in options.clips.split(","):
        rows.append(row(clip, load_clip(clip, QUICK if options.quick else None), robot, FOLDER / "work"))
        last = rows[-1]
        speeds = f"{1.0 / last.ours:,.0f} and {1.0 / last.theirs:,.0f} frames/s"
        print(f"{clip}: {speeds}, ratio {last.ratio:.0f}", flush=True)
    head = header(options.quick, options.seed)
    text = page(head, rows)
    results = {"header": head, "rows": [{**asdict(r), "ratio": r.ratio} for r in rows]}
    print(text)
    print(f"results are in {pages.save('retarget_peers', options, results, text)}")


if __name__ == "__main__":
    main()
