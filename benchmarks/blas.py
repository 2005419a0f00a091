"""CPU time of calls over clips with eight BLAS threads and with one.

    python -m benchmarks.blas [--quick] [--name after]

Each call runs in a process of its own for each number of threads (OPENBLAS_NUM_THREADS), twice; the second run counts.
CPU time is that of the user and of the system, of all threads. The result is in benchmarks/results/blas-NAME.json.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk

THREADS = (1, 8)
RESULTS = Path(__file__).parent / "results"


def swing(frames: int) -> mk.Motion:
    """A person who swings arms and legs."""
    person = mk.human()
    phase = np.linspace(0.0, 20.0, frames)
    steps = 0.3 * np.sin(phase[:, None] + np.arange(person.nv))
    steps[:, :6] = 0.0
    poses = person.clamp(person.integrate(np.tile(person.rest, (frames, 1)), steps))
    return mk.Motion(person, poses, rate=60.0)


def calls(frames: int) -> dict[str, Callable[[], Any]]:
    """The calls, by name."""
    clip = swing(frames)
    person, times = clip.figure, clip.times
    names = ["LASI", "RASI", "LPSI", "RPSI", "LKNE", "RKNE", "LANK", "RANK", "LELB", "RELB", "LSHO", "RSHO", "C7"]
    attach = mk.Attachments.from_names(names, person)
    placed = person.placements(clip.poses, [m.segment for m in attach])
    where = np.einsum("tmij,mj->tmi", placed[..., :3, :3], np.array([m.offset for m in attach])) + placed[..., :3, 3]
    markers = mk.Markers([m.name for m in attach], where, times, unit=1.0, up=person.up)
    hand = person.placements(clip.poses, ["RightHand"])[:, 0, :3, 3]
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), hand)
    coco = {"nose": "Head", "left_shoulder": "LeftArm", "right_shoulder": "RightArm", "left_elbow": "LeftForeArm"}
    coco |= {"right_elbow": "RightForeArm", "left_wrist": "LeftHand", "right_wrist": "RightHand"}
    coco |= {"left_hip": "LeftUpLeg", "right_hip": "RightUpLeg", "left_knee": "LeftLeg", "right_knee": "RightLeg"}
    coco |= {"left_ankle": "LeftFoot", "right_ankle": "RightFoot"}
    spots = person.placements(clip.poses, list(coco.values()))[..., :3, 3]
    points = mk.Markers(list(coco), spots, times, unit=1.0, up=person.up)

    def batch() -> None:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as threads:
            source = Path(folder) / "in"
            source.mkdir()
            mk.save(clip, source / "clip.bvh")
            mk.batch("retarget", source, Path(folder) / "out", threads, figure="human", report=False)

    long = mk.chain(120)
    far = np.random.default_rng(0).normal(size=(39, 3)) * 20.0
    many = [mk.Position(long.segment_names[5 + 3 * k], x) for k, x in enumerate(far)]
    by_method = {m: lambda m=m: mk.solve(long, many, method=m, iterations=60) for m in ("lbfgsb", "pinv", "dls")}
    return {
        **by_method,
        "retarget": lambda: mk.retarget(clip, mk.human(1.6)),
        "contacts": lambda: mk.contacts(clip),
        "fit_markers": lambda: mk.fit_markers(person, markers, attach),
        "fit_points": lambda: mk.fit_points(person, points),
        "solve_motion": lambda: mk.solve_motion(person, goal, times),
        "follow": lambda: mk.follow(person, mk.Position("RightHand", (0, 0, 0)), hand),
        "edit": lambda: mk.edit(clip, [mk.Position("RightHand", hand[frames // 2])], (frames // 3, frames // 2)),
        "batch retarget": batch,
    }


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measured(name: str, frames: int) -> float:
    """CPU seconds of the second run of a call."""
    call = calls(frames)[name]
    call()
    begun = cpu()
    call()
    return cpu() - begun


def asked(name: str, frames: int, threads: int) -> float:
    """The same in a process with this number of BLAS threads."""
    command = [sys.executable, "-m", "benchmarks.blas", "--only", name, "--frames", str(frames)]
    surroundings = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--name", default="latest")
    parser.add_argument("--only", help="one call, in this process")
    parser.add_argument("--frames", type=int, default=0)
    given = parser.parse_args()
    frames = given.frames or (120 if given.quick else 600)
    warnings.simplefilter("ignore")
    if given.only:
        print(measured(given.only, frames))
        return
    rows = {name: {str(n): round(asked(name, frames, n), 4) for n in THREADS} for name in calls(60)}
    for name, row in rows.items():
        ratio = row["8"] / max(row["1"], 1e-9)
        print(f"{name:16s} {row['1']:8.3f} s with 1 thread {row['8']:8.3f} s with 8, ratio {ratio:.2f}")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"blas-{given.name}.json").write_text(
        json.dumps({"frames": frames, "cpu_seconds": rows}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
