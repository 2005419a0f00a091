"""Measures `solve_motion` on whole clips: exact and noisy targets, a goal in an interval, growth, a long clip in parts.

    MANIKIN_DATA=... python -m benchmarks.motions [--quick] [--peers] [--only exact,noisy,hand,growth,long,choice]

Six clips of CMU, clamped into the limits of a person, are solved again from hips, head, hands and feet. The rule that
chooses the frequency for noisy targets was tuned on other clips (`choice`).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import motion_peers, pages
from benchmarks.clip_inputs import turns
from benchmarks.machine import header
from benchmarks.motion_inputs import CHOICE, CLIPS, Taken, noisy, take
from benchmarks.motion_memory import peak_mb
from benchmarks.turns import Array
from manikin.motion.measures import speed_and_jerk
from manikin.motion.passes import POSES, sizes

FRAMES = 300
"""Frames of the noisy clips."""
SEEDS = 10
ALLOWED = {"walk": 12.0, "run": 16.0, "punch": 15.0, "dance": 12.0, "pirouette": 20.0, "cartwheel": 16.0}
"""Largest allowed mean joint error of each clip, in millimetres."""
FREQUENCIES = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
REPEATS = 5
"""Each timed call runs this often; the median counts."""
LONG = 72_000
"""Number of frames of a clip of ten minutes at 120 frames per second."""


def smoothness(motion: mk.Motion) -> dict[str, float]:
    """99th percentiles over joints and frames, and the fastest turn of a joint."""
    turned = turns(motion.figure, motion.poses) * (motion.rate or 1.0)
    return {
        "speed": float(np.percentile(turned, 99)),
        "fastest": float(turned.max()),
        "jerk": float(np.percentile(speed_and_jerk(motion)[1], 99)),
    }


def joint_error(taken: Taken, motion: mk.Motion) -> float:
    """Mean distance of all joints, millimetres."""
    a, b = (m.placements()[..., :3, 3] for m in (taken.motion[: len(motion)], motion))
    return 1000.0 * float(np.linalg.norm(a - b, axis=-1).mean())


def timed(call: Callable[[], Any], repeats: int = 1) -> tuple[Any, float]:
    """The result and the seconds of CPU time, the median of some calls."""
    result, took = None, []
    for _ in range(repeats):
        began = time.process_time()
        result = call()
        took.append(time.process_time() - began)
    return result, statistics.median(took)


def solve_a_frame(taken: Taken) -> float:
    """Seconds of `solve` per frame, each from the true previous pose. The pipeline is compared with this."""
    rows = np.ascontiguousarray(taken.targets().reshape(len(taken.motion), -1))
    solver = mk.Solver(taken.motion.figure, [g.goal for g in taken.goals(taken.targets())])
    poses = taken.motion.poses
    count = min(len(poses), 200)
    solver.solve(poses[0], rows[0])
    _, seconds = timed(lambda: [solver.solve(poses[t - 1], rows[t]) for t in range(1, count)], REPEATS)
    return seconds / (count - 1)


def exact(names: tuple[str, ...] = CLIPS, peers: bool = False) -> Iterator[dict[str, Any]]:
    """Solves every frame of the clips, with a start and without; then the peers, from a start."""
    for name in names:
        taken = take(name)
        rows, base = taken.targets(), solve_a_frame(taken)
        for start in (taken.motion.poses[0], None):
            call = lambda taken=taken, rows=rows, start=start: mk.solve_motion(  # noqa: E731
                taken.motion.figure, taken.goals(rows), taken.motion.times, start=start
            )
            clip, seconds = timed(call, REPEATS)
            method = "solve_motion" if start is not None else "solve_motion, no start"
            yield judged(taken, rows, method, clip.motion, seconds / len(rows), base)
        for method, motion, seconds in motion_peers.tracked(taken, rows) if peers else ():
            yield judged(taken, rows, method, motion, seconds, base)


def judged(
    taken: Taken, rows: Array, method: str, motion: mk.Motion | None, seconds: float, base: float
) -> dict[str, Any]:
    """One row: errors at the targets, and smoothness relative to the recording. No motion gives an empty row."""
    row: dict[str, Any] = {"clip": taken.name, "method": method, "frames": 0 if motion is None else len(motion)}
    names = ("worst_mm", "met", "speed", "jerk", "us_a_frame", "times_solve")
    if motion is None:
        return row | dict.fromkeys(names)
    placed = motion.placements(list(taken.segments))[..., :3, 3]
    off = 1000.0 * np.linalg.norm(placed - rows[: len(placed), :, :3], axis=-1).max(axis=1)
    before, after = smoothness(taken.motion), smoothness(motion)
    numbers = (
        float(off.max()),
        float((off < 0.5).mean()),
        after["speed"] / before["speed"],
        after["jerk"] / before["jerk"],
        1e6 * seconds,
        seconds / base,
    )
    return row | dict(zip(names, numbers, strict=True))


def with_noise(
    names: tuple[str, ...], seeds: int, frequency: float | bool, seed: int, peers: bool = False
) -> Iterator[dict[str, Any]]:
    """Noisy targets with gaps; the truth is known. Peers get the targets of the first seed with gaps interpolated."""
    for name in names:
        taken = take(name).cut(FRAMES)
        rows, base = taken.targets(), solve_a_frame(taken)
        errors, seconds = [], 0.0
        for k in range(seeds):
            given = noisy(rows, taken.motion.rate or 1.0, np.random.default_rng([seed, k]))
            clip, took = timed(
                lambda taken=taken, given=given: mk.solve_motion(
                    taken.motion.figure,
                    taken.goals(given),
                    taken.motion.times,
                    smooth=frequency,
                    start=taken.motion.poses[0],
                )
            )
            errors.append(joint_error(taken, clip.motion))
            seconds += took
        frame = seconds / seeds / len(rows)
        yield {
            "clip": name,
            "method": "solve_motion",
            "hz": "chosen" if frequency is True else frequency,
            "mean_mm": float(np.mean(errors)),
            "worst_seed_mm": float(np.max(errors)),
            "allowed_mm": ALLOWED.get(name),
            "us_a_frame": 1e6 * frame,
            "times_solve": frame / base,
        }
        given = noisy(rows, taken.motion.rate or 1.0, np.random.default_rng([seed, 0]))
        for method, motion, took in motion_peers.tracked(taken, motion_peers.filled(given)) if peers else ():
            off = None if motion is None else joint_error(taken, motion)
            speed = {"us_a_frame": 1e6 * took, "times_solve": took / base} if motion is not None else {}
            row = {"clip": name, "method": method, "hz": None, "mean_mm": off, "worst_seed_mm": off}
            yield row | {"allowed_mm": None, "us_a_frame": None, "times_solve": None} | speed


def hand() -> dict[str, Any]:
    """A hand at the face during frames 120 to 220 of the walk."""
    taken = take("walk")
    rows, figure, times = taken.targets(), taken.motion.figure, taken.motion.times
    head = taken.motion.placements(["Head"])[:, 0]
    face = head[:, :3, 3] + head[:, :3, :3] @ np.array([0.0, 0.08, 0.15])
    others = [goal for goal in taken.goals(rows) if goal.goal.label != "Placement RightHand"]
    goal = mk.Over(mk.Position("RightHand", (0, 0, 0)), face, during=[(times[120], times[220])])
    clip = mk.solve_motion(figure, [*others, goal], times, start=taken.motion.poses[0])
    at = clip.motion.placements(["RightHand"])[:, 0, :3, 3]
    return {
        "inside_mm": 1000.0 * float(np.linalg.norm(at - face, axis=1)[120:221].max()),
        "others_mm": 1000.0 * float(np.nanmax(clip.errors[:, : len(others)])),
        "fastest_rad_s": smoothness(clip.motion)["fastest"],
    }


def repeated(taken: Taken, count: int) -> tuple[list[mk.Over], Array]:
    """The targets of a clip, repeated forward and backward until there are `count` frames."""
    rows = taken.targets()
    loop = np.concatenate([rows, rows[-2:0:-1]])
    long = loop[np.arange(count) % len(loop)]
    return taken.goals(long), np.arange(count) / 120.0


def growth(counts: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    taken = take("walk")
    for count in counts:
        goals, times = repeated(taken, count)
        start = taken.motion.poses[0]
        clip, seconds = timed(
            lambda goals=goals, times=times, start=start: mk.solve_motion(
                taken.motion.figure, goals, times, start=start
            ),
            REPEATS if count < 5000 else 1,
        )
        yield {"frames": count, "us_a_frame": 1e6 * seconds / count, "reached": float(clip.reached.mean())}


def long(count: int) -> dict[str, Any]:
    """A clip of ten minutes: a run that is stopped and continued, and the peak memory of such clips."""
    taken = take("walk")
    goals, times = repeated(taken, count)
    start, figure = taken.motion.poses[0], taken.motion.figure
    half = mk.solve_motion(figure, goals, times, start=start, progress=lambda done, _: done < count // 2)
    whole, seconds = timed(lambda: mk.solve_motion(figure, goals, times, start=start))
    again = mk.solve_motion(figure, goals, times, start=start, resume=half)
    window, overlap = sizes(times)
    return {
        "frames": count,
        "window": window,
        "overlap": overlap,
        "us_a_frame": 1e6 * seconds / count,
        "reached": float(whole.reached.mean()),
        "stopped_after": len(half.motion),
        "same_bits": bool(np.array_equal(again.motion.poses, whole.motion.poses)),
        "same_errors": bool(np.array_equal(again.errors, whole.errors, equal_nan=True)),
    }


def memory(count: int) -> Iterator[dict[str, Any]]:
    """Peak memory of clips of a quarter, a half and all of `count` frames, each in a separate process, above the memory
    that the inputs need. Outputs are poses, errors and targets."""
    for frames in (count // 4, count // 2, count):
        outputs, peak = peak_mb(frames)
        yield {"frames": frames, "peak_mb": peak, "outputs_mb": outputs, "ratio": peak / outputs}


def page(head: dict[str, Any], results: dict[str, Any]) -> str:
    """The results as a Markdown page."""
    lines = pages.title("Whole clips", head, f"{__doc__} Poses are smoothed at {POSES:g} Hz.")
    for name, held in results.items():
        rows = held if isinstance(held, list) else [held]
        columns = list(rows[0])
        cells = [
            ["" if v is None else f"{v:.3g}" if isinstance(v, float) else str(v) for v in r.values()] for r in rows
        ]
        lines += [f"## {name}", "", *pages.table(columns, cells, 2), ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("motions", __doc__.splitlines()[0])
    parser.add_argument("--only", default="exact,noisy,hand,growth,long", help="parts, with commas between them")
    parser.add_argument("--peers", action="store_true", help="placo and mink too (benchmarks.environments placo mink)")
    parser.add_argument("--clips", default=",".join(CLIPS), help="clips of the parts exact and noisy")
    options = parser.parse_args(arguments)
    wanted, names = options.only.split(","), tuple(options.clips.split(","))
    seeds = 2 if options.quick else SEEDS
    results: dict[str, Any] = {}
    if "choice" in wanted:
        results["choice"] = [
            row
            for f in (True, *FREQUENCIES)
            for row in with_noise(CHOICE, 2 if options.quick else 5, f, options.seed + 1)
        ]
    if "exact" in wanted:
        results["exact"] = list(exact(names, options.peers))
    if "noisy" in wanted:
        results["noisy"] = list(with_noise(names, seeds, True, options.seed, options.peers))
    if "hand" in wanted:
        results["hand"] = hand()
    if "growth" in wanted:
        results["growth"] = list(growth((100, 1000, 3000) if options.quick else (100, 1000, 10_000)))
    if "long" in wanted:
        results["long"] = long(10_000 if options.quick else LONG)
        results["memory"] = list(memory(10_000 if options.quick else LONG))
    text = page(header(options.quick, options.seed), results)
    path = pages.save("motions", options, {"header": header(options.quick, options.seed), **results}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
