"""The stored type stub of the native core is the one that nanobind generates for it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_the_stored_stub_is_the_generated_one(tmp_path: Path) -> None:
    core = pytest.importorskip("manikin._core", reason="the native core is not built")
    pytest.importorskip("nanobind", reason="nanobind, which generates stubs, is not installed")
    stored, fresh = Path(core.__file__).with_name("_core.pyi"), tmp_path / "_core.pyi"
    patterns = Path(__file__).parents[1] / "cpp" / "bindings" / "stub.txt"
    done = subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", core.__name__, "-p", str(patterns), "-o", str(fresh)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert done.returncode == 0, done.stderr
    assert _meaning(stored) == _meaning(fresh), "the native core has changed; `make stub` writes its stub anew"


def _meaning(path: Path) -> str:
    """What a stub says, without its spaces and line breaks, which change with nanobind's version."""
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")), indent=1)
