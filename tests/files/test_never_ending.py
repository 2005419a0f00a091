"""A pipe or a device in the place of a file is one BadFile at every door, and is not waited for."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doors import DOORS
from hostile_seeds import GOOD

import manikin

PACKAGE = Path(manikin.__file__).parent
GUARD = 60.0
"""Seconds after which a process that waits is ended."""
HERE = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")

SCRIPT = """
import sys, traceback
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import doors, manikin as mk
from manikin.files.formats import FORMATS, READ
for name, door in doors.DOORS.items():
    if name in ("manifest", "solver"):  # a folder, and bytes
        continue
    for way in ("pipe", "device", "link"):
        path = Path(sys.argv[2]) / (way + door.ending)
        try:
            door.load(path)
        except mk.errors.ManikinError as error:
            print(name, way, "ordinary file" in str(error) and path.name in str(error), repr(str(error)), sep="\\t")
        else:
            print(name, way, False, "loaded", sep="\\t")
for ending, kind in FORMATS.items():
    for role in READ:
        if getattr(kind, role) is not None:
            for way in ("pipe", "device", "link"):
                path = Path(sys.argv[2]) / (way + ending)
                try:
                    getattr(mk, "load_" + role)(path)
                except mk.errors.BadFile as error:
                    print(role + ending, way, "ordinary file" in str(error), repr(str(error)), sep="\\t")
"""


@pytest.fixture
def never(tmp_path: Path) -> Path:
    """A folder with a pipe, and links to a device and to the pipe, for every ending."""
    for ending in {door.ending for door in DOORS.values()} | set(GOOD) | set(manikin.files.formats.FORMATS) | {".osim"}:
        os.mkfifo(tmp_path / f"pipe{ending}")
        (tmp_path / f"device{ending}").symlink_to("/dev/zero")
        (tmp_path / f"link{ending}").symlink_to(tmp_path / f"pipe{ending}")
    return tmp_path


def asked(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=GUARD, check=False
    )


def test_every_door_refuses_pipes_and_devices(never: Path) -> None:
    done = asked("-c", SCRIPT, HERE, never)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    own = {line[0] for line in lines}
    assert own >= set(DOORS) - {"manifest", "solver"}
    assert not [line for line in lines if line[2] != "True"]


CALLS = {
    "info": ["info", "pipe.bvh"],
    "convert": ["convert", "device.bvh", "out.json"],
    "like": ["convert", "good.bvh", "out.bvh", "--like", "pipe.bvh"],
    "check": ["check", "pipe.bvh"],
    "fit": ["fit", "pipe.trc", "--out", "out.bvh"],
    "attachments": ["fit", "good.trc", "--attach", "device.json", "--out", "out.bvh"],
    "points": ["points", "device.npy", "--out", "out.bvh"],
    "retarget": ["retarget", "good.bvh", "pipe.json", "--out", "out.bvh"],
    "map": ["map", "human", "--bones", "device.json"],
    "solve": ["solve", "human", "--start", "pipe.json"],
    "track": ["track", "human", "device.csv"],
    "resume": ["track", "human", "good.csv", "--resume", "pipe.npz"],
    "batch": ["batch", "retarget", "clips", "results", "--figure", "pipe.json"],
}


@pytest.mark.parametrize("name", CALLS)
def test_every_command_refuses_pipes_and_devices(name: str, never: Path) -> None:
    GOOD[".bvh"][0](never / "good.bvh")
    GOOD[".trc"][0](never / "good.trc")
    (never / "clips").mkdir()
    GOOD[".bvh"][0](never / "clips" / "good.bvh")
    (never / "good.csv").write_text("time,RightHand.x,RightHand.y,RightHand.z\n0,0.3,1,0.3\n0.1,0.3,1,0.3\n")
    done = subprocess.run(
        [sys.executable, "-m", "manikin", *CALLS[name]],
        capture_output=True,
        text=True,
        timeout=GUARD,
        check=False,
        cwd=never,
    )
    assert done.returncode == 2, done.stderr
    assert "ordinary file" in done.stderr or "needs the path of a file" in done.stderr
    assert "Traceback" not in done.stderr


ALLOWED = {
    ("base/reading.py", "os.open"): "the one place",
    ("base/writing.py", "open"): "writes",
    ("base/writing.py", "read_bytes"): "a file that was made just now, in a private folder",
    ("base/lazy.py", "read_text"): "a stub of the package",
    ("base/writing.py", "os.open"): "writes, and syncs a folder",
    ("jobs/folder/lock.py", "os.open"): "a lock, which is opened without following links",
    ("jobs/folder/places.py", "os.open"): "folders, one by one",
    ("studio/journal.py", "os.open"): "writes",
    ("studio/state.py", "os.open"): "writes",
    ("studio/uploads.py", "os.open"): "writes",
    ("files/usd/write.py", "read_bytes"): "a file that USD wrote just now, in a private folder",
    ("view/animation.py", "read_bytes"): "a film that was made just now, in a private folder",
    ("view/player.py", "read_text"): "a file of the package",
}
"""What opens a file otherwise, with the reason."""
STUDIO = ("studio/",)
"""The studio reads its own folder; uploads go through the doors."""


def openings(tree: ast.AST) -> Iterator[str]:
    """The calls of a module that open a file for reading."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        text = ast.unparse(node.func)
        last = text.rpartition(".")[2]
        mode = [
            a.value
            for a in (*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode"))
            if isinstance(a, ast.Constant) and isinstance(a.value, str)
        ]
        if text == "open" and not any(set("wxa") & set(m) or "+" in m for m in mode):
            yield "open"
        elif text == "os.open":
            yield "os.open"
        elif (last in ("read_bytes", "read_text") and "." in text) or text in ("np.load", "np.fromfile", "np.memmap"):
            yield last


def test_one_place_opens_files_for_reading() -> None:
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(STUDIO):
            found |= {(name, call) for call in openings(ast.parse(path.read_text()))}
    assert found <= set(ALLOWED), sorted(found - set(ALLOWED))
