"""The cost of one call from Python: every option, every kind of call, in reach and out of reach.

    MANIKIN_DATA=... python -m benchmarks.calls [--quick] [--name before]

The figures are an arm (Panda, one placement) and a person (`mk.human()`, six placements). Calls in reach start near the
answer, as when a user drags something. Out of reach, one hand is pulled away. Times are wall times of single calls.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.machine import header
from benchmarks.real_figures import file
from benchmarks.runs import environment
from benchmarks.turns import Array, quaternions
from manikin.errors import Unsupported
from manikin.goals import Goal

SECONDS, LEAST, MOST = 0.4, 20, 4000
"""Each call is repeated for SECONDS seconds, at least LEAST and at most MOST times."""
CASES = 32
"""Number of pairs of a start and a target that are called in turn."""
CLEAR = 8
"""Number of these pairs that are made free of contacts, for calls with Clearance."""
NEAR = 0.1
"""Standard deviation of each joint angle between the answer and the start, radians."""
AWAY = 1.5
"""Distance in metres by which a target is pulled away to be out of reach."""
PROCESSES = 5
"""Number of processes in which the first call is measured."""
PERSON = ("Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")
METHOD = f"""Wall time of single calls from Python in microseconds; reading the clock is part of it. Arm: a Panda with
one placement. Person: `mk.human()` with six placements. {CASES} pairs of a start and a target are called in turn. In
reach the start is {NEAR} rad (standard deviation of each joint) from the answer; out of reach a hand is pulled away by
1.5 m. The first `mk.solve` of a process is the median of {PROCESSES} processes, the import of manikin not counted. An
empty cell is a call that this version does not have or that means nothing there."""

Call = Callable[[int], object]
"""Makes call number i."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A figure with goals, starts and targets."""

    name: str
    """ "arm" or "person"."""
    figure: mk.Figure
    segments: tuple[str, ...]
    meant: Array
    """(CASES, nq) the answers in reach."""
    starts: Array
    """(CASES, nq)."""
    reachable: bool

    def placements(self, poses: Array) -> Array:
        """(B, segments, 4, 4) the targets: the placements of the segments in these poses. Out of reach, one is pulled
        away."""
        placed = np.array(self.figure.placements(poses, list(self.segments)))
        if not self.reachable:
            placed[:, min(2, len(self.segments) - 1), 0, 3] += AWAY
        return placed

    @cached_property
    def placed(self) -> Array:
        """(CASES, segments, 4, 4) the targets."""
        return self.placements(self.meant)

    @property
    def rows(self) -> Array:
        """(CASES, k) rows of targets of the placements."""
        return as_rows(self.placed)

    def goals(self, i: int = 0, **options: Any) -> list[Goal]:
        return [mk.Placement(s, P, **options) for s, P in zip(self.segments, self.placed[i], strict=True)]


def scene(name: str, reachable: bool, seed: int) -> Scene:
    figure = file("urdf/panda.urdf")() if name == "arm" else mk.human()
    segments = ("panda_hand",) if name == "arm" else PERSON
    rng = np.random.default_rng([seed, len(name)])
    rest = np.broadcast_to(figure.rest, (CASES, figure.nq))
    middle = figure.clamp(figure.integrate(rest, 0.3 * rng.normal(size=(CASES, figure.nv))))
    starts = figure.clamp(figure.integrate(middle, NEAR * rng.normal(size=(CASES, figure.nv))))
    return Scene(name, figure, segments, middle, starts, reachable)


def as_rows(placed: Array) -> Array:
    """(B, segments, 4, 4) -> (B, k) rows of targets."""
    numbers = np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)
    return np.ascontiguousarray(numbers.reshape(len(placed), -1))


