"""Ctrl-C ends every long call of the native solver at once, and the solver can be used again.

Each case runs in a child process, which is sent SIGINT in the middle of a call. The delays are printed (pytest -s).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from needs import data_file

from manikin import backend

pytestmark = [
    pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver"),
    pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C by its number there"),
]

LATEST = 0.5
"""Seconds after which the call must have ended. 0.1 is aimed at; a busy machine adds to it."""
LONG = 0.3
"""Seconds into the call at which the signal is sent."""

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
import os
from pathlib import Path
arm = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "urdf" / "panda.urdf")
away = mk.Solver(arm, mk.Placement("panda_hand", (3.0, 0, 0, 1, 0, 0, 0)))
"""

CALLS = {
    "one solve": (
        """
chain = mk.chain(1000)
tip = chain.segment_names[-1]
away = [mk.Distance(name, (0.0, 0.0, 0.0), 5000.0) for name in chain.segment_names[::20]]
solver = mk.Solver(chain, [*away, mk.Position(tip, (3000.0, 0, 0))])
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


@pytest.mark.parametrize("name", CALLS)
def test_a_call_ends_soon_after_ctrl_c(name: str) -> None:
    made, call = CALLS[name]
    if "MANIKIN_DATA" in made:
        data_file("urdf/panda.urdf")
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HEAD + made + TAIL.format(call=call)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "ready\n", child.communicate(timeout=10)[1]
        time.sleep(LONG)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, problems = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 0, problems
    said = out.split()
    assert said[0] == "interrupted", f"the call took less than {LONG} s: {out}"
    delay = float(said[1]) - sent
    print(f"{name}: ended {1e3 * delay:.0f} ms after Ctrl-C")
    assert 0.0 <= delay <= LATEST
    assert said[2:] == ["again", "True"]
