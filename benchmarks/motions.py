"""Measures `solve_motion` on whole clips: exact and noisy targets, a goal in an interval, growth, a long clip in parts.

    MANIKIN_DATA=... python -m benchmarks.motions [--quick] [--only exact,noisy,hand,growth,long,choice]

Six clips of CMU, clamped into the limits of a person, are solved again from hips, head, hands and feet. The rule that
chooses the frequency for noisy targets was tuned on other clips (`choice`).
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.clip_inputs import ADDED, NOISE, in_metres, parts_of, standing, turns
from benchmarks.machine import header
from benchmarks.motion_inputs import CHOICE, CLIPS, file_of, with_ball_root
from benchmarks.turns import Array, quaternions
from manikin import rotations
from manikin.motion.passes import POSES, sizes

FRAMES = 300
"""Frames of the noisy clips."""
SEEDS = 10
MISSING = (0.12, 4, 24)
"""Fraction of the samples of each goal that are missing, and the shortest and longest run of missing frames at 120
frames per second."""
ALLOWED = {"walk": 12.0, "run": 16.0, "punch": 15.0, "dance": 12.0, "pirouette": 20.0, "cartwheel": 16.0}
"""Largest allowed mean joint error of each clip, in millimetres."""
FREQUENCIES = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
LONG = 72_000
"""Number of frames of a clip of ten minutes at 120 frames per second."""


@dataclass(frozen=True, eq=False)
class Taken:
    """A recorded clip on a figure with limits."""

    name: str
    motion: mk.Motion
    segments: tuple[str, ...]

    def targets(self) -> Array:
        """(T, 6, 7)."""
        placed = self.motion.placements(list(self.segments))
        return np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)

    def goals(self, rows: Array) -> list[mk.Over]:
        return [mk.Over(mk.Placement(s, np.eye(4)), rows[:, k]) for k, s in enumerate(self.segments)]

    def cut(self, count: int) -> Taken:
        return Taken(self.name, self.motion[:count], self.segments)


def take(name: str) -> Taken:
    """A clip by its short name, clamped into the limits of a person."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(file_of(name))
        segments = parts_of(motion.figure)
        motion = in_metres(motion, segments)
        motion = motion[1 if turns(motion.figure, motion.poses[:2]).max() > ADDED else 0 :]
        pose = standing(motion)
        assert pose is not None
        same = np.array_equal(pose, motion.figure.rest)
        figure = with_ball_root(motion.figure.with_limits("human", balls=True, pose=None if same else pose))
        moved = motion.on(figure)
    return Taken(name, mk.Motion(figure, figure.clamp(moved.poses), moved.times, name), segments)


def noisy(rows: Array, rate: float, rng: np.random.Generator) -> Array:
    """Targets (T, 6, 7) with white noise and runs of missing samples. The runs have the same duration at every rate."""
    out = np.array(rows)
    out[..., :3] += NOISE[0] * rng.normal(size=out[..., :3].shape)
    turned = rotations.from_rotation_vector(NOISE[1] * rng.normal(size=out[..., :3].shape))
    out[..., 3:] = rotations.multiply(turned, out[..., 3:])
    share, least, most = MISSING
    for k in range(out.shape[1]):
        gone = np.zeros(len(out), dtype=bool)
        while gone.mean() < share:
            n = max(1, round(int(rng.integers(least, most + 1)) * rate / 120.0))
            a = int(rng.integers(1, len(out) - n - 1))
            if not gone[a - 1 : a + n + 1].any():
                gone[a : a + n] = True
        out[gone, k] = np.nan
    return out


def smoothness(figure: mk.Figure, motion: mk.Motion) -> dict[str, float]:
    """99th percentiles over joints and frames, and the fastest turn of a joint."""
    rate = motion.rate or 1.0
    turned = turns(figure, motion.poses) * rate
    steps = figure.difference(motion.poses[:-1], motion.poses[1:])
    jerk = np.abs(np.diff(steps, n=2, axis=0)) * rate**3
    return {
        "speed": float(np.percentile(turned, 99)),
        "fastest": float(turned.max()),
        "jerk": float(np.percentile(jerk, 99)),
    }


