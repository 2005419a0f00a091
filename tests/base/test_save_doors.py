"""A full disk or a kill never loses the old file, at any door that saves."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import save_doors

import manikin as mk
from manikin.base import writing

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the full disk is a limit of POSIX")
TESTS = Path(__file__).parents[1]
KILLED = ["map.json", "attachments.json", "stopped.npz", "sheet.csv", "motion.usdc", "picture.png", "film.html"]


def script(*args: object) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(TESTS), *(p for p in sys.path if p)])
    return subprocess.run(
        [sys.executable, str(TESTS / "save_doors.py"), *map(str, args)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    for module in ("pxr", "matplotlib", "PIL"):
        pytest.importorskip(module)
    run = script("full", tmp_path)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert set(found) == set(save_doors.DOORS)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("name", KILLED)
def test_a_kill_leaves_the_old_file_and_the_next_save_tidies(name: str, tmp_path: Path) -> None:
    pytest.importorskip({"motion.usdc": "pxr", "picture.png": "matplotlib"}.get(name, "numpy"))
    path = tmp_path / name
    path.write_text("old")
    run = script("kill", tmp_path, name)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert path.read_text() == "old"
    left = [p for p in tmp_path.iterdir() if p.is_file() and p != path]
    assert len(left) == 1
    writing._looked.clear()
    save_doors.DOORS["attachments.json"](tmp_path / "other.json")
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == sorted([name, "other.json"])


def test_every_public_class_that_saves_has_a_door() -> None:
    classes = [getattr(mk, name) for name in mk.__all__]
    saving = {c.__name__ for c in classes if inspect.isclass(c) and hasattr(c, "save")}
    assert saving == {"BoneMap", "Attachments"}, "add a door for it to save_doors.py, and its name here"
