"""What a frame costs if a track arrives a few frames at a time, and how many clips run on threads.

    MANIKIN_DATA=... python -m benchmarks.tracks [--quick] [--name after]

A drag brings frames one by one: `solver.track(pose, row, before=last)`. Each such frame is compared with a frame of the
whole track in one call. `track_many` is compared with the same clips one after the other. The second table needs a
machine with two free cores: it is wall time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks import frames, pages
from benchmarks.clip_inputs import in_metres, parts_of, variants
from benchmarks.machine import header
from benchmarks.real_figures import file
from benchmarks.timing import in_turns
from benchmarks.turns import Array, quaternions

FRAMES = 480
"""Frames of a track."""
SIZES = (1, 4, 16)
"""Frames of a call."""
MOST = 1.3
"""A frame of a continued track may take at most this many times as long as a frame of a whole track."""
CLIPS = 16
"""Clips that run on threads."""
THREADS = 2
LEAST = 1.7
"""Bound of the speed-up on two threads."""
ROUNDS = 15


@dataclass(frozen=True, eq=False)
class Scene:
    """A solver, the first pose, and targets."""

    name: str
    solver: mk.Solver
    start: Array
    rows: Array
    dt: float


@dataclass(frozen=True)
class Few:
    """CPU seconds of a frame, for one number of frames a call."""

    scene: str
    frames: int
    """Frames of a call."""
    whole: float
    """Seconds of a frame if the whole track is one call."""
    seconds: float
    loop: float
    """Seconds of the loop in Python without the call."""


@dataclass(frozen=True)
class Many:
    """Wall seconds of several clips."""

    scene: str
    clips: int
    frames: int
    """Frames of all clips."""
    one_by_one: float
    one_thread: float
    threads: float
    """On THREADS threads."""


def arm(count: int) -> Scene:
    """A Panda that moves smoothly, 120 frames a second."""
    figure = file("urdf/panda.urdf")()
    middle = 0.5 * (figure.lower + figure.upper)
    poses = figure.clamp(middle + 0.5 * np.sin(np.linspace(0.0, 6.0, count)[:, None] + np.arange(figure.nq)))
    solver = mk.Solver(figure, mk.Placement("panda_hand", np.eye(4)))
    return Scene("arm", solver, poses[0], _rows(figure, poses, ("panda_hand",)), 1.0 / 120.0)


def person(count: int) -> Scene:
    """`mk.human()` with six placements."""
    clip = frames.person(count)
    goals = [mk.Placement(s, np.eye(4)) for s in clip.segments]
    rows = _rows(clip.figure, clip.poses, clip.segments)
    return Scene("person", mk.Solver(clip.figure, goals), clip.poses[0], rows, 1.0 / clip.rate)


def walk(count: int) -> Scene:
    """A recorded walk with six placements."""
    motion = mk.load_motion(Path(os.environ["MANIKIN_DATA"]) / "bvh" / "cmu_02_01_walk.bvh")
    parts = parts_of(motion.figure)
    clip = next(iter(variants("walk", in_metres(motion, parts), parts, count)))
    goals = [mk.Placement(s, np.eye(4)) for s in clip.segments]
    rows = _rows(clip.figure, clip.poses, clip.segments)
    return Scene("walk", mk.Solver(clip.figure, goals), clip.poses[0], rows, 1.0 / clip.rate)


def _rows(figure: mk.Figure, poses: Array, segments: tuple[str, ...]) -> Array:
    placed = figure.placements(poses, list(segments))
    rows = np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)
    return np.ascontiguousarray(rows.reshape(len(poses), -1))


def continued(scene: Scene, size: int) -> mk.Solutions:
    """The track in calls of `size` frames; the last call's answer."""
    track, rows, dt, pose, last = scene.solver.track, scene.rows, scene.dt, scene.start, None
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        found = track(pose, part, before=last, dt=dt)
        pose, last = found.poses[-1], part[-1]
    return found


def only_loop(scene: Scene, size: int) -> None:
    """The same loop without the calls."""
    rows, poses = scene.rows, np.zeros((size, len(scene.start)))
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        _ = poses[-1], part[-1]