def calls(s: Scene) -> Iterator[tuple[str, Call]]:
    """Every call that is measured, by name."""
    solver = mk.Solver(s.figure, s.goals())
    rows, starts, count = s.rows, s.starts, len(s.segments)
    yield "solve", lambda i: solver.solve(starts[i], rows[i])
    options: dict[str, dict[str, Any]] = {
        "weights=": {"weights": np.ones(count)},
        "active=": {"active": np.ones(count, dtype=bool)},
        "restarts=30": {"restarts": 30},
        "restarts=0": {"restarts": 0},
        "iterations=1_000_000 (the default)": {"iterations": 1_000_000},
        "iterations=20": {"iterations": 20},
        "budget=1": {"budget": 1.0},
        "seed=0 (the default)": {"seed": 0},
        "seed=1": {"seed": 1},
        "out=": {"out": np.zeros(s.figure.nq)},
    }
    for label, more in options.items():
        yield f"solve, {label}", lambda i, more=more: solver.solve(starts[i], rows[i], **more)
    yield "solve_many, one row", lambda i: solver.solve_many(starts[i], rows[i : i + 1])
    yield from tracking(solver, s)
    yield from other_goals(s)
    every = [s.goals(i) for i in range(CASES)]
    yield "mk.Solver(figure, goals)", lambda i: mk.Solver(s.figure, every[i])
    yield "mk.solve", lambda i: mk.solve(s.figure, every[i], starts[i])
    solutions = [mk.solve(s.figure, every[i], starts[i]) for i in range(CASES)]
    yield "str(solution)", lambda i: str(solutions[i])
    yield "solution.report", lambda i: report_anew(solutions[i])
    if hasattr(solver, "explain"):
        yield "solver.explain", lambda i: solver.explain(solutions[i].pose, rows[i])


def tracking(solver: mk.Solver, s: Scene) -> Iterator[tuple[str, Call]]:
    """Calls of one frame. The targets of the previous frame are a centimetre away, as at 100 frames per second."""
    rows, starts = s.rows, s.starts
    before = rows.copy()
    before[:, 0] += 0.01
    takes = inspect.signature(solver.track).parameters
    more = {"dt": 0.01} if "dt" in takes else {}
    ready = np.array([solver.solve(starts[i], before[i]).pose for i in range(CASES)])
    yield "track, one frame", lambda i: solver.track(ready[i], rows[i : i + 1], **more)
    if "before" in takes:
        yield "track, one frame, before=", lambda i: solver.track(ready[i], rows[i : i + 1], before=before[i], **more)


