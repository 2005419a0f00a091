"""How soon a long call of the native solver ends after Ctrl-C.

    python -m benchmarks.interrupts [--quick] [--name after]

Each call runs in a new process, which is sent SIGINT in the middle of it. `tests/solvers/native/test_interrupts.py`
runs the same calls, and checks that each ends and that the solver can be used again; it does not look at the time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import psutil

from benchmarks import pages
from benchmarks.machine import header

MOST = 0.2
"""Seconds after which the call must have ended, on a machine with a free core."""
ROUNDS = 7
WORKED = 0.2
"""Seconds of processor time that a process spends in its call before the signal is sent."""
PATIENCE = 300.0
"""Seconds after which a process counts as hung."""

HEAD = """
import signal
import time
import numpy as np
import manikin as mk

human = mk.human()
far = mk.Position("LeftHand", (3.0, 1.0, 0.0))
feet = [mk.Position(n, human.placements(human.rest, [n])[0, :3, 3]) for n in ("LeftFoot", "RightFoot")]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
"""

ARM = """
axes = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1))
links = [mk.Segment("Base")]
for k, axis in enumerate(axes):
    joint = mk.Hinge(axis=axis, limits=(-2.8, 2.8))
    links.append(mk.Segment(f"Link{k}", links[-1].name, joint, offset=(0.03 * (k % 2), 0, 0.2)))
arm = mk.Figure("arm", links)
away = mk.Solver(arm, mk.Placement("Link6", (3.0, 0, 0, 1, 0, 0, 0)))
"""

CALLS = {
    "one solve": (
        """
chain = mk.chain(3000)
tip = chain.segment_names[-1]
away = [mk.Distance(name, (0.0, 0.0, 0.0), 15000.0) for name in chain.segment_names[::20]]
solver = mk.Solver(chain, [*away, mk.Position(tip, (9000.0, 0, 0))])
""",
        "solver.solve()",
    ),
    "restarts": ("solver = mk.Solver(human, [far, *feet])", "solver.solve(restarts=10**6)"),
    "mk.solve": ("", "mk.solve(human, [far, *feet], restarts=10**6)"),
    "priorities": (
        'hand = mk.Position("LeftHand", (3.0, 1.0, 0.0), priority=1)',
        "mk.solve(human, [hand, *feet], restarts=10**6)",
    ),
    "a chain": (
        'solver = mk.Solver(mk.chain(1000), mk.Position("Tip", (3000.0, 0, 0)))',
        "solver.solve(restarts=10**6)",
    ),
    "solids": (
        """
rng = np.random.default_rng(0)
boxes = [mk.Box((0.05, 0.05, 0.05), rng.uniform(-1.0, 2.0, 3)) for _ in range(300)]
solver = mk.Solver(human, [mk.Clearance(0.01, obstacles=boxes), far, *feet])
""",
        "solver.solve(restarts=10**6)",
    ),
    "many rows": (
        "solver = mk.Solver(human, [far, *feet])\nrows = np.tile(solver.targets, (20_000, 1))",
        "solver.solve_many(None, rows, threads=2)",
    ),
    "a million rows": (
        "solver = mk.Solver(human, [far, *feet])\nrows = np.tile(solver.targets, (1_000_000, 1))",
        "solver.solve_many(None, rows)",
    ),
    "a million rows on threads": (
        "solver = mk.Solver(human, [far, *feet])\nrows = np.tile(solver.targets, (1_000_000, 1))",
        "solver.solve_many(None, rows, threads=2)",
    ),
    "waiting for another thread": (
        """
solver = mk.Solver(human, [mk.Position("LeftHand", (0.3, 1.2, 0.3)), *feet])
rows = np.stack([solver.targets, solver.targets])
rows[1, :3] = 3.0, 1.0, 0.0
""",
        "solver.solve_many(None, rows, threads=2, restarts=10**6)",
    ),
    "an arm": (ARM, "away.solve(restarts=10**7)"),
    "many arms": (
        ARM + "rows = np.tile(away.targets, (2_000, 1))",
        "away.solve_many(None, rows, threads=2, restarts=10**7)",
    ),
    "a track": (
        "solver = mk.Solver(human, [far, *feet])\nrows = np.tile(solver.targets, (200_000, 1))",
        "solver.track(human.rest, rows, dt=1 / 30)",
    ),
    "tracks on threads": (
        "solver = mk.Solver(human, [far, *feet])\nclips = [np.tile(solver.targets, (100_000, 1))] * 4",
        "solver.track_many(human.rest, clips, threads=2)",
    ),
    "a track of an arm": (
        ARM + "rows = np.tile(away.targets, (200_000, 1))",
        "away.track(arm.rest, rows, dt=1 / 30)",
    ),
    "a track with all passes": (
        """
