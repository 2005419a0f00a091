"""`import manikin` is light: NumPy, the core and a known list of modules, nothing else."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import manikin

PACKAGE = Path(manikin.__file__).parent
OURS = [
    "_core",
    "arrays",
    "backend",
    "base",
    "base.lazy",
    "base.names",
    "base.progress",
    "errors",
    "figure",
    "figure.batch",
    "figure.builders",
    "figure.describe",
    "figure.figure",
    "figure.free_root",
    "figure.html_table",
    "figure.joint",
    "figure.kept",
    "figure.layout",
    "figure.loop",
    "figure.measure",
    "figure.movable",
    "figure.numbers",
    "figure.order",
    "figure.range",
    "figure.record",
    "figure.rigid",
    "figure.scale",
    "figure.segment",
    "figure.shapes",
    "goals",
    "goals.any_of",
    "goals.capabilities",
    "goals.effector",
    "goals.goal",
    "goals.heading",
    "goals.loops",
    "kinematics",
    "kinematics.chart",
    "kinematics.cones",
    "kinematics.swing_twist",
    "posing",
    "problem",
    "problem.evaluation",
    "problem.levels",
    "problem.problem",
    "problem.settled",
    "reference",
    "reference.bounded",
    "reference.heading",
    "reference.kinematics",
    "reference.smooth",
    "reference.tree",
    "rotations",
    "solution",
    "solution.native",
    "solution.records",
    "solution.solution",
    "solution.solutions",
    "solution.status",
    "solution.table",
    "solvers",
    "solvers.methods",
    "solvers.methods.run",
    "solvers.shortfall",
]
"""The modules of manikin that `import manikin` loads. Each costs time: `python -m benchmarks.imports` measures it."""


def modules_after(code: str) -> set[str]:
    """Names of all modules that are loaded after running some code in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json\nprint(json.dumps(list(sys.modules)))"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *(p for p in sys.path if p)])},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def others(loaded: set[str]) -> set[str]:
    """The packages among them that are neither ours nor NumPy's, nor of the standard library."""
    tops = {name.split(".")[0] for name in loaded - modules_after("pass")}
    return tops - set(sys.stdlib_module_names) - {"manikin", "numpy"}


@pytest.mark.skipif(not manikin.backend.native, reason="MANIKIN_BACKEND=reference: the core is not loaded")
def test_importing_manikin_loads_numpy_the_core_and_these_modules() -> None:
    loaded = modules_after("import manikin")
    ours = {name.removeprefix("manikin.") for name in loaded if name.startswith("manikin.")}
    assert ours == set(OURS)
    assert not others(loaded)


def test_posing_a_figure_loads_no_other_package() -> None:
    assert not others(modules_after("import manikin as mk; mk.chain(3).placements([0.0] * 9)"))


def test_every_public_name_is_found_and_listed() -> None:
    for name in manikin.__all__:
        assert getattr(manikin, name) is not None, name
    assert set(manikin.__all__) <= set(dir(manikin))
    assert manikin.__all__ == sorted(manikin.__all__)


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'manikin' has no attribute 'hummus'"):
        getattr(manikin, "hummus")  # noqa: B009


ORDER = """
import importlib, sys
import manikin
before = {name: getattr(manikin, name) for name in manikin.__all__[int(sys.argv[1]) % 2 :: 2]}
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:  # a package that is not installed
        assert error.name.split(".")[0] != "manikin", error
changed = [n for n, value in before.items() if getattr(manikin, n) is not value]
modules = [n for n in manikin.__all__ if f"manikin.{n}" in sys.modules]
print(changed, [n for n in modules if getattr(manikin, n) is not sys.modules[f"manikin.{n}"]])
assert not changed
assert all(getattr(manikin, n) is sys.modules[f"manikin.{n}"] for n in modules)
"""
"""Half of the public names are read before all modules are imported, the other half only afterwards."""


@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_imports_changes_a_public_name(seed: int) -> None:
    parts = [p.relative_to(PACKAGE.parent).with_suffix("").parts for p in PACKAGE.rglob("*.py")]
    names = sorted(".".join(p[:-1] if p[-1] == "__init__" else p) for p in parts if p[-1] != "__main__")
    assert len(names) > 400
    random.Random(seed).shuffle(names)
    run = subprocess.run(
        [sys.executable, "-c", ORDER, str(seed), *names],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *(p for p in sys.path if p)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