def other_goals(s: Scene) -> Iterator[tuple[str, Call]]:
    """`solve` with goals other than placements alone."""
    figure, starts, rows = s.figure, s.starts, s.rows
    if len(s.segments) > 1:
        first = [
            mk.Placement(g, P, priority=k // 2) for k, (g, P) in enumerate(zip(s.segments, s.placed[0], strict=True))
        ]
    else:
        (tip,), (P,) = s.segments, s.placed[0]
        first = [mk.Position(tip, P[:3, 3]), mk.Orientation(tip, P[:3, :3], priority=1)]
    strict = mk.Solver(figure, first)  # the same numbers in each row: position, then quaternion
    yield "solve, priorities", lambda i: strict.solve(starts[i], rows[i])
    *others, last = s.goals()
    far = mk.Placement(s.segments[-1], s.placed[1, -1])
    either = mk.Solver(figure, [*others, mk.AnyOf(last, far)])
    twice = np.concatenate([rows, rows[np.arange(CASES) - 1][:, -7:]], axis=1)
    yield "solve, AnyOf of two", lambda i: either.solve(starts[i], twice[i])
    yield from clear(s)
    if s.name == "person":
        upright = mk.Solver(figure, [*s.goals(), mk.Balance(["LeftFoot", "RightFoot"], margin=-0.3)])
        yield "solve, Balance", lambda i: upright.solve(starts[i], rows[i])


def clear(s: Scene) -> Iterator[tuple[str, Call]]:
    """Placements of poses in which the figure does not touch itself; None if its shapes are not supported."""
    goal = mk.Clearance(0.0, obstacles=[mk.HalfSpace((0.0, -3.0, 0.0))])
    try:
        alone, both = mk.Solver(s.figure, goal), mk.Solver(s.figure, [*s.goals(), goal])
    except Unsupported:  # boxes, which this arm has
        return
    found = [alone.solve(pose) for pose in s.meant[:CLEAR]]
    rows = as_rows(s.placements(np.array([f.pose for f in found if f.reached])))
    yield "solve, Clearance", lambda i: both.solve(s.starts[i % len(rows)], rows[i % len(rows)])


def report_anew(solution: mk.Solution) -> object:
    """The report, computed again even if the solution has cached it."""
    if solution._extra is not None:
        solution._extra.pop("report", None)
    return solution.report


def timed(call: Call, seconds: float) -> Array:
    """Seconds of single calls."""
    clock = time.perf_counter
    call(0)  # fills caches and runs lazy imports
    times: list[float] = []
    until = clock() + seconds
    while len(times) < MOST and (len(times) < LEAST or clock() < until):
        i = len(times) % CASES
        a = clock()
        call(i)
        times.append(clock() - a)
        if times[-1] > seconds:  # twenty of these would take too long
            break
    return np.array(times)


FIRST = """
import json, sys, time
import numpy as np
import manikin as mk
from benchmarks import calls
s = calls.scene(sys.argv[1], sys.argv[2] == "True", int(sys.argv[3]))
goals, start = s.goals(), s.starts[0]
began = time.perf_counter()
mk.solve(s.figure, goals, start)
print(json.dumps(time.perf_counter() - began))
"""


def first_calls(name: str, reachable: bool, seed: int, count: int) -> Array:
    """Seconds of the first `mk.solve` of a process."""
    command = [sys.executable, "-c", FIRST, name, str(reachable), str(seed)]
    found = []
    for _ in range(count):
        done = subprocess.run(command, env=environment(ours=True), capture_output=True, text=True, check=True)
        found.append(float(json.loads(done.stdout)))
    return np.array(found)


SCENES = [(name, reachable) for name in ("arm", "person") for reachable in (True, False)]


def page(head: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    out = pages.title("What one call costs", head, METHOD)
    columns = ["call"]
    for name, reachable in SCENES:
        columns += [f"{name}, {'in reach' if reachable else 'out of reach'}", "p99"]
    cells = {(r["call"], r["figure"], r["reachable"]): r for r in rows}
    lines = []
    for call in dict.fromkeys(r["call"] for r in sorted(rows, key=lambda r: r["figure"] == "arm")):  # person has all
        line = [call]
        for name, reachable in SCENES:
            r = cells.get((call, name, reachable))
            line += [pages.micros(r["median"]), pages.micros(r["p99"])] if r else ["", ""]
        lines.append(line)
    return "\n".join([*out, "Medians and 99th percentiles, µs:", "", *pages.table(columns, lines)])


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("calls", __doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=None, help=f"for each call ({SECONDS})")
    options = parser.parse_args(arguments)
    seconds = options.seconds if options.seconds is not None else 0.05 if options.quick else SECONDS
    rows: list[dict[str, Any]] = []

    def add(call: str, name: str, reachable: bool, times: Array) -> None:
        spread = dict(zip(("median", "p99", "max"), np.percentile(times, [50, 99, 100]).tolist(), strict=True))
        rows.append({"call": call, "figure": name, "reachable": reachable, "count": len(times), **spread})

    for name, reachable in SCENES:
        print(f"{name}, {'in reach' if reachable else 'out of reach'} …", flush=True)
        for label, call in calls(scene(name, reachable, options.seed)):
            add(label, name, reachable, timed(call, seconds))
        times = first_calls(name, reachable, options.seed, 1 if options.quick else PROCESSES)
        add("mk.solve, first of a process", name, reachable, times)
    head = header(options.quick, options.seed)
    path = pages.save("calls", options, {"header": head, "rows": rows}, page(head, rows))
    print(path.read_text())
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
