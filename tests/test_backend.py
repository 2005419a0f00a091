"""The backend is chosen in one place, visibly, and never falls back silently."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from strategies import random_figure, random_poses

import manikin
from manikin import backend
from manikin.reference.kinematics import Kinematics as Twin

WITHOUT_CORE = "import sys; sys.modules['manikin._core'] = None\n"
"""As if the native core had not been built."""


def run(code: str, wanted: str | None) -> subprocess.CompletedProcess[str]:
    """Some code in a new interpreter, with MANIKIN_BACKEND set or not."""
    paths = os.pathsep.join([str(Path(manikin.__file__).parents[1]), *(p for p in sys.path if p)])
    env = {**os.environ, "PYTHONPATH": paths}
    env.pop(backend.VARIABLE, None)
    if wanted is not None:
        env[backend.VARIABLE] = wanted
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=120
    )


def core_names() -> list[str]:
    _core = pytest.importorskip("manikin._core", reason="the native core is not built")
    return list(_core.available())


def test_the_fastest_kernels_are_taken_where_nothing_is_said() -> None:
    names = core_names()
    done = run("import manikin; print(manikin.backend.name, manikin.backend.native)", None)
    assert done.stdout.split() == [names[-1], "True"], done.stderr


@pytest.mark.parametrize("name", ["base", "v3", "reference"])
def test_the_environment_variable_forces_one(name: str) -> None:
    if name != "reference" and name not in core_names():
        pytest.skip(f"this processor does not run the kernels {name!r}")
    code = "import manikin as mk; T = mk.chain(2, planar=True).placements([0, 0])"
    done = run(code + "; print(mk.backend.name, mk.backend.native, T[2, 0, 3])", name)
    assert done.stdout.split() == [name, str(name != "reference"), "2.0"], done.stderr


@pytest.mark.parametrize("use", ["manikin.chain(2)", "manikin.backend.native", "manikin.linalg.bounded_step"])
def test_an_unknown_backend_is_named_with_those_there_are(use: str) -> None:
    if use.endswith("_step"):
        use += "([[1.0]], [1.0], 0.1, [-1.0], [1.0])"
    done = run(f"import manikin; {use}", "avx9")
    assert done.returncode != 0
    there = ", ".join([*core_names(), "reference"])
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(f"BadValue: MANIKIN_BACKEND is 'avx9'; on this machine it must be one of {there}")


def test_without_the_core_nothing_falls_back_silently() -> None:
    done = run(WITHOUT_CORE + "import manikin; manikin.chain(2)", None)
    assert done.returncode != 0
    assert "_core" in done.stderr.strip().splitlines()[-1]


def test_the_reference_needs_no_core() -> None:
    done = run(
        WITHOUT_CORE + "import manikin as mk; print(mk.chain(3, planar=True).placements([0, 0, 0])[3, 0, 3])",
        "reference",
    )
    assert done.stdout.split() == ["3.0"], done.stderr


def test_what_is_in_use_computes_what_the_reference_computes() -> None:
    rng = np.random.default_rng(0)
    figure = random_figure(rng, segments=10)
    q = random_poses(figure, rng, 5)
    kinematics = backend.kinematics(figure.layout.tree)
    wanted = Twin(figure.layout.tree).placements(q)
    assert_close(kinematics.placements(q), wanted, scale=max(1.0, float(np.abs(wanted).max())), tol=1e-12)
    assert isinstance(kinematics, Twin) == (not backend.native)
