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
