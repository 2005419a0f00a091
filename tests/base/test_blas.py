"""Calls over whole clips run with one BLAS thread, and leave the number of threads as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.base import blas
from manikin.solvers import METHODS

pytestmark = pytest.mark.skipif(not blas.threads(), reason="NumPy has another BLAS than OpenBLAS")

CALLS = ("retarget", "contacts", "fit_points", "fit_markers", "edit", "follow", "solve_motion")
"""Calls that work on a whole clip in NumPy."""


@pytest.fixture
def two():
    """Two threads in each library, and afterwards as many as before."""
    pytest.importorskip("scipy.linalg", reason="scipy is not installed")
    before = blas.threads()
    for _, set_ in blas._libraries().values():
        set_(2)
    yield dict.fromkeys(before, 2)
    for module, (_, set_) in blas._libraries().items():
        set_(before[module])


@pytest.mark.parametrize("name", CALLS)
def test_every_call_over_a_clip_is_alone(name: str) -> None:
    assert getattr(mk, name).__closure__ is not None
    assert getattr(mk, name).__wrapped__.__name__ == name
    assert getattr(mk, name).__code__ is blas.one_thread(len).__code__


def test_a_call_has_one_thread_and_restores_the_others(two: dict[str, int]) -> None:
    seen = []
    person = mk.chain(3, planar=True)
    goal = mk.Over(mk.Position("Tip", (1, 0), axes="xy"), lambda t: (1.5, 0.1 * t))
    mk.solve_motion(person, goal, np.arange(4) / 30, progress=lambda *_: seen.append(blas.threads()))
    assert seen == [dict.fromkeys(two, 1)]
    assert blas.threads() == two


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("auto", "ccd", "fabrik")])
def test_a_method_that_works_in_numpy_has_one_thread(method: str, two: dict[str, int]) -> None:
    seen = []

    def error(placements: np.ndarray) -> np.ndarray:
        seen.append(blas.threads())
        return placements[0, :3, 3] - (1.5, 0.1, 0.0)

    goal = mk.Custom("Tip", error, rows=3)
    mk.solve(mk.chain(3), goal, method=method, iterations=3)
    assert dict.fromkeys(two, 1) in seen  # the problem is made before
    assert blas.threads() == two


def test_a_blas_that_is_loaded_by_the_method_itself_has_one_thread_too() -> None:
    """SciPy has a BLAS of its own, which the first solve by it loads."""
    pytest.importorskip("scipy.linalg", reason="scipy is not installed")
    run = """
import sys
import manikin as mk
from manikin.base import blas
seen = []
def error(placements):
    seen.append(blas.threads())
    return placements[0, :3, 3] - (1.5, 0.1, 0.0)
assert "scipy.linalg._fblas" not in sys.modules
mk.solve(mk.chain(3), mk.Custom("Tip", error, rows=3), method="lbfgsb")
assert len(seen[-2]) == 2, seen[-2]
assert set(seen[-2].values()) == {1}, seen[-2]
assert set(blas.threads().values()) == {2}
"""
    paths = os.pathsep.join([str(Path(mk.__file__).parents[1]), *(p for p in sys.path if p)])
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", run], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_error_restores_the_threads(two: dict[str, int]) -> None:
    with pytest.raises(mk.errors.BadValue):
        mk.solve_motion(None, [], [0.0])  # type: ignore[arg-type]
    assert blas.threads() == two


def test_calls_in_several_threads_restore_the_number_once_the_last_ends(two: dict[str, int]) -> None:
    begun, end, seen = threading.Barrier(3), threading.Event(), []

    @blas.one_thread
    def call() -> None:
        begun.wait(30)
        seen.append(blas.threads())
        end.wait(30)

    first = [threading.Thread(target=call) for _ in range(2)]
    for thread in first:
        thread.start()
    begun.wait(30)
    assert set(blas.threads().values()) == {1}
    end.set()
    for thread in first:
        thread.join()
    assert seen == [dict.fromkeys(two, 1)] * 2
    assert blas.threads() == two
