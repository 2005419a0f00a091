"""Every header of the native core compiles by itself, with each compiler found and for each instruction set.

A header that compiles alone includes what it needs, so it can be read first and an editor understands it.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
FLAGS = [
    *("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-Wno-psabi"),
    *("-DMANIKIN_HAVE_V3", f"-I{CPP}"),
    "-Wno-unused-function",  # kernel headers hold static functions, and this source calls none of them
]
NANOBIND = importlib.util.find_spec("nanobind")
"""The binding tool. A build needs it; a test run may be without it, and then leaves out the headers that include it."""
SYSTEM = [Path(sysconfig.get_path("include"))]
if NANOBIND is not None and NANOBIND.origin is not None:
    SYSTEM.append(Path(NANOBIND.origin).parent / "include")
ONE_SET = ("compile", "dispatch", "solve", "track", "bindings")
"""Rooms whose headers are compiled for one instruction set only: they are host code."""


def headers() -> list[str]:
    return sorted(str(path.relative_to(CPP)) for path in CPP.rglob("*.h"))


def instruction_sets(header: str) -> list[list[str]]:
    """Compiler flags of each instruction set that a header is compiled for."""
    wide = platform.machine() in ("x86_64", "AMD64") and header.split("/")[0] not in ONE_SET
    return [[], ["-march=x86-64-v3"]] if wide else [[]]


def compiled(compiler: str, header: str, flags: list[str]) -> str:
    """What a compiler says against a source that includes one header; empty if it is content."""
    done = subprocess.run(
        [compiler, *FLAGS, *flags, *(f"-isystem{path}" for path in SYSTEM), "-x", "c++", "-"],
        input=f'#include "{header}"\n',
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return "" if done.returncode == 0 else f"{header} {' '.join(flags)}\n{done.stderr[:2000]}"


def needs_nanobind(header: str) -> bool:
    return "<nanobind/" in (CPP / header).read_text(encoding="utf-8")


def test_there_are_headers_in_every_room() -> None:
    rooms = {header.split("/")[0] for header in headers()}
    assert {"math", "model", "compile", "kernels", "dispatch", "solve", "track", "bindings"} <= rooms


@pytest.mark.skipif(not COMPILERS, reason="neither g++ nor clang++ is installed")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_header_compiles_by_itself(compiler: str) -> None:
    jobs = [(h, flags) for h in headers() if NANOBIND or not needs_nanobind(h) for flags in instruction_sets(h)]
    assert len(jobs) > 60
    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [said for said in pool.map(lambda job: compiled(compiler, *job), jobs) if said]
    assert not failures, "\n".join(failures)


@pytest.mark.skipif(not COMPILERS, reason="neither g++ nor clang++ is installed")
def test_a_header_that_misses_an_include_is_found(tmp_path: Path) -> None:
    (tmp_path / "needy.h").write_text("#pragma once\nstatic inline int nodes(const Problem& p) { return p.nodes; }\n")
    for compiler in COMPILERS:
        assert "Problem" in compiled(compiler, "needy.h", [f"-I{tmp_path}"])
