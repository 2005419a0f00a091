"""The cost of single frames of a track: median, 99th percentile and worst, relative to the median of `solve` per frame.

    MANIKIN_DATA=... python -m benchmarks.frames [--quick] [--only louise] [--name after]

The inputs are six placements of recorded people (`clip_inputs`) and of the built-in person: clean, noisy, and with a
hand pulled out of reach. The track measures its frames natively, because from Python the call costs more than the
solver. `solve` is timed from Python on the clean input, each frame from the previous pose. Every frame is timed several
times and the least time counts, so that other programs on the machine have little effect.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.clip_inputs import INPUTS, Clip, clips
from benchmarks.machine import header
from benchmarks.turns import Array
from benchmarks.workload import generator

FRAMES = 300
"""Largest number of frames of a clip."""
REPEATS = 5
"""Number of times each frame is timed."""
MOST_CLEAN = 1.2
"""Bound of the clean median, in medians of `solve`."""
MOST_P99 = 25.0
"""Bound of the 99th percentile on any input, in medians of `solve`."""
BENT = 0.15
"""Standard deviation in radians of the joint angles of the built-in person."""
HUMAN = ("Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")


@dataclass(frozen=True)
class Row:
    """One clip with one input; times in seconds."""

    clip: str
    joints: str
    rate: float
    input: str
    frames: int
    reached: float
    """Share of the frames that are reached."""
    solve: float
    """Median of `solve` per frame on the clean input."""
    median: float
    p99: float
    worst: float

    @property
    def kept(self) -> bool:
        """Whether both bounds hold."""
        return self.p99 <= MOST_P99 * self.solve and (self.input != "clean" or self.median <= MOST_CLEAN * self.solve)


def person(frames: int) -> Clip:
    """The built-in person in a smooth motion around its rest pose, 30 frames per second."""
    figure, rng = mk.human(), np.random.default_rng(4)
    wave = BENT * rng.normal(size=figure.nv)
    wave[:6] = 0.0
    turns = np.sin(np.arange(frames)[:, None] * (4.0 * np.pi / 120.0) + rng.uniform(0.0, 6.0, figure.nv))
    poses = figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (frames, figure.nq)), turns * wave))
    return Clip("mk.human()", "cones", 30.0, True, figure, poses, HUMAN)


def solve_times(solver: mk.Solver, start: Array, rows: Array, repeats: int) -> Array:
    """(T,) seconds of `solve`, each frame from the previous pose."""
    clock, solve, best = time.perf_counter, solver.solve, np.full(len(rows), np.inf)
    for _ in range(repeats):
        pose = start
        for t, row in enumerate(rows):
            began = clock()
            found = solve(pose, row)
            best[t] = min(best[t], clock() - began)
            pose = found.pose
    return best


def track_times(solver: mk.Solver, clip: Clip, rows: Array, repeats: int) -> tuple[Array, float]:
    """(T,) native seconds of each frame of a track, and the share of frames that are reached."""
    best, reached = np.full(len(rows), np.inf), 0.0
    for _ in range(repeats):
        seconds = np.zeros(len(rows))
        found = solver.track(clip.poses[0], rows, dt=1.0 / clip.rate, seconds=seconds)
        best, reached = np.minimum(best, seconds), float(found.reached.mean())
    return best, reached


def measured(clip: Clip, seed: int, repeats: int) -> Iterator[Row]:
    solver = mk.Solver(clip.figure, [mk.Placement(s, np.eye(4)) for s in clip.segments])
    usual = 0.0
    for way in INPUTS:
        targets = clip.asked(way, generator(seed, f"{clip.name} {clip.rate:.0f} {way}"))
        rows = np.ascontiguousarray(targets.reshape(len(targets), -1))
        if way == "clean":
            usual = float(np.median(solve_times(solver, clip.poses[0], rows, repeats)[1:]))
        times, reached = track_times(solver, clip, rows, repeats)
        spread = np.percentile(times[1:], [50, 99, 100]).tolist()  # the first frame is a solve
        yield Row(clip.name, clip.joints, clip.rate, way, len(rows), reached, usual, *spread)


def page(head: dict[str, object], rows: list[Row]) -> str:
    method = f"""Native time of single frames of `track`, in microseconds, and relative to the median of `solve` per
    frame on the clean input. The least of several runs counts for each frame. Allowed are {MOST_CLEAN} for the clean
    median and {MOST_P99:g} for the 99th percentile; a row above that says so."""
    columns = ["clip", "joints", "rate", "input", "frames", "reached %", "solve", "median", "p99", "worst"]
    columns += ["median / solve", "p99 / solve", "worst / solve", ""]
    cells = [
        [r.clip, r.joints, f"{r.rate:.0f}", r.input, str(r.frames), pages.percent(r.reached)]
        + [pages.micros(x) for x in (r.solve, r.median, r.p99, r.worst)]
        + [f"{x / r.solve:.2f}" for x in (r.median, r.p99, r.worst)]
        + ["" if r.kept else "above"]
        for r in rows
    ]
    kept = sum(r.kept for r in rows)
    lines = pages.title("What a frame of a track costs", head, method)
    return "\n".join([*lines, f"Within both bounds: {kept} of {len(rows)} rows.", "", *pages.table(columns, cells, 4)])


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("frames", __doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only clips that match, e.g. 'human|louise'")
    options = parser.parse_args(arguments)
    frames, repeats = (120, 3) if options.quick else (FRAMES, REPEATS)
    left_out: list[str] = []
    rows: list[Row] = []
    for clip in [person(frames), *clips(frames, left_out)]:
        if re.search(options.only, f"{clip.name} {clip.joints}"):
            rows += measured(clip, options.seed, repeats)
            print(f"{clip.name}, {clip.joints}, {clip.rate:.0f} a second", file=sys.stderr, flush=True)
    options.quick = bool(options.quick or options.only)  # parts are not quoted
    head = header(options.quick, options.seed)
    results = {"header": head, "left_out": left_out, "rows": [asdict(r) for r in rows]}
    text = page(head, rows)
    path = pages.save("frames", options, results, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