def few(scene: Scene, quick: bool) -> list[Few]:
    whole = scene.solver.track(scene.start, scene.rows, dt=scene.dt)
    calls: dict[str, Callable[[], object]] = {"whole": lambda: scene.solver.track(scene.start, scene.rows, dt=scene.dt)}
    for size in SIZES:
        if not np.array_equal(continued(scene, size).poses[-1], whole.poses[-1]):
            raise RuntimeError(f"{scene.name}: a track in pieces of {size} frames differs from the whole track")
        calls[f"{size}"] = lambda size=size: continued(scene, size)  # type: ignore[misc]
        calls[f"loop {size}"] = lambda size=size: only_loop(scene, size)  # type: ignore[misc]
    times = in_turns(calls, 3 if quick else ROUNDS, 0.02)
    each = {name: t.best / len(scene.rows) for name, t in times.items()}
    return [Few(scene.name, size, each["whole"], each[f"{size}"], each[f"loop {size}"]) for size in SIZES]


def many(scene: Scene, quick: bool) -> Many:
    """Clips of different lengths: parts of one track, each from its own start."""
    whole = scene.solver.track(scene.start, scene.rows, dt=scene.dt)
    count, repeats = len(scene.rows), 1 if quick else (20 if scene.name == "arm" else 4)
    cuts = [(count * k // (2 * CLIPS), count - count * (k % 5) // 10) for k in range(CLIPS)]
    starts = [whole.poses[a] for a, _ in cuts]
    clips = [np.tile(scene.rows[a:b], (repeats, 1)) for a, b in cuts]
    solver, dt = scene.solver, scene.dt

    def alone() -> list[mk.Solutions]:
        return [solver.track(start, clip, dt=dt) for start, clip in zip(starts, clips, strict=True)]

    ways: dict[str, Callable[[], list[mk.Solutions]]] = {
        "alone": alone,
        "one": lambda: solver.track_many(starts, clips, dt=dt),
        "threads": lambda: solver.track_many(starts, clips, THREADS, dt=dt),
    }
    if any(not np.array_equal(a.poses, b.poses) for a, b in zip(ways["alone"](), ways["threads"](), strict=True)):
        raise RuntimeError(f"{scene.name}: poses of clips that were tracked on threads differ")
    best = dict.fromkeys(ways, np.inf)
    for _ in range(3 if quick else ROUNDS):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - began)
    return Many(scene.name, CLIPS, sum(map(len, clips)), best["alone"], best["one"], best["threads"])


def page(head: dict[str, object], fews: list[Few], manys: list[Many]) -> str:
    method = f"""CPU time of a frame in microseconds, measured in Python. A track is solved in calls of one, four or
    sixteen frames, each continued with `before=`; "whole" is a frame of the whole track in one call. "Loop" is the part
    of the time that the loop in Python takes to slice targets and poses. A frame may take at most {MOST} times as long
    as a whole frame. The second table has the wall time of {CLIPS} clips in milliseconds. The speed-up must be at least
    {LEAST} on {THREADS} free cores. A row outside its bound says so."""
    cells = []
    for part in fews:
        numbers = [pages.micros(x) for x in (part.whole, part.seconds, part.loop)]
        kept = "" if part.seconds <= MOST * part.whole else "above"
        cells.append([part.scene, str(part.frames), *numbers, f"{part.seconds / part.whole:.2f}", kept])
    columns = ["figure", "frames a call", "whole", "frame", "loop", "frame / whole", ""]
    lines = [*pages.title("Tracks in parts and on threads", head, method), *pages.table(columns, cells), ""]
    cells = []
    for clips in manys:
        numbers = [f"{1e3 * x:.1f}" for x in (clips.one_by_one, clips.one_thread, clips.threads)]
        kept = "" if clips.one_thread >= LEAST * clips.threads else "below"
        faster = f"{clips.one_thread / clips.threads:.2f}"
        cells.append([clips.scene, str(clips.clips), f"{clips.frames:,}", *numbers, faster, kept])
    columns = ["figure", "clips", "frames", "track", "track_many", f"on {THREADS} threads", "speed-up", ""]
    return "\n".join([*lines, *pages.table(columns, cells)])


def main(arguments: list[str] | None = None) -> int:
    options = pages.parser("tracks", __doc__.splitlines()[0]).parse_args(arguments)
    scenes = [make(120 if options.quick else FRAMES) for make in (arm, person, walk)]
    fews = [row for scene in scenes for row in few(scene, options.quick)]
    manys = [many(scene, options.quick) for scene in scenes]
    head = header(options.quick, options.seed)
    text = page(head, fews, manys)
    results = {"header": head, "few": [asdict(r) for r in fews], "many": [asdict(r) for r in manys]}
    path = pages.save("tracks", options, results, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
