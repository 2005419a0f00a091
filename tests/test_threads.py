"""Threads that the system does not grant, and threads that are at work when the interpreter ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from manikin import backend

CHILD = """
import resource
import numpy as np
import manikin as mk

figure = mk.human()
poses = figure.random(np.random.default_rng(0), 20_000)
solver = mk.Solver(figure, [mk.Position("LeftHand", (0.3, 1.0, 0.2))])
alone, many = figure.placements(poses), figure.placements(poses)
many[:] = 0.0
one = solver.solve_many(poses[:40], restarts=0, iterations=3)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + 50_000_000  # a thread's stack is 8 MB: a few start, most do not
resource.setrlimit(resource.RLIMIT_AS, (room, hard))
figure.placements(poses, out=many, threads=300)
other = solver.solve_many(poses[:40], threads=40, restarts=0, iterations=3)
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
print("same placements", bool((many == alone).all()))
print("same poses", bool((other.poses == one.poses).all()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are set as Linux has them")
@pytest.mark.skipif(not backend.native, reason="the NumPy twin starts no threads")
def test_a_call_that_gets_no_more_threads_gives_the_same_result() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=120, check=False, env=_environment()
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["same placements True", "same poses True"]


DAEMONS = """
import threading
import numpy as np
import manikin as mk

figure = mk.human()
solver = mk.Solver(figure, mk.Position("LeftHand", (0.3, 1.0, 0.2)))
rows = np.tile(solver.targets, (500, 1))
rows[:, 0] += np.linspace(0.0, 4.0, 500)
done = threading.Semaphore(0)

def work():
    while True:
        {call}
        done.release()

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
for _ in range(4):
    done.acquire()  # both threads are in calls, not at their beginning
print("the end")
"""


@pytest.mark.skipif(not backend.native, reason="the NumPy twin starts no threads")
@pytest.mark.parametrize(
    "call",
    [
        "solver.track(figure.rest, rows)",
        "solver.track_many(figure.rest, [rows] * 2, 2)",
        "solver.solve_many(None, rows)",
    ],
)
def test_a_program_ends_while_daemon_threads_are_in_native_calls(call: str) -> None:
    """CPython ends such a thread when it takes the GIL. This must not abort the process."""
    source = DAEMONS.format(call=call)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False, env=_environment()
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


def _environment() -> dict[str, str]:
    """The present one, with the package that is under test."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "OPENBLAS_NUM_THREADS": "1"}
