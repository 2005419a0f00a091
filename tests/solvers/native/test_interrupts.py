"""Ctrl-C ends every long call of the native solver, and the solver can be used again.

Each case runs in a child process, which is sent SIGINT in the middle of a call that would go on for minutes or more.
How soon it ends is measured by `python -m benchmarks.interrupts`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from manikin import backend

sys.path.insert(0, str(Path(__file__).parents[3]))

from benchmarks.interrupts import CALLS, interrupted

pytestmark = [
    pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver"),
    pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C by its number there"),
]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_ends_by_ctrl_c(name: str) -> None:
    _, said = interrupted(name)
    assert said[0] == "interrupted"
    assert said[2:] == ["again", "True"]


PEAK = """
import atexit
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
solver = mk.Solver(human, [far, *feet])
rows = np.tile(solver.targets, (1_000_000, 1))
before = peak()
atexit.register(lambda: print(peak() - before))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is of Linux")
@pytest.mark.parametrize("options", ["", ", threads=2", ", restarts=0"])
def test_a_call_that_is_ended_does_not_go_through_its_other_rows(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To write an answer for each of a million rows took seconds. They have 880 MB, which the process then has used."""
    monkeypatch.setitem(CALLS, "ended", (PEAK, f"solver.solve_many(None, rows{options})"))
    _, said = interrupted("ended")
    assert said[0] == "interrupted"
    assert int(said[-1]) < 400