solver = mk.Solver(human, [far, *feet])
rows = np.tile(solver.targets, (20_000, 1))
t = np.arange(20_000)
rows[:, :3] = np.stack([1.0 + 0.5 * np.sin(0.05 * t), 1.3 + 0.3 * np.sin(0.03 * t), 0.2 * np.sin(0.02 * t)], axis=1)
""",
        "solver.track(human.rest, rows, dt=1 / 30, refine=True, escape=True)",
    ),
    "placements": (
        "poses = np.tile(human.random(np.random.default_rng(0), 1_000), (100, 1))",
        "human.placements(poses)",
    ),
    "a goal in Python": (
        """
own = mk.Custom("LeftHand", lambda p: p[0, :3, 3] - (3.0, 1.0, 0.0), rows=3)
solver = mk.Solver(human, [own, *feet])
""",
        "solver.solve(restarts=10**6)",
    ),
    "goals in Python on threads": (
        """
own = mk.Custom("LeftHand", lambda p: p[0, :3, 3] - (3.0, 1.0, 0.0), rows=3)
solver = mk.Solver(human, [own, *feet])
rows = np.tile(solver.targets, (100, 1))
""",
        "solver.solve_many(None, rows, threads=2, restarts=10**6)",
    ),
}
"""By name: what is made first, and the call that takes long."""

TAIL = """
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
else:
    print("not interrupted", flush=True)
again = mk.Solver(human, feet).solve()
print("again", again.reached)
"""


def begun(name: str) -> subprocess.Popen[str]:
    """A process that is in the middle of a call."""
    made, call = CALLS[name]
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HEAD + made + TAIL.format(call=call)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert child.stdout is not None
    if child.stdout.readline() != "ready\n":
        raise RuntimeError(f"{name}: {child.communicate(timeout=PATIENCE)[1]}")
    process = psutil.Process(child.pid)
    before = sum(process.cpu_times()[:2])
    while child.poll() is None and sum(process.cpu_times()[:2]) < before + WORKED:
        time.sleep(0.01)
    return child


def interrupted(name: str) -> tuple[float, list[str]]:
    """Sends Ctrl-C into a call. Returns when it was sent, and the words that the process then says."""
    child = begun(name)
    try:
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, problems = child.communicate(timeout=PATIENCE)
    finally:
        child.kill()
    if child.returncode != 0:
        raise RuntimeError(f"{name}: the process said {out!r} and ended with {child.returncode}: {problems}")
    return sent, out.split()


def delay(name: str) -> float:
    """Seconds from the signal to the exception."""
    sent, said = interrupted(name)
    if said[0] != "interrupted":
        raise RuntimeError(f"{name}: the call ended by itself")
    return float(said[1]) - sent


def page(head: dict[str, Any], delays: dict[str, list[float]]) -> str:
    rounds = len(next(iter(delays.values())))
    method = f"""Milliseconds from Ctrl-C to the KeyboardInterrupt of a call, the middle and the longest of {rounds}
    runs. At most {1e3 * MOST:.0f} ms are allowed; a row beyond says so."""
    rows = []
    for name, found in delays.items():
        middle, longest = sorted(found)[rounds // 2], max(found)
        rows.append([name, f"{1e3 * middle:.0f}", f"{1e3 * longest:.0f}", "" if longest <= MOST else "above"])
    columns = ["call", "middle", "longest", ""]
    return "\n".join([*pages.title("Calls and Ctrl-C", head, method), *pages.table(columns, rows)])


def main(arguments: list[str] | None = None) -> int:
    options = pages.parser("interrupts", (__doc__ or "").splitlines()[0]).parse_args(arguments)
    delays = {name: [delay(name) for _ in range(1 if options.quick else ROUNDS)] for name in CALLS}
    head = header(options.quick, options.seed)
    text = page(head, delays)
    path = pages.save("interrupts", options, {"header": head, "seconds": delays}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
