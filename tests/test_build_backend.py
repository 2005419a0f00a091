"""The build backend: one build of a clone at a time, and nothing whose path changes, so that nothing is compiled again.

`make install-check` installs twice at the same time, and takes minutes. This test builds nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"

pytestmark = [
    pytest.mark.skipif(not (PACKAGING / "manikin_build.py").exists(), reason="this is not a clone"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is in Python 3.11"),
]

FAKE = """
import sys, types
sys.path.insert(0, sys.argv[1])
fake = types.ModuleType("scikit_build_core")
fake.__file__, fake.__path__ = sys.argv[2] + "/scikit_build_core/__init__.py", []
build = types.ModuleType("scikit_build_core.build")
def build_wheel(folder, settings, metadata):
    print("begun", settings["cmake.define.nanobind_DIR"], flush=True)
    sys.stdin.readline()
    print("ended", flush=True)
    return "x.whl"
build.build_wheel = build.build_editable = build_wheel
build.__all__ = ["build_wheel", "build_editable"]
fake.build = build
sys.modules |= {"scikit_build_core": fake, "scikit_build_core.build": build}
import manikin_build
print("asks", flush=True)
getattr(manikin_build, sys.argv[3])("wheels")
"""
"""A build of which the test says when it ends."""


def begun(clone: Path, tools: str, hook: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FAKE, str(PACKAGING), tools, hook]
    child = subprocess.Popen(command, cwd=clone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "asks\n"
    return child


def test_pip_builds_by_this_backend() -> None:
    import tomllib

    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert system["build-backend"] == "manikin_build"
    assert system["backend-path"] == ["packaging"]


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_a_second_build_waits_and_finds_its_tools_at_the_same_path(hook: str, tmp_path: Path) -> None:
    pytest.importorskip("nanobind")
    known = tmp_path / "build" / "cp311" / ".skbuild-info.json"
    known.parent.mkdir(parents=True)
    known.write_text(json.dumps({"skbuild_path": "/an/older/path", "other": 1}))
    first = begun(tmp_path, "/tools/1", hook)
    assert first.stdout is not None
    where = first.stdout.readline()
    assert where.startswith("begun ")
    assert str(tmp_path) in where  # and not the path of this installation
    assert json.loads(known.read_text())["other"] == 1
    second = begun(tmp_path, "/tools/2", hook)
    assert second.stdout is not None
    os.set_blocking(second.stdout.fileno(), False)
    assert second.stdout.readline() in ("", None)
    os.set_blocking(second.stdout.fileno(), True)
    assert json.loads(known.read_text())["skbuild_path"].startswith("/tools/1")
    assert first.communicate("\n")[0] == "ended\n"
    assert second.stdout.readline() == where
    assert second.communicate("\n")[0] == "ended\n"
    assert json.loads(known.read_text())["skbuild_path"].startswith("/tools/2")
    assert [first.returncode, second.returncode] == [0, 0]
