"""The bindings use only the stable ABI of Python 3.12, for which the wheel is built."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BINDINGS = ROOT / "cpp" / "bindings"
CALLS_PYTHON = re.compile(r"\bPy[A-Z]\w+_[A-Z]\w+")
FILES = sorted(path.name for path in BINDINGS.glob("*.cpp") if CALLS_PYTHON.search(path.read_text(encoding="utf-8")))
INCLUDES = "import sysconfig; print(sysconfig.get_path('include'))"


@pytest.fixture(scope="module")
def headers() -> str:
    """The folder of Python.h of a Python that has this ABI."""
    check = runpy.run_path(str(ROOT / "tests" / "wheels" / "check.py"))
    for numbers, python in check["pythons"]().values():
        if numbers >= check["STABLE"]:
            found = subprocess.run([python, "-c", INCLUDES], capture_output=True, text=True, check=True).stdout.strip()
            if (Path(found) / "Python.h").exists():
                return found
    pytest.skip("no Python 3.12 or newer with its headers")


def compiler() -> str:
    found = shutil.which((sysconfig.get_config_var("CXX") or "c++").split()[0]) or shutil.which("c++")
    if found is None:
        pytest.skip("no C++ compiler")
    return found


def test_files_that_call_python_are_found() -> None:
    assert {"answers.cpp", "arguments.cpp", "door.cpp"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_binding_compiles_against_the_stable_abi(name: str, headers: str) -> None:
    nanobind = pytest.importorskip("nanobind")
    places = [f"-I{folder}" for folder in (headers, nanobind.include_dir(), ROOT / "cpp")]
    command = [compiler(), "-fsyntax-only", "-std=c++17", "-DPy_LIMITED_API=0x030C0000", *places, BINDINGS / name]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
