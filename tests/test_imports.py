"""`import manikin` is light: NumPy and the core, nothing else, in little time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import manikin

PACKAGE = Path(manikin.__file__).parent
HEAVY = (
    "scipy",
    "matplotlib",
    "click",
    "rich",
    "pygltflib",
    "PIL",
    "defusedxml",
    "viser",
    "dask",
    "mujoco",
    "pxr",
    "ezc3d",
)
MOST_SECONDS = 0.050
"""CPU time above NumPy's own, with bytecode compiled."""
NUMPYS_SECONDS = 0.15
"""Where NumPy's own import takes longer than this, the processor is slow or shared with others (CPU time grows then
too), and the allowance grows in proportion."""
RUNS = 9


def environment(**more: str) -> dict[str, str]:
    paths = os.pathsep.join([str(PACKAGE.parent), *(p for p in sys.path if p)])
    return {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "", **more}


def modules_after(code: str) -> set[str]:
    """Names of all modules that are loaded after running some code in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json\nprint(json.dumps(list(sys.modules)))"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_manikin_loads_numpy_and_the_core_only() -> None:
    loaded = modules_after("import manikin")
    tops = {name.split(".")[0] for name in loaded - modules_after("import numpy")}
    assert not tops & set(HEAVY)
    assert tops - set(sys.stdlib_module_names) <= {"manikin", "numpy"}  # some parts of NumPy load on first use
    rooms = {name.split(".")[1] for name in loaded if name.startswith("manikin.")}
    assert not rooms & {"motion", "files", "view", "studio", "chapter", "cli"}


def test_posing_a_figure_loads_nothing_more() -> None:
    tops = {name.split(".")[0] for name in modules_after("import manikin as mk; mk.chain(3).placements([0.0] * 9)")}
    assert not tops & set(HEAVY)


def test_importing_costs_less_than_fifty_milliseconds_above_numpy(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="CPU time of child processes is not known here")
    # threads of BLAS that wait for work count as CPU time of the process for as long as it lives
    env = environment(PYTHONPYCACHEPREFIX=str(tmp_path), OPENBLAS_NUM_THREADS="1")
    compile_all = [sys.executable, "-m", "compileall", "-q", str(PACKAGE)]
    assert subprocess.run(compile_all, env=env, check=True, capture_output=True).returncode == 0

    def seconds(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return float(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    for code in ("import numpy", "import manikin"):
        seconds(code)  # the first run writes bytecode of everything else
    # The best of many runs, taken in turns, so that a busy moment of the machine meets both.
    ours, numpys = [], []
    for _ in range(RUNS):
        numpys.append(seconds("import numpy"))
        ours.append(seconds("import manikin"))
    above, own = min(ours) - min(numpys), min(numpys)
    most = MOST_SECONDS * max(1.0, own / NUMPYS_SECONDS)
    assert above < most, f"import manikin costs {1e3 * above:.0f} ms of CPU above numpy's {1e3 * own:.0f} ms"


def test_every_public_name_is_found_and_listed() -> None:
    for name in manikin.__all__:
        assert getattr(manikin, name) is not None, name
    assert set(manikin.__all__) <= set(dir(manikin))
    assert manikin.__all__ == sorted(manikin.__all__)


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'manikin' has no attribute 'hummus'"):
        manikin.hummus  # noqa: B018