def joint_error(taken: Taken, motion: mk.Motion) -> float:
    """Mean distance of all joints, millimetres."""
    a, b = (m.placements()[..., :3, 3] for m in (taken.motion, motion))
    return 1000.0 * float(np.linalg.norm(a - b, axis=-1).mean())


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the seconds of CPU time."""
    began = time.process_time()
    result = call()
    return result, time.process_time() - began


def solve_a_frame(taken: Taken) -> float:
    """Seconds of `solve` per frame, each from the true previous pose. The pipeline is compared with this."""
    rows = np.ascontiguousarray(taken.targets().reshape(len(taken.motion), -1))
    solver = mk.Solver(taken.motion.figure, [g.goal for g in taken.goals(taken.targets())])
    poses = taken.motion.poses
    count = min(len(poses), 200)
    solver.solve(poses[0], rows[0])
    _, seconds = timed(lambda: [solver.solve(poses[t - 1], rows[t]) for t in range(1, count)])
    return seconds / (count - 1)


def exact() -> Iterator[dict[str, Any]]:
    """Solves every frame of the six clips, with a start and without."""
    for name in CLIPS:
        taken = take(name)
        rows, figure = taken.targets(), taken.motion.figure
        before = smoothness(figure, taken.motion)
        base = solve_a_frame(taken)
        for start in (taken.motion.poses[0], None):
            call = lambda taken=taken, rows=rows, start=start: mk.solve_motion(  # noqa: E731
                taken.motion.figure, taken.goals(rows), taken.motion.times, start=start
            )
            clip, seconds = timed(call)
            placed = clip.motion.placements(list(taken.segments))[..., :3, 3]
            after = smoothness(figure, clip.motion)
            yield {
                "clip": name,
                "start": "given" if start is not None else "none",
                "frames": len(rows),
                "worst_mm": 1000.0 * float(np.linalg.norm(placed - rows[..., :3], axis=-1).max()),
                "reached": float(clip.reached.mean()),
                "speed": after["speed"] / before["speed"],
                "jerk": after["jerk"] / before["jerk"],
                "us_a_frame": 1e6 * seconds / len(rows),
                "times_solve": seconds / len(rows) / base,
            }


def with_noise(names: tuple[str, ...], seeds: int, frequency: float | bool, seed: int) -> Iterator[dict[str, Any]]:
    """Noisy targets with gaps; the truth is known."""
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
            "hz": "chosen" if frequency is True else frequency,
            "mean_mm": float(np.mean(errors)),
            "worst_seed_mm": float(np.max(errors)),
            "allowed_mm": ALLOWED.get(name),
            "us_a_frame": 1e6 * frame,
            "times_solve": frame / base,
        }


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
        "fastest_rad_s": smoothness(figure, clip.motion)["fastest"],
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
            )
        )
        yield {"frames": count, "us_a_frame": 1e6 * seconds / count, "reached": float(clip.reached.mean())}


def long(count: int) -> dict[str, Any]:
    """A clip of ten minutes: peak memory above inputs and outputs, and a run that is stopped and continued."""
    taken = take("walk")
    goals, times = repeated(taken, count)
    start = taken.motion.poses[0]
    figure = taken.motion.figure
    mk.solve_motion(figure, repeated(taken, 4096)[0], times[:4096], start=start)  # warm-up: more than one window
    peaks = [_peak_mb()]
    half = mk.solve_motion(figure, goals, times, start=start, progress=lambda done, _: done < count // 2)
    peaks.append(_peak_mb())
    whole, seconds = timed(lambda: mk.solve_motion(figure, goals, times, start=start))
    peaks.append(_peak_mb())
    again = mk.solve_motion(figure, goals, times, start=start, resume=half)
    window, overlap = sizes(times)
    outputs = 8 * count * (figure.nq + 2 * len(goals) + 2 * 7 * len(goals)) / 1e6
    return {
        "frames": count,
        "window": window,
        "overlap": overlap,
        "us_a_frame": 1e6 * seconds / count,
        "reached": float(whole.reached.mean()),
        "stopped_after": len(half.motion),
        "same_bits": bool(np.array_equal(again.motion.poses, whole.motion.poses)),
        "same_errors": bool(np.array_equal(again.errors, whole.errors, equal_nan=True)),
        "peak_mb_first_windows_half_whole": peaks,
        "inputs_and_outputs_mb": outputs,
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def page(head: dict[str, Any], results: dict[str, Any]) -> str:
    """The results as a Markdown page."""
    lines = pages.title("Whole clips", head, f"{__doc__} Poses are smoothed at {POSES:g} Hz.")
    for name, held in results.items():
        rows = held if isinstance(held, list) else [held]
        columns = list(rows[0])
        cells = [[f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
        lines += [f"## {name}", "", *pages.table(columns, cells), ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("motions", __doc__.splitlines()[0])
    parser.add_argument("--only", default="exact,noisy,hand,growth,long", help="parts, with commas between them")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",")
    seeds = 2 if options.quick else SEEDS
    results: dict[str, Any] = {}
    if "choice" in wanted:
        results["choice"] = [
            row
            for f in (True, *FREQUENCIES)
            for row in with_noise(CHOICE, 2 if options.quick else 5, f, options.seed + 1)
        ]
    if "exact" in wanted:
        results["exact"] = list(exact())
    if "noisy" in wanted:
        results["noisy"] = list(with_noise(CLIPS, seeds, True, options.seed))
    if "hand" in wanted:
        results["hand"] = hand()
    if "growth" in wanted:
        results["growth"] = list(growth((100, 1000, 3000) if options.quick else (100, 1000, 10_000)))
    if "long" in wanted:
        results["long"] = long(10_000 if options.quick else LONG)
    text = page(header(options.quick, options.seed), results)
    path = pages.save("motions", options, {"header": header(options.quick, options.seed), **results}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
